"""Counts of concordant and tied pairs of two aligned columns in O(n log n), for many rankings at once.

All coefficients are sums over these counts. Columns hold the items of several rankings (segments) one after the other;
pairs never cross segments, so a run with a thousand queries is counted in one pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.errors import DataError, shown


@dataclass(frozen=True, eq=False)
class Columns:
    """Two aligned columns of scores, higher is better, and the relations between the items of each segment.

    For item i and an item j of its segment, `above_x` counts the j with x_j > x_i, and `size_x` those with x_j = x_i
    (itself included); `over`, `over_level` and `level_over` count the j with (x_j > x_i and y_j > y_i), (x_j > x_i and
    y_j = y_i), (x_j = x_i and y_j > y_i); `level` those equal in both. All other relations are differences of these.
    """

    x: Floats
    y: Floats
    sizes: Ints  # items of each segment

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def segment(self) -> Ints:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def total(self, per_item: NDArray[Any]) -> Floats:
        """Sum over the items of each segment; integers below 2⁵³ are added exactly."""
        return segments.total(per_item, self.segment, len(self.sizes))

    # ── one column ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def by_x(self) -> Ints:
        """Items by segment, then by decreasing x."""
        return np.lexsort((-self.x, self.segment))

    @cached_property
    def above_x(self) -> Ints:
        return self._ties_x[0]

    @cached_property
    def size_x(self) -> Ints:
        return self._ties_x[1]

    @cached_property
    def above_y(self) -> Ints:
        return self._ties_y[0]

    @cached_property
    def size_y(self) -> Ints:
        return self._ties_y[1]

    @cached_property
    def _ties_x(self) -> tuple[Ints, Ints]:
        return self._ties(self.x, self.by_x)

    @cached_property
    def _ties_y(self) -> tuple[Ints, Ints]:
        return self._ties(self.y, np.lexsort((-self.y, self.segment)))

    def _ties(self, value: Floats, order: Ints) -> tuple[Ints, Ints]:
        """Return for each item the number of higher and of equal items in its segment."""
        first = _changes(self.segment[order], value[order])
        begin, size = _groups(first)
        above, level = np.empty_like(begin), np.empty_like(begin)
        above[order], level[order] = begin, size
        return above - np.repeat(segments.offsets(self.sizes)[:-1], self.sizes), level

    # ── both columns ─────────────────────────────────────────────────────────────────────────────

    @cached_property
    def over(self) -> Ints:
        # Equal x are sorted by ascending y, so that no earlier item has the same x and a higher y.
        order = np.lexsort((self._code_y, -self.x, self.segment))
        count = np.empty(len(order), np.int64)
        count[order] = _greater_before(self._code_y[order])
        return count

    @cached_property
    def _code_y(self) -> Ints:
        """An integer per distinct y, ascending, and lower in earlier segments, which are therefore never counted."""
        order = np.lexsort((self.y, self.segment))
        code = np.empty(len(order), np.int64)
        code[order] = np.cumsum(_changes(self.segment[order], self.y[order])) - 1
        return code

    @cached_property
    def over_level(self) -> Ints:
        return self._among_equal_y[0]

    @cached_property
    def level_over(self) -> Ints:
        return self._among_equal_x[0]

    @cached_property
    def level(self) -> Ints:
        return self._among_equal_y[1]

    @cached_property
    def _among_equal_x(self) -> tuple[Ints, Ints]:
        return self._higher_among_equal(self.y, self.x)

    @cached_property
    def _among_equal_y(self) -> tuple[Ints, Ints]:
        return self._higher_among_equal(self.x, self.y)

    def _higher_among_equal(self, value: Floats, equal: Floats) -> tuple[Ints, Ints]:
        """Return for each item, among those with the same `equal`, the number with a higher `value` and with the same."""
        order = np.lexsort((-value, equal, self.segment))
        outer = _changes(self.segment[order], equal[order])
        begin, _ = _groups(outer)
        inner, size = _groups(outer | _changes(value[order]))
        higher, level = np.empty_like(begin), np.empty_like(begin)
        higher[order], level[order] = inner - begin, size
        return higher, level

    # ── per segment ──────────────────────────────────────────────────────────────────────────────

    @cached_property
    def pairs(self) -> Floats:
        return self.sizes * (self.sizes - 1) / 2

    @cached_property
    def concordant(self) -> Floats:
        return self.total(self.over)

    @cached_property
    def discordant(self) -> Floats:
        return self.untied_x - self.concordant - self.total(self.over_level)

    @cached_property
    def untied_x(self) -> Floats:
        """Pairs with different x."""
        return self.total(self.above_x)

    @cached_property
    def untied_y(self) -> Floats:
        return self.total(self.above_y)

    @cached_property
    def tied_both(self) -> Floats:
        """Pairs equal in x and in y."""
        return self.total(self.level - 1) / 2

    def swap(self) -> Columns:
        """Return the same items with the columns exchanged; counts that are known are kept."""
        other = Columns(self.y, self.x, self.sizes)
        known = {
            "segment": "segment",
            "over": "over",
            "_ties_x": "_ties_y",
            "_ties_y": "_ties_x",
            "_among_equal_x": "_among_equal_y",
            "_among_equal_y": "_among_equal_x",
        }
        other.__dict__.update({new: self.__dict__[old] for new, old in known.items() if old in self.__dict__})
        return other


def columns(x: Any, y: Any) -> Columns:
    """Return two columns of numbers as one segment.

    Raises:
        DataError: values that are not numbers, NaN, or different lengths.
    """
    left, right = numbers(x, "x"), numbers(y, "y")
    if len(left) != len(right):
        raise DataError(
            "lengths",
            f"columns have different lengths: {len(left)} and {len(right)}",
            hint="align them by name with mappings {name: number}",
        )
    return Columns(left, right, np.array([len(left)]))


def numbers(values: Any, name: str) -> Floats:
    """Convert a column to comparable numbers.

    Raises:
        DataError: values that are not numbers, or NaN.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise DataError("masked", "the column has masked values", where=name, hint="fill them, or drop their items")
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise DataError("score-type", "a column of numbers", got=type(values).__name__, where=name)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf" and array.size:
            array = array.astype(object)
            invalid = next((v for v in array.flat if isinstance(v, str | bytes | complex)), None)
            if invalid is not None:
                raise TypeError(shown(invalid))
        column = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError("score-type", "a column of numbers", got=str(error), where=name) from error
    if column.ndim != 1:
        raise DataError("score-type", "a column of numbers", got=f"an array of {column.ndim} dimensions", where=name)
    if np.isnan(column).any():
        row = int(np.flatnonzero(np.isnan(column))[0])
        raise DataError(
            "score-nan", f"the score at position {row} is NaN", where=name, hint="drop items without a score"
        )
    return column + 0.0  # -0.0 ties with 0.0


def _changes(*keys: NDArray[Any]) -> Bools:
    """Return the mask of rows that begin a new group, for rows sorted by the keys."""
    first = np.zeros(len(keys[0]), bool)
    first[:1] = True
    for key in keys:
        first[1:] |= key[1:] != key[:-1]
    return first


def _groups(first: Bools) -> tuple[Ints, Ints]:
    """Return for each row the first row of its group and the size of the group."""
    begin = np.flatnonzero(first)
    size = np.diff(np.append(begin, len(first)))
    return np.repeat(begin, size), np.repeat(size, size)


def _greater_before(code: Ints) -> Ints:
    """Count for each position the earlier positions with a greater code.

    This is a top-down merge sort: rows are partitioned stably by one bit of the code after the other, the highest
    first. The number of 1s before a row with a 0, in its partition, is the number of greater codes.
    """
    size = len(code)
    count, row, place = np.zeros(size, np.int64), np.arange(size), np.arange(size)
    if not size:
        return count
    top = int(code.max()) + 1
    start = segments.offsets(np.bincount(code, minlength=top))  # rows with a smaller code
    for bit in range((top - 1).bit_length() - 1, -1, -1):
        one = (code >> bit) & 1
        ones = segments.offsets(one)
        before = ones[:-1] - ones[start[(code >> (bit + 1)) << (bit + 1)]]
        count[row] += np.where(one, 0, before)
        new = np.where(one, start[(code >> bit) << bit] + before, place - before)
        moved_row, moved_code = np.empty_like(row), np.empty_like(code)
        moved_row[new], moved_code[new] = row, code
        row, code = moved_row, moved_code
    return count
