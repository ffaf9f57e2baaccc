"""The first look at a Spark table, in the JVM: judgments go to every worker, and only judged rows come back."""

from __future__ import annotations

from typing import Any

from judged.core.parts.pass_one import LocatedHits, LocateHits
from judged.core.parts.run import ROW_BITS
from judged.distributed.spark.ids import ids_for_spark
from judged.distributed.spark.partition import Partition
from judged.distributed.spark.table import SparkTable, functions
from judged.io.tables.spark_frames import talking

__all__ = ["looked"]

_PLACE = "_partition_"


def looked(table: SparkTable, look: LocateHits) -> LocatedHits:
    """What `look` finds in all partitions: it is given the rows that the judgments name, and no others."""
    table.refuse_kinds(look.kinds)
    import pyarrow.compute as pc

    with talking():
        rows = _judged_rows(table, look).toArrow()
    rows = rows.sort_by([(name, "ascending") for name in (_PLACE, *table.layout.column)])
    found = []
    for number in pc.unique(rows.column(_PLACE)).to_pylist():
        of_one = rows.filter(pc.equal(rows.column(_PLACE), number)).drop_columns([_PLACE])
        found.append(look.on(Partition(iter(of_one.to_batches()), table.layout), number << ROW_BITS))
    return LocatedHits.together(found)


def _judged_rows(table: SparkTable, look: LocateHits) -> Any:
    """Rows of judged documents, with the number of their partition.

    They are joined by a hash of 64 bits, which Spark does in three quarters of the time: the few others that have the same one are no hits to `look`.
    """
    frame, sql = table.frame, functions(table.frame)
    judgments = frame.sparkSession.createDataFrame(_judgments(look))
    keys = judgments.select(sql.xxhash64("query", "doc").alias("key"))
    ids = [frame[role].cast("long") if kind == "integer" else frame[role] for role, kind in zip(("query", "doc"), table.kinds, strict=True)]  # fmt: skip
    found = frame.join(sql.broadcast(keys), sql.xxhash64(*ids) == keys["key"], "left_semi")
    return found.select(*table.layout.column, sql.spark_partition_id().alias(_PLACE))


def _judgments(look: LocateHits) -> Any:
    """The documents of the pool that a table of Spark can hold."""
    import pyarrow as pa

    pool = look.pool
    query = ids_for_spark(pool.ids.take(slice(len(pool.queries))), look.kinds[0]).take(pa.array(pool.query))
    return pa.table({"query": query, "doc": ids_for_spark(pool.doc, look.kinds[1])}).drop_null()
