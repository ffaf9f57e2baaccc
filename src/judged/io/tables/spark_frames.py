"""Columns of Spark DataFrames, and calls to Spark whose errors become a `JudgedError`.

Uses only what classic sessions and Spark Connect both have. PySpark is not imported here.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NoReturn

from judged.errors import EngineError, JudgedError, Place, UsageError
from judged.io.tables.columns import ColumnRequest, RoleColumns, find_columns

MISSING = "judged is needed on every worker"  # what a worker without judged reports
_LONGEST = 300  # characters of a message of Spark: some contain a whole query plan
_OTHER_PYTHON = (  # what Spark says of workers whose Python cannot run a task, and what that means
    (r"PYTHON_VERSION_MISMATCH.*?: (\d[\d.]*) than", "the workers run Python {found}, the driver Python {own}"),
    (r"No module named '([^']+)'", "the Python of the workers has no module {found}"),
    (r'Cannot run program "([^"]+)"', "the workers have no program {found}"),
)


def columns_in(
    names: Sequence[str], what: Literal["run", "qrels"], named: Mapping[str, str | None], name: str
) -> RoleColumns:
    """Find the column of each role (query, doc, score or grade, rank or aspect), by its known names or as named."""
    columns = {role: column for role, column in named.items() if column is not None}
    return find_columns(names, ColumnRequest(what, columns), Place(name))


def quoted(name: str) -> str:
    """Quote the name of a column for Spark SQL."""
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def talking() -> Iterator[None]:
    """Wrap calls to Spark: its warnings are ignored, its errors become a `JudgedError`.

    Raises:
        EngineError: Spark failed; with the first line of its message.
        UsageError: its workers do not have judged.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions of pandas newer than itself
        try:
            yield
        except JudgedError:
            raise
        except Exception as error:
            _raise(error)


def _raise(error: Exception) -> NoReturn:
    text = str(error)
    if MISSING in text:
        reason = text.partition(MISSING)[2].strip(": \n").splitlines()[0]
        hint = "install it there, or ship it: engine=Spark(ship=True)"
        raise UsageError("needs", f"{MISSING}: {reason}", value=reason, hint=hint) from error
    _raise_other_python(text, error)
    reason = _first_line(text) or type(error).__name__
    hint = "check that the session is alive and its workers have numpy and pyarrow; see the Spark log for details"
    raise EngineError("engine", f"Spark failed: {reason}", value=reason, hint=hint) from error


def _raise_other_python(text: str, error: Exception) -> None:
    """Raise if the Python of the workers is the problem; the session names it as PYSPARK_PYTHON did when it started."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for pattern, problem in _OTHER_PYTHON:
        if found := re.search(pattern, text):
            context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
            python = getattr(getattr(context, "_active_spark_context", None), "pythonExec", None)
            named = f"; PYSPARK_PYTHON of the session is {python}" if python else ""  # a server keeps it to itself
            hint = f"set PYSPARK_PYTHON to a Python {own} with the packages of this one before the session starts, such as {sys.executable}"
            problem = f"{problem.format(found=found[1], own=own)}{named}"
            raise EngineError("engine", problem, value=found[1], hint=hint) from error


def _first_line(text: str) -> str:
    """Return the line of a message of Spark that names the cause."""
    lines = [line.strip() for line in text.partition("JVM stacktrace")[0].splitlines() if line.strip()]
    causes = [line.partition(": ")[2] for line in lines if line.startswith("Caused by: ")]
    reason = lines[0] if lines else ""
    if "Traceback (most recent call last):" in text:  # of Python on a worker: the last line is the error
        reason = next((line for line in reversed(lines) if not line.startswith(("SQLSTATE", "at ", "..."))), reason)
    elif reason.startswith("An error occurred while calling"):  # py4j adds nothing
        reason = next((cause for cause in causes if "Job aborted" in cause), (causes or lines)[-1])
    reason = reason.removeprefix("org.apache.spark.SparkException: ")
    return reason if len(reason) <= _LONGEST else f"{reason[: _LONGEST - 1]}…"
