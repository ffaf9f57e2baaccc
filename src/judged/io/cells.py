"""Cells of any type: ids as bytes, scores and grades as float64."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints, is_masked_array
from judged.core.tables import IdColumn, IdKind
from judged.errors import DataError, Hint, shown
from judged.io.origin import Origin
from judged.io.text import LARGEST_GRADE, WORDS, What

# ── Ids of any type as bytes ────────────────────────────────────────────────────────────────────────

Column = list[Any] | NDArray[Any]


# An `IdColumn` is already checked. In a tuple, it has each id once in order of appearance, beside the index of every row's id.
RawIds = Column | IdColumn | tuple[IdColumn, Ints]

_NOUN = {"query": "query id", "doc": "document id", "aspect": "subtopic"}
_WRONG = {
    "null": ("a {noun}", "drop the rows without an id"),
    "empty": ("a non-empty {noun}", "drop the rows without an id"),
    "type": ("a {noun} as text or as an integer", "convert it, for example with str(id)"),
    "encoding": ("a {noun} that can be written as UTF-8", "fix the text: it contains an unpaired surrogate"),
    "nul": ("a {noun} without NUL characters", "remove them: the text is damaged"),
}


def encode_ids(values: Column | IdColumn, origin: Origin, role: str) -> tuple[IdColumn, IdKind]:
    """Return a column of ids as text, and their type."""
    if isinstance(values, IdColumn):
        return values, "text"
    items = as_list(values, origin, role)
    family = _family(items, origin, role)
    words = items
    if family == "integer":
        words = [item if isinstance(item, str) else str(int(item)) for item in items]
    elif family not in ("text", "bytes"):
        for row, item in enumerate(items):
            if item != item:  # NaN in a column of floats
                _raise("null", origin, role, row, item)
        words = list(map(str, items))
    kind: IdKind = "text" if family in ("text", "bytes") or not origin.typed else "other"
    return _join(words, origin, role), "integer" if family == "integer" and origin.typed else kind


def group_ids(values: RawIds, origin: Origin, role: str) -> tuple[IdColumn, Ints, IdKind]:
    """Return each id once in order of appearance, the index of every row's id, and their type."""
    if isinstance(values, tuple):
        return *values, "text"
    if isinstance(values, IdColumn):  # equal ids are mostly adjacent
        rows = np.arange(len(values))
        new = np.ones(len(values), bool)
        new[1:] = ~values.same(rows[1:], values, rows[:-1])
        seen: dict[bytes, int] = {}
        place = np.array([seen.setdefault(raw, len(seen)) for raw in values.take(new).tolist()], dtype=np.int64)
        return IdColumn.of(seen), place[np.cumsum(new) - 1], "text"
    items = as_list(values, origin, role)
    _family(items, origin, role)
    distinct = {item: i for i, item in enumerate(dict.fromkeys(items))}
    names = list(distinct)
    text, kind = encode_ids(names, replace(origin, rows=lambda at: items.index(names[at])), role)
    seen = {}  # 7 and "7" of a JSON file are one id
    place = np.array([seen.setdefault(raw, len(seen)) for raw in text.tolist()], dtype=np.int64)
    code = np.fromiter(map(distinct.__getitem__, items), np.int64, len(items))
    return IdColumn.of(seen) if len(seen) < len(text) else text, place[code], kind


def as_list(values: Column, origin: Origin, role: str) -> list[Any]:
    """Return a column as Python objects. Masked values are an error: libraries disagree on their meaning."""
    if isinstance(values, list):
        return values
    if is_masked_array(values):
        mask = np.ma.getmaskarray(values)
        if mask.any():
            row = int(np.argmax(mask))
            raise DataError(
                "form",
                f"the column has masked values{origin.describe_row(row)}",
                hint="drop the masked rows first",
                where=origin.place(row, role),
            )
        values = np.asarray(values)
    if values.dtype.kind in "mM":  # `tolist` would turn nanoseconds into integers
        return [None if np.isnat(value) else value for value in values]
    items: list[Any] = values.tolist()
    return items


# ── types ────────────────────────────────────────────────────────────────────────────────────────


def _family_of(kind: type) -> str:
    if kind is type(None) or kind.__name__ in ("NAType", "NaTType"):
        return "null"
    if issubclass(kind, (bool, np.bool_)):
        return "unsuitable"
    for family, kinds in (("text", (str,)), ("bytes", (bytes,)), ("integer", (int, np.integer))):
        if issubclass(kind, kinds):
            return family
    return "unsuitable" if issubclass(kind, Collection) or kind.__hash__ is None else kind.__qualname__


def _family(items: list[Any], origin: Origin, role: str) -> str:
    """Return the one family of types of all ids."""
    kinds = {kind: _family_of(kind) for kind in set(map(type, items))}
    families = set(kinds.values())
    if not origin.typed and families == {"text", "integer"}:
        return "integer"
    family = kinds[type(items[0])] if items else "text"
    known = family in ("text", "bytes", "integer")
    if len(families) <= 1 and (known or (origin.typed and family not in ("null", "unsuitable"))):
        return family
    for row, item in enumerate(items):
        other = kinds[type(item)]
        if other == "null" or (isinstance(item, (float, np.floating)) and item != item):
            _raise("null", origin, role, row, item)
        if other == "unsuitable" or not (origin.typed or other in ("text", "bytes", "integer")):
            _raise("type", origin, role, row, item, f"{shown(item)} ({type(item).__name__})")
        if other != family:
            got = f"{shown(item)} ({type(item).__name__}) after {shown(items[0])} ({type(items[0]).__name__})"
            _raise("type", origin, role, row, item, got)
    raise AssertionError(families)


def _join(words: list[Any], origin: Origin, role: str) -> IdColumn:
    if not words:
        return IdColumn.of([])
    try:
        joined = b"\0".join(words) if isinstance(words[0], bytes) else "\0".join(words).encode()
    except UnicodeEncodeError:
        row = next(i for i, word in enumerate(words) if word.encode(errors="ignore").decode() != word)
        _raise("encoding", origin, role, row, words[row], words[row].encode("unicode_escape").decode())
    buffer = np.frombuffer(joined + bytes(8), np.uint8)
    end = np.append(np.flatnonzero(buffer[:-8] == 0), len(joined))
    if len(end) != len(words):
        nul = b"\0" if isinstance(words[0], bytes) else "\0"
        row = next(i for i, word in enumerate(words) if nul in word)
        _raise("nul", origin, role, row, words[row])
    start = np.append(0, end[:-1] + 1)
    if (start == end).any():
        _raise("empty", origin, role, int(np.argmax(start == end)), words[int(np.argmax(start == end))])
    return IdColumn(buffer, start, end - start)


def _raise(wrong: str, origin: Origin, role: str, row: int, value: object, got: str = "") -> NoReturn:
    expected, hint = _WRONG[wrong]
    slug, expected = "nul" if wrong == "nul" else "id-type", expected.format(noun=_NOUN[role])
    raise origin.error(slug, expected, row, role, value=value, got=got, hint=hint)


# ── Scores and grades of Python and NumPy as float64 ────────────────────────────────────────────────


def floats(values: Column, origin: Origin, what: What) -> Floats:
    """Return a column of scores or grades. Text and missing numbers are errors; nothing is truncated."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub" and not is_masked_array(values):
        out = values.astype(np.float64)
    else:
        out = _from_objects(as_list(values, origin, what), origin, what)
    lost = np.isnan(out)
    if lost.any():
        _raise_missing(float("nan"), origin, what, int(np.argmax(lost)))
    if what == "grade":
        large = np.abs(out) > LARGEST_GRADE  # which a float64 cannot distinguish from its neighbours
        if large.any():
            row = int(np.argmax(large))
            problem, hint = "a grade between -2**53 and 2**53", "use small grades such as 0, 1, 2, 3"
            grade = float(out[row])
            raise origin.error("grade-type", problem, row, what, value=grade, got=f"{grade:g}", hint=hint)
    return out


def _from_objects(items: list[Any], origin: Origin, what: What) -> Floats:
    plain = (float, int, np.floating, np.integer, np.bool_)
    if all(issubclass(kind, plain) for kind in set(map(type, items))):
        try:
            return np.array(items, dtype=np.float64)
        except OverflowError:
            pass
    return np.array([_float(item, origin, what, row) for row, item in enumerate(items)], dtype=np.float64)


def _float(item: Any, origin: Origin, what: What, row: int) -> float:
    """One number of an unusual type: Decimal, Fraction, a huge integer, an array of no dimension."""
    if item is None or item is np.ma.masked or type(item).__name__ in ("NAType", "NaTType"):
        _raise_missing(item, origin, what, row)
    kind = getattr(getattr(item, "dtype", None), "kind", "f")
    if hasattr(type(item), "__float__") and kind in "fiub" and not getattr(item, "ndim", 0):
        try:
            return float(item)
        except OverflowError:
            return float("inf") if item > 0 else float("-inf")
        except (TypeError, ValueError):
            pass
    several = isinstance(item, Collection) and not isinstance(item, str | bytes)
    hint = Hint(f"write one {what} per document: {{query: {{doc: {what}}}}}" if several else "convert it with float(x)")
    if what == "grade" and isinstance(item, str):
        hint = WORDS
    got = f"{shown(item)} ({type(item).__name__})"
    raise origin.error(f"{what}-type", f"a numeric {what}", row, what, value=item, got=got, hint=hint)


def _raise_missing(value: object, origin: Origin, what: What, row: int) -> NoReturn:
    slug = "score-nan" if what == "score" else "grade-type"
    raise origin.error(slug, f"a numeric {what}", row, what, value=value, hint="fill in the number, or drop the row")


def ranks(values: Column) -> Ints | None:
    """Return a column of integers ≥ 0; None if a value is something else."""
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind in "US":
            numbers = numbers.astype(np.int64)
        if numbers.dtype.kind == "O":
            numbers = np.array([float(v) for v in numbers])
    except (TypeError, ValueError, OverflowError):
        return None
    if is_masked_array(values) or numbers.dtype.kind not in "iuf" or not ((numbers >= 0) & (numbers < 2**53)).all():
        return None
    whole = numbers.astype(np.int64)
    return whole if (whole == numbers).all() else None
