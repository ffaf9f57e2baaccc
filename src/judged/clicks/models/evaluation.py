"""Evaluation of a click model on sessions it was not fitted to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Floats
from judged.clicks.data.grid import Grid, ShownLists, distinct_rows, grid_of
from judged.clicks.data.log import ClickLog
from judged.clicks.models.model import ClickModel


@dataclass(frozen=True, slots=True)
class ClickEvaluation:
    """Likelihood and perplexity of a log under a model.

    Attributes:
        log_likelihood: mean over sessions of the natural log of the session's probability, click by click given the clicks above.
        perplexity: the mean of `by_rank`, as in the literature; 2 to the mean of -log2 P(observation).
        by_rank: perplexity of each rank, from the probability of a click there, over all clicks above (Dupret and Piwowarski, SIGIR
            2008). 1 is perfect; 2 is a coin. NaN for a rank that no session shows.
        conditional_by_rank: the same from the probability given the clicks above.
        shown: sessions that show each rank.
    """

    model: str
    sessions: int
    log_likelihood: float
    perplexity: float
    conditional_perplexity: float
    by_rank: Floats
    conditional_by_rank: Floats
    shown: Floats


def evaluate_clicks(model: ClickModel, log: ClickLog) -> ClickEvaluation:
    """Compute the likelihood and perplexity of a log under a model; a document that the model has never seen has the mean
    of the prior.

    A click that is impossible under the model makes the likelihood minus infinity and the perplexity of its rank
    infinite, which happens to models without a prior.
    """
    grid = grid_of(log)
    conditional = _surprise(grid, model.conditional(grid.lists, grid.clicked))
    first, place = distinct_rows(grid.lists.pair)
    marginal = _surprise(grid, model.marginal(ShownLists(grid.lists.pairs, grid.lists.pair[first]))[place])
    shown = grid.weight @ grid.lists.shown
    by_rank, given = _perplexity(marginal, shown), _perplexity(conditional, shown)
    sessions = len(log.sessions)
    return ClickEvaluation(
        model=model.name,
        sessions=sessions,
        log_likelihood=float(-conditional.sum() / sessions * np.log(2.0)),
        perplexity=float(np.nanmean(by_rank)),
        conditional_perplexity=float(np.nanmean(given)),
        by_rank=by_rank,
        conditional_by_rank=given,
        shown=shown,
    )


def _surprise(grid: Grid, chance: Floats) -> Floats:
    """The sum over sessions, at each rank, of -log2 of the probability of the observation."""
    with np.errstate(divide="ignore"):
        bits = -np.log2(np.where(grid.clicked, chance, 1.0 - chance))
    return grid.weight @ np.where(grid.lists.shown, bits, 0.0)


def _perplexity(bits: Floats, shown: Floats) -> Floats:
    return np.exp2(np.divide(bits, shown, out=np.full(len(bits), np.nan), where=shown > 0))
