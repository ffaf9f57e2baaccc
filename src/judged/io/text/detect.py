"""What a text file is, by its first line."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from judged.io.files.source import PAD, Source, compression
from judged.io.text.decimals import is_decimal
from judged.io.text.encoding import Raw
from judged.io.text.trec_columns import TrecColumns

__all__ = ["first_line", "is_letor", "is_score", "is_trec", "may_be_letor"]

_SECOND = re.compile(rb"qid:|\d+:[^ \t]*$")  # a query; or the first feature, where the query is missing
_SCORE = re.compile(rb"[+-]?(?:inf(?:inity)?|nan)", re.IGNORECASE)
_FAR = 1 << 16  # no header is longer, and no line of a TREC file that is looked at


def first_line(data: Raw) -> tuple[bytes, int]:
    """The first line that is neither blank nor a comment, and its number; cut where it is very long."""
    size, number = len(data) - 8, 1
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    ending = b"\n" if data.find(b"\n", 0, size) >= 0 else b"\r"
    while at < size:
        end = data.find(ending, at, size)
        end = size if end < 0 else end
        line = bytes(data[at : min(end, at + _FAR)]).strip(b" \t\r")
        if line and not line.startswith(b"#"):
            return line, number
        at, number = end + 1, number + 1
    return b"", number


def is_trec(line: bytes, layout: TrecColumns) -> bool:
    """Whether a line has the columns of a TREC file, with a number where one belongs."""
    if is_letor(line):
        return False
    width = len(layout.columns)
    by_blanks = [cell for cell in line.replace(b"\t", b" ").split(b" ") if cell]
    by_tabs = line.split(b"\t")
    return any(len(cells) == width and is_decimal(cells[layout.number].strip()) for cells in (by_blanks, by_tabs))


def is_letor(line: bytes) -> bool:
    """Whether a line is one of an SVMlight or LETOR file: a label, `qid:…`, features."""
    cells = line.split(None, 2)
    return len(cells) > 1 and is_decimal(cells[0]) and _SECOND.match(cells[1]) is not None


def is_score(line: bytes) -> bool:
    """Whether a line is a score and nothing else."""
    return is_decimal(line) or _SCORE.fullmatch(line) is not None


def may_be_letor(source: Source) -> bool:
    """Whether a file on disk begins as an SVMlight or LETOR file does, or is compressed and may."""
    if source == "-":
        return False
    path = Path(os.fsdecode(source))
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as raw:
            head = raw.read(_FAR)
    except (OSError, ValueError):
        return False  # whoever reads it says why
    return compression(head) is not None or is_letor(first_line(head + PAD)[0])
