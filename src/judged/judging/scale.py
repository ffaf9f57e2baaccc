"""Scales of grades, with the words that judges see."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judged.errors import UsageError, shown
from judged.registry import choose_one


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade: its number, its name, and when to give it."""

    number: int
    name: str
    description: str = ""

    def __str__(self) -> str:
        return f"{self.number} = {self.name}" + (f": {self.description}" if self.description else "")


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades that a judge may give, from the lowest up.

    >>> print(Scale.of({0: "Not relevant", 1: "Relevant"}))
    0 = Not relevant
    1 = Relevant
    """

    grades: tuple[Grade, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.grades))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The grades as numbers."""
        return tuple(grade.number for grade in self.grades)

    @classmethod
    def of(cls, source: Any) -> Scale:
        """Make a scale from a name (`graded`, `binary`), {number: name}, {number: [name, description]}, or a JSON file of one.

        Raises:
            UsageError: fewer than two grades, a grade that is no integer, or no name.
        """
        if isinstance(source, Scale):
            return source
        if isinstance(source, str) and source in SCALES:
            return SCALES[source]
        if isinstance(source, str | os.PathLike):
            source = _read(source)
        if not isinstance(source, Mapping) or len(source) < 2:
            _refuse(source)
        try:
            grades = sorted((_grade(number, words) for number, words in source.items()), key=lambda grade: grade.number)
        except (ValueError, TypeError):
            _refuse(source)
        if len({grade.number for grade in grades}) < len(grades) or len(grades) > 10:
            _refuse(source)
        return cls(tuple(grades))


def _read(path: str | os.PathLike[str]) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        name = os.fspath(path)
        cause = error.strerror if isinstance(error, OSError) else error
        problem = f"{shown(name)} is neither a scale nor a JSON file of one ({cause})"
        raise UsageError("grade-scale", problem, hint=choose_one(name, SCALES), value=name) from error


def _grade(number: Any, words: Any) -> Grade:
    if isinstance(number, bool | float):
        raise ValueError
    name, description = (words, "") if isinstance(words, str) else words
    if not name.strip():
        raise ValueError
    return Grade(int(number), name.strip(), description.strip())


def _refuse(source: Any) -> Any:
    hint = 'write it as {0: "Not relevant", 1: "Relevant"}, with two to ten grades'
    raise UsageError("grade-scale", f"a scale maps integers to names, got {shown(source)}", hint=hint, value=source)


SCALES = {
    "graded": Scale(
        (
            Grade(0, "Irrelevant", "has nothing to do with the query"),
            Grade(1, "Related", "is on the topic but does not answer the query"),
            Grade(2, "Partly relevant", "answers part of the query, or the answer is hidden among other matter"),
            Grade(3, "Perfectly relevant", "is devoted to the query and contains the exact answer"),
        )
    ),
    "binary": Scale(
        (
            Grade(0, "Not relevant", "does not help with the query"),
            Grade(1, "Relevant", "helps with the query"),
        )
    ),
}
