"""Interleaved lists from two runs, and their outcome from a click log."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools
from judged.clicks.api import rankings, read_clicks
from judged.clicks.data.log import ClickLog, Pairs
from judged.clicks.interleaving import methods
from judged.clicks.interleaving.methods import InterleavingScore
from judged.core.resample import generator
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.io.atomic import write_atomically
from judged.io.click_logs import read_list_rows, write_columns
from judged.io.read import read_run
from judged.io.run_names import short_names
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import counted, number, p_text

Method = Literal["team-draft", "balanced"]
_METHODS = {"team-draft": methods.team_draft, "balanced": methods.balanced}
PAPERS = {"team-draft": "radlinski2008", "balanced": "joachims2003"}
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq")


@dataclass(frozen=True, eq=False, repr=False)
class InterleavedLists(Result):
    """Lists made of two rankings, one per query or one per session: columns of query, rank, doc, team, and the ranks in both (0 for none)."""

    method: str
    names: tuple[str, str]
    query: tuple[Id, ...]
    rank: tuple[int, ...]
    doc: tuple[Id, ...]
    team: tuple[str, ...]
    rank_a: tuple[int, ...]
    rank_b: tuple[int, ...]
    warnings: tuple[Warned, ...] = ()
    session: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.doc)

    def lists(self) -> dict[Id, list[Id]] | list[tuple[Id, list[Id]]]:
        """The lists to show: `{query: [doc, …]}`, or a (query, [doc, …]) tuple for each session in turn."""
        lists: dict[Any, tuple[Id, list[Id]]] = {}
        for key, query, doc in zip(
            self.query if self.session is None else self.session, self.query, self.doc, strict=True
        ):
            lists.setdefault(key, (query, []))[1].append(doc)
        return dict(lists.values()) if self.session is None else list(lists.values())

    def columns(self) -> dict[str, list[Any]]:
        """Columns by name; a rank in A or B is None if that ranking does not have the document."""
        in_a, in_b = ([rank or None for rank in ranks] for ranks in (self.rank_a, self.rank_b))
        own = {} if self.session is None else {"session": list(self.session)}
        return {
            **own,
            "query": list(self.query),
            "rank": list(self.rank),
            "doc": list(self.doc),
            "team": list(self.team),
            "rank_a": in_a,
            "rank_b": in_b,
        }

    def records(self) -> list[dict[str, Any]]:
        """One row per document of a list."""
        columns = self.columns()
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records as one table."""
        first, second = short_names(self.names)
        title = f"{self.method}: A = {first}, B = {second}"
        notes = tuple(f"warning: {w}" for w in self.warnings)
        words = ("query", "doc", "team")
        return RecordTable.of(self.records(), words=words, title=title, notes=notes).tables(places=places)

    def to_trec(self) -> str:
        """A TREC run whose tag is the team."""
        for word in map(str, (*self.query, *self.doc)):
            if (
                not word
                or any(blank in word for blank in " \t\n\r\v\f")
                or word.startswith(("\ufeff", "{", "["))
                or word == "#"
            ):
                raise DataError(
                    "format",
                    f"a TREC file cannot contain the id {shown(word)}, which is empty, has blanks or begins like another format",
                    value=word,
                    hint="write CSV or JSON Lines",
                )
        rows = zip(self.query, self.doc, self.rank, self.team, strict=True)
        return "".join(f"{query} Q0 {doc} {rank} {1 / rank!r} {team}\n" for query, doc, rank, team in rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lists as CSV, TSV, JSON Lines or Parquet; with any other extension, as a TREC run whose tag is the team."""
        if any(ending in Path(path).name.lower() for ending in _TABLES):
            write_columns(self.columns(), path, inputs=self.names)
            return
        text = self.to_trec()
        with write_atomically(path, inputs=self.names) as file:
            file.write(text)


def interleave(
    run_a: Any,
    run_b: Any,
    *,
    method: Method = "team-draft",
    k: int = 10,
    seed: int | np.random.Generator = 0,
    sessions: int | None = None,
) -> InterleavedLists:
    """Interleave the rankings of two runs into lists of k documents, for the queries that both contain.

    Args:
        run_a: rankings, any input of `read_run`.
        run_b: the other rankings.
        method: `"team-draft"` (Radlinski, Kurup and Joachims 2008) or `"balanced"` (Joachims 2002).
        k: length of the lists.
        seed: random seed.
        sessions: number of sessions, numbered from 1, each with a list of its own, queries in turn; None for one list per query. Sessions that see
            the same list are not independent, and then more sessions of the same queries add little.

    >>> interleave({"q": ["x", "y"]}, {"q": ["y", "z"]}, k=2).lists()
    {'q': ['y', 'x']}
    """
    _check_method(method)
    first, second = read_run(run_a), read_run(run_b)
    a, b, rng = rankings(first), rankings(second), generator(seed)
    shared = [query for query in a if query in b]
    if not shared:
        raise DataError("no-common-query", "the two runs have no query in common", where=f"{first.name}, {second.name}")
    if sessions is not None:
        check_count(sessions, "sessions")
    numbered = range(1, (sessions or len(shared)) + 1)
    with step("interleaving"):
        made = [(n, q, _METHODS[method](a[q], b[q], k, rng)) for n, q in zip(numbered, cycle(shared), strict=False)]
    rows = [
        (number, query, rank, *row)
        for number, query, one in made
        for rank, row in enumerate(zip(one.docs, one.teams, one.rank_a, one.rank_b, strict=True), 1)
    ]
    alone = len(a) + len(b) - 2 * len(shared)
    warning = Warned(
        "query-unshared", alone, f"{counted(alone, 'query is', 'queries are')} in only one run, without a list"
    )
    session, query, rank, doc, team, rank_a, rank_b = zip(*rows, strict=True)
    names, own = (first.name, second.name), None if sessions is None else session
    return InterleavedLists(method, names, query, rank, doc, team, rank_a, rank_b, (warning,) if alone else (), own)


@dataclass(frozen=True, eq=False, repr=False)
class InterleavingOutcome(Result):
    """Preferences of users for one of two rankings: wins, losses and ties, by session and by query, with tests."""

    method: str
    outcomes: tuple[InterleavingScore, ...]
    clicks_a: int
    clicks_b: int
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, unit: str) -> InterleavingScore:
        """The outcome by "session" or by "query"."""
        score = next((one for one in self.outcomes if one.unit == unit), None)
        if score is None:
            raise UsageError("parameter", f"unit must be session or query, got {unit!r}", value=unit)
        return score

    def records(self) -> list[dict[str, Any]]:
        """One row by session, one by query."""
        names = ("unit", "wins_a", "wins_b", "ties", "share_b", "low", "high", "delta", "p_value")
        return [{name: getattr(one, name) for name in names} for one in self.outcomes]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records, with the meaning of the columns below them."""
        rows = tuple(
            (
                one.unit,
                str(one.wins_a),
                str(one.wins_b),
                str(one.ties),
                number(one.share_b, places),
                f"[{number(one.low, places)}, {number(one.high, places)}]",
                number(one.delta, places, sign="+"),
                p_text(one.p_value),
            )
            for one in self.outcomes
        )
        clustered = self.outcomes[0].test == "clustered"
        how = (
            "session: t over queries, since sessions of a query saw the same list · query: exact sign test"
            if clustered
            else "exact sign test"
        )
        key = f"share B: of units with a winner · delta: above 0, B is better · {how}"
        notes = (
            f"clicks credited: {self.clicks_a} to A, {self.clicks_b} to B",
            *(f"warning: {w}" for w in self.warnings),
        )
        headers = (
            "unit",
            "A wins",
            "B wins",
            "ties",
            "share B",
            f"{self.outcomes[0].level:.0%} interval",
            "delta",
            "p",
        )
        return [Table(headers, rows, title=f"{self.method} interleaving", key=key, notes=notes, optional=(6, 3))]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "method": self.method,
            "clicks_a": self.clicks_a,
            "clicks_b": self.clicks_b,
            "outcomes": [asdict(one) for one in self.outcomes],
            "warnings": [w.to_dict() for w in self.warnings],
        }


@step("scoring the rankings")
def score_interleaving(
    lists: Any, log: Any, *, method: Method | None = None, level: float = 0.95
) -> InterleavingOutcome:
    """Score interleaved lists by clicks: the winner, and a test of the difference.

    Team-draft: a session prefers the ranking whose documents got more clicks. Balanced: see `balanced_credit`. A session
    without a click is a tie. Queries are counted too, each once. If sessions of a query saw the same list, they are not independent, and
    the errors of the first row are over queries; if each session saw its own list, the exact sign test applies.

    Args:
        lists: an `InterleavedLists`; rows of query, doc, team (with rank_a and rank_b, for the balanced method), in any format of `read_clicks`;
            or a TREC run whose tags are the teams. With a column `session`, each session saw its own list.
        log: any input of `read_clicks`.
        method: method of credit; the one of the `InterleavedLists`, or else team-draft.
        level: confidence level of the intervals.
    """
    chosen = _check_method(method or (lists.method if isinstance(lists, InterleavedLists) else "team-draft"))
    clicks = read_clicks(log)
    rows = read_list_rows(lists.columns() if isinstance(lists, InterleavedLists) else lists)
    key = rows.query if rows.session is None else rows.session
    pairs, place = Pairs.of(key.ids, rows.doc.ids, key.code, rows.doc.code)
    if len(pairs) < len(place):
        raise DataError("duplicate-doc", "duplicate document in an interleaved list", where=rows.name)
    row_of = np.empty(len(pairs), np.int64)
    row_of[place] = np.arange(len(place))
    shown_pairs, pair = _shown_pairs(clicks, by_session=rows.session is not None)
    at = pairs.locate(shown_pairs)[pair]
    listed, row = at >= 0, row_of[np.maximum(at, 0)]
    sessions = len(clicks.sessions)
    known = np.bincount(clicks.session, listed, minlength=sessions) > 0
    clicked = (clicks.clicked & listed).astype(np.int64)
    if chosen == "team-draft":
        credit = methods.team_credit(clicks.session, rows.team[row], clicked, sessions)
    elif rows.rank_a is None or rows.rank_b is None:
        raise DataError(
            "columns",
            "balanced credit needs the columns rank_a and rank_b",
            where=rows.name,
            hint="write the lists as CSV or JSON Lines",
        )
    else:
        in_a, in_b = rows.rank_a[row], rows.rank_b[row]
        credit = methods.balanced_credit(clicks.session, in_a, in_b, clicked, clicks.rank, sessions)
    if not known.any():
        raise DataError(
            "no-common-query",
            "no session of the log shows an interleaved list",
            where=clicks.name,
            hint="check that lists and log have the same ids",
        )
    query = np.unique(clicks.session_query()[known], return_inverse=True)[1]
    shared = rows.session is None  # sessions of a query saw the same list, so they are not independent
    by_session = methods.outcome(credit[known], query if shared else None, clustered=shared, level=level)
    outcomes = (by_session, methods.outcome(credit[known], query, level=level))
    to_b = int((clicked * rows.team[row]).sum())
    return InterleavingOutcome(chosen, outcomes, int(clicked.sum()) - to_b, to_b, _warnings(clicks, listed, known))


def _check_method(method: str) -> str:
    if method not in _METHODS:
        raise UsageError("parameter", f"method must be one of {', '.join(_METHODS)}, got {method!r}", value=method)
    return method


def _shown_pairs(clicks: ClickLog, *, by_session: bool) -> tuple[Pairs, NDArray[Any]]:
    """The pairs that identify a row of the log in the lists: (query, doc), or (session, doc)."""
    if not by_session:
        return clicks.pairs, clicks.pair
    return Pairs.of(clicks.sessions, clicks.pairs.docs, clicks.session, clicks.doc)


def _warnings(clicks: ClickLog, listed: Bools, known: Bools) -> tuple[Warned, ...]:
    other, stray = int((~known).sum()), int((clicks.clicked & ~listed & known[clicks.session]).sum())
    unlisted = Warned("session-unlisted", other, f"excluded {counted(other, 'session')} without an interleaved list")
    stray_clicks = Warned("click-unlisted", stray, f"ignored {counted(stray, 'click')} on documents outside the list")
    return (unlisted,) * (other > 0) + (stray_clicks,) * (stray > 0)
