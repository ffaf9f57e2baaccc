"""Rules in the table [gate] of a `judged.toml`."""

from __future__ import annotations

import os
from typing import Any

from judged.errors import DataError, shown
from judged.io.files.source import read_text


def read_rules(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the table [gate] of a `judged.toml`."""
    import tomllib

    try:
        data = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError("rules-file", f"not TOML: {error}", where=str(path)) from error
    for key in data:
        if key != "gate":
            raise DataError(
                "rules-file", f"unknown table {shown(key)}", hint="name the table [gate]", where=str(path), value=key
            )
    table = data.get("gate", {})
    if not isinstance(table, dict):
        raise DataError("rules-file", f"gate must be a table, got {shown(table)}", where=str(path))
    return table
