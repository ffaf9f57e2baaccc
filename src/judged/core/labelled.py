"""Labels with scores as a `Judged`: every item is judged, so every measure and curve applies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints, is_masked_array
from judged.core import segments
from judged.core.judged import Judged
from judged.core.policy import Policy
from judged.core.pool import Pool
from judged.errors import DataError, shown
from judged.tables.table import counted

_FIRST = {"best": 1, "worst": -1}  # of equal scores: the highest grade, the lowest, or else the first item


def rank_labels(labels: Any, scores: Any, groups: Any = None) -> Judged:
    """Rank labelled items by score: one ranking per group, or one of all items.

    Items of equal score keep their order, and are marked as tied.

    >>> rank_labels([1, 0, 1], [0.2, 0.9, 0.5]).rank
    array([1, 2, 3])
    """
    check_same_index(labels, scores)
    grade, score = column_of("labels", labels), column_of("scores", scores)
    _same_length(labels=grade, scores=score)
    if groups is None:
        return rank_lists(grade, score, np.array([len(grade)]), ("all",))
    names, query = _groups(groups, len(grade))
    order = np.argsort(query, kind="stable")
    return rank_lists(grade[order], score[order], np.bincount(query, minlength=len(names)), names)


def rank_lists(
    grade: Floats,
    score: Floats,
    sizes: Ints,
    names: tuple[Any, ...],
    *,
    policy: Policy | None = None,
    absent: Ints | None = None,
    level: float = 1.0,
    depth: int | None = None,
) -> Judged:
    """Rank the items of contiguous lists by score. Every item is judged.

    Args:
        grade: grade ≥ 0 per item.
        score: score per item.
        sizes: number of items per list.
        names: names of the lists.
        policy: its `ties` are the order of items with equal scores: as given, optimistic (`best`), pessimistic (`worst`), or averaged over
            all orders (`expected`).
        absent: number of relevant items per list that were not retrieved; they have the grade `level`.
        level: lowest relevant grade.
        depth: number of items per list that are evaluated; the others stay in the pool.
    """
    rules = Policy(ties="input") if policy is None else policy
    longest = int(sizes.max(initial=0))
    deepest = longest if depth is None else min(depth, longest)
    whole = deepest == longest
    order, judgment, tie_first, tie_last, pool_grade = segments.top(
        score, grade, sizes, deepest, _FIRST.get(rules.ties, 0)
    )
    kept = sizes if whole else np.minimum(sizes, deepest)
    query, rank = segments.numbers(kept), segments.ranks(kept)
    pool = Pool(queries=names, query=query if whole else segments.numbers(sizes), grade=pool_grade)
    pool.once("sizes", lambda: sizes)
    if whole:
        pool.once("ranks", lambda: rank)  # the ideal ranking has the same ones
    judged = Judged(
        pool=pool,
        retrieved=sizes,
        answered=np.ones(len(sizes), bool),
        query=query,
        rank=rank,
        grade=grade[order],
        judgment=judgment,
        tie_first=tie_first,
        tie_last=tie_last,
        policy=rules,
        names=("labels", "scores"),
    )
    judged = judged if absent is None else _with_absent(judged, absent, level)
    return judged if rules.ties == "expected" else judged.under(rules)


def _with_absent(judged: Judged, absent: Ints, level: float) -> Judged:
    """Add relevant items that are in no list, after those of at least their grade."""
    query = np.concatenate([judged.pool_query, np.repeat(np.arange(len(judged)), absent)])
    grade = np.concatenate([judged.pool_grade, np.full(int(absent.sum()), level)])
    order = np.lexsort((-grade, query))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    pool = Pool(queries=judged.queries, query=query[order], grade=grade[order])
    return replace(judged, pool=pool, judgment=place[judged.judgment])


def column_of(name: str, values: Any) -> Floats:
    """Return a one-dimensional column of finite numbers."""
    if is_masked_array(values) and np.ma.is_masked(values):
        count = int(np.ma.getmaskarray(values).sum())
        raise DataError(
            "form", f"{counted(count, 'value is', 'values are')} masked", where=name, hint="drop these rows first"
        )
    try:
        array = np.asarray(values)
        if array.dtype.kind in "MmcSU":
            raise TypeError(f"{array.dtype} is not numeric")
        column = array.astype(float)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError("label", "numbers", got=shown(values), where=name) from error
    if column.ndim != 1 or not len(column):
        raise DataError("label", "a non-empty one-dimensional array", got=f"shape {column.shape}", where=name)
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise DataError(
            "label",
            f"{shown(column[bad[0]].item())} is not a finite number; {len(bad)} of {len(column)} are missing or not finite",
            where=f"{name}, row {bad[0] + 1}",
            hint="drop these rows",
        )
    return column


def _groups(groups: Any, size: int) -> tuple[tuple[Any, ...], Ints]:
    names, query = np.unique(np.asarray(groups), return_inverse=True)
    _same_length(labels=np.empty(size), groups=query)
    return tuple(names.tolist()), query.astype(np.int64)


def _same_length(**columns: NDArray[Any]) -> None:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        numbers = " and ".join(map(str, lengths.values()))
        raise DataError("lengths", f"{' and '.join(lengths)} differ in length: {numbers}")


def check_same_index(labels: Any, others: Any) -> None:
    """Raise an error if two pandas columns have the same index in different orders."""
    a: Any = getattr(labels, "index", None)
    b: Any = getattr(others, "index", None)
    if hasattr(a, "equals") and hasattr(b, "equals") and len(a) == len(b) and not a.equals(b) and set(a) == set(b):
        raise DataError(
            "lengths",
            "labels and scores have the same index in different orders",
            hint="put them into one frame, or pass .to_numpy() if the rows do correspond",
        )
