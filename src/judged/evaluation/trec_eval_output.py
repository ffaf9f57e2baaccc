"""The procedure and the output of trec_eval 10."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.reference import ranked_rows
from judged.core.tables import IdColumn, Qrels, Run, as_text, raw_id
from judged.errors import DataError, FileError, UsageError, Warned
from judged.io.formats.trec_eval import FORMATS, open_ranking, read_judgments, read_ranking, read_zscores
from judged.measures.other_tools import RUN_ID
from judged.measures.trec_names import Printed, parse_requests, printed_values
from judged.stats.intervals import FLOOR, total
from judged.steps import step

PREFERENCES = ("prefs", "qrels_prefs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The flags of trec_eval."""

    measures: tuple[str, ...] = ("official",)  # -m
    per_topic: bool = False  # -q
    summary: bool = True  # -n says no
    complete: bool = False  # -c
    level: int = 1  # -l
    depth: int | None = None  # -M
    judged_only: bool = False  # -J
    collection: int = 0  # -N
    form: str = "qrels"  # -R
    topic: str | None = None  # -D 0.topic


class Topics(NamedTuple):
    """The judged topics sorted by id, the positions of those that are evaluated, and a mask of those that the run lacks."""

    names: list[str]
    rows: list[int]
    missing: NDArray[np.bool_]


class ScannedRun(NamedTuple):
    """A run that was not read: its tag, and its join with the judgments."""

    tag: str
    judged: Judged
    warnings: tuple[Warned, ...] = ()


Stop = tuple[int, str]  # the topic at which trec_eval stops, and its message


@dataclass(frozen=True, slots=True)
class TrecEvalOutput:
    """Standard output, standard error and the exit code."""

    lines: tuple[str, ...] = ()
    message: str = ""
    exit_code: int = 0


class _QuitError(Exception):
    """Output without lines."""

    def __init__(self, code: int, message: str) -> None:
        self.outcome = TrecEvalOutput((), f"{message}\n", code)
        super().__init__(message)


# ── topics and rankings ──────────────────────────────────────────────────────────────────────────


def _topics(options: Options, qrels: Qrels, run: Run | ScannedRun) -> Topics:
    raw = sorted(qrels.queries.tolist())
    names = list(map(as_text, raw))
    rows = [i for i, name in enumerate(names) if options.topic in (None, name)]
    if isinstance(run, ScannedRun):
        return Topics(names, rows, ~run.judged.answered)
    answered = set(run.queries.tolist())
    return Topics(names, rows, np.array([name not in answered for name in raw]))


def _scan_run(options: Options, qrels: Qrels, path: str) -> ScannedRun | None:
    """Join a run without reading it; None if it has to be read: for unusual rows, duplicates, or no topic in common."""

    def leave() -> NoReturn:
        raise DataError("columns", "a row that only the reader takes")

    try:
        opened = open_ranking(path, leave)
        judged = None if opened is None else join(qrels, opened[0], _policy(options))
    except (DataError, FileError):  # the reader reports errors
        return None
    if opened is None or judged is None or _repeats(judged):
        return None
    return ScannedRun(opened[1], judged)


def _repeats(judged: Judged) -> bool:
    return any(warning.slug == "duplicate-judgment" for warning in judged.warnings)


def _policy(options: Options) -> Policy:
    preferences = options.form in PREFERENCES
    return Policy(
        ties="id-asc" if preferences else "id-desc",
        depth=options.depth if options.depth and options.depth > 0 else None,
        unjudged="condensed" if options.judged_only and not preferences else "irrelevant",
    )


def _join_topics(options: Options, qrels: Qrels, run: Run | ScannedRun, topics: Topics) -> tuple[Judged, Stop | None]:
    """Return the join, and the first evaluated topic with a duplicate document; in other topics, duplicates are not an error.

    A missing topic is evaluated as a ranking of one unjudged document.
    """
    policy, repeat = _policy(options), None
    if isinstance(run, ScannedRun):
        judged = run.judged
    else:
        if topics.missing.all():
            topic = IdColumn.of([raw_id(topics.names[0])])  # a run of one unjudged document
            run = Run(
                name="run", queries=topic, query=np.zeros(1, np.int64), doc=IdColumn.of([b"\0"]), score=np.ones(1)
            )
        try:
            judged = join(qrels, run, policy)
            repeated = _repeats(judged)
        except DataError as error:
            if error.slug not in ("duplicate-doc", "duplicate-judgment"):
                raise
            judged, repeated = join(qrels, run, replace(policy, duplicates="best", rejudged="max")), True
        repeat = _first_repeat(options, qrels, run, topics) if repeated else None
    alone = 0 if policy.unjudged == "condensed" else 1
    judged = replace(judged, retrieved=np.where(topics.missing, alone, judged.retrieved))
    return judged.cut(0) if options.depth is not None and options.depth <= 0 else judged, repeat


# ── duplicate documents ──────────────────────────────────────────────────────────────────────────


def _first_repeat(options: Options, qrels: Qrels, run: Run, topics: Topics) -> Stop | None:
    """The first topic with a duplicate document; its ranking is checked before its judgments."""
    place = {raw_id(topics.names[row]): row for row in topics.rows}
    stops = [_repeat_in_run(options, run, place)]
    if options.form != "qrels_jg":  # the reader rejects them
        stops.append(_repeat_in_judgments(options, qrels, place))
    return min((stop for stop in stops if stop is not None), default=None, key=lambda stop: stop[0])


def _repeat_in_run(options: Options, run: Run, place: dict[bytes, int]) -> Stop | None:
    query, row = ranked_rows(run, Policy(ties=_policy(options).ties), keep_duplicates=True)
    above = np.arange(len(row)) - np.searchsorted(query, query)
    row = row if options.depth is None else row[above < options.depth]
    keys = zip(_topics_in(run, place, row), run.doc.take(row).tolist(), strict=True)
    again = _first_repeat_of(keys, count())
    who = "form_prefs_counts" if options.form in PREFERENCES else "form_res_qrels"
    return again and (again[0], f"trec_eval.{who}: duplicate docs {as_text(again[-1])}")


def _repeat_in_judgments(options: Options, qrels: Qrels, place: dict[bytes, int]) -> Stop | None:
    topics, docs = _topics_in(qrels, place, np.arange(len(qrels.query))), qrels.doc.tolist()
    if options.form not in PREFERENCES:
        again = _first_repeat_of(zip(topics, docs, strict=True), count())
        return again and (again[0], f"trec_eval.form_res_rels: duplicate docs {as_text(again[-1])}\n")
    parts = [ids.tolist() for ids in (qrels.aspect, qrels.sub) if ids is not None]  # only a contradiction is an error
    again = _first_repeat_of(zip(topics, *parts, docs, strict=True), qrels.grade.tolist())
    text = "trec_eval.form_prefs_counts: doc '{}' occurs with different rel_level in same jsg\n"
    return again and (again[0], text.format(as_text(again[-1])))


def _topics_in(rows: Run | Qrels, place: dict[bytes, int], chosen: Ints) -> list[int]:
    """Evaluated topic of some rows; -1 if its topic is not evaluated."""
    topic = np.array([place.get(raw, -1) for raw in rows.queries.tolist()], dtype=np.int64)
    return topic[rows.query[chosen]].tolist()


def _first_repeat_of(keys: Iterable[tuple[Any, ...]], values: Iterable[Any]) -> tuple[Any, ...] | None:
    """The first key, sorted, of an evaluated topic that occurs again with another value."""
    known: dict[tuple[Any, ...], Any] = {}
    repeated = []
    for key, value in zip(keys, values, strict=False):
        if key[0] >= 0 and known.get(key, value) != value:
            repeated.append(key)
        known[key] = value
    return min(repeated, default=None)


# ── output ───────────────────────────────────────────────────────────────────────────────────────

T = TypeVar("T")
Zscores = Mapping[tuple[str, str], tuple[float, float]]

_NO_ZSCORE = -1000000.0
_COUNTED_ALONE = "num_q"  # needs neither judgments nor a ranking
_UNDONE = ("num_ret", "utility", "relstring", "rbp_resid")  # 0 or empty for missing topics, under these names only
_NEEDS = {
    "grades": (("qrels",), "trec_eval.form_res_qrels: rel_info format not qrels or results format not trec_results"),
    "groups": (("qrels_jg",), "trec_eval: rel_info format not qrels_jg or results format not trec_results"),
    "preferences": (
        PREFERENCES,
        "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) or results format not trec_results",
    ),
}


def evaluate_files(options: Options, qrels: str, run: str, zscores: str | None = None) -> TrecEvalOutput:
    """Read the files, then `evaluate`."""
    if options.form not in FORMATS:
        return TrecEvalOutput((), f"trec_eval: Illegal rel_format '{options.form}'\n", 2)
    try:
        judgments = _read(2, read_judgments, qrels, options.form)
        ranking = _scan_run(options, judgments, run) or _read(2, read_ranking, run)
        table = _read(255, read_zscores, zscores) if zscores else None
    except _QuitError as quitting:
        return quitting.outcome
    return evaluate(options, judgments, ranking, table)


def _read(code: int, read: Callable[..., T], path: str, *more: str) -> T:
    try:
        return read(path, *more)
    except (DataError, FileError) as error:
        problem = f"{error}"
        if isinstance(error.__cause__, IsADirectoryError):
            problem = f"{path}: cannot read a directory. Use `judged eval`, which reads directories of runs."
        elif error.slug == "columns":
            problem += "\n`judged eval` also reads CSV, JSON and other formats."
        raise _QuitError(code, f"{problem}\ntrec_eval: Quit in file '{path}'") from error


def evaluate(options: Options, qrels: Qrels, run: Run | ScannedRun, zscores: Zscores | None = None) -> TrecEvalOutput:
    """Return the lines that trec_eval prints; if it stops at a topic, those of the topics before, and its message."""
    try:
        return _evaluate(options, qrels, run, zscores)
    except _QuitError as quitting:
        return quitting.outcome


def _evaluate(options: Options, qrels: Qrels, run: Run | ScannedRun, zscores: Zscores | None) -> TrecEvalOutput:
    names = parse_requests(options.measures)
    values = [value for name, text in names.items() if name != RUN_ID for value in _parse_values(options, name, text)]
    topics = _topics(options, qrels, run)
    stop = _before_any_join(options, topics, values)
    judged, repeat = _join_topics(options, qrels, run, topics)
    measure = next((value.asked for value in values if value.asked != _COUNTED_ALONE), None)
    if repeat is not None and measure and (stop is None or repeat[0] < stop[0]):
        stop = repeat[0], f"{repeat[1]}trec_eval: Can't calculate measure '{measure}'"
    done = [row for row in topics.rows if stop is None or row < stop[0]]
    if stop is not None and not (options.per_topic and done):
        raise _QuitError(4, stop[1])
    with step("measuring"):
        columns = [_column(value, judged, topics, done, zscores) for value in values]
    table, mark = list(zip(values, columns, strict=True)), "" if zscores is None else "Z"
    lines = list(_per_topic(table, [topics.names[row] for row in done], mark)) if options.per_topic else []
    if stop is not None:
        return TrecEvalOutput(tuple(lines), f"{stop[1]}\n", 4)
    if options.summary:
        lines += [f"{RUN_ID:<22}\tall\t{run.tag}"] if RUN_ID in names else []
        divisor = float(len(topics.names) if options.complete else len(done))
        known = {_COUNTED_ALONE: divisor}
        if options.complete:
            known["num_rel"] = float((qrels.grade > 0).sum())  # at every level
        for value, column in table:
            if not value.definition.text:
                number = known.get(value.asked, _sum(value, column, divisor))
                lines.append(f"{_head(value, mark)}\tall\t{_format(value, [number], mark)[0]}")
    warnings = "".join(f"judged: {warning}\n" for warning in run.warnings if warning.slug == "score-nan")
    return TrecEvalOutput(tuple(lines), warnings)


def _parse_values(options: Options, name: str, text: str) -> list[Printed]:
    try:
        return printed_values(name, text, level=options.level, collection=options.collection)
    except UsageError as error:
        raise _QuitError(2, f"{error.problem}\ntrec_eval: Cannot initialize measure '{name}'") from error


def _before_any_join(options: Options, topics: Topics, values: list[Printed]) -> Stop | None:
    """Return the first topic that the run lacks, unless -c is given; raise if no topic can be evaluated."""
    if not topics.rows:
        raise _QuitError(7, "trec_eval: No queries with both results and relevance info")
    stop = None
    lacking = [] if options.complete else [row for row in topics.rows if topics.missing[row]]
    if lacking:
        stop = lacking[0], f"trec_eval: result qid '{topics.names[lacking[0]]}' not found in qrels"
        if lacking[0] == topics.rows[0]:
            raise _QuitError(4, stop[1])
    for value in values:
        forms, text = _NEEDS[value.definition.needs]
        if options.form not in forms and value.asked != _COUNTED_ALONE:
            raise _QuitError(4, f"{text}\ntrec_eval: Can't calculate measure '{value.asked}'")
    return stop


def _column(value: Printed, judged: Judged, topics: Topics, done: list[int], zscores: Zscores | None) -> list[Any]:
    """One value per evaluated topic."""
    try:
        column: list[Any] = value.measure.on(judged)[done].tolist()
    except (DataError, UsageError) as error:
        raise _QuitError(4, f"{error}\ntrec_eval: Can't calculate measure '{value.asked}'") from error
    if value.definition.summary == "geometric":
        column = [math.log(max(number, FLOOR)) for number in column]
    if value.label in _UNDONE or value.asked == "unj":
        nothing = "" if value.definition.text else 0.0
        column = [nothing if topics.missing[row] else number for row, number in zip(done, column, strict=True)]
    if zscores is None or value.definition.text:
        return column
    known = [zscores.get((topics.names[row], value.label)) for row in done]
    return [_zscore(number, pair) for number, pair in zip(column, known, strict=True)]


def _zscore(number: float, known: tuple[float, float] | None) -> float:
    """Return the z-score of a value: its distance from the mean, in standard deviations."""
    mean, deviation = known or (math.nan, 0.0)
    if deviation:
        return (number - mean) / deviation
    return 0.0 if number == mean else _NO_ZSCORE


def _per_topic(table: list[tuple[Printed, list[Any]]], names: list[str], mark: str) -> Iterator[str]:
    shown = [
        (_head(value, mark), _format(value, column, mark))
        for value, column in table
        if value.asked != _COUNTED_ALONE and value.definition.summary != "geometric"
    ]
    for row, topic in enumerate(names):
        for head, texts in shown:
            yield f"{head}\t{topic}\t{texts[row]}"


def _sum(value: Printed, column: list[Any], count: float) -> float:
    """The summary of a column over this number of topics."""
    added = total(np.array(column, dtype=float))
    if value.definition.summary == "geometric":
        return math.exp((added + (count - len(column)) * math.log(FLOOR)) / count)
    return added if value.definition.summary == "sum" else added / count


def _head(value: Printed, mark: str) -> str:
    return f"{'' if value.definition.text else mark}{value.label:<22}"


def _format(value: Printed, column: list[Any], mark: str) -> list[str]:
    if value.definition.text:
        return [f"'{text}'" for text in column]
    if value.definition.whole and not mark:
        return [str(int(number)) for number in column]
    return [f"{number:6.4f}" for number in column]
