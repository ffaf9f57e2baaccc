"""Errors that are also of the type that a tool raises, so that `except` clauses written for it still hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from judged.errors import JudgedError


def as_type(error: JudgedError, theirs: type[Exception]) -> JudgedError:
    """The same error, which is also an instance of another type.

    >>> from judged.errors import DataError
    >>> isinstance(as_type(DataError("form", "a mapping", got="a list"), TypeError), TypeError)
    True
    """
    ours = type(error)
    kind = ours if issubclass(ours, theirs) else type(ours.__name__, (ours, theirs), {})
    return kind(error.slug, error.problem, got=error.got, hint=error.hint, where=error.where, value=error.value)


@contextmanager
def raising(theirs: type[Exception]) -> Iterator[None]:
    """Raise errors of the block as `as_type` does."""
    try:
        yield
    except JudgedError as error:
        raise as_type(error, theirs) from error
