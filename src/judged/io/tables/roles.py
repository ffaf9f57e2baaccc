"""Columns of a table by role, gathered batch by batch: a log of millions of rows never exists as Python strings at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core.numeric.masked import is_masked_array
from judged.core.tables import Id
from judged.errors import DataError, Place, Warned, shown
from judged.io.tables.columns import Role, RoleColumns
from judged.io.tables.context import Context
from judged.io.tables.ids import Column, as_list, encode_ids
from judged.io.tables.origin import ItemOrigin, Origin

Batch = Mapping[str, Column]


@dataclass(frozen=True, slots=True)
class ColumnBatches:
    """Columns by role, batch by batch, as the reader of each format returns them.

    Args:
        columns: the column of each role.
        batches: the cells of each role; taken once.
        origin: gives the places of all rows, once the batches were taken.
        in_text: True if numbers are text.
        once: True if the source can be read only once.
        warnings: of the reader.
    """

    context: Context
    columns: RoleColumns
    batches: Iterable[Batch]
    origin: Callable[[], Origin]
    in_text: bool = False
    once: bool = False
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Coded:
    """Ids: each once, and the index of every row's id among them."""

    ids: tuple[Id, ...]
    code: NDArray[Any]


@dataclass(frozen=True, slots=True)
class RoleTable:
    """The columns of a table by role: ids as `Coded`, the others as arrays; and the place of a row."""

    name: str
    ids: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[Any]]
    place: Callable[[int, str], Place]

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())).code)


def gather_columns(source: ColumnBatches) -> RoleTable:
    """Read all batches; a wrong cell is reported with its place."""
    context, roles = source.context, source.context.request.roles
    columns = source.columns.column
    seen: dict[str, dict[Any, int]] = {role: {} for role in columns if roles[role].read is None}
    parts: dict[str, list[NDArray[Any]]] = {role: [np.empty(0, np.int32)] for role in columns}
    count = 0
    for batch in source.batches:
        for role, column in batch.items():
            read = roles[role].read
            part = _encode(column, seen[role]) if read is None else read(column)
            if part is None:
                row = _first_wrong(column, read)
                _raise_cell(roles[role], role, list(column)[row], count + row, source.origin())
            parts[role].append(part)
        count += len(next(iter(batch.values())))
    if not count:
        raise_empty(context)
    origin = source.origin()
    codes = {role: np.concatenate(parts[role][1:]) for role in columns}
    coded = {role: _check_ids(list(known), codes[role], origin, role) for role, known in seen.items()}
    return RoleTable(context.name, coded, {role: codes[role] for role in columns if role not in seen}, origin.place)


def _encode(column: Column, seen: dict[Any, int]) -> NDArray[Any] | None:
    """Return codes of the ids of a batch, in order of appearance; None if one cannot be hashed."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and not is_masked_array(column):
        distinct, place = np.unique(column, return_inverse=True)
        known = np.array([seen.setdefault(item, len(seen)) for item in distinct.tolist()], dtype=np.int32)
        return known[place]
    items = column if isinstance(column, list) else as_list(column, ItemOrigin("rows"), "doc")
    try:
        for item in dict.fromkeys(items):
            seen.setdefault(item, len(seen))
        return np.fromiter(map(seen.__getitem__, items), np.int32, len(items))
    except TypeError:
        return None


def _check_ids(names: list[Any], code: NDArray[Any], origin: Origin, role: str) -> Coded:
    """Return the ids as they are kept, after the checks of every id."""
    rows = _FirstRows(origin, code, role)
    text, kind = encode_ids(names, rows, "query" if role == "query" else "doc")
    if all(isinstance(name, str) for name in names) or (kind == "integer" and origin.typed):
        return Coded(tuple(names), code)
    words = text.texts()
    merged = {word: i for i, word in enumerate(dict.fromkeys(words))}  # 7 and "7" of a JSON file are one id
    return Coded(tuple(merged), np.array([merged[word] for word in words], dtype=np.int32)[code])


@dataclass(frozen=True, slots=True)
class _FirstRows:
    """Distinct ids, each with the place of its first row."""

    origin: Origin
    code: NDArray[Any]
    role: str

    @property
    def typed(self) -> bool:
        return self.origin.typed

    def place(self, row: int, role: str = "doc") -> Place:
        return self.origin.place(int(np.argmax(self.code == row)), self.role)

    def describe_row(self, row: int) -> str:
        return self.origin.describe_row(int(np.argmax(self.code == row)))


def _first_wrong(column: Column, read: Callable[[Column], Any] | None) -> int:
    items = list(column)
    if read is None:
        return next(i for i, x in enumerate(items) if getattr(x, "__hash__", None) is None or _encode([x], {}) is None)
    return next(i for i in range(len(items)) if read(items[i : i + 1]) is None)


def _raise_cell(role: Role, name: str, value: Any, row: int, origin: Origin) -> NoReturn:
    where, about = origin.place(row, name), origin.describe_row(row)
    if role.read is None:
        raise DataError("id-type", f"{role.meaning} as text or integers{about}", got=shown(value), where=where)
    raise DataError(role.slug, f"{role.expected}{about}", got=shown(value), where=where, value=value)


def raise_empty(context: Context) -> NoReturn:
    hint = "check that this is the right input and not empty"
    raise DataError("empty-clicks", f"the {context.request.what} have no rows", where=context.name, hint=hint)
