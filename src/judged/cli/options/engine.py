"""What carries out an evaluation, as options: this process, its threads over parts of a run, or Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

__all__ = ["engine_asked", "engine_options"]

_TABLE = "table:"


def engine_options(command: Any) -> Any:
    """Where and how the runs are looked through."""
    for option in reversed(
        (
            click.option(
                "--engine",
                type=click.Choice(["memory", "local", "spark"]),
                help="memory: the run may be held whole; local: in parts, in little memory; spark: in parts, on a cluster.  [default: local for "
                "directories and patterns, else memory]",
            ),
            click.option(
                "--workers",
                type=click.IntRange(1),
                metavar="N",
                help="Threads of --engine local.  [default: one a core]",
            ),
            click.option(
                "--master",
                metavar="URL",
                help="The cluster of --engine spark: local[4], spark://host:7077, yarn, sc://host.  [default: as Spark is set up]",
            ),
            click.option(
                "--repeats",
                type=click.Choice(["judged", "all"]),
                help="Which documents that stand twice are looked for in a run in parts; all of them takes longer.  [default: judged]",
            ),
        )
    ):
        command = option(command)
    return command


@contextmanager
def engine_asked(options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Callable[[Any], Any]]]:
    """Arguments of `evaluate`, and what makes runs out of words: a table by its name (`table:NAME`) on Spark, else as they were given."""
    engine = options["engine"]
    asked = {"repeats": options["repeats"]} if options["repeats"] else {}
    if options["workers"] and engine not in (None, "local"):
        raise click.UsageError("--workers is for --engine local; Spark has its own settings.")
    if options["master"] and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    if engine == "spark":
        session = _session(options["master"])
        try:
            from judged.distributed.spark.executor import Spark

            yield {**asked, "engine": Spark(session)}, partial(_each, lambda run: _table(run, session))
        finally:
            session.stop()
        return
    if engine == "local" or options["workers"]:
        from judged.distributed.executors import Threads

        engine = Threads(options["workers"])
    yield ({**asked, "engine": engine} if engine else asked), partial(_each, _no_table)


def _each(open_: Callable[[str], Any], runs: Any) -> Any:
    """The runs of a list, or of {name: run}."""
    return {name: open_(run) for name, run in runs.items()} if isinstance(runs, dict) else [open_(run) for run in runs]


def _table(run: str, session: Any) -> Any:
    if not run.startswith(_TABLE):
        return run
    from judged.io.tables.spark_frames import talking

    with talking():
        return session.table(run.removeprefix(_TABLE))


def _no_table(run: str) -> str:
    if run.startswith(_TABLE):
        raise click.UsageError("Tables are read with --engine spark.")
    return run


def _session(master: str | None) -> Any:
    """A session of our own, with executors that run the Python that runs us where they are on this machine."""
    from judged.errors import EngineError, UsageError

    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(
            "needs", "pyspark, for --engine spark", got="none", hint="pip install 'judged[spark]'"
        ) from error
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
    except SystemExit as error:  # how PySpark says that a module is missing
        raise UsageError(
            "needs", "the modules of Spark Connect", got="not all of them", hint="pip install 'pyspark[connect]'"
        ) from error
    except Exception as error:  # no Java, no cluster, a wrong address: each says it in its own way
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise EngineError(
            "engine",
            "a Spark session",
            got=reason,
            hint="is Java 17 installed, and the cluster there? see docs/scale.md",
        ) from error
    return session
