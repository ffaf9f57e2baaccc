"""TREC runs and judgments. A run in a plain file is mapped and left to the native core; nothing is copied."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from functools import partial
from typing import IO, Any, NoReturn

from judged._types import Bytes
from judged.core.tables import NO_SUBTOPIC, Qrels, Run
from judged.core.unread_runs import Layout, TextRun, TextStream, UnreadRun, read_rows, row_begins
from judged.errors import Place
from judged.io.columns import ColumnRequest
from judged.io.files import PAD, Content, Raw, open_content
from judged.io.formats.registry import FORMATS, Detected, FileFormat, TextChunks
from judged.io.mapped import TextLines, in_memory, line_at, line_of, open_later, open_now
from judged.io.origin import Context, Origin
from judged.io.text.encoding import WHOLE, Begin, check_end, text_start
from judged.io.text.lines import Head
from judged.io.text.trec import QRELS, RUN, is_trec_line, parse_qrels, parse_run, raise_text

_RUN: Layout = {"source": "trec"}
_JUDGMENTS: Layout = {"source": "trec_judgments", "lenient": False}
Counted = Callable[[], Begin]  # the beginning of a stretch: its lines are counted only when a message needs them


def _detect(head: Head, request: ColumnRequest) -> bool:
    return request.is_ranking and not request.named and is_trec_line(head.line, RUN if request.what == "run" else QRELS)


def read_trec(content: Content, detected: Detected | None, context: Context) -> Run | Qrels:
    """Read a run or judgments."""
    is_run = context.request.what == "run"
    table = read_lines(content, _RUN if is_run else _JUDGMENTS)
    return (parse_run if is_run else parse_qrels)(content.read(), content.name) if table is None else table


def read_lines(content: Content, layout: Layout) -> Run | Qrels | None:
    """Read a run or judgments by the native core; None if only the reference can."""
    opened = open_later(content)
    with open_now(content) as (data, start):
        rows = read_rows(data, start, layout)
        if rows is None:
            return None
        keys: dict[str, Any] = {"name": content.name, "queries": rows.queries, "query": rows.query, "doc": rows.doc}
        where = Origin(name=content.name, typed=False, line=TextLines(opened, layout)).place
        keys |= {"where": where, "warnings": check_end(data[-1:].tobytes(), content.name)}
        if layout is not _RUN:
            plain = len(rows.aspect) == 1 and rows.aspect[0] in NO_SUBTOPIC
            return Qrels(**keys, grade=rows.number, aspect=None if plain else rows.aspects())
        wrong = None
        if rows.rank is None:
            row = _parse_row(data, int(row_begins(data, start, layout)[rows.unranked]))
            wrong = where(rows.unranked), row.wrong_rank[1] if row.wrong_rank else ""
        tag = _parse_row(data, rows.last).tag
        return Run(**keys, score=rows.number, rank=rows.rank, wrong_rank=wrong, tag=tag)


def _unread(content: Content, detected: Detected, read: Callable[[], Run]) -> UnreadRun | None:
    if content.packed is not None and b"\n" in content.head and not content.complete:
        return _unread_stream(content, content.packed, read)
    if b"\n" not in content.head or content.file is None:
        return unread_bytes(content.read(), content.name)
    return unread_lines(content.name, read, open_later(content), content.last_byte())


def _read_chunks(chunks: TextChunks, header: Any, context: Context) -> Iterator[Run | UnreadRun]:
    for data, begin in chunks:
        unread = unread_bytes(data, context.name, begin)
        yield parse_run(data, context.name, begin=begin) if unread is None else unread


TREC = FORMATS.add(FileFormat("TREC", 20, _detect, read_trec, read_chunks=_read_chunks, unread=_unread))


# ── lines for the native core ────────────────────────────────────────────────────────────────────


def unread_bytes(data: Raw, name: str, begin: Begin | None = None) -> TextRun | None:
    """Return TREC lines in memory for the native core: a whole file, or a stretch of one."""
    if data.find(b"\n") < 0:
        return None
    opened = partial(nullcontext, in_memory(data, text_start(data, name, begin or WHOLE)))
    read = partial(parse_run, data, name, begin=begin)
    return unread_lines(name, read, opened, bytes(data[-9:-8]), lambda: begin or WHOLE)


def unread_lines(
    name: str, read: Callable[[], Run], opened: Any, last: bytes, begin: Counted = lambda: WHOLE
) -> TextRun:
    """Return TREC lines for the native core, with the functions that report what is wrong with a line."""
    return TextRun(
        name=name,
        read=read,
        open=opened,
        layout=_RUN,
        raise_row=partial(_raise_line, name, begin),
        place=partial(_place, name, begin),
        warnings=check_end(last, name),
    )


def _unread_stream(content: Content, packed: IO[bytes], read: Callable[[], Run]) -> TextStream:
    """Return the lines of a compressed file, which is decompressed while they are scanned."""
    from judged.io.stored import Stored, read_ahead, stream_queries

    assert content.opened is not None
    path, name, packing = content.opened.path, content.name, content.packing or ""
    status = os.fstat(packed.fileno())
    file = Stored(name, path, status.st_size, status.st_mtime_ns)

    def stretches() -> Iterator[TextRun]:
        with closing(read_ahead(stream_queries(file, packing))) as texts:
            for data, offset in texts:
                start = text_start(data[:3].tobytes(), name, Begin(offset))
                begin = partial(file.begin, offset, packing)
                yield unread_lines(name, read, partial(nullcontext, (data, start)), data[-1:].tobytes(), begin)

    def whole() -> TextRun | None:
        with open_content(path) as again:
            return unread_bytes(again.read(), name)

    return TextStream(name=name, read=read, stretches=stretches, whole=whole)


def _parse_row(data: Bytes, at: int) -> Run:
    """Return the row of a run that begins at this byte."""
    return parse_run(line_at(data, at) + PAD, "", begin=WHOLE)


def _place(name: str, begin: Counted, data: Bytes, at: int) -> Place:
    return Place(name, begin().lines + line_of(data, at))


def _raise_line(name: str, begin: Counted, data: Bytes, at: int, first: bool) -> NoReturn:
    """Report the line that begins at this byte of a stretch, as the parser does."""
    offset, line = begin().offset, _place(name, begin, data, at).line or 1
    raise_text(line_at(data, at), name, offset + at, line, first=first and not offset)
