"""Estimators of the value of a new ranking from clicks on an old one, by inverse propensity weights.

A click at rank r is observed with the probability p_r that the user examines r. Weighting it by 1 / p_r compensates for clicks
that were not observed (Joachims, Swaminathan and Schnabel, WSDM 2017). With λ(d) the gain of a relevant document at its
rank in the new ranking, each session gives

    IPS:    Σ over clicked d of λ(d) / p(rank shown)

whose mean over sessions is unbiased for Σ over d of P(relevant) · λ(d), as long as every document of the new ranking's top was
shown with p > 0, and clicks follow the position-based model. The self-normalised estimate

    SNIPS:  Σ over all clicks of λ(d) / p   ÷   Σ over all clicks of 1 / p

(Swaminathan and Joachims, NIPS 2015, for weights in general) is the mean of λ over relevant documents: the measure per relevant
document. It does not change if all propensities are wrong by one factor, and varies less; its bias is O(1 / sessions). The doubly robust
estimate (Oosterhuis, TOIS 2023), with ρ(d) the mean of p over the sessions of the query, 0 where d was not shown, and â(d) the
clicks on d by the clicks that a relevant document would have got at its ranks,

    DR:     Σ over d of λ(d) â(d)  +  Σ over shown d of λ(d) (clicked - p â(d)) / ρ(d)

varies less than IPS, and does not count a document as irrelevant in the sessions that did not show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.clicks.data.log import ClickLog, sums
from judged.errors import DataError, Hint, UsageError, shown
from judged.stats.checks import check_share

Worth = Literal["DCG", "P", "CTR"]
PAPERS = {"ips": "joachims2017", "dr": "oosterhuis2023", "snips": "swaminathan2015", "naive": ""}
ESTIMATORS = tuple(PAPERS)


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """An estimate for a ranking that was not shown.

    Attributes:
        value, error, low, high: the estimate, its standard error over sessions (or queries), and its interval: normal for propensities
            that are given, percentiles of a bootstrap that fits them again for fitted ones.
        effective: (Σ w)² / Σ w² over the weights of clicks: the equivalent number of clicks of equal weight (Kish 1965).
        supported: the share of the new ranking's top, over sessions, that those sessions showed. Documents not shown count as not
            relevant, so the estimate is too low if this is below 1.
        sessions: sessions whose query is in the new run; the others are excluded (`left_out`).
        clipped: clicks whose propensity was raised to `clip`.
    """

    measure: str
    estimator: str
    value: float
    error: float
    low: float
    high: float
    effective: float
    supported: float
    sessions: int
    left_out: int
    clipped: int


def worth(measure: Worth, rank: Ints, k: int | None, propensity: Floats | None = None) -> Floats:
    """The gain of a relevant document at each rank; 0 for rank 0 (not in the ranking) and beyond k.

    DCG: 1 / log2(rank + 1); P: 1 / k; CTR: the propensity of that rank, so that the sum is the expected number of clicks.
    """
    inside = (rank > 0) & (rank <= (k or rank.max(initial=0)))
    if measure == "DCG":
        value = 1.0 / np.log2(np.maximum(rank, 1) + 1.0)
    elif measure == "P":
        if k is None:
            raise UsageError("cutoff", "P needs a cutoff", hint="write P@10")
        value = np.full(len(rank), 1.0 / k)
    elif measure == "CTR":
        if propensity is None:
            raise UsageError("propensity", "CTR needs propensities")
        value = of_rank(propensity, np.maximum(rank, 1))
    else:
        raise UsageError("parameter", f"measure must be DCG, P or CTR, got {shown(measure)}", value=measure)
    return np.where(inside, value, 0.0)


@dataclass(frozen=True, slots=True)
class NewRanking:
    """A measure of a ranking that was not shown: the new rank of each pair of the log (0 for none), and the length of the ranking by query."""

    log: ClickLog
    rank: Ints
    length: Ints
    measure: Worth = "DCG"
    k: int | None = None

    @property
    def used(self) -> Bools:
        """True for the sessions whose query the new run has."""
        return self.length[self.log.session_query()] > 0

    def sums(
        self, estimator: str, propensity: Floats, clip: float, weight: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return per session the numerator and the denominator of an estimate, and the weight of each row's click.

        `weight` has the number of times that each session counts, 1 by default; only the exposure of `dr` depends on it.
        """
        log, used = self.log, self.used
        chance = np.maximum(of_rank(propensity, log.rank), clip)
        gain = worth(self.measure, self.rank, self.k, propensity)
        value = np.ones(len(log)) if estimator == "naive" else 1.0 / chance
        clicked = np.where(log.clicked & used[log.session], value, 0.0)
        sessions = len(log.sessions)
        bottom = sums(log.session, clicked, sessions) if estimator == "snips" else used.astype(float)
        top = (
            self._doubly_robust(gain, chance, weight)
            if estimator == "dr"
            else sums(log.session, clicked * gain[log.pair], sessions)
        )
        return np.where(used, top, 0.0), bottom, clicked

    def _doubly_robust(self, gain: Floats, chance: Floats, weight: Floats | None) -> Floats:
        log, query = self.log, self.log.session_query()
        times = np.ones(len(log.sessions)) if weight is None else weight
        rows, size = times[log.session], len(log.pairs)
        seen, clicks = sums(log.pair, rows * chance, size), sums(log.pair, rows * log.clicked, size)
        relevance = np.divide(clicks, seen, out=np.zeros(size), where=seen > 0)
        exposure = seen / np.maximum(sums(query, times, len(log.pairs.queries)), 1)[log.pairs.query]
        scale = np.divide(gain, exposure, out=np.zeros(size), where=exposure > 0)
        predicted = sums(log.pairs.query, gain * relevance, len(log.pairs.queries))[query]
        return predicted + sums(
            log.session, scale[log.pair] * (log.clicked - chance * relevance[log.pair]), len(log.sessions)
        )


def counterfactual(
    ranking: NewRanking,
    propensity: Floats,
    *,
    estimator: str = "ips",
    clip: float = 0.0,
    by: str = "session",
    level: float = 0.95,
) -> Counterfactual:
    """Estimate a measure of a new ranking from a log, with propensities that are known.

    Args:
        ranking: the log and the new ranking.
        propensity: the examination probability of each rank, starting at rank 1; the last one applies to all ranks below.
        estimator: `"ips"`, `"dr"`, `"snips"`, or `"naive"`, which uses clicks without weights.
        clip: lowest propensity; smaller ones are raised to it: less variance, and a bias towards 0.
        by: the independent units: `"session"`, or `"query"` to group the sessions of a query.
        level: confidence level of the interval.
    """
    check_share(level, "level", slug="parameter")
    if estimator not in ESTIMATORS or by not in ("session", "query"):
        problem = (
            f"estimator must be one of {', '.join(ESTIMATORS)}, and by session or query; got {estimator!r} and {by!r}"
        )
        raise UsageError("parameter", problem)
    log, used = ranking.log, ranking.used
    chances = check_propensities(propensity, log.depth, clip)
    if not used.any():
        raise DataError("no-common-query", "run and click log have no query in common", where=log.name)
    top, bottom, clicked = ranking.sums(estimator, chances, clip)
    query = log.session_query()
    value, error = _mean(top[used], bottom[used], query[used] if by == "query" else None)
    from scipy.special import ndtri

    reach = float(ndtri(0.5 + level / 2.0)) * error
    total, squares = clicked.sum(), (clicked**2).sum()
    measure, k, gain = ranking.measure, ranking.k, worth(ranking.measure, ranking.rank, ranking.k, chances)
    return Counterfactual(
        measure=measure if k is None else f"{measure}@{k}",
        estimator=estimator,
        value=value,
        error=error,
        low=value - reach,
        high=value + reach,
        effective=float(total**2 / squares) if squares else 0.0,
        supported=_support(log, gain, _whole(measure, ranking.length, k, chances)[query][used], used),
        sessions=int(used.sum()),
        left_out=int((~used).sum()),
        clipped=int((log.clicked & (of_rank(chances, log.rank) < clip)).sum()),
    )


def _mean(top: Floats, bottom: Floats, group: NDArray[Any] | None) -> tuple[float, float]:
    """Σ top / Σ bottom with its standard error, by linearisation over independent units; NaN if undefined."""
    if group is not None:
        groups = int(group.max()) + 1
        top, bottom = sums(group, top, groups), sums(group, bottom, groups)
        top, bottom = top[bottom > 0], bottom[bottom > 0]
    if not bottom.sum() > 0:
        return np.nan, np.nan
    value = top.sum() / bottom.sum()
    count = len(top)
    if count < 2:
        return float(value), np.nan
    rest = top - value * bottom
    return float(value), float(np.sqrt((rest**2).sum() * count / (count - 1)) / bottom.sum())


def _support(log: ClickLog, gain: Floats, whole: Floats, used: Bools) -> float:
    """The share of the new ranking's top, weighted by gain, that the sessions showed."""
    shown_part = sums(log.session, gain[log.pair], len(log.sessions))[used].sum()
    return float(shown_part / whole.sum()) if whole.sum() > 0 else np.nan


def _whole(measure: Worth, length: Ints, k: int | None, propensity: Floats) -> Floats:
    """The value of the measure if every document of a query's new ranking is relevant."""
    ranks = np.arange(1, int(length.max(initial=0)) + 1)
    return np.append(0.0, np.cumsum(worth(measure, ranks, k, propensity)))[length]


def check_propensities(values: Floats, depth: int, clip: float) -> Floats:
    """Return propensities as an array: between 0 and 1, and not 0 at a rank that was shown."""
    chances = np.asarray(values, dtype=np.float64)
    if chances.ndim != 1 or not len(chances) or not ((chances >= 0) & (chances <= 1)).all():
        raise UsageError("propensity", "propensities between 0 and 1, one per rank", got=shown(values), value=values)
    if not 0 <= clip < 1:
        raise UsageError("propensity", f"clip must be at least 0 and below 1, got {clip!r}", value=clip)
    if (np.maximum(of_rank(chances, np.arange(1, depth + 1)), clip) <= 0).any():
        raise UsageError(
            "propensity",
            "the propensity of a rank that was shown is 0",
            hint=Hint("set a minimum with {clip}", clip=0.01),
        )
    return chances


def of_rank(values: Floats, rank: NDArray[Any]) -> Floats:
    """Values by rank, starting at rank 1; the last one applies to all ranks below."""
    return values[np.minimum(rank, len(values)) - 1]
