"""Inputs of commands: runs with names, question files, which contain their judgments, and tables of a Spark session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from judged.cli.options.command import option
from judged.steps import step


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


# ── Spark ────────────────────────────────────────────────────────────────────────────────────────

master_option = option(
    "--master",
    metavar="URL",
    group="Input",
    help="Cluster of --engine spark: local[4], spark://host:7077, yarn, sc://host. [default: from the Spark configuration]",
)


@contextmanager
def spark_session(settings: dict[str, Any], master: str | None) -> Iterator[Any]:
    """Start the session of `--engine spark`, which evaluations find as the active one, and stop it; None for other engines."""
    if settings.get("engine") != "spark":
        if master:
            raise click.UsageError("--master is for --engine spark.")
        yield None
        return
    session = _start_session(master)
    try:
        yield session
    finally:
        session.stop()


def open_tables(runs: Any, session: Any) -> Any:
    """Open `table:NAME` among runs, which are a list or {name: run}."""
    from judged.io.frames import talking

    def opened(run: str) -> Any:
        return session.table(run.removeprefix("table:")) if run.startswith("table:") else run

    with talking():
        return {n: opened(run) for n, run in runs.items()} if isinstance(runs, dict) else list(map(opened, runs))


@step("starting Spark")
def _start_session(master: str | None) -> Any:
    """Start a Spark session; executors on this machine run the same Python."""
    from judged.errors import EngineError, UsageError

    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError("needs", "the engine spark needs pyspark", hint="run pip install 'judged[spark]'") from error
    builder = (
        SparkSession.builder.appName("judged")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    )
    if master is None or master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    try:
        session = builder.getOrCreate()
    except SystemExit as error:  # PySpark exits if a module is missing
        raise UsageError(
            "needs", "Spark Connect needs further modules", hint="run pip install 'pyspark[connect]'"
        ) from error
    except Exception as error:  # no Java, no cluster, a wrong address: each has its own type
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise EngineError(
            "engine",
            f"cannot start a Spark session: {reason}",
            hint="check that Java 17 is installed and the cluster is running, see docs/guides/scale.md",
        ) from error
    return session
