"""Options of the engine: this process, its threads over partitions of a run, or Spark."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import click

from judged.cli.options.command import option
from judged.steps import step

F = TypeVar("F", bound=Callable[..., Any])

_TABLE = "table:"
_OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "--engine",
        {
            "type": click.Choice(["memory", "local", "spark"]),
            "help": "memory: read the whole run; local: scan partitions with little memory; spark: scan them on a cluster. "
            "[default: local for directories and patterns, else memory]",
        },
    ),
    (
        "--workers",
        {
            "type": click.IntRange(1),
            "metavar": "N",
            "help": "Number of threads of --engine local. [default: number of cores]",
        },
    ),
    (
        "--master",
        {
            "metavar": "URL",
            "help": "Cluster of --engine spark: local[4], spark://host:7077, yarn, sc://host. [default: from the Spark configuration]",
        },
    ),
)


def engine_options(command: F) -> F:
    """Declare where and how runs are scanned."""
    for name, settings in reversed(_OPTIONS):
        command = option(name, group="Input", **settings)(command)
    return command


@contextmanager
def open_engine(options: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Callable[[Any], Any]]]:
    """Yield arguments of `evaluate`, and a function that opens runs: on Spark, `table:NAME` is a table."""
    engine = options["engine"]
    if options["workers"] and engine not in (None, "local"):
        raise click.UsageError("--workers is for --engine local; Spark has its own settings.")
    if options["master"] and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    if engine == "spark":
        session = _start_session(options["master"])
        try:
            from judged.distributed.spark_executor import Spark

            yield {"engine": Spark(session)}, partial(_open_each, lambda run: _open_table(run, session))
        finally:
            session.stop()
        return
    if engine == "local" or options["workers"]:
        from judged.distributed.executors import Threads

        engine = Threads(options["workers"])
    yield ({"engine": engine} if engine else {}), partial(_open_each, _check_no_table)


def _open_each(open_: Callable[[str], Any], runs: Any) -> Any:
    """Open the runs of a list, or of {name: run}."""
    return {name: open_(run) for name, run in runs.items()} if isinstance(runs, dict) else [open_(run) for run in runs]


def _open_table(run: str, session: Any) -> Any:
    if not run.startswith(_TABLE):
        return run
    from judged.io.frames import talking

    with talking():
        return session.table(run.removeprefix(_TABLE))


def _check_no_table(run: str) -> str:
    if run.startswith(_TABLE):
        raise click.UsageError("Tables are read with --engine spark.")
    return run


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
