"""Judgments of UMBRELA: one record per query and passage, or requests of its family of tools whose candidates were judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judged.errors import Place
from judged.io.formats.shape_rows import Ranking, column, take, take_id
from judged.io.formats.shapes import JSON_SHAPES, JsonShape

_IDS = {"query": ("qid", "query_id"), "passage": ("docid", "doc_id", "passage_id")}


def _judgment(record: Any, where: Place) -> Iterator[Ranking]:
    """Read one judgment. The texts are the ids, unless the record also has ids.

    `result_status` 0 means that the answer of the model had no grade; the 0 beside it is none either.
    """
    query, passage = (_id(record, name, where) for name in _IDS)
    grade = take(record, "judgment", object, where)
    failed = record.get("result_status", 1) == 0
    yield Ranking([], [], query, left_out=1) if failed else Ranking([passage], [grade], query)


def _id(record: Mapping[str, Any], name: str, where: Place) -> Any:
    own = next((key for key in _IDS[name] if record.get(key) is not None), name)
    return take_id(record, own, where)


def _candidates(request: Any, where: Place) -> tuple[Any, list[Any], list[Any]]:
    """Return the query of a request, its candidates, and their ids."""
    found = take(request, "candidates", list, where)
    return take_id(request, "query.qid", where), found, column(found, "docid", where, "candidates")


def _run(request: Any, where: Place) -> Iterator[Ranking]:
    query, found, docs = _candidates(request, where)
    scored = all("score" in candidate for candidate in found)
    yield Ranking(docs, column(found, "score", where, "candidates") if scored else None, query, whole=True)


def _judged(request: Any, where: Place) -> Iterator[Ranking]:
    query, found, docs = _candidates(request, where)
    yield Ranking(docs, column(found, "judgment", where, "candidates"), query, whole=True)


JSON_SHAPES.add(
    JsonShape(
        "judgment of UMBRELA",
        ("query", "passage", "judgment"),
        """{"model": "gpt-4o", "query": "red shoes", "passage": "Red running shoes.", "prompt": "…", "prediction": "##final score: 3",
 "judgment": 3, "result_status": 1}""",
        qrels=_judgment,
        origin="`umbrela judge --input-file … --output-file …`",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "request with judgments of UMBRELA",
        ("query.qid", "candidates[].docid", "candidates[].judgment"),
        """{"query": {"qid": "q1", "text": "red shoes"},
 "candidates": [{"docid": "d1", "score": 9.5, "doc": {"segment": "Red running shoes."}, "judgment": 3}]}""",
        run=_run,
        qrels=_judged,
        origin="requests with the judgments of UMBRELA added, as by Ragnarök",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "request of RankLLM",
        ("query.qid", "candidates[].docid"),
        """{"query": {"qid": "q1", "text": "red shoes"}, "candidates": [{"docid": "d1", "score": 9.5, "doc": {"contents": "Red running shoes."}}]}""",
        run=_run,
        origin="RankLLM, Ragnarök and `umbrela judge`, as inputs and results",
    )
)
