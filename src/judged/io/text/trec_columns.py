"""The columns of TREC files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from judged.errors import DataError, Hint, Place, Warned, shown
from judged.io.text.decimals import What, is_decimal
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
    raise DataError("scores-alone", "a column of scores has no query and document ids", where=name, hint=hint)
