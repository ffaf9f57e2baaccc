"""Team-draft interleaving: lists of two rankings, and the ranking that users prefer by their clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from typing import Any

import numpy as np

from judged.clicks.log import Pairs, rankings, read_clicks, sums
from judged.clicks.log_columns import LISTS
from judged.core.resample import generator
from judged.core.tables import Id
from judged.errors import DataError, Warned
from judged.io.open_table import open_role_table
from judged.io.read import read_run
from judged.io.run_names import short_names
from judged.stats.checks import check_count, check_share
from judged.steps import step
from judged.tables.formats.csv import csv_text
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, number, p_text

PAPERS = {"team-draft": "radlinski2008"}


@dataclass(frozen=True, eq=False, repr=False)
class InterleavedLists(Result):
    """Lists made of two rankings, one per query or one per session: columns of query, rank, doc and team."""

    names: tuple[str, str]
    query: tuple[Id, ...]
    rank: tuple[int, ...]
    doc: tuple[Id, ...]
    team: tuple[str, ...]
    warnings: tuple[Warned, ...] = ()
    session: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.doc)

    def lists(self) -> dict[Id, list[Id]] | list[tuple[Id, list[Id]]]:
        """The lists to show: `{query: [doc, …]}`, or a (query, [doc, …]) tuple for each session in turn."""
        lists: dict[Any, tuple[Id, list[Id]]] = {}
        keys = self.query if self.session is None else self.session
        for key, query, doc in zip(keys, self.query, self.doc, strict=True):
            lists.setdefault(key, (query, []))[1].append(doc)
        return dict(lists.values()) if self.session is None else list(lists.values())

    def columns(self) -> dict[str, tuple[Any, ...]]:
        """Columns by name."""
        own = {} if self.session is None else {"session": self.session}
        return {**own, "query": self.query, "rank": self.rank, "doc": self.doc, "team": self.team}

    def records(self) -> list[dict[str, Any]]:
        """One row per document of a list."""
        return RecordTable(self.columns()).records()

    def to_csv(self, *, spreadsheet_safe: bool = False) -> str:
        """The records as CSV with unchanged ids, which `score_interleaving` reads."""
        return csv_text(self.records(), exact=("query", "doc"), spreadsheet_safe=spreadsheet_safe)

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records as one table."""
        first, second = short_names(self.names)
        notes = tuple(f"warning: {w}" for w in self.warnings)
        title = f"team-draft: A = {first}, B = {second}"
        words = ("query", "doc", "team")
        return RecordTable(self.columns(), words, title, notes).tables(places=places)


def interleave(
    run_a: Any, run_b: Any, *, k: int = 10, seed: int | np.random.Generator = 0, sessions: int | None = None
) -> InterleavedLists:
    """Interleave the rankings of two runs into lists of k documents, for the queries that both contain.

    Args:
        run_a: rankings, any input of `read_run`.
        run_b: the other rankings.
        k: length of the lists.
        seed: random seed.
        sessions: number of sessions, each with its own list; they are numbered from 1 and take the queries in turn. None for one list per query.

    >>> interleave({"q": ["x", "y"]}, {"q": ["y", "z"]}, k=2).lists()
    {'q': ['y', 'x']}
    """
    check_count(k, "k", slug="cutoff")
    if sessions is not None:
        check_count(sessions, "sessions")
    first, second = read_run(run_a), read_run(run_b)
    a, b, rng = rankings(first), rankings(second), generator(seed)
    shared = [query for query in a if query in b]
    if not shared:
        raise DataError("no-common-query", "the two runs have no query in common", where=f"{first.name}, {second.name}")
    rows = []
    with step("interleaving"):
        for session, query in zip(range(1, (sessions or len(shared)) + 1), cycle(shared), strict=False):
            picked = team_draft(a[query], b[query], k, rng)
            rows += [(session, query, rank, *pick) for rank, pick in enumerate(picked.items(), 1)]
    alone = len(a) + len(b) - 2 * len(shared)
    text = f"left out {counted(alone, 'query that is', 'queries that are')} in only one run"
    warnings = (Warned("query-unshared", alone, text),) if alone else ()
    number_of, query, rank, doc, team = zip(*rows, strict=True)
    names = (first.name, second.name)
    return InterleavedLists(names, query, rank, doc, team, warnings, None if sessions is None else number_of)


def team_draft(a: Sequence[Id], b: Sequence[Id], k: int, rng: np.random.Generator) -> dict[Id, str]:
    """Return the documents of a list, each with the team that picked it.

    In each round a coin decides which ranking picks first, and each picks its best document that is not yet in the list (Radlinski,
    Kurup and Joachims, CIKM 2008). If one ranking has no document left, the other continues alone.
    """
    docs: dict[Id, str] = {}
    left = True
    while left and len(docs) < k:
        left = False
        first = int(rng.integers(2))
        for side in (first, 1 - first):
            doc = next((doc for doc in (a, b)[side] if doc not in docs), None)
            if doc is not None and len(docs) < k:
                docs[doc] = "AB"[side]
                left = True
    return docs


@dataclass(frozen=True, eq=False, repr=False)
class InterleavingOutcome(Result):
    """Preferences of users for one of two rankings.

    Attributes:
        wins_a, wins_b, ties: queries whose sessions prefer A, B, or neither on average.
        share_b: wins of B among queries with a winner; `low` to `high` is its exact interval (Clopper and Pearson).
        delta: (wins_b + ties / 2) / all - 1/2, above 0 if B is better (Chapelle, Joachims, Radlinski and Yue, TOIS 2012).
        p_value: of the exact sign test, two-sided; 1 without a winner.
        sessions: sessions that saw an interleaved list.
        clicks_a, clicks_b: clicks on documents of each team.
    """

    wins_a: int
    wins_b: int
    ties: int
    share_b: float
    low: float
    high: float
    delta: float
    p_value: float
    level: float
    sessions: int
    clicks_a: int
    clicks_b: int
    warnings: tuple[Warned, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One row."""
        names = ("wins_a", "wins_b", "ties", "share_b", "low", "high", "delta", "p_value")
        return [{name: getattr(self, name) for name in names}]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The record, with the meaning of the columns below it."""
        row = (
            *(str(n) for n in (self.wins_a, self.wins_b, self.ties)),
            number(self.share_b, places),
            f"[{number(self.low, places)}, {number(self.high, places)}]",
            number(self.delta, places, sign="+"),
            p_text(self.p_value),
        )
        key = "wins: queries · share B: of queries with a winner · delta: above 0, B is better · exact sign test over queries"
        clicks = f"{counted(self.sessions, 'session')} · clicks credited: {self.clicks_a} to A, {self.clicks_b} to B"
        notes = (clicks, *(f"warning: {w}" for w in self.warnings))
        headers = ("A wins", "B wins", "ties", "share B", f"{self.level:.0%} interval", "delta", "p")
        title = "team-draft interleaving"
        return [Table(headers, (row,), title=title, key=key, notes=notes, words=(), optional=(5, 2))]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        warnings = [w.to_dict() for w in self.warnings]
        return {"judged": 1, "method": "team-draft", **asdict(self), "warnings": warnings}


@step("scoring the rankings")
def score_interleaving(lists: Any, log: Any, *, level: float = 0.95) -> InterleavingOutcome:
    """Score interleaved lists by clicks: the winner, and a test of the difference.

    A session prefers the ranking whose documents got more clicks. A session without a click is a tie. Each query counts once, by the mean
    preference of its sessions, because sessions of a query are not independent: two rankings may be equally good over all queries of a kind, and
    still differ on each of them.

    Args:
        lists: an `InterleavedLists`; rows of query, doc and team, in any format of `read_clicks`. With a column `session`, each
            session saw its own list.
        log: any input of `read_clicks`.
        level: confidence level of the interval.
    """
    from scipy.stats import binomtest

    check_share(level, "level")
    clicks = read_clicks(log)
    table = open_role_table(lists.columns() if isinstance(lists, InterleavedLists) else lists, "lists", LISTS)
    docs, by_session = table.ids["doc"], "session" in table.ids
    keys = table.ids["session" if by_session else "query"]
    listed_pairs, place = Pairs.of(keys.ids, docs.ids, keys.code, docs.code)
    if len(listed_pairs) < len(place):
        raise DataError("duplicate-doc", "duplicate document in an interleaved list", where=table.name)
    sign = dict(zip(listed_pairs.ids(place), (2 * table.numbers["team"] - 1).tolist(), strict=True))
    shown_pairs, pair = clicks.pairs, clicks.pair
    if by_session:
        shown_pairs, pair = Pairs.of(clicks.sessions, shown_pairs.docs, clicks.session, shown_pairs.doc[pair])
    team = np.array([sign.get(ids, 0) for ids in shown_pairs.ids()])[pair]  # -1 for A, 1 for B, 0 outside of the lists
    known = sums(clicks.session, team != 0, len(clicks.sessions)) > 0
    if not known.any():
        raise DataError(
            "no-common-query",
            "no session of the log shows an interleaved list",
            where=clicks.name,
            hint="check that lists and log have the same ids",
        )
    credit = sums(clicks.session, clicks.clicked * team, len(clicks.sessions))
    query = np.unique(clicks.session_query()[known], return_inverse=True)[1]
    wins = np.sign(np.bincount(query, np.sign(credit[known])))
    a, b = int((wins < 0).sum()), int((wins > 0).sum())
    ties = len(wins) - a - b
    low, high, p = 0.0, 1.0, 1.0
    if a + b:
        test = binomtest(b, a + b)
        interval = test.proportion_ci(level, method="exact")
        low, high, p = float(interval.low), float(interval.high), float(test.pvalue)
    other, stray = int((~known).sum()), int((clicks.clicked & (team == 0) & known[clicks.session]).sum())
    warnings = (
        Warned("unlisted", other, f"excluded {counted(other, 'session')} without an interleaved list"),
        Warned("unlisted", stray, f"ignored {counted(stray, 'click')} on documents outside the list"),
    )
    return InterleavingOutcome(
        a,
        b,
        ties,
        share_b=b / (a + b) if a + b else np.nan,
        low=low,
        high=high,
        delta=(b + ties / 2) / len(wins) - 0.5,
        p_value=p,
        level=level,
        sessions=int(known.sum()),
        clicks_a=int((clicks.clicked & (team < 0)).sum()),
        clicks_b=int((clicks.clicked & (team > 0)).sum()),
        warnings=tuple(warning for warning in warnings if warning.count),
    )
