"""Errors that are also of the type that a tool raises, so that `except` clauses written for it still hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn

from judged.errors import JudgedError, UsageError


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


def left_out(module: str, name: str, names: str, hint: str, theirs: type[Exception] = ImportError) -> NoReturn:
    """Raise an error for one of `names`, which a drop-in leaves out on purpose; an AttributeError for any other name."""
    if name not in names.split():
        raise AttributeError(f"{module!r} has no attribute {name!r}")
    error = UsageError("left-out", f"this drop-in leaves out {name} on purpose", hint=hint, where=module)
    raise as_type(error, theirs)


class Partial:
    """A class of a tool without those of its attributes that `_lacks` names; `_instead` says what to do."""

    _lacks: ClassVar[str] = ""
    _instead: ClassVar[str] = ""

    def __getattr__(self, name: str) -> Any:
        left_out(type(self).__name__, name, self._lacks, self._instead, AttributeError)


class Closed(Partial):
    """A class that programs use, and cannot extend."""

    def __init_subclass__(cls) -> None:
        if not cls.__module__.startswith("judged."):
            left_out(
                cls.__mro__[1].__name__,
                "subclasses",
                "subclasses",
                "use define_byquery, or ir_measures itself",
                TypeError,
            )
