"""Corrections of the p-values of several tests: each is declared once and found by name.

The command line, comparisons and the documentation take their lists from `CORRECTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, UsageError
from judged.registry import Registry

__all__ = ["CORRECTIONS", "Correction", "adjusted"]

OfSorted = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A correction: from p-values in rising order to adjusted ones in the same order; None where a test must do it itself."""

    name: str
    aliases: tuple[str, ...] = ()
    controls: str
    paper: str
    text: str
    function: OfSorted | None


def _bonferroni(p: Floats) -> Floats:
    return p * len(p)


def _sidak(p: Floats) -> Floats:
    return _any_of(p, np.full(len(p), float(len(p))))


def _holm(p: Floats) -> Floats:
    return _up(p * _left(p))


def _holm_sidak(p: Floats) -> Floats:
    return _up(_any_of(p, _left(p)))


def _hochberg(p: Floats) -> Floats:
    return _down(p * _left(p))


def _hommel(p: Floats) -> Floats:
    """Wright's algorithm (Biometrics 1992) for Hommel's closed Simes tests."""
    n, found = len(p), p.copy()
    for m in range(n, 1, -1):
        least = np.min(m * p[n - m :] / np.arange(1, m + 1))
        bound = np.where(np.arange(n) < n - m, np.minimum(m * p, least), least)
        found = np.maximum(found, bound)
    return found


def _benjamini_hochberg(p: Floats) -> Floats:
    return _down(p / (np.arange(1, len(p) + 1) / len(p)))


def _benjamini_yekutieli(p: Floats) -> Floats:
    place = np.arange(1, len(p) + 1)
    return _down(p / (place / len(p) / np.sum(1 / place)))


def _left(p: Floats) -> Floats:
    """The number of hypotheses left at each step down."""
    return np.arange(len(p), 0, -1).astype(np.float64)


def _any_of(p: Floats, tests: Floats) -> Floats:
    """The probability that any of t independent tests has such a p: 1 - (1 - p)ᵗ."""
    with np.errstate(divide="ignore"):  # p = 1
        return -np.expm1(tests * np.log1p(-p))


def _up(p: Floats) -> Floats:
    return np.maximum.accumulate(p)


def _down(p: Floats) -> Floats:
    return np.minimum.accumulate(p[::-1])[::-1]


_FAMILY = "the chance of any false finding"
_DISCOVERY = "the share of false findings among the findings"

CORRECTIONS: Registry[Correction] = Registry("correction")
for _correction in (
    Correction(
        name="holm", controls=_FAMILY, paper="Holm, Scandinavian Journal of Statistics 1979", function=_holm,
        text="Bonferroni step by step, from the smallest p; never worse than Bonferroni, and assumes as little",
    ),
    Correction(
        name="max", aliases=("max-t", "westfall-young", "single-step"), controls=_FAMILY, paper="Westfall and Young, 1993", function=None,
        text="the largest statistic of all pairs under the same random signs; uses how pairs depend on each other",
    ),
    Correction(
        name="bonferroni", controls=_FAMILY, paper="Dunn, JASA 1961", function=_bonferroni, text="p times the number of tests",
    ),
    Correction(
        name="hochberg", aliases=("simes-hochberg",), controls=_FAMILY, paper="Hochberg, Biometrika 1988", function=_hochberg,
        text="Holm's steps from the largest p; assumes independence, or positive dependence",
    ),
    Correction(
        name="hommel", controls=_FAMILY, paper="Hommel, Biometrika 1988", function=_hommel,
        text="all subsets by Simes' test; assumes what Hochberg's assumes, and finds no less",
    ),
    Correction(
        name="sidak", controls=_FAMILY, paper="Šidák, JASA 1967", function=_sidak,
        text="1 - (1 - p) to the number of tests; assumes independence, or positive dependence",
    ),
    Correction(
        name="holm-sidak", controls=_FAMILY, paper="Holland and Copenhaver, Biometrics 1987", function=_holm_sidak,
        text="Holm's steps with Šidák's bound",
    ),
    Correction(
        name="benjamini-hochberg", aliases=("bh", "fdr", "fdr-bh"), controls=_DISCOVERY, function=_benjamini_hochberg,
        paper="Benjamini and Hochberg, JRSS B 1995", text="assumes independence, or positive dependence",
    ),
    Correction(
        name="benjamini-yekutieli", aliases=("by", "fdr-by"), controls=_DISCOVERY, function=_benjamini_yekutieli,
        paper="Benjamini and Yekutieli, Annals of Statistics 2001", text="holds under any dependence",
    ),
    Correction(name="none", aliases=("raw",), controls="nothing", paper="", function=lambda p: p, text="p as it is"),
):  # fmt: skip
    CORRECTIONS.add(_correction)


def adjusted(p: Any, how: str | Correction = "holm") -> Floats:
    """Adjusted p-values, in the order given: compare each with alpha. Those that are missing (NaN) stay so, and are not counted.

    Raises:
        UsageError: an unknown name; or `"max"`, which only the permutation test can give (`Outcome.adjusted`).

    >>> adjusted([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    chosen = how if isinstance(how, Correction) else CORRECTIONS.find(how)
    if chosen.function is None:
        raise UsageError(
            "correction", f"{chosen.name} comes with the permutation test only", hint="holm works with any test"
        )
    try:
        given = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("p-value", "p-values", got=f"something else ({error})") from error
    if given.ndim != 1 or (given < 0).any() or (given > 1).any():
        raise DataError("p-value", "one column of p-values from 0 to 1", got=f"the shape {given.shape}, or others")
    there = np.flatnonzero(~np.isnan(given))
    found = np.full(len(given), np.nan)
    if len(there):
        order = there[np.argsort(given[there], kind="stable")]
        found[order] = np.minimum(chosen.function(given[order]), 1.0)
    return found
