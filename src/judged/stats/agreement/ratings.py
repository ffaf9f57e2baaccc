"""Labels that several raters gave to the same units: whole-number codes, -1 where a label is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, UsageError, shown

__all__ = ["MOST_CATEGORIES", "Label", "Patterns", "Ratings"]

Label = str | int | float

MOST_CATEGORIES = 1_000  # a confusion matrix of more is no longer read by anybody: bin the labels first
_WIDEST = 1 << 62  # keys of patterns are 64-bit numbers
_LARGEST = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Raters × units: `codes[r, u]` is the position in `categories` of the label that rater r gave to unit u, or -1.

    `categories` ascend, and hold every label that any rater gave (or was said to be able to give).

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
        """From one column of labels per rater, all of one length: lists, arrays, or series.

        Labels are numbers or text, not both. None, NaN and an empty text are missing.

        Args:
            columns: one per rater.
            names: what the raters are called; rater 1, rater 2 … if not given.
            categories: the whole scale, where labels that nobody gave belong to it.
        """
        if len(columns) < 2:
            raise UsageError("judges", "two or more columns of labels", got=str(len(columns)))
        read = [_column(column, i) for i, column in enumerate(columns, 1)]
        sizes = {len(column) for column in read}
        if len(sizes) > 1:
            got = " and ".join(str(len(column)) for column in read)
            raise DataError("lengths", "columns of one length", got=got, hint="a missing label is None")
        kinds = {column.dtype.kind for column in read if not _is_blank(column)}
        if len(kinds) > 1:
            raise DataError("label", "labels of one kind", got="numbers from one rater and text from another")
        text = kinds == {"O"}
        scale = _scale(read, categories, text)
        codes = np.stack([_coded(column, scale, text) for column in read])
        labels = tuple(scale.tolist()) if text else tuple(_tidy(x) for x in scale.tolist())
        return cls(codes, labels, _named(names, len(columns)))

    @classmethod
    def of_counts(cls, counts: Any, categories: Sequence[Label] | None = None) -> Ratings:
        """From units × categories counts, which do not say who gave what: nameless raters, in order of category.

        Right for coefficients that do not ask who gave a label (Fleiss, Krippendorff, Gwet, Brennan-Prediger).
        """
        table = np.asarray(counts)
        if table.ndim != 2 or table.dtype.kind not in "iuf" or (table < 0).any() or (table != np.floor(table)).any():
            raise DataError("counts", "a table of counts, units × categories", got=f"{shown(counts)}")
        size = table.sum(axis=1).astype(np.int64)
        codes = np.full((max(2, int(size.max(initial=0))), len(table)), -1)
        unit, category = np.nonzero(table)
        times = table[unit, category].astype(np.int64)
        rows = np.repeat(unit, times)
        first = np.repeat(np.cumsum(size) - size, size)
        codes[np.arange(len(rows)) - first, rows] = np.repeat(category, times)
        labels = tuple(categories) if categories is not None else tuple(range(table.shape[1]))
        return cls(codes, labels, _named(None, len(codes)))

    def __len__(self) -> int:
        return self.codes.shape[1]

    @property
    def raters(self) -> int:
        return self.codes.shape[0]

    @property
    def numbers(self) -> Floats | None:
        """The categories as numbers; None where they are text."""
        if any(isinstance(label, str) for label in self.categories):
            return None
        return np.array(self.categories, dtype=float)

    def take(self, raters: Sequence[int] | None = None, units: Ints | Bools | None = None) -> Ratings:
        """Some raters, some units; the scale stays what it was."""
        codes, names = self.codes, self.names
        if raters is not None:
            codes, names = codes[list(raters)], tuple(names[i] for i in raters)
        return Ratings(codes if units is None else codes[:, units], self.categories, names)

    def rated(self) -> Ints:
        """How many raters labelled each unit."""
        return (self.codes >= 0).sum(axis=0)

    def confusion(self, first: int = 0, second: int = 1) -> Ints:
        """How often the first rater (rows) gave one label where the second (columns) gave another, or the same."""
        size = len(self.categories)
        a, b = self.codes[first].astype(np.int64), self.codes[second]
        both = (a >= 0) & (b >= 0)
        return np.bincount(a[both] * size + b[both], minlength=size * size).reshape(size, size)

    def patterns(self) -> Patterns:
        """The distinct ways in which units were labelled; everything that follows is computed on these."""
        base, size = len(self.categories) + 1, 1
        key = np.zeros(len(self), np.int64)
        for row in self.codes:
            if size * base > _WIDEST:
                found, key = np.unique(key, return_inverse=True)
                size = len(found)
            key = key * base + row + 1
            size *= base
        unit = _positions(key, size)
        count = np.bincount(unit) if len(unit) else np.zeros(0, np.int64)
        first = np.empty(len(count), np.int64)
        first[unit[::-1]] = np.arange(len(unit))[::-1]
        codes = self.codes[:, first]
        return Patterns(codes, -np.sort(-codes, axis=0), count.astype(float), unit, self.numbers, len(self.categories))


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The distinct columns of `Ratings`, and how often each occurs.

    A million units labelled by five raters on four grades have at most 3,125 patterns: values, errors and
    thousands of resamples cost what those few cost.
    """

    codes: Ints  # raters × patterns
    given: Ints  # the same, labels first and -1 last: who gave them is forgotten
    count: Floats
    unit: Ints  # of each unit, its pattern
    numbers: Floats | None
    size: int  # how many categories

    @property
    def rated(self) -> Ints:
        """How many labels each pattern holds."""
        return (self.codes >= 0).sum(axis=0)


def _positions(key: Ints, size: int) -> Ints:
    """Of each key, its position among the distinct ones: by counting where that is cheaper than sorting."""
    if size <= max(4 * len(key), 1 << 16):
        place = np.cumsum(np.bincount(key, minlength=size) > 0) - 1
        return place[key]
    return np.unique(key, return_inverse=True)[1]


def _named(names: Sequence[str] | None, raters: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"rater {i}" for i in range(1, raters + 1))
    if isinstance(names, str) or len(names) != raters or len(set(names)) != raters:
        raise UsageError("names", f"{raters} different names", got=shown(names), value=names)
    return tuple(map(str, names))


def _column(source: Any, number: int) -> NDArray[Any]:
    """Labels as floats with NaN, or as objects with None."""
    if isinstance(source, np.ma.MaskedArray):
        source = [None if hidden else x for x, hidden in zip(source.data, np.ma.getmaskarray(source), strict=True)]
    raw = source.to_numpy() if hasattr(source, "to_numpy") else source
    try:
        array = raw if isinstance(raw, np.ndarray) else np.asarray(raw)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise DataError("label", "a column of labels", got=f"a {type(source).__name__}", where=f"rater {number}",
                        value=shown(source))  # fmt: skip
    if array.dtype.kind in "biuf":
        return _checked(array, number)
    items = source if isinstance(source, list | tuple) else array.tolist()  # asarray makes text of numbers beside text
    present = [None if _missing(x) else x for x in items]
    numbers = [isinstance(x, bool | int | float | np.number | np.bool_) for x in present if x is not None]
    if all(numbers):
        return _checked(np.array([np.nan if x is None else float(x) for x in present], dtype=float), number)
    bad = next((x for x in present if x is not None and not isinstance(x, str)), None)
    if bad is not None:
        raise DataError("label", "labels that are all numbers, or all text", got=shown(bad), where=f"rater {number}",
                        value=shown(bad))  # fmt: skip
    return np.array(present, dtype=object)


def _missing(x: Any) -> bool:
    return x is None or x == "" if isinstance(x, str | None) else type(x).__name__ in ("NAType", "NaTType") or x != x


def _checked(column: NDArray[Any], number: int) -> Floats:
    floats = column.astype(float)
    beyond = np.abs(floats) >= _LARGEST
    if beyond.any():
        got = f"{floats[beyond][0]:g}"
        raise DataError("label", "finite labels below 2**53", got=got, where=f"rater {number}", value=got)
    return floats


def _is_blank(column: NDArray[Any]) -> bool:
    return bool(np.isnan(column).all()) if column.dtype.kind == "f" else False


def _scale(columns: list[NDArray[Any]], categories: Sequence[Label] | None, text: bool) -> NDArray[Any]:
    """The categories, ascending: those that were given, and those that were said."""
    said = list(categories) if categories is not None else []
    if said and any(isinstance(x, str) != text for x in said):
        raise UsageError("label", "categories of the same kind as the labels", got=shown(categories), value=said)
    if text:
        found = {x for column in columns if column.dtype.kind == "O" for x in column.tolist() if x is not None}
        scale = np.array(sorted(found | set(said)), dtype=object)
    else:
        present = [np.unique(column[~np.isnan(column)]) for column in columns]
        scale = np.unique(np.concatenate([*present, np.array(said, dtype=float)]))
        found = set(np.concatenate(present).tolist())
    if said and not found <= set(said):
        extra = min(found - set(said))
        raise DataError("label", f"one of the categories {shown(said)}", got=shown(extra), value=extra)
    if len(scale) > MOST_CATEGORIES:
        raise DataError(
            "categories", f"at most {MOST_CATEGORIES} different labels", got=str(len(scale)),
            hint="round or bin them first; level= makes grades binary",
        )  # fmt: skip
    return scale


def _coded(column: NDArray[Any], scale: NDArray[Any], text: bool) -> Ints:
    if text:
        place = {label: i for i, label in enumerate(scale.tolist())}
        items = column.tolist() if column.dtype.kind == "O" else [None] * len(column)
        return np.array([-1 if x is None else place[x] for x in items], dtype=np.int64)
    codes = np.searchsorted(scale, column).astype(np.int64)
    codes[np.isnan(column)] = -1
    return codes


def _tidy(x: float) -> Label:
    return int(x) if x == int(x) else x
