"""Interleaving from two runs, and its outcome from a click log."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged.clicks.api import rankings, read_clicks
from judged.clicks.data.log import ClickLog, Pairs, generator
from judged.clicks.interleaving.methods import (
    InterleavingScore,
    balanced,
    balanced_credit,
    outcome,
    team_credit,
    team_draft,
)
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned
from judged.io.click_logs import read_list_rows, write_columns
from judged.io.files.atomic import write_atomically
from judged.io.read import read_run
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import number, plain_data

__all__ = ["InterleavedLists", "InterleavingOutcome", "Method", "interleave", "score_interleaving"]

Method = Literal["team-draft", "balanced"]
_METHODS = {"team-draft": team_draft, "balanced": balanced}


@dataclass(frozen=True, eq=False)
class InterleavedLists(Result):
    """One list for each query, made of two rankings: rows of query, rank, doc, team, and the ranks in both (0 for none)."""

    method: str
    names: tuple[str, str]
    query: tuple[Id, ...]
    rank: tuple[int, ...]
    doc: tuple[Id, ...]
    team: tuple[str, ...]
    rank_a: tuple[int, ...]
    rank_b: tuple[int, ...]
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.doc)

    def lists(self) -> dict[Id, list[Id]]:
        """`{query: [doc, …]}`, to be shown."""
        found: dict[Id, list[Id]] = {}
        for query, doc in zip(self.query, self.doc, strict=True):
            found.setdefault(query, []).append(doc)
        return found

    def listing(self) -> RecordTable:
        return RecordTable(
            {
                "query": self.query,
                "rank": self.rank,
                "doc": self.doc,
                "team": self.team,
                "rank_a": tuple(rank or None for rank in self.rank_a),
                "rank_b": tuple(rank or None for rank in self.rank_b),
            },
            words=("query", "doc", "team"),
            title=f"{self.method}: A = {_label(self.names[0])}, B = {_label(self.names[1])}",
            notes=tuple(f"warning: {w}" for w in self.warnings),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lists: CSV, TSV, JSON Lines or Parquet; or, with another ending, a TREC run whose tag is the team."""
        inner = Path(path).name.lower()
        if not any(ending in inner for ending in (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq")):
            self._save_run(path)
            return
        rows = self.listing()
        write_columns({name: list(rows[name]) for name in rows.columns}, path)

    def _save_run(self, path: str | os.PathLike[str]) -> None:
        for word in map(str, (*self.query, *self.doc)):
            if not word or any(blank in word for blank in " \t\n\r\v\f"):
                raise DataError(
                    "id-blank", "ids without blanks in a TREC file", got=repr(word), hint="write CSV or JSON Lines"
                )
        with write_atomically(path) as file:
            for query, doc, rank, team in zip(self.query, self.doc, self.rank, self.team, strict=True):
                file.write(f"{query} Q0 {doc} {rank} {1 / rank!r} {team}\n")

    def to_json(self) -> str:
        return self.listing().to_json()

    __repr__ = Result.__str__


def interleave(run_a: Any, run_b: Any, *, method: Method = "team-draft", k: int = 10,
               seed: int | np.random.Generator = 0) -> InterleavedLists:  # fmt: skip
    """A list of k documents for each query that both runs answer, made of their rankings.

    Args:
        run_a: a ranking in any form that `read_run` takes.
        run_b: the other one.
        method: `"team-draft"` (Radlinski, Kurup and Joachims 2008) or `"balanced"` (Joachims 2002).
        k: how long the lists are.
        seed: of the coins. Show each user a list of its own where you can: one seed for each session.

    >>> interleave({"q": ["x", "y"]}, {"q": ["y", "z"]}, k=2).lists()
    {'q': ['y', 'x']}
    """
    if method not in _METHODS:
        raise UsageError("parameter", f"method to be one of {', '.join(_METHODS)}", got=repr(method), value=method)
    first, second = read_run(run_a), read_run(run_b)
    a, b, rng = rankings(first), rankings(second), generator(seed)
    shared = [query for query in a if query in b]
    if not shared:
        raise DataError(
            "no-common-query", "a query that both runs answer", got="none", where=f"{first.name}, {second.name}"
        )
    made = [(query, _METHODS[method](a[query], b[query], k, rng)) for query in shared]
    alone = len(a) + len(b) - 2 * len(shared)
    warnings = (
        (
            Warned(
                "query-unshared",
                alone,
                f"{alone} {'query is' if alone == 1 else 'queries are'} in one run alone: no list",
            ),
        )
        if alone
        else ()
    )
    return InterleavedLists(
        method,
        (first.name, second.name),
        query=tuple(query for query, one in made for _ in one.docs),
        rank=tuple(rank for _, one in made for rank in range(1, len(one.docs) + 1)),
        doc=tuple(doc for _, one in made for doc in one.docs),
        team=tuple(team for _, one in made for team in one.teams),
        rank_a=tuple(rank for _, one in made for rank in one.rank_a),
        rank_b=tuple(rank for _, one in made for rank in one.rank_b),
        warnings=warnings,
    )


@dataclass(frozen=True, eq=False)
class InterleavingOutcome(Result):
    """Which of two rankings users prefer: wins, losses and ties, by session and by query, with exact tests."""

    method: str
    outcomes: tuple[InterleavingScore, ...]
    clicks_a: int
    clicks_b: int
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, unit: str) -> InterleavingScore:
        """The outcome by session or by query."""
        found = next((one for one in self.outcomes if one.unit == unit), None)
        if found is None:
            raise UsageError("parameter", "session or query", got=repr(unit), value=unit)
        return found

    def listing(self) -> RecordTable:
        names = ("unit", "wins_a", "wins_b", "ties", "share_b", "low", "high", "delta", "p_value")
        return RecordTable(
            {name: tuple(getattr(one, name) for one in self.outcomes) for name in names}, words=("unit",)
        )

    def table(self, *, places: int = 4) -> Table:
        rows = tuple(
            (one.unit, str(one.wins_a), str(one.wins_b), str(one.ties), number(one.share_b, places),
             f"[{number(one.low, places)}, {number(one.high, places)}]", f"{one.delta:+.{places}f}", _p(one.p_value, places))
            for one in self.outcomes
        )  # fmt: skip
        level = f"{self.outcomes[0].level:.0%} interval"
        notes = ("share B: of those with a winner, exact interval · delta: above 0, B is better · p: exact two-sided sign test",
                 f"clicks credited: {self.clicks_a} to A, {self.clicks_b} to B",
                 *(f"warning: {w}" for w in self.warnings))  # fmt: skip
        headers = ("each", "A wins", "B wins", "ties", "share B", level, "delta", "p")
        return Table(headers, rows, title=f"{self.method} interleaving", notes=notes)

    def to_json(self) -> str:
        rows = [{key: plain_data(value) for key, value in asdict(one).items()} for one in self.outcomes]
        told = [w.to_dict() for w in self.warnings]
        return json.dumps({"judged": 1, "method": self.method, "clicks_a": self.clicks_a, "clicks_b": self.clicks_b,
                           "outcomes": rows, "warnings": told}, allow_nan=False)  # fmt: skip

    __repr__ = Result.__str__


def score_interleaving(
    lists: Any, log: Any, *, method: Method | None = None, level: float = 0.95
) -> InterleavingOutcome:
    """What clicks on interleaved lists say: who wins, and whether that could be chance.

    Team-draft: a session prefers the ranking whose documents got more clicks. Balanced: see `balanced_credit`. A session
    without a click is a tie. Queries are counted too, each once, because sessions of one query are not independent.

    Args:
        lists: an `InterleavedLists`, or rows of query, doc, team (rank_a and rank_b, for the balanced method) in any form that `read_clicks`
            takes, or a TREC run whose tags are the teams. With a column `session`, each session saw its own list.
        log: clicks, in any form that `read_clicks` takes.
        method: how credit is given; that of the `InterleavedLists`, or else team-draft.
        level: the share of the intervals.
    """
    chosen = method or (lists.method if isinstance(lists, InterleavedLists) else "team-draft")
    if chosen not in _METHODS:
        raise UsageError("parameter", f"method to be one of {', '.join(_METHODS)}", got=repr(chosen), value=chosen)
    clicks = read_clicks(log)
    rows = read_list_rows(_columns(lists) if isinstance(lists, InterleavedLists) else lists)
    by_session = rows.session is not None
    key = rows.session if rows.session is not None else rows.query
    pairs, place = Pairs.of(key.ids, rows.doc.ids, key.code, rows.doc.code)
    if len(pairs) < len(place):
        raise DataError("duplicate-doc", "each document once in a list", got="one twice", where=rows.name)
    row_of = np.empty(len(pairs), np.int64)
    row_of[place] = np.arange(len(place))
    shown_pairs, pair = _shown(clicks, by_session=by_session)
    found = pairs.locate(shown_pairs)[pair]
    listed, row = found >= 0, row_of[np.maximum(found, 0)]
    known = np.bincount(clicks.session, listed, minlength=len(clicks.sessions)) > 0
    clicked = (clicks.clicked & listed).astype(np.int64)
    if chosen == "team-draft":
        credit = team_credit(clicks.session, rows.team[row], clicked, len(clicks.sessions))
    else:
        if rows.rank_a is None or rows.rank_b is None:
            raise DataError("columns", "rank_a and rank_b, which balanced credit needs", got="neither", where=rows.name,
                            hint="write the lists as CSV or JSON Lines")  # fmt: skip
        credit = balanced_credit(
            clicks.session, rows.rank_a[row], rows.rank_b[row], clicked, clicks.rank, len(clicks.sessions)
        )
    if not known.any():
        raise DataError("no-common-query", "sessions with lists that were interleaved", got="none", where=clicks.name)
    query = np.unique(clicks.session_query()[known], return_inverse=True)[1]
    outcomes = (outcome(credit[known], level=level), outcome(credit[known], query, level=level))
    to_b = int((clicked * rows.team[row]).sum())
    return InterleavingOutcome(chosen, outcomes, int(clicked.sum()) - to_b, to_b, _lost(clicks, listed, known))


def _columns(lists: InterleavedLists) -> dict[str, Any]:
    rows = lists.listing()
    return {name: list(rows[name]) for name in rows.columns}


def _shown(clicks: ClickLog, *, by_session: bool) -> tuple[Pairs, NDArray[Any]]:
    """What identifies a row of the log in the lists: query and doc, or session and doc."""
    if not by_session:
        return clicks.pairs, clicks.pair
    return Pairs.of(clicks.sessions, clicks.pairs.docs, clicks.session, clicks.doc)


def _lost(clicks: ClickLog, listed: NDArray[np.bool_], known: NDArray[np.bool_]) -> tuple[Warned, ...]:
    other, stray = int((~known).sum()), int((clicks.clicked & ~listed & known[clicks.session]).sum())
    warnings = []
    if other:
        warnings.append(
            Warned("session-unlisted", other, f"{other} sessions saw no interleaved list, and are left out")
        )
    if stray:
        warnings.append(
            Warned(
                "click-unlisted",
                stray,
                f"{stray} clicks are on documents that the list does not have, and count for nobody",
            )
        )
    return tuple(warnings)


def _p(value: float, places: int) -> str:
    """A p-value, which is never 0."""
    least = 10.0**-places
    return f"< {least:.{places}f}" if value < least else number(value, places)


def _label(name: str) -> str:
    return name.rpartition("/")[2]
