"""Weights of queries, such as their traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Floats
from judged.core.tables import Id
from judged.errors import DataError, shown
from judged.io.query_attributes import read_attribute
from judged.stats.summary import no_weights
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.evaluation.result.values import Values

COLUMN = "weight"


def weights_of(weights: Any, queries: Sequence[Id], column: str | None = None) -> Floats | None:
    """Return the weight of each query, or None without weights.

    Args:
        weights: {query: weight}, or a table of queries. It may have other queries too.
        queries: the queries that were evaluated.
        column: the column of the table that has the weights. [default: weight]

    Raises:
        DataError: `query-weights`: a query has no weight, or one that is not a finite number ≥ 0; or all weights are 0.
    """
    if weights is None:
        return None
    if not isinstance(weights, Mapping) or _is_columns(weights):
        weights = read_attribute(weights, column or COLUMN, option="weight_col")
    by_text = {
        str(query): weight for query, weight in weights.items()
    }  # ids may be text on one side and numbers on the other
    found = [weights.get(query, by_text.get(str(query))) for query in queries]
    if missing := [query for query, weight in zip(queries, found, strict=True) if weight is None]:
        problem = f"{counted(len(missing), 'query')} without a weight; first: {shown(missing[0])}"
        raise DataError("query-weights", problem, hint="give a weight to every query, 0 for one that does not count")
    return check_weights([_number(weight) for weight in found], queries)


def check_weights(weights: Any, queries: Sequence[Id]) -> Floats:
    """Return weights as numbers ≥ 0, not all of them 0."""
    column = np.array(weights, dtype=float)
    wrong = np.flatnonzero(~(np.isfinite(column) & (column >= 0)))
    if len(wrong):
        bad = f"{column[wrong[0]]:g} of query {shown(queries[int(wrong[0])])}"
        raise DataError(
            "query-weights", f"weights must be finite numbers ≥ 0, got {bad}", value=float(column[wrong[0]])
        )
    if not column.any():
        raise DataError("query-weights", "all weights are 0", hint="give a positive weight to at least one query")
    column.flags.writeable = False
    return column


def check_unweighted(what: str, results: Sequence[Values]) -> None:
    """Raise if queries have weights, which `what` would ignore."""
    if any(result.weights is not None for result in results):
        raise no_weights(what)


def _is_columns(weights: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is a table {column: values}, not {query: weight}."""
    return any(isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) for value in weights.values())


def _number(weight: Any) -> float:
    try:
        return float(weight)
    except (TypeError, ValueError):
        raise DataError("query-weights", f"weights must be numbers, got {shown(weight)}", value=weight) from None
