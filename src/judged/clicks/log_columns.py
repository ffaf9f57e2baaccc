"""Click logs and interleaved lists: reading from files and from memory, writing to files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.io.cells import Column, ranks
from judged.io.columns import NAMES, Role

_WORDS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "t", "y"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "f", "n"), False),
}


def _as_clicks(column: Column) -> NDArray[np.bool_] | None:
    """Return clicks from 0 and 1, booleans, or their names; None if a cell is something else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column == 1 if np.isin(column, [0, 1]).all() else None
    try:
        return np.array([_WORDS[cell] for cell in column], dtype=bool)
    except (KeyError, TypeError):
        words = [cell.strip().lower() if isinstance(cell, str) else str(cell).lower() for cell in column]
    return np.array([_WORDS[word] for word in words], dtype=bool) if _WORDS.keys() >= set(words) else None


def _as_ranks(column: Column) -> Ints | None:
    """Return ranks from 1; None if a cell is something else."""
    try:
        text = isinstance(column, list) and column and isinstance(column[0], str)
        found = np.array(list(map(int, column)), dtype=np.int64) if text else ranks(column)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found is not None and (found >= 1).all() and (found < 1 << 30).all() else None


def _as_teams(column: Column) -> Ints | None:
    """Return 0 for A and 1 for B; None if a cell is something else."""
    words = [c.strip().upper() if isinstance(c, str) else c for c in column]
    return np.array([w == "B" for w in words], np.int64) if all(w in ("A", "B") for w in words) else None


_SESSION = (
    (
        "session",
        "sessionid",
        "sid",
        "impression",
        "impressionid",
        "searchid",
        "serpid",
        "requestid",
        "visit",
        "visitid",
    ),
)
_USERS = ("user", "userid", "customerid", "visitorid", "memberid", "uid")  # who clicked; a query is what was asked
_QUERY = tuple(tuple(name for name in tier if name not in _USERS) for tier in NAMES["query"])
_RANK = (("rank", "position", "pos"),)
_SHOWN_RANK = Role(_RANK, "ranks (rank, position)", _as_ranks, False, "a rank as an integer ≥ 1", "rank-type")


CLICKS: Mapping[str, Role] = {
    "session": Role(_SESSION, "sessions (session, session_id, impression …)"),
    "query": Role(_QUERY, "query ids (query, query_id, qid …)"),
    "doc": Role(NAMES["doc"], "document ids (doc, doc_id, url, item …)"),
    "rank": _SHOWN_RANK,
    "click": Role(
        (("click", "clicked", "clicks", "isclicked", "isclick"),),
        "clicks (click, clicked)",
        _as_clicks,
        True,
        "a click as 0 or 1",
        "clicks",
    ),
}
LISTS: Mapping[str, Role] = {
    "session": Role(_SESSION, "sessions", required=False),
    "query": CLICKS["query"],
    "doc": CLICKS["doc"],
    "rank": _SHOWN_RANK,
    "team": Role((("team",),), "teams (team)", _as_teams, True, "a team, A or B", "clicks"),
}
