"""Spark DataFrames: as frames, by the usual names of their columns, and talking to Spark itself.

Only what classic sessions and Spark Connect both offer is called. PySpark is imported by those who have a DataFrame, not here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NoReturn

import numpy as np

from judged.errors import EngineError, JudgedError, Place, UsageError
from judged.io.read import is_spark
from judged.io.tables.columns import ColumnRequest, RoleColumns, find
from judged.io.tables.frames import Frame
from judged.io.tables.ids import Column

__all__ = ["MISSING", "columns_in", "is_spark", "quoted", "spark_frame", "talking"]

MISSING = "judged is needed on every worker"  # what a worker says that has none
_LONGEST = 300  # characters of what Spark says: some of its sentences hold a whole plan


def spark_frame(source: Any) -> Frame:
    """The DataFrame as a frame: the columns that are needed are brought here when they are."""

    def fetched(names: Sequence[str]) -> Any:
        with talking():
            return source.select(*map(quoted, names)).toArrow()

    def columns(names: Sequence[str]) -> Iterable[Column]:
        table = fetched(names)
        return [np.asarray(column.to_numpy()) for column in table.columns]

    def stream(names: list[str]) -> Any:
        return fetched(names).__arrow_c_stream__()

    with talking():
        names = list(source.columns)
    return Frame(names, columns, stream=stream)


def columns_in(
    names: Sequence[str], what: Literal["run", "qrels"], named: Mapping[str, str | None], name: str
) -> RoleColumns:
    """The column of each role (query, doc, score or grade, rank or aspect), by the usual names or as named."""
    given = {role: column for role, column in named.items() if column is not None}
    return find(names, ColumnRequest(what, given), Place(name))


def quoted(name: str) -> str:
    """A column by its name, whatever letters are in it."""
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def talking() -> Iterator[None]:
    """Around calls to Spark and nothing else: its warnings are its own affair, and its errors become one of ours.

    Raises:
        EngineError: Spark could not do it; with the first line of what it said.
        UsageError: its workers have no judged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of every version of pandas that it does not know yet
        try:
            yield
        except JudgedError:
            raise
        except Exception as error:
            _refuse(error)


def _refuse(error: Exception) -> NoReturn:
    text = str(error)
    if MISSING in text:
        said = text.partition(MISSING)[2].strip(": \n").splitlines()[0]
        raise UsageError("needs", MISSING, got=said, value=said,
                         hint="install it there, or send it along: engine=Spark(ship=True)") from error  # fmt: skip
    said = _first_line(text) or type(error).__name__
    raise EngineError("engine", "Spark to carry out the work", got=said, value=said,
                      hint="the log of Spark says more; is the session alive, and do its workers have numpy and pyarrow?") from error  # fmt: skip


def _first_line(text: str) -> str:
    """What went wrong, of what Spark says: the first line, or that of the error which it only hands on."""
    lines = [line.strip() for line in text.partition("JVM stacktrace")[0].splitlines() if line.strip()]
    causes = [line.partition(": ")[2] for line in lines if line.startswith("Caused by: ")]
    said = lines[0] if lines else ""
    if "Traceback (most recent call last):" in text:  # of Python, on a worker: its last line is the error
        said = next((line for line in reversed(lines) if not line.startswith(("SQLSTATE", "at ", "..."))), said)
    elif said.startswith("An error occurred while calling"):  # py4j, which knows nothing but that
        said = next((cause for cause in causes if "Job aborted" in cause), (causes or lines)[-1])
    said = said.removeprefix("org.apache.spark.SparkException: ")
    return said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
