"""Renamed names and arguments: the old ones work until the version in which they are removed, and warn.

`RELEASING.md` says how long that is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def renamed_arguments(removed: str, **names: str) -> Callable[[F], F]:
    """Accept keyword arguments of a function under their old names too.

    >>> @renamed_arguments("9.0", cutoff="k")
    ... def largest(numbers, *, k):
    ...     return sorted(numbers)[-k:]
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     largest([3, 1, 2], cutoff=2)
    [2, 3]
    >>> print(caught[0].message)
    cutoff= of largest() is deprecated and will be removed in judged 9.0. Use k=.

    Args:
        removed: the version that no longer accepts the old names.
        names: old names with the new ones.
    """

    def decorate(function: F) -> F:
        @wraps(function)
        def called(*args: Any, **options: Any) -> Any:
            given = {names[old]: options.pop(old) for old in names.keys() & options.keys()}
            for old, new in names.items():
                if new in given and new in options:
                    raise TypeError(
                        f"{function.__name__}() got multiple values for argument {new!r}, which was {old!r}"
                    )
                if new in given:
                    _warn(f"{old}= of {function.__name__}()", f"{new}=", removed)
            return function(*args, **options, **given)

        return cast("F", called)

    return decorate


def renamed_names(removed: str, **names: str) -> Callable[[Callable[[str], Any]], Callable[[str], Any]]:
    """Give the `__getattr__` of a module old names too.

    Args:
        removed: the version that no longer has the old names.
        names: old names with the new ones.
    """

    def decorate(find: Callable[[str], Any]) -> Callable[[str], Any]:
        @wraps(find)
        def found(name: str) -> Any:
            if name in names:
                _warn(f"{find.__module__}.{name}", f"{find.__module__}.{names[name]}", removed)
            return find(names.get(name, name))

        return found

    return decorate


def _warn(old: str, new: str, removed: str) -> None:
    message = f"{old} is deprecated and will be removed in judged {removed}. Use {new}."
    warnings.warn(message, DeprecationWarning, stacklevel=3)  # the caller of the function or the name
