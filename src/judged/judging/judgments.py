"""Judgments with their judge, time and note: what the judging page exports and model judges write, one JSON record per line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judged.core.tables import Id, Qrels
from judged.errors import DataError, JudgedError
from judged.io.atomic import write_atomically
from judged.io.files import open_content
from judged.io.read import read_qrels
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number


@dataclass(frozen=True, slots=True)
class Judgment:
    """A grade that a judge gave to a document; `grade` is None if the judge gave no answer.

    Args:
        query, doc: the ids.
        grade: the grade.
        judge: name of the person or the model.
        time: when, as ISO 8601 text.
        note: words of the judge.
        grades: all answers, if a model was asked more than once.
        by: "model", unless it was a person.
    """

    query: Id
    doc: Id
    grade: float | None
    judge: str = ""
    time: str = ""
    note: str = ""
    grades: tuple[int, ...] = ()
    by: str = ""

    def record(self) -> dict[str, Any]:
        """Return the record of a file: fields without information are left out, but for the grade."""
        fields = {
            "query": self.query,
            "doc": self.doc,
            "grade": self.grade,
            "judge": self.judge,
            "by": self.by,
            "time": self.time,
            "note": self.note,
            "grades": list(self.grades) if len(self.grades) > 1 else "",
        }
        return {name: value for name, value in fields.items() if value != ""}


@dataclass(frozen=True, slots=True, repr=False)
class Judgments(Result):
    """Judgments of one or several judges, in the order of the documents."""

    items: tuple[Judgment, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Judgment]:
        return iter(self.items)

    @property
    def unanswered(self) -> int:
        """The number of documents without a grade."""
        return sum(item.grade is None for item in self.items)

    @property
    def qrels(self) -> Qrels:
        """The judgments that have a grade, for `evaluate`.

        Raises:
            DataError: none has.
        """
        triples = [(item.query, item.doc, item.grade) for item in self.items if item.grade is not None]
        if not triples:
            raise DataError("empty-qrels", "no document has a grade", hint="look at the notes of the judgments")
        return read_qrels(triples, name=self.items[0].judge or "judgments")

    def headline(self) -> Sequence[str]:
        """Return the number of judgments, and of documents without an answer."""
        said = f"{counted(len(self) - self.unanswered, 'judgment')} of {counted(len({i.query for i in self.items}), 'query')}"
        return (f"{said}; no answer for {counted(self.unanswered, 'document')}." if self.unanswered else f"{said}.",)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return the number of documents with each grade."""
        counts: dict[Any, int] = {}
        for item in self.items:
            counts[item.grade] = counts.get(item.grade, 0) + 1
        ordered = sorted(counts, key=lambda grade: (grade is None, grade or 0))
        rows = tuple(("no answer" if grade is None else number(grade, 0), f"{counts[grade]:,}") for grade in ordered)
        return [Table(("grade", "documents"), rows, notes=self.notes)]

    def records(self) -> list[dict[str, Any]]:
        """Return one mapping per judgment, all with the same keys."""
        names = ("query", "doc", "grade", "judge", "time", "note")
        return [{name: getattr(item, name) for name in names} for item in self.items]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one JSON record per line, which every reader of judgments takes; documents without an answer are left out."""
        with write_atomically(path) as file:
            lines = (json.dumps(item.record(), ensure_ascii=False) for item in self.items if item.grade is not None)
            file.writelines(f"{line}\n" for line in lines)


def is_by_model(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has judgments that a model judge wrote: the first record says so."""
    try:
        with open_content(path) as content:
            first = bytes(content.head).partition(b"\n")[0]
        record = json.loads(first)
    except (ValueError, JudgedError):
        return False
    return isinstance(record, dict) and record.get("by") == "model"
