"""Errors that are also of the type that a tool raises, so that `except` clauses written for it still hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from judged.errors import JudgedError


def as_type(error: JudgedError, theirs: type[Exception]) -> JudgedError:
    """The same error, which is also an instance of another type.

    >>> from judged.errors import DataError
    >>> isinstance(as_type(DataError("form", "a mapping", got="a list"), TypeError), TypeError)
    True
    """
    if isinstance(error, theirs):
        return error
    ours = type(error)
    again = lambda self: (as_type, (ours(**self.parts()), theirs))  # noqa: E731 - the class cannot be found by its name
    return type(ours.__name__, (ours, theirs), {"__reduce__": again})(**error.parts())


@contextmanager
def raising(theirs: type[Exception]) -> Iterator[None]:
    """Raise errors of the block as `as_type` does."""
    try:
        yield
    except JudgedError as error:
        raise as_type(error, theirs) from error


def whole(grade: float) -> Any:
    """The grade as an integer, if it is one."""
    return int(grade) if grade.is_integer() else grade
