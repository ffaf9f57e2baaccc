"""Click logs as columns: the documents shown at each rank of each session, and the clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core.resample import generator
from judged.core.tables import Id
from judged.errors import DataError, shown
from judged.stats.checks import check_share
from judged.tables.text import counted

Codes = NDArray[np.int32]

_TABLE = 1 << 26  # pairs of (query, doc) codes up to here use a table, more by sorting


@dataclass(frozen=True, slots=True, repr=False)
class Pairs:
    """The distinct (query, doc) pairs that were shown, ordered by query and then by doc, as codes into the ids."""

    queries: tuple[Id, ...]
    docs: tuple[Id, ...]
    query: Codes
    doc: Codes

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"Pairs({len(self)} of {len(self.queries)} queries and {len(self.docs)} documents)"

    @classmethod
    def of(
        cls, queries: Sequence[Id], docs: Sequence[Id], query: NDArray[Any], doc: NDArray[Any]
    ) -> tuple[Pairs, Codes]:
        """The distinct pairs of rows, and the index of each row's pair."""
        key = query.astype(np.int64) * max(len(docs), 1) + doc
        size = len(queries) * len(docs)
        if size <= _TABLE:
            seen = np.zeros(size, bool)
            seen[key] = True
            distinct = np.flatnonzero(seen)
            place = np.cumsum(seen, dtype=np.int32)[key] - np.int32(1)
        else:
            distinct, place = np.unique(key, return_inverse=True)
        wide = max(len(docs), 1)
        pairs = cls(
            tuple(queries), tuple(docs), (distinct // wide).astype(np.int32), (distinct % wide).astype(np.int32)
        )
        return pairs, place.astype(np.int32)

    def locate(self, other: Pairs) -> Ints:
        """The index here of each pair of another table; -1 for a pair that was never shown."""
        if other is self:
            return np.arange(len(self))
        query = _translate(self.queries, other.queries)[other.query]
        doc = _translate(self.docs, other.docs)[other.doc]
        wide = max(len(self.docs), 1)
        key, mine = query * wide + doc, self.query.astype(np.int64) * wide + self.doc
        at = np.minimum(np.searchsorted(mine, key), max(len(mine) - 1, 0))
        known = (query >= 0) & (doc >= 0)
        if len(mine):
            known &= mine[at] == key
        return np.where(known, at, -1)

    def ids(self, rows: NDArray[Any] | slice = slice(None)) -> tuple[list[Id], list[Id]]:
        """The query ids and the document ids of some pairs."""
        queries = [self.queries[code] for code in self.query[rows].tolist()]
        return queries, [self.docs[code] for code in self.doc[rows].tolist()]


def _translate(mine: tuple[Id, ...], theirs: tuple[Id, ...]) -> Ints:
    code = {name: i for i, name in enumerate(mine)}
    return np.array([code.get(name, -1) for name in theirs], dtype=np.int64)


@dataclass(frozen=True, slots=True, repr=False)
class ClickLog:
    """Rows sorted by session and then by rank.

    A session is one list of results, shown once for one query. A session id with two queries counts as
    two sessions. `rank` begins at 1; `clicked` is true if the document was clicked at least once.

    >>> ClickLog.of(["s", "s"], ["q", "q"], ["a", "b"], [1, 2], [False, True])
    ClickLog(1 session, 1 query, 2 rows, 1 click)
    """

    sessions: tuple[Id, ...]
    pairs: Pairs
    session: Codes
    pair: Codes
    rank: Codes
    clicked: Bools
    name: str = "clicks"

    def __len__(self) -> int:
        return len(self.pair)

    def __repr__(self) -> str:
        counts = {
            "session": len(self.sessions),
            "query": len(self.pairs.queries),
            "row": len(self),
            "click": int(self.clicked.sum()),
        }
        return f"ClickLog({', '.join(counted(n, noun) for noun, n in counts.items())})"

    @classmethod
    def of(cls, session: Any, query: Any, doc: Any, rank: Any, clicked: Any, *, name: str = "clicks") -> ClickLog:
        """Build a log from columns of equal length: hashable ids, ranks from 1, clicks as 0 and 1 or as booleans.

        Raises:
            DataError: columns of different lengths, no rows, a missing id, a rank below 1, a click that is neither
                0 nor 1, two documents at one rank, or one document at two ranks of a list.
        """
        columns = [x if isinstance(x, np.ndarray) else list(x) for x in (session, query, doc, rank, clicked)]
        if len({len(column) for column in columns}) > 1:
            lengths = ", ".join(str(len(column)) for column in columns)
            raise DataError(
                "columns",
                f"columns have different lengths: {lengths}",
                where=name,
                hint="pass one entry per row in each column",
            )
        sessions, s = distinct_ids(columns[0], "session", name)
        queries, q = distinct_ids(columns[1], "query", name)
        docs, d = distinct_ids(columns[2], "doc", name)
        ranks, clicks = _ranks(columns[3], name), _clicks(columns[4], name)
        return cls.of_codes(sessions, queries, docs, s, q, d, ranks, clicks, name=name)

    @classmethod
    def of_codes(
        cls,
        sessions: Sequence[Id],
        queries: Sequence[Id],
        docs: Sequence[Id],
        session: NDArray[Any],
        query: NDArray[Any],
        doc: NDArray[Any],
        rank: NDArray[Any],
        clicked: Bools,
        *,
        name: str = "clicks",
    ) -> ClickLog:
        """Build a log from codes into lists of ids, with rows in any order."""
        if not len(session):
            raise DataError(
                "empty-clicks", "the click log has no rows", where=name, hint="check that it is the right file"
            )
        pairs, pair = Pairs.of(queries, docs, query, doc)
        names, shown_list = _lists(tuple(sessions), session, query, len(queries))
        order = _order(shown_list, rank, int(rank.max()))
        if order is not None:
            shown_list, pair, rank, clicked = shown_list[order], pair[order], rank[order], clicked[order]
        log = cls(names, pairs, shown_list.astype(np.int32), pair, rank.astype(np.int32), clicked, name)
        _check_lists(log)
        return log

    @property
    def query(self) -> Codes:
        """The query of each row, as a code into `pairs.queries`."""
        return self.pairs.query[self.pair]

    @property
    def doc(self) -> Codes:
        """The document of each row, as a code into `pairs.docs`."""
        return self.pairs.doc[self.pair]

    @property
    def depth(self) -> int:
        """The deepest rank that was shown."""
        return int(self.rank.max(initial=0))

    def session_query(self) -> Codes:
        """The query of each session."""
        first = np.flatnonzero(np.diff(self.session, prepend=-1))
        return self.pairs.query[self.pair[first]]

    def take(self, keep: Bools) -> ClickLog:
        """The sessions for which `keep` is true; ids and pairs are unchanged, so codes keep their meaning."""
        rows = keep[self.session]
        code = (np.cumsum(keep) - 1).astype(np.int32)
        names = tuple(self.sessions[i] for i in np.flatnonzero(keep).tolist())
        return replace(
            self,
            sessions=names,
            session=code[self.session[rows]],
            pair=self.pair[rows],
            rank=self.rank[rows],
            clicked=self.clicked[rows],
        )

    def split(self, held_out: float = 0.2, seed: int | np.random.Generator = 0) -> tuple[ClickLog, ClickLog]:
        """Split the log by session into one to fit and one to hold out. Each session is drawn independently."""
        check_share(held_out, "held_out", slug="parameter")
        out = generator(seed).random(len(self.sessions)) < held_out
        if out.all() or not out.any():
            raise DataError(
                "empty-clicks",
                f"{int(out.sum())} of {counted(len(self.sessions), 'session')} held out, which leaves none on one side",
                where=self.name,
                hint="use a log with more sessions",
            )
        return self.take(~out), self.take(out)


def base_name(name: str) -> str:
    """The name of a file without its folders."""
    return name.rpartition("/")[2]


def sums(code: NDArray[Any], weight: NDArray[Any], size: int) -> Floats:
    """The sum of a weight for each code below `size`."""
    return np.bincount(code, weight, minlength=size).astype(np.float64, copy=False)


# ── columns ──────────────────────────────────────────────────────────────────────────────────────


def distinct_ids(values: Sequence[Any] | NDArray[Any], what: str, name: str) -> tuple[list[Id], Ints]:
    """The distinct ids, and the code of each row."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuSU":
        distinct, code = np.unique(values, return_inverse=True)
        return distinct.tolist(), code
    items = values.tolist() if isinstance(values, np.ndarray) else list(values)
    try:
        seen = {item: i for i, item in enumerate(dict.fromkeys(items))}
    except TypeError as error:
        raise DataError("id-type", f"a {what} id is neither text nor a number: {error}", where=name) from error
    for item in seen:
        if item is None or item != item:
            raise DataError(
                "id-null", f"missing {what} id", where=f"{name}[{items.index(item)}]", hint="drop rows without an id"
            )
    return list(seen), np.fromiter(map(seen.__getitem__, items), np.int64, len(items))


def _ranks(values: Any, name: str) -> Ints:
    try:
        numbers = np.asarray(values)
        whole = numbers.astype(np.int64) if numbers.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        whole = None
    wrong = None if whole is None else np.flatnonzero((whole != numbers) | (whole < 1) | (whole > 1 << 30))
    if whole is None or wrong is None or len(wrong):
        got = "values that are not numbers" if wrong is None else shown(numbers[wrong[:1]].tolist()[0])
        raise DataError("rank-type", "ranks as integers ≥ 1", got=got, where=name)
    return whole


def _clicks(values: Any, name: str) -> Bools:
    numbers = np.asarray(values)
    if numbers.dtype.kind == "b":
        return numbers
    good = np.isin(numbers, [0, 1]) if numbers.dtype.kind in "iuf" else np.zeros(len(numbers), bool)
    if not good.all():
        got = shown(numbers[np.argmin(good)])
        raise DataError("click-type", "clicks as 0 and 1", got=got, where=name, hint="write 1 even for several clicks")
    return numbers == 1


def _lists(
    sessions: tuple[Id, ...], session: NDArray[Any], query: NDArray[Any], queries: int
) -> tuple[tuple[Id, ...], Ints]:
    """The lists shown: one per session and query, in the order of their codes."""
    first = np.full(len(sessions), -1, np.int64)
    first[session[::-1]] = query[::-1]
    if (first[session] == query).all() and (first >= 0).all():
        return sessions, session.astype(np.int64)
    key = session.astype(np.int64) * queries + query
    distinct, place = np.unique(key, return_inverse=True)
    return tuple(sessions[code] for code in (distinct // queries).tolist()), place


def _order(session: Ints, rank: NDArray[Any], depth: int) -> Ints | None:
    """The order by session and rank; None if rows are already in it."""
    key = session * (depth + 1) + rank
    return None if (key[1:] >= key[:-1]).all() else np.argsort(key, kind="stable")


def _check_lists(log: ClickLog) -> None:
    """Raise if a list has two documents at one rank or one document twice."""
    together = log.session[1:] == log.session[:-1]
    twice = np.flatnonzero(together & (log.rank[1:] == log.rank[:-1]))
    if len(twice):
        row = int(twice[0]) + 1
        name = shown(log.sessions[log.session[row]])
        raise DataError(
            "duplicate-rank",
            f"two documents at rank {log.rank[row]} of session {name}",
            where=log.name,
            hint="give each list that was shown its own session id",
        )
    key = np.sort(log.session.astype(np.int64) * len(log.pairs) + log.pair)
    again = np.flatnonzero(key[1:] == key[:-1])
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
