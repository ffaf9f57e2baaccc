"""Everything a reader knows about a source besides its values: the request, the name, the places of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.errors import Place, Warned
from judged.io.tables.columns import ColumnRequest

if TYPE_CHECKING:
    from judged._types import Ints
    from judged.io.tables.origin import Ids, Origin


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
        from judged.io.tables.origin import WholeOrigin

        return WholeOrigin(self.name, self.typed)

    def items(self, key: Mapping[str, object] | None = None, item: Ints | None = None) -> Origin:
        """Return the origin of rows that are items of a list, or parts of such items."""
        from judged.io.tables.origin import ItemOrigin, LineOrigin

        if self.lines is not None:
            return LineOrigin(self.name, self.lines if item is None else np.asarray(self.lines)[item])
        return ItemOrigin(self.request.what, key or {}, item, self.path, self.typed)

    def keys(self, queries: Ids, size: Ints, docs: Ids, *, keyed: bool) -> Origin:
        """Return the origin of rows that are entries of rankings."""
        from judged.io.tables.origin import Document, Keys

        keys = Keys(self.request.what, queries, size, docs if keyed else None)
        return keys if self.path is None else Document(self.path, keys, docs)

    def basics(self) -> dict[str, Any]:
        """Return the arguments that every table of this source has."""
        return {"name": self.name, "request": self.request, "once": self.once, "warnings": self.warnings}
