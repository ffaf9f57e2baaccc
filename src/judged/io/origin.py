"""Origins: the place of each value in a source, in terms that its owner can look up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from judged._types import Ints
from judged.core.ids import IdColumn
from judged.errors import Place, Warned, shown
from judged.io.columns import ColumnRequest

# ── Origins: the place of each value in a source, in terms that its owner can look up ───────────────

Ids = Sequence[Any] | IdColumn


class Lines(Protocol):
    """The number of the line of each row; None if it is not known any longer."""

    def __getitem__(self, row: int, /) -> int | None: ...


class Origin(Protocol):
    """The place of a row's value. `describe_row` gives in words what a `Place` cannot hold.

    `typed` sources distinguish 7 from "7"; in a text file every id is text.
    """

    @property
    def typed(self) -> bool: ...
    def place(self, row: int, role: str = "doc") -> Place: ...
    def describe_row(self, row: int) -> str: ...


@dataclass(frozen=True, slots=True)
class WholeOrigin:
    """A source as one place."""

    name: str
    typed: bool = True

    def place(self, row: int, role: str = "doc") -> Place:
        return Place(self.name)

    def describe_row(self, row: int) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Keys:
    """A mapping of queries: `run['q1']['d2']`, or `run['q1'][0]` if rankings are lists."""

    name: str
    queries: Ids
    size: Ints
    docs: Ids | None  # None if documents are not keys
    typed: bool = True

    def query(self, row: int) -> tuple[Any, int]:
        end = np.cumsum(self.size)
        group = int(np.searchsorted(end, row, "right"))
        return self.queries[group], row - int(end[group] - self.size[group])

    def place(self, row: int, role: str = "doc") -> Place:
        query, position = self.query(row)
        key = position if self.docs is None else shown(self.docs[row])
        return Place(f"{self.name}[{shown(query)}][{key}]")

    def describe_row(self, row: int) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON document: the file is the place, query and document are given in words."""

    path: str
    keys: Keys
    docs: Ids
    typed: bool = False

    def place(self, row: int, role: str = "doc") -> Place:
        return Place(self.path)

    def describe_row(self, row: int) -> str:
        return f" for document {shown(self.docs[row])} of query {shown(self.keys.query(row)[0])}"


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """A list of tuples or records: `run[3]['score']`. `item` maps rows to list positions."""

    name: str
    key: Mapping[str, object] = field(default_factory=dict)
    item: Ints | None = None
    path: str | None = None  # a JSON document that holds the list
    typed: bool = True

    def place(self, row: int, role: str = "doc") -> Place:
        return Place(self.path or self._text(row, role))

    def describe_row(self, row: int) -> str:
        return f" at {self._text(row, '')}" if self.path else ""

    def _text(self, row: int, role: str) -> str:
        at = row if self.item is None else int(self.item[row])
        return f"{self.name}[{at}]" + (f"[{self.key[role]!r}]" if role in self.key else "")


@dataclass(frozen=True, slots=True)
class CellOrigin:
    """The columns of a frame: `run['score'][3]`."""

    name: str
    column: Mapping[str, str]
    typed: bool = True
    first: int = 0  # number of the first row in the frame

    def place(self, row: int, role: str = "doc") -> Place:
        return Place(f"{self.name}[{self.column.get(role, role)!r}][{self.first + row}]")

    def describe_row(self, row: int) -> str:
        return ""


@dataclass(frozen=True, slots=True)
class RowOrigin:
    """The columns of a Parquet or Arrow file: file and column are the place, the row is given in words."""

    path: str
    column: Mapping[str, str]
    position: Mapping[str, int]
    typed: bool = True
    first: int = 0  # number of the first row in the file
    among: str = ""  # the rows that are counted, in words

    def place(self, row: int, role: str = "doc") -> Place:
        name = self.column.get(role)
        return Place(self.path, None, None if name is None else self.position[name] + 1, name)

    def describe_row(self, row: int) -> str:
        return f" in row {self.first + row + 1}{self.among}"


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Lines of a text file; `column` gives the number and the name of a role's column."""

    path: str
    line: Ints | range | Lines
    column: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    typed: bool = False

    def place(self, row: int, role: str = "doc") -> Place:
        line = self.line[row]
        return Place(self.path, None if line is None else int(line), *self.column.get(role, (None, None)))

    def describe_row(self, row: int) -> str:
        return ""


# ── Everything a reader knows about a source besides its values ─────────────────────────────────────


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Context:
    """With `path`, the source is a file; with `lines` too, each item is on its own line."""

    request: ColumnRequest
    path: str | None = None
    lines: Ints | range | None = None
    once: bool = False  # the source can be read only once
    columnar: bool = False  # a file that keeps types
    row: int = 0  # number of the first row in the source
    among: str = ""  # the rows that are counted, in words
    warnings: tuple[Warned, ...] = ()

    @property
    def name(self) -> str:
        return self.path or self.request.what

    @property
    def place(self) -> Place:
        return Place(self.name)

    @property
    def typed(self) -> bool:
        return self.path is None or self.columnar

    def whole(self) -> Origin:
        return WholeOrigin(self.name, self.typed)

    def items(self, key: Mapping[str, object] | None = None, item: Ints | None = None) -> Origin:
        """Return the origin of rows that are items of a list, or parts of such items."""
        if self.lines is not None:
            return LineOrigin(self.name, self.lines if item is None else np.asarray(self.lines)[item])
        return ItemOrigin(self.request.what, key or {}, item, self.path, self.typed)

    def keys(self, queries: Ids, size: Ints, docs: Ids, *, keyed: bool) -> Origin:
        """Return the origin of rows that are entries of rankings."""
        keys = Keys(self.request.what, queries, size, docs if keyed else None)
        return keys if self.path is None else Document(self.path, keys, docs)

    def basics(self) -> dict[str, Any]:
        """Return the arguments that every table of this source has."""
        return {"name": self.name, "request": self.request, "once": self.once, "warnings": self.warnings}
