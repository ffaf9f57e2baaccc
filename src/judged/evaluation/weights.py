"""Weights of queries, such as their traffic; clusters of queries that are not independent, such as those of one user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.measuring import check_strict
from judged.evaluation.model_judgments import check_no_model
from judged.evaluation.query_attributes import QueryValues, values_of_queries
from judged.stats.checks import no_weights
from judged.tables.table import counted

if TYPE_CHECKING:
    from judged.evaluation.values import Values


def weigh(result: Values, weights: Any, column: str | None = None, *, strict: bool = False) -> Values:
    """Return values with the weights of their queries, and a warning if there are weights of other queries.

    Args:
        result: the values, returned unchanged without weights.
        weights: {query: weight}, or a table of queries.
        column: the column of the table that has the weights. [default: weight]
        strict: turn the warning into an error.

    Raises:
        DataError: `query-weights`: a query has no weight, or one that is not a finite number ≥ 0; or all weights are 0.
    """
    if weights is None:
        return result
    check_no_model(result, "weights of queries")
    found = _of_queries(weights, result.queries, column or "weight", "weight_col")
    numbers = check_weights([_number(weight, text=found.from_table) for weight in found.values], result.queries)
    warnings = []
    if others := found.others:
        text = f"ignored the weights of {counted(len(others), 'query')} not evaluated; first: {shown(others[0])}"
        warnings.append(Warned("query-weights", len(others), text))
        check_strict(warnings if strict else ())
    # Kish (1965): weights count like fewer queries of equal weight, and intervals are as wide as those of so few.
    scaled, positive = numbers / numbers.max(), int((numbers > 0).sum())
    like = float(scaled.sum() ** 2 / (scaled @ scaled))
    if like < positive / 2 and positive > 1:
        text = f"the weights are uneven: {counted(positive, 'query')} count like {like:.3g} of equal weight"
        warnings.append(Warned("query-weights", positive, text))
    return replace(result, weights=numbers, warnings=(*result.warnings, *warnings))


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


def _number(weight: Any, *, text: bool) -> float:
    """Return a weight as a number; only a table has numbers as text."""
    try:
        if isinstance(weight, bool | np.bool_) or (isinstance(weight, str | bytes) and not text):
            raise TypeError
        return float(weight)
    except (TypeError, ValueError, OverflowError):
        raise DataError("query-weights", f"weights must be numbers, got {shown(weight)}", value=weight) from None


def cluster(result: Values, clusters: Any, column: str | None = None) -> Values:
    """Return values with the clusters of their queries, which their intervals and comparisons then use.

    Args:
        result: the values, returned unchanged without clusters.
        clusters: {query: cluster}, or a table of queries.
        column: the column of the table that has the clusters. [default: cluster]

    Raises:
        DataError: `query-clusters`: a query has no cluster.
        UsageError: `query-weights`: the queries have weights too.
    """
    if clusters is None:
        return result
    check_no_model(result, "clusters of queries")
    if result.weights is not None:
        raise no_weights("clusters")
    found = _of_queries(clusters, result.queries, column or "cluster", "cluster_col").values
    codes: dict[str, int] = {}  # in the order in which clusters appear
    column_of_codes: Ints = np.array([codes.setdefault(str(name), len(codes)) for name in found], dtype=np.int64)
    column_of_codes.flags.writeable = False
    return replace(result, clusters=column_of_codes)


def _of_queries(source: Any, queries: Sequence[Id], column: str, option: str) -> QueryValues:
    """The weight or the cluster of each query; raise if a query has none."""
    found = values_of_queries(source, queries, column, option=option)
    if missing := [query for query, value in zip(queries, found.values, strict=True) if value is None]:
        what = option.removesuffix("_col")
        problem = f"{counted(len(missing), 'query')} without a {what}; first: {shown(missing[0])}"
        raise DataError(f"query-{what}s", problem, hint=f"give each query a {what}")
    return found


def check_plain(what: str, results: Sequence[Values]) -> None:
    """Raise if queries have weights, clusters or values of a model, which `what` would ignore."""
    for result in results:
        check_no_model(result, what)
        if result.weights is not None:
            raise no_weights(what)
        if result.clusters is not None:
            hint = "evaluate again without clusters"
            raise UsageError("query-clusters", f"{what} cannot use clusters of queries", hint=hint)
