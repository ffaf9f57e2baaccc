"""Coefficients with their standard errors and intervals: in closed form, or from units or queries drawn again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.errors import UsageError, shown
from judged.stats.agreement.ratings import Patterns, Ratings
from judged.stats.agreement.registry import CoefficientRequest
from judged.stats.agreement.resample import by_cluster, resampled
from judged.stats.agreement.sample import Pairing, Sample

__all__ = ["Interval", "Reliability", "by_query", "coefficients", "wilson"]

Interval = Literal["analytic", "units", "queries"]
Seed = int | np.random.Generator

_LEAST = float(np.finfo(float).tiny)  # a p-value below what a number can hold is told as this


@dataclass(frozen=True, slots=True)
class Reliability:
    """One coefficient: its value, how sure it is, and why it is NaN where it is.

    `error` is the standard error by the same method as the interval; `null_error`, `z` and `p` belong to the test of
    chance alone, in closed form, where there is one.
    """

    key: str
    name: str
    value: float
    expected: float  # what chance alone would give; NaN where the coefficient does not say so
    error: float
    low: float
    high: float
    method: str  # of error and interval
    units: int  # that it rests on
    null_error: float = nan
    z: float = nan
    p: float = nan
    undefined: int = 0  # resamples in which it has no value
    reason: str = ""

    def __float__(self) -> float:
        return self.value

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if isnan(self.low) else (self.low, self.high)


def coefficients(
    ratings: Ratings,
    asked: Sequence[CoefficientRequest],
    *,
    interval: Interval = "analytic",
    query: Ints | None = None,
    confidence: float = 0.95,
    seed: Seed = 0,
) -> dict[str, Reliability]:
    """Each coefficient that was asked for, by its key.

    Coefficients of two raters rest on the units that both labelled, the others on all units with a label.

    Args:
        ratings: who gave what.
        asked: the coefficients, see `wanted`.
        interval: in closed form (where there is none, units are drawn again); or units, or whole queries, drawn again.
        query: of each unit, its query; needed where queries are drawn again.
        confidence: of the intervals.
        seed: of the draws.
    """
    check_confidence(confidence)
    if interval == "queries" and (query is None or len(np.unique(query[ratings.rated() >= 2])) < 2):
        interval = "analytic"  # one query cannot say how much queries differ
    keep = ratings.rated() >= (2 if ratings.raters == 2 else 1)
    if not keep.all():
        ratings, query = ratings.take(units=keep), None if query is None else query[keep]
    if any(w.definition.raters == "two" for w in asked) and ratings.raters != 2:
        raise UsageError("coefficient", "a coefficient for any number of raters", got="one for two",
                         hint="take two raters, or use fleiss, conger or alpha")  # fmt: skip
    p = ratings.patterns()
    s, pairing = Sample(p, p.count), {w.key: Pairing(p, w.weights.matrix) for w in asked}
    found = {w.key: _closed(w, s, pairing[w.key], confidence) for w in asked}
    drawn = [w for w in asked if (interval != "analytic" or not found[w.key].method) and not found[w.key].reason]
    cluster = query if interval == "queries" else None
    method = "bootstrap over queries" if interval == "queries" else "bootstrap over units"
    ends = _drawn(p, drawn, pairing, cluster, confidence, seed) if s.shared > 1 else {}
    return {key: replace(c, method=method, **ends[key]) if key in ends else c for key, c in found.items()}


def by_query(
    ratings: Ratings, asked: Sequence[CoefficientRequest], query: Ints
) -> tuple[Ints, Ints, dict[str, Floats]]:
    """The queries that have units with two labels or more, how many, and each coefficient of each query alone."""
    keep = ratings.rated() >= 2
    p, query = ratings.take(units=keep).patterns(), query[keep]
    if not len(query):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), {w.key: np.zeros(0) for w in asked}
    present, blocks = by_cluster(p, query)
    pairing = {w.key: Pairing(p, w.weights.matrix) for w in asked}
    parts: dict[str, list[Floats]] = {w.key: [] for w in asked}
    for block in blocks:
        s = Sample(p, block)
        for w in asked:
            parts[w.key].append(w.definition.value(s, pairing[w.key]))
    units = np.concatenate([block.sum(axis=1) for block in blocks]).astype(np.int64)
    return present, units, {key: np.concatenate(part) for key, part in parts.items()}


def wilson(share: float, n: float, confidence: float) -> tuple[float, float]:
    """The interval of a share of n independent units (Wilson 1927)."""
    z = _normal(confidence)
    centre, away = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (centre - away) / (1 + z * z / n)), min(1.0, (centre + away) / (1 + z * z / n))


def check_confidence(confidence: float) -> None:
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise UsageError("confidence", "a number between 0 and 1", got=shown(confidence), hint="for example 0.95",
                         value=confidence)  # fmt: skip


def _closed(w: CoefficientRequest, s: Sample, pairing: Pairing, confidence: float) -> Reliability:
    """The value, with error and interval in closed form where there is one."""
    d, value = w.definition, float(w.definition.value(s, pairing)) + 0.0  # -0.0 is 0.0
    units = int(s.shared)
    expected = nan if d.chance is None else float(d.chance(s, pairing))
    bare = Reliability(w.key, w.name, value, expected, nan, nan, nan, "", units)
    if isnan(value):
        return replace(bare, reason=_why(w, s))
    if d.error is None or units < 2:
        return bare
    error = d.error(s, pairing, value)
    null = d.null(s, pairing) if d.null is not None else nan
    tested: dict[str, Any] = {"null_error": null, **_test(value, null)} if null > 0 else {}
    if d.key == "raw" and len(s.patterns.codes) == 2 and w.weights.name == "nominal":
        low, high = wilson(value, units, confidence)
        return replace(bare, error=error, low=low, high=high, method="Wilson", **tested)
    n = float(s.shared if d.key in ("raw", "alpha") else s.units)
    away = error * (_normal(confidence) if d.tail == "normal" else _student(confidence, n - 1))
    low, high = max(d.floor, value - away), min(1.0, value + away)
    name = "closed form, normal" if d.tail == "normal" else "closed form, Student's t"
    return replace(bare, error=error, low=low, high=high, method=name, **tested)


def _why(w: CoefficientRequest, s: Sample) -> str:
    if not s.shared:
        return "no unit with two labels"
    used = int((s.total > 0).sum())
    if used < 2:
        return "one category only: chance alone agrees always, so nothing can be said beyond it"
    return "not defined here"


def _test(value: float, null: float) -> dict[str, float]:
    from scipy.special import ndtr

    z = value / null
    return {"z": z, "p": max(float(2 * ndtr(-abs(z))), _LEAST)}


def _normal(confidence: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _student(confidence: float, degrees: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + confidence) / 2))


def _drawn(
    p: Patterns,
    asked: Sequence[CoefficientRequest],
    pairing: dict[str, Pairing],
    cluster: Ints | None,
    confidence: float,
    seed: Seed,
) -> dict[str, dict[str, Any]]:
    """The percentile interval of each, from the same draws."""
    if not asked:
        return {}
    values: dict[str, list[Floats]] = {w.key: [] for w in asked}
    for block in resampled(p, cluster, seed):
        s = Sample(p, block)
        for w in asked:
            values[w.key].append(w.definition.value(s, pairing[w.key]))
    ends: dict[str, dict[str, Any]] = {}
    for key, parts in values.items():
        every = np.concatenate(parts)
        there = every[~np.isnan(every)]
        if len(there) < 2:
            continue
        low, high = np.quantile(there, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
        ends[key] = {"low": low, "high": high, "error": float(there.std(ddof=1)), "undefined": len(every) - len(there)}
    return ends
