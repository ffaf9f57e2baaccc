"""The first step on a Spark worker: import judged, or report that it is missing.

The function is pickled by value, as nested functions always are, and imports what it needs when it runs. So it can be
unpickled where judged is not installed, and adds the copy that was shipped (`Spark(ship=True)`) to the import path.
"""

from __future__ import annotations

import atexit
import pickle
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4
from weakref import WeakKeyDictionary

from judged.core.native import NATIVE
from judged.core.parts.run import Item, Task
from judged.core.tables import IdColumn, IdKind, Run, unknown_row
from judged.core.unread_runs import ArrowRun
from judged.errors import DataError, EngineError, JudgedError, UsageError
from judged.io.columns import ColumnRequest
from judged.io.frames import arrow_frame, unread_frame
from judged.io.origin import Context


def worker_function(
    entry: str, token: str, packed: bytes, version: str, folder: str | None, missing: str
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function for `mapInArrow`.

    Args:
        entry: dotted name of the function that does the work, such as `judged.distributed.spark_executor.run_on_items`.
        token: identifies the argument, so that a process unpacks it once.
        packed: the argument of that function.
        version: version of judged on the driver.
        folder: folder of the shipped copy among the files of the session.
        missing: message if a worker has no judged.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib
        import sys

        if folder is not None and "judged" not in sys.modules:
            sys.path.insert(0, importlib.import_module("pyspark").SparkFiles.get(folder))
            importlib.invalidate_caches()
        try:
            installed = importlib.import_module("judged").__version__
            module, _, name = entry.rpartition(".")
            work = getattr(importlib.import_module(module), name)
        except ImportError as error:
            raise RuntimeError(f"{missing}: {error} ({sys.executable})") from error
        if installed != version:
            raise RuntimeError(f"{missing}: worker has judged {installed} ({sys.executable}), driver {version}")
        yield from work(batches, token, packed)

    return run


_ROWS = 1 << 17  # of a batch; Spark sends 10,000 at a time


@dataclass(frozen=True, slots=True)
class SparkPartition:
    """The rows that a worker receives, which can be scanned once, and the columns of the table by role, in the order in which they are sent."""

    rows: Iterator[Any]
    columns: Mapping[str, str]

    size = 0  # unknown in advance

    def batches(self) -> Iterator[ArrowRun]:
        """Yield the rows, several Spark batches at a time."""
        collected: list[Any] = []
        count = 0
        for batch in self.rows:
            collected.append(batch)
            count += batch.num_rows
            if count >= _ROWS:
                yield self._as_run(collected)
                collected, count = [], 0
        if count:
            yield self._as_run(collected)

    def _as_run(self, batches: list[Any]) -> ArrowRun:
        """Return Arrow batches as a run, without copying."""
        import pyarrow as pa

        table = pa.Table.from_batches(batches).rename_columns(list(self.columns.values()))
        unread = unread_frame(arrow_frame(table), Context(ColumnRequest("run", self.columns)))
        assert unread is not None
        return replace(unread, read=partial(_read, unread.read))


def _read(read: Callable[[], Run]) -> Run:
    """Read rows with every check. Those of a Spark table have no numbers."""
    try:
        return replace(read(), where=partial(unknown_row, "run"))
    except DataError as error:
        raise error.changed(where="run") from None


def ids_for_spark(ids: IdColumn, kind: IdKind) -> Any:
    """Return an Arrow column of 64-bit integers, null for one that has more bits, or of strings; bytes that are not UTF-8 are replaced."""
    import pyarrow as pa

    if kind == "integer":
        numbers = map(int, ids.tolist())
        return pa.array([number if -(2**63) <= number < 2**63 else None for number in numbers], pa.int64())
    return pa.array([raw.decode("utf-8", "replace") for raw in ids.tolist()], pa.string())


_HEADER = 8  # bytes: the uncompressed size
_MAX_UNPACKED = 2  # tasks of one stage have the same argument, and stages follow each other
_unpacked: dict[str, Any] = {}  # by token, oldest first; a process runs many tasks


def pack(thing: Any) -> bytes:
    """Pickle and compress anything, functions that no module contains included."""
    import pyarrow as pa

    raw = import_module("pyspark.cloudpickle").dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
    return len(raw).to_bytes(_HEADER, "little") + pa.Codec("zstd").compress(raw, asbytes=True)


def unpack(packed: bytes) -> Any:
    """Return what was packed by this session or its own workers."""
    import pyarrow as pa

    size = int.from_bytes(packed[:_HEADER], "little")
    raw = pa.Codec("zstd").decompress(memoryview(packed)[_HEADER:], decompressed_size=size)
    return pickle.loads(raw)  # noqa: S301 - our own bytes


def run_on_items(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Run a task on the items whose numbers are in the batches."""
    task, items = _load_argument(token, packed)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _as_row(number, partial(task, items[number]))


def run_on_partition(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Run a task on the partition of a table."""
    task, columns = _load_argument(token, packed)
    number = int(import_module("pyspark").TaskContext.get().partitionId())
    yield _as_row(number, lambda: task((number, SparkPartition(batches, columns))))
    for _ in batches:  # rows that a task left because of an error: Spark goes on writing
        pass


def merge_results(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Merge results of consecutive partitions; of several errors the first is the result."""
    task, size = _load_argument(token, packed)
    groups: dict[int, list[tuple[int, Any]]] = {}
    for batch in batches:
        for number, result in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            groups.setdefault(number // size, []).append((number, result))
    for results in groups.values():
        results.sort(key=itemgetter(0))
        unpacked = map(_result_of, (result for _, result in results))
        yield _as_row(results[0][0], partial(task.merge, unpacked))


def _result_of(packed: Any) -> Any:
    """Return a result; raise an error that a task raised or returned."""
    succeeded, result = unpack(packed.as_buffer())
    if not succeeded or isinstance(result, JudgedError):
        raise result
    return result


def _load_argument(token: str, packed: bytes) -> Any:
    """Unpack the argument of an entry point, once per process."""
    if token not in _unpacked:
        while len(_unpacked) >= _MAX_UNPACKED:
            del _unpacked[next(iter(_unpacked))]
        _unpacked[token] = unpack(packed)
    return _unpacked[token]


def _as_row(number: int, work: Callable[[], Any]) -> Any:
    """Return the result of the work, or its `JudgedError`, as one row. Other errors go to Spark, which tries again."""
    import pyarrow as pa

    try:
        packed = pack((True, work()))
    except JudgedError as error:
        packed = pack((False, error))
    columns = [pa.array([number], pa.int64()), pa.array([packed], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["number", "result"])


_EXCLUDED = {"__pycache__", "cli", "page", "sample", "integrations"}  # not needed on workers
_sent: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


def ship(session: Any) -> str:
    """Send judged to the workers of a session, once, and return its folder among the files of the session."""
    if session not in _sent:
        archive = _archive()
        with talking():
            session.addArtifact(f"{archive}#{archive.stem}", archive=True)
        _sent[session] = archive.stem
    return _sent[session]


@cache
def _archive() -> Path:
    """Write the package, with its native library, as a zip file. Workers fetch it as long as the session lives."""
    folder = tempfile.mkdtemp(prefix="judged-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    archive = Path(folder) / f"judged-{uuid4().hex}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for name, path in _files().items():
            made.write(path, name)
    return archive


def _files() -> dict[str, Path]:
    """Return the names in the archive and the paths of the files."""
    files = {}
    for package in ("judged", "lazy_loader"):  # all that importing judged needs besides numpy
        root = Path(import_module(package).__file__ or "").parent
        for path in root.rglob("*"):
            inside = path.relative_to(root)
            if path.is_file() and not _EXCLUDED & set(inside.parts):
                files[f"{package}/{inside.as_posix()}"] = path
    if NATIVE:  # in another folder if judged is installed as editable
        library = Path(import_module("judged.core._native").__file__ or "")
        files[f"judged/core/{library.name}"] = library
    return files


EntryPoint = Callable[[Iterator[Any], str, bytes], Iterator[Any]]

RESULTS = "number long, result binary"
SMALL_RESULT = 1 << 18  # counters; larger results are merged on the cluster
MERGED = 64  # consecutive results that are merged into one
MERGERS = 8  # tasks that merge


@dataclass(frozen=True, slots=True)
class Spark:
    """The workers of a Spark session, classic or Spark Connect: one Spark task per partition of a run.

    Results do not depend on where tasks run, nor on how often Spark restarts one. The Python of the workers needs numpy, pyarrow and the
    same version of judged, unless judged is shipped.

    Args:
        session: the session; None for the active one.
        ship: send judged to the workers, with its native library, which must load there.
    """

    session: Any = None
    ship: bool = False

    def map(self, task: Task, items: Sequence[Item]) -> Iterator[Any]:
        """Run the task on each item, and return the results in their order."""
        if not items:
            return iter(())
        function = self.function(run_on_items, (task, list(items)))
        with talking():
            rows = self.active().range(0, len(items), numPartitions=len(items))
            return self.collect(rows.mapInArrow(function, RESULTS), task, len(items))

    def collect(self, results: Any, task: Task, count: int | None = None) -> Iterator[Any]:
        """Return the results of tasks in order. Large ones are merged on the cluster, so that the driver's memory does not depend on their number."""
        large = getattr(task, "weight", 0) > SMALL_RESULT and (count is None or count > MERGED)
        with talking():
            if large:
                group = (results["number"] / MERGED).cast("long")
                merge = self.function(merge_results, (task, MERGED))
                results = results.repartition(MERGERS, group).mapInArrow(merge, RESULTS)
            return _in_order(results.toArrow())

    def active(self) -> Any:
        """Return the session.

        Raises:
            UsageError: PySpark is not installed, or no session is active.
        """
        if self.session is not None:
            return self.session
        try:
            with talking():
                session = import_module("pyspark.sql").SparkSession.getActiveSession()
        except ImportError as error:
            hint = "install it with pip install judged[spark]"
            raise UsageError("needs", "PySpark is not installed", hint=hint) from error
        if session is None:
            hint = "create one: SparkSession.builder.master('local[*]').getOrCreate(), or .remote('sc://host')"
            raise UsageError("engine", "no Spark session is active", hint=hint)
        return session

    def function(self, entry: EntryPoint, argument: Any) -> Callable[[Iterator[Any]], Iterator[Any]]:
        """Return a function for `mapInArrow`: an entry point, imported on the worker by its dotted name, with its argument."""
        from judged._version import __version__

        folder = ship(self.active()) if self.ship else None
        name = f"{entry.__module__}.{entry.__qualname__}"
        return worker_function(name, uuid4().hex, pack(argument), __version__, folder, MISSING)


def _in_order(rows: Any) -> Iterator[Any]:
    """Yield the results of a job by their numbers; raise an error that a task raised."""
    numbers, results = rows.column(0).to_pylist(), rows.column(1)
    for row in sorted(range(len(numbers)), key=numbers.__getitem__):
        yield _result_of(results[row])


# ── Calls to Spark, whose errors become a `JudgedError` ──────────────────────────────────────────────

MISSING = "judged is needed on every worker"  # what a worker without judged reports
_LONGEST = 300  # characters of a message of Spark: some contain a whole query plan
_OTHER_PYTHON = re.compile("PYTHON_VERSION_MISMATCH|No module named|Cannot run program")  # what the workers cannot run


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
    lines = [line.strip(": ") for line in text.partition("JVM stacktrace")[0].splitlines()]
    lines = [line for line in lines if line and not line.startswith("An error occurred while calling")]  # by py4j
    reason = next((line for line in lines if "Job aborted" in line), (lines or [type(error).__name__])[0])
    if "Traceback (most recent call last):" in text:  # of Python on a worker: the last line is the error
        reason = next((line for line in reversed(lines) if not line.startswith(("SQLSTATE", "at ", "..."))), reason)
    reason = reason.removeprefix("Caused by: ").removeprefix("org.apache.spark.SparkException: ")[:_LONGEST]
    hint = "check that the session is alive and its workers have numpy and pyarrow; see the Spark log for details"
    if _OTHER_PYTHON.search(text):
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        hint = f"set PYSPARK_PYTHON to a Python {python} with the packages of this one before the session starts, such as {sys.executable}"
    raise EngineError("engine", f"Spark failed: {reason}", value=reason, hint=hint) from error
