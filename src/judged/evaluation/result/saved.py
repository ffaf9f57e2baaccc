"""The fields of values that were saved as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.policy import Policy
from judged.errors import DataError, Warned
from judged.measures.grammar import parse
from judged.measures.registry import Measure


def read_fields(text: str, name: str) -> dict[str, Any]:
    """Return the fields of `Values` from the text of a file."""
    try:
        data = json.loads(text)
        measures = tuple(parse(key) for key in data["values"])
        size = len(data["queries"])
        weights = data.get("weights")
        return {
            "queries": tuple(data["queries"]),
            "measures": measures,
            "columns": _read_columns(measures, data["values"], size) or {},
            "policy": Policy(**data["policy"]),
            "profile": data["profile"],
            "names": (data["qrels"], data["run"]),
            "coverage": data["coverage"],
            "warnings": tuple(Warned(w["code"], w["count"], w["text"]) for w in data["warnings"]),
            "if_irrelevant": _read_columns(measures, data.get("if_irrelevant"), size),
            "if_top": _read_columns(measures, data.get("if_top"), size),
            "weights": None if weights is None else _read_column(weights, float, size),
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DataError(
            "values-file", f"not a complete file of saved values ({reason})", where=name,
            hint="save the values again",
        ) from error  # fmt: skip


def _read_columns(
    measures: Sequence[Measure], stored: dict[str, list[Any]] | None, size: int
) -> dict[str, Column] | None:
    if stored is None:
        return None
    kinds = (object if m.definition.text else float for m in measures)
    return {str(m): _read_column(v, kind, size) for m, kind, v in zip(measures, kinds, stored.values(), strict=True)}


def _read_column(stored: list[Any], kind: type, size: int) -> Column:
    column: Column = np.array(stored, dtype=kind)
    if column.shape != (size,):
        raise ValueError(f"a column does not have {size} values")
    return column
