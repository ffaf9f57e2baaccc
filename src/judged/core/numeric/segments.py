"""Sums within segments: the native functions if they are built, else the reference; the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.numeric import segments_reference as reference
from judged.core.numeric.native import native, usable_cores

if native is None:
    falling, first, numbers, product_before = (
        reference.falling,
        reference.first,
        reference.numbers,
        reference.product_before,
    )
    ranks, running, top, total = reference.ranks, reference.running, reference.top, reference.total
else:
    _whole, _real = np.int64, np.float64
    _plain = np.ascontiguousarray

    def total(x: NDArray[Any], segment: Ints, count: int) -> Floats:
        return native.total(_plain(x, _real), _plain(segment, _whole), count)

    def first(mask: NDArray[np.bool_], segment: Ints, rank: Ints, count: int) -> Floats:
        return native.first(_plain(mask, np.bool_), _plain(segment, _whole), _plain(rank, _whole), count)

    def numbers(sizes: Ints) -> Ints:
        return native.numbers(_plain(sizes, _whole))

    def ranks(sizes: Ints) -> Ints:
        return native.ranks(_plain(sizes, _whole))

    def falling(x: Floats, sizes: Ints) -> Ints:
        return native.falling(_plain(x, _real), _plain(sizes, _whole), usable_cores())

    def top(score: Floats, grade: Floats, sizes: Ints, depth: int, sign: int) -> tuple[Ints, Ints, Ints, Ints, Floats]:
        columns = _plain(score, _real), _plain(grade, _real), _plain(sizes, _whole)
        return native.top(*columns, depth, sign, usable_cores())

    def running(x: NDArray[Any], sizes: Ints) -> NDArray[Any]:
        return native.running(_plain(x, _whole if x.dtype.kind in "bui" else _real), _plain(sizes, _whole))

    def product_before(x: Floats, sizes: Ints) -> Floats:
        return native.product_before(_plain(x, _real), _plain(sizes, _whole))
