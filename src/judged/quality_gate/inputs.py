"""What a gate decides upon: the candidate, held against a run or a saved result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from judged.comparison.compare import compare
from judged.comparison.difference import Difference
from judged.comparison.result import Comparison
from judged.core.judged import Judged
from judged.core.tables import Id, Qrels, Run
from judged.core.unread_runs import UnreadRun
from judged.distributed.open_run import open_run
from judged.errors import DataError, Warned
from judged.evaluation.evaluate import evaluate, join
from judged.evaluation.result.values import Values
from judged.evaluation.slices import slices_of
from judged.measures.profiles import profile as profile_named
from judged.quality_gate.baseline import Baseline
from judged.quality_gate.reasons import FEW
from judged.quality_gate.rules import Rules

__all__ = ["GateInputs", "GateMeasures", "Sides", "with_run", "with_saved"]


@dataclass(frozen=True, slots=True)
class GateMeasures:
    """The measures held against the baseline, and all that are evaluated, under the names that results have."""

    compared: tuple[str, ...]
    bounded: tuple[str, ...]

    @property
    def all(self) -> list[str]:
        return list(dict.fromkeys((*self.compared, *self.bounded)))


@dataclass(frozen=True, slots=True)
class Sides:
    qrels: Qrels
    run: Run | UnreadRun
    wanted: GateMeasures
    rules: Rules

    def judged(self) -> Judged:
        return join(self.qrels, self.run, profile=self.rules.profile, **self.rules.policy)

    def candidate(self) -> Values:
        return evaluate(self.judged(), measures=self.wanted.all, level=self.rules.level, profile=self.rules.profile)


@dataclass(frozen=True, slots=True)
class GateInputs:
    """What is decided upon."""

    comparison: Comparison | None
    candidate: Values
    warnings: tuple[Warned, ...] = ()
    missing: tuple[Id, ...] = ()  # queries that the baseline answers and the candidate does not


def _options(rules: Rules, slices: Any) -> dict[str, Any]:
    """Compared as `judged compare` does; one pair leaves nothing to correct, the gate corrects over measures and slices."""
    names = ("test", "interval", "alpha", "min_queries", "resamples", "seed")
    return {
        "baseline": 0,
        "correction": "none",
        "slices": slices or None,
        **{name: getattr(rules, name) for name in names},
    }


def with_run(sides: Sides, source: Any, names: tuple[str, str]) -> GateInputs:
    base, rules = open_run(source), sides.rules
    if {**profile_named(rules.profile).policy, **rules.policy}.get("queries") == "both" and "relevant" in map(
        _kind, rules.slices
    ):
        everyone = join(sides.qrels, base, profile=rules.profile, **{**rules.policy, "queries": "judged"})
        rules = _mapped(rules, everyone)  # results whose queries differ do not know it
    found = compare(
        sides.qrels,
        dict(zip(names, (base, sides.run), strict=True)),
        sides.wanted.all,
        level=rules.level,
        profile=rules.profile,
        **rules.policy,
        **_options(rules, list(rules.slices)),
    )
    if not any(w.slug == "queries-differ" for w in found.warnings):
        return GateInputs(_steadied(found, _mapped(rules, found.judged[0])), found.results[1])
    candidate = sides.candidate()  # with the queries that the baseline lacks
    answered = join(sides.qrels, base, profile=rules.profile, **rules.policy).queries
    return GateInputs(_steadied(found, rules), candidate, missing=_lost(answered, candidate))


def with_saved(sides: Sides, saved: Baseline, names: tuple[str, str]) -> GateInputs:
    rules, stored = sides.rules, saved.values
    for name in sides.wanted.compared:
        if name not in stored.columns:
            raise DataError(
                "incomparable",
                f"{name} in the baseline ({names[0]})",
                got=f"{', '.join(stored.columns)} only",
                hint=f"save it again with -m {name}",
            )
    warnings = saved.warnings(sides.qrels, allow_changed=rules.allow_changed_judgments)
    judged = sides.judged()
    values = evaluate(judged, measures=sides.wanted.all, level=rules.level, profile=rules.profile)
    rules = _mapped(rules, judged)
    only = {name: column for name, column in stored.columns.items() if name in sides.wanted.compared}
    kept = replace(stored, measures=tuple(m for m in stored.measures if str(m) in only), columns=only)
    found = compare(dict(zip(names, (kept, values), strict=True)), **_options(rules, list(rules.slices)))
    known = {q.decode("utf-8", "surrogateescape") for q in sides.qrels.queries.tolist()}  # no longer judged is not lost
    missing = _lost([q for q in stored.queries if str(q) in known], values)
    return GateInputs(_steadied(found, rules), values, warnings, missing)


def _lost(answered: Sequence[Id], candidate: Values) -> tuple[Id, ...]:
    there = set(candidate.queries)
    return tuple(q for q in answered if q not in there)


def _steadied(found: Comparison, rules: Rules) -> Comparison:
    """The comparison with Student's intervals of what has few queries, where an interval decides: those of the bootstrap are too narrow then."""
    few = [row for row in (*found.rows, *found.parts) if row.queries < FEW and row.verdict != "too few"]
    if rules.mode != "sure" or rules.interval == "t" or not few:
        return found
    options = {**_options(rules, list(rules.slices)), "interval": "t", "test": "t", "resamples": None}
    again = compare(dict(zip(found.names, found.results, strict=True)), **options)
    ends = {(row.measure, row.part): (row.low, row.high) for row in (*again.rows, *again.parts)}

    def steady(row: Difference) -> Difference:
        low, high = ends[row.measure, row.part] if row.queries < FEW else (row.low, row.high)
        return replace(row, low=low, high=high)

    return replace(found, rows=tuple(map(steady, found.rows)), parts=tuple(map(steady, found.parts)))


def _mapped(rules: Rules, judged: Judged) -> Rules:
    """The rules, with slices by the number of relevant documents spelt out: results alone do not know it."""
    relevant = judged.relevant(1 if rules.level is None else rules.level)
    spelt = (_mapping(judged.queries, relevant) if _kind(one) == "relevant" else one for one in rules.slices)
    return replace(rules, slices=tuple(spelt))


def _kind(one: Any) -> str:
    return one if isinstance(one, str) else ""


def _mapping(queries: Sequence[Id], relevant: Any) -> dict[Any, str]:
    """{query: group} by the number of relevant documents."""
    groups = slices_of("relevant", queries, relevant).groups
    return {
        query: label for label, rows in groups for query, there in zip(queries, rows.tolist(), strict=True) if there
    }
