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
            result = self[key] = compute()
            if most is not None and len(self) > most:
                for old in [old for old in list(self) if isinstance(old, tuple)][:-most]:
                    self.pop(old, None)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return Once, ()
