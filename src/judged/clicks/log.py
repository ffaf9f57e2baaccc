"""Click logs as columns: the documents shown at each rank of each session, and the clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.clicks.log_columns import CLICKS
from judged.core.policy import Policy
from judged.core.reference import ranked_rows
from judged.core.tables import Id, Run, decoded
from judged.errors import DataError, shown
from judged.io.open_table import open_role_table
from judged.tables.table import counted


@dataclass(frozen=True, slots=True, repr=False)
class Pairs:
    """The distinct (query, doc) pairs that were shown, ordered by query and then by doc, as codes into the ids."""

    queries: tuple[Id, ...]
    docs: tuple[Id, ...]
    query: Ints
    doc: Ints

    def __len__(self) -> int:
        return len(self.query)

    @classmethod
    def of(
        cls, queries: Sequence[Id], docs: Sequence[Id], query: NDArray[Any], doc: NDArray[Any]
    ) -> tuple[Pairs, Ints]:
        """The distinct pairs of rows, and the index of each row's pair."""
        wide = max(len(docs), 1)
        distinct, place = np.unique(query.astype(np.int64) * wide + doc, return_inverse=True)
        return cls(tuple(queries), tuple(docs), distinct // wide, distinct % wide), place

    def ids(self, rows: NDArray[Any] | slice = slice(None)) -> list[tuple[Id, Id]]:
        """The query id and the document id of some pairs."""
        codes = zip(self.query[rows].tolist(), self.doc[rows].tolist(), strict=True)
        return [(self.queries[query], self.docs[doc]) for query, doc in codes]


@dataclass(frozen=True, slots=True, repr=False)
class ClickLog:
    """Rows sorted by session and then by rank.

    A session is one list of results, shown once for one query. A session id with two queries counts as
    two sessions. `rank` begins at 1; `clicked` is true if the document was clicked at least once.
    """

    sessions: tuple[Id, ...]
    pairs: Pairs
    session: Ints
    pair: Ints
    rank: Ints
    clicked: Bools
    name: str = "clicks"

    def __len__(self) -> int:
        return len(self.pair)

    def __repr__(self) -> str:
        shown_to = f"{counted(len(self.sessions), 'session')}, {counted(len(self.pairs.queries), 'query')}"
        return f"ClickLog({shown_to}, {counted(len(self), 'row')}, {counted(int(self.clicked.sum()), 'click')})"

    @property
    def depth(self) -> int:
        """The deepest rank that was shown."""
        return int(self.rank.max())

    @property
    def starts(self) -> Ints:
        """The first row of each session."""
        return np.flatnonzero(np.diff(self.session, prepend=-1))

    def session_query(self) -> Ints:
        """The query of each session, as a code into `pairs.queries`."""
        return self.pairs.query[self.pair[self.starts]]


def read_clicks(
    source: Any,
    *,
    session_col: str | Sequence[str] | None = None,
    query_col: str | Sequence[str] | None = None,
    doc_col: str | Sequence[str] | None = None,
    rank_col: str | Sequence[str] | None = None,
    click_col: str | Sequence[str] | None = None,
) -> ClickLog:
    """Read a click log from a file or from memory.

    A file (a path, `-` for standard input, or an open file; plain or compressed) contains CSV or TSV with a header, JSON Lines, JSON,
    Parquet or Arrow, with one row per document shown, clicked or not. In memory it is a frame, a mapping of columns,
    records, or (session, query, doc, rank, click) tuples. Columns are found by their usual names. Without ranks, the order of
    the rows is the order of the documents. In text files every id is text; elsewhere 7 and "7" are different ids.

    Args:
        source: the file or the object; a `ClickLog` is returned unchanged.
        session_col: the column of sessions, if its name is not known. A session is one list, shown once.
        query_col: the column of query ids.
        doc_col: the column of document ids.
        rank_col: the column of ranks.
        click_col: the column of clicks: 0 and 1, or true and false.

    Raises:
        DataError: invalid input, with its place.
        FileError: a file that cannot be opened or read.

    >>> read_clicks([("s", "q", "a", 1, 0), ("s", "q", "b", 2, 1)])
    ClickLog(1 session, 1 query, 2 rows, 1 click)
    """
    if isinstance(source, ClickLog):
        return source
    named = {"session": session_col, "query": query_col, "doc": doc_col, "rank": rank_col, "click": click_col}
    table = open_role_table(source, "clicks", CLICKS, {role: name for role, name in named.items() if name is not None})
    sessions, queries, docs = (table.ids[role] for role in ("session", "query", "doc"))
    pairs, pair = Pairs.of(queries.ids, docs.ids, queries.code, docs.code)
    # One list per session and query, in the order of their codes.
    lists, session = np.unique(sessions.code.astype(np.int64) * len(queries.ids) + queries.code, return_inverse=True)
    names = tuple(sessions.ids[code] for code in (lists // len(queries.ids)).tolist())
    ranks = table.numbers.get("rank")
    order = np.argsort(session, kind="stable") if ranks is None else np.lexsort((ranks, session))
    session = session[order]
    if ranks is None:
        rank = np.arange(len(session)) - np.searchsorted(session, session) + 1
    else:
        rank = ranks[order].astype(np.int64)
    log = ClickLog(names, pairs, session, pair[order], rank, table.numbers["click"][order], table.name)
    _check_lists(log)
    return log


def _check_lists(log: ClickLog) -> None:
    """Raise if a list has two documents at one rank or one document twice."""
    twice = np.flatnonzero((np.diff(log.session) == 0) & (np.diff(log.rank) == 0))
    if len(twice):
        row = int(twice[0])
        name = shown(log.sessions[log.session[row]])
        raise DataError(
            "clicks",
            f"two documents at rank {log.rank[row]} of session {name}",
            where=log.name,
            hint="give each list that was shown its own session id",
        )
    key = np.sort(log.session * len(log.pairs) + log.pair)
    again = np.flatnonzero(np.diff(key) == 0)
    if len(again):
        session, pair = divmod(int(key[again[0]]), len(log.pairs))
        doc = log.pairs.docs[log.pairs.doc[pair]]
        raise DataError(
            "duplicate-doc",
            f"duplicate document {shown(doc)} in session {shown(log.sessions[session])}",
            where=log.name,
            value=doc,
            hint="keep the first of them",
        )


def rankings(run: Run) -> dict[Id, list[Id]]:
    """Return `{query: [doc, …]}`, the best document first, ranked as in every evaluation.

    Raises:
        DataError: a duplicate document in a ranking.
    """
    query, row = ranked_rows(run, Policy(), hint="keep one of them")
    docs = decoded(run.doc.take(row), run.doc_kind)
    ends = np.cumsum(np.bincount(query, minlength=len(run.queries))).tolist()
    bounds = zip([0, *ends], ends, strict=False)
    queries = decoded(run.queries, run.query_kind)
    return {name: docs[start:end] for name, (start, end) in zip(queries, bounds, strict=True)}


def sums(code: NDArray[Any], weight: NDArray[Any], size: int) -> Floats:
    """The sum of a weight for each code below `size`."""
    return np.bincount(code, weight, minlength=size).astype(np.float64, copy=False)
