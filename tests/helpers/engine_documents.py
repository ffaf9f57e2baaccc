"""Documents of search engines and of the tools around them, built after their documentation from the same rankings and grades."""

import json
from collections.abc import Mapping
from typing import Any

RANKINGS = {"red shoes": {"d2": 1.5, "d1": 0.5, "d9": 0.25}, "boots": {"d4": 2.0, "d3": 1.0}}
Grades = Mapping[str, Mapping[str, int]]
GRADES = {"red shoes": {"d1": 0, "d2": 3}, "boots": {"d3": 1, "d4": 0}}


def elasticsearch(ranking: Mapping[str, float | None], *, index: str = "shop", **fields: Any) -> dict[str, Any]:
    """A response to `_search`."""
    hits = [
        {"_index": index, "_id": doc, "_score": score, "_source": {"title": f"Title of {doc}"}}
        for doc, score in ranking.items()
    ]
    return {
        "took": 3, "timed_out": False, "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(hits), "relation": "eq"}, "max_score": None, "hits": hits}, **fields,
    }  # fmt: skip


def elasticsearch_error() -> dict[str, Any]:
    return {"error": {"type": "index_not_found_exception", "reason": "no such index [shop]"}, "status": 404}


def vespa(ranking: Mapping[str, float | None], **root: Any) -> dict[str, Any]:
    children = [
        {"id": f"id:shop:product::{doc}", "relevance": score, "source": "shop", "fields": {"title": f"Title of {doc}"}}
        for doc, score in ranking.items()
    ]
    coverage = {"coverage": 100, "documents": 9, "full": True, "nodes": 1, "results": 1, "resultsFull": 1}
    fields = {"totalCount": len(children)}
    return {
        "root": {
            "id": "toplevel",
            "relevance": 1.0,
            "fields": fields,
            "coverage": coverage,
            "children": children,
            **root,
        }
    }


def solr(ranking: Mapping[str, float | None], *, start: int = 0, scores: bool = True, **header: Any) -> dict[str, Any]:
    docs = [
        {"id": doc, "title": [f"Title of {doc}"], **({"score": score} if scores else {})}
        for doc, score in ranking.items()
    ]
    response = {"numFound": start + len(docs), "start": start, "maxScore": 2.0, "numFoundExact": True, "docs": docs}
    return {"responseHeader": {"status": 0, "QTime": 1, **header}, "response": response}


def rank_eval_request(graded: Grades = GRADES) -> dict[str, Any]:
    return {
        "requests": [
            {"id": query, "request": {"query": {"match": {"title": f"about {query}"}}},
             "ratings": [{"_index": "shop", "_id": doc, "rating": grade} for doc, grade in grades.items()]}
            for query, grades in graded.items()
        ],
        "metric": {"precision": {"k": 10}},
    }  # fmt: skip


def rank_eval_response() -> dict[str, Any]:
    details = {}
    for query, ranking in RANKINGS.items():
        hits = [
            {"hit": {"_index": "shop", "_id": doc, "_score": score}, "rating": GRADES[query].get(doc)}
            for doc, score in ranking.items()
        ]
        unrated = [{"_index": "shop", "_id": doc} for doc in ranking if doc not in GRADES[query]]
        details[query] = {
            "metric_score": 0.5,
            "unrated_docs": unrated,
            "hits": hits,
            "metric_details": {"precision": {}},
        }
    return {"metric_score": 0.5, "details": details, "failures": {}}


def judgment_list(graded: Grades = GRADES) -> dict[str, Any]:
    ratings = [
        {"query": query, "ratings": [{"docId": doc, "rating": f"{grade:.1f}"} for doc, grade in grades.items()]}
        for query, grades in graded.items()
    ]
    return {"name": "Imported", "description": "", "type": "IMPORT_JUDGMENT", "judgmentRatings": ratings}


def rre(graded: Grades = GRADES) -> dict[str, Any]:
    queries = [
        {
            "template": "q.json",
            "placeholders": {"$query": query},
            "relevant_documents": {doc: {"gain": grade} for doc, grade in grades.items()},
        }
        for query, grades in graded.items()
    ]
    return {"index": "shop", "corpora_file": "shop.json", "id_field": "id", "queries": queries}


def quepid_ratings(graded: Grades = GRADES) -> dict[str, Any]:
    return {"queries": [{"query": query, "ratings": grades} for query, grades in graded.items()]}


def quepid_case(graded: Grades = GRADES) -> dict[str, Any]:
    queries = [
        {"query_text": query, "information_need": f"about {query}",
         "ratings": [{"doc_id": doc, "rating": float(grade), "user_email": "a@b.c"} for doc, grade in grades.items()]}
        for query, grades in graded.items()
    ]  # fmt: skip
    return {"case_name": "Shop", "owned": True, "public": False, "queries": queries}


def quepid_csv() -> str:
    """Ratings: a blank line at the top, no line feed at the end."""
    rows = [f"{query},{doc},{grade}" for query, grades in GRADES.items() for doc, grade in grades.items()]
    return "\n".join(["", "query,docid,rating", *rows])


def quepid_trec() -> str:
    """Each row follows a blank line, as the template writes them; queries are numbers."""
    numbers = {query: i for i, query in enumerate(GRADES, 1)}
    return "".join(
        f"\n{numbers[query]} 0 {doc} {float(grade)}\n"
        for query, grades in GRADES.items()
        for doc, grade in grades.items()
    )


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
