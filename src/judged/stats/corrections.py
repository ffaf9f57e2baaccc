"""Corrections of p-values for multiple tests, each declared once.

The command line, comparisons and the documentation take their lists from `CORRECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, Hint, UsageError
from judged.registry import Registry


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
    function: Callable[[Floats], Floats] | None
    level: Callable[[float, int], float] | None = None


def _benjamini_yekutieli(p: Floats) -> Floats:
    place = np.arange(1, len(p) + 1)
    return _down(p / (place / len(p) / np.sum(1 / place)))


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
        function=lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1.0)),
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
