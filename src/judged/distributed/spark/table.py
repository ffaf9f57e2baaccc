"""A Spark DataFrame as a run in parts: its partitions, looked through where they lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from judged.core.find.hits import check_same_kinds
from judged.core.parts.run import Item, PartitionedRun, Task
from judged.core.tables import IdKind, Run
from judged.distributed.spark.executor import RESULTS, Spark
from judged.distributed.spark.partition import Partition, SparkColumns
from judged.errors import DataError, UsageError
from judged.io.read import read_run
from judged.io.tables.frames import is_spark
from judged.io.tables.spark_frames import columns_in, quoted, talking

__all__ = ["SparkTable", "by_query", "functions", "id_column", "id_kind", "number_column", "table_of", "table_run"]


def table_run(
    frame: Any,
    *,
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    name: str | None = None,
    executor: Spark | None = None,
) -> PartitionedRun:
    """The DataFrame as a run in parts. Nothing is computed before it is joined with judgments.

    Args:
        frame: the DataFrame, of a classic session or of Spark Connect.
        query: the column of query ids, where it is not called as usual.
        doc: the column of document ids.
        score: the column of scores.
        rank: the column of ranks.
        name: what to call the run.
        executor: how workers come by judged; the session is that of the DataFrame.
    """
    named = {"query": query, "doc": doc, "score": score, "rank": rank}
    return table_of(frame, named, name or "run", executor).scattered()


def table_of(frame: Any, named: Mapping[str, str | None], name: str, executor: Spark | None = None) -> SparkTable:
    """The columns of a run, found and of types that can be used."""
    if not is_spark(frame):
        raise UsageError("form", "a run that is a Spark DataFrame", got=f"a {type(frame).__name__}", where=name,
                         hint="read it with Spark: session.read.parquet('…')")  # fmt: skip
    with talking():
        names, types = list(frame.columns), {field.name: field.dataType for field in frame.schema.fields}
    found = columns_in(names, "run", named, name).column
    kinds = id_kind(types[found["query"]], "query", found["query"], name), id_kind(types[found["doc"]], "doc", found["doc"], name)  # fmt: skip
    if "rank" in found and kind_of(types[found["rank"]]) != "integer":
        if named.get("rank") or "score" not in found:
            raise DataError("rank-type", "ranks as whole numbers", got=f"a column {found['rank']!r} of type {types[found['rank']].simpleString()}",
                            where=name, value=found["rank"], hint="convert them, or give scores")  # fmt: skip
        found = {role: column for role, column in found.items() if role != "rank"}
    with talking():
        selected = frame.select(
            *(_column(frame, found[role], types[found[role]], role, name).alias(role) for role in found)
        )
    return SparkTable(selected, SparkColumns(name, dict(found)), kinds, replace(executor or Spark(), session=frame.sparkSession))  # fmt: skip


@dataclass(frozen=True, slots=True)
class SparkTable:
    """The columns of a run in Spark, called by their roles: PySpark does not send columns of every name to Python."""

    frame: Any
    layout: SparkColumns
    kinds: tuple[IdKind, IdKind]
    executor: Spark

    def scattered(self, *, whole: bool = False) -> PartitionedRun:
        """The partitions as parts."""
        from judged.distributed.spark.pass_one import looked

        return PartitionedRun(
            name=self.layout.name,
            read=self.read,
            carry=self.carry,
            whole=whole,
            ordered=False,
            look=None if whole else lambda look: looked(self, look),
            gather=None if whole else self.gathered,
        )

    def refuse_kinds(self, kinds: tuple[IdKind, IdKind]) -> None:
        """An error where its ids are of other types than those of the judgments."""
        hint = "convert one side: df.withColumn(…, col.cast('string'))"
        check_same_kinds(kinds, self.kinds, self.layout.name, hint)

    def read(self) -> Run:
        """All of it, here."""
        return read_run(self.frame, name=self.layout.name)

    def carry(self, task: Task, items: Sequence[Item] = ()) -> Iterator[Any]:
        """The task on every partition, in their order; they are the items."""
        function = self.executor.function("table", (task, self.layout))
        with talking():
            found = list(self.executor.collected(self.frame.mapInArrow(function, RESULTS), task))
        return iter(
            found or [task((0, Partition(iter(()), self.layout)))]
        )  # Spark saw that there is nothing, and made no partition

    def gathered(self) -> PartitionedRun:
        """The same run with each query in one partition."""
        with talking():
            together = by_query(self.frame)
        return replace(self, frame=together).scattered(whole=True)


def by_query(frame: Any, partitions: int | None = None) -> Any:
    """The frame with each query in one partition; as many of them as asked for, or as the session makes in a shuffle."""
    if partitions is None:
        usual = str(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        partitions = int(usual) if usual.isdigit() else None  # some platforms say "auto"
    return frame.repartition("query") if partitions is None else frame.repartition(partitions, "query")


def functions(frame: Any) -> Any:
    """The functions of SQL for a DataFrame: Connect has its own."""
    room = "pyspark.sql.connect" if ".connect." in type(frame).__module__ else "pyspark.sql"
    return import_module(f"{room}.functions")


def kind_of(kind: Any) -> IdKind | None:
    """What ids of a column of this type are; None where they are none."""
    word = kind.typeName()
    if word in ("byte", "short", "integer", "long"):
        return "integer"
    return "text" if word.startswith(("string", "char", "varchar")) else None


def id_kind(kind: Any, role: str, column: str, name: str) -> IdKind:
    """The same, or an error."""
    known = kind_of(kind)
    if known is None:
        noun = {"query": "query ids", "doc": "document ids"}[role]
        raise DataError("id-type", f"{noun} as text or as whole numbers", got=f"a column {column!r} of type {kind.simpleString()}", where=name,
                        value=column, hint="convert it: df.withColumn(…, col.cast('string'))")  # fmt: skip
    return known


def _column(frame: Any, column: str, kind: Any, role: str, name: str) -> Any:
    if role == "score":
        return number_column(frame, column, kind, name)
    return id_column(frame, column, kind) if role in ("query", "doc") else frame[quoted(column)]


def id_column(frame: Any, column: str, kind: Any) -> Any:
    """A column of ids that are the same only if their bytes are: some collations see it otherwise."""
    plain = kind.simpleString() == "string" or kind_of(kind) == "integer"
    return frame[quoted(column)] if plain else frame[quoted(column)].cast("string")


def number_column(frame: Any, column: str, kind: Any, name: str, what: str = "score") -> Any:
    """A column of numbers, of a type that needs no care later."""
    word = kind.typeName()
    if word in ("byte", "short", "integer", "long", "float", "double"):
        return frame[quoted(column)]
    if word == "decimal":
        return frame[quoted(column)].cast("double")
    raise DataError(f"{what}-type", f"a column of numbers, for {what}s", got=f"a column {column!r} of type {kind.simpleString()}", where=name,
                    value=column, hint="convert it: df.withColumn(…, col.cast('double'))")  # fmt: skip
