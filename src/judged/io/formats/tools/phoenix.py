"""Spans of Phoenix, in the conventions of OpenInference: the documents that a retriever returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judged.errors import Place
from judged.io.chunks import chunk_id
from judged.io.formats.shape_rows import Ranking, raise_kind
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, lookup

_DOCUMENTS, _INPUT = "attributes.retrieval.documents", "attributes.input.value"


def _run(span: Any, where: Place) -> Iterator[Ranking]:
    """Read the documents of a retriever in their order; the query is the input of the span."""
    found, query = lookup(span, _DOCUMENTS), lookup(span, _INPUT)
    if not isinstance(found, list):
        raise_kind(found, _DOCUMENTS, list, where)
    if not isinstance(query, str):
        raise_kind(query, _INPUT, str, where)
    yield Ranking([chunk_id(entry) for entry in found], query=query, whole=True)


JSON_SHAPES.add(
    JsonShape(
        "Phoenix retriever span",
        (f"{_DOCUMENTS}[]", _INPUT),
        """{"name": "retrieve", "span_kind": "RETRIEVER", "attributes": {"input.value": "red shoes",
  "retrieval.documents": [{"document.id": "d2", "document.content": "Shoe box", "document.score": 0.75}]}}""",
        run=_run,
        origin="`client.spans` of Phoenix, as JSON",
    )
)
