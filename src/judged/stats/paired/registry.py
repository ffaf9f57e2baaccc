"""Tests of paired differences: each is declared once, in the file of its function, and found by name.

The command line, the documentation, the page and all messages use `TESTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import UsageError
from judged.registry import Registry
from judged.stats.differences import TestOutcome, differences, pairwise, totals, weighted_mean
from judged.stats.two_phase import FEWEST, two_phase_means


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """A test of differences d = b - a, queries × pairs.

    Args:
        name: the name by which it is chosen.
        aliases: other names.
        title: name in sentences.
        null: null hypothesis.
        assumes: assumptions of its p-values.
        paper: reference.
        function: computes a `TestOutcome` from differences.
        interval: `(d, p, level, **options) -> (low, high)`: the mean differences that the two-sided test does not reject
            at the level of each column, infinite if it cannot reject any. 0 is outside exactly where p ≤ level, with the p
            of `function` for the same options. None if the test is not about the mean (see `interval_of`).
        options: keyword options of the function.
        of_pairs: the same from values of queries × systems and pairs of columns, if that is faster.
        direction: direction of the tested quantity, per pair; None if it is that of the mean.
        flips_signs: True if the smallest p of n queries (or clusters) is 2 / 2ⁿ.
        corrects: True if the outcome has p-values corrected over all pairs (`max`).
    """

    name: str
    aliases: tuple[str, ...] = ()
    title: str
    null: str
    assumes: str
    paper: str
    function: Callable[..., TestOutcome]
    interval: Callable[..., tuple[Floats, Floats]] | None = None
    options: tuple[str, ...] = ()
    of_pairs: Callable[..., TestOutcome] | None = None
    direction: Callable[[Floats], Floats] | None = None
    flips_signs: bool = False
    corrects: bool = False


TESTS: Registry[PairTest] = Registry("test", package="judged.stats.paired")


def outcome(d: Any, test: str | PairTest = "t", **options: Any) -> TestOutcome:
    """Test differences d = b - a, one column or queries × pairs.

    An option of None has the default of the test. All tests accept a seed; only random ones use it.

    Raises:
        UsageError: an unknown test, or an option that it does not have.

    >>> outcome([0.1, 0.2, 0.3, 0.4], "t").p.round(4)
    array([0.0305])
    """
    chosen = test if isinstance(test, PairTest) else TESTS.find(test)
    return chosen.function(d, **own_options(chosen, options))


def interval_of(
    d: Any, test: str | PairTest = "t", *, level: Any = 0.05, p: Floats | None = None, **options: Any
) -> tuple[Floats, Floats]:
    """Return the ends of the interval of the mean of each column of differences: the means that the test does not reject.

    `level` is a number or one per column; `p` is that of the two-sided test with the same options, if it is known.
    The interval of a test of means excludes 0 exactly where p ≤ level. Tests that are not about the mean (signs,
    signed ranks) have the interval of the t test. Ends are infinite if there are too few queries for any conclusion.

    >>> [ends.round(4).tolist() for ends in interval_of([0.1, 0.2, 0.3, 0.4], "t")]
    [[0.0446], [0.4554]]
    """
    chosen, table = test if isinstance(test, PairTest) else TESTS.find(test), differences(d)
    if chosen.interval is None:
        chosen, p = TESTS.find("t"), None
        options = {name: value for name, value in options.items() if name in chosen.options}
    own = own_options(chosen, options)
    known = chosen.function(table, **own).p if p is None else np.asarray(p, dtype=np.float64)
    levels = np.broadcast_to(np.asarray(level, dtype=np.float64), known.shape)
    low, high = chosen.interval(table, known, levels, **own)  # type: ignore[misc]
    # An end on the wrong side of 0, which only rounding can cause, moves to the side that p says.
    mean, rejected, least = mean_difference(table, own), known <= levels, np.finfo(np.float64).smallest_subnormal
    low = np.where(rejected, np.where(mean > 0, np.maximum(low, least), low), np.minimum(low, 0.0))
    high = np.where(rejected, np.where(mean < 0, np.minimum(high, -least), high), np.maximum(high, 0.0))
    return low, high


def mean_difference(d: Floats, options: Mapping[str, Any]) -> Floats:
    """Return the mean of each column of differences that a test with these options is about: plain, weighted, or over more queries with cheap values."""
    if options.get("cheap") is not None and len(d) >= FEWEST:
        return two_phase_means(d, options["cheap"]).mean
    weights = options.get("weights")
    return totals(d) / len(d) if weights is None else weighted_mean(d, weights)


def outcome_of_pairs(x: Any, pairs: Any, test: str | PairTest = "t", **options: Any) -> TestOutcome:
    """Test x[:, b] - x[:, a] for each row (a, b) of `pairs`; x holds values of queries × systems."""
    chosen = test if isinstance(test, PairTest) else TESTS.find(test)
    own = own_options(chosen, options)
    return (
        chosen.function(pairwise(x, pairs)[2], **own) if chosen.of_pairs is None else chosen.of_pairs(x, pairs, **own)
    )


def own_options(test: PairTest, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that are set, without a seed for a test that draws nothing; raise for one that the test does not have."""
    chosen = {name: value for name, value in options.items() if value is not None}
    for name in chosen:
        if name not in test.options and name != "seed":
            known = ", ".join(test.options)
            hint = f"choose one of {known}" if known else "leave it out"
            raise UsageError("option", f"the {test.title} has no option {name!r}", hint=hint, value=name)
    return {name: value for name, value in chosen.items() if name in test.options}
