"""The exception tree, and the counted warning: every outcome that is not a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

__all__ = ["DataError", "EngineError", "FileError", "JudgedError", "Place", "UsageError", "Warned", "safe", "shown"]


def shown(value: object, width: int = 60) -> str:
    """A value as a reader may see it: quoted, control characters escaped, cut to a width."""
    if isinstance(value, int) and value.bit_length() > 4 * width:
        return f"a whole number of {value.bit_length()} bits"  # Python refuses to write out the longest
    text = repr(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def safe(text: str) -> str:
    """Text that cannot move a terminal's cursor: control characters are shown escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was found: a file with its line and column, or an object with a key."""

    path: str
    line: int | None = None
    column: int | None = None
    column_name: str | None = None

    def __str__(self) -> str:
        text = safe(self.path)
        if self.line is not None:
            text += f":{self.line}"
        if self.column is not None:
            name = f" ({self.column_name})" if self.column_name else ""
            text += f": column {self.column}{name}"
        return text


class JudgedError(Exception):
    """`<where>: <what was expected>; got <what came>.`, a hint with one action, and a slug.

    The slug has a place in the docs (`docs/errors.md`); all parts are attributes.
    """

    exit_code = 2

    def __init__(
        self,
        slug: str,
        expected: str,
        *,
        got: str | None = None,
        hint: str | None = None,
        where: Place | str | None = None,
        value: object = None,
    ) -> None:
        self.slug, self.expected, self.got, self.hint = slug, expected, got, hint
        self.where = Place(where) if isinstance(where, str) else where
        self.value = value
        super().__init__(self._sentence())

    def __reduce__(self) -> tuple[Any, ...]:
        """As its parts, so that it comes back whole from another process."""
        value = self.value if isinstance(self.value, str | bytes | int | float | None) else shown(self.value)
        named: dict[str, Any] = {"got": self.got, "hint": self.hint, "where": self.where, "value": value}
        return partial(type(self), self.slug, self.expected, **named), ()

    def _sentence(self) -> str:
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{self._message()}{hint}  [{self.slug}]"

    def _message(self) -> str:
        place = f"{self.where}: " if self.where else ""
        if not self.got:
            return f"{place}{self.expected}."
        return f"{place}expected {self.expected.removeprefix('expected ')}; got {self.got}."

    def fields(self) -> dict[str, object]:
        """The parts as plain data, for `--format json`."""
        place = self.where or Place("")
        return {
            "code": self.slug,
            "path": place.path or None,
            "line": place.line,
            "column": place.column,
            "column_name": place.column_name,
            "value": self.value if isinstance(self.value, str | None) else shown(self.value).strip("'"),
            "message": self._message(),
            "hint": self.hint,
        }


class DataError(JudgedError, ValueError):
    """The judgments or rankings hold something that cannot be used."""


class UsageError(JudgedError, ValueError):
    """A wrong call: an unknown measure, a parameter out of range, a policy that does not exist."""


class FileError(JudgedError, OSError):
    """A file that cannot be opened, read or written."""

    exit_code = 3


class EngineError(JudgedError, RuntimeError):
    """What carries out the work could not: a lost cluster, a worker that died."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Warned:
    """Something worth knowing that does not spoil the value: a slug, a count, a sentence."""

    slug: str
    count: int
    text: str

    def __str__(self) -> str:
        return f"{self.text}  [{self.slug}]"
