"""The fields of values that were saved as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.policy import Policy
from judged.errors import DataError, Warned
from judged.evaluation.result.save import AGAIN, saved_data
from judged.measures.grammar import parse
from judged.measures.registry import Measure


def read_fields(text: str, name: str) -> dict[str, Any]:
    """Return the fields of `Values` from the text of a file."""
    data = saved_data(text, name)
    try:
        own = data.get("own_policy", {})
        measures = tuple(replace(parse(key), policy=tuple(own.get(key, {}).items())) for key in data["values"])
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
        raise DataError("values-file", "values saved by judged, but not complete", where=name, hint=AGAIN) from error


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
