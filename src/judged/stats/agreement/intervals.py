"""Coefficients with standard errors and intervals: in closed form, or by bootstrap over units or queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import UsageError
from judged.stats.agreement.choices import Interval
from judged.stats.agreement.ratings import Patterns, Ratings
from judged.stats.agreement.registry import CoefficientRequest
from judged.stats.agreement.resample import by_cluster, resample
from judged.stats.agreement.sample import Pairing, Sample
from judged.stats.checks import check_share, possible
from judged.stats.intervals import wilson

Seed = int | np.random.Generator

_FEW = 50  # queries


@dataclass(frozen=True, slots=True)
class Reliability:
    """Value of one coefficient, with its standard error and interval, and the reason if it is NaN.

    `error` is the standard error by the same method as the interval; `null_error`, `z` and `p` belong to the closed-form test
    of chance agreement, for coefficients that have one.
    """

    key: str
    name: str
    value: float
    expected: float  # agreement by chance; NaN for coefficients that do not use it
    error: float
    low: float
    high: float
    method: str  # of error and interval
    units: int  # units with two labels or more
    null_error: float = nan
    z: float = nan
    p: float = nan
    undefined: int = 0  # number of resamples without a value
    reason: str = ""

    def __float__(self) -> float:
        return self.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval; None if it is undefined."""
        return None if isnan(self.low) else (self.low, self.high)


def coefficients(
    ratings: Ratings,
    requests: Sequence[CoefficientRequest],
    *,
    interval: Interval = "analytic",
    query: Ints | None = None,
    confidence: float = 0.95,
    seed: Seed = 0,
) -> dict[str, Reliability]:
    """Compute coefficients and their intervals, by key.

    Coefficients of two raters use the units that both labelled, the others all units with a label.

    Args:
        ratings: labels of all raters.
        requests: coefficients from `parse_coefficient`.
        interval: "analytic" is a closed form, or a bootstrap over units for coefficients without one; "units" is a bootstrap; "queries" is a
            bootstrap over queries, or below 50 queries a jackknife with Student's t.
        query: query of each unit, for a bootstrap over queries.
        confidence: confidence level.
        seed: random seed.
    """
    check_share(confidence, "confidence")
    if interval == "queries" and (query is None or len(np.unique(query[ratings.rated() >= 2])) < 2):
        interval = "analytic"  # the variation between queries cannot be estimated from one
    keep = ratings.rated() >= (2 if ratings.raters == 2 else 1)
    if not keep.all():
        ratings, query = ratings.take(units=keep), None if query is None else query[keep]
    if any(w.definition.raters == "two" for w in requests) and ratings.raters != 2:
        raise UsageError(
            "coefficient",
            f"a coefficient of two raters cannot be computed for {ratings.raters}",
            hint="use fleiss, conger or alpha",
        )
    p = ratings.patterns()
    s, pairing = Sample(p, p.count), {w.key: Pairing(p, w.weights.matrix) for w in requests}
    closed = {w.key: _closed_form(w, s, pairing[w.key], confidence) for w in requests}
    drawn = [w for w in requests if (interval != "analytic" or not closed[w.key].method) and not closed[w.key].reason]
    cluster = query if interval == "queries" else None
    method = "bootstrap over queries" if interval == "queries" else "bootstrap over units"
    if cluster is not None and len(np.unique(cluster)) < _FEW:
        method, ends = (
            "jackknife over queries, Student's t",
            _jackknife_intervals(p, drawn, pairing, cluster, confidence),
        )
    else:
        ends = _bootstrap_intervals(p, drawn, pairing, cluster, confidence, seed) if s.shared > 1 else {}
    return {key: replace(c, method=method, **ends[key]) if key in ends else c for key, c in closed.items()}


def by_query(
    ratings: Ratings, requests: Sequence[CoefficientRequest], query: Ints
) -> tuple[Ints, Ints, dict[str, Floats]]:
    """Return the queries that have units with two labels or more, the number of such units, and the coefficients per query."""
    keep = ratings.rated() >= 2
    p, query = ratings.take(units=keep).patterns(), query[keep]
    if not len(query):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), {w.key: np.zeros(0) for w in requests}
    present, blocks = by_cluster(p, query)
    pairing = {w.key: Pairing(p, w.weights.matrix) for w in requests}
    parts: dict[str, list[Floats]] = {w.key: [] for w in requests}
    for block in blocks:
        s = Sample(p, block)
        for w in requests:
            parts[w.key].append(w.definition.value(s, pairing[w.key]))
    units = np.concatenate([block.sum(axis=1) for block in blocks]).astype(np.int64)
    return present, units, {key: np.concatenate(part) for key, part in parts.items()}


def _closed_form(w: CoefficientRequest, s: Sample, pairing: Pairing, confidence: float) -> Reliability:
    """Compute the value, with error and interval if the coefficient has closed forms."""
    d, value = w.definition, float(w.definition.value(s, pairing)) + 0.0  # -0.0 is 0.0
    units = int(s.shared)
    expected = nan if d.chance is None else float(d.chance(s, pairing))
    bare = Reliability(w.key, w.name, value, expected, nan, nan, nan, "", units)
    if isnan(value):
        return replace(bare, reason=_undefined_reason(w, s))
    if d.error is None or units < 2:
        return bare
    error = d.error(s, pairing, value)
    null = d.null(s, pairing) if d.null is not None else nan
    tested: dict[str, Any] = {"null_error": null, **_test(value, null)} if null > 0 else {}
    if d.name == "raw" and len(s.patterns.codes) == 2 and w.weights.name == "nominal":
        low, high = wilson(value, units, confidence)
        return replace(bare, error=error, low=low, high=high, method="Wilson", **tested)
    n = float(s.shared if d.name in ("raw", "alpha") else s.units)
    away = error * (_normal(confidence) if d.tail == "normal" else _student(confidence, n - 1))
    low, high = max(d.floor, value - away), min(1.0, value + away)
    name = "closed form, normal" if d.tail == "normal" else "closed form, Student's t"
    return replace(bare, error=error, low=low, high=high, method=name, **tested)


def _undefined_reason(w: CoefficientRequest, s: Sample) -> str:
    if not s.shared:
        return "no unit with two labels"
    used = int((s.total > 0).sum())
    if used < 2:
        return "only one category was used, so chance agreement is 1"
    return "not defined here"


def _test(value: float, null: float) -> dict[str, float]:
    from scipy.special import ndtr

    z = value / null
    return {"z": z, "p": possible(2 * ndtr(-abs(z)))}


def _normal(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _student(confidence: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def _jackknife_intervals(
    p: Patterns, requests: Sequence[CoefficientRequest], pairing: dict[str, Pairing], cluster: Ints, confidence: float
) -> dict[str, dict[str, Any]]:
    """Intervals from the values without each query: with few queries those of a bootstrap are too narrow."""
    present, blocks = by_cluster(p, cluster)
    n, ends = len(present), {}
    for w in requests:
        value = float(w.definition.value(Sample(p, p.count), pairing[w.key]))
        without = np.concatenate([w.definition.value(Sample(p, p.count - block), pairing[w.key]) for block in blocks])
        known = without[~np.isnan(without)]
        if len(known) < 2:
            continue
        error = sqrt((n - 1) / n * float(((known - known.mean()) ** 2).sum()))
        away = error * _student(confidence, n - 1)
        low, high = max(w.definition.floor, value - away), min(1.0, value + away)
        ends[w.key] = {"low": low, "high": high, "error": error, "undefined": n - len(known)}
    return ends


def _bootstrap_intervals(
    p: Patterns,
    requests: Sequence[CoefficientRequest],
    pairing: dict[str, Pairing],
    cluster: Ints | None,
    confidence: float,
    seed: Seed,
) -> dict[str, dict[str, Any]]:
    """Percentile intervals of all coefficients from the same resamples."""
    if not requests:
        return {}
    values: dict[str, list[Floats]] = {w.key: [] for w in requests}
    for block in resample(p, cluster, seed):
        s = Sample(p, block)
        for w in requests:
            values[w.key].append(w.definition.value(s, pairing[w.key]))
    ends: dict[str, dict[str, Any]] = {}
    for key, parts in values.items():
        every = np.concatenate(parts)
        defined = every[~np.isnan(every)]
        if len(defined) < 2:
            continue
        low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
        ends[key] = {
            "low": low,
            "high": high,
            "error": float(defined.std(ddof=1)),
            "undefined": len(every) - len(defined),
        }
    return ends
