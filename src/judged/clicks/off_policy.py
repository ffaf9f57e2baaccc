"""Estimates of measures for runs that were not shown, from clicks on rankings that were, by inverse propensity weights.

A click at rank r is observed with the probability p_r that the user examines r. Weighting it by 1 / p_r compensates for clicks
that were not observed (Joachims, Swaminathan and Schnabel, WSDM 2017). With λ(d) the gain of a relevant document at its
rank in the new ranking, each session gives

    IPS:    Σ over clicked d of λ(d) / p(rank shown)

whose mean over sessions is unbiased for Σ over d of P(relevant) · λ(d), as long as every document of the new ranking's top was
shown with p > 0, and clicks follow the position-based model. The self-normalised estimate

    SNIPS:  Σ over all clicks of λ(d) / p   ÷   Σ over all clicks of 1 / p

(Swaminathan and Joachims, NIPS 2015, for weights in general) is the mean of λ over relevant documents: the measure per relevant
document. It does not change if all propensities are wrong by one factor, and varies less; its bias is O(1 / sessions).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.clicks.log import ClickLog, rankings, read_clicks, sums
from judged.clicks.models import PositionCells
from judged.core.resample import generator
from judged.errors import DataError, Hint, UsageError, shown
from judged.io.read import read_run
from judged.io.recognise import named_runs
from judged.io.run_names import short_names
from judged.stats.checks import check_count, check_share
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, number

PAPERS = {"ips": "joachims2017", "snips": "swaminathan2015"}


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """An estimate for a ranking that was not shown.

    Attributes:
        value, error, low, high: the estimate, its standard error over sessions, and its interval: normal for propensities that are given,
            percentiles of a bootstrap that fits them again for fitted ones.
        effective: (Σ w)² / Σ w² over the weights of clicks: the equivalent number of clicks of equal weight (Kish 1965).
        supported: the share of the new ranking's top, over sessions, that those sessions showed. Documents not shown count as not
            relevant, so the estimate is too low if this is below 1.
        sessions: sessions whose query is in the new run; the others are excluded.
    """

    run: str
    measure: str
    estimator: str
    value: float
    error: float
    low: float
    high: float
    effective: float
    supported: float
    sessions: int


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactuals(Result):
    """Estimates for runs that were not shown, one per run, measure and estimator; `source` is the origin of the propensities."""

    estimates: tuple[Counterfactual, ...]
    propensity: tuple[float, ...]
    source: str
    level: float

    def records(self) -> list[dict[str, Any]]:
        """One row per estimate."""
        return [asdict(e) for e in self.estimates]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The estimates with their intervals and support."""
        rows = tuple(
            (
                short_names([e.run], extensions=True)[0],
                e.measure,
                e.estimator,
                number(e.value, places),
                f"[{number(e.low, places)}, {number(e.high, places)}]",
                f"{e.effective:.0f}",
                "–" if np.isnan(e.supported) else f"{e.supported:.0%}",
            )
            for e in self.estimates
        )
        notes = (
            f"{self.estimates[0].sessions} sessions · errors over sessions · propensities: {self.source}",
            "snips is the measure per relevant document: compare it only with other snips values",
        )
        key = "supported: share of the run's top documents that sessions showed; the others count as not relevant"
        interval = f"{self.level:.0%} interval"
        headers = ("run", "measure", "estimator", "value", interval, "effective clicks", "supported")
        return [
            Table(headers, rows, title="estimated from clicks", key=key, notes=notes, words=(0, 1, 2), optional=(5,))
        ]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {"judged": 1, **asdict(self)}


class _NewRanking(NamedTuple):
    """A measure of a ranking that was not shown."""

    run: str
    measure: str
    gain: Floats  # of each pair of the log, if it is relevant
    whole: Floats  # of each session: the value of the measure if every document is relevant
    used: Bools  # sessions whose query the ranking has

    def sums(self, log: ClickLog, estimator: str, propensity: Floats, clip: float) -> tuple[Floats, Floats, Floats]:
        """Return per session the numerator and the denominator of an estimate, and the weight of each row's click."""
        chance = np.maximum(_of_rank(propensity, log.rank), clip)
        clicked = np.where(log.clicked & self.used[log.session], 1.0 / chance, 0.0)
        sessions = len(log.sessions)
        bottom = sums(log.session, clicked, sessions) if estimator == "snips" else self.used.astype(float)
        return sums(log.session, clicked * self.gain[log.pair], sessions), bottom, clicked


def evaluate_from_clicks(
    log: Any,
    runs: Any,
    measures: str | Sequence[str] = "DCG@10 P@10",
    *,
    propensity: Any = None,
    clip: float = 0.0,
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
) -> Counterfactuals:
    """Estimate measures of runs from clicks on other rankings, by ips and snips; docs/guides/clicks.md states the assumptions.

    Args:
        log: any input of `read_clicks`.
        runs: one run, any input of `read_run`; a list of runs; or `{name: run}`.
        measures: DCG and P, with cutoffs: `"DCG@10 P@5"`.
        propensity: the probability that each rank is examined, starting at rank 1; the last one also holds below. None fits
            a position-based model to the log, without a prior, which would pull examination down. A bootstrap then
            refits the model, so that the intervals include its error.
        clip: minimum propensity; smaller ones are raised to it, which reduces the variance and biases the estimate towards 0.
        level: confidence level of the intervals.
        resamples: number of bootstrap resamples if the propensities are fitted.
        seed: random seed of the bootstrap.
    """
    clicks = read_clicks(log)
    parsed = [_parse_measure(word) for word in (measures.split() if isinstance(measures, str) else measures)]
    if not parsed:
        raise UsageError("measure", "no measure given", hint="name one, such as DCG@10")
    check_share(level, "level")
    check_count(resamples, "resamples")
    cells = PositionCells.of(clicks) if propensity is None else None
    if cells is not None:
        with step("fitting pbm"):
            fitted = cells.fit((0.0, 0.0))[0]
        propensity = cells.examination(fitted)
    chances = _check_propensities(propensity, clicks.depth, clip)
    asked = []
    for name, one in named_runs(runs):
        run = read_run(one, name=name)
        ranked = rankings(run)
        place = {(query, doc): rank for query, docs in ranked.items() for rank, doc in enumerate(docs, 1)}
        rank = np.array([place.get(pair, 0) for pair in clicks.pairs.ids()], dtype=np.int64)
        length = np.array([len(ranked.get(query, ())) for query in clicks.pairs.queries], dtype=np.int64)
        length = length[clicks.session_query()]
        if not length.any():
            raise DataError("no-common-query", "run and click log have no query in common", where=clicks.name)
        for measure, k in parsed:
            label = measure if k is None else f"{measure}@{k}"
            each = np.append(0.0, np.cumsum(_gain(measure, np.arange(1, int(length.max()) + 1), k)))
            ranking = _NewRanking(run.name, label, _gain(measure, rank, k), each[length], length > 0)
            asked += [(ranking, estimator) for estimator in PAPERS]
    estimates = [_estimate(clicks, ranking, estimator, chances, clip, level) for ranking, estimator in asked]
    source = "given"
    if cells is not None:
        with step("fitting pbm to resamples"):
            drawn = _refit(cells, fitted, asked, clip, resamples, seed)
        estimates = [_with_bootstrap(e, column, level) for e, column in zip(estimates, drawn.T, strict=True)]
        source = f"fitted to the log (pbm), {resamples} bootstrap fits"
    return Counterfactuals(tuple(estimates), tuple(chances.tolist()), source, level)


def _estimate(
    log: ClickLog, ranking: _NewRanking, estimator: str, chances: Floats, clip: float, level: float
) -> Counterfactual:
    from scipy.special import ndtri

    used = ranking.used
    top, bottom, clicked = ranking.sums(log, estimator, chances, clip)
    value, error = _ratio(top[used], bottom[used])
    reach = float(ndtri(0.5 + level / 2.0)) * error
    total, squares = clicked.sum(), (clicked**2).sum()
    whole, supported = ranking.whole[used].sum(), sums(log.session, ranking.gain[log.pair], len(used))[used].sum()
    return Counterfactual(
        run=ranking.run,
        measure=ranking.measure,
        estimator=estimator,
        value=value,
        error=error,
        low=value - reach,
        high=value + reach,
        effective=float(total**2 / squares) if squares else 0.0,
        supported=float(supported / whole) if whole > 0 else np.nan,
        sessions=int(used.sum()),
    )


def _ratio(top: Floats, bottom: Floats) -> tuple[float, float]:
    """Σ top / Σ bottom with its standard error, by linearisation over independent sessions; NaN if undefined."""
    if not bottom.sum() > 0:
        return np.nan, np.nan
    value, count = top.sum() / bottom.sum(), len(top)
    if count < 2:
        return float(value), np.nan
    rest = top - value * bottom
    return float(value), float(np.sqrt((rest**2).sum() * count / (count - 1)) / bottom.sum())


def _refit(
    cells: PositionCells, fitted: Floats, asked: list[tuple[_NewRanking, str]], clip: float, resamples: int, seed: int
) -> Floats:
    """The estimates of resampled sessions, with propensities that are fitted to each resample: resamples × estimates."""
    log, rng = cells.log, generator(seed)
    sessions = len(log.sessions)
    drawn, start = np.empty((resamples, len(asked))), np.clip(fitted, 1e-6, 1 - 1e-6)
    for b in range(resamples):
        weight = np.bincount(rng.integers(sessions, size=sessions), minlength=sessions).astype(float)
        chances = cells.examination(cells.fit((0.0, 0.0), weight, start)[0])
        least = max(clip, 1e-3 if (chances <= 0).any() else 0.0)  # a rank without clicks in this resample
        for i, (ranking, estimator) in enumerate(asked):
            top, bottom, _ = ranking.sums(log, estimator, chances, least)
            drawn[b, i] = weight @ top / whole if (whole := float(weight @ bottom)) > 0 else np.nan
    return drawn


def _with_bootstrap(estimate: Counterfactual, drawn: Floats, level: float) -> Counterfactual:
    known = drawn[~np.isnan(drawn)]
    if len(known) < 2 or np.isnan(estimate.error):
        return replace(estimate, error=np.nan, low=np.nan, high=np.nan)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return replace(estimate, error=float(known.std(ddof=1)), low=float(low), high=float(high))


def _parse_measure(word: str) -> tuple[str, int | None]:
    found = re.fullmatch(r"(DCG(?=@|$)|P(?=@))(?:@([1-9]\d*))?", str(word), re.IGNORECASE)
    if found is None:
        hint = "use DCG or P, with a cutoff such as DCG@10"
        raise UsageError("measure", f"{shown(word)} cannot be estimated from clicks", value=word, hint=hint)
    return found[1].upper(), int(found[2]) if found[2] else None


def _gain(measure: str, rank: Ints, k: int | None) -> Floats:
    """The gain of a relevant document at each rank: 1 / log2(rank + 1) in DCG, 1 / k in P; 0 for rank 0 (not in the ranking) and beyond k."""
    inside = (rank > 0) & (rank <= (k or rank.max(initial=0)))
    value = 1.0 / np.log2(np.maximum(rank, 1) + 1.0) if measure == "DCG" else np.full(len(rank), 1.0 / (k or 1))
    return np.where(inside, value, 0.0)


def _check_propensities(values: Any, depth: int, clip: float) -> Floats:
    """Return propensities as an array: between 0 and 1, and not 0 at a rank that was shown."""
    chances = np.asarray(values, dtype=np.float64)
    if chances.ndim != 1 or not len(chances) or not ((chances >= 0) & (chances <= 1)).all():
        raise UsageError("parameter", "propensities between 0 and 1, one per rank", got=shown(values), value=values)
    if not 0 <= clip < 1:
        raise UsageError("parameter", f"clip must be at least 0 and below 1, got {clip!r}", value=clip)
    if (np.maximum(_of_rank(chances, np.arange(1, depth + 1)), clip) <= 0).any():
        raise UsageError(
            "parameter",
            "the propensity of a rank that was shown is 0",
            hint=Hint("set a minimum with {clip}", clip=0.01),
        )
    return chances


def _of_rank(values: Floats, rank: NDArray[Any]) -> Floats:
    """Values by rank, starting at rank 1; the last one applies to all ranks below."""
    return values[np.minimum(rank, len(values)) - 1]
