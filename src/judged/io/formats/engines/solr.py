"""Responses of Solr: documents, and documents in groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judged.errors import DataError, Place, shown
from judged.io.columns import NAMES, match, single
from judged.io.formats.engines.elasticsearch import raise_error
from judged.io.formats.shape_rows import Ranking, column, scores_of, take
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, TextRow


def _check_status(response: Mapping[str, Any], where: Place) -> str:
    """Return why documents may be missing; an error of the engine is raised."""
    header = response.get("responseHeader")
    header = header if isinstance(header, Mapping) else {}
    error = response.get("error")
    if error is not None or header.get("status", 0) != 0:
        reason = error.get("msg") or error.get("trace") if isinstance(error, Mapping) else error
        raise_error({"error": reason, "status": header.get("status", "unknown")}, where, "")
    return "the search returned partial results" if header.get("partialResults") in (True, "omitted") else ""


def _key(docs: list[Any], where: Place, at: str) -> str:
    """Return the field of ids: `id`, or else the only one with a known name."""
    if not docs or not isinstance(docs[0], Mapping) or "id" in docs[0]:
        return "id"
    return single(match(NAMES["doc"], docs[0])) or take(docs[0], "id", str, where, f"{at}[0]")


def _ids(docs: list[Any], where: Place, at: str) -> list[Any]:
    return column(docs, _key(docs, where, at), where, at)


def _documents(response: Any, where: Place) -> list[Ranking]:
    partial = _check_status(response, where)
    docs, at = take(response, "response.docs", list, where), "response.docs"
    inner = response["response"]
    start, total = (value if isinstance(value, int) else 0 for value in (inner.get("start"), inner.get("numFound")))
    scores = scores_of(docs, "score", where, at)
    return [Ranking(_ids(docs, where, at), **scores, total=total, start=start, partial=partial)]


def _groups(response: Any, where: Place) -> list[Ranking]:
    """Read the documents group by group; their order decides, since the scores of later groups may be higher."""
    partial = _check_status(response, where)
    fields = take(response, "grouped", dict, where)
    if len(fields) != 1:
        names = ", ".join(map(shown, fields)) or "none"
        raise DataError(
            "json-field",
            f"one field or query at grouped, got {len(fields)}: {names}",
            where=where,
            hint="group by one field, or pass group.main=true",
        )
    ((name, grouped),) = fields.items()
    at = f"grouped.{name}"
    lists = [grouped]
    if "doclist" not in take(grouped, "", dict, where, at):
        lists, at = take(grouped, "groups", list, where, at), f"{at}.groups"
    ids: list[Any] = []
    for i, group in enumerate(lists):
        path = f"{at}[{i}]" if lists[0] is not grouped else at
        docs = take(group, "doclist.docs", list, where, path)
        ids += _ids(docs, where, f"{path}.doclist.docs")
    matches = grouped.get("matches")
    return [Ranking(ids, None, total=matches if isinstance(matches, int) else None, partial=partial)]


def _texts(response: Any, where: Place) -> Iterator[TextRow]:
    docs = take(response, "response.docs", list, where)
    return ((key, None, doc) for key, doc in zip(_ids(docs, where, "response.docs"), docs, strict=True))


_HEADER = '"responseHeader": {"status": 0, "QTime": 3}'
JSON_SHAPES.add(
    JsonShape(
        "Solr response",
        ("response.docs[]",),
        f"""{{{_HEADER},
 "response": {{"numFound": 2, "start": 0, "maxScore": 1.5, "numFoundExact": true,
              "docs": [{{"id": "d2", "title": "Red shoes", "score": 1.5}}, {{"id": "d1", "title": "Shoe box", "score": 0.5}}]}}}}""",
        run=_documents,
        texts=_texts,
        one_query=True,
        origin="`/select` of Solr; without `fl=*,score` the order of the documents is used",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "grouped Solr response",
        ("grouped{}", "responseHeader{}"),
        f"""{{{_HEADER},
 "grouped": {{"brand": {{"matches": 2, "groups": [
  {{"groupValue": "acme", "doclist": {{"numFound": 1, "start": 0, "docs": [{{"id": "d2"}}]}}}},
  {{"groupValue": "none", "doclist": {{"numFound": 1, "start": 0, "docs": [{{"id": "d1"}}]}}}}]}}}}}}""",
        run=_groups,
        one_query=True,
        origin="`/select?group=true` of Solr; the order of the groups is used",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Solr error",
        ("error{}", "responseHeader.status"),
        """{"responseHeader": {"status": 400, "QTime": 1}, "error": {"msg": "undefined field brand", "code": 400}}""",
        run=_documents,
        one_query=True,
        origin="a request that failed; always an error",
    )
)
