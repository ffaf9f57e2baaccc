"""`Reason`: the outcome of one rule for one measure, over all queries or in a slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judged.comparison.difference import Difference
from judged.comparison.result import Comparison
from judged.core.tables import Id
from judged.evaluation.result.values import Values
from judged.measures.grammar import parse
from judged.quality_gate.rules import Rules
from judged.stats.multiple.corrections import adjusted
from judged.stats.paired.registry import TESTS
from judged.stats.power import MATERIAL
from judged.tables.text import counted, p_text

_HARDLY = 10  # below it, equal differences say nothing about other queries

_ROUNDING = 1e-12  # of the numbers compared: 0.50 - 0.49 is not more than 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """The outcome of one rule for one measure, over all queries or in a slice."""

    rule: str  # max_drop, min, max, max_query_drop, min_queries or allow_missing_queries: the key in `Rules`
    measure: str
    slice: str | None = None
    passed: bool
    observed: float
    allowed: float
    sentence: str
    note: str = ""  # why a rule that passed says little
    skipped: bool = False  # the slice has too few queries
    p: float = math.nan  # corrected

    @property
    def verdict(self) -> str:
        """FAIL, pass or skip."""
        return "skip" if self.skipped else "pass" if self.passed else "FAIL"

    @property
    def words(self) -> str:
        """The sentence, with its note."""
        return f"{self.sentence} Note: {self.note}." if self.note else self.sentence


@dataclass(frozen=True, slots=True)
class _Drop:
    """A drop of a mean: positive if the candidate is worse, also for measures where lower is better."""

    row: Difference
    lower_is_better: bool
    allowed: float
    p: float  # corrected
    least: float  # the smallest corrected p that this number of queries can have

    @property
    def flat(self) -> bool:
        """True if a few queries all differ by the same amount: the interval then has no width and no meaning."""
        scale = max(abs(self.row.mean_a), abs(self.row.mean_b))
        return self.row.queries < _HARDLY and self.row.high - self.row.low <= _ROUNDING * scale

    @property
    def size(self) -> float:
        return self.row.difference if self.lower_is_better else -self.row.difference

    @property
    def worst(self) -> float:
        """The end of the interval of the difference at which the candidate is worst."""
        return self.row.high if self.lower_is_better else -self.row.low

    def exceeds(self, size: float) -> bool:
        """Return whether a drop of this size is more than is allowed."""
        return _above(size, self.allowed, max(abs(self.row.mean_a), abs(self.row.mean_b)))

    @property
    def moved(self) -> str:
        if self.size <= 0:
            better = f"better by {_number(-self.size)}" if self.size else "unchanged"
            return f"{self._what} is {better} ({_number(self.row.mean_a)} → {_number(self.row.mean_b)})"
        verb = "rose" if self.lower_is_better else "fell"
        return f"{self._what} {verb} by {_number(self.size)} ({_number(self.row.mean_a)} → {_number(self.row.mean_b)})"

    @property
    def _what(self) -> str:
        return self.row.measure if self.row.part is None else f"{self.row.part}: {self.row.measure}"


def breaks_rule(drop: _Drop, rules: Rules) -> bool:
    """Return whether a drop breaks the rule `max_drop`.

    - `significant`: the mean dropped by more than is allowed, and significantly: the verdict is worse, and the two-sided p, corrected
      over all measures and slices of the gate, is at most alpha.
    - `mean`: the mean dropped by more than is allowed.
    - `sure`: a drop by more than is allowed cannot be excluded: the worse end of the 1 - alpha interval of the difference
      is beyond it (non-inferiority; Piaggio et al., JAMA 2012). One end decides, so the chance that a candidate beyond the bound passes is alpha/2; all rules must
      hold, so no correction is needed (Berger, Technometrics 1982). Fewer than 10 queries that all differ by the
      same amount exclude nothing.
    """
    if math.isnan(drop.size):
        return True
    if rules.mode == "sure":
        return math.isnan(drop.worst) or drop.flat or drop.exceeds(drop.worst)
    if not drop.exceeds(drop.size):
        return False
    return rules.mode == "mean" or (drop.row.verdict in ("worse", "loses more") and drop.p <= rules.alpha)


def drop_reasons(comparison: Comparison, measures: Sequence[str], rules: Rules) -> list[Reason]:
    """Reasons of `max_drop`: for each measure, all queries and then each slice."""
    rows = [row for m in measures for row in (*comparison.rows, *comparison.parts) if row.measure == m]
    tested = [row for row in rows if row.verdict != "too few"]
    # Corrections are monotone: the smallest possible p-values, corrected, bound each corrected p from below.
    p, least = (
        dict(zip(map(id, tested), adjusted(of, rules.correction).tolist(), strict=True))
        for of in (
            [row.p for row in tested],
            [TESTS.find(comparison.settings.test).least_p(row.queries) for row in tested],
        )
    )
    reasons = []
    for row in rows:
        lower, allowed = parse(row.measure).definition.lower_is_better, rules.allowed(row.measure)
        drop = _Drop(row, lower, allowed, p.get(id(row), math.nan), least.get(id(row), math.nan))
        reasons.append(_drop_reason(drop, rules, comparison.settings.test))
    return reasons


def _drop_reason(drop: _Drop, rules: Rules, test: str) -> Reason:
    row = drop.row
    few = row.part is not None and row.verdict == "too few"
    broken = not few and breaks_rule(drop, rules)
    if few:
        sentence = f"{row.part}: {counted(row.queries, 'query')}, fewer than {rules.min_queries}: not tested."
    elif not row.queries:
        sentence = f"{row.measure} has no value for any query of both runs."
    else:
        sentence = _sentence(drop, broken, rules, test)
    return Reason(
        rule="max_drop", measure=row.measure, slice=row.part, passed=not broken, observed=drop.size, allowed=drop.allowed,
        sentence=sentence, note="" if broken or few else _doubt(drop, rules, test), skipped=few, p=drop.p,
    )  # fmt: skip


def _sentence(drop: _Drop, broken: bool, rules: Rules, test: str) -> str:
    limit = f"the {drop.allowed:g} allowed"
    if rules.mode == "sure":
        level = f"{1 - rules.alpha:.0%} interval"
        if math.isnan(drop.worst) or (drop.flat and not drop.exceeds(drop.worst)):
            return f"{drop.moved}; {counted(drop.row.queries, 'query')} cannot bound the drop."
        if drop.worst <= 0:
            return f"{drop.moved}; it did not get worse ({level})."
        return f"{drop.moved}; it may be worse by up to {_number(drop.worst)} ({level}), {'more than' if broken else 'within'} {limit}."
    if not drop.exceeds(drop.size):
        return f"{drop.moved}, within {limit}." if drop.size > 0 else f"{drop.moved}."
    if rules.mode == "mean":
        return f"{drop.moved}, more than {limit}."
    p = p_text(drop.p).replace("<", "below ")
    p_value = f"corrected p {p}" if p.startswith("below") else f"corrected p = {p}"
    if drop.p <= rules.alpha and not broken:
        why = drop.row.note or "it points the other way"
        return (
            f"{drop.moved}, more than {limit}, but the {test} test does not say that it got worse ({p_value}): {why}."
        )
    if broken:
        return f"{drop.moved}, more than {limit}; this is unlikely to be chance ({p_value})."
    return f"{drop.moved}, more than {limit}, but this may be chance ({p_value}, alpha = {rules.alpha:g})."


def _doubt(drop: _Drop, rules: Rules, test: str) -> str:
    """Explain why a rule that holds says little: the queries are too few to show a drop that matters.

    Empty if the interval excludes such a drop. A drop is significant, approximately, if it exceeds the half-width of the
    interval of the difference. A drop matters if it is not allowed; if none is allowed, from a tenth of the baseline's mean (Spärck Jones 1974).
    """
    row = drop.row
    if rules.mode == "significant" and drop.least > rules.alpha:
        least = TESTS.find(test).least_p(row.queries)
        several = f" ({drop.least:.2g} corrected)" if drop.least > least else ""
        return (
            f"{counted(row.queries, 'query')} cannot show a drop, however large: p is never below {least:.2g}{several}"
        )
    shown = abs(row.difference - (row.high if drop.lower_is_better else row.low))
    matters = drop.allowed or MATERIAL * abs(row.mean_a)
    if math.isnan(shown):
        return f"{counted(row.queries, 'query')} cannot show a drop"
    if drop.flat:
        return f"{counted(row.queries, 'query')} that all differ by the same amount say nothing about other queries"
    if shown <= matters or drop.worst <= matters:
        return ""
    return f"{counted(row.queries, 'query')} cannot show a drop below about {_number(shown)}"


def few_reasons(comparison: Comparison, measures: Sequence[str], rules: Rules) -> list[Reason]:
    """Reasons of `min_queries`: a test of a handful of queries shows no drop, so that it would pass any candidate.

    Only mode `significant` passes what it cannot show: `mean` is about these queries alone, and `sure` fails if they exclude too little.
    """
    few = [row for row in comparison.rows if row.measure in measures and 0 < row.queries < rules.min_queries]
    return [
        Reason(rule="min_queries", measure=row.measure, passed=False, observed=row.queries, allowed=rules.min_queries,
               sentence=f"{counted(row.queries, 'query')}, fewer than {rules.min_queries} (min_queries): too few to test a drop. Judge more queries, or choose mode mean or sure.")
        for row in few if rules.mode == "significant"
    ]  # fmt: skip


def missing_reasons(missing: Sequence[Id], rules: Rules) -> list[Reason]:
    """Reasons about queries that only the baseline answers: they are in no mean, so a loss would stay hidden."""
    if not missing:
        return []
    named = ", ".join(map(str, missing[:3])) + (" …" if len(missing) > 3 else "")
    lost = f"{counted(len(missing), 'query')} of the baseline {'is' if len(missing) == 1 else 'are'} not answered by the candidate ({named})"
    passed = rules.allow_missing_queries
    return [
        Reason(rule="allow_missing_queries", measure="all measures", passed=passed, observed=len(missing), allowed=math.inf if passed else 0,
               sentence=f"{lost}{', which is allowed' if passed else ''}.")
    ]  # fmt: skip


def query_reasons(comparison: Comparison, measures: Sequence[str], rules: Rules) -> list[Reason]:
    """Reasons of `max_query_drop`: the number of queries that dropped by more than is allowed."""
    if rules.max_query_drop is None:
        return []
    bound, most = rules.max_query_drop
    reasons = []
    for m in measures:
        x = comparison.matrix(m)
        worse = (x[:, 1] - x[:, 0]) * (1 if parse(m).definition.lower_is_better else -1)
        slack = _ROUNDING * np.maximum(np.abs(x).max(axis=1), bound)
        fallen = np.flatnonzero(worse > bound + slack)
        first = fallen[np.argsort(-worse[fallen], kind="stable")[:3]]
        named = ", ".join(str(comparison.results[0].queries[i]) for i in first) + (" …" if len(fallen) > 3 else "")
        size = f"{counted(len(fallen), 'query')} got worse by more than {bound:g} in {m}"
        reasons.append(
            Reason(rule="max_query_drop", measure=m, passed=len(fallen) <= most, observed=len(fallen), allowed=most,
                   sentence=f"{size}{f' ({named})' if named else ''}; {most} allowed.")
        )  # fmt: skip
    return reasons


def bound_reasons(candidate: Values, rules: Rules) -> list[Reason]:
    """Reasons of `min` and `max`: values that the candidate must reach, or must not exceed."""
    means = candidate.mean()
    reasons = []
    for rule, bounds in (("min", rules.min), ("max", rules.max)):
        for m, bound in bounds.items():
            value = means[m]
            beyond = _above(bound, value) if rule == "min" else _above(value, bound)
            side = "below" if rule == "min" else "above"
            held = f"at {'least' if rule == 'min' else 'most'} {bound:g}, as required"
            text = f"{m} is {_number(value)}, " + (f"{side} the {bound:g} required" if beyond else held)
            if math.isnan(value):
                beyond, text = True, f"{m} has no value for any query, and {bound:g} is required"
            reasons.append(
                Reason(rule=rule, measure=m, passed=not beyond, observed=value, allowed=bound, sentence=f"{text}.")
            )
    return reasons


def _above(a: float, b: float, scale: float = 0.0) -> bool:
    """Return whether a exceeds b by more than a rounding error, of them or of the values they were computed from."""
    return a > b + _ROUNDING * max(abs(a), abs(b), scale)


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) >= 1e-4 or value == 0 else f"{value:.2g}"
