"""A Spark DataFrame as a partitioned run, scanned by the workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NoReturn

from judged.core.parts.pass_one import LocatedHits, LocateHits
from judged.core.parts.run import ROW_BITS, PartitionedRun, Task
from judged.core.reference import check_same_kinds
from judged.core.tables import IdKind, Run
from judged.distributed.spark_executor import (
    RESULTS,
    Spark,
    SparkPartition,
    ids_for_spark,
    quoted,
    run_on_partition,
    talking,
)
from judged.errors import DataError, Place, UsageError
from judged.io.columns import ColumnRequest, find_columns
from judged.io.read import read_run

MAX_JUDGMENTS = 2_000_000  # judgments that are sent to every worker
_PARTITION = "_partition_"


def table_run(frame: Any, request: ColumnRequest, executor: Spark) -> PartitionedRun:
    """Return a DataFrame, of a classic session or of Spark Connect, as a partitioned run; nothing is computed before it is joined with judgments.

    Args:
        frame: the DataFrame.
        request: the columns that the caller named.
        executor: says whether judged is shipped to the workers; the session is that of the DataFrame.
    """
    with talking():
        names, types = list(frame.columns), {field.name: field.dataType for field in frame.schema.fields}
    column = find_columns(names, request, Place("run"))
    kinds = []
    for role, noun in (("query", "query ids"), ("doc", "document ids")):
        kind = kind_of(types[column[role]])
        if kind is None:
            _raise_type("id-type", noun, "strings or integers", column[role], types[column[role]])
        kinds.append(kind)
    if "rank" in column and kind_of(types[column["rank"]]) != "integer":
        if request.named_column("rank", names) or "score" not in column:
            _raise_type("rank-type", "ranks", "integers", column["rank"], types[column["rank"]])
        column = {role: its_column for role, its_column in column.items() if role != "rank"}
    with talking():
        selected = frame.select(
            *(_column(frame, column[role], types[column[role]], role).alias(role) for role in column)
        )
    executor = replace(executor, session=frame.sparkSession)
    table = SparkTable(selected, dict(column), (kinds[0], kinds[1]), executor)
    return PartitionedRun(name="run", read=table.read, partitions=table)


@dataclass(frozen=True, slots=True)
class SparkTable:
    """The columns of a run in Spark, named by their roles (PySpark does not send every column name to Python), as partitions."""

    frame: Any
    columns: Mapping[str, str]
    kinds: tuple[IdKind, IdKind]
    executor: Spark

    ordered = False
    in_process = False
    sizes = ()

    def read(self) -> Run:
        """Collect all rows."""
        with talking():
            return read_run(self.frame.toArrow())

    def map(self, task: Task) -> Iterator[Any]:
        """Run a task on every partition, and return the results in their order."""
        function = self.executor.function(run_on_partition, (task, self.columns))
        with talking():
            results = list(self.executor.collect(self.frame.mapInArrow(function, RESULTS), task))
        # Spark makes no partition if it knows that there are no rows.
        return iter(results or [task((0, SparkPartition(iter(()), self.columns)))])

    def locate(self, task: LocateHits) -> LocatedHits:
        """Locate the judged documents by a semi-join in the JVM: judgments go to every worker, and only judged rows come back."""
        hint = "convert one side: df.withColumn(…, col.cast('string'))"
        check_same_kinds(task.kinds, self.kinds, "run", hint=hint)
        if (count := len(task.pool.query)) > MAX_JUDGMENTS:
            problem = f"{count:,} judgments are too many to send to every Spark worker; the limit is {MAX_JUDGMENTS:,}"
            hint = "evaluate the queries in several batches, or read the run with engine='memory'"
            raise UsageError("engine", problem, where="run", value=count, hint=hint)
        import pyarrow.compute as pc

        with talking():
            rows = self._judged_rows(task).toArrow()
        rows = rows.sort_by([(name, "ascending") for name in (_PARTITION, *self.columns)])
        located = []
        for number in pc.unique(rows.column(_PARTITION)).to_pylist():
            part = rows.filter(pc.equal(rows.column(_PARTITION), number)).drop_columns([_PARTITION])
            located.append(task.on(SparkPartition(iter(part.to_batches()), self.columns), number << ROW_BITS))
        return replace(LocatedHits.merge(located), rows=None)

    def _judged_rows(self, task: LocateHits) -> Any:
        """Select rows of judged documents, with the number of their partition.

        They are joined by a 64-bit hash, which takes Spark three quarters of the time; `task` drops the few other rows with the same hash.
        """
        frame = self.frame
        package = "pyspark.sql.connect" if ".connect." in type(frame).__module__ else "pyspark.sql"
        sql = import_module(f"{package}.functions")
        import pyarrow as pa

        pool = task.pool
        query = ids_for_spark(pool.ids.take(slice(len(pool.queries))), task.kinds[0]).take(pa.array(pool.query))
        judged_ids = pa.table({"query": query, "doc": ids_for_spark(pool.doc, task.kinds[1])}).drop_null()
        keys = frame.sparkSession.createDataFrame(judged_ids).select(sql.xxhash64("query", "doc").alias("key"))
        ids = [
            frame[role].cast("long") if kind == "integer" else frame[role]
            for role, kind in zip(("query", "doc"), self.kinds, strict=True)
        ]
        judged = frame.join(sql.broadcast(keys), sql.xxhash64(*ids) == keys["key"], "left_semi")
        return judged.select(*self.columns, sql.spark_partition_id().alias(_PARTITION))

    def place(self, position: int, name: str) -> Place:
        return Place(f"{name}, partition {position >> ROW_BITS}")


def kind_of(kind: Any) -> IdKind | None:
    """Return the kind of the ids in a column of this type; None if it cannot contain ids."""
    word = kind.typeName()
    if word in ("byte", "short", "integer", "long"):
        return "integer"
    return "text" if word.startswith(("string", "char", "varchar")) else None


def _raise_type(slug: str, noun: str, types: str, column: str, kind: Any) -> NoReturn:
    problem = f"{noun} must be {types}, but column {column!r} has type {kind.simpleString()}"
    raise DataError(slug, problem, where="run", value=column, hint="convert it: df.withColumn(…, col.cast(…))")


def _column(frame: Any, column: str, kind: Any, role: str) -> Any:
    """Return the column of a role: ids equal only if their bytes are, unlike under some collations; decimals as doubles."""
    word, selected = kind.typeName(), frame[quoted(column)]
    if role in ("query", "doc"):
        plain = kind.simpleString() == "string" or kind_of(kind) == "integer"
        return selected if plain else selected.cast("string")
    if role == "rank" or word in ("byte", "short", "integer", "long", "float", "double"):
        return selected
    if word == "decimal":
        return selected.cast("double")
    _raise_type("score-type", "scores", "numbers", column, kind)
