"""Files as the functions of judged take them: runs with names, and question files, which contain their judgments."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.command import option

F = TypeVar("F", bound=Callable[..., Any])


def named_files(runs: tuple[str, ...]) -> Any:
    """Split `NAME=FILE`: a list of files, or {name: file} if any run is named."""
    pairs = [run.partition("=") if "=" in run and not os.path.exists(run) else ("", "", run) for run in runs]  # noqa: PTH110 - see `main`
    if not any(name for name, _, _ in pairs):
        return list(runs)
    from judged.io.run_names import short_names

    unnamed = [file for name, _, file in pairs if not name]
    short = dict(zip(unnamed, short_names(unnamed), strict=True))
    named = {name or short[file]: file for name, _, file in pairs}
    if len(named) < len(runs):
        raise click.UsageError("Two runs have the same name.")
    return named


def named_file(word: str) -> Any:
    """A file, or {name: file} for `NAME=FILE`."""
    files = named_files((word,))
    return files if isinstance(files, dict) else word


def unnamed(word: str) -> str:
    """The file of `FILE` or `NAME=FILE`."""
    files = named_files((word,))
    return next(iter(files.values())) if isinstance(files, dict) else word


def split_files(qrels: str, runs: tuple[str, ...], session: Any = None, *, short: bool = False) -> tuple[Any, Any]:
    """Judgments and runs, as functions take them; a first input with a name is a run too: a question file, which has its judgments.

    Args:
        qrels: the first input.
        runs: the other inputs.
        session: a Spark session, of which `table:NAME` is a table.
        short: name every run, without folders and extensions, in warnings too.
    """
    if isinstance(named_files((qrels,)), dict):
        return named_files((qrels, *runs)), None
    files = named_files(runs)
    if short and isinstance(files, list):
        from judged.io.run_names import short_names

        files = dict(zip(short_names(files), files, strict=True))
    if session is not None:
        from judged.cli.options.engine import open_tables

        files = open_tables(files, session)
    return qrels, files or None


def evaluate_files(
    qrels: str, runs: tuple[str, ...], settings: dict[str, Any], session: Any = None, *, short: bool = False
) -> list[Any]:
    """Evaluate each run; the judgments are read once."""
    from judged.evaluation.evaluate import evaluate
    from judged.evaluation.inputs import open_inputs

    judgments, files = split_files(qrels, runs, session, short=short)
    inputs = open_inputs(judgments, files, settings, settings.get("model"))
    options = inputs.options if inputs.model is None else {**inputs.options, "model": inputs.model}
    return [evaluate(inputs.qrels, run, **options) for _, run in inputs.runs]


_COLUMNS = {
    "query": "query id",
    "doc": "document id",
    "score": "score",
    "grade": "grade",
    "rank": "rank",
    "session": "session",
    "click": "click",
}


def _grade_map(ctx: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> dict[str, float] | None:
    """Read `WORD=GRADE,WORD=GRADE`; the option may be repeated."""
    pairs = [pair.rpartition("=") for word in words for pair in word.split(",")]
    try:
        grades = {word.strip(): float(grade) for word, _, grade in pairs}
    except ValueError:
        grades = {"": 0.0}
    if "" in grades:
        raise click.BadParameter(f"{','.join(words)!r} is not a list such as Exact=3,Substitute=2.", ctx, parameter)
    return grades or None


def column_options(*roles: str) -> Callable[[F], F]:
    """Declare the names of the columns of these roles; with grades also the grades of words, of runs and judgments also the split."""

    def declare(command: F) -> F:
        if "grade" in roles:
            command = option(
                "--grade-map",
                multiple=True,
                metavar="WORD=GRADE,...",
                group="Input",
                callback=_grade_map,
                help="Grades for words, such as Exact=3,Substitute=2.",
            )(command)
        if {"doc", "grade"} <= set(roles) or {"doc", "score"} <= set(roles):
            command = option(
                "--split",
                metavar="NAME",
                group="Input",
                help="Split to read, of a BEIR folder or MTEB predictions with several.",
            )(command)
        for role in reversed(roles):
            command = option(
                f"--{role}-col",
                metavar="NAME",
                group="Input",
                help=f"Name of the {_COLUMNS[role]} column, in all input tables.",
            )(command)
        return command

    return declare


def chosen_columns(options: dict[str, Any]) -> dict[str, Any]:
    """The columns and grades that were chosen, as arguments of the functions that read the inputs."""
    names = (*(f"{role}_col" for role in _COLUMNS), "grade_map", "split")
    return {name: options[name] for name in names if options.get(name) is not None}


class TableReader:
    """Reads runs and judgments with the columns that were named on the command line, and without them leaves files as they are."""

    def __init__(self, options: dict[str, Any]) -> None:
        from judged.evaluation.options import requested_columns
        from judged.io.columns import ANY_COLUMNS

        self._columns = requested_columns(chosen_columns(options))
        self._is_plain = self._columns is ANY_COLUMNS
        self.check_used = self._columns.check_used

    def run(self, word: str) -> Any:
        """The run of `[NAME=]FILE`, as an input of `read_run`."""
        files = named_files((word,))
        if isinstance(files, list) and self._is_plain:
            return word
        from judged.io.read import read_requested_run

        [(name, file)] = files.items() if isinstance(files, dict) else [(None, word)]
        return read_requested_run(file, self._columns.request("run"), name=name)

    def qrels(self, file: str | None) -> Any:
        """Judgments or interactions, as an input of `read_qrels`; None stays."""
        if file is None or self._is_plain:
            return file
        from judged.io.read import read_requested_qrels

        return read_requested_qrels(file, self._columns.request("qrels"))


def check_stdin(*files: str) -> None:
    """Raise if standard input (-) is named twice."""
    if files.count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other input.")
