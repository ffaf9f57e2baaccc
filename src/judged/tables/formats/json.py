"""Strict JSON."""

from __future__ import annotations

from json import dumps

from judged.tables.formats import Renderable, output_format
from judged.tables.table import plain_data


@output_format("json", ending=".json")
def json(result: Renderable, places: int) -> str:
    """Everything, indented, in ASCII (ids need not be UTF-8); missing values are null."""
    return dumps(plain_data(result.to_data()), indent=2, allow_nan=False) + "\n"
