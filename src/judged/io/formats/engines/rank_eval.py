"""Requests and responses of `_rank_eval` of Elasticsearch and OpenSearch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any

from judged.errors import DataError, Place, shown
from judged.io.export import Export, write_json
from judged.io.formats.engines.elasticsearch import check_indices, raise_error
from judged.io.formats.shape_rows import Ranking, column, scores_of, take
from judged.io.formats.shapes import JSON_SHAPES, WRITERS, JsonShape, JudgmentWriter, TextRow

_PARAMS = ("query_string", "query", "query_text", "q", "text", "keywords")
_CLAUSES = ("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "term", "semantic", "neural")


def _ratings(request: Any, where: Place) -> Iterator[Ranking]:
    for i, query in enumerate(take(request, "requests", list, where)):
        at = f"requests[{i}]"
        rated = take(query, "ratings", list, where, at)
        ids = column(rated, "_id", where, f"{at}.ratings")
        check_indices(rated, ids, where, f"{at}.ratings")
        grades = column(rated, "rating", where, f"{at}.ratings")
        yield Ranking(ids, grades, query=take(query, "id", object, where, at))


def _query_texts(request: Any, where: Place) -> Iterator[TextRow]:
    """Return the words of each query: the parameter of its template, or the text of its first clause."""
    for i, query in enumerate(take(request, "requests", list, where)):
        params = query.get("params") if isinstance(query, Mapping) else None
        text = _parameter(params) if isinstance(params, Mapping) else _clause(query.get("request"))
        yield take(query, "id", object, where, f"requests[{i}]"), None, text


def _parameter(params: Mapping[str, Any]) -> str | None:
    texts = {name: value for name, value in params.items() if isinstance(value, str)}
    known = next((texts[name] for name in _PARAMS if name in texts), None)
    return next(iter(texts.values())) if known is None and len(texts) == 1 else known


def _clause(value: Any) -> str | None:
    """Return the text of the first clause of a query that has one."""
    for name, entry in (
        value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    ):
        if name in ("query", "query_text", "model_text") and isinstance(entry, str):
            return entry
        fields = entry.values() if name in _CLAUSES and isinstance(entry, Mapping) else ()
        text = next((field for field in fields if isinstance(field, str)), None) or _clause(entry)
        if text is not None:
            return text
    return None


def _details(response: Any, where: Place) -> Iterator[tuple[str, list[Any], str]]:
    """Iterate over the queries of a response, with their hits and the path of these; a query that failed is an error."""
    at = "rank_eval" if "rank_eval" in response else ""
    inner = response["rank_eval"] if at else response
    path = f"{at}.details" if at else "details"
    failures = inner.get("failures") if isinstance(inner, Mapping) else None
    for query, failure in failures.items() if isinstance(failures, Mapping) else ():
        raise_error(
            failure if isinstance(failure, Mapping) and "error" in failure else {"error": failure},
            where,
            f"failures.{query}",
        )
    for query, detail in take(inner, "details", dict, where, at).items():
        yield query, take(detail, "hits", list, where, f"{path}.{query}"), f"{path}.{query}.hits"


def _hits(response: Any, where: Place) -> Iterator[Ranking]:
    for query, hits, path in _details(response, where):
        found = column(hits, "hit", where, path)
        ids = column(found, "_id", where, f"{path}[].hit")
        check_indices(found, ids, where, path)
        yield Ranking(ids, **scores_of(found, "_score", where, path), query=query)


def _rated_hits(response: Any, where: Place) -> Iterator[Ranking]:
    """Return the ratings of the hits; documents that were not retrieved are not in a response."""
    for query, hits, path in _details(response, where):
        rated = [hit for hit in hits if isinstance(hit, Mapping) and hit.get("rating") is not None]
        ids = column(column(rated, "hit", where, path), "_id", where, f"{path}[].hit")
        yield Ranking(
            ids,
            column(rated, "rating", where, path),
            query=query,
            partial="the response has ratings of retrieved documents only",
        )


def _write(export: Export, file: IO[str]) -> None:
    """Write the ratings of a request; index and request of each query are left to the user, since judgments have neither."""
    requests = []
    for query, grades in export.judgments(export.strict).items():
        wrong = next((grade for grade in grades.values() if not isinstance(grade, int) or grade < 0), None)
        if wrong is not None:
            problem = f"a rating of _rank_eval is an integer ≥ 0, and query {shown(query)} has {wrong:g}"
            raise DataError("grade-range", problem, where=export.table.name, value=wrong, hint="scale the grades first")
        requests.append({"id": query, "ratings": [{"_id": doc, "rating": grade} for doc, grade in grades.items()]})
    write_json({"requests": requests}, export, file)


WRITERS.add(JudgmentWriter("rank-eval", _write, "`_rank_eval`, after `_index` and `request` were added"))
JSON_SHAPES.add(
    JsonShape(
        "_rank_eval request",
        ("requests[].ratings[]", "requests[].id"),
        """{"requests": [
  {"id": "q1", "request": {"query": {"match": {"title": "red shoes"}}},
   "ratings": [{"_index": "shop", "_id": "d1", "rating": 0}, {"_index": "shop", "_id": "d2", "rating": 3}]}],
 "metric": {"dcg": {"k": 10, "normalize": true}}}""",
        qrels=_ratings,
        texts=_query_texts,
        origin="the body of `POST /shop/_rank_eval` of Elasticsearch and OpenSearch",
    )
)
_RESPONSE = """{"metric_score": 0.6, "details": {
  "q1": {"metric_score": 0.6, "unrated_docs": [{"_index": "shop", "_id": "d9"}],
         "hits": [{"hit": {"_index": "shop", "_id": "d2", "_score": 1.5}, "rating": 3},
                  {"hit": {"_index": "shop", "_id": "d9", "_score": 0.5}, "rating": null}],
         "metric_details": {"dcg": {"dcg": 7.0}}}},
 "failures": {}}"""
JSON_SHAPES.add(
    JsonShape(
        "_rank_eval response",
        ("metric_score", "details{}"),
        _RESPONSE,
        run=_hits,
        qrels=_rated_hits,
        origin="the answer to `POST /shop/_rank_eval`; unrated documents stay unjudged",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "_rank_eval response in rank_eval",
        ("rank_eval.metric_score", "rank_eval.details{}"),
        f'{{"rank_eval": {_RESPONSE}}}',
        run=_hits,
        qrels=_rated_hits,
        origin="the same as the documentation of `_rank_eval` shows it",
    )
)
