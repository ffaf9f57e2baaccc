"""Things that are declared once under a name, found by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Protocol, TypeVar

from judged.errors import UsageError, shown

__all__ = ["named"]


class HasNames(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=HasNames)


def named(name: Any, table: Sequence[T], kind: str) -> T:
    """The entry of that name. Case, blanks, hyphens and underscores do not matter.

    Raises:
        UsageError: an unknown name (its slug is the kind), with the nearest right one.
    """
    if not isinstance(name, str):
        raise UsageError(kind, f"the name of a {kind}", got=shown(name), value=name)
    names = {_key(word): one for one in table for word in (one.name, *one.aliases)}
    if _key(name) in names:
        return names[_key(name)]
    near = get_close_matches(_key(name), names, 1, 0.5)
    hint = f"did you mean {names[near[0]].name}?" if near else f"one of {', '.join(one.name for one in table)}"
    raise UsageError(kind, f"no {kind} is called {shown(name)}", hint=hint, value=name)


def _key(name: str) -> str:
    return re.sub(r"[-_ ']", "", name.casefold())
