"""Labels of several raters for the same units, as integer codes; -1 for a missing label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, Hint, UsageError, shown

Label = str | int | float

MOST_CATEGORIES = 1_000  # a larger confusion matrix is not readable
_WIDEST = 1 << 62  # keys of patterns are 64-bit numbers
_LARGEST = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Labels as raters × units: `codes[r, u]` is the index in `categories` of the label of unit u by rater r, or -1.

    `categories` are sorted and contain every label that occurs or was declared.

    >>> r = Ratings.of([1, 2, None], [1, 3, 3])
    >>> r.categories, r.codes.tolist()
    ((1, 2, 3), [[0, 1, -1], [0, 2, 2]])
    """

    codes: Ints
    categories: tuple[Label, ...]
    names: tuple[str, ...]

    @classmethod
    def of(
        cls, *columns: Any, names: Sequence[str] | None = None, categories: Sequence[Label] | None = None
    ) -> Ratings:
        """Build ratings from one column of labels per rater: lists, arrays or series of the same length.

        Labels are numbers or text, not both. None, NaN and empty text are missing labels.

        Args:
            columns: one per rater.
            names: names of the raters; rater 1, rater 2 … by default.
            categories: the complete scale, if it has labels that do not occur.
        """
        if len(columns) < 2:
            raise UsageError("judges", f"agreement needs at least two columns of labels, got {len(columns)}")
        read = [_column(column, i) for i, column in enumerate(columns, 1)]
        sizes = {len(column) for column in read}
        if len(sizes) > 1:
            got = " and ".join(str(len(column)) for column in read)
            raise DataError(
                "lengths", f"columns of labels have different lengths: {got}", hint="use None for a missing label"
            )
        kinds = {column.dtype.kind for column in read if column.dtype.kind == "O" or not np.isnan(column).all()}
        if len(kinds) > 1:
            raise DataError(
                "label", "the labels of one rater are numbers and those of another are text", hint="convert one of them"
            )
        text = kinds == {"O"}
        scale = _scale(read, categories, text)
        codes = np.stack([_encode(column, scale, text) for column in read])
        labels = tuple(scale.tolist()) if text else tuple(int(x) if x == int(x) else x for x in scale.tolist())
        own = [f"rater {i}" for i in range(1, len(columns) + 1)] if names is None else names
        if isinstance(own, str) or len(own) != len(columns) or len(set(own)) != len(columns):
            raise UsageError("names", f"names must be {len(columns)} different names, got {shown(names)}", value=names)
        return cls(codes, labels, tuple(map(str, own)))

    def __len__(self) -> int:
        return self.codes.shape[1]

    @property
    def raters(self) -> int:
        """The number of raters."""
        return self.codes.shape[0]

    @property
    def numbers(self) -> Floats | None:
        """The categories as numbers; None if they are text."""
        if any(isinstance(label, str) for label in self.categories):
            return None
        return np.array(self.categories, dtype=float)

    @property
    def graded(self) -> bool:
        """True if the categories are more than two numbers."""
        return self.numbers is not None and len(self.categories) > 2

    def take(self, raters: Sequence[int] | None = None, units: Ints | Bools | None = None) -> Ratings:
        """Select raters and units; the categories stay the same."""
        codes, names = self.codes, self.names
        if raters is not None:
            codes, names = codes[list(raters)], tuple(names[i] for i in raters)
        return Ratings(codes if units is None else codes[:, units], self.categories, names)

    def rated(self) -> Ints:
        """Return the number of labels of each unit."""
        return (self.codes >= 0).sum(axis=0)

    def confusion(self) -> Ints:
        """Return the confusion matrix of the first two raters; rows are the first."""
        size = len(self.categories)
        a, b = self.codes[:2].astype(np.int64)
        both = (a >= 0) & (b >= 0)
        return np.bincount(a[both] * size + b[both], minlength=size * size).reshape(size, size)

    def patterns(self) -> Patterns:
        """Return the distinct columns of labels, from which everything else is computed."""
        base, size = len(self.categories) + 1, 1
        key = np.zeros(len(self), np.int64)
        for row in self.codes:
            if size * base > _WIDEST:
                distinct, key = np.unique(key, return_inverse=True)
                size = len(distinct)
            key = key * base + row + 1
            size *= base
        unit = np.unique(key, return_inverse=True)[1]
        count = np.bincount(unit) if len(unit) else np.zeros(0, np.int64)
        first = np.empty(len(count), np.int64)
        first[unit[::-1]] = np.arange(len(unit))[::-1]
        codes = self.codes[:, first]
        return Patterns(codes, -np.sort(-codes, axis=0), count.astype(float), unit, self.numbers, len(self.categories))


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Distinct columns of `Ratings` with their counts.

    A million units labelled by five raters on four grades have at most 3,125 patterns, so values, errors and
    thousands of resamples are cheap.
    """

    codes: Ints  # raters × patterns
    given: Ints  # the same, sorted with missing labels last
    count: Floats
    unit: Ints  # pattern of each unit
    numbers: Floats | None
    size: int  # number of categories

    @property
    def rated(self) -> Ints:
        """The number of labels of each pattern."""
        return (self.codes >= 0).sum(axis=0)


def _column(source: Any, number: int) -> NDArray[Any]:
    """Return labels as floats with NaN, or as objects with None."""
    where = f"rater {number}"
    raw = source.to_numpy() if hasattr(source, "to_numpy") else source
    # NumPy converts the numbers of a mixed list to text, so lists are read as they are; masked labels become None.
    items = raw.tolist() if hasattr(raw, "tolist") else raw
    nested = isinstance(items, Sequence) and any(isinstance(x, list | tuple | np.ndarray) for x in items[:1])
    if nested or not isinstance(items, Sequence) or isinstance(items, str | bytes):
        raise DataError("label", "a column of labels", got=type(source).__name__, where=where, value=shown(source))
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "biuf" and not isinstance(raw, np.ma.MaskedArray):
        return _check_finite(raw, where)
    present = [None if _missing(x) else x for x in items]
    known = [x for x in present if x is not None]
    if all(isinstance(x, bool | int | float | np.number | np.bool_) for x in known):
        return _check_finite(np.array([np.nan if x is None else float(x) for x in present], dtype=float), where)
    bad = next((x for x in known if not isinstance(x, str)), None)
    if bad is not None:
        expected = "labels that are all numbers or all text"
        raise DataError("label", expected, got=shown(bad), where=where, value=shown(bad))
    return np.array(present, dtype=object)


def _missing(x: Any) -> bool:
    return x is None or x == "" if isinstance(x, str | None) else type(x).__name__ in ("NAType", "NaTType") or x != x


def _check_finite(column: NDArray[Any], where: str) -> Floats:
    floats = column.astype(float)
    beyond = np.abs(floats) >= _LARGEST
    if beyond.any():
        got = f"{floats[beyond][0]:g}"
        raise DataError("label", "finite labels below 2**53", got=got, where=where, value=got)
    return floats


def _scale(columns: list[NDArray[Any]], categories: Sequence[Label] | None, text: bool) -> NDArray[Any]:
    """Return the sorted categories: those that occur and those that were declared."""
    declared = list(categories) if categories is not None else []
    if declared and any(isinstance(x, str) != text for x in declared):
        raise UsageError("label", "categories of the same kind as the labels", got=shown(categories), value=declared)
    if text:
        present = {x for column in columns if column.dtype.kind == "O" for x in column.tolist() if x is not None}
        scale = np.array(sorted(present | set(declared)), dtype=object)
    else:
        labels = [np.unique(column[~np.isnan(column)]) for column in columns]
        scale = np.unique(np.concatenate([*labels, np.array(declared, dtype=float)]))
        present = set(np.concatenate(labels).tolist())
    if declared and not present <= set(declared):
        extra = min(present - set(declared))
        raise DataError("label", f"label {shown(extra)} is not one of the categories {shown(declared)}", value=extra)
    if len(scale) > MOST_CATEGORIES:
        raise DataError(
            "coefficient",
            f"{len(scale)} different labels; at most {MOST_CATEGORIES} are supported",
            hint=Hint("round or bin them first, or make grades binary with {level}", level=None),
        )
    return scale


def _encode(column: NDArray[Any], scale: NDArray[Any], text: bool) -> Ints:
    if text:
        place = {label: i for i, label in enumerate(scale.tolist())}
        items = column.tolist() if column.dtype.kind == "O" else [None] * len(column)
        return np.array([-1 if x is None else place[x] for x in items], dtype=np.int64)
    codes = np.searchsorted(scale, column).astype(np.int64)
    codes[np.isnan(column)] = -1
    return codes
