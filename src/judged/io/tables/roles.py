"""Columns with roles of their own: found by their names, gathered batch by batch, ids already as codes.

Rows come in batches, so that a log of millions of rows never lives as Python strings all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core.tables import Id
from judged.errors import DataError, Place, shown
from judged.io.tables.context import Context
from judged.io.tables.ids import Column, ids, listed
from judged.io.tables.origin import ItemOrigin, Origin

__all__ = ["Batch", "Coded", "Role", "RoleTable", "Roles", "find_roles", "gathered", "match", "refuse_empty"]

Batch = Mapping[str, Column]


@dataclass(frozen=True, slots=True)
class Role:
    """What a column means: its usual names (lower case, no separators), and how its cells are read (None: as ids)."""

    names: tuple[str, ...]
    meaning: str
    read: Callable[[Column], NDArray[Any] | None] | None = None
    required: bool = True
    expected: str = ""  # what a cell must be
    slug: str = "columns"


@dataclass(frozen=True, slots=True)
class Coded:
    """Ids: each once, and every row's place among them."""

    ids: tuple[Id, ...]
    code: NDArray[Any]


@dataclass(frozen=True, slots=True)
class RoleTable:
    """The columns that were found: ids as `Coded`, the others as arrays; and the place of a row."""

    name: str
    ids: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[Any]]
    place: Callable[[int, str], Place]

    def __len__(self) -> int:
        return len(next(iter(self.ids.values())).code)


Roles = Mapping[str, Role]


def match(role: Role, names: Sequence[Any]) -> str | None:
    plain = {_plain(name): name for name in reversed(names) if isinstance(name, str)}
    return next((plain[name] for name in role.names if name in plain), None)


def _plain(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "")


def find_roles(names: Sequence[Any], context: Context, roles: Roles, where: Place) -> dict[str, str]:
    """The column of each role; a role's first name is the surest."""
    found: dict[str, str] = {}
    listing = ", ".join(shown(name, 40) for name in names) or "none"
    for name, role in roles.items():
        column = context.wanted.named.get(name) or match(role, names)
        if column is not None and column in names:
            if list(names).count(column) > 1:
                raise DataError("columns", f"one column called {column!r}", got=listing, where=where, hint="rename one")
            found[name] = column
        elif role.required or name in context.wanted.named:
            expected = f"a column of {role.meaning}" if column is None else f"a column called {column!r}"
            raise DataError("columns", expected, got=listing, where=where, hint=f"name it: {name}='…'", value=listing)
    return found


def gathered(batches: Iterator[Batch], origin: Callable[[], Origin], context: Context, roles: Roles,
              found: Mapping[str, str]) -> RoleTable:  # fmt: skip
    """The columns, batch after batch; what is wrong is told with its place once all lines are known."""
    seen: dict[str, dict[Any, int]] = {role: {} for role in found if roles[role].read is None}
    parts: dict[str, list[NDArray[Any]]] = {role: [np.empty(0, np.int32)] for role in found}
    count = 0
    for batch in batches:
        for role, column in batch.items():
            read = roles[role].read
            part = _coded(column, seen[role]) if read is None else read(column)
            if part is None:
                row = _first_wrong(column, read)
                _refuse_cell(roles[role], role, list(column)[row], count + row, origin())
            parts[role].append(part)
        count += len(next(iter(batch.values())))
    if not count:
        refuse_empty(context)
    place = origin()
    codes = {role: np.concatenate(parts[role][1:]) for role in found}
    coded = {role: _checked(list(known), codes[role], place, role) for role, known in seen.items()}
    return RoleTable(context.name, coded, {role: codes[role] for role in found if role not in seen}, place.place)


def _coded(column: Column, seen: dict[Any, int]) -> NDArray[Any] | None:
    """Codes of the ids of a batch, in order of appearance; None where one cannot be looked up."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu" and not np.ma.isMaskedArray(column):
        distinct, place = np.unique(column, return_inverse=True)
        known = np.array([seen.setdefault(item, len(seen)) for item in distinct.tolist()], dtype=np.int32)
        return known[place]
    items = column if isinstance(column, list) else listed(column, ItemOrigin("rows"), "doc")
    try:
        for item in dict.fromkeys(items):
            seen.setdefault(item, len(seen))
        return np.fromiter(map(seen.__getitem__, items), np.int32, len(items))
    except TypeError:
        return None


def _checked(names: list[Any], code: NDArray[Any], origin: Origin, role: str) -> Coded:
    """The ids as they are kept, after the checks that every id goes through."""
    rows = _Firsts(origin, code, role)
    text, kind = ids(names, rows, "query" if role == "query" else "doc")
    if all(isinstance(name, str) for name in names) or (kind == "integer" and origin.typed):
        return Coded(tuple(names), code)
    words = [raw.decode("utf-8", "surrogateescape") for raw in text.tolist()]
    merged = {word: i for i, word in enumerate(dict.fromkeys(words))}  # 7 and "7" of a JSON file are one id
    return Coded(tuple(merged), np.array([merged[word] for word in words], dtype=np.int32)[code])


@dataclass(frozen=True, slots=True)
class _Firsts:
    """Distinct ids, each placed where it first stands."""

    origin: Origin
    code: NDArray[Any]
    role: str

    @property
    def typed(self) -> bool:
        return self.origin.typed

    def place(self, row: int, role: str = "doc") -> Place:
        return self.origin.place(int(np.argmax(self.code == row)), self.role)

    def about(self, row: int) -> str:
        return self.origin.about(int(np.argmax(self.code == row)))


def _first_wrong(column: Column, read: Callable[[Column], Any] | None) -> int:
    items = list(column)
    if read is None:
        return next(
            i for i, item in enumerate(items) if getattr(item, "__hash__", None) is None or _coded([item], {}) is None
        )
    return next(i for i in range(len(items)) if read(items[i : i + 1]) is None)


def _refuse_cell(role: Role, name: str, value: Any, row: int, origin: Origin) -> NoReturn:
    if role.read is None:
        raise DataError(
            "id-type",
            f"{role.meaning} as text or whole numbers{origin.about(row)}",
            got=shown(value),
            where=origin.place(row, name),
        )
    raise DataError(
        role.slug, f"{role.expected}{origin.about(row)}", got=shown(value), where=origin.place(row, name), value=value
    )


def refuse_empty(context: Context) -> NoReturn:
    hint = "is this the right one, and was it filled?"
    raise DataError(
        "empty-clicks", f"at least one row of {context.wanted.what}", got="none", where=context.name, hint=hint
    )
