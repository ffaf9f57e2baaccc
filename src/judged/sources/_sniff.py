"""What a text file is, by its first line."""

from __future__ import annotations

from judged.sources._decimal import is_decimal
from judged.sources._encoding import Raw
from judged.sources._layout import Layout

__all__ = ["first_line", "is_trec"]

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


def is_trec(line: bytes, layout: Layout) -> bool:
    """Whether a line has the columns of a TREC file, with a number where one belongs."""
    width = len(layout.columns)
    by_blanks = [cell for cell in line.replace(b"\t", b" ").split(b" ") if cell]
    by_tabs = line.split(b"\t")
    return any(len(cells) == width and is_decimal(cells[layout.number].strip()) for cells in (by_blanks, by_tabs))
