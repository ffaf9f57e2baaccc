"""Judgment lists and query sets of the OpenSearch Search Relevance Workbench."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from judged.errors import Place
from judged.io.export import Export, write_json
from judged.io.formats.shape_rows import Ranking, column, decimals, take
from judged.io.formats.shapes import JSON_SHAPES, WRITERS, JsonShape, JudgmentWriter, TextRow

_SOURCES = "hits.hits"


def _judgments(document: Any, where: Place, at: str = "") -> Iterator[Ranking]:
    path = f"{at}.judgmentRatings" if at else "judgmentRatings"
    for i, judged in enumerate(take(document, "judgmentRatings", list, where, at)):
        rated = take(judged, "ratings", list, where, f"{path}[{i}]")
        grades = decimals(column(rated, "rating", where, f"{path}[{i}].ratings"))
        ids = column(rated, "docId", where, f"{path}[{i}].ratings")
        yield Ranking(ids, grades, query=take(judged, "query", object, where, f"{path}[{i}]"))


def _queries(document: Any, where: Place, at: str = "") -> Iterator[TextRow]:
    """Return the queries of a set; the text is also the id, as in judgment lists."""
    path = f"{at}.querySetQueries" if at else "querySetQueries"
    for i, query in enumerate(take(document, "querySetQueries", list, where, at)):
        text = take(query, "queryText", str, where, f"{path}[{i}]")
        yield text, None, text


def _each_source(read: Any) -> Any:
    """Return a reader of the search response in which the plugin returns its documents."""

    def read_sources(response: Any, where: Place) -> Iterator[Any]:
        for i, hit in enumerate(take(response, _SOURCES, list, where)):
            at = f"{_SOURCES}[{i}]"
            yield from read(take(hit, "_source", dict, where, at), where, f"{at}._source")

    return read_sources


def _write(export: Export, file: IO[str]) -> None:
    judged = export.judgments(export.strict).items()
    ratings = [
        {"query": query, "ratings": [{"docId": doc, "rating": repr(grade)} for doc, grade in grades.items()]}
        for query, grades in judged
    ]
    write_json(
        {"name": export.table.label, "description": "", "type": "IMPORT_JUDGMENT", "judgmentRatings": ratings},
        export,
        file,
    )


WRITERS.add(JudgmentWriter("judgment-ratings", _write, "`PUT _plugins/_search_relevance/judgments` of OpenSearch"))
_JUDGMENTS = """{"name": "Imported judgments", "type": "IMPORT_JUDGMENT",
 "judgmentRatings": [{"query": "red shoes", "ratings": [{"docId": "d1", "rating": "0.0"}, {"docId": "d2", "rating": "3.0"}]}]}"""
_QUERIES = """{"name": "Shoes", "sampling": "manual", "querySetQueries": [{"queryText": "red shoes"}, {"queryText": "boots"}]}"""

for _name, _path, _example, _readers in (
    ("OpenSearch judgment list", "judgmentRatings[]", _JUDGMENTS, {"qrels": _judgments}),
    ("OpenSearch query set", "querySetQueries[]", _QUERIES, {"texts": _queries}),
):
    _kind = "judgments" if "qrels" in _readers else "query_sets"
    JSON_SHAPES.add(
        JsonShape(_name, (_path,), _example, **_readers, origin=f"the body of `PUT _plugins/_search_relevance/{_kind}`")
    )
    JSON_SHAPES.add(
        JsonShape(
            f"{_name} in a response",
            (f"{_SOURCES}[]._source.{_path}",),
            f'{{"took": 1, "hits": {{"hits": [{{"_index": "search-relevance", "_id": "1", "_source": {_example}}}]}}}}',
            origin=f"the answer to `GET _plugins/_search_relevance/{_kind}/ID`",
            **{kind: _each_source(read) for kind, read in _readers.items()},
        )
    )
