"""Limits against files that are not text, and against decompression bombs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NoReturn

import numpy as np

from judged.errors import DataError, Place
from judged.io.text.encoding import is_wide, raise_nul

LONGEST_LINE = 64 << 20
LONGEST_BLANK = 1 << 20  # blank lines of a compressed file: they compress best, and each takes as long as one with data
LARGEST_RATIO = 200  # text expands 3 to 20 times, a bomb 1,000 times
ARROW_STREAM = b"\xff\xff\xff\xff"  # before each message of an Arrow stream
_COLUMNAR = (b"PAR1", b"ARROW1", ARROW_STREAM)  # files that are not text
_BLANKS = b" \t\r\n"


def limit_text(
    parts: Iterator[bytes], name: str, tell: Callable[[], int] | None = None, *, nul: bool = False
) -> Iterator[bytes]:
    """Iterate over the content of a file; raise before text that no file has fills the memory.

    That is a line longer than `LONGEST_LINE`, NUL bytes, and in a compressed file blank lines beyond `LONGEST_BLANK` and more text than
    it can expand to. JSON may be one long line. Parquet and Arrow files pass.

    Args:
        parts: pieces of the content, decompressed.
        name: the file.
        tell: number of compressed bytes taken so far; None if the file is not compressed.
        nul: raise at the first NUL byte; otherwise the parser does, which may find another error before it.
    """
    total = since_newline = blank = line = 0
    text = json = True
    for part in filter(None, parts):
        if not total:
            text, json = not part.startswith(_COLUMNAR), part[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
            nul = nul and not is_wide(part)  # UTF-16 has an error of its own
        if text:
            if (nul or total > LONGEST_LINE) and (at := part.find(b"\0")) >= 0:
                raise_nul(name, total + at, line + part.count(b"\n", 0, at) + 1)
            total += len(part)
            end = max(part.rfind(b"\n"), part.rfind(b"\r"))
            since_newline = len(part) - end - 1 if end >= 0 else since_newline + len(part)
            filled = len(part.rstrip(_BLANKS))
            blank = len(part) - filled if filled else blank + len(part)
            line += int(
                np.count_nonzero(np.frombuffer(part, np.uint8) == ord("\n"))
            )  # six times as fast as bytes.count
            plausible = total <= LONGEST_LINE or tell is None or total < LARGEST_RATIO * tell()
            if tell is not None and blank - since_newline > LONGEST_BLANK:
                problem, hint = f"there are more than {LONGEST_BLANK >> 20} MB of blank lines", "remove them"
                raise DataError("too-large", problem, where=Place(name, line + 1), hint=hint)
            if since_newline > LONGEST_LINE and not (json and plausible):
                raise_long_line(Place(name, line + 1))
            if not plausible:
                problem = f"the compressed file expands more than {LARGEST_RATIO} times"
                raise DataError("too-large", problem, where=name, hint="if its content is right, decompress it first")
        yield part


def raise_long_line(where: Place) -> NoReturn:
    hint = "check that this is a text file"
    raise DataError("too-large", f"a line is longer than {LONGEST_LINE >> 20} MB", where=where, hint=hint)
