"""Judgments and a run of Spark as one table, each query of which lies in one partition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.core.tables import IdKind, Qrels
from judged.distributed.spark.ids import ids_for_spark
from judged.distributed.spark.partition import SparkColumns
from judged.distributed.spark.table import SparkTable, by_query, functions, id_column, id_kind, number_column
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.spark.per_partition import NUMBER, ORDER, SIDE
from judged.io.read import read_qrels
from judged.io.tables.frames import is_spark
from judged.io.tables.spark_frames import columns_in, quoted, talking

__all__ = ["Judgments", "judgments_of", "together"]


@dataclass(frozen=True, slots=True)
class Judgments:
    """Judgments in Spark: columns query, doc, number, and aspect and order where there are any."""

    frame: Any
    layout: SparkColumns
    kinds: tuple[IdKind, IdKind]
    borrowed: bool = False  # grades stand in a column called score
    ordered: bool = False  # their order means something
    warnings: tuple[Warned, ...] = ()


def judgments_of(source: Any, session: Any) -> Judgments:
    """Judgments in any form that `read_qrels` takes, or in Spark already."""
    return _of_frame(source) if is_spark(source) else _of_qrels(read_qrels(source), session)


def together(judgments: Judgments, run: SparkTable, partitions: int | None) -> Any:
    """Both as one table, the rows of a query in one partition."""
    frame, sql = run.frame, functions(run.frame)
    scored = frame["score"] if "score" in run.layout.column else sql.lit(None)
    ours = [
        _wide(frame["query"], run.kinds[0]).alias("query"),
        _wide(frame["doc"], run.kinds[1]).alias("doc"),
        scored.cast("double").alias("number"),
    ]
    if "rank" in run.layout.column:
        ours.append(frame["rank"].cast("long").alias("rank"))
    side = {number: sql.lit(number).cast("byte").alias(SIDE) for number in (0, 1)}
    theirs = judgments.frame.select("*", side[0])
    return by_query(theirs.unionByName(frame.select(*ours, side[1]), allowMissingColumns=True), partitions)


def _wide(column: Any, kind: IdKind) -> Any:
    return column.cast("long") if kind == "integer" else column


def _of_frame(frame: Any, name: str = "qrels") -> Judgments:
    with talking():
        names, types = list(frame.columns), {field.name: field.dataType for field in frame.schema.fields}
    found = columns_in(names, "qrels", {}, name)
    column = dict(found.column)
    query, doc = (id_kind(types[column[role]], role, column[role], name) for role in ("query", "doc"))
    kinds = query, doc
    sql = functions(frame)
    wide = {role: _wide(id_column(frame, column[role], types[column[role]]), kind) for role, kind in zip(("query", "doc"), kinds, strict=True)}  # fmt: skip
    if "grade" in column:
        wide["number"] = number_column(frame, column["grade"], types[column["grade"]], name, "grade").cast("double")
    else:
        wide["number"], column["grade"] = sql.lit(1.0), "grade"
    if "aspect" in column:
        if _varies(frame, column["aspect"]):
            wide["aspect"] = frame[quoted(column["aspect"])].cast("string")
        else:
            del column["aspect"]
    with talking():
        made = frame.select(*(value.alias(role) for role, value in wide.items()))
    return Judgments(made, SparkColumns(name, column), kinds, found.borrowed)


def _varies(frame: Any, aspect: str) -> bool:
    """Whether a column tells judgments apart: not where it was never filled, or holds one value."""
    sql, column = functions(frame), frame[quoted(aspect)].cast("string")
    with talking():
        rows = frame.agg(sql.min(column).alias("least"), sql.max(column).alias("most"), sql.count(column).alias("filled")).toArrow()  # fmt: skip
    least, most, filled = (rows.column(name)[0].as_py() for name in ("least", "most", "filled"))
    return bool(filled) and least != most


def _of_qrels(qrels: Qrels, session: Any) -> Judgments:
    import pyarrow as pa

    if qrels.choice is not None:
        raise UsageError("alternatives", "judgments of one kind for each query", got="sets of which any one will do", where=qrels.name,
                         hint="evaluate takes them")  # fmt: skip
    if qrels.passages is not None and qrels.passages.spans:
        raise UsageError("in-parts", "judgments of documents", got="spans of text", where=qrels.name, hint="evaluate takes them")  # fmt: skip
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
    return Judgments(
        frame, SparkColumns(qrels.name, {role: role for role in roles}), kinds, ordered=True, warnings=qrels.warnings
    )


def _ids(qrels: Qrels, role: str, column: Any) -> Any:
    if column.null_count:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(column), True).as_py()
        raw = {"query": qrels.queries.take(qrels.query), "doc": qrels.doc, "aspect": qrels.aspect}[role]
        assert raw is not None
        raise DataError("id-encoding", "ids that Spark can hold: in UTF-8, or of 64 bits", got=shown(raw[row]), where=qrels.where(row), value=raw[row],
                        hint="evaluate takes them, without Spark")  # fmt: skip
    return column
