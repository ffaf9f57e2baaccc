"""Entry points on Spark workers: tasks on items, tasks on the partitions of a table, and merging of results.

Each takes the batches of a partition and yields batches, as `mapInArrow` requires. Objects travel pickled and compressed.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from operator import itemgetter
from typing import Any

from judged.distributed.spark.partition import SparkPartition
from judged.errors import JudgedError

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
    task, items = load_argument(token, packed)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _as_row(number, partial(task, items[number]))


def run_on_partition(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Run a task on the partition of a table."""
    task, columns = load_argument(token, packed)
    number = partition_number()
    yield _as_row(number, lambda: task((number, SparkPartition(batches, columns))))
    for _ in batches:  # rows that a task left because of an error: Spark goes on writing
        pass


def merge_results(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Merge results of consecutive partitions; of several errors the first is the result."""
    task, size = load_argument(token, packed)
    groups: dict[int, list[tuple[int, Any]]] = {}
    for batch in batches:
        for number, result in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            groups.setdefault(number // size, []).append((number, result))
    for results in groups.values():
        results.sort(key=itemgetter(0))
        unpacked = _raise_first(unpack(result.as_buffer()) for _, result in results)
        yield _as_row(results[0][0], partial(task.merge, unpacked))


def _raise_first(results: Iterator[tuple[bool, Any]]) -> Iterator[Any]:
    for succeeded, result in results:
        if not succeeded or isinstance(result, JudgedError):
            raise result
        yield result


def load_argument(token: str, packed: bytes) -> Any:
    """Unpack the argument of an entry point, once per process."""
    if token not in _unpacked:
        while len(_unpacked) >= _MAX_UNPACKED:
            del _unpacked[next(iter(_unpacked))]
        _unpacked[token] = unpack(packed)
    return _unpacked[token]


def partition_number() -> int:
    return int(import_module("pyspark").TaskContext.get().partitionId())


def _as_row(number: int, work: Callable[[], Any]) -> Any:
    """Return the result of the work, or its `JudgedError`, as one row. Other errors go to Spark, which tries again."""
    import pyarrow as pa

    try:
        packed = pack((True, work()))
    except JudgedError as error:
        packed = pack((False, error))
    columns = [pa.array([number], pa.int64()), pa.array([packed], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["number", "result"])
