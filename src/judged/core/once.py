"""Values that are computed from an immutable object at their first use, and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Once(dict[Hashable, Any]):
    """Results by key. Copies and pickles of the object begin without any: results may be large, or belong to this process."""

    def get_or(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return the result of `compute`, which is called for the first use of the key only."""
        if key not in self:
            self[key] = compute()
        result: Result = self[key]
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return Once, ()
