"""The procedure and the output of trec_eval 10."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.core.find.ranking import ranked_rows
from judged.core.ids import IdColumn
from judged.core.join import join
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run
from judged.errors import DataError, FileError, UsageError, Warned
from judged.evaluation.provenance import as_text, raw_id
from judged.io.formats.trec_eval import FORMATS, open_ranking, read_judgments, read_ranking, read_zscores
from judged.measures.other_tools import RUN_ID
from judged.measures.trec_names import Printed, parse_requests, printed_values
from judged.stats.summary import FLOOR, total
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


@dataclass(frozen=True, slots=True)
class Topics:
    """The judged topics sorted by id, the positions of those that are evaluated, and a mask of those that the run lacks."""

    names: list[str]
    rows: list[int]
    missing: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ScannedRun:
    """A run that was not read: its tag, and its join with the judgments."""

    tag: str
    judged: Judged
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Stop:
    """The topic at which trec_eval stops, and its message."""

    topic: int
    message: str


def topics_of(options: Options, qrels: Qrels, run: Run | ScannedRun) -> Topics:
    raw = sorted(qrels.queries.tolist())
    names = list(map(as_text, raw))
    rows = [i for i, name in enumerate(names) if options.topic in (None, name)]
    if isinstance(run, ScannedRun):
        return Topics(names, rows, ~run.judged.answered)
    answered = set(run.queries.tolist())
    return Topics(names, rows, np.array([name not in answered for name in raw]))


def lacking(options: Options, topics: Topics) -> Stop | None:
    """Without -c, the first topic that the run lacks."""
    row = next((row for row in topics.rows if topics.missing[row]), None)
    if options.complete or row is None:
        return None
    return Stop(row, f"trec_eval: result qid '{topics.names[row]}' not found in qrels")


class _LeftError(Exception):
    """A row that only the reference can read."""


def scan_run(options: Options, qrels: Qrels, path: str) -> ScannedRun | None:
    """Join a run without reading it; None if it has to be read: for unusual rows, duplicates, or no topic in common."""

    def leave() -> NoReturn:
        raise _LeftError

    try:
        opened = open_ranking(path, leave)
        if opened is None:
            return None
        judged = join(qrels, opened[0], _policy(options))
    except (DataError, FileError, _LeftError):  # the reader reports errors
        return None
    repeated = any(warning.slug == "duplicate-judgment" for warning in judged.warnings)
    return None if repeated else ScannedRun(opened[1], judged)


def _judged_only(options: Options) -> bool:
    return options.judged_only and options.form not in PREFERENCES


def _policy(options: Options) -> Policy:
    return Policy(
        ties="id-asc" if options.form in PREFERENCES else "id-desc",
        depth=options.depth if options.depth and options.depth > 0 else None,
        unjudged="condensed" if _judged_only(options) else "irrelevant",
    )


def join_topics(options: Options, qrels: Qrels, run: Run | ScannedRun, topics: Topics) -> tuple[Judged, Stop | None]:
    """Return the join, and the first evaluated topic with a duplicate document; in other topics, duplicates are not an error."""
    if isinstance(run, ScannedRun):
        return _complete(options, run.judged, topics), None
    policy = _policy(options)
    if topics.missing.all():
        topic = IdColumn.of([raw_id(topics.names[0])])  # a run of one unjudged document
        run = Run(name="run", queries=topic, query=np.zeros(1, np.int64), doc=IdColumn.of([b"\0"]), score=np.ones(1))
    try:
        judged = join(qrels, run, policy)
        repeated = any(warning.slug == "duplicate-judgment" for warning in judged.warnings)
    except DataError as error:
        if error.slug not in ("duplicate-doc", "duplicate-judgment"):
            raise
        judged, repeated = join(qrels, run, replace(policy, duplicates="best", rejudged="max")), True
    return _complete(options, judged, topics), _repeat(options, qrels, run, topics) if repeated else None


def _complete(options: Options, judged: Judged, topics: Topics) -> Judged:
    """Return the join with missing topics, each evaluated as a ranking of one unjudged document."""
    retrieved = np.where(topics.missing, 0 if _judged_only(options) else 1, judged.retrieved)
    judged = replace(judged, retrieved=retrieved)
    return judged.cut(0) if options.depth is not None and options.depth <= 0 else judged


# ── duplicate documents ──────────────────────────────────────────────────────────────────────────


def _repeat(options: Options, qrels: Qrels, run: Run, topics: Topics) -> Stop | None:
    """The first duplicate document; the ranking of a topic is checked before its judgments."""
    place = {raw_id(topics.names[row]): row for row in topics.rows}
    stops = [_in_run(options, run, place)]
    if options.form != "qrels_jg":  # the reader rejects them
        stops.append(_in_judgments(options, qrels, place))
    return min((stop for stop in stops if stop is not None), default=None, key=lambda stop: stop.topic)


def _in_run(options: Options, run: Run, place: dict[bytes, int]) -> Stop | None:
    preferences = options.form in PREFERENCES
    query, row = ranked_rows(run, Policy(ties="id-asc" if preferences else "id-desc"), keep_duplicates=True)
    topic = _topic(run, place)[row]
    above = np.arange(len(row)) - np.searchsorted(query, query)
    kept = (topic >= 0) & (above < (np.inf if options.depth is None else options.depth))
    docs = run.doc.take(row[kept])
    again = _again(topic[kept], docs)
    if not len(again):
        return None
    who = "form_prefs_counts" if preferences else "form_res_qrels"
    return Stop(int(topic[kept][again[0]]), f"trec_eval.{who}: duplicate docs {as_text(docs[int(again[0])])}")


def _in_judgments(options: Options, qrels: Qrels, place: dict[bytes, int]) -> Stop | None:
    topic = _topic(qrels, place)
    seen = np.flatnonzero(topic >= 0)
    message = "trec_eval.form_res_rels: duplicate docs {}\n"
    parts, differs = [], None
    if options.form in PREFERENCES:  # only a contradiction is an error
        message = "trec_eval.form_prefs_counts: doc '{}' occurs with different rel_level in same jsg\n"
        parts = [_codes(ids)[seen] for ids in (qrels.aspect, qrels.sub) if ids is not None]
        differs = qrels.grade[seen]
    again = _again(topic[seen], qrels.doc.take(seen), *parts, differs=differs)
    if not len(again):
        return None
    row = int(seen[again[0]])
    return Stop(int(topic[row]), message.format(as_text(qrels.doc[row])))


def _codes(ids: IdColumn) -> Ints:
    return np.unique(np.array(ids.tolist()), return_inverse=True)[1]


def _topic(rows: Run | Qrels, place: dict[bytes, int]) -> Ints:
    """Evaluated topic of each row; -1 if its topic is not evaluated."""
    return np.array([place.get(raw, -1) for raw in rows.queries.tolist()], dtype=np.int64)[rows.query]


def _again(topic: Ints, doc: IdColumn, *parts: Ints, differs: NDArray[np.float64] | None = None) -> Ints:
    """Return rows that duplicate another row of their topic, sorted by topic and id."""
    order = doc.order(topic, *parts)
    now, before = order[1:], order[:-1]
    same = doc.same(now, doc, before)
    for column in (topic, *parts):
        same &= column[now] == column[before]
    if differs is not None:
        same &= differs[now] != differs[before]
    return now[same]


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


def evaluate_files(options: Options, qrels: str, run: str, zscores: str | None = None) -> TrecEvalOutput:
    """Read the files, then `evaluate`."""
    if options.form not in FORMATS:
        return TrecEvalOutput((), f"trec_eval: Illegal rel_format '{options.form}'\n", 2)
    try:
        judgments = _read(2, read_judgments, qrels, options.form)
        ranking = scan_run(options, judgments, run) or _read(2, read_ranking, run)
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
    topics = topics_of(options, qrels, run)
    stop = _before_any_join(options, topics, values)
    judged, repeat = join_topics(options, qrels, run, topics)
    measure = next((value.asked for value in values if value.asked != _COUNTED_ALONE), None)
    if repeat is not None and measure and (stop is None or repeat.topic < stop.topic):
        stop = Stop(repeat.topic, f"{repeat.message}trec_eval: Can't calculate measure '{measure}'")
    done = [row for row in topics.rows if stop is None or row < stop.topic]
    if stop is not None and not (options.per_topic and done):
        raise _QuitError(4, stop.message)
    with step("measuring"):
        columns = [_column(value, judged, topics, done, zscores) for value in values]
    count = float(len(topics.names) if options.complete else len(done))
    table = _Table([topics.names[row] for row in done], values, columns, count, "" if zscores is None else "Z")
    lines = [*table.per_topic()] if options.per_topic else []
    if stop is not None:
        return TrecEvalOutput(tuple(lines), f"{stop.message}\n", 4)
    if options.summary:
        lines += [f"{RUN_ID:<22}\tall\t{run.tag}"] if RUN_ID in names else []
        relevant = {"num_rel": float((qrels.grade > 0).sum())} if options.complete else {}  # at every level
        lines += table.summary({_COUNTED_ALONE: count, **relevant})
    warnings = "".join(f"judged: {warning}\n" for warning in run.warnings if warning.slug == "score-nan")
    return TrecEvalOutput(tuple(lines), warnings)


def _parse_values(options: Options, name: str, text: str) -> list[Printed]:
    try:
        return printed_values(name, text, level=options.level, collection=options.collection)
    except UsageError as error:
        raise _QuitError(2, f"{error.problem}\ntrec_eval: Cannot initialize measure '{name}'") from error


def _before_any_join(options: Options, topics: Topics, values: list[Printed]) -> Stop | None:
    """Return the first topic that the run lacks; raise if no topic can be evaluated."""
    if not topics.rows:
        raise _QuitError(7, "trec_eval: No queries with both results and relevance info")
    stop = lacking(options, topics)
    if stop is not None and stop.topic == topics.rows[0]:
        raise _QuitError(4, stop.message)
    for value in values:
        forms, text = _NEEDS[value.definition.needs]
        if options.form not in forms and value.asked != _COUNTED_ALONE:
            raise _QuitError(4, f"{text}\ntrec_eval: Can't calculate measure '{value.asked}'")
    return stop


# ── values, sums and lines ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Table:
    """One column per printed value, one row per evaluated topic."""

    names: list[str]
    values: list[Printed]
    columns: list[list[Any]]
    count: float  # divisor of the sums
    mark: str  # prefix of every name

    def per_topic(self) -> Iterator[str]:
        shown = [
            (self._head(value), self._format(value, column))
            for value, column in zip(self.values, self.columns, strict=True)
            if value.asked != _COUNTED_ALONE and value.definition.summary != "geometric"
        ]
        for row, topic in enumerate(self.names):
            for head, texts in shown:
                yield f"{head}\t{topic}\t{texts[row]}"

    def summary(self, known: Mapping[str, float]) -> Iterator[str]:
        for value, column in zip(self.values, self.columns, strict=True):
            if not value.definition.text:
                number = known.get(value.asked, self._sum(value, column))
                yield f"{self._head(value)}\tall\t{self._format(value, [number])[0]}"

    def _sum(self, value: Printed, column: list[Any]) -> float:
        added = total(np.array(column, dtype=float))
        if value.definition.summary == "geometric":
            return math.exp((added + (self.count - len(column)) * math.log(FLOOR)) / self.count)
        return added if value.definition.summary == "sum" else added / self.count

    def _head(self, value: Printed) -> str:
        return f"{'' if value.definition.text else self.mark}{value.label:<22}"

    def _format(self, value: Printed, column: list[Any]) -> list[str]:
        if value.definition.text:
            return [f"'{text}'" for text in column]
        if value.definition.whole and not self.mark:
            return [str(int(number)) for number in column]
        return [f"{number:6.4f}" for number in column]


def _column(value: Printed, judged: Judged, topics: Topics, done: list[int], zscores: Zscores | None) -> list[Any]:
    try:
        column: list[Any] = value.measure.on(judged)[done].tolist()
    except (DataError, UsageError) as error:
        raise _QuitError(4, f"{error}\ntrec_eval: Can't calculate measure '{value.asked}'") from error
    if value.definition.summary == "geometric":
        column = [math.log(max(number, FLOOR)) for number in column]
    if value.label in _UNDONE or value.asked == "unj":
        nothing = "" if value.definition.text else 0.0
        column = [nothing if topics.missing[row] else number for row, number in zip(done, column, strict=True)]
    if zscores is not None and not value.definition.text:
        return [
            _zscore(number, zscores.get((topics.names[row], value.label)))
            for row, number in zip(done, column, strict=True)
        ]
    return column


def _zscore(number: float, known: tuple[float, float] | None) -> float:
    """Return the z-score of a value: its distance from the mean, in standard deviations."""
    mean, deviation = known or (math.nan, 0.0)
    if deviation:
        return (number - mean) / deviation
    return 0.0 if number == mean else _NO_ZSCORE
