"""Values that are computed from an immutable object at their first use, and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Once(dict[Hashable, Any]):
    """Results by key. Copies and pickles of the object begin without any: results may be large, or belong to this process."""

    def get_or(self, key: Hashable, compute: Callable[[], Result], most: int | None = None) -> Result:
        """Return the result of `compute`, which is called for the first use of the key only.

        `most`: number of keys with parameters (tuples) that are kept; the oldest are dropped, and computed again if they are needed.
        """
        result: Result | None = self.get(key)
        if result is None:
            result = self.setdefault(key, compute())  # of two threads that compute it, both get the first
            if most is not None and len(self) > most:
                kept = self.copy()  # other threads may add keys during the loop
                for old in [old for old in kept if isinstance(old, tuple)][:-most]:
                    self.pop(old, None)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return Once, ()


class Deferred:
    """An attribute of an immutable object: a value, or a function of the object that returns it at its first use.

    >>> class Sum:
    ...     total = Deferred("total")
    >>> some = Sum()
    >>> some.total = lambda owner: 1 + 2
    >>> some.total
    3
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self._name] = value

    def __get__(self, owner: Any, cls: type) -> Any:
        if owner is None:
            return self
        value = vars(owner)[self._name]
        if callable(value):
            value = vars(owner)[self._name] = value(owner)
        return value
