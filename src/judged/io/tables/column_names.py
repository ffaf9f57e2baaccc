"""Names of columns as people write them: the same name in another spelling, and the nearest one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache

from judged.errors import shown

_RANK_WORDS = frozenset(("rank", "ranks", "ranking", "position", "positions", "pos", "place"))


@lru_cache(maxsize=4096)
def plain_name(name: object) -> str:
    """Return a name without case, blanks, hyphens and underscores; '' for anything that is not text.

    >>> plain_name("Search Term") == plain_name("search_term")
    True
    """
    return name.casefold().replace("-", "").replace("_", "").replace(" ", "") if isinstance(name, str) else ""


def same_column(name: str, names: Sequence[str]) -> str | None:
    """Return the column of this name; without it, the only one that differs in case, blanks, hyphens or underscores.

    >>> same_column("search term", ["Search_Term", "sku"])
    'Search_Term'
    """
    return name if name in names else single([other for other in names if plain_name(other) == plain_name(name)])


def nearest_column(name: str, names: Sequence[str]) -> str | None:
    """Return the column whose name contains a name, or resembles it most."""
    inside = [other for other in names if len(name) > 2 and plain_name(name) in plain_name(other)]
    if inside:
        return inside[0]
    close = get_close_matches(plain_name(name), [plain_name(other) for other in names], 1, 0.6)
    return next((other for other in names if close and plain_name(other) == close[0]), None)


def looks_like_ranks(name: str) -> bool:
    """Return whether a word of a column's name means ranks.

    >>> [looks_like_ranks(name) for name in ("Listing Position", "searchRank", "Composition")]
    [True, True, False]
    """
    words = re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold())
    return not _RANK_WORDS.isdisjoint(words)


def single(columns: list[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def list_columns(names: Iterable[str]) -> str:
    """Return names of columns for a message."""
    return ", ".join(shown(name, 40) for name in names) or "none"
