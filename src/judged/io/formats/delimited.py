"""CSV and TSV with a header line and quoted cells; the BEIR layout and the exports of Quepid are some of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any, NoReturn

import numpy as np

from judged._types import Ints
from judged.core.native import NATIVE
from judged.core.tables import Run
from judged.core.unread_runs import Layout, TextRun, read_rows
from judged.errors import DataError, Place, Warned, shown
from judged.io import files as limits
from judged.io.cells import GroupedIds
from judged.io.columns import ColumnRequest, count_known, find_columns
from judged.io.files import PAD, Content, Raw
from judged.io.formats.registry import FORMATS, Detected, FileFormat, TextChunks
from judged.io.mapped import TextLines, in_memory, open_later, open_now
from judged.io.origin import Context, Origin
from judged.io.table import Batch, ColumnBatches, SourceTable, as_run, concatenate
from judged.io.text.decimals import is_decimal, with_points
from judged.io.text.encoding import Begin, check_encoding, check_end, is_text, is_utf8, is_wide, warn_encoding
from judged.io.text.lines import Head
from judged.io.text.trec import RUN, is_trec_line
from judged.tables.text import counted

_BATCH = 1 << 11  # few enough to be freed before the garbage collector visits them twice
_BATCHES = 32  # in one table of a partition
_SEPARATOR = re.compile(r'"?sep=([,;|]?)"?', re.IGNORECASE)  # of a tab, only sep= is left
_FILLED = re.compile(rb"\S")
_BREAK = re.compile(r"\r\n|\r|\n")
_TREC_TEAMS = ("query", "Q0", "doc", "rank", "score", "team")  # an interleaved run whose tags are teams

# The first columns of exports of Quepid, and those of each role. Other columns of any name follow, except in a file of ratings.
_CASE = {"query": "Query Text", "doc": "Doc ID", "rank": "Doc Position"}
_EXPORTS: dict[tuple[str, ...], dict[str, str]] = {
    ("query", "docid", "rating"): {"query": "query", "doc": "docid", "grade": "rating"},
    ("Team Name", "Case Name", "Case ID", "Query Text", "Doc ID", "Doc Position", "Title", "Rating"): {
        **_CASE,
        "grade": "Rating",
    },
    ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position"): _CASE,
}
_FORMULA = (" -", " =", " +", " @")  # Quepid writes the blank before a query, so that no spreadsheet computes it

Rows = tuple[list[list[str]], Ints]


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: the delimiter and the names of the columns. `line` lines come before the rows."""

    delimiter: str
    names: tuple[str, ...]
    line: int = 1
    spaced: bool = False  # a blank follows each delimiter
    quoted: bool = True  # cells may be in quotes; in TREC lines a quote is a letter
    export: Mapping[str, str] = field(default_factory=dict)  # the columns of an export of Quepid

    def reader(self, lines: Iterator[str]) -> Any:
        style: Any = {"quoting": csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE}
        return csv.reader(lines, delimiter=self.delimiter, strict=True, skipinitialspace=self.spaced, **style)


def split_line(line: str, delimiter: str) -> list[str]:
    """Split a line of CSV; [] if its quotes are not closed."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def split_lines(line: str, rest: Iterator[str], header: Header, where: Place) -> list[str]:
    """Return the cells of a line; with an open quote, those of the lines below it too."""
    if '"' not in line:
        cells = line.split(header.delimiter)
        return [cell.lstrip(" ") for cell in cells] if header.spaced else cells
    reader = header.reader(f"{part}\n" for part in chain([line], rest))
    longest = csv.field_size_limit(limits.LONGEST_LINE)
    try:
        return list(next(reader))
    except csv.Error as error:
        separate = header.delimiter == "\t" and line.count("\t") == len(header.names) - 1
        if separate and reader.line_num <= 1 and not split_line(f'{line}"', "\t"):  # not a quote that the end left open
            return line.split("\t")  # no writer of quotes makes `"a" b`: here a quote is a letter
        _raise_quotes(error, where)
    finally:
        csv.field_size_limit(longest)


def _raise_quotes(error: csv.Error, where: Place) -> NoReturn:
    hint = "quote the whole cell, and double any quotes inside it"
    raise DataError("csv", f"unclosed quote: {error}", where=where, hint=hint) from error


def find_header(line: str, number: int = 1) -> Iterator[Header]:
    """Return the line as a header with each delimiter that splits it."""
    for delimiter in "\t,;":
        cells = split_line(line, delimiter)
        if len(cells) > 1:
            spaced = any(cell.startswith(" ") for cell in cells[1:])
            yield Header(delimiter, tuple(cell.strip() for cell in cells), number, spaced)


def _detect(head: Head, request: ColumnRequest) -> Header | None:
    line, number = head.line.decode("utf-8", "surrogateescape"), head.number
    if separator := _SEPARATOR.fullmatch(line):  # Excel writes sep=; above the header
        below = bytes(head.data).split(b"\n", number + 1)[number : number + 1]
        names = split_line(b"".join(below).decode("utf-8", "surrogateescape").rstrip("\r"), separator[1] or "\t")
        return Header(separator[1] or "\t", tuple(name.strip() for name in names), number + 1) if names else None
    if "team" in request.roles and is_trec_line(head.line, RUN):
        lines = bytes(head.data).split(b"\n")
        first = next(
            i for i, one in enumerate(lines) if is_trec_line(one.strip(), RUN)
        )  # also a query that begins with #
        return Header("\t" if "\t" in line else " ", _TREC_TEAMS, first, quoted=False)
    headers = list(find_header(line, number))
    if request.is_ranking and not request.named and (export := _find_export(headers, request.what)) is not None:
        return export
    least = 1 if request.named or request.roles else 2
    known = [count_known(header.names, request) for header in headers]
    # Names without any number cannot be a row of a run, of judgments or of clicks.
    words = next((h for h in headers if len(h.names) > 2 and not any(map(_is_number, h.names))), None)
    if not request.is_ranking:
        best = headers[known.index(max(known))] if known and max(known) >= least else None
        return words if best is None and sum(role.required for role in request.roles.values()) > 2 else best
    header = next((header for header, count in zip(headers, known, strict=True) if count >= least), None)
    if header is not None:
        return header
    if "," in line and (request.named or len(line.split()) == 1):
        return Header(",", tuple(line.split(",")), number)
    return words


def _find_export(headers: list[Header], what: str) -> Header | None:
    """Return the header of an export of Quepid, with the columns to read."""
    for known, columns in _EXPORTS.items():
        for header in headers:
            if header.names == known or (len(known) > 3 and header.names[: len(known)] == known):
                # Fields of documents may be called score or rank too.
                names = (*known, *(f"field {name}" for name in header.names[len(known) :]))
                roles = ("query", "doc", "rank" if what == "run" else "grade")
                return replace(header, names=names, export={role: columns[role] for role in roles if role in columns})
    return None


def _is_number(cell: str) -> bool:
    return is_decimal(cell.encode("utf-8", "surrogateescape"))


def _read(content: Content, detected: Detected, context: Context) -> ColumnBatches | SourceTable:
    header = detected.header
    context = _name_columns(context, header)
    plain = not header.export or b"\n " not in content.read()  # the core keeps the blank before a formula
    text = find_text(content.head, header, context) if context.request.is_ranking and plain else None
    table = None if text is None else read_text_table(content, text, context)
    return _read_by_reference(content, header, context) if table is None else table


def _name_columns(context: Context, header: Header) -> Context:
    return replace(context, request=context.request._replace(named=header.export)) if header.export else context


def _read_by_reference(content: Content, header: Header, context: Context) -> ColumnBatches:
    data = content.read()
    size = len(data) - len(PAD)
    raw = bytes(data[check_encoding(data, size, context.name) : size])
    text = raw.decode("utf-8", "surrogateescape")
    escaped = not text.isascii() and not is_utf8(raw)
    context = replace(context, warnings=check_end(data[-9:-8], context.name))
    stream = io.StringIO(text, newline="")
    for _ in range(header.line):
        next(stream)
    rows: Iterable[Rows] = _iterate_rows(stream, header, header.line, context.name)
    if header.export:
        rows, unrated = _drop_unrated(rows, header)
        if unrated and context.request.what == "qrels":
            text = f"no grade in {counted(unrated, 'row')} of {context.name}; the documents are unjudged"
            context = replace(context, warnings=(*context.warnings, Warned("unrated", unrated, text)))
    return _read_rows(rows, header, context, escaped=escaped)


def _drop_unrated(batches: Iterable[Rows], header: Header) -> tuple[list[Rows], int]:
    """Return the rows of an export of Quepid that have a document or a grade, and the number of the others."""
    query = header.names.index(header.export["query"])
    needed = header.names.index(header.export.get("grade", header.export["doc"]))
    kept, dropped = [], 0
    for rows, lines in batches:
        filled = [i for i, row in enumerate(rows) if row[needed].strip()]
        dropped += len(rows) - len(filled)
        for row in rows:
            row[query] = row[query].removeprefix(" ") if row[query].startswith(_FORMULA) else row[query]
        kept.append(([rows[i] for i in filled], lines[filled]))
    return kept, dropped


def _unread(content: Content, detected: Detected, read: Callable[[], Run]) -> TextRun | None:
    if detected.header.export:
        return None
    context = Context(ColumnRequest("run"), content.name)
    held = partial(_read_held, content, detected.header, context)
    return unread_text(content, find_text(content.head, detected.header, context), read, held)


def _read_held(content: Content, header: Header, context: Context) -> Run:
    return as_run(concatenate(_read_by_reference(content, header, context)))


def _read_chunks(chunks: TextChunks, header: Header, context: Context) -> Iterator[TextRun | SourceTable]:
    """Read a stretch of a file; its first line follows the header, or another line of the file."""
    chunks, lines = iter(chunks), -1
    context = _name_columns(context, header)
    for data, begin in chunks:
        begin = begin if lines < 0 else begin._replace(lines=lines)  # which counts a single CR too
        lines = begin.lines + data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
        text = find_text(None if begin.offset else data, header, context) if NATIVE and b'"' not in data else None
        if text is None:  # a cell in quotes may continue in the next chunk
            batches = _iterate_chunks(chain([(data, begin)], chunks), header, context)
            for batch in batches:
                yield concatenate(_read_rows(chain([batch], islice(batches, _BATCHES - 1)), header, context))
        elif _FILLED.search(data, text.start, len(data) - len(PAD)):
            yield unread_chunk(data, text, context.name, partial(_read_chunk, data, begin, header, context))


def _iterate_chunks(chunks: Iterator[tuple[bytes, Begin]], header: Header, context: Context) -> Iterator[Rows]:
    first = next(chunks)
    begin = first[1]
    text = islice(_decode_chunks(chain([first], chunks), context.name), 0 if begin.offset else header.line, None)
    rows = _iterate_rows(text, header, begin.lines or header.line, context.name)
    yield from _drop_unrated(rows, header)[0] if header.export else rows


def _read_chunk(data: bytes, begin: Begin, header: Header, context: Context) -> Run:
    return as_run(concatenate(_read_rows(_iterate_chunks(iter([(data, begin)]), header, context), header, context)))


def _decode_chunks(chunks: TextChunks, name: str) -> Iterator[str]:
    for data, begin in chunks:
        size = len(data) - len(PAD)
        start = check_encoding(data, size, name, begin)
        yield from io.StringIO(data[start:size].decode("utf-8", "surrogateescape"), newline="")


def _read_rows(rows: Iterable[Rows], header: Header, context: Context, *, escaped: bool | None = None) -> ColumnBatches:
    """Return rows as columns. `escaped`: some bytes are not UTF-8; None if that is not known."""
    path = context.name
    columns = find_columns(header.names, context.request, Place(path, header.line))
    position = {role: header.names.index(name) for role, name in columns.column.items()}
    lines = [np.empty(0, np.int64)]
    places = {role: (at + 1, columns.column[role]) for role, at in position.items()}

    def origin() -> Origin:
        return Origin(name=path, typed=False, line=np.concatenate(lines), column=places)

    def batches() -> Iterator[Batch]:
        for batch, numbers in rows:
            lines.append(numbers)
            yield {role: [row[at] for row in batch] for role, at in position.items()}

    if not context.request.is_ranking:
        return ColumnBatches(context, columns, batches(), origin, in_text=True)
    cells: dict[str, list[Any]] = {role: [] for role in position}
    for batch in batches():
        for role in position:
            cells[role] += batch[role]
    number = context.request.number
    if header.delimiter == ";" and number in cells and escaped is not None:  # a part of a file does not show its commas
        cells[number] = with_points(cells[number])
    for role in ("query", "doc"):
        _check_breaks(cells[role], origin(), role)
        if not is_text(cells[role]) if escaped is None else escaped:  # bytes that are not UTF-8 are kept
            if escaped and not is_text(cells[role]):
                context = replace(context, warnings=(*context.warnings, warn_encoding(cells[role], path, role)))
            cells[role] = [cell.encode("utf-8", "surrogateescape") for cell in cells[role]]
    return ColumnBatches(context, columns, [cells], origin, in_text=True)


def _iterate_rows(text: Iterator[str], header: Header, first_line: int, path: str) -> Iterator[Rows]:
    """Iterate over batches of rows with their lines; blank lines are skipped. `first_line` lines come before the text."""
    reader, width = header.reader(text), len(header.names)
    while True:
        before = reader.line_num
        try:
            rows = list(islice(reader, _BATCH))
        except csv.Error as error:
            _raise_quotes(error, Place(path, first_line + max(reader.line_num, 1)))
        if not rows:
            return
        span = np.ones(len(rows), np.int64)
        if reader.line_num - before != len(rows):  # some cells contain line breaks
            span += [sum(len(_BREAK.findall(cell)) for cell in row) for row in rows]
        lines = first_line + before + 1 + np.cumsum(span) - span
        if not all(rows):
            filled = [i for i, row in enumerate(rows) if row]
            rows, lines = [rows[i] for i in filled], lines[filled]
        if header.export:  # a query without results has only the first columns
            rows = [row + [""] * (width - len(row)) for row in rows]
        if set(map(len, rows)) - {width}:
            bad = next(i for i, row in enumerate(rows) if len(row) != width)
            raise_width(header.delimiter.join(rows[bad]), len(rows[bad]), header.names, Place(path, int(lines[bad])))
        yield rows, lines


def raise_width(line: str, count: int, names: tuple[str, ...], where: Place) -> NoReturn:
    """Raise an error for a row whose number of columns differs from that of the header."""
    hint = "check whether the file is truncated, or a cell contains an unquoted delimiter"
    problem = f"expected {len(names)} columns ({', '.join(names)}), got {count}: {shown(line)}"
    raise DataError("columns", problem, where=where, value=line, hint=hint)


def _check_breaks(cells: list[str], origin: Origin, role: str) -> None:
    """Raise at an id over two lines: two ids with a stray quote."""
    joined = "".join(cells)
    if "\n" in joined or "\r" in joined:
        row = next(i for i, cell in enumerate(cells) if _BREAK.search(cell))
        problem, hint = (
            f"the id {shown(cells[row])} contains a line break",
            "add the quote that is missing; if none is, write JSON Lines, where an id may contain a line break",
        )
        raise DataError("csv", problem, where=origin.place(row, role), value=cells[row], hint=hint)


CSV = FORMATS.add(FileFormat("CSV", 50, _detect, _read, read_chunks=_read_chunks, unread=_unread))


# ── tables that the native core reads ─────────────────────────────────────────────────────────────


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
        origin=Origin(name=context.name, typed=False, line=lines, column=text.places),
        query=GroupedIds(rows.queries, rows.query),
        doc=rows.doc,
        number=rows.number if layout["number"] >= 0 else None,
        rank=rows.rank if layout["rank"] >= 0 else None,
        aspect=rows.aspects() if layout["aspect"] >= 0 else None,
        borrowed=text.borrowed,
        checked=True,
    )
