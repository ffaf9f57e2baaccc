"""Click logs and interleaved lists, from files and from memory, and back into files."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import DataError, Place, UsageError
from judged.io.files.atomic import ENDINGS, write_atomically
from judged.io.open_table import open_role_table
from judged.io.tables.columns import NAMES, Role, list_names
from judged.io.tables.ids import Column
from judged.io.tables.numbers import ranks
from judged.io.tables.roles import Coded

__all__ = ["ClickRows", "ListRows", "read_click_rows", "read_list_rows", "write_columns"]


_SAID = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "t", "y"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "f", "n"), False),
}


def _clicked(column: Column) -> NDArray[np.bool_] | None:
    """Clicks: 0 and 1, booleans, or their names; None where a cell is something else."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return column == 1 if np.isin(column, [0, 1]).all() else None
    try:
        return np.array([_SAID[cell] for cell in column], dtype=bool)
    except (KeyError, TypeError):
        words = [cell.strip().lower() if isinstance(cell, str) else str(cell).lower() for cell in column]
    return np.array([_SAID[word] for word in words], dtype=bool) if _SAID.keys() >= set(words) else None


def _ranked(column: Column) -> Ints | None:
    """Ranks from 1; None where a cell is something else."""
    try:
        text = isinstance(column, list) and column and isinstance(column[0], str)
        found = np.array(list(map(int, column)), dtype=np.int64) if text else ranks(column)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found is not None and (found >= 1).all() and (found < 1 << 30).all() else None


def _maybe_ranked(column: Column) -> Ints | None:
    """Ranks from 1, or 0 for an empty cell, which says that there is none."""
    empty = [c is None or c == "" or c != c or c in (0, "0") for c in column]
    filled = _ranked([1 if no else c for c, no in zip(column, empty, strict=True)])
    return None if filled is None else np.where(empty, 0, filled)


def _team(column: Column) -> Ints | None:
    """0 for A, 1 for B."""
    words = [c.strip().upper() if isinstance(c, str) else c for c in column]
    return np.array([w == "B" for w in words], np.int64) if all(w in ("A", "B") for w in words) else None


_SESSION = (("session", "sessionid", "sid"), ("impression", "impressionid"), ("searchid",), ("serpid",), ("requestid",))
_QUERY = tuple((name,) for name in list_names("query") if "user" not in name)
_DOC = (("docid",), ("docno",), ("doc",), ("document",), *NAMES["doc"])
_RANK = (("rank",), ("position", "pos"))
_SHOWN_RANK = Role(_RANK, "ranks (rank, position)", _ranked, False, "a rank as a whole number from 1", "rank-type")
CLICKS: Mapping[str, Role] = {
    "session": Role(_SESSION, "sessions (session, session_id, impression …)"),
    "query": Role(_QUERY, "query ids (query, query_id, qid …)"),
    "doc": Role(_DOC, "document ids (doc, doc_id, url, item …)"),
    "rank": _SHOWN_RANK,
    "click": Role((("click", "clicked", "clicks", "isclicked", "isclick"),), "clicks (click, clicked)", _clicked, True,
                  "a click as 0 or 1", "click-type"),
}  # fmt: skip
LISTS: Mapping[str, Role] = {
    "session": Role(_SESSION, "sessions", required=False),
    "query": CLICKS["query"],
    "doc": CLICKS["doc"],
    "rank": _SHOWN_RANK,
    "team": Role((("team",),), "teams (team)", _team, True, "a team, A or B", "team-type"),
    "rank_a": Role((("ranka",),), "ranks in A (rank_a)", _maybe_ranked, False, "a rank in A, or nothing", "rank-type"),
    "rank_b": Role((("rankb",),), "ranks in B (rank_b)", _maybe_ranked, False, "a rank in B, or nothing", "rank-type"),
}


@dataclass(frozen=True, slots=True)
class ClickRows:
    """A click log as read: ids with codes, ranks, clicks. `rank` is None where there was no such column."""

    name: str
    session: Coded
    query: Coded
    doc: Coded
    rank: Ints | None
    clicked: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ListRows:
    """Interleaved lists as read; `session` is None where a list belongs to a query, whoever saw it."""

    name: str
    session: Coded | None
    query: Coded
    doc: Coded
    rank: Ints | None
    team: Ints
    rank_a: Ints | None
    rank_b: Ints | None


def read_click_rows(source: Any, named: Mapping[str, str] | None = None) -> ClickRows:
    """The rows of a click log: CSV, TSV, JSON Lines, JSON, Parquet or Arrow, plain or compressed; or a frame, columns, records.

    Columns are found by their usual names, or by those that `named` gives: session, query, doc, rank, click.
    """
    table = open_role_table(source, "clicks", CLICKS, _known(named or {}, CLICKS))
    found = table.ids
    return ClickRows(
        table.name, found["session"], found["query"], found["doc"], table.numbers.get("rank"), table.numbers["click"]
    )


def read_list_rows(source: Any) -> ListRows:
    """The rows of interleaved lists, in the forms of `read_click_rows`: query, doc, team, and rank, rank_a, rank_b, session if there are."""
    table = open_role_table(source, "lists", LISTS, {})
    ids, numbers = table.ids, table.numbers
    return ListRows(table.name, ids.get("session"), ids["query"], ids["doc"], numbers.get("rank"), numbers["team"],
                    numbers.get("rank_a"), numbers.get("rank_b"))  # fmt: skip


def _known(named: Mapping[str, str], roles: Mapping[str, Role]) -> Mapping[str, str]:
    unknown = set(named) - set(roles)
    if unknown:
        raise UsageError("columns", f"columns {', '.join(roles)}", got=", ".join(sorted(unknown)), value=unknown)
    return named


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def write_columns(columns: Mapping[str, list[Any]], path: str | os.PathLike[str]) -> None:
    """Write columns of one length as CSV, TSV, JSON Lines or Parquet, as the ending of the name says; whole or not at all."""
    target = Path(path)
    inner = target.with_suffix("") if target.suffix in ENDINGS else target
    ending = inner.suffix.lower()
    if ending in (".parquet", ".pq"):
        _parquet(columns, path)
        return
    if ending not in (".csv", ".tsv", ".jsonl", ".ndjson"):
        raise UsageError(
            "format", "a name that ends in .csv, .tsv, .jsonl or .parquet", got=repr(target.name), value=str(path),
            hint="a compressed one ends in .gz, .bz2, .xz or .zst behind that",
        )  # fmt: skip
    rows = zip(*columns.values(), strict=True)
    with write_atomically(path) as file:
        if ending in (".jsonl", ".ndjson"):
            encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
            file.writelines(encode(dict(zip(columns, row, strict=True))) + "\n" for row in rows)
            return
        writer = csv.writer(file, delimiter="," if ending == ".csv" else "\t", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _parquet(columns: Mapping[str, list[Any]], path: str | os.PathLike[str]) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise DataError(
            "needs",
            "pyarrow, to write a Parquet file",
            got="none",
            hint="install it with pip install judged[parquet]",
            where=Place(os.fspath(path)),
        ) from error
    table = pa.table(dict(columns))
    with write_atomically(path, "wb") as file:
        pq.write_table(table, file)
