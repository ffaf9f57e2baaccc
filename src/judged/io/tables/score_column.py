"""Scores in memory that stand beside labels: a list, an array, a tensor or one column of a frame."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Place
from judged.io.arrays.numbers import as_numbers
from judged.io.text.trec_columns import refuse_alone

__all__ = ["column_of", "is_column"]

_NUMBERS = re.compile(r"(?:torch\.)?b?(?:float|double|half|u?int)\d*(?:_\w+)?(?:\[\w+\])?", re.IGNORECASE)


def is_column(source: Any) -> bool:
    """Whether this holds numbers side by side, and nothing that says whose they are."""
    if isinstance(source, list | tuple):
        first = source[0] if source else None
        return isinstance(first, int | float | np.number) and not isinstance(first, bool)
    shape = getattr(source, "shape", None)
    flat = len(shape) == 1 if isinstance(shape, tuple) else hasattr(source, "null_count")  # so are Arrow's columns
    kind = getattr(source, "dtype", None) or getattr(source, "type", None)
    return flat and _NUMBERS.fullmatch(str(kind)) is not None


def column_of(source: Any) -> ScoreColumn:
    """The numbers, to be put beside labels."""
    score = np.asarray(as_numbers(source, "run").values, np.float64)
    if score.ndim != 1:
        raise DataError("label", "one score for each label", got=f"an array of shape {score.shape}", where="run")
    lost = np.flatnonzero(np.isnan(score))
    if len(lost):
        hint = "NaN cannot be compared; find out where the number was lost"
        raise DataError("score-nan", "a score that is a number", got="nan", where=_place(int(lost[0])), hint=hint)
    return ScoreColumn(name="run", read=partial(refuse_alone, "run"), score=score, where=_place)


def _place(row: int) -> Place:
    return Place(f"run[{row}]")
