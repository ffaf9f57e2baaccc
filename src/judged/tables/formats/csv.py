"""Comma-separated values."""

from __future__ import annotations

import csv as writers
import io
import json
from collections.abc import Collection
from typing import Any

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.text import plain_data


@output_format("csv", ending=".csv")
def csv(result: Renderable, places: int) -> str:
    """The records with full precision, one row each."""
    return csv_text(result.records())


def csv_text(records: list[dict[str, Any]], delimiter: str = ",", *, exact: Collection[str] = ()) -> str:
    """Write records as CSV, with every key that occurs as a column; `exact` columns contain ids that are read again."""
    out = io.StringIO()
    columns = list(dict.fromkeys(key for record in records for key in record))
    writer = writers.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(map(safe, columns))
    writer.writerows(
        [record[name] if name in exact else _shown(record.get(name)) for name in columns] for record in records
    )
    return out.getvalue()


def cell(value: Any) -> Any:
    """A value for a CSV file: empty if it is missing; no text that a spreadsheet would compute."""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain_data(value))
    return "" if value is None or value != value else value


def _shown(value: Any) -> Any:
    return cell(safe(value) if isinstance(value, str) else value)
