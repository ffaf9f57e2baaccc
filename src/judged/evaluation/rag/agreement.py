"""Judgments that several question files have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judged.core.tables import Qrels, Questions
from judged.errors import DataError, shown


def check_agreement(questions: Sequence[Questions]) -> None:
    """Raise `judgments-differ` if two files have different judgments for the same question."""
    first = _judgments(questions[0].qrels)
    for other in questions[1:]:
        for query, rows in _judgments(other.qrels).items():
            if query in first and rows != first[query]:
                names = f"{questions[0].run.name} and {other.run.name}"
                raise DataError(
                    "judgments-differ",
                    f"{names} have different judgments for the question {shown(query.decode())}",
                    hint="write the same relevant documents in both",
                    value=query.decode("utf-8", "replace"),
                )


def _judgments(qrels: Qrels) -> dict[bytes, set[tuple[Any, ...]]]:
    """The rows of each query, in no order."""
    parts = qrels.passages
    spans = [] if parts is None else [part.tolist() for part in (parts.doc, parts.start, parts.end) if part is not None]
    choice = [] if qrels.choice is None else [qrels.choice.tolist()]
    rows = zip(qrels.doc.tolist(), qrels.grade.tolist(), *choice, *spans, strict=True)
    judgments: dict[bytes, set[tuple[Any, ...]]] = {query: set() for query in qrels.queries.tolist()}
    names = qrels.queries.tolist()
    for query, row in zip(qrels.query.tolist(), rows, strict=True):
        judgments[names[query]].add(row)
    return judgments
