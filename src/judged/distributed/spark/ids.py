"""Ids as Spark has them: text as strings, whole numbers as long."""

from __future__ import annotations

from typing import Any

from judged.core.ids import IdColumn
from judged.core.tables import IdKind

__all__ = ["ids_for_spark"]


def ids_for_spark(ids: IdColumn, kind: IdKind) -> Any:
    """A column of Arrow; null where an id is none that Spark can hold: not UTF-8, or more than 64 bits."""
    import pyarrow as pa

    raw = ids.tolist()
    if kind == "integer":
        return pa.array([number if -(2**63) <= number < 2**63 else None for number in map(int, raw)], pa.int64())
    try:
        return pa.array(raw, pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([_text(item) for item in raw], pa.string())


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
