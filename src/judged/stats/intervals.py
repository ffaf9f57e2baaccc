"""Summaries over queries, and confidence intervals of means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.errors import DataError, UsageError
from judged.stats.checks import check_choice, check_count, check_share, finite, no_weights
from judged.stats.differences import mean_and_error, sum_by_cluster, weighted_mean_and_error
from judged.stats.student_t import two_sided_quantile

FLOOR = 0.00001  # smaller values count as this in a geometric mean, as in trec_eval


def total(x: Floats) -> float:
    """Sum the values one after the other, so that the result depends on the order of queries only, not on the machine."""
    return float(np.add.accumulate(x)[-1]) if len(x) else 0.0


def mean(x: Floats) -> float:
    """Return the arithmetic mean.

    >>> mean(np.array([1.0, 0.5]))
    0.75
    """
    return total(x) / len(x) if len(x) else float("nan")


def geometric_mean(x: Floats) -> float:
    """Return the geometric mean; values below 0.00001 count as 0.00001."""
    return float(np.exp(mean(np.log(np.maximum(x, FLOOR)))))


SUMMARIES: dict[str, Callable[[Floats], float]] = {
    "mean": mean,
    "sum": total,
    "geometric": geometric_mean,
    "median": lambda x: float(np.median(x)) if len(x) else float("nan"),
    "min": lambda x: float(np.min(x, initial=np.inf)),
    "max": lambda x: float(np.max(x, initial=-np.inf)),
    "std": lambda x: float(np.std(x, ddof=1)) if len(x) > 1 else float("nan"),
}


def summarise(x: NDArray[Any], how: str, weights: Floats | None = None) -> float:
    """Summarise a column by the function of this name; NaN values are left out.

    With weights a mean is Σ w·x / Σ w, and a geometric mean that of the logarithms. Sums and extremes do not depend on weights.

    Raises:
        UsageError: `query-weights`: weights for a summary that has no weighted form here.
    """
    if how not in SUMMARIES:
        raise UsageError("summary", f"summary must be one of {', '.join(SUMMARIES)}, got {how!r}", value=how)
    known = ~np.isnan(x)
    if weights is None or how in ("sum", "min", "max"):
        return SUMMARIES[how](x[known])
    if how not in ("mean", "geometric"):
        raise no_weights(f"the summary {how}")
    if how == "geometric":
        return float(np.exp(summarise(np.log(np.maximum(x, FLOOR)), "mean", weights)))
    w = weights[known]
    w = np.ldexp(
        w, -np.frexp(w.max(initial=0.0))[1]
    )  # by a power of two, which keeps the bits: sums of weights stay in range
    return total(w * x[known]) / total(w) if w.any() else float("nan")


# ── intervals ─────────────────────────────────────────────────────────────────────────────────────

Ends = tuple[float, float] | None
Method = Literal["t", "bootstrap-t", "percentile"]

PAPERS = {
    "t": "student1908",
    "wilson": "wilson1927",
    "bootstrap-t": "hall1988",
    "percentile": "efron1979",
}
_RESAMPLES = {"percentile": 2_000, "bootstrap-t": 10_000}  # the last one uses more extreme quantiles
_DRAWS = {"percentile": 20_000_000, "bootstrap-t": 100_000_000}  # with more queries, fewer are as stable
_COLUMNS = 256  # resampled at a time
_ROUNDING = 1e-9  # values outside the range of a measure by no more are rounded


def wilson(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the interval of a proportion of n independent units (Wilson 1927).

    >>> [round(end, 3) for end in wilson(1.0, 200, 0.95)]
    [0.981, 1.0]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    centre, away = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (centre - away) / (1 + z * z / n), (centre + away) / (1 + z * z / n)
    return (0.0 if share == 0 else max(0.0, low)), (1.0 if share == 1 else min(1.0, high))


def interval(
    columns: Sequence[Any] | Floats,
    method: Method = "t",
    *,
    confidence: float = 0.95,
    seed: int = 0,
    clusters: Any = None,
    resamples: int | None = None,
    limits: Sequence[Ends] | None = None,
) -> list[Ends]:
    """Return the interval of the mean of each column (values or differences); None for fewer than two queries or
    clusters.

    A table is read as queries × columns. Missing values (NaN) are left out, column by column.

    - `"t"`: mean and standard error, by Student's t. If `limits` says that values are from 0 to 1 and every value is 0
      or 1, the interval is Wilson's (1927): 200 successes of 200 give 0.981 to 1.
    - `"bootstrap-t"`: mean and standard error, by the distribution of |t| in resamples (Hall, JRSS B 1988): wider than
      t for skewed or sparse values. 10,000 resamples.
    - `"percentile"`: quantiles of the means of resampled queries (Efron 1979). 2,000 resamples.

    Above 10,000 queries there are fewer resamples, and at least 200. With `clusters` (a code per query) whole clusters
    are resampled, and the mean of a resample is the ratio of its sum to its number of queries. The t interval uses the
    standard error CR2 with Satterthwaite's degrees of freedom (`stats/differences.py`). `limits` is the range of each
    column, None if it has none; ends are kept within it if the values are. A column without variance has an interval of width 0; with t
    and bootstrap-t only if n equal values are evidence, 2 / 2ⁿ ≤ 1 - confidence, and none otherwise. The same values
    and seed give the same interval on every machine.

    >>> [low, high] = interval([[0.0, 1.0, 1.0, 1.0]])[0]
    >>> round(low, 4), round(high, 4)  # 3/4 ± 3.1824 · 1/4
    (-0.0456, 1.5456)
    """
    check_choice(method, Method, "interval", slug="interval")
    level = check_share(confidence, "confidence")
    if resamples is not None:
        check_count(resamples, "resamples")
    rows = columns.T if isinstance(columns, np.ndarray) and columns.ndim == 2 else columns
    try:
        series = [np.asarray(x, dtype=np.float64) for x in rows]
    except (TypeError, ValueError) as problem:
        raise DataError("table", f"not columns of numbers: {problem}") from problem
    codes = None if clusters is None else np.asarray(clusters)
    for x in series:
        if x.ndim != 1 or np.isinf(x).any():
            raise DataError("table", f"columns must be one-dimensional and finite; one has shape {x.shape}")
        if codes is not None and codes.shape != x.shape:
            raise DataError("lengths", f"one cluster for each of {len(x)} queries", got=f"shape {codes.shape}")
    known = [~np.isnan(x) for x in series]
    groups: dict[bytes | int, list[int]] = {}
    for i, there in enumerate(known):  # columns with the same queries share their resamples
        groups.setdefault(int(there.sum()) if codes is None else there.tobytes(), []).append(i)
    intervals: list[Ends] = [None] * len(series)
    for which in groups.values():
        for at in range(0, len(which), _COLUMNS):
            part = which[at : at + _COLUMNS]
            table = finite(np.stack([series[i][known[i]] for i in part], axis=1))
            own = None if codes is None else codes[known[part[0]]]
            for i, ends in zip(part, _ends(table, own, method, level, seed, resamples), strict=True):
                intervals[i] = ends
    if limits is None:
        return intervals
    for i, (x, there, limit) in enumerate(zip(series, known, limits, strict=True)):
        x = x[there]
        binary = method == "t" and codes is None and limit == (0, 1) and ((x == 0) | (x == 1)).all()
        if len(x) > 1:
            intervals[i] = wilson(float(x.mean()), len(x), level) if binary else within(intervals[i], limit, x)
    return intervals


def within(ends: Ends, limit: Ends, x: Floats | None = None) -> Ends:
    """Keep the ends of an interval within the range of a measure, unless values x are outside it, as with negative gains."""
    if ends is None or limit is None:
        return ends
    if x is not None and len(x) and (x.min() < limit[0] - _ROUNDING or x.max() > limit[1] + _ROUNDING):
        return ends
    return max(limit[0], ends[0]), min(limit[1], ends[1])


def _ends(x: Floats, codes: Any, method: Method, level: float, seed: int, resamples: int | None) -> list[Ends]:
    """Compute the intervals of complete columns, queries × columns."""
    sums, sizes = sum_by_cluster(x, codes)
    if len(sizes) < 2:
        return [None] * x.shape[1]
    count = 0 if method == "t" else resamples or max(200, min(_RESAMPLES[method], _DRAWS[method] // len(sizes)))
    if method == "percentile":
        from judged.core.resample import resampled_means  # most intervals are those of t

        drawn = resampled_means(sums if codes is None else np.hstack([sums, sizes[:, None]]), count, seed)
        means = drawn if codes is None else drawn[:, :-1] / drawn[:, -1:]
        low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    else:
        mean, error, df, constant = mean_and_error(sums, sizes, reduced_bias=True)
        if method == "t":
            reach = two_sided_quantile((1 - level,), df) * error
        else:
            from judged.stats.paired.parametric import bootstrap_reaches

            rank = max(1, math.floor((1 - level) * (1 + count)))  # the least number of resamples that a mean needs
            reach = np.partition(bootstrap_reaches(sums, sizes, count, seed), count - rank, axis=0)[count - rank]
        reach = np.where(constant, 0.0 if 2.0 ** (1 - len(sizes)) <= 1 - level else np.inf, reach)
        low, high = mean - reach, mean + reach
    return [ends if math.isfinite(ends[0]) else None for ends in zip(low.tolist(), high.tolist(), strict=True)]


def weighted_interval(x: Floats, weights: Floats, *, level: float = 0.95) -> tuple[float, float] | None:
    """Return Student's t interval of the weighted mean Σ w·x / Σ w; None for fewer than two queries of positive weight.

    Few queries of large weight count like few queries, see `weighted_mean_and_error`. Equal weights give the usual t interval. Missing values (NaN) are left out.

    >>> low, high = weighted_interval(np.array([0.0, 1.0, 1.0, 1.0]), np.ones(4))
    >>> round(low, 4), round(high, 4)  # 3/4 ± 3.1824 · 1/4
    (-0.0456, 1.5456)
    """
    counts = ~np.isnan(x) & (weights > 0)
    if counts.sum() < 2:
        return None
    mean, error, df = weighted_mean_and_error(x[counts, None], weights[counts])
    half = float(two_sided_quantile((1 - level,), df)[0] * error[0])
    return float(mean[0]) - half, float(mean[0]) + half
