"""Letters that mark which systems differ: two systems share one if and only if they do not differ (compact letter display)."""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from judged._types import Bools
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
    table = np.asarray(significant)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 1 or table.dtype.kind not in "biu":
        raise DataError("table", "a square boolean table", got=f"{table.dtype} of shape {table.shape}")
    k = len(table)
    apart = table.astype(bool) & ~np.eye(k, dtype=bool)
    if (apart != apart.T).any():
        raise DataError("table", "the table of significant pairs is not symmetric")
    places = list(range(k)) if order is None else list(order)
    groups = _insert_and_absorb(apart, places)
    for c in sorted(groups, key=int.bit_count):  # a set goes if every pair of it shares another letter
        rest = [o for o in groups if o != c]
        members = [i for i in range(k) if c >> i & 1]
        if all(c & ~reduce(or_, (o for o in rest if o >> i & 1), 0) == 0 for i in members):
            groups = rest
    groups.sort(key=lambda members: [-(members >> system & 1) for system in places])
    names = [_ALPHABET[i % 52] + (str(i // 52 + 1) if i >= 52 else "") for i in range(len(groups))]
    return tuple("".join(n for n, c in zip(names, groups, strict=True) if c >> i & 1) for i in range(k))


def _insert_and_absorb(apart: Bools, places: list[int]) -> list[int]:
    """Return the maximal sets of systems, as bits, of which no two differ."""
    groups = [(1 << len(apart)) - 1]
    for at, i in enumerate(places):
        for j in places[at + 1 :]:
            if not apart[i, j]:
                continue
            both = 1 << i | 1 << j
            split = [c for c in groups if c & both == both]
            groups = [c for c in groups if c & both != both]
            for part in [c & ~(1 << out) for c in split for out in (j, i)]:
                if not any(part & c == part for c in groups):
                    groups = [c for c in groups if c & part != c] + [part]
    return groups
