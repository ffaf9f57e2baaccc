"""From judgments and a run to values: read, join, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.judged_views import fill_unjudged
from judged.core.passages import cut_to_budget
from judged.core.policy import Policy, check_option_names
from judged.errors import UsageError
from judged.evaluation.inputs import RagOptions, join_inputs
from judged.evaluation.measuring.column import column, level_notes, refuse_warnings
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.result.source import Provenance
from judged.evaluation.result.values import Values
from judged.measures.grammar import parse, parse_all
from judged.measures.profiles import Profile
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.stats.summary import mean

__all__ = ["DEFAULT", "evaluate", "join"]

DEFAULT = "nDCG@10 AP RR P@10 R@100"
Progress = Callable[[int, int], object]
Measures = str | Measure | Iterable[str | Measure]


def join(
    qrels: Any, run: Any, *, profile: str = "trec_eval-10", progress: Progress | None = None, **policy: Any
) -> Judged:
    """The run seen through the judgments, to be measured again and again.

    Takes paths, frames, dicts, lists, or what `read_qrels` and `read_run` gave; policies by name
    (`ties="id-asc"`, `queries="both"`, `depth=100` …, see `Policy`). `progress` is called now and then, while a large
    run is looked through, with what is done and what there is in all (bytes of a file, rows of a table).

    >>> len(join({"q": {"a": 1}}, {"q": ["a", "b"]}))
    1
    """
    asked, rules = RagOptions.asked(policy)
    source = join_inputs(qrels, run, _policy(profile_named(profile), rules), asked, progress)
    if source.alternatives:
        raise UsageError("alternatives", "judgments of one kind for each query", got="sets of which any one will do",
                         where=source.judged.names[0], hint="evaluate, compare and explain take them")  # fmt: skip
    return source.judged


def evaluate(
    qrels: Any,
    run: Any = None,
    measures: Measures = DEFAULT,
    *,
    level: float | None = None,
    bounds: bool = False,
    strict: bool = False,
    profile: str = "trec_eval-10",
    progress: Progress | None = None,
    **policy: Any,
) -> Values:
    """One value per query and measure, with their means, intervals, and the policy they were computed under.

    Args:
        qrels: judgments in any form that `read_qrels` takes; or a `Judged`, without a run; or one file of questions with what was
            retrieved and what is relevant, without a run, see `read_questions`.
        run: a ranking in any form that `read_run` takes; several files, a dataset, a lazy frame or a Spark DataFrame, which are looked through in
            parts, see `docs/scale.md`.
        measures: names or objects: `"nDCG@10 AP"`, `[nDCG @ 10, "RR"]`.
        level: the lowest grade that counts as relevant, for every binary measure that does not say its own.
        bounds: also compute every measure as if all unjudged documents it sees were irrelevant, and as if they were
            of the top grade (`Values.if_irrelevant`, `Values.if_top`).
        strict: turn every warning into an error.
        profile: the conventions of another tool, see `PROFILES`.
        progress: called now and then, while a large run is looked through, with what is done and what there is in all.
        policy: answers to the open questions, see `Policy`; and what is done first: `roll_up`, `documents`, `chunks`, `tokens`,
            `exclude_self`, `overlap`, see `docs/rag.md`; and `engine`, what carries it out: `memory`, `local`, `spark`, or an executor such as
            `Threads(4)` or `Spark(session)`.

    >>> print(evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.2, "b": 0.9}}, "RR AP").mean())
    {'RR': 0.5, 'AP': 0.5}
    """
    chosen = profile_named(profile)
    wanted = [with_level(chosen.apply(m), level) for m in parse_all(measures)]
    if not wanted:
        raise UsageError("measure", "at least one measure", got="none", hint="for example 'nDCG@10'")
    if isinstance(qrels, Judged):
        if isinstance(run, str | list | Measure) and measures == DEFAULT:
            return evaluate(qrels, measures=run, level=level, bounds=bounds, strict=strict, profile=profile, **policy)
        if run is not None or policy:
            raise UsageError("judged", "a Judged alone: its run and policies are in it", got="more arguments")
        source = Provenance(qrels)
    else:
        asked, rules = RagOptions.asked(policy)
        source = join_inputs(qrels, run, _policy(chosen, rules), asked, progress)
    return _measured(source, wanted, bounds=bounds, strict=strict, profile=profile)


def _policy(chosen: Profile, given: dict[str, Any]) -> Policy:
    check_option_names(given, RagOptions.__dataclass_fields__)
    return Policy(**{**chosen.policy, **given})


def with_level(measure: Measure, level: float | None) -> Measure:
    """The measure at this level, where it is a binary one that was not given its own."""
    return (
        measure(level=level)
        if level is not None and measure.definition.binary and "level" not in measure.said
        else measure
    )


def _measured(source: Provenance, wanted: list[Measure], *, bounds: bool, strict: bool, profile: str) -> Values:
    judged = source.judged
    orders = TieOrders(judged) if judged.policy.ties == "expected" else None
    columns = {str(m): _frozen(_best(m, source, orders)) for m in wanted}
    warnings = judged.warnings + level_notes(judged, wanted) + (orders.notes(wanted) if orders else ())
    refuse_warnings(warnings if strict else ())
    values = Values(
        queries=judged.queries,
        measures=tuple(wanted),
        columns=columns,
        policy=judged.policy,
        profile=profile,
        names=judged.names,
        coverage=_coverage(judged),
        warnings=warnings,
        source=source,
    )
    return with_bounds(values, judged) if bounds else values


def _best(measure: Measure, source: Provenance, orders: TieOrders | None) -> Column:
    if not source.alternatives:
        return column(measure, source.judged, orders)
    from judged.evaluation.rag.alternatives import best_column

    return best_column(measure, source, orders)


def with_bounds(values: Values, judged: Judged) -> Values:
    """The same values with what they would be if unjudged documents were irrelevant, and if they were of the top grade."""
    top = float(judged.pool_grade.max(initial=1.0))
    known = [m for m in values.measures if m.definition.needs == "grades" and not m.definition.text]
    known = [m for m in known if m.definition.family != "coverage"]
    views = (values.source and values.source.alternatives) or (judged,)
    sides = [{**values.columns, **{str(m): _supposed(m, views, grade) for m in known}} for grade in (0.0, top)]
    return replace(values, if_irrelevant=sides[0], if_top=sides[1])


def _supposed(measure: Measure, views: Sequence[Judged], grade: float) -> Column:
    """The measure as if every unjudged document that it sees had this grade; of several sets of judgments the best."""
    filled = [fill_unjudged(_reach(measure, judged), grade) for judged in views]
    columns = [column(measure, one, TieOrders(one) if one.policy.ties == "expected" else None) for one in filled]
    better = np.fmin if measure.definition.lower_is_better else np.fmax
    return columns[0] if len(columns) == 1 else better.reduce(np.stack(columns))


def _reach(measure: Measure, judged: Judged) -> Judged:
    """What the measure can see: documents below its cutoff would only swell the pool."""
    cutoff = measure.get("cutoff") if "cutoff" in measure.definition.laws else None
    if judged.policy.ties == "expected":
        return judged  # which documents stand above the cutoff depends on the order
    if measure.get("tokens") is not None:
        judged = cut_to_budget(judged, measure.get("tokens"))
    return judged if cutoff is None else judged.cut(cutoff)


def _coverage(judged: Judged) -> dict[str, float]:
    """The mean share of judged documents in the first ten; not of lists from which the others were taken."""
    if judged.policy.unjudged == "condensed":
        return {}
    return {"judged@10": mean(parse("Judged@10").on(judged))}


def _frozen(values: Column) -> Column:
    values.flags.writeable = False
    return values
