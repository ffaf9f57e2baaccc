"""Displays of systems without a significant difference: shared letters, and bars of a diagram."""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.errors import DataError

_ALPHABET = string.ascii_lowercase + string.ascii_uppercase


def letters(significant: Any, order: Sequence[int] | None = None) -> tuple[str, ...]:
    """Return letters per system: two share one if and only if they do not differ significantly (compact letter display).

    The algorithm is insert-and-absorb (Piepho, Journal of Computational and Graphical Statistics 2004), followed by
    removing letters that no pair needs. `significant` is a symmetric boolean table whose diagonal is ignored; `order`
    lists systems from the best, which gets an a. After z come A to Z, then a2, b2 and so on.

    >>> letters([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ('a', 'ab', 'b')
    """
    column, k = _groups(significant, order)
    names = [_ALPHABET[i % 52] + (str(i // 52 + 1) if i >= 52 else "") for i in range(len(column))]
    return tuple("".join(n for n, c in zip(names, column, strict=True) if c >> i & 1) for i in range(k))


def bars(significant: Any, order: Sequence[int] | None = None) -> tuple[tuple[int, ...], ...]:
    """Return the groups of two or more systems that share a letter, as the bars of a diagram: systems by number, from
    the best.

    >>> bars([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ((0, 1), (1, 2))
    """
    column, k = _groups(significant, order)
    places = range(k) if order is None else order
    groups = (tuple(int(i) for i in places if c >> i & 1) for c in column)
    return tuple(group for group in groups if len(group) > 1)


def _groups(significant: Any, order: Sequence[int] | None) -> tuple[list[int], int]:
    """Return sets of systems, as bits, of which no two differ, such that every pair without a difference is in one."""
    apart = _symmetric(significant)
    k = len(apart)
    places = list(range(k)) if order is None else list(order)
    if sorted(places) != list(range(k)):
        raise DataError("table", f"order must name each of {k} systems once, got {str(places)[:60]}")
    column = _sweep(_insert_and_absorb(apart, places), apart)
    column.sort(key=lambda members: [-(members >> system & 1) for system in places])
    return column, k


def _symmetric(significant: Any) -> NDArray[np.bool_]:
    table = np.asarray(significant)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 1 or table.dtype.kind not in "biu":
        raise DataError("table", "a square boolean table", got=f"{table.dtype} of shape {table.shape}")
    apart = table.astype(bool) & ~np.eye(len(table), dtype=bool)
    if (apart != apart.T).any():
        raise DataError("table", "the table of significant pairs is not symmetric")
    return apart


def _insert_and_absorb(apart: NDArray[np.bool_], places: list[int]) -> list[int]:
    """Return the maximal sets of systems, as bits, of which no two differ."""
    column = [(1 << len(apart)) - 1]
    for at, i in enumerate(places):
        for j in places[at + 1 :]:
            if not apart[i, j]:
                continue
            both = 1 << i | 1 << j
            split = [c for c in column if c & both == both]
            column = [c for c in column if c & both != both]
            for part in [c & ~(1 << out) for c in split for out in (j, i)]:
                if not any(part & c == part for c in column):
                    column = [c for c in column if c & part != c] + [part]
    return column


def _sweep(column: list[int], apart: NDArray[np.bool_]) -> list[int]:
    """Remove the sets whose every pair shares another letter; every system keeps one."""
    kept = list(column)
    for c in sorted(column, key=int.bit_count):
        rest = [o for o in kept if o != c]
        members = [i for i in range(len(apart)) if c >> i & 1]
        if all(c & ~reduce(or_, (o for o in rest if o >> i & 1), 0) == 0 for i in members):
            kept = rest
    return kept
