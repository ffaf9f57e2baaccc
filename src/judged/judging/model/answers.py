"""Read the answer of a model: one grade of the scale, or no answer. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from judged.judging.scale import Scale

_FENCE = re.compile(r"^```(?:json)?\s*\n(.*)\n```$", re.DOTALL)


def grade_in(answer: str, scale: Scale) -> int | None:
    """Return the grade of an answer: JSON with one field `grade`, or the bare number; None for anything else.

    >>> from judged.judging.scale import SCALES
    >>> grade_in('{"grade": 2}', SCALES["graded"]), grade_in("The grade is 2.", SCALES["graded"])
    (2, None)
    """
    text = answer.strip()
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = value.get("grade") if len(value) == 1 else None
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and value in scale.numbers else None


def schema_of(scale: Scale) -> dict[str, object]:
    """Return the JSON schema of an answer, for servers that enforce one."""
    grade = {"type": "integer", "enum": list(scale.numbers)}
    return {"type": "object", "properties": {"grade": grade}, "required": ["grade"], "additionalProperties": False}


def agreed_grade(grades: Sequence[int]) -> int | None:
    """Return the most frequent of several answers, of equally frequent ones the lowest; None without any."""
    counts = Counter(grades)
    return min(counts, key=lambda grade: (-counts[grade], grade)) if counts else None
