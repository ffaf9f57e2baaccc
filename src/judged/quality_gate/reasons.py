"""`Reason`: the outcome of one rule for one measure, over all queries or in a slice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from judged.comparison.comparison import Comparison
from judged.comparison.difference import words_text
from judged.core.tables import Id
from judged.errors import Hint, Wording
from judged.evaluation.values import Values
from judged.measures.registry import parse
from judged.quality_gate.drops import POWER, Drop, above, decide_drops, is_sparse
from judged.quality_gate.rules import Rules
from judged.stats.differences import ROUNDING
from judged.stats.power import MATERIAL
from judged.tables.table import counted, p_text, some


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """The outcome of one rule for one measure, over all queries or in a slice."""

    rule: str  # the key in `Rules`: max_drop, max_total_drop, min, max, max_query_drop, min_queries or allow_missing_queries; or comparable
    measure: str
    slice: str | None = None
    passed: bool
    observed: float
    allowed: float
    sentence: str
    note: str = ""  # why the evidence for a rule that passed is weak
    skipped: bool = False  # the slice has too few queries
    p: float = math.nan  # one-sided, corrected within a measure: of a drop of at most `allowed`; NaN in mode sure
    low: float = math.nan  # interval of the difference, whose better end decides; in mode sure the worse one
    high: float = math.nan

    @property
    def verdict(self) -> str:
        """FAIL, pass or skip."""
        return "skip" if self.skipped else "pass" if self.passed else "FAIL"

    @property
    def words(self) -> str:
        """The sentence, with its note."""
        return f"{self.sentence} Note: {self.note}." if self.note else self.sentence


def breaks_rule(drop: Drop, rules: Rules) -> bool:
    """Return whether a drop breaks its rule, `max_drop` or `max_total_drop`.

    - `significant`: the drop is significantly more than is allowed. The hypothesis "the drop is at most the allowed one" is
      tested, one-sided and corrected over the rules of the gate on that measure: a candidate for which these are true fails
      by it with a probability of at most alpha. The lower end of the interval of the drop is then beyond the allowed one.
    - `mean`: the mean dropped by more than is allowed. This is about these queries only, and controls no error.
    - `sure`: a drop by more than is allowed cannot be excluded: the upper end of the 1 - alpha interval of the drop
      is beyond it (non-inferiority; Piaggio et al., JAMA 2012). One end decides, so a candidate beyond the bound passes
      with a probability of at most alpha/2; all rules must hold, so no correction is needed (Berger, Technometrics 1982).
    """
    if math.isnan(drop.size):
        return True
    if rules.mode == "sure":
        return not drop.unchanged and drop.exceeds(drop.high)
    return drop.exceeds(drop.size) and (rules.mode == "mean" or drop.significant)


def tested_drops(drops: Sequence[Drop], rules: Rules) -> list[Drop]:
    """The drops that are tested: not those of small slices."""
    return [one for one in drops if len(one.losses) and (one.row.part is None or len(one.losses) >= rules.min_queries)]


def drop_reasons(drops: Sequence[Drop], rules: Rules, *, unchanged: bool = False) -> list[Reason]:
    """Reasons of `max_drop` and `max_total_drop`: for each measure, all queries and then each slice."""
    tested = tested_drops(drops, rules)
    decided = dict(zip(map(id, tested), decide_drops(tested, rules, unchanged=unchanged), strict=True))
    return [_drop_reason(decided.get(id(one), one), rules) for one in drops]


def _drop_reason(drop: Drop, rules: Rules) -> Reason:
    row = drop.row
    few = row.part is not None and row.queries < rules.min_queries
    broken = not few and breaks_rule(drop, rules)
    if few:
        sentence = (
            f"{row.part}: not tested ({counted(row.queries, 'query')}; at least {rules.min_queries} are required)."
        )
    elif not row.queries:
        sentence = f"{row.measure} has no value for any query in both runs."
    else:
        sentence = f"{_moved(drop)}{(_sure_clause if rules.mode == 'sure' else _clause)(drop, broken, rules)}."
    low, high = (drop.low, drop.high) if drop.lower_is_better else (-drop.high, -drop.low)
    return Reason(
        rule=drop.rule,
        measure=row.measure,
        slice=row.part,
        passed=not broken,
        observed=drop.size,
        allowed=drop.allowed,
        sentence=sentence,
        note="" if broken or few else _doubt(drop, rules),
        skipped=few,
        p=drop.p,
        low=low,
        high=high,
    )


def _moved(drop: Drop) -> str:
    row, size = drop.row, drop.size
    what = row.measure if row.part is None else f"{row.part}: {row.measure}"
    since = f" since {row.a}" if drop.rule == "max_total_drop" else ""
    means = f"{_number(row.mean_a)} → {_number(row.mean_b)}"
    changed = row.wins + row.losses
    if changed and is_sparse(changed, row.queries):
        means += f"; {changed} of {counted(row.queries, 'query')} changed, {row.losses} got worse"
    if size <= 0:
        return f"{what} is {f'better by {_number(-size)}' if size else 'unchanged'}{since} ({means})"
    return f"{what} {'rose' if drop.lower_is_better else 'fell'} by {_number(size)}{since} ({means})"


def _clause(drop: Drop, broken: bool, rules: Rules) -> str:
    allowed = drop.allowed
    beyond = f", more than the {allowed:g} allowed" if allowed else ""
    if not drop.exceeds(drop.size):
        return f", within the {allowed:g} allowed" if drop.size > 0 else ""
    if rules.mode == "mean":
        return beyond or f"; {drop.rule} is 0"
    p = p_text(drop.p)
    p_value = f"{'corrected ' * drop.corrected}p {p.replace('<', 'below ') if p.startswith('<') else f'= {p}'}"
    if broken and drop.exceeds(drop.low):
        return f"{beyond}, and by at least {_number(drop.low)} on other queries ({p_value})"
    if broken:  # a test that is not about the mean
        return f"{beyond}, and more queries lost than won ({p_value})"
    return f"{beyond}, but other queries might not show it ({p_value}, alpha = {rules.alpha:.2g})"


def _sure_clause(drop: Drop, broken: bool, rules: Rules) -> str:
    if drop.unchanged:
        return ", the same run as the baseline"
    level = f"{round(100 * (1 - rules.alpha), 4):g}% interval"
    if drop.high <= 0:
        return f"; it did not get worse ({level})"
    allowed = f"the {drop.allowed:g} allowed"
    beyond = f", {'more than' if broken else 'within'} {allowed}" if drop.allowed else f"; {drop.rule} is 0"
    few = ""
    if broken and not drop.exceeds(drop.size):
        few = f"; too few queries ({drop.row.queries}) to rule it out"
    return f"; on other queries it may be worse by up to {_number(drop.high)} ({level}){beyond}{few}"


def _doubt(drop: Drop, rules: Rules) -> str:
    """Explain why the evidence for a rule that holds is weak: a drop that matters would hardly be found. Empty if the interval excludes it.

    A drop matters if it is twice the allowed one; if none is allowed, a tenth of the baseline's mean (Spärck Jones 1974).
    """
    if rules.mode == "sure":
        return ""
    queries, found = counted(drop.row.queries, "query"), drop.found
    alike = math.isnan(found)  # all queries lost the same: then only many are evidence
    if math.isnan(drop.high) or (alike and 2.0 ** -len(drop.losses) > drop.level):
        return f"{queries} cannot detect a drop"
    matters = 2 * drop.allowed or MATERIAL * abs(drop.row.mean_a)
    if alike or drop.high <= matters or found <= matters:
        return ""
    return f"with {queries}, only a drop of {_number(found)} or more is found with a probability of {POWER:.0%}"


def incomparable_reasons(comparison: Comparison) -> list[Reason]:
    """Reasons about a run that cannot be compared; the drops are then not tested."""
    reasons = []
    for name, found in comparison.incomparable.items():
        hint = found.action
        if hint is not None and name == comparison.names[1]:
            allow = Wording("allow_missing_queries=True", "allow_missing_queries = true in the rules")
            hint = Hint(f"{hint.text} and {{allow}}", **dict(hint.options), allow=allow)
        sentence = words_text(found.words, comparison.names)
        reasons.append(
            Reason(
                rule="comparable",
                measure="all measures",
                passed=False,
                observed=math.nan,
                allowed=math.nan,
                sentence=sentence if hint is None else f"{sentence} {hint}.",
            )
        )
    return reasons


def untested(reason: Reason) -> Reason:
    """The reason of a rule that is not applied, because the runs cannot be compared."""
    return replace(reason, passed=True, skipped=True, note="", sentence=f"{reason.measure}: the drop is not tested.")


def few_reasons(comparison: Comparison, measures: Sequence[str], rules: Rules) -> list[Reason]:
    """Reasons of `min_queries`: a test of a handful of queries shows no drop, so that it would pass any candidate.

    Only mode `significant` passes what it cannot show: `mean` is about these queries alone, and `sure` fails if they exclude too little.
    """
    few = [row for row in comparison.rows if row.measure in measures and 0 < row.queries < rules.min_queries]
    why = Hint(
        "fewer than {min_queries}: too few to test a drop. Judge more queries, or choose {mode}",
        min_queries=rules.min_queries,
        mode="mean",
    )
    return [
        Reason(
            rule="min_queries",
            measure=row.measure,
            passed=False,
            observed=row.queries,
            allowed=rules.min_queries,
            sentence=f"{counted(row.queries, 'query')}, {why}.",
        )
        for row in few
        if rules.mode == "significant"
    ]


def missing_reasons(missing: Sequence[Id], rules: Rules) -> list[Reason]:
    """Reasons about queries that only the baseline answers: they are in no mean, so a loss would stay hidden."""
    if not missing:
        return []
    lost = f"the candidate does not answer {counted(len(missing), 'query')} of the baseline: {some(missing)}"
    passed = rules.allow_missing_queries
    return [
        Reason(
            rule="allow_missing_queries",
            measure="all measures",
            passed=passed,
            observed=len(missing),
            allowed=math.inf if passed else 0,
            sentence=f"{lost}{' (allowed)' if passed else ''}.",
        )
    ]


def query_reasons(comparison: Comparison, measures: Sequence[str], rules: Rules) -> list[Reason]:
    """Reasons of `max_query_drop`: the number of queries that dropped by more than is allowed."""
    if rules.max_query_drop is None:
        return []
    bound, most = rules.max_query_drop
    reasons = []
    for m in measures:
        x = comparison.matrix(m)
        worse = (x[:, 1] - x[:, 0]) * (1 if parse(m).definition.lower_is_better else -1)
        slack = ROUNDING * np.maximum(np.abs(x).max(axis=1), bound)
        fallen = np.flatnonzero(worse > bound + slack)
        named = some([comparison.results[0].queries[i] for i in fallen[np.argsort(-worse[fallen], kind="stable")]])
        size = f"{counted(len(fallen), 'query')} got worse by more than {bound:g} on {m}"
        reasons.append(
            Reason(
                rule="max_query_drop",
                measure=m,
                passed=len(fallen) <= most,
                observed=len(fallen),
                allowed=most,
                sentence=f"{size}{f' ({named})' if named else ''}; {most} allowed.",
            )
        )
    return reasons


def bound_reasons(candidate: Values, rules: Rules) -> list[Reason]:
    """Reasons of `min` and `max`: values that the candidate must reach, or must not exceed."""
    means = candidate.mean()
    reasons = []
    for rule, bounds in (("min", rules.min), ("max", rules.max)):
        for m, bound in bounds.items():
            value = means[m]
            beyond = above(bound, value) if rule == "min" else above(value, bound)
            text = f"{m} is {_number(value)}; at {'least' if rule == 'min' else 'most'} {bound:g} is required"
            if math.isnan(value):
                beyond, text = True, f"{m} has no value for any query"
            reasons.append(
                Reason(rule=rule, measure=m, passed=not beyond, observed=value, allowed=bound, sentence=f"{text}.")
            )
    return reasons


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) >= 1e-4 or value == 0 else f"{value:.2g}"
