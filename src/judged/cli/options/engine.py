"""Spark on the command line: the session that `--engine spark` uses, and its tables as runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from judged.cli.options.command import option
from judged.steps import step

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
