"""The columns of TREC files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from judged.errors import DataError, Place, shown
from judged.io.text.decimals import What, is_decimal


@dataclass(frozen=True, slots=True)
class TrecColumns:
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


def is_letor_line(line: bytes) -> bool:
    """Return whether a line is one of an SVMlight or LETOR file: a label, `qid:…`, features."""
    cells = line.split(None, 2)
    return len(cells) > 1 and is_decimal(cells[0]) and _SECOND.match(cells[1]) is not None


def raise_line(text: bytes, where: Place, count: int, layout: TrecColumns, *, other_kind: bool) -> NoReturn:
    """Raise an error for a line with a wrong number of columns; `other_kind`: the file may be of another kind."""
    plural = "s" if len(layout.columns) > 1 else ""
    problem = f"expected {len(layout.columns)} column{plural} ({' '.join(layout.columns)}), got {count}: {shown(text)}"
    slug, hint = "columns", "check whether the file is truncated, or is of another kind"
    if other_kind and (layout.what, count) in (("run", 4), ("qrels", 6)):
        slug = "swapped"
        looks = "judgments" if layout is RUN else "a run"
        hint = f"this looks like {looks}; the judgments come first, then the run"
    elif layout is RUN and count == 5:
        hint = "if the tag is missing, add any word as a sixth column"
    raise DataError(slug, problem, hint=hint, where=where, value=text)


def raise_alone(name: str) -> NoReturn:
    """Raise an error: scores without ids need labels."""
    hint = "pass the labels too, in the same order: evaluate('test.letor', 'scores.txt'), or read_run(…, labels='test.letor')"
    raise DataError("scores-alone", "a column of scores has no query and document ids", where=name, hint=hint)
