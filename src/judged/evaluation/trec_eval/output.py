"""The output of trec_eval 10 for judgments and a run, as data: lines, a message, an exit code.

Values come from the measures. This file has only what is specific to trec_eval: its sums, names, decimals and error messages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from judged.core.judged import Judged
from judged.core.tables import Qrels, Run
from judged.errors import DataError, FileError, UsageError
from judged.evaluation.trec_eval.join import (
    PREFERENCES,
    Options,
    ScannedRun,
    Stop,
    Topics,
    join_topics,
    lacking,
    scan_run,
    topics_of,
)
from judged.io.formats.trec_eval import FORMATS, read_judgments, read_ranking, read_zscores
from judged.measures.other_tools import RUN_ID
from judged.measures.trec_names import Printed, parse_requests, printed_values
from judged.stats.summary import FLOOR, total
from judged.steps import step

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
