"""Displays of systems without a significant difference: shared letters, and bars of a critical difference."""

from __future__ import annotations

import string
from collections.abc import Sequence
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
    apart = _symmetric(significant)
    k = len(apart)
    places = list(range(k)) if order is None else list(order)
    if sorted(places) != list(range(k)):
        raise DataError("table", f"order must name each of {k} systems once, got {str(places)[:60]}")
    column = _sweep(_insert_and_absorb(apart, places), apart)
    column.sort(key=lambda members: [-(members >> system & 1) for system in places])
    names = [_ALPHABET[i % 52] + (str(i // 52 + 1) if i >= 52 else "") for i in range(len(column))]
    return tuple("".join(n for n, c in zip(names, column, strict=True) if c >> i & 1) for i in range(k))


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
        if all(any(o >> i & 1 and o >> j & 1 for o in rest) for i in members for j in members):
            kept = rest
    return kept


def bars(values: Any, critical: float) -> tuple[tuple[int, ...], ...]:
    """Return the bars of a critical difference diagram (Demšar 2006): the maximal groups of two or more within the
    difference.

    Groups list systems by number, from the lowest value (the best mean rank).

    >>> bars([1.2, 3.0, 1.9, 2.6], 1.0)
    ((0, 2), (2, 3), (3, 1))
    """
    column = np.asarray(values, dtype=np.float64)
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    groups: list[tuple[int, int]] = []
    for first in range(len(ordered)):
        reach = ordered[first] + critical * (1 + 1e-12)
        last = int(np.searchsorted(ordered, reach, side="right"))
        if last - first > 1 and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return tuple(tuple(order[first:last].tolist()) for first, last in groups)
