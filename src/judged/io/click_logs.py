"""Click logs and interleaved lists: reading from files and from memory, writing to files."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import DataError, Place, UsageError, shown
from judged.io.atomic import ENDINGS, write_atomically
from judged.io.cells import Column, ranks
from judged.io.columns import NAMES, Role
from judged.io.open_table import open_role_table
from judged.io.outputs import check_output
from judged.io.table import Coded

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


def _as_optional_ranks(column: Column) -> Ints | None:
    """Return ranks from 1, 0 for empty cells; None if a cell is something else."""
    empty = [c is None or c == "" or c != c or c in (0, "0") for c in column]
    filled = _as_ranks([1 if no else c for c, no in zip(column, empty, strict=True)])
    return None if filled is None else np.where(empty, 0, filled)


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


def _rank_in(side: str) -> Role:
    name, meaning = f"rank{side.lower()}", f"ranks in {side} (rank_{side.lower()})"
    return Role(((name,),), meaning, _as_optional_ranks, False, f"a rank in {side}, or an empty cell", "rank-type")


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
        "click-type",
    ),
}
LISTS: Mapping[str, Role] = {
    "session": Role(_SESSION, "sessions", required=False),
    "query": CLICKS["query"],
    "doc": CLICKS["doc"],
    "rank": _SHOWN_RANK,
    "team": Role((("team",),), "teams (team)", _as_teams, True, "a team, A or B", "team-type"),
    "rank_a": _rank_in("A"),
    "rank_b": _rank_in("B"),
}


@dataclass(frozen=True, slots=True)
class ClickRows:
    """A click log as read: ids with codes, ranks, clicks. `rank` is None if there is no such column."""

    name: str
    session: Coded
    query: Coded
    doc: Coded
    rank: Ints | None
    clicked: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ListRows:
    """Interleaved lists as read; `session` is None if there is one list per query."""

    name: str
    session: Coded | None
    query: Coded
    doc: Coded
    rank: Ints | None
    team: Ints
    rank_a: Ints | None
    rank_b: Ints | None


def read_click_rows(source: Any, named: Mapping[str, str] | None = None) -> ClickRows:
    """Read a click log from CSV, TSV, JSON Lines, JSON, Parquet or Arrow, plain or compressed; or a frame, columns, records.

    Columns are found by their known names, or by those in `named`: session, query, doc, rank, click.
    """
    named = named or {}
    for role in named:
        if role not in CLICKS:
            hint = f"choose one of {', '.join(CLICKS)}"
            raise UsageError("columns", f"a click log has no column {role!r}", hint=hint, value=role)
    table = open_role_table(source, "clicks", CLICKS, named)
    ids, numbers = table.ids, table.numbers
    return ClickRows(table.name, ids["session"], ids["query"], ids["doc"], numbers.get("rank"), numbers["click"])


def read_list_rows(source: Any) -> ListRows:
    """Read interleaved lists, in the formats of `read_click_rows`: query, doc, team; rank, rank_a, rank_b and session are optional."""
    table = open_role_table(source, "lists", LISTS)
    ids, numbers = table.ids, table.numbers
    return ListRows(
        table.name,
        ids.get("session"),
        ids["query"],
        ids["doc"],
        numbers.get("rank"),
        numbers["team"],
        numbers.get("rank_a"),
        numbers.get("rank_b"),
    )


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def write_columns(
    columns: Mapping[str, list[Any]], path: str | os.PathLike[str], inputs: Sequence[object] = ()
) -> None:
    """Write columns of one length as CSV, TSV, JSON Lines or Parquet, depending on the file extension; the file is written atomically.

    `inputs` are their sources, which must not be replaced.
    """
    check_output(path, inputs)
    target = Path(path)
    inner = target.with_suffix("") if target.suffix in ENDINGS else target
    ending = inner.suffix.lower()
    if ending in (".parquet", ".pq"):
        _parquet(columns, path)
        return
    if ending not in (".csv", ".tsv", ".jsonl", ".ndjson"):
        raise UsageError(
            "format",
            f"{target.name!r} has an unknown extension",
            value=str(path),
            hint="use .csv, .tsv, .jsonl or .parquet; add .gz, .bz2, .xz or .zst to compress",
        )
    rows = zip(*columns.values(), strict=True)
    with write_atomically(path) as file:
        if ending in (".jsonl", ".ndjson"):
            encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
            file.writelines(encode(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
            return
        _check_one_line(columns, path)
        writer = csv.writer(file, delimiter="," if ending == ".csv" else "\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _check_one_line(columns: Mapping[str, list[Any]], path: str | os.PathLike[str]) -> None:
    """Raise for an id over two lines, which the reader of CSV refuses."""
    for column in columns.values():
        for cell in column:
            if isinstance(cell, str) and ("\n" in cell or "\r" in cell):
                problem, hint = f"the id {shown(cell)} contains a line break", "write JSON Lines or Parquet"
                raise DataError("format", problem, where=os.fspath(path), value=cell, hint=hint)


def _parquet(columns: Mapping[str, list[Any]], path: str | os.PathLike[str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        hint, where = "run pip install judged[parquet]", Place(os.fspath(path))
        raise DataError("needs", "writing a Parquet file needs pyarrow", hint=hint, where=where) from error
    table = pa.table(dict(columns))
    with write_atomically(path, "wb") as file:
        pq.write_table(table, file)
