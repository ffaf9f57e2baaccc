"""Comma-separated values."""

from __future__ import annotations

import csv as writers
import io
import json
from collections.abc import Collection
from typing import Any

from judged.errors import safe
from judged.tables.formats import Renderable, output_format
from judged.tables.table import plain_data

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


@output_format("csv", ending=".csv")
def csv(result: Renderable, places: int) -> str:
    """The records with full precision, one row each."""
    return csv_text(result.records())


def csv_text(records: list[dict[str, Any]], *, exact: Collection[str] = (), spreadsheet_safe: bool = False) -> str:
    """Write records as CSV, with every key that occurs as a column.

    Args:
        records: the rows.
        exact: columns of ids that are read again: control characters are kept.
        spreadsheet_safe: see `Result.to_csv`.
    """
    out = io.StringIO()
    columns = list(dict.fromkeys(key for record in records for key in record))
    writer = writers.writer(out, lineterminator="\n")
    quote = _quote_formula if spreadsheet_safe else cell
    writer.writerow(quote(safe(name)) for name in columns)
    writer.writerows(
        [quote(record[name] if name in exact else _shown(record.get(name))) for name in columns] for record in records
    )
    return out.getvalue()


def cell(value: Any) -> Any:
    """A value for a CSV file: empty if it is missing, lists as JSON."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain_data(value))
    return "" if value is None or value != value else value


def _quote_formula(value: Any) -> Any:
    """A cell with `'` before text that a spreadsheet would compute; also before `'`, so that removing one restores the text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else cell(value)


def _shown(value: Any) -> Any:
    return safe(value) if isinstance(value, str) else value
