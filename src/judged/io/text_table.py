"""Tables that the native core reads from text: the columns of a run or of judgments, already checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from judged.core.tables import Run
from judged.core.unread_runs import Layout, TextRun, read_rows
from judged.errors import DataError, Place
from judged.io.cells import GroupedIds
from judged.io.columns import find_columns
from judged.io.files import Content, Raw
from judged.io.mapped import TextLines, in_memory, open_later, open_now
from judged.io.origin import Context, LineOrigin
from judged.io.table import SourceTable
from judged.io.text.encoding import check_end, is_wide

if TYPE_CHECKING:
    from judged.io.formats.delimited import Header


_RETURN = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """Rows of a delimited text: the first byte, the source, and the place of each column; see `SourceTable` for `borrowed`."""

    start: int
    layout: Layout
    places: Mapping[str, tuple[int, str]]
    borrowed: bool


def find_text(head: Raw | None, header: Header, context: Context) -> DelimitedText | None:
    """Return the rows of a delimited text by its beginning; None if the reference must read it, or report an error.

    Without `head`, the text is a later part of a file.
    """
    request, names = context.request, header.names
    start = 0
    for _ in range(header.line if head is not None else 0):
        assert head is not None
        start = head.find(b"\n", start) + 1
        if not start:
            return None
    if request.grade_map is not None or (head and (_RETURN.search(head, 0, start) or is_wide(head))):
        return None
    try:
        found = find_columns(names, request, Place(context.name, header.line))
    except DataError:
        return None
    position = {role: names.index(name) for role, name in found.column.items()}
    columns = {role: position.get(role, -1) for role in ("query", "doc", "rank", "aspect")}
    layout = {
        "source": "delimited",
        "separator": header.delimiter,
        "spaced": header.spaced,
        "columns": len(names),
        **columns,
        "number": position.get(request.number, -1),
        "grades": request.what == "qrels",
    }
    places = {role: (at + 1, found.column[role]) for role, at in position.items()}
    return DelimitedText(start, layout, places, found.borrowed)


def unread_text(
    content: Content, text: DelimitedText | None, read: Callable[[], Run], read_held: Callable[[], Run]
) -> TextRun | None:
    """Return a run for the native core. `read` reads a plain file again, `read_held` another content, which cannot be opened twice."""
    if text is None:
        return None
    plain = content.file is not None
    last = content.last_byte() if plain else bytes(content.read()[-9:-8])
    run = _text_run(content.name, text, open_later(content, text.start), read if plain else read_held)
    return replace(run, warnings=check_end(last, content.name))


def unread_chunk(data: Raw, text: DelimitedText, name: str, read: Callable[[], Run]) -> TextRun:
    """Return rows of a part of a file for the native core; `read` reads them by the reference."""
    return _text_run(name, text, partial(nullcontext, in_memory(data, text.start)), read)


def _text_run(name: str, text: DelimitedText, opened: Any, read: Callable[[], Run]) -> TextRun:
    layout = text.layout
    scored, ranked = layout["number"] >= 0, layout["rank"] >= 0
    return TextRun(name=name, read=read, open=opened, layout=layout, scored=scored, ranked=ranked)


def read_text_table(content: Content, text: DelimitedText, context: Context) -> SourceTable | None:
    """Return all rows of a text; None if only the reference can read it."""
    start, layout = text.start, text.layout
    with open_now(content, start) as (data, _):
        rows = read_rows(data, start, layout)
        last = data[-1:].tobytes()
    if rows is None:
        return None
    lines = TextLines(open_later(content, start), layout, returns=True)
    return SourceTable(
        name=context.name,
        request=context.request,
        warnings=(*context.warnings, *check_end(last, context.name)),
        origin=LineOrigin(context.name, lines, text.places),
        query=GroupedIds(rows.queries, rows.query),
        doc=rows.doc,
        number=rows.number if layout["number"] >= 0 else None,
        rank=rows.rank if layout["rank"] >= 0 else None,
        aspect=rows.aspects() if layout["aspect"] >= 0 else None,
        borrowed=text.borrowed,
        checked=True,
    )
