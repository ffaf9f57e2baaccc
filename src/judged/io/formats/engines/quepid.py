"""JSON exports of Quepid: ratings and whole cases. CSV exports are read by `quepid_csv.py`, TREC and LETOR ones by their own formats."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO, Any

from judged.errors import Place
from judged.io.export import Export
from judged.io.formats.shape_rows import Ranking, column, take
from judged.io.formats.shapes import JSON_SHAPES, WRITERS, JsonShape, JudgmentWriter, TextRow


def _ratings(document: Any, where: Place) -> Iterator[Ranking]:
    for i, query in enumerate(take(document, "queries", list, where)):
        rated = take(query, "ratings", dict, where, f"queries[{i}]")
        yield Ranking(list(rated), list(rated.values()), query=take(query, "query", object, where, f"queries[{i}]"))


def _case_ratings(document: Any, where: Place) -> Iterator[Ranking]:
    for i, query in enumerate(take(document, "queries", list, where)):
        at = f"queries[{i}]"
        rated = take(query, "ratings", list, where, at)
        ids = column(rated, "doc_id", where, f"{at}.ratings")
        pairs = [
            (doc, grade)
            for doc, grade in zip(ids, column(rated, "rating", where, f"{at}.ratings"), strict=True)
            if grade is not None
        ]
        docs, grades = ([pair[side] for pair in pairs] for side in (0, 1))
        yield Ranking(docs, grades, query=take(query, "query_text", object, where, at))


def _information_needs(document: Any, where: Place) -> Iterator[TextRow]:
    for i, query in enumerate(take(document, "queries", list, where)):
        text = take(query, "query_text", str, where, f"queries[{i}]")
        yield text, text, query.get("information_need")


def _write(export: Export, file: IO[str]) -> None:
    """Write ratings as CSV, as Quepid exports and imports them."""
    judged = export.judgments(export.one_line)
    shifted = next((query for query in judged if query.startswith((" -", " =", " +", " @"))), None)
    if shifted is not None:
        export.raise_id("id-blank", shifted, "Quepid drops the blank of the query {}", "write TREC, CSV or JSON")
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(("query", "docid", "rating"))
    rows.writerows((query, doc, grade) for query, grades in judged.items() for doc, grade in grades.items())


WRITERS.add(JudgmentWriter("quepid", _write, "the import of ratings of Quepid (CSV)"))
JSON_SHAPES.add(
    JsonShape(
        "Quepid ratings file",
        ("queries[].ratings{}", "queries[].query"),
        """{"queries": [{"query": "red shoes", "ratings": {"d1": 0, "d2": 3}}]}""",
        qrels=_ratings,
        origin="`/api/export/ratings/ID.json` of Quepid",
    )
)
JSON_SHAPES.add(
    JsonShape(
        "Quepid case",
        ("case_name", "queries[].query_text", "queries[].ratings[]"),
        """{"case_name": "Shop", "queries": [{"query_text": "red shoes", "information_need": "shoes that are red",
  "ratings": [{"doc_id": "d1", "rating": 0.0}, {"doc_id": "d2", "rating": 3.0}]}]}""",
        qrels=_case_ratings,
        texts=_information_needs,
        origin="the JSON export of a case of Quepid",
    )
)
