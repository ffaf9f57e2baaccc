"""Inputs and results of Azure's `DocumentRetrievalEvaluator`: judgments and a ranking of each query in one record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from judged.errors import Place
from judged.io.formats.shape_rows import Ranking, column, raise_kind, take
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, lookup

_FIELDS = {
    "run": ("retrieved_documents", "relevance_score"),
    "qrels": ("retrieval_ground_truth", "query_relevance_label"),
}


def _record(what: str) -> Callable[[Any, Place], Iterator[Ranking]]:
    """Return the reader of one record; scores decide about the order, as they do in Azure, not the list."""
    name, number = _FIELDS[what]

    def read(record: Any, where: Place) -> Iterator[Ranking]:
        yield _ranking(take(record, name, list, where), number, where, name)

    return read


def _results(what: str) -> Callable[[Any, Place], Iterator[Ranking]]:
    """Return the reader of the results of several records, whose fields are called `inputs.…`."""
    name, number = _FIELDS[what]

    def read(document: Any, where: Place) -> Iterator[Ranking]:
        for i, row in enumerate(take(document, "rows", list, where)):
            at, found = f"rows[{i}].inputs.{name}", lookup(row, f"inputs.{name}")
            ranking = _ranking(
                found if isinstance(found, list) else raise_kind(found, at, list, where), number, where, at
            )
            yield ranking._replace(query=lookup(row, "inputs.query_id") or lookup(row, "inputs.query"))

    return read


def _ranking(found: list[Any], number: str, where: Place, at: str) -> Ranking:
    docs, numbers = (column(found, key, where, at) for key in ("document_id", number))
    return Ranking(docs, numbers, ordered=False, whole=True)


_RECORD = """{"query": "red shoes", "retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 3}],
 "retrieved_documents": [{"document_id": "d2", "relevance_score": 45.1}, {"document_id": "d1", "relevance_score": 35.8}]}"""

JSON_SHAPES.add(
    JsonShape(
        "Azure document retrieval record",
        ("retrieval_ground_truth[]", "retrieved_documents[]"),
        _RECORD,
        run=_record("run"),
        qrels=_record("qrels"),
        questions=True,
        one_query=True,
        origin="data of `DocumentRetrievalEvaluator` of azure-ai-evaluation",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Azure document retrieval result",
        ("rows[].inputs.retrieval_ground_truth[]", "rows[].inputs.retrieved_documents[]"),
        """{"rows": [{"inputs.query": "red shoes", "inputs.retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 3}],
  "inputs.retrieved_documents": [{"document_id": "d1", "relevance_score": 35.8}]}], "metrics": {}}""",
        run=_results("run"),
        qrels=_results("qrels"),
        questions=True,
        origin="`evaluate(…, output_path=…)` of azure-ai-evaluation",
    )
)
