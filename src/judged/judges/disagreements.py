"""Documents that judges disagree on, as a table, and as a file for an adjudicator."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import UsageError, shown
from judged.io.atomic import ENDINGS, write_atomically
from judged.io.columns import is_usual
from judged.judges.panel import Panel
from judged.stats.agreement.ratings import Ratings
from judged.tables.formats.csv import csv_text
from judged.tables.result import RecordTable
from judged.tables.text import distinct_columns, plain_data

_FORMATS = {"": "csv", ".csv": "csv", ".tsv": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def list_disagreements(panel: Panel, n: int | None, per_query: int | None) -> RecordTable:
    """Return at most n units that judges disagree on, the largest difference first; see `Agreement.disagreements`."""
    for name, value in (("n", n), ("per_query", per_query)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0):
            raise UsageError("parameter", f"{name} must be an integer ≥ 0 or None, got {shown(value)}", value=value)
    ratings, units = panel.original or panel.ratings, panel.units
    difference = _difference(ratings, panel.levels)
    rows = np.flatnonzero(_difference(panel.ratings) > 0)
    count = len(rows)
    rows = rows[np.argsort(-difference[rows], kind="stable")]
    if per_query is not None and units is not None:
        rows = rows[_position_in_group(units.query[rows]) < per_query]
    rows = rows[:n]
    labels = (*ratings.categories, None)
    ids: dict[str, tuple[Any, ...]] = {"row": tuple(rows.tolist())}
    if units is not None:
        ids = {"query": tuple(units.queries[i] for i in units.query[rows]), "doc": tuple(units.docs(rows))}
    judges = distinct_columns(panel.names, {*ids, "difference"}.__contains__)
    grades = {name: tuple(labels[c] for c in row[rows]) for name, row in zip(judges, ratings.codes, strict=True)}
    columns = {**ids, **grades, "difference": tuple(int(x) if x == int(x) else x for x in difference[rows].tolist())}
    total = "the only disagreement" if count == 1 else f"all {count} disagreements"
    title = f"{len(rows)} of {count} disagreements" if len(rows) < count else total
    return RecordTable(columns, words=("query", "doc"), title=title)


def adjudication_list(panel: Panel) -> RecordTable:
    """Return all disagreements with an empty column `relevance`, as a table of judgments that `read_qrels` reads.

    A judge whose name is a usual name of an id or grade column gets another one, so that the right columns are found.
    """
    if panel.units is None:
        raise UsageError("judges", "columns of labels have no documents to adjudicate")
    table = list_disagreements(panel, None, None)
    query, doc, *grades, difference = table.columns.values()
    judges = distinct_columns(panel.names, lambda name: name == "difference" or is_usual(name))
    columns = {"query_id": query, "doc_id": doc, **dict(zip(judges, grades, strict=True)), "difference": difference}
    return RecordTable({**columns, "relevance": (None,) * len(table)}, words=("query_id", "doc_id"), title=table.title)


def adjudication_format(path: str | os.PathLike[str]) -> str:
    """Return the format of an adjudication list, given by its file extension: csv, tsv, json or jsonl."""
    name = Path(path)
    inner = name.with_suffix("") if name.suffix in ENDINGS else name
    ending = "" if os.fspath(path) == "-" else inner.suffix.lower()
    if ending not in _FORMATS:
        hint = f"use {', '.join(filter(None, _FORMATS))}, or no extension for CSV"
        raise UsageError("ending", f"{shown(str(path))} has an unknown extension", hint=hint, value=str(path))
    return _FORMATS[ending]


def adjudication_text(table: RecordTable, format: str) -> str:
    """Write an adjudication list as text; ids are unchanged, since the file is read again."""
    if format in ("csv", "tsv"):
        return csv_text(table.records(), "\t" if format == "tsv" else ",", exact=("query_id", "doc_id"))
    rows = [json.dumps(plain_data(row), ensure_ascii=False) for row in table.records()]
    return "".join(f"{row}\n" for row in rows) if format == "jsonl" else f"[{f',{chr(10)} '.join(rows)}]\n"


def save_adjudication_list(table: RecordTable, path: str | os.PathLike[str]) -> None:
    """Write an adjudication list to a file."""
    text = adjudication_text(table, adjudication_format(path))
    with write_atomically(path) as file:
        file.write(text)


def _difference(ratings: Ratings, levels: Sequence[float] | None = None) -> Floats:
    """Return the highest label less the lowest of each unit, relative to the judges' levels if there are any.

    For text it is the number of distinct labels less one.
    """
    codes = ratings.codes
    missing, size = codes < 0, len(ratings.categories)
    if ratings.numbers is not None:
        value = np.append(ratings.numbers, np.nan)[codes] - (0.0 if levels is None else np.array(levels)[:, None])
        high, low = np.where(missing, -np.inf, value).max(axis=0), np.where(missing, np.inf, value).min(axis=0)
        return np.where(missing.all(axis=0), 0.0, high - low)
    used = np.zeros((size + 1, codes.shape[1]), bool)
    for row in codes:
        used[row, np.arange(codes.shape[1])] = True
    return np.maximum(used[:size].sum(axis=0) - 1.0, 0.0)


def _position_in_group(group: Ints) -> Ints:
    """Return the position of each row among the rows of its group, from 0."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    position = np.empty(len(group), np.int64)
    position[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    return position
