"""Corrections of p-values for multiple tests, each declared once.

The command line, comparisons and the documentation take their lists from `CORRECTIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, Hint, UsageError
from judged.registry import Registry

OfSorted = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A correction: a function from ascending p-values to adjusted ones in the same order; None if only a test can
    compute it.

    Adjusted values may exceed 1. `level` gives the level of each test from alpha and the number of tests, for
    single-step corrections: they test all at the same level, so intervals at it hold at once. In others the level of a
    test depends on the other p-values (`levels`).
    """

    name: str
    aliases: tuple[str, ...] = ()
    controls: str
    paper: str
    text: str
    function: OfSorted | None
    level: Callable[[float, int], float] | None = None


def _hommel(p: Floats) -> Floats:
    """Compute Hommel's closed Simes tests by the algorithm of Wright (Biometrics 1992)."""
    n, adjusted = len(p), p.copy()
    for m in range(n, 1, -1):
        least = np.min(m * p[n - m :] / np.arange(1, m + 1))
        bound = np.where(np.arange(n) < n - m, np.minimum(m * p, least), least)
        adjusted = np.maximum(adjusted, bound)
    return adjusted


def _benjamini_yekutieli(p: Floats) -> Floats:
    place = np.arange(1, len(p) + 1)
    return _down(p / (place / len(p) / np.sum(1 / place)))


def _left(p: Floats) -> Floats:
    """Return the number of hypotheses left at each step."""
    return np.arange(len(p), 0, -1).astype(np.float64)


def _any_of(p: Floats, tests: Floats) -> Floats:
    """Return the probability that one of t independent tests has such a p: 1 - (1 - p)ᵗ."""
    with np.errstate(divide="ignore"):  # p = 1
        return -np.expm1(tests * np.log1p(-p))


def _up(p: Floats) -> Floats:
    return np.maximum.accumulate(p)


def _down(p: Floats) -> Floats:
    return np.minimum.accumulate(p[::-1])[::-1]


_FAMILY = "the family-wise error rate"
_DISCOVERY = "the false discovery rate"

CORRECTIONS: Registry[Correction] = Registry("correction")
for _correction in (
    Correction(
        name="holm",
        controls=_FAMILY,
        paper="holm1979",
        function=lambda p: _up(p * _left(p)),
        text="Bonferroni stepwise from the smallest p; more powerful than Bonferroni with the same assumptions",
    ),
    Correction(
        name="max",
        aliases=("max-t", "westfall-young", "single-step"),
        controls=_FAMILY,
        paper="westfall1993",
        function=None,
        text="maximum statistic of all pairs under the same random signs; assumes that runs differ in the mean only",
    ),
    Correction(
        name="bonferroni",
        controls=_FAMILY,
        paper="dunn1961",
        function=lambda p: p * len(p),
        text="p times the number of tests; valid under any dependence",
        level=lambda alpha, tests: alpha / tests,
    ),
    Correction(
        name="hochberg",
        aliases=("simes-hochberg",),
        controls=_FAMILY,
        paper="hochberg1988",
        function=lambda p: _down(p * _left(p)),
        text="Holm's steps from the largest p; assumes independence, or positive dependence",
    ),
    Correction(
        name="hommel",
        controls=_FAMILY,
        paper="hommel1988",
        function=_hommel,
        text="Simes' test of all subsets; assumptions of Hochberg's, and at least as powerful",
    ),
    Correction(
        name="sidak",
        controls=_FAMILY,
        paper="sidak1967",
        function=lambda p: _any_of(p, np.full(len(p), float(len(p)))),
        text="1 - (1 - p) to the number of tests; assumes independence, or positive dependence",
        level=lambda alpha, tests: -math.expm1(math.log1p(-alpha) / tests),
    ),
    Correction(
        name="holm-sidak",
        controls=_FAMILY,
        paper="holland1987",
        function=lambda p: _up(_any_of(p, _left(p))),
        text="Holm's steps with Šidák's bound",
    ),
    Correction(
        name="benjamini-hochberg",
        aliases=("bh", "fdr", "fdr-bh"),
        controls=_DISCOVERY,
        function=lambda p: _down(p / (np.arange(1, len(p) + 1) / len(p))),
        paper="benjamini1995",
        text="assumes independence, or positive dependence",
    ),
    Correction(
        name="benjamini-yekutieli",
        aliases=("by", "fdr-by"),
        controls=_DISCOVERY,
        function=_benjamini_yekutieli,
        paper="benjamini2001",
        text="valid under any dependence",
    ),
    Correction(
        name="none",
        aliases=("raw",),
        controls="nothing",
        paper="",
        function=lambda p: p,
        text="no correction",
        level=lambda alpha, tests: alpha,
    ),
):
    CORRECTIONS.add(_correction)


def adjusted(p: Any, how: str | Correction = "bonferroni", *, most: float = 1.0) -> Floats:
    """Adjust p-values for multiple tests, in the order given; compare each with alpha. NaN stays NaN and is not counted.

    Raises:
        UsageError: an unknown name; or `"max"`, which only the permutation test provides (`TestOutcome.adjusted`).

    >>> adjusted([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])
    """
    chosen = how if isinstance(how, Correction) else CORRECTIONS.find(how)
    if chosen.function is None:
        hint = Hint("use {correction}", correction="bonferroni")
        raise UsageError("correction", f"{chosen.name} is available with the permutation test only", hint=hint)
    try:
        values = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("parameter", f"p-values must be numbers: {error}") from error
    if values.ndim != 1 or (values < 0).any() or (values > 1).any():
        raise DataError("parameter", f"p-values must be one column of numbers from 0 to 1; shape {values.shape}")
    known = np.flatnonzero(~np.isnan(values))
    corrected = np.full(len(values), np.nan)
    if len(known):
        order = known[np.argsort(values[known], kind="stable")]
        corrected[order] = np.minimum(chosen.function(values[order]), most)
    return corrected


def levels(p: Floats, corrected: Floats, how: Correction, alpha: float) -> Floats:
    """Return the level at which each p was tested: p ≤ level exactly where the corrected p is at most alpha.

    A single-step correction tests all at one level. Otherwise the level is alpha · p / corrected p, with a corrected p
    that is not limited to 1.
    """
    count = int(np.count_nonzero(~np.isnan(p)))
    each = alpha * p / corrected if how.level is None else np.full(len(p), how.level(alpha, max(count, 1)))
    return np.where(corrected <= alpha, np.maximum(each, p), np.minimum(each, np.nextafter(p, 0)))
