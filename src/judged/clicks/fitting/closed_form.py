"""Fit the chain models in closed form, by counting."""

from __future__ import annotations

import numpy as np

from judged._types import Bools, Floats
from judged.clicks.data.estimate import ParameterEstimate, estimate_from_counts, estimate_with_variance
from judged.clicks.data.grid import Grid, check_whole_lists, grid_of
from judged.clicks.data.log import ClickLog, sums
from judged.clicks.models.chain import Chain
from judged.clicks.models.model import Fit, FitSettings
from judged.errors import DataError, Hint, UsageError, shown


def fit_cascade(log: ClickLog, settings: FitSettings, *, multiple: str = "error") -> Fit:
    """Fit the cascade model in closed form: clicks divided by examinations, where everything down to the click was
    examined.

    Args:
        log: complete lists from rank 1.
        settings: prior and confidence level of the intervals.
        multiple: sessions with several clicks, which the model does not allow: `"error"`, or `"first"` to end them at the first click.
    """
    check_whole_lists(log, "cascade")
    grid = grid_of(log)
    if multiple not in ("error", "first"):
        raise UsageError("parameter", f"multiple must be error or first, got {multiple!r}", value=multiple)
    _check_single_clicks(log, multiple)
    first = np.where(grid.clicked.any(axis=1), grid.clicked.argmax(axis=1), grid.clicked.shape[1])
    ranks = np.arange(grid.clicked.shape[1])
    inside = grid.lists.shown & (ranks <= first[:, None])
    clicked = grid.clicked & (ranks == first[:, None])
    success, trials = _sum_by_pair(grid, clicked, len(log.pairs)), _sum_by_pair(grid, inside, len(log.pairs))
    rate = estimate_from_counts(success, trials, settings.prior, settings.level)
    model = Chain("cascade", log.pairs, rate.value, np.ones(1), by="always", unseen=settings.unseen)
    return chain_result(
        log, grid, settings, model, {"attractiveness": rate}, rate, _likelihood(success, trials, rate.value)
    )


def _check_single_clicks(log: ClickLog, multiple: str) -> None:
    clicks = sums(log.session, log.clicked, len(log.sessions))
    if multiple == "error" and (clicks > 1).any():
        row = int(np.argmax(clicks > 1))
        raise DataError(
            "several-clicks",
            f"{int(clicks[row])} clicks in session {shown(log.sessions[row])}; the cascade model allows one",
            where=log.name,
            hint=Hint("use only the first click with {multiple}, or another model: dcm, dbn or ubm", multiple="first"),
        )


def count_chain(log: ClickLog, grid: Grid, settings: FitSettings, name: str, by: str) -> Fit:
    """Fit by counts, assuming that everything down to the last click (or everything, without one) was examined, and
    that the last click satisfied.
    """
    last, ranks = grid.last, np.arange(1, grid.clicked.shape[1] + 1)
    inside = grid.lists.shown & (ranks <= np.where(last > 0, last, len(ranks))[:, None])
    final = grid.clicked & (ranks == last[:, None])
    pairs = len(log.pairs)
    success, trials = _sum_by_pair(grid, grid.clicked, pairs), _sum_by_pair(grid, inside, pairs)
    rate = estimate_from_counts(success, trials, settings.prior, settings.level)
    if by == "pair":
        stop, clicks = _sum_by_pair(grid, final, pairs), success
    else:
        stop, clicks = (grid.weight @ final), (grid.weight @ grid.clicked)
    satisfied = estimate_from_counts(stop, clicks, settings.prior, settings.level)
    relevance = rate
    if by == "pair":
        spread = (satisfied.value * rate.error) ** 2 + (rate.value * satisfied.error) ** 2
        relevance = estimate_with_variance(
            rate.value * satisfied.value, spread, success, trials - success, settings.prior, settings.level
        )
    value = np.where(np.isnan(satisfied.value), settings.unseen, satisfied.value)
    model = Chain(name, log.pairs, rate.value, value, 1.0, by, settings.unseen)
    named = {"attractiveness": rate, "satisfaction": satisfied}
    with np.errstate(divide="ignore"):
        chance = model.conditional(grid.lists, grid.clicked)
        likely = np.log(np.where(grid.clicked, chance, 1.0 - chance))
    total = float((grid.weight[:, None] * likely)[grid.lists.shown].sum())
    return chain_result(log, grid, settings, model, named, relevance, total)


def _sum_by_pair(grid: Grid, mask: Bools, pairs: int) -> Floats:
    weight = np.broadcast_to(grid.weight[:, None], mask.shape)
    return sums(grid.lists.pair[mask], weight[mask], pairs)


def _likelihood(success: Floats, trials: Floats, rate: Floats) -> float:
    from scipy.special import xlog1py, xlogy

    seen = trials > 0
    return float((xlogy(success[seen], rate[seen]) + xlog1py((trials - success)[seen], -rate[seen])).sum())


def chain_result(
    log: ClickLog,
    grid: Grid,
    settings: FitSettings,
    model: Chain,
    named: dict[str, ParameterEstimate],
    relevance: ParameterEstimate,
    log_likelihood: float,
) -> Fit:
    pairs = len(log.pairs)
    ranks = {"satisfaction": tuple(range(1, log.depth + 1))} if model.by == "rank" else {}
    return Fit(
        model=model,
        settings=settings,
        parameters=named,
        labels=ranks,
        relevance=relevance,
        impressions=_sum_by_pair(grid, grid.lists.shown, pairs),
        clicks=_sum_by_pair(grid, grid.clicked, pairs),
        sessions=len(log.sessions),
        log_likelihood=log_likelihood,
    )
