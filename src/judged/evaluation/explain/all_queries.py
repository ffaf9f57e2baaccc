"""The arithmetic of every query of a result, for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.evaluation.explain.explain import closing_line, condensed, shown_columns
from judged.evaluation.explain.result import cell_text
from judged.evaluation.explain.trace import trace
from judged.evaluation.measuring.column import is_empty
from judged.evaluation.result.source import in_one_order
from judged.evaluation.result.values import Values
from judged.measures.registry import Measure


@dataclass(frozen=True, slots=True)
class QueryArithmetic:
    """One query under one measure: one row of cells per judged document that it saw, down to a depth, and the last step."""

    headers: tuple[str, ...]
    ranks: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    closing: str
    hidden: int  # judged documents below the last row
    parts: tuple[float, ...] | None  # what each row adds to the value; None if the value is not a sum over documents


def steps_of(result: Values, measure: Measure, depth: int, words: Words | None = None) -> list[QueryArithmetic]:
    """The arithmetic of each query, in the order of `result.queries`; the result must have its source."""
    assert result.source is not None
    judged = result.source.judged
    if result.source.alternatives:
        from judged.evaluation.alternatives import chosen

        judged = chosen(measure, result.source).judged
    judged = condensed(judged) if measure.get("judged_only") else judged
    empty = is_empty(measure, judged)
    judged = in_one_order(judged)
    traced = trace(measure, judged)
    columns = shown_columns(traced, judged)
    last_sum = columns.get("sum")
    cutoff = measure.get("cutoff") if measure.definition.at == "cutoff" else None
    reach = measure.seen(judged).retrieved if measure.get("tokens") else judged.retrieved  # a budget may end it earlier
    shown = judged.rank <= np.minimum(judged.at(reach), min(depth, cutoff or depth))
    words = words or Words()
    cells = list(zip(*(words.of(x[shown]) for x in columns.values()), strict=True)) or [()] * int(shown.sum())
    seen = np.bincount(judged.query[shown], minlength=len(judged))
    ends, shown_ends = np.cumsum(judged.hits), np.cumsum(seen)
    ranks = judged.rank[shown].tolist()
    parts = _parts(traced.main_sum(), result[measure], judged, shown)
    inside = judged.within(cutoff) & (judged.rank <= judged.at(reach))
    within = np.bincount(judged.query[inside], minlength=len(judged))
    arithmetic = []
    for row, value in enumerate(result[measure].tolist()):
        end = int(ends[row])
        last = 0.0 if last_sum is None or not judged.hits[row] else float(last_sum[end - 1])
        part = slice(int(shown_ends[row] - seen[row]), int(shown_ends[row]))
        closing = closing_line(measure, traced, row, last, value, judged, bool(empty[row]))
        below = int(within[row] - seen[row])
        own = None if parts is None else tuple(parts[part])
        arithmetic.append(QueryArithmetic(tuple(columns), tuple(ranks[part]), tuple(cells[part]), closing, below, own))
    return arithmetic


def _parts(summed: Column | None, values: Column, judged: Judged, shown: Column) -> list[float] | None:
    """The share of each shown row in the value of its query, which is proportional to the sum; five decimals."""
    if summed is None or values.dtype.kind != "f":
        return None
    x = summed.astype(float)
    totals = judged.total(x)
    scale = np.divide(values, totals, out=np.zeros(len(judged)), where=totals != 0)
    return [(round(part, 5) or 0) if part else 0 for part in (x * judged.at(scale))[shown].tolist()]


class Words:
    """The numbers of columns as text; equal ones are formatted once for all runs, which have the same gains, discounts and ranks."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def of(self, column: Column) -> list[str]:
        """The text of each number; the kinds of numbers are kept apart, since 1 and True are equal."""
        return list(map(self._known.setdefault(column.dtype.kind, _Known()).__getitem__, column.tolist()))


class _Known(dict[Any, str]):
    def __missing__(self, value: Any) -> str:
        text = cell_text(int(value) if isinstance(value, float) and value.is_integer() else value)
        if value == value:  # NaN would be another key each time
            self[value] = text
        return text
