"""Scores in memory that belong to labels: a list, an array, a tensor or one column of a frame."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Place
from judged.io.arrays.numbers import as_numbers, is_sparse
from judged.io.text.trec_columns import raise_alone

_NUMBERS = re.compile(r"(?:torch\.)?b?(?:float|double|half|u?int)\d*(?:_\w+)?(?:\[\w+\])?", re.IGNORECASE)


def is_column(source: Any) -> bool:
    """Return whether this is a flat sequence of numbers without ids."""
    if isinstance(source, list | tuple):
        first = source[0] if source else None
        return isinstance(first, int | float | np.number) and not isinstance(first, bool)
    shape = getattr(source, "shape", None)
    flat = (
        len(shape) == 1 if isinstance(shape, tuple) else hasattr(source, "null_count")
    )  # Arrow's columns have no shape
    return flat and _has_numbers(source)


def _has_numbers(source: Any) -> bool:
    kind = getattr(source, "dtype", None) or getattr(source, "type", None)
    return _NUMBERS.fullmatch(str(kind)) is not None


def is_number_matrix(source: Any) -> bool:
    """Return whether this is an array of two dimensions, or a sparse matrix, of numbers or booleans."""
    shape = getattr(source, "shape", None)
    flags = str(getattr(source, "dtype", None)).endswith("bool")
    return is_sparse(source) or (isinstance(shape, tuple) and len(shape) == 2 and (flags or _has_numbers(source)))


def is_matrix_without_ids(source: Any, columns: tuple[int, ...]) -> bool:
    """Return whether this is a matrix that cannot be rows of ids and a number: by the number of columns, or by fractions among the ids."""
    if not is_number_matrix(source):
        return False
    if is_sparse(source) or source.shape[1] not in columns:
        return True
    ids = as_numbers(source, "run").values[:, :2]
    return bool((ids % 1 != 0).any())


def read_score_column(source: Any) -> ScoreColumn:
    """Return the scores, for labels in the same order."""
    score = np.asarray(as_numbers(source, "run").values, np.float64)
    if score.ndim != 1:
        raise DataError("label", "one score for each label", got=f"an array of shape {score.shape}", where="run")
    lost = np.flatnonzero(np.isnan(score))
    if len(lost):
        hint = "find out where the number is missing; NaN cannot be ranked"
        raise DataError("score-nan", "score is NaN", where=_place(int(lost[0])), hint=hint)
    return ScoreColumn(name="run", read=partial(raise_alone, "run"), score=score, where=_place)


def _place(row: int) -> Place:
    return Place(f"run[{row}]")
