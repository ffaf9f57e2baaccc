"""Judgments and a run in Spark as one table, with each query in one partition."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged._dataclass import dataclass
from judged.core.join.warnings import not_judged
from judged.core.tables import IdKind, Qrels
from judged.distributed.spark.partition import SparkColumns, ids_for_spark
from judged.distributed.spark.table import SparkTable, by_query, functions, id_column, id_kind, number_column, wide
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.spark.per_partition import NUMBER, ORDER, SIDE
from judged.io.parts.recognise import is_spark
from judged.io.read import read_qrels
from judged.io.tables.spark_frames import columns_in, quoted, talking


@dataclass(frozen=True, slots=True)
class SparkJudgments:
    """Judgments in Spark: columns query, doc and number; aspect and order if there are any."""

    frame: Any
    columns: SparkColumns
    kinds: tuple[IdKind, IdKind]
    borrowed: bool = False  # grades are in a column named score
    ordered: bool = False  # their order has a meaning
    warnings: tuple[Warned, ...] = ()


def open_judgments(source: Any, session: Any) -> SparkJudgments:
    """Open judgments: anything that `read_qrels` accepts, or a Spark DataFrame."""
    return _of_frame(source) if is_spark(source) else _of_qrels(read_qrels(source), session)


def union_by_query(judgments: SparkJudgments, run: SparkTable, partitions: int | None) -> Any:
    """Return both as one table, with the rows of a query in one partition."""
    frame, sql = run.frame, functions(run.frame)
    scored = frame["score"] if "score" in run.columns.column else sql.lit(None)
    run_columns = [
        wide(frame["query"], run.kinds[0]).alias("query"),
        wide(frame["doc"], run.kinds[1]).alias("doc"),
        scored.cast("double").alias("number"),
    ]
    if "rank" in run.columns.column:
        run_columns.append(frame["rank"].cast("long").alias("rank"))
    side = {number: sql.lit(number).cast("byte").alias(SIDE) for number in (0, 1)}
    rows = judgments.frame.select("*", side[0]).unionByName(
        frame.select(*run_columns, side[1]), allowMissingColumns=True
    )
    return by_query(rows, partitions)


def _of_frame(frame: Any, name: str = "qrels") -> SparkJudgments:
    with talking():
        names, types = list(frame.columns), {field.name: field.dataType for field in frame.schema.fields}
    found = columns_in(names, "qrels", {}, name)
    column = dict(found.column)
    query, doc = (id_kind(types[column[role]], role, column[role], name) for role in ("query", "doc"))
    kinds = query, doc
    sql = functions(frame)
    columns = {role: wide(id_column(frame, column[role], types[column[role]]), kind) for role, kind in zip(("query", "doc"), kinds, strict=True)}  # fmt: skip
    if "grade" in column:
        columns["number"] = number_column(frame, column["grade"], types[column["grade"]], name, "grade").cast("double")
    else:
        columns["number"], column["grade"] = sql.lit(1.0), "grade"
    if "aspect" in column:
        if _varies(frame, column["aspect"]):
            columns["aspect"] = frame[quoted(column["aspect"])].cast("string")
        else:
            del column["aspect"]
    with talking():
        made = frame.select(*(value.alias(role) for role, value in columns.items()))
    return SparkJudgments(made, SparkColumns(name, column), kinds, found.borrowed)


def _varies(frame: Any, aspect: str) -> bool:
    """Return whether a column of aspects has more than one value."""
    sql, column = functions(frame), frame[quoted(aspect)].cast("string")
    with talking():
        rows = frame.agg(sql.min(column).alias("least"), sql.max(column).alias("most"), sql.count(column).alias("filled")).toArrow()  # fmt: skip
    least, most, filled = (rows.column(name)[0].as_py() for name in ("least", "most", "filled"))
    return bool(filled) and least != most


def _of_qrels(qrels: Qrels, session: Any) -> SparkJudgments:
    import pyarrow as pa

    if qrels.choice is not None:
        raise UsageError("alternatives", "the judgments have alternative sets of relevant documents", where=qrels.name,
                         hint="use evaluate, which accepts them")  # fmt: skip
    if qrels.passages is not None and qrels.passages.spans:
        raise UsageError(
            "in-parts", "spans cannot be found in a partitioned run", where=qrels.name, hint="use evaluate"
        )
    kinds = qrels.query_kind, qrels.doc_kind
    columns = {
        "query": _ids(qrels, "query", ids_for_spark(qrels.queries, kinds[0]).take(pa.array(qrels.query))),
        "doc": _ids(qrels, "doc", ids_for_spark(qrels.doc, kinds[1])),
        "number": pa.array(qrels.grade),
    }
    if qrels.aspect is not None:
        columns["aspect"] = _ids(qrels, "aspect", ids_for_spark(qrels.aspect, "text"))
    columns[ORDER] = pa.array(np.arange(len(qrels)))
    with talking():
        frame = session.createDataFrame(pa.table(columns))
    roles = [role for role in ("query", "doc", "grade", "aspect") if NUMBER.get(role, role) in columns]
    named = SparkColumns(qrels.name, {role: role for role in roles})
    return SparkJudgments(frame, named, kinds, ordered=True, warnings=(*qrels.warnings, *not_judged(qrels)))


def _ids(qrels: Qrels, role: str, column: Any) -> Any:
    if column.null_count:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(column), True).as_py()
        raw = {"query": qrels.queries.take(qrels.query), "doc": qrels.doc, "aspect": qrels.aspect}[role]
        assert raw is not None
        raise DataError("id-encoding", f"Spark cannot represent the id {shown(raw[row])}: it is not UTF-8, or exceeds 64 bits",
                        where=qrels.where(row), value=raw[row], hint="use evaluate, without Spark")  # fmt: skip
    return column
