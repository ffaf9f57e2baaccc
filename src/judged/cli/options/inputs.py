"""Files as the functions of judged take them: runs with names, and question files, which contain their judgments."""

from __future__ import annotations

import os
from typing import Any

import click


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
