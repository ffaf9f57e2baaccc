"""TREC files: columns of text, split by blanks, with the place of every value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged.core import Qrels, Run, Text
from judged.errors import DataError, Place, Warned, shown

__all__ = ["PREFS", "QRELS", "RUN", "Layout", "qrels_of", "run_of"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Raw = bytes | bytearray

_CHUNK = 16 << 20
_BLANK = bytes(letter in b" \t\r\n" for letter in range(256))
_TENS = 10.0 ** np.arange(18)
_DECIMAL = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITE = re.compile(rb"[+-]?inf(inity)?", re.IGNORECASE)
_LARGEST_GRADE = 2.0**53


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a kind of file."""

    what: str
    columns: tuple[str, ...]
    number: int  # the column that holds the score or grade


RUN = Layout("run", ("query", "Q0", "doc", "rank", "score", "tag"), 4)
QRELS = Layout("qrels", ("query", "0", "doc", "grade"), 3)
PREFS = Layout("preferences", ("query", "group", "subgroup", "doc", "grade"), 4)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Where the cells of some lines lie: one row a line with data, one column a field."""

    start: Ints
    length: Ints
    line: Ints | range

    def text(self, data: Bytes, column: int) -> Text:
        return Text(data, self.start[:, column], self.length[:, column])


@dataclass(frozen=True, slots=True)
class _File:
    """The columns of a file that are used: ids as text, numbers as numbers."""

    name: str
    layout: Layout
    texts: dict[int, Text]
    numbers: NDArray[np.float64]
    ranks: Ints | None
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


def run_of(data: Raw, name: str, *, extra_columns: bool = False, lenient: bool = False) -> Run:
    """A run. `lenient` reads numbers as C does, `extra_columns` allows more than six; trec_eval's ways."""
    file = _read(data, name, RUN, (0, 2), extra_columns=extra_columns, lenient=lenient)
    if not len(file):
        raise DataError("empty-run", "at least one line (query Q0 doc rank score tag)", got="none", where=name)
    queries, query = _distinct(file.texts[0])
    return Run(
        name=name,
        queries=queries,
        query=query,
        doc=file.texts[2],
        score=file.numbers,
        rank=file.ranks,
        tag=file.tag,
        where=file.place,
        warnings=_unfinished(data, name),
    )


def qrels_of(
    data: Raw, name: str, layout: Layout = QRELS, *, aspects: bool | None = None, lenient: bool = False
) -> Qrels:
    """Judgments. The second column is a subtopic when it varies, unless `aspects` says otherwise."""
    doc = layout.columns.index("doc")
    file = _read(data, name, layout, tuple(range(doc + 1)), extra_columns=False, lenient=lenient)
    if not len(file):
        columns = " ".join(layout.columns)
        raise DataError("empty-qrels", f"at least one line ({columns})", got="none", where=name)
    queries, query = _distinct(file.texts[0])
    aspect = file.texts[1]
    rows = np.arange(1, len(aspect))
    if aspects is None:
        aspects = bool(len(rows)) and not aspect.same(rows, aspect, np.zeros_like(rows)).all()
    return Qrels(
        name=name,
        queries=queries,
        query=query,
        doc=file.texts[doc],
        grade=file.numbers,
        aspect=aspect if aspects else None,
        sub=file.texts[2] if layout is PREFS else None,
        where=file.place,
        warnings=_unfinished(data, name),
    )


def _unfinished(data: Raw, name: str) -> tuple[Warned, ...]:
    if data[-9:-8] in (b"\n", b"\r"):
        return ()
    return (Warned("no-final-newline", 1, f"{name} does not end with a newline; was it cut off?"),)


# ── lines and cells ──────────────────────────────────────────────────────────────────────────────


def _read(
    data: Raw, name: str, layout: Layout, texts: tuple[int, ...], *, extra_columns: bool, lenient: bool
) -> _File:
    size = len(data) - 8
    at, line = _check_encoding(data, size, name), 1
    if data.find(b"\n", 0, size) < 0 and data.find(b"\r", 0, size) >= 0:
        data = data.replace(b"\r", b"\n")
    array = np.frombuffer(data, np.uint8)
    chunks, numbers, ranks, lines, tag = [], [np.empty(0)], [np.empty(0, np.int64)], [], ""
    while at < size:
        end = _line_end(data, at, size)
        chunk, passed = _split(data, array, at, end, line, name, layout, extra_columns)
        values = _numbers(chunk.text(array, layout.number), lenient=lenient, whole=layout is not RUN)
        if not isinstance(values, np.ndarray):
            _refuse_number(chunk, array, values, name, layout)
        numbers.append(values)
        if layout is RUN:
            ranks.append(_whole_numbers(chunk.text(array, 3)))
            if len(values):
                tag = chunk.text(array, 5)[len(values) - 1].decode("utf-8", "replace")
        lines.append(chunk.line)
        chunks.append([(chunk.start[:, c], chunk.length[:, c].astype(np.int32)) for c in texts])
        at, line = end, line + passed
    return _File(
        name,
        layout,
        {c: _joined(array, [chunk[i] for chunk in chunks]) for i, c in enumerate(texts)},
        np.concatenate(numbers),
        None if any(r is None for r in ranks) else np.concatenate(ranks),  # type: ignore[arg-type]
        lines,
        tag,
    )


def _joined(array: Bytes, cells: list[tuple[Ints, Any]]) -> Text:
    starts, lengths = ([c[i] for c in cells] or [np.empty(0, np.int64)] for i in (0, 1))
    return Text(array, np.concatenate(starts), np.concatenate(lengths))


def _line_end(data: Raw, at: int, size: int) -> int:
    """The end of a chunk of whole lines that begins at `at`."""
    if at + _CHUNK >= size:
        return size
    return (data.rfind(b"\n", at, at + _CHUNK) + 1) or (data.find(b"\n", at + _CHUNK, size) + 1) or size


def _check_encoding(data: bytes, size: int, name: str) -> int:
    """How many bytes of byte-order mark to skip."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(
            "encoding", "UTF-8 text", got="a UTF-16 byte-order mark", where=name,
            hint="convert the file: iconv -f UTF-16 -t UTF-8",
        )  # fmt: skip
    at = data.find(b"\0", 0, size)
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        raise DataError(
            "nul", "text", got=f"a NUL byte at offset {at}", where=Place(name, line), value=b"\0",
            hint="the file is damaged or not a text file",
        )  # fmt: skip
    return 3 if data[:3] == b"\xef\xbb\xbf" else 0


def _split(
    data: Raw, array: Bytes, at: int, end: int, line: int, name: str, layout: Layout, extra_columns: bool
) -> tuple[_Chunk, int]:
    """The cells of the bytes from `at` to `end`, and the number of lines passed."""
    part = array[at:end]
    blank = np.ones(len(part) + 2, bool)
    blank[1:-1] = np.frombuffer(data[at:end].translate(_BLANK), bool)
    edge = np.flatnonzero(blank[1:] != blank[:-1])
    start, stop = edge[0::2], edge[1::2]
    newline = np.flatnonzero(part == 10)
    line_end = newline if len(newline) and newline[-1] == len(part) - 1 else np.append(newline, len(part))
    count = np.diff(np.searchsorted(start, line_end), prepend=0)
    width = len(layout.columns)
    if (count == width).all():
        cells = (start + at).reshape(-1, width), (stop - start).reshape(-1, width)
        return _Chunk(*cells, range(line, line + len(count))), len(newline)

    number = line + np.arange(len(count))
    first = np.cumsum(count) - count
    line_start = np.concatenate([[0], line_end[:-1] + 1])
    head = start[np.minimum(first, len(start) - 1)] if len(start) else np.zeros_like(first)
    comment = (head == line_start) & (part[head] == ord("#"))
    data_line = (count > 0) & ~comment
    enough = count >= width if extra_columns else count == width
    cell = (first[:, None] + np.arange(width))[data_line & enough]
    starts, stops, rows = start[cell], stop[cell], number[data_line & enough]
    odd = np.flatnonzero(data_line & ~enough)
    if len(odd):
        tabbed = [_by_tabs(part, int(line_start[i]), int(line_end[i]), width) for i in odd]
        bad = [int(i) for i, cells in zip(odd, tabbed, strict=True) if cells is None]
        if bad:
            text = part[int(line_start[bad[0]]) : int(line_end[bad[0]])].tobytes()
            _refuse_line(text, Place(name, int(number[bad[0]])), int(count[bad[0]]), len(bad), layout)
        extra = np.array(tabbed, dtype=np.int64)
        rows = np.concatenate([rows, number[odd]])
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([starts, extra[:, 0]])[order]
        stops = np.concatenate([stops, extra[:, 1]])[order]
        rows = rows[order]
    return _Chunk(starts + at, stops - starts, rows), len(newline)


def _by_tabs(part: Bytes, start: int, end: int, width: int) -> tuple[list[int], list[int]] | None:
    """The cells of a line whose ids hold blanks, where tabs alone separate exactly the right number."""
    fields = part[start:end].tobytes().rstrip(b"\r").split(b"\t")
    if len(fields) != width or not all(f.strip() for f in fields):
        return None
    starts, stops = [], []
    for f in fields:
        starts.append(start + len(f) - len(f.lstrip()))
        stops.append(start + len(f.rstrip()))
        start += len(f) + 1
    return starts, stops


def _refuse_line(text: bytes, where: Place, count: int, bad: int, layout: Layout) -> NoReturn:
    wanted = f"{len(layout.columns)} columns ({' '.join(layout.columns)})"
    others = f" (and {bad - 1} more such lines)" if bad > 1 else ""
    slug, hint = "columns", "was the file cut off, or is it of another kind?"
    if (layout.what, count) in (("run", 4), ("qrels", 6)):
        slug = "swapped"
        looks = "judgments" if layout is RUN else "a run"
        hint = f"this looks like {looks}; the judgments come first, then the run"
    elif layout is RUN and count == 5:
        hint = "is the tag missing? add any word as sixth column"
    raise DataError(
        slug, f"expected {wanted}", got=f"{count}{others}: {shown(text)}", hint=hint, where=where, value=text
    )


def _distinct(ids: Text) -> tuple[Text, Ints]:
    """Each id once in order of appearance, and every row's place among them."""
    if not len(ids):
        return ids, np.empty(0, np.int64)
    rows = np.arange(1, len(ids))
    turn = np.concatenate([[0], np.flatnonzero(~ids.same(rows, ids, rows - 1)) + 1])
    seen: dict[bytes, int] = {}
    code = np.array([seen.setdefault(raw, len(seen)) for raw in ids.take(turn).tolist()], dtype=np.int64)
    return Text.of(seen), np.repeat(code, np.diff(np.append(turn, len(ids))))


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def _numbers(text: Text, *, lenient: bool, whole: bool) -> NDArray[np.float64] | int:
    """Decimal numbers; or the row of the first cell that is not one."""
    out, plain = _fixed_point(text)
    if lenient and whole:
        plain &= out == np.trunc(out)  # a decimal point ends what `atol` reads
    for row in np.flatnonzero(~plain):
        raw = text[int(row)]
        if lenient:
            out[row] = _as_c_reads_it(raw, whole=whole)
        elif _DECIMAL.fullmatch(raw) or (not whole and _INFINITE.fullmatch(raw)):
            out[row] = float(raw)
        else:
            return int(row)
        if whole and not abs(out[row]) <= _LARGEST_GRADE:
            return int(row)
    return out


def _fixed_point(text: Text) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Values of the form -12.345 with at most 15 digits, and which cells have it.

    The digits as one whole number and the power of ten are both exact, so the one division rounds
    correctly: the result is the nearest double.
    """
    width = int(min(text.length.max(initial=0), 17))
    lead = text.buffer[np.minimum(text.start, len(text.buffer) - 1)]
    negative = lead == ord("-")
    plain = (text.length <= 17) & (text.length > negative)
    mantissa = np.zeros(len(text), np.int64)
    digits = np.zeros(len(text), np.int64)
    behind = np.full(len(text), -1)  # digits behind the point; -1 before it
    for position in range(width):
        inside = text.length > position
        letter = text.buffer[np.minimum(text.start + position, len(text.buffer) - 1)]
        digit = letter.astype(np.int64) - 48
        is_digit = inside & (digit >= 0) & (digit <= 9)
        point = inside & (letter == ord(".")) & (behind < 0)
        plain &= is_digit | point | ~inside | (negative if position == 0 else False)
        mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
        digits += is_digit
        behind += (is_digit & (behind >= 0)) | point
    plain &= (digits >= 1) & (digits <= 15)
    value = mantissa / _TENS[np.maximum(behind, 0)]
    return np.where(negative, -value, value), plain


def _refuse_number(chunk: _Chunk, array: Bytes, row: int, name: str, layout: Layout) -> NoReturn:
    column, what = layout.number, layout.columns[layout.number]
    raw = chunk.text(array, column)[row]
    hint = f"a {what} is a plain decimal number such as 0.5, -3 or 1e-4"
    slug, expected = f"{what}-text", f"a {what} as a decimal number"
    if raw.strip(b"+-").lower() == b"nan":
        slug = "score-nan" if layout is RUN else "grade-type"
        hint = "NaN cannot be compared; find out where the number was lost"
    elif _DECIMAL.fullmatch(raw):
        slug, expected, hint = "grade-range", "a grade between -2**53 and 2**53", "grades are small: 0, 1, 2, 3"
    elif raw.count(b",") == 1 and _DECIMAL.fullmatch(raw.replace(b",", b".")):
        hint = "write a decimal point: " + raw.replace(b",", b".").decode()
    where = Place(name, int(chunk.line[row]), column + 1, what)
    raise DataError(slug, expected, got=shown(raw), hint=hint, where=where, value=raw)


_PREFIX = re.compile(rb"\s*[+-]?(0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*([pP][+-]?\d+)?|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|inf(inity)?|nan)?",
                     re.IGNORECASE)  # fmt: skip


def _as_c_reads_it(raw: bytes, *, whole: bool) -> float:
    """`atof` and `atol`: the longest numeric beginning, 0 where there is none."""
    if whole:
        match = re.match(rb"\s*[+-]?\d+", raw)
        return float(int(match[0])) if match else 0.0
    found = _PREFIX.match(raw)
    number = found[0].strip() if found else b""
    if re.fullmatch(rb"[+-]?", number):
        return 0.0
    text = number.decode()
    return float.fromhex(text) if "x" in text.lower() else float(text)


def _whole_numbers(text: Text) -> Ints | None:
    """A column of unsigned integers; None where any cell is something else."""
    width = int(text.length.max(initial=1))
    if width > 18:
        return None
    value = np.zeros(len(text), np.int64)
    for position in range(width):
        inside = np.flatnonzero(text.length > position) if position else slice(None)
        digit = text.buffer[text.start[inside] + position].astype(np.int64) - 48
        if ((digit < 0) | (digit > 9)).any():
            return None
        value[inside] = value[inside] * 10 + digit
    return value
