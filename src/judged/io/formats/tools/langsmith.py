"""Runs of LangSmith: the documents that a retriever returned, and the results of an experiment with their examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judged.errors import Place
from judged.io.chunks import chunk_id
from judged.io.formats.shape_rows import Ranking, raise_kind, take
from judged.io.formats.shapes import JSON_SHAPES, JsonShape

_QUERIES = ("query", "question", "input")


def _run(record: Any, where: Place) -> Iterator[Ranking]:
    """Read the documents of a retriever in their order; the query is its example, or else the input."""
    inputs, found = take(record, "inputs", dict, where), take(record, "outputs.documents", list, where)
    text = next((inputs[name] for name in _QUERIES if name in inputs), None)
    query = record.get("reference_example_id") or text
    if not isinstance(query, str):
        raise_kind(query, "inputs.query", str, where)
    yield Ranking([chunk_id(entry) for entry in found], query=query, whole=True)


def join_example(record: Mapping[Any, Any], run: Mapping[Any, Any], example: Mapping[Any, Any]) -> dict[str, Any]:
    """Return one record of a run and its example, with the outputs of the example as the reference."""
    names = ("run", "example")
    rest = {name: value for name, value in record.items() if name not in names}
    found = {"example_id": str(example.get("id")), "inputs": example.get("inputs"), "outputs": run.get("outputs")}
    return {**rest, **found, "reference_outputs": example.get("outputs")}


JSON_SHAPES.add(
    JsonShape(
        "LangSmith retriever run",
        ("run_type", "inputs{}", "outputs.documents[]"),
        """{"id": "1", "run_type": "retriever", "inputs": {"query": "red shoes"},
 "outputs": {"documents": [{"page_content": "Shoe box", "metadata": {"id": "d2"}, "type": "Document"}]}}""",
        run=_run,
        origin='`client.list_runs(run_type="retriever")` of LangSmith, as JSON',
    )
)
