"""Limits against files that are not text, and against decompression bombs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from judged.errors import DataError, Place

LONGEST_LINE = 64 << 20
LARGEST_RATIO = 200  # text expands 3 to 20 times, a bomb 1,000 times


def is_plausible(total: int, tell: Callable[[], int] | None) -> bool:
    """Return whether text can expand to this many bytes from the compressed bytes taken so far."""
    return tell is None or total < LARGEST_RATIO * tell()


def raise_long_line(where: Place) -> NoReturn:
    hint = "check that this is a text file"
    raise DataError("too-large", f"a line is longer than {LONGEST_LINE >> 20} MB", where=where, hint=hint)
