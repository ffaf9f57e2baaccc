"""Responses of Elasticsearch and OpenSearch: `_search`, pages of a scroll, `_msearch`, errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.formats.shape_rows import Ranking, column, scores_of, take
from judged.io.formats.shapes import JSON_SHAPES, JsonShape, TextRow

_HITS = "hits.hits"


def read_hits(response: Any, where: Place, at: str = "") -> Ranking:
    """Return the hits of a response as a ranking. `at` is the path of the response.

    The id of a document is its `_id`; two documents of one id, from two indices, are an error. Inner hits are not documents of the ranking.
    """
    if isinstance(response, Mapping) and "error" in response:
        raise_error(response, where, at)
    path = f"{at}.{_HITS}" if at else _HITS
    hits = take(response, _HITS, list, where, at)
    ids = column(hits, "_id", where, path)
    check_indices(hits, ids, where, path)
    return Ranking(
        ids,
        **scores_of(hits, "_score", where, path),
        total=_total(response["hits"].get("total")),
        partial=_partial(response),
        page=response.get("_scroll_id") or response.get("pit_id"),
    )


def check_indices(hits: list[Any], ids: list[Any], where: Place, path: str) -> None:
    indices = [hit.get("_index") for hit in hits]
    if len(set(map(str, indices))) < 2:
        return
    first: dict[str, int] = {}
    for i, name in enumerate(map(str, ids)):
        other = first.setdefault(name, i)
        if indices[other] != indices[i]:
            both = " and ".join(shown(indices[at]) for at in (other, i))
            raise DataError(
                "index-clash",
                f"document {shown(name)} is in two indices, {both}, at {path}[{i}]",
                where=where,
                value=name,
                hint="search one index, or give their documents different ids",
            )


def _total(total: Any) -> int | None:
    value = total.get("value") if isinstance(total, Mapping) else total
    return value if isinstance(value, int) else None


def _partial(response: Mapping[str, Any]) -> str:
    shards = response.get("_shards")
    failed = shards.get("failed") if isinstance(shards, Mapping) else 0
    if isinstance(failed, int) and failed:
        return f"{failed} of {shards.get('total', '?')} shards failed"  # type: ignore[union-attr]
    return "the search timed out" if response.get("timed_out") is True else ""


def raise_error(response: Mapping[str, Any], where: Place, at: str) -> NoReturn:
    error = response["error"]
    reason = error
    if isinstance(error, Mapping):
        reason = ": ".join(str(error[name]) for name in ("type", "reason") if error.get(name))
    status = f" (status {response['status']})" if "status" in response else ""
    raise DataError(
        "engine-error",
        f"the engine returned an error{f' at {at}' if at else ''}{status}: {shown(reason, 200)}",
        where=where,
        hint="repeat the request, or leave the query out",
    )


def _search(response: Any, where: Place) -> list[Ranking]:
    return [read_hits(response, where)]


def _async(document: Any, where: Place) -> list[Ranking]:
    ranking = read_hits(document["response"], where, "response")
    unfinished = document.get("is_running") or document.get("is_partial")
    return [ranking._replace(partial="the search has not finished") if unfinished else ranking]


def _msearch(document: Any, where: Place) -> Iterator[Ranking]:
    """Read the responses to several queries; `queries` beside them may list their ids."""
    responses = take(document, "responses", list, where)
    ids = take(document, "queries", list, where) if "queries" in document else [None] * len(responses)
    if len(ids) != len(responses):
        problem = f"{len(ids)} queries for {len(responses)} responses"
        raise DataError("json-field", problem, where=where, hint="list one query for each response")
    for i, (query, response) in enumerate(zip(ids, responses, strict=True)):
        yield read_hits(response, where, f"responses[{i}]")._replace(query=query)


def _texts(response: Any, where: Place) -> Iterator[TextRow]:
    """Return the documents of a response by their `_source`."""
    for i, hit in enumerate(take(response, _HITS, list, where)):
        yield take(hit, "_id", object, where, f"{_HITS}[{i}]"), None, hit.get("_source")


JSON_SHAPES.add(
    JsonShape(
        "Elasticsearch response",
        ("hits.hits[]",),
        """{"took": 3, "timed_out": false, "_shards": {"total": 1, "successful": 1, "failed": 0},
 "hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 1.5,
          "hits": [{"_index": "shop", "_id": "d2", "_score": 1.5, "_source": {"title": "Red shoes"}},
                   {"_index": "shop", "_id": "d1", "_score": 0.5, "_source": {"title": "Shoe box"}}]}}""",
        run=_search,
        texts=_texts,
        one_query=True,
        origin="`GET /shop/_search` of Elasticsearch and OpenSearch",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Elasticsearch async response",
        ("is_running", "response.hits.hits[]"),
        """{"id": "FmRl", "is_partial": false, "is_running": false,
 "response": {"took": 3, "timed_out": false, "hits": {"total": {"value": 1}, "hits": [{"_index": "shop", "_id": "d2", "_score": 1.5}]}}}""",
        run=_async,
        one_query=True,
        origin="`GET /_async_search/ID` of Elasticsearch",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Elasticsearch error",
        ("error", "status"),
        """{"error": {"type": "index_not_found_exception", "reason": "no such index [shop]"}, "status": 404}""",
        run=_search,
        one_query=True,
        origin="a request that failed; always an error",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Elasticsearch _msearch response",
        ("responses[]",),
        """{"took": 5, "responses": [
  {"took": 3, "timed_out": false, "hits": {"total": {"value": 1}, "hits": [{"_index": "shop", "_id": "d1", "_score": 1.5}]}, "status": 200},
  {"took": 2, "timed_out": false, "hits": {"total": {"value": 1}, "hits": [{"_index": "shop", "_id": "d2", "_score": 0.5}]}, "status": 200}]}""",
        run=_msearch,
        origin="`GET /_msearch` of Elasticsearch and OpenSearch",
    )
)
