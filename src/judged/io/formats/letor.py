"""SVMlight and LETOR files, `label qid:… features # document`, as judgments.

Features are skipped, so their number costs nothing. The file is read in pieces and need not fit into memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.core.ids import IdColumn
from judged.core.tables import Qrels
from judged.core.unread_runs import ScoreColumn, read_rows
from judged.errors import DataError, Place, shown
from judged.io.columns import ColumnRequest
from judged.io.files import Content, limit_text
from judged.io.formats.registry import FORMATS, Detected, FileFormat
from judged.io.origin import Context
from judged.io.text.decimals import LARGEST_GRADE, is_decimal, raise_number
from judged.io.text.encoding import check_end, text_start
from judged.io.text.lines import Head, find_ending
from judged.io.text.trec import is_letor_line, parse_scores

_BLOCK = 1 << 20
_LINE = "label qid:… features # document"
# Nearly every line begins like this; the others are parsed one by one.
_USUAL = re.compile(rb"([+-]?+\d{1,15}+(?:\.\d{0,12}+)?+) qid:([^ \t\r#\n]++)")
_START = re.compile(rb"[ \t]*+([+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+)[ \t]++qid:([^ \t\r#]++)")
# LETOR writes `#docid = G00-1 inc = 1`, SVMlight's own example `# 1A`, others `# docid:7`, `#docid 7` or `# 7 its query`.
_DOC = re.compile(
    rb"[ \t]*+(?:(?:docid|doc_id|docno)(?:[ \t]*+[=:][ \t]*+|[ \t]++)|(?:doc|did|id)[ \t]*+[=:][ \t]*+)?+([^ \t\r]++)",
    re.IGNORECASE,
)


def _is_letor(head: Head, request: ColumnRequest) -> bool:
    return request.is_ranking and not request.named and is_letor_line(head.line)


@dataclass(slots=True)
class _Rows:
    """The rows read so far: one per line with a label."""

    name: str
    codes: dict[bytes, int] = field(default_factory=dict)  # of queries, in order of appearance
    query: list[Ints] = field(default_factory=lambda: [np.empty(0, np.int64)])
    grade: list[Floats] = field(default_factory=lambda: [np.empty(0)])
    doc: list[IdColumn] = field(default_factory=lambda: [IdColumn.of([])])
    passed: list[int] = field(default_factory=list)  # numbers of the other lines

    def add(self, block: bytes, first: int) -> int:
        """Read a block of whole lines, of which the first has this number; return their count."""
        count = block.count(b"\n")
        rows = read_rows(np.frombuffer(block, np.uint8), 0, {"source": "letor", "line": first})
        if rows is None:
            self._add_by_reference(block, first)
        else:
            codes = [self.codes.setdefault(qid, len(self.codes)) for qid in rows.queries.tolist()]
            self._append(np.array(codes, np.int64)[rows.query], rows.number, rows.doc)
        return count

    def _append(self, query: Ints, grade: Floats, doc: IdColumn) -> None:
        self.query.append(query)
        self.grade.append(grade)
        self.doc.append(doc)

    def _add_by_reference(self, block: bytes, first: int) -> None:
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")).tolist()
        starts = [0, *(end + 1 for end in ends[:-1])]
        found = list(map(_USUAL.match, repeat(block), starts))
        lines: Sequence[int] = range(first, first + len(ends))
        if None in found:
            for i, match in enumerate(found):
                found[i] = match or _unusual(block, starts[i], ends[i], Place(self.name, first + i))
            self.passed += [line for line, match in zip(lines, found, strict=True) if match is None]
            lines = [line for line, match in zip(lines, found, strict=True) if match is not None]
        rows = [match.groups() for match in found if match is not None]
        codes = [self.codes.setdefault(qid, len(self.codes)) for _, qid in rows]
        docs: Iterator[bytes | None] = repeat(None, len(rows))
        if b"#" in block:
            docs = (_doc(block, m.end(), end) for m, end in zip(found, ends, strict=True) if m is not None)
        ids = IdColumn.of(b"%d" % line if doc is None else doc for line, doc in zip(lines, docs, strict=True))
        self._append(np.array(codes, np.int64), np.array([float(label) for label, _ in rows]), ids)

    def lines(self) -> range | NDArray[np.int64]:
        """Return the number of each row's line."""
        every = range(1, sum(map(len, self.grade)) + len(self.passed) + 1)
        return np.delete(np.array(every), np.array(self.passed) - 1) if self.passed else every


def _read_letor(content: Content, detected: Detected, context: Context) -> Qrels:
    if context.request.what != "qrels":
        hint, where = "pass the judgments first, then the run", Place(content.name, detected.head.number)
        raise DataError("swapped", "labels with features (label qid:…) cannot be a run", hint=hint, where=where)
    rows, line, last = _Rows(content.name), 1, b"\n"
    for block in _blocks(content):
        last = block[-1:]
        line += rows.add(block if last == b"\n" else block + b"\n", line)
    return Qrels(
        name=content.name,
        queries=IdColumn.of(rows.codes),
        query=np.concatenate(rows.query),
        doc=IdColumn.concatenate(rows.doc),
        grade=np.concatenate(rows.grade),
        where=partial(_place, content.name, rows.lines()),
        warnings=check_end(last, content.name),
    )


def _place(name: str, lines: range | NDArray[np.int64], row: int) -> Place:
    return Place(name, int(lines[row]))


def _blocks(content: Content) -> Iterator[bytes]:
    """Iterate over blocks of whole lines, each ended by LF; the last line is unchanged."""
    parts, ending = find_ending(limit_text(content.parts, content.name, content.tell, nul=True))
    skip, size, held = text_start(content.head, content.name), 0, list[bytes]()
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= _BLOCK and ending in part:
            block = b"".join(held)
            cut = block.rfind(ending) + 1
            yield _with_newlines(block[skip:cut], ending)
            skip, size, held = 0, len(block) - cut, [block[cut:]]
    if rest := b"".join(held)[skip:]:
        yield _with_newlines(rest, ending)


def _with_newlines(text: bytes, ending: bytes) -> bytes:
    return text if ending == b"\n" else text.replace(ending, b"\n")


def _doc(block: bytes, start: int, end: int) -> bytes | None:
    """Return the document that the comment between two positions names."""
    note = block.find(b"#", start, end)
    match = _DOC.match(block, note + 1, end) if note >= 0 else None
    return match and match[1]


def _unusual(block: bytes, start: int, end: int, where: Place) -> re.Match[bytes] | None:
    """Return the label and the query of a line; None for blank lines and comments; raise for every other line."""
    match = _START.match(block, start, end)
    if match and abs(float(match[1])) <= LARGEST_GRADE:
        return match
    cells = block[start:end].partition(b"#")[0].split()
    if not cells:
        return None
    if match or not is_decimal(cells[0]):
        raise_number(cells[0], Place(where.path, where.line, 1, "label"), "grade")
    second = cells[1] if len(cells) > 1 else b""
    raise DataError(
        "columns",
        f"expected the query after the label ({_LINE}), got {shown(second) if second else 'nothing'}",
        hint="add the query to each line: 2 qid:7 1:0.5 …",
        where=Place(where.path, where.line, 2, "query"),
        value=second,
    )


LETOR = FORMATS.add(FileFormat("LETOR", 30, _is_letor, _read_letor))


# ── one score per line ────────────────────────────────────────────────────────────────────────────


_NOT_FINITE = re.compile(rb"[+-]?(?:inf(?:inity)?|nan)", re.IGNORECASE)


def _is_scores(head: Head, request: ColumnRequest) -> bool:
    number = is_decimal(head.line) or _NOT_FINITE.fullmatch(head.line) is not None
    return request.is_ranking and not request.named and number


def _read_scores(content: Content, detected: Detected, context: Context) -> ScoreColumn:
    if context.request.what == "run":
        return parse_scores(content.read(), content.name)
    raise DataError(
        "swapped",
        "a column of scores cannot be judgments",
        hint="pass the judgments first, then the run",
        where=Place(content.name, detected.head.number),
    )


SCORES = FORMATS.add(FileFormat("scores", 31, _is_scores, _read_scores))
