"""Evaluate a run: read, join, measure."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Unpack

import numpy as np

from judged.core.join import WITH_SETS
from judged.core.judged import Judged
from judged.errors import Hint, UsageError, issue_warnings, shown
from judged.evaluation.inputs import ORDER_POLICIES, Provenance, open_named, read_and_join
from judged.evaluation.measuring import Views, best, check_strict, column, level_warnings
from judged.evaluation.options import EvaluateOptions, with_level
from judged.evaluation.values import Values
from judged.measures.profiles import UNCHANGED
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import MEASURES, Measure, parse_all
from judged.stats.intervals import mean
from judged.steps import step

DEFAULT = "nDCG@10 AP RR P@10 R@100"
_SCALE = 3  # the highest of the whole grades that `level` warns of is at least this
Progress = Callable[[int, int], object]
Measures = str | Measure | Iterable[str | Measure]


def join(
    qrels: Any,
    run: Any,
    *,
    profile: str = "trec_eval-10",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Judged:
    """Join a run with judgments, for repeated scoring.

    Args:
        qrels: judgments in any format that `read_qrels` takes.
        run: a ranking in any format that `read_run` takes.
        profile: conventions of another tool, see `PROFILES`.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.
        options: policies (see `Policy`) and preparation of the inputs, as in `evaluate`.

    >>> len(join({"q": {"a": 1}}, {"q": ["a", "b"]}))
    1
    """
    source = read_and_join(qrels, run, find_profile(profile).name, options, progress)
    if source.alternatives:
        raise UsageError(
            "alternatives",
            "alternative sets of relevant documents are not supported here",
            where=source.judged.names[0],
            hint=WITH_SETS,
        )
    return source.judged


def evaluate(
    qrels: Any,
    run: Any = None,
    measures: Measures = DEFAULT,
    *,
    level: float | None = None,
    bounds: bool = False,
    weights: Any = None,
    weight_col: str | None = None,
    clusters: Any = None,
    cluster_col: str | None = None,
    model: Any = None,
    strict: bool = False,
    profile: str = "trec_eval-10",
    keep_names: bool = False,
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Values:
    """Evaluate a run: one value per query and measure, with means, intervals and the policy.

    Args:
        qrels: judgments in any format that `read_qrels` takes. Without a run: a `Judged`, or a single file with
            questions, retrieved and relevant documents, see `read_questions`.
        run: a ranking in any format that `read_run` takes. Several files, a dataset, a lazy frame or a Spark DataFrame
            are scanned in partitions, see `docs/guides/scale.md`.
        measures: measures, such as nDCG@10 AP P@{1,5}; names or objects: `"nDCG@10 AP"`, `[nDCG @ 10, "RR"]`.
        level: lowest relevant grade; binary measures that set their own keep it. [default: 1]
        bounds: also compute values as if all unjudged documents were irrelevant, and as if they had the top grade; see
            `Values.if_irrelevant` and `Values.if_top`.
        weights: table of query weights for means and intervals, such as traffic; or {query: weight}.
        weight_col: column of the weights in that table. [default: weight]
        clusters: table of query clusters, such as users; or {query: cluster}. Queries of a cluster are not independent, so
            intervals count clusters as units.
        cluster_col: column of the clusters in that table. [default: cluster]
        model: judgments by a model, for more queries than people judged; means then estimate those of human judgments of all queries, see
            `docs/guides/judging.md`.
        strict: turn every warning into an error.
        profile: conventions of another tool, see `PROFILES`.
        keep_names: use the names of measures as written, such as "map", in all output.
        progress: callback `progress(done, total)`, called periodically while a large run is scanned.
        options: policies, see `Policy`; column names (`query_col`, `doc_col`, `score_col`, `grade_col`, `rank_col`), each used in
            every table that has the column; `grade_map`, grades for words; `split`, for inputs that have several; `roll_up`, `documents`,
            `chunks`, `tokens`, `exclude_self` and `overlap`, which prepare the inputs, see `docs/guides/rag.md`; and `engine`: `memory`, `local`, `spark`, or an executor such as `Threads(4)` or `Spark(session)`.

    >>> print(evaluate({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.2, "b": 0.9}}, "RR AP").mean())
    {'RR': 0.5, 'AP': 0.5}
    """
    given: Mapping[str, Any] = options
    if isinstance(qrels, Judged):
        if isinstance(run, str | list | Measure) and measures == DEFAULT:
            measures, run = run, None  # evaluate(judged, "AP")
        if run is not None or options or model is not None:
            raise UsageError("judged", "a Judged already contains its run and policies", hint="pass no others")
        parsed = parse_measures(measures, profile, level, keep_names=keep_names, given=ORDER_POLICIES)
        source = Provenance(qrels)
    else:
        if measures is DEFAULT:
            check_is_no_measure(run)
        parsed = parse_measures(measures, profile, level, keep_names=keep_names, given=options)
        if model is not None:  # a named column may be in any of the three, and a stream is read once for both
            judgments, ranking = (None, qrels) if run is None else (qrels, run)
            inputs = open_named(judgments, [(None, ranking)], options, model)
            qrels, run, given, model = inputs.qrels, inputs.runs[0][1], inputs.options, inputs.model
        source = read_and_join(qrels, run, profile, given, progress)
    values = measure_all(source, parsed, strict=strict, profile=profile)
    if bounds:
        values = with_bounds(values, source.judged)
    if model is not None:
        from judged.evaluation.model_judgments import with_model

        by_model = read_and_join(model, run, profile, given, progress)
        values = with_model(values, measure_all(by_model, parsed, strict=strict, profile=profile))
    if weights is not None:
        from judged.evaluation.weights import weigh

        values = weigh(values, weights, weight_col, strict=strict)
    if clusters is not None:
        from judged.evaluation.weights import cluster

        values = cluster(values, clusters, cluster_col)
    judged = source.judged
    if (  # a reader warned, a ranking is missing or empty, none has a judged document, or grades may be a scale
        getattr(source.qrels, "warnings", ())
        or getattr(source.run, "warnings", ())
        or np.count_nonzero(judged.retrieved) < len(judged.retrieved)
        or not len(judged.query)
        or np.count_nonzero(judged.pool.grade >= _SCALE)
    ):
        issue_warnings(values.warnings)
    return values


def check_is_no_measure(run: Any) -> None:
    """Raise `runs` if measures are where a run belongs: a measure, or its name if there is no file of this name."""
    if isinstance(run, str) and not os.path.exists(run):  # noqa: PTH110 - `Path` raises if it is too long
        try:
            parse_all(run)
        except UsageError:
            return
    elif not isinstance(run, Measure):
        return
    hint = Hint("name measures with {measures}", measures=str(run))
    raise UsageError("runs", f"{shown(run)} is a measure, not a run", hint=hint)


def parse_measures(
    measures: Measures,
    profile: str,
    level: float | None = None,
    *,
    keep_names: bool = False,
    given: Iterable[str] = (),
) -> list[Measure]:
    """Parse measures, and apply a profile and a level to those that do not set the parameters themselves; `given` are options that stay."""
    names = tuple(measures) if isinstance(measures, list | tuple) else (measures,)
    known = all(type(name) is str for name in names) and isinstance(level, int | float | None)
    parse = _parse_measures if known else _parse_measures.__wrapped__
    return list(parse(names, profile, level, keep_names, frozenset(given), MEASURES.version))


@lru_cache(maxsize=256, typed=True)
def _parse_measures(
    measures: tuple[Any, ...],
    profile: str,
    level: float | None,
    keep_names: bool,
    given: frozenset[str],
    version: object,
) -> list[Measure]:
    """Parse names once; `version` changes with the declared measures."""
    conventions = None if profile == UNCHANGED else find_profile(profile)
    applied = []
    for measure in parse_all(measures[0] if len(measures) == 1 else measures, keep_names=keep_names):
        under = replace(measure, policy=()) if conventions is None else conventions.apply(measure, given)
        applied.append(replace(under if level is None else with_level(under, level), label=measure.label))
    parsed = list(dict.fromkeys(applied))
    named = {str(m): m for m in parsed}
    other = next((m for m in parsed if named[str(m)] != m), None)
    if other is not None:
        raise UsageError(
            "parameter",
            f"two measures are called {other}",
            hint="give their functions different names",
            value=str(other),
        )
    if not parsed:
        raise UsageError(
            "measure", "no measure was given", hint=Hint("name at least one with {measures}", measures="nDCG@10")
        )
    return parsed


def measure_all(source: Provenance, measures: list[Measure], *, profile: str, strict: bool = False) -> Values:
    """Compute measures, each under its own policies."""
    judged, views = source.judged, Views(source)
    with step("measuring"):
        columns = {str(m): values for m, values in zip(measures, views.columns(measures), strict=True)}
    for values in columns.values():
        values.flags.writeable = False
    if judged.policy.empty == "error":
        level_warnings(judged, measures)  # which raises it
    sampled = views.warnings(measures)  # at once: all orders of ties are large
    result = Values(
        queries=judged.pool.queries,
        measures=tuple(measures),
        columns=columns,
        policy=judged.policy,
        profile=profile,
        names=judged.names,
        coverage=lambda _: _coverage(judged),  # type: ignore[arg-type]
        unanswerable=_count_answers(source) if source.qrels is not None and source.qrels.questions else None,
        source=source,
        warnings=lambda _: judged.warnings + level_warnings(judged, measures) + sampled,  # type: ignore[arg-type]
    )
    if strict:
        check_strict(result.warnings)
    return result


def _count_answers(source: Provenance) -> Any:
    """Return a function that counts the questions without an answer when they are asked for."""
    from judged.evaluation.unanswerable import count_answers

    return lambda _: count_answers(source)


def with_bounds(values: Values, judged: Judged) -> Values:
    """The same values with their bounds: all unjudged documents irrelevant, and all of the top grade."""
    top = float(judged.pool_grade.max(initial=1.0))
    bounded = [m for m in values.measures if m.definition.needs == "grades" and not m.definition.text]
    bounded = [m for m in bounded if m.definition.family != "coverage"]
    views = Views(values.source or Provenance(judged))
    made: dict[tuple[Any, ...], list[Judged]] = {}
    filled = []
    for m in bounded:
        source = views.of(m)
        sets = (_fill(m, one, (0.0, top), made) for one in source.alternatives or (source.judged,))
        filled.append(list(zip(*sets, strict=True)))  # for each grade, the ranking with each set of judgments
    views.compute_together(
        (one, m) for m, grades in zip(bounded, filled, strict=True) for some in grades for one in some
    )
    low, high = dict(values.columns), dict(values.columns)
    for m, grades in zip(bounded, filled, strict=True):
        for side, some in zip((low, high), grades, strict=True):
            columns = [column(m, one, views.orders(one)) for one in some]
            side[str(m)] = best(m, columns) if len(columns) > 1 else columns[0]
    return replace(values, if_irrelevant=low, if_top=high)


def _fill(
    measure: Measure, judged: Judged, grades: tuple[float, ...], made: dict[tuple[Any, ...], list[Judged]]
) -> list[Judged]:
    """Give unjudged documents each of the grades, at the ranks that the measure can see: those below its cutoff would only enlarge the pool.

    `made` keeps the rankings for all measures that see the same ranks.
    """
    cutoff, tokens = (measure.get(name) for name in ("cutoff", "tokens"))
    if "cutoff" not in measure.definition.laws or judged.policy.ties == "expected":
        cutoff = None  # the order of ties decides which documents are above the cutoff
    if cutoff is not None and cutoff >= judged.retrieved.max(initial=0):
        cutoff = None
    key = (id(judged), cutoff, None if judged.policy.ties == "expected" else tokens)
    if key not in made:
        from judged.core.judged_views import fill_unjudged
        from judged.core.passages import cut_to_budget

        cut = judged if key[2] is None else cut_to_budget(judged, key[2])
        made[key] = fill_unjudged(cut if cutoff is None else cut.cut(cutoff), grades)
    return made[key]


def _coverage(judged: Judged) -> dict[str, float]:
    """Mean share of judged documents in the top 10; not defined for rankings without their unjudged documents."""
    if judged.policy.unjudged == "condensed":
        return {}
    return {"judged@10": mean(parse_measures("Judged@10", UNCHANGED)[0].on(judged))}
