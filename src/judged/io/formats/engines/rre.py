"""Ratings of RRE, the Rated Ranking Evaluator; Quepid exports them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any

from judged.errors import DataError, Place, shown
from judged.io.export import Export, write_json
from judged.io.formats.shape_rows import Ranking, raise_kind, take
from judged.io.formats.shapes import JSON_SHAPES, WRITERS, JsonShape, TextRow, ToolWriter


def _queries(document: Any, where: Place) -> Iterator[tuple[str, Any, str]]:
    """Iterate over queries with their relevant documents, those of the group if they have none of their own, and their path.

    A document needs a gain: what RRE takes for a missing one depends on the settings of each of its metrics.
    """
    name = document.get("query_placeholder", "$query")
    for topic, at in _members([(document, "")], "topics", where):
        for group, below in _members([(topic, at)], "query_groups", where):
            for query, path in _members([(group, below)], "queries", where):
                holders = take(query, "placeholders", dict, where, path)
                text = take(holders, name, object, where, f"{path}.placeholders")
                own = query if "relevant_documents" in query else group
                yield text, take(own, "relevant_documents", dict, where, path), path


def _members(owners: list[tuple[Any, str]], name: str, where: Place) -> Iterator[tuple[Any, str]]:
    """Iterate over a list of an owner with paths; without the list, over the owner itself, as RRE does."""
    for owner, at in owners:
        path = f"{at}.{name}" if at else name
        if name not in take(owner, "", dict, where, at) and name != "queries":
            yield owner, at
            continue
        yield from ((member, f"{path}[{i}]") for i, member in enumerate(take(owner, name, list, where, at)))


def _ratings(document: Any, where: Place) -> Iterator[Ranking]:
    for query, relevant, at in _queries(document, where):
        docs: list[Any] = []
        grades: list[Any] = []
        for key, value in relevant.items():
            if isinstance(value, list):  # {gain: [doc, …]}
                docs += value
                grades += [_gain(key, where, at)] * len(value)
            elif isinstance(value, Mapping):  # {doc: {"gain": …}}
                docs.append(key)
                name = "rating" if "rating" in value and "gain" not in value else "gain"
                grades.append(take(value, name, object, where, f"{at}.relevant_documents.{key}"))
            else:
                raise_kind(value, f"{at}.relevant_documents.{key}", dict, where)
        yield Ranking(docs, grades, query=query)


def _gain(key: str, where: Place, at: str) -> float:
    try:
        return float(key)
    except ValueError:
        raise DataError(
            "grade-text", f"gain {shown(key)} at {at}.relevant_documents is not a number", where=where, value=key
        ) from None


def _texts(document: Any, where: Place) -> Iterator[TextRow]:
    return ((query, None, query) for query, _, _ in _queries(document, where))


def _write(export: Export, file: IO[str]) -> None:
    queries = [
        {
            "placeholders": {"$query": query},
            "relevant_documents": {doc: {"gain": grade} for doc, grade in grades.items()},
        }
        for query, grades in export.judgments(export.strict).items()
    ]
    write_json({"index": "index", "id_field": "id", "template": "template.json", "queries": queries}, export, file)


WRITERS.add(ToolWriter("rre", _write, "RRE, after `index` and `template` were changed to yours"))
_QUERY = '{"template": "query.json", "placeholders": {"$query": "red shoes"}}'
_RELEVANT = '"relevant_documents": {"d1": {"gain": 1}, "d2": {"gain": 3}}'
for _name, _path, _example in (
    (
        "RRE ratings file with topics",
        "topics[].query_groups[]",
        f'"topics": [{{"description": "Shoes", "query_groups": [{{"name": "red", "queries": [{_QUERY}], {_RELEVANT}}}]}}]',
    ),
    (
        "RRE ratings file with groups",
        "query_groups[].queries[]",
        f'"query_groups": [{{"name": "red", "queries": [{_QUERY}], {_RELEVANT}}}]',
    ),
    (
        "RRE ratings file",
        "queries[].placeholders{}",
        f'"queries": [{{"placeholders": {{"$query": "red shoes"}}, {_RELEVANT}}}]',
    ),
):
    JSON_SHAPES.add(
        JsonShape(
            _name,
            ("id_field", "index", _path),
            f'{{"index": "shop", "id_field": "id", {_example}}}',
            qrels=_ratings,
            texts=_texts,
            origin="`ratings.json` of the Rated Ranking Evaluator"
            + ("; Quepid exports it" if _name == "RRE ratings file" else ""),
        )
    )
