"""One decision per pair of systems: p, corrected p, interval and verdict follow from one test and one correction.

The interval of a pair is that of its test, at the level at which the pair was tested, so it excludes 0 exactly if the
corrected p is at most alpha. Comparisons, letters, diagrams and the page use the verdicts and decide nothing themselves.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, shown
from judged.stats.checks import check_number
from judged.stats.corrections import CORRECTIONS, Correction, adjusted, levels
from judged.stats.differences import TestOutcome, pairwise
from judged.stats.paired.registry import TESTS, PairTest, interval_of, mean_difference, own_options
from judged.stats.two_phase import CheapValues
from judged.tables.table import counted

Verdict = Literal[
    "better",
    "worse",
    "equal",
    "identical",
    "wins more queries",
    "loses more queries",
    "no clear difference",
    "too few queries",
    "not comparable",  # given by `comparison`, which knows the rankings
]
OPPOSITE: dict[Verdict, Verdict] = {
    "better": "worse",
    "worse": "better",
    "wins more queries": "loses more queries",
    "loses more queries": "wins more queries",
}
APART: frozenset[Verdict] = frozenset(OPPOSITE)  # verdicts that tell two systems apart

_ENOUGH = 10  # rearrangements that must reach a statistic at the level: with fewer, its p is not known well enough


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Decisions on pairs of systems; every column has one entry per pair.

    `test` is the test that was used: t in place of a resampling test that cannot reach the level. `tests` is the number
    of tests that the correction counts. `low` and `high` are NaN if there is no interval. A verdict is about the second
    system of a pair, for values of which higher ones are better. `note` gives the reason why a pair was not tested;
    `remarks` are about the whole table.
    """

    test: str
    correction: str
    alpha: float
    tests: int
    difference: Floats
    p: Floats
    adjusted: Floats
    level: Floats
    low: Floats
    high: Floats
    verdict: tuple[Verdict, ...]
    note: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def decide_family(
    tables: Sequence[Any],
    pairs: Any,
    *,
    test: str = "t",
    correction: str = "bonferroni",
    alpha: float = 0.05,
    margin: float = 0.0,
    limits: Sequence[float] | None = None,
    clusters: Sequence[Any] | None = None,
    weights: Sequence[Any] | None = None,
    cheap: Sequence[CheapValues | None] | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> list[Decisions]:
    """Decide on each pair (a, b) of columns of several tables, values of queries × systems, by the differences b - a.

    Tables (measures, or slices of queries) are corrected together. They have the same systems and may have different queries.

    Args:
        tables: values of queries × systems, none missing.
        pairs: rows (a, b) of column numbers.
        test: paired test, see `TESTS`.
        correction: correction over the pairs of all tables, see `CORRECTIONS`. With `max` the maximum is over the pairs of a
            table, times the number of tables.
        alpha: significance level of all tables.
        margin: largest difference that does not matter.
        limits: largest possible difference of each table; ends of intervals are kept within it.
        clusters: a code per query, for each table.
        weights: of the queries of each table, all above 0, for the t test.
        cheap: values of more queries × systems for each table, for the t test.
        resamples: number of resamples. [default: that of the test]
        seed: random seed.

    The verdicts, in this order:

    - identical: all differences are 0. This says nothing about other queries.
    - too few queries: no interval, because the queries are too few for the test to reject anything at this level.
    - equal: the interval is within the margin, even if it excludes 0: the difference is then too small to matter.
    - better, worse: the interval excludes 0, exactly if the corrected p is at most alpha. Tests that are not about the
      mean (signs, signed ranks) have the verdicts "wins more queries" and "loses more queries" instead, and the interval of the t test.
    - no clear difference: the rest.

    >>> x = np.array([[0.1, 0.3], [0.2, 0.5], [0.0, 0.1], [0.3, 0.4], [0.1, 0.4]])
    >>> [found] = decide_family([x], [(0, 1)])
    >>> found.verdict, found.low.round(3), found.high.round(3)
    (('better',), array([0.076]), array([0.324]))
    """
    chosen, corrected = TESTS.find(test), CORRECTIONS.find(correction)
    check_levels(alpha, margin)
    if not tables:
        return []
    differences = [pairwise(x, pairs)[2] for x in tables]
    codes: Sequence[Any] = clusters or [None] * len(tables)
    count = sum(d.shape[1] for d in differences)
    used, remarks = usable_test(chosen, corrected, count, alpha, resamples, max(map(len, differences)))
    options: dict[str, Any] = {"seed": seed, "resamples": resamples if "resamples" in used.options else None}
    extra = zip(codes, weights or [None] * len(tables), cheap or [None] * len(tables), strict=True)
    own = [
        own_options(used, {**options, "clusters": c, "weights": w, "cheap": f and f.differences(pairs)})
        for c, w, f in extra
    ]
    outcomes = [
        used.function(d, **o) if used.of_pairs is None else used.of_pairs(x, pairs, **o)
        for x, d, o in zip(tables, differences, own, strict=True)
    ]
    p = np.concatenate([o.p for o in outcomes])
    maxima = [o.adjusted for o in outcomes if o.adjusted is not None] if corrected.function is None else []
    # Without maxima of all tables a correction that has no function raises.
    whole = (
        np.concatenate(maxima) * len(outcomes) if len(maxima) == len(outcomes) else adjusted(p, corrected, most=np.inf)
    )
    each = levels(p, whole, corrected, alpha)
    units = [len(d) if c is None else len(np.unique(c)) for d, c in zip(differences, codes, strict=True)]
    if used.flips_signs and corrected.function is not None:
        smallest = float(adjusted(np.full(count, 2.0 ** (1 - max(units))), corrected).min())
        if smallest > alpha:
            text = f"the smallest possible corrected p of the {used.title} with {max(units)} queries is {smallest:.2g}"
            remarks += (f"{text}: no run can be better or worse",)
    decisions, at = [], 0
    for k, (d, one) in enumerate(zip(differences, outcomes, strict=True)):
        part = slice(at, at := at + d.shape[1])
        low, high = interval_of(d, used, level=each[part], p=one.p, **own[k])
        known = np.isfinite(low) & np.isfinite(high) & d.any(axis=0)
        top = np.inf if limits is None or np.abs(d).max(initial=0.0) > limits[k] + 1e-9 else limits[k]  # negative gains
        low, high = (np.where(known, np.clip(ends, -top, top), np.nan) for ends in (low, high))
        few = counted(units[k], "query" if codes[k] is None else "cluster")
        verdict, note = _verdicts(d, one, each[part], low, high, margin, used, few)
        decisions.append(
            Decisions(
                used.name,
                corrected.name,
                alpha,
                count,
                mean_difference(d, own[k]),
                one.p,
                np.minimum(whole[part], 1.0),
                each[part],
                low,
                high,
                verdict,
                note,
                remarks,
            )
        )
    return decisions


def check_levels(alpha: Any, margin: Any) -> None:
    """Raise unless alpha is above 0 and below 0.5, and the margin is at least 0."""
    if not 0 < check_number(alpha, "alpha", zero=True) < 0.5:
        raise UsageError("parameter", f"alpha must be above 0 and below 0.5, got {shown(alpha)}", value=alpha)
    check_number(margin, "margin", zero=True)


def usable_test(
    test: PairTest, correction: Correction, count: int, alpha: float, resamples: int | None, queries: int
) -> tuple[PairTest, tuple[str, ...]]:
    """The test; or t, with a remark, if resamples are too few for the level of a pair."""
    if "resamples" not in test.options or correction.function is None:
        return test, ()
    drawn = resamples or int(inspect.signature(test.function).parameters["resamples"].default)
    if test.flips_signs and 2**queries <= drawn:  # all sign assignments are enumerated
        return test, ()
    level = alpha / count if correction.level is None else correction.level(alpha, count)
    if level * (drawn + 1) >= _ENOUGH:
        return test, ()
    return TESTS.find("t"), (
        f"the {test.title} cannot reach the corrected level {level:.2g} with {drawn:,} resamples: the t test is used",
    )


def _verdicts(
    d: Floats, found: TestOutcome, level: Floats, low: Floats, high: Floats, margin: float, test: PairTest, few: str
) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """The verdict on each pair, and why it was not tested; `few` is the number of queries or clusters in words."""
    direction = np.zeros_like(low) if test.direction is None else np.sign(test.direction(d)) * (found.p <= level)
    alike = f"identical on these {len(d)} queries" if len(d) > 1 else "identical on this query"
    verdicts, notes = list[Verdict](), []
    columns = (np.any(d, axis=0), low, high, direction)
    for reason, some, least, most, won in zip(found.note, *(x.tolist() for x in columns), strict=True):
        verdict: Verdict = "no clear difference"
        note = ""
        if not some:
            verdict, note = "identical", alike
        elif least != least:
            verdict, note = "too few queries", reason or f"{few} are too few for this test at this level"
        elif -margin < least and most < margin:
            verdict = "equal"
        elif test.direction is None:
            verdict = "better" if least > 0 else "worse" if most < 0 else verdict
        elif won:
            verdict = "wins more queries" if won > 0 else "loses more queries"
        verdicts.append(verdict)
        notes.append(note)
    return tuple(verdicts), tuple(notes)
