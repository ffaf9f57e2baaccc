"""Labels with scores as a `Judged`: every item is judged, so every measure and curve applies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core import segment
from judged.core.judged import Judged
from judged.errors import DataError, shown

__all__ = ["column_of", "labelled", "refuse_other_order"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def labelled(labels: Any, scores: Any, groups: Any = None) -> Judged:
    """A ranking by score of labelled items; one for each group, or one of all.

    Items of equal score stand in the order given, and know that they are tied.

    >>> labelled([1, 0, 1], [0.2, 0.9, 0.5]).rank
    array([1, 2, 3])
    """
    refuse_other_order(labels, scores)
    grade, score = column_of("labels", labels), column_of("scores", scores)
    _same_length(labels=grade, scores=score)
    names, query = (("all",), np.zeros(len(grade), np.int64)) if groups is None else _groups(groups, len(grade))
    order = np.lexsort((-score, query))
    grade, score, query = grade[order], score[order], query[order]
    start = np.ones(len(grade), bool)
    start[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
    sizes = np.bincount(query, minlength=len(names))
    rank = segment.positions(sizes) + 1
    group = np.cumsum(start) - 1
    first = rank[start][group]
    pool = np.lexsort((-grade, query))
    place = np.empty(len(grade), np.int64)
    place[pool] = np.arange(len(grade))
    return Judged(
        queries=names,
        retrieved=sizes,
        answered=np.ones(len(names), bool),
        query=query,
        rank=rank,
        grade=grade,
        judgment=place,
        tie_first=first,
        tie_last=first + np.bincount(group)[group] - 1,
        pool_query=query[pool],
        pool_grade=grade[pool],
        names=("labels", "scores"),
    )


def column_of(name: str, values: Any) -> Floats:
    """A one-dimensional column of finite numbers without gaps."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise DataError(
            "masked",
            f"{name} without masked values",
            got=f"{int(np.ma.getmaskarray(values).sum())} of them",
            where=name,
            hint="drop the rows first",
        )
    try:
        given = np.asarray(values)
        if given.dtype.kind in "MmcSU":
            raise TypeError(f"{given.dtype} is no number")
        column = given.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError("label", f"{name} that are numbers", got=shown(values), where=name) from error
    if column.ndim != 1 or not len(column):
        raise DataError(
            "label", f"one-dimensional {name}, at least one", got=f"an array of shape {column.shape}", where=name
        )
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise DataError("label", f"{name} that are numbers", got=shown(column[bad[0]].item()), where=f"{name}, row {bad[0] + 1}",
                        hint=f"{len(bad)} of {len(column)} are missing or not finite; leave them out")  # fmt: skip
    return column


def _groups(groups: Any, size: int) -> tuple[tuple[Any, ...], Ints]:
    names, query = np.unique(np.asarray(groups), return_inverse=True)
    _same_length(labels=np.empty(size), groups=query)
    return tuple(names.tolist()), query.astype(np.int64)


def _same_length(**columns: NDArray[Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise DataError(
            "lengths", f"{' and '.join(lengths)} of one length", got=" and ".join(map(str, lengths.values()))
        )


def refuse_other_order(labels: Any, others: Any) -> None:
    """An error where two columns with an index of their own (pandas) name the same rows in another order."""
    a: Any = getattr(labels, "index", None)
    b: Any = getattr(others, "index", None)
    if hasattr(a, "equals") and hasattr(b, "equals") and len(a) == len(b) and not a.equals(b) and set(a) == set(b):
        raise DataError("lengths", "columns whose rows are in one order", got="the same index in another order",
                        hint="put them into one frame, or pass .to_numpy() if the order is right as it is")  # fmt: skip
