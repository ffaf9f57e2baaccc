"""Parser of TREC files: columns of text, split by blanks, with the place of every value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bytes, Ints
from judged.core.ids import IdColumn
from judged.core.tables import Qrels, Run, are_subtopics
from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io import files as limits
from judged.io.files import Raw
from judged.io.text.decimals import What, first_not_whole, is_decimal, numbers, raise_number, whole_numbers
from judged.io.text.encoding import WHOLE, Begin, check_end, raise_nul, text_start
from judged.tables.text import counted


class TrecColumns(NamedTuple):
    """The columns of a kind of TREC file."""

    what: str
    columns: tuple[str, ...]
    number: int  # index of the score or grade
    whole: bool = False  # a lenient reader takes an integer there (C's `atol`)

    @property
    def number_name(self) -> What:
        return "score" if self.columns[self.number] == "score" else "grade"


RUN = TrecColumns("run", ("query", "Q0", "doc", "rank", "score", "tag"), 4)
QRELS = TrecColumns("qrels", ("query", "0", "doc", "grade"), 3, whole=True)
PREFS = TrecColumns("preferences", ("query", "group", "subgroup", "doc", "grade"), 4)
SCORES = TrecColumns("scores", ("score",), 0)


_SECOND = re.compile(rb"qid:|\d+:[^ \t]*$")  # a query; or the first feature, if the query is missing
_INFINITE = re.compile(rb"[ \t][+-]?inf(?:inity)?[ \t]", re.IGNORECASE)
_HASHED = re.compile(rb"(?m)^#[^ \t\n]*+[ \t].*+$")
_NOT_FINITE = re.compile(rb"[+-]?(?:inf(?:inity)?|nan)", re.IGNORECASE)


def is_trec_line(line: bytes, layout: TrecColumns) -> bool:
    """Return whether a line has the columns of a TREC file, with a number as score or grade."""
    if is_letor_line(line):
        return False
    if layout is RUN:
        line = _INFINITE.sub(b" 0 ", line)
    width = len(layout.columns)
    by_blanks = [cell for cell in line.replace(b"\t", b" ").split(b" ") if cell]
    by_tabs = line.split(b"\t")
    return any(len(cells) == width and is_decimal(cells[layout.number].strip()) for cells in (by_blanks, by_tabs))


def read_hash_line(line: bytes, layout: TrecColumns) -> bool | None:
    """Return whether a line that begins with # is data: it has the columns, and a number where one belongs; None if it is unclear.

    A comment with as many words begins with # alone, and so would the query #, which no file can have.
    """
    width, by_tabs = len(layout.columns), line.rstrip(b"\r").split(b"\t")
    cells = [cell for cell in line.replace(b"\t", b" ").replace(b"\r", b" ").split(b" ") if cell]
    if len(by_tabs) == width and (len(cells) != width or b" " in line):
        cells = [cell.strip() for cell in by_tabs]
    number = cells[layout.number] if len(cells) == width and all(cells) else b""
    if not is_decimal(number) and not _NOT_FINITE.fullmatch(number):
        return False
    return None if cells[0] == b"#" else True


def warn_hash_lines(data: bytes | bytearray, layout: TrecColumns, name: str) -> Iterator[Warned]:
    """Warn of lines that begin with # and can be data.

    Those of a run need no warning: if they are taken wrongly, a query without judgments or without documents has one.
    """
    lines = [line[0] for line in _HASHED.finditer(data, 0, len(data) - 8)] if b"#" in data else []
    kinds = [read_hash_line(line, layout) for line in lines]
    for kind, fate in ((True, "read as data"), (None, "skipped as comments")):
        if count := kinds.count(kind):
            text = f"{counted(count, 'line')} of {name} beginning with # can be data or comments, {fate}"
            yield Warned("hash-lines", count, text, Hint("remove comments, or rename queries"))


def is_letor_line(line: bytes) -> bool:
    """Return whether a line is one of an SVMlight or LETOR file: a label, `qid:…`, features."""
    cells = line.split(None, 2)
    return len(cells) > 1 and is_decimal(cells[0]) and _SECOND.match(cells[1]) is not None


def raise_line(text: bytes, where: Place, count: int, layout: TrecColumns, *, other_kind: bool) -> NoReturn:
    """Raise an error for a line with a wrong number of columns; `other_kind`: the file may be of another kind."""
    plural = "s" if len(layout.columns) > 1 else ""
    problem = f"expected {len(layout.columns)} column{plural} ({' '.join(layout.columns)}), got {count}: {shown(text)}"
    short = count < len(layout.columns)
    slug, hint = (
        "columns",
        f"check whether {'the file is truncated' if short else 'an id contains a blank'}, or the file is of another kind",
    )
    if other_kind and (layout.what, count) in (("run", 4), ("qrels", 6)):
        slug = "swapped"
        looks, needed = ("judgments", "a run") if layout is RUN else ("a run", "judgments")
        hint = f"this looks like {looks}, not {needed}; where both are needed, the judgments come first"
    elif layout is RUN and count == 5:
        hint = "if the tag is missing, add any word as a sixth column"
    raise DataError(slug, problem, hint=hint, where=where, value=text)


def raise_alone(name: str) -> NoReturn:
    """Raise an error: scores without ids need labels."""
    hint = "pass the labels too, in the same order: evaluate('test.letor', 'scores.txt'), or read_run(…, labels='test.letor')"
    raise DataError("form", "a column of scores has no query and document ids", where=name, hint=hint)


_CHUNK = 2 << 20  # what one chunk needs stays in the processor's cache
_EMPTY = "check the path, and that the file is not empty"
_BLANK = bytes(letter in b" \t\r\n" for letter in range(256))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _Chunk:
    """Positions of the cells of some lines: one row per line with data, one column per field."""

    start: Ints
    length: Ints
    line: Ints | range
    passed: int  # newlines

    def text(self, data: Bytes, column: int) -> IdColumn:
        return IdColumn(data, self.start[:, column], self.length[:, column])


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _File:
    """The columns of a file that are used: ids as text, numbers as numbers."""

    name: str
    layout: TrecColumns
    texts: dict[int, IdColumn]
    numbers: NDArray[np.float64]
    ranks: Ints | None
    wrong_rank: tuple[int, bytes] | None  # row and cell
    lines: list[Ints | range]
    tag: str

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, row: int) -> Place:
        for lines in self.lines:
            if row < len(lines):
                return Place(self.name, int(lines[row]))
            row -= len(lines)
        raise IndexError(row)


def parse_run(
    data: Raw, name: str, *, extra_columns: bool = False, lenient: bool = False, begin: Begin | None = None
) -> Run:
    """Parse a run. As trec_eval, `lenient` reads numbers as C does, `extra_columns` allows more than six.

    With `begin` the data are a stretch of a file, which may have no line with data.
    """
    file = _read(data, name, RUN, (0, 2), extra_columns=extra_columns, lenient=lenient, begin=begin or WHOLE)
    if not len(file) and begin is None:
        raise DataError(
            "empty-run", f"the file has no rankings (lines of {' '.join(RUN.columns)})", hint=_EMPTY, where=name
        )
    queries, query = _distinct(file.texts[0])
    wrong = file.wrong_rank and (file.place(file.wrong_rank[0]), shown(file.wrong_rank[1]))
    return Run(
        name=name,
        wrong_rank=wrong,
        queries=queries,
        query=query,
        doc=file.texts[2],
        score=file.numbers,
        rank=file.ranks,
        tag=file.tag,
        where=file.place,
        warnings=check_end(data[-9:-8], name),
    )


def parse_qrels(
    data: Raw, name: str, layout: TrecColumns = QRELS, *, aspects: bool | None = None, lenient: bool = False
) -> Qrels:
    """Parse judgments. `aspects` says whether the second column is a subtopic; by default `are_subtopics` decides."""
    doc = layout.columns.index("doc")
    file = _read(data, name, layout, tuple(range(doc + 1)), extra_columns=False, lenient=lenient)
    if not len(file):
        raise DataError(
            "empty-qrels", f"the file has no judgments (lines of {' '.join(layout.columns)})", hint=_EMPTY, where=name
        )
    queries, query = _distinct(file.texts[0])
    aspect = file.texts[1]
    if aspects is None:
        aspects = are_subtopics(aspect)
    return Qrels(
        name=name,
        queries=queries,
        query=query,
        doc=file.texts[doc],
        grade=file.numbers,
        aspect=aspect if aspects else None,
        sub=file.texts[2] if layout is PREFS else None,
        where=file.place,
        warnings=(*check_end(data[-9:-8], name), *(() if lenient else warn_hash_lines(data, layout, name))),
    )


def parse_scores(data: Raw, name: str) -> ScoreColumn:
    """Parse one score per line; blank lines and lines that begin with # are skipped."""
    file = _read(data, name, SCORES, (), extra_columns=False, lenient=False)
    read, warnings = partial(raise_alone, name), check_end(data[-9:-8], name)
    return ScoreColumn(name=name, read=read, score=file.numbers, where=file.place, warnings=warnings)


def raise_text(text: bytes, name: str, offset: int, line: int, *, first: bool) -> NoReturn:
    """Raise the error of one line of a run, which begins at this byte; `first`: it is the first line with data."""
    data = text + bytes(8)
    part = _Part(data, np.frombuffer(data, np.uint8), 0, len(text), line, name, RUN, offset=offset)
    part.read(first=first)
    raise AssertionError(text)


# ── lines and cells ──────────────────────────────────────────────────────────────────────────────


def _read(
    data: Raw,
    name: str,
    layout: TrecColumns,
    texts: tuple[int, ...],
    *,
    extra_columns: bool,
    lenient: bool,
    begin: Begin = WHOLE,
) -> _File:
    size = len(data) - 8
    at, line = text_start(data, name, begin), begin.lines + 1
    if not begin.offset and data.find(b"\n", 0, size) < 0 and data.find(b"\r", 0, size) >= 0:
        data = data.replace(b"\r", b"\n")
    array = np.frombuffer(data, np.uint8)
    ranks: list[Ints | None] = [np.empty(0, np.int64)]
    wrong: tuple[int, bytes] | None = None
    chunks, parts, lines, tag = [], [np.empty(0)], [], ""
    while at < size:
        ways = (extra_columns, lenient, begin.offset)
        part = _Part(data, array, at, _line_end(data, at, size), line, name, layout, *ways)
        chunk, values = part.read(first=not begin.offset and not any(map(len, parts)))
        parts.append(values)
        if layout is RUN:
            cells = chunk.text(array, 3)
            ranks.append(whole_numbers(cells))
            if ranks[-1] is None and wrong is None:
                wrong = first_not_whole(cells, sum(map(len, parts[:-1])))
            if len(values):
                tag = chunk.text(array, 5)[len(values) - 1].decode("utf-8", "surrogateescape")
        lines.append(chunk.line)
        chunks.append([(chunk.start[:, c], chunk.length[:, c].astype(np.int32)) for c in texts])
        at, line = part.end, line + chunk.passed
    columns = {c: _join(array, [chunk[i] for chunk in chunks]) for i, c in enumerate(texts)}
    return _File(name, layout, columns, np.concatenate(parts), _all(ranks), wrong, lines, tag)


def _all(ranks: list[Ints | None]) -> Ints | None:
    known = [part for part in ranks if part is not None]
    return np.concatenate(known) if len(known) == len(ranks) else None


def _join(array: Bytes, cells: list[tuple[Ints, Any]]) -> IdColumn:
    starts, lengths = ([c[i] for c in cells] or [np.empty(0, np.int64)] for i in (0, 1))
    return IdColumn(array, np.concatenate(starts), np.concatenate(lengths))


def _line_end(data: Raw, at: int, size: int) -> int:
    """Return the end of a chunk of whole lines that begins at `at`."""
    if at + _CHUNK >= size:
        return size
    return (data.rfind(b"\n", at, at + _CHUNK) + 1) or (data.find(b"\n", at + _CHUNK, size) + 1) or size


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class _Part:
    """The bytes from `at` to `end`, which are whole lines; `line` is the number of the first."""

    data: Raw
    array: Bytes
    at: int
    end: int
    line: int
    name: str
    layout: TrecColumns
    extra_columns: bool = False
    lenient: bool = False
    offset: int = 0  # of the data in its file

    def read(self, *, first: bool) -> tuple[_Chunk, NDArray[np.float64]]:
        """Return the cells and numbers; of several errors, the one on the earliest line is reported.

        `first`: no line with data comes before.
        """
        if self.end - self.at > max(limits.LONGEST_LINE, _CHUNK):
            limits.raise_long_line(Place(self.name, self.line))
        nul = self.data.find(b"\0", self.at, self.end)
        good = self.end if nul < 0 else self.data.rfind(b"\n", self.at, nul) + 1 or self.at
        chunk, trouble = self._split(good, first=first)
        layout = self.layout
        whole = layout.whole if self.lenient else layout.number_name == "grade"
        values = numbers(chunk.text(self.array, layout.number), lenient=self.lenient, whole=whole)
        if not isinstance(values, np.ndarray):
            where = Place(self.name, int(chunk.line[values]), layout.number + 1, layout.number_name)
            raise_number(chunk.text(self.array, layout.number)[values], where, layout.number_name)
        if trouble is not None:
            trouble()
        if nul >= 0:
            raise_nul(self.name, self.offset + nul, self.line + chunk.passed)
        return chunk, values

    def _split(self, end: int, *, first: bool) -> tuple[_Chunk, Callable[[], NoReturn] | None]:
        """Return the cells up to `end`, and a function that reports the first line of another width."""
        part = self.array[self.at : end]
        if not len(part):
            nothing = np.empty((0, len(self.layout.columns)), np.int64)
            return _Chunk(nothing, nothing, range(0), 0), None
        blank = np.ones(len(part) + 2, bool)
        blank[1:-1] = np.frombuffer(self.data[self.at : end].translate(_BLANK), bool)
        edge = np.flatnonzero(blank[1:] != blank[:-1])
        start, stop = edge[0::2], edge[1::2]
        newline = np.flatnonzero(part == 10)
        line_end = newline if len(newline) and newline[-1] == len(part) - 1 else np.append(newline, len(part))
        count = np.diff(np.searchsorted(start, line_end), prepend=0)
        width = len(self.layout.columns)
        line_start = np.concatenate([[0], line_end[:-1] + 1])
        tabbed_line = _cells_by_tabs(part, line_start, line_end, count, width) & (not self.lenient)
        if (count == width).all() and not tabbed_line.any() and not (part[line_start[: len(count)]] == ord("#")).any():
            cells = (start + self.at).reshape(-1, width), (stop - start).reshape(-1, width)
            return _Chunk(*cells, range(self.line, self.line + len(count)), len(newline)), None

        number = self.line + np.arange(len(count))
        head = np.cumsum(count) - count
        lead = start[np.minimum(head, len(start) - 1)] if len(start) else np.zeros_like(head)
        comment = (lead == line_start) & (part[lead] == ord("#"))
        if not self.lenient:
            for i in np.flatnonzero(comment & (count > 1)):  # one word is a comment
                comment[i] = not read_hash_line(part[int(line_start[i]) : int(line_end[i])].tobytes(), self.layout)
        data_line = (count > 0) & ~comment
        enough = count >= width if self.extra_columns else (count == width) & ~tabbed_line
        odd = np.flatnonzero(data_line & ~enough)
        tabbed = [_by_tabs(part, int(line_start[i]), int(line_end[i]), width) for i in odd]
        bad = next((int(i) for i, cells in zip(odd, tabbed, strict=True) if cells is None), len(count))
        trouble = None
        if bad < len(count):
            text, where = part[int(line_start[bad]) : int(line_end[bad])].tobytes(), Place(self.name, int(number[bad]))
            other = (
                first and not data_line[:bad].any()
            )  # one short line among valid ones is a truncated line, not another format
            trouble = partial(raise_line, text, where, int(count[bad]), self.layout, other_kind=other)
        data_line[bad:] = False
        extra = np.array(tabbed[: int((odd < bad).sum())], dtype=np.int64).reshape(-1, 2, width)
        cell = (head[:, None] + np.arange(width))[data_line & enough]
        rows = np.concatenate([number[data_line & enough], number[odd[: len(extra)]]])
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([start[cell], extra[:, 0]])[order]
        stops = np.concatenate([stop[cell], extra[:, 1]])[order]
        return _Chunk(starts + self.at, stops - starts, rows[order], len(newline)), trouble


def _cells_by_tabs(part: Bytes, start: Ints, end: Ints, count: Ints, width: int) -> NDArray[np.bool_]:
    """Return which lines have exactly the tabs that separate their columns, and blanks too, which belong to ids there."""
    tab = np.flatnonzero(part == 9)
    if not len(tab):
        return np.zeros(len(count), bool)
    tabs = np.searchsorted(tab, end) - np.searchsorted(tab, start)
    space = np.flatnonzero(part == 32)
    spaces = np.searchsorted(space, end) - np.searchsorted(space, start)
    return (tabs == width - 1) & (spaces > 0) & (count > 0)


def _by_tabs(part: Bytes, start: int, end: int, width: int) -> tuple[list[int], list[int]] | None:
    """Return the cells of a line whose ids contain blanks, if tabs separate exactly the right number."""
    fields = part[start:end].tobytes().rstrip(b"\r").split(b"\t")
    if len(fields) != width or not all(f.strip() for f in fields):
        return None
    starts, stops = [], []
    for f in fields:
        starts.append(start + len(f) - len(f.lstrip()))
        stops.append(start + len(f.rstrip()))
        start += len(f) + 1
    return starts, stops


def _distinct(ids: IdColumn) -> tuple[IdColumn, Ints]:
    """Return each id once in order of appearance, and the index of every row's id."""
    if not len(ids):
        return ids, np.empty(0, np.int64)
    rows = np.arange(1, len(ids))
    turn = np.concatenate([[0], np.flatnonzero(~ids.same(rows, ids, rows - 1)) + 1])
    seen: dict[bytes, int] = {}
    code = np.array([seen.setdefault(raw, len(seen)) for raw in ids.take(turn).tolist()], dtype=np.int64)
    return IdColumn.of(seen), np.repeat(code, np.diff(np.append(turn, len(ids))))
