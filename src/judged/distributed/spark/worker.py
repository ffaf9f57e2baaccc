"""What workers of Spark do: tasks on items, tasks on the partitions of a table, and the evaluation of whole queries.

Each function takes the batches of a partition and gives batches, as `mapInArrow` wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from operator import itemgetter
from typing import Any

from judged.distributed.spark.pickling import pack, unpack
from judged.errors import JudgedError

__all__ = ["items", "queries", "table", "together"]

_KEPT = 2  # of what was unpacked: tasks of one stage have the same, and stages follow each other
_unpacked: dict[str, Any] = {}  # by its token, in the order it came; a process serves many tasks


def items(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """A task on the items whose numbers come."""
    task, all_items = _given(token, packed)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield _result(number, partial(task, all_items[number]))


def table(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """A task on the partition of a table."""
    from judged.distributed.spark.partition import Partition

    task, layout = _given(token, packed)
    number = _number()
    yield _result(number, lambda: task((number, Partition(batches, layout))))
    for _ in batches:  # what a task left, because something is wrong: Spark goes on writing
        pass


def together(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """Results that follow each other, added up; of errors the first."""
    task, size = _given(token, packed)
    groups: dict[int, list[tuple[int, Any]]] = {}
    for batch in batches:
        for number, result in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            groups.setdefault(number // size, []).append((number, result))
    for results in groups.values():
        results.sort(key=itemgetter(0))
        unpacked = _raised(unpack(result.as_buffer()) for _, result in results)
        yield _result(results[0][0], partial(task.together, unpacked))


def _raised(results: Iterator[tuple[bool, Any]]) -> Iterator[Any]:
    for done, result in results:
        if not done or isinstance(result, JudgedError):
            raise result
        yield result


def queries(batches: Iterator[Any], token: str, packed: bytes) -> Iterator[Any]:
    """The values of the queries of a partition, which holds their judgments and their rankings."""
    from judged.evaluation.spark.per_partition import evaluated

    yield from evaluated(list(batches), _given(token, packed), _number())


def _given(token: str, packed: bytes) -> Any:
    if token not in _unpacked:
        while len(_unpacked) >= _KEPT:
            del _unpacked[next(iter(_unpacked))]
        _unpacked[token] = unpack(packed)
    return _unpacked[token]


def _number() -> int:
    return int(import_module("pyspark").TaskContext.get().partitionId())


def _result(number: int, work: Callable[[], Any]) -> Any:
    """What the work gives, or an error of ours, as a row of its own. Other errors are for Spark, which tries again."""
    import pyarrow as pa

    try:
        packed = pack((True, work()))
    except JudgedError as error:
        packed = pack((False, error))
    columns = [pa.array([number], pa.int64()), pa.array([packed], pa.binary())]
    return pa.RecordBatch.from_arrays(columns, ["number", "result"])
