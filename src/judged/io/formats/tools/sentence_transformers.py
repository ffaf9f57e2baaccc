"""Predictions of sentence-transformers: one record per query, written by its evaluators with `write_predictions=True`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judged.errors import Place
from judged.io.formats.shape_rows import Ranking, column, take, take_id
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, TextRow


def _run(record: Any, where: Place) -> Iterator[Ranking]:
    found = take(record, "results", list, where)
    docs, scores = (column(found, name, where, "results") for name in ("corpus_id", "score"))
    yield Ranking(docs, scores, query=take_id(record, "query_id", where), whole=True)


def _texts(record: Any, where: Place) -> Iterator[TextRow]:
    yield take_id(record, "query_id", where), None, take(record, "query", str, where)


JSON_SHAPES.add(
    JsonShape(
        "sentence-transformers prediction",
        ("query_id", "query", "results[].corpus_id", "results[].score"),
        """{"query_id": "q1", "query": "red shoes", "results": [{"corpus_id": "d2", "score": 0.75}, {"corpus_id": "d1", "score": 0.5}]}""",
        run=_run,
        texts=_texts,
        origin="`InformationRetrievalEvaluator(…, write_predictions=True)`",
    )
)
