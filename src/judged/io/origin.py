"""Everything a reader knows about a source besides its values: the request, the name, the place of each value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Ints
from judged.core.tables import IdColumn
from judged.errors import DataError, Place, Warned, shown
from judged.io.columns import ColumnRequest

if TYPE_CHECKING:
    from judged.io.files import TextLines

Ids = Sequence[Any] | IdColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The place of each row's value, in terms that the owner of the source can look up.

    Args:
        name: the path, or what is read.
        typed: whether 7 and "7" are two ids; in a text file every id is text.
        form: the place, such as `run[{query}][{doc}]`; a file has its name, line and column instead.
        words: what a place cannot hold, such as ` in row {number}`.
        first: number of the first row.
        item: the item of a list that each row belongs to, if an item has several.
        line: the line of each row.
        column: number and name of the column of each role.
        queries: one per ranking, with `size` rows each.
        docs: one per row.
        rows: the row of each value, if values are those of some rows; with `role`, values of one role.
    """

    name: str
    typed: bool = True
    form: str = ""
    words: str = ""
    first: int = 0
    item: Ints | None = None
    line: Ints | range | TextLines | None = None
    column: Mapping[str, tuple[int | None, object]] = field(default_factory=dict)
    queries: Ids | None = None
    size: Ints | None = None
    docs: Ids | None = None
    rows: Callable[[int], int] | None = None
    role: str | None = None

    def place(self, row: int, role: str = "doc") -> Place:
        """Return the place of a value."""
        row, role = self.rows(row) if self.rows else row, self.role or role
        if self.form:
            return Place(self._fill(self.form, row, role))
        line = None if self.line is None else self.line[row]
        number, name = self.column.get(role, (None, None))
        return Place(self.name, None if line is None else int(line), number, None if name is None else str(name))

    def describe_row(self, row: int) -> str:
        """Return in words what the place does not say."""
        return self._fill(self.words, self.rows(row) if self.rows else row, "") if self.words else ""

    def error(
        self, slug: str, problem: str, row: int, role: str = "doc", *, value: object, got: str = "", hint: Any = None
    ) -> DataError:
        """Return an error about a value, with its place; without `got`, the value is shown."""
        problem, where = f"{problem}{self.describe_row(row)}", self.place(row, role)
        return DataError(slug, problem, got=got or shown(value), where=where, value=value, hint=hint)

    def _fill(self, form: str, row: int, role: str) -> str:
        values: dict[str, object] = {"name": self.name, "row": self.first + row, "number": self.first + row + 1}
        values["item"] = row if self.item is None else int(self.item[row])
        values["column"] = self.column[role][1] if role in self.column else role
        values["key"] = f"[{self.column[role][1]!r}]" if role in self.column else ""
        if self.queries is not None and self.size is not None:
            end = np.cumsum(self.size)
            group = int(np.searchsorted(end, row, "right"))
            values |= {"query": shown(self.queries[group]), "position": row - int(end[group] - self.size[group])}
        if self.docs is not None:
            values["doc"] = shown(self.docs[row])
        return form.format(**values)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Context:
    """With `path`, the source is a file; with `lines` too, each item is on its own line."""

    request: ColumnRequest
    path: str | None = None
    lines: Ints | range | None = None
    once: bool = False  # the source can be read only once
    columnar: bool = False  # a file that keeps types
    row: int = 0  # number of the first row in the source
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
        """Return the source as one place."""
        return Origin(name=self.name, typed=self.typed)

    def items(self, key: Mapping[str, object] | None = None, item: Ints | None = None) -> Origin:
        """Return the origin of rows that are items of a list, or parts of such items: `run[3]['score']`."""
        if self.lines is not None:
            line = self.lines if item is None else np.asarray(self.lines)[item]
            return Origin(name=self.name, typed=False, line=line)
        if self.path is not None:  # a JSON document that holds the list
            return Origin(name=self.path, typed=self.typed, item=item, words=f" at {self.request.what}[{{item}}]")
        column = {role: (None, name) for role, name in (key or {}).items()}
        return Origin(name=self.name, form="{name}[{item}]{key}", item=item, column=column)

    def keys(self, queries: Ids, size: Ints, docs: Ids, *, keyed: bool) -> Origin:
        """Return the origin of rows that are entries of rankings: `run['q1']['d2']`, or `run['q1'][0]` in lists."""
        if self.path is not None:
            words = " for document {doc} of query {query}"
            return Origin(name=self.path, typed=False, words=words, queries=queries, size=size, docs=docs)
        return keys_origin(self.request.what, queries, size, docs if keyed else None)

    def columns(self, column: Mapping[str, str], names: Sequence[str]) -> Origin:
        """Return the origin of the columns of a frame, `run['score'][3]`, or of a file of columns."""
        places = {role: (names.index(name) + 1, name) for role, name in column.items()}
        if self.path is None:
            return Origin(name=self.name, form="{name}[{column!r}][{row}]", first=self.row, column=places)
        return Origin(name=self.path, typed=self.typed, words=" in row {number}", first=self.row, column=places)

    def basics(self) -> dict[str, Any]:
        """Return the arguments that every table of this source has."""
        return {"name": self.name, "request": self.request, "once": self.once, "warnings": self.warnings}


def keys_origin(name: str, queries: Ids, size: Ints, docs: Ids | None) -> Origin:
    """Return the origin of a mapping of queries; `docs` is None if documents are not keys."""
    form = "{name}[{query}][{position}]" if docs is None else "{name}[{query}][{doc}]"
    return Origin(name=name, form=form, queries=queries, size=size, docs=docs)
