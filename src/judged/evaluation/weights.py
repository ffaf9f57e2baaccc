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
from judged.stats.summary import no_weights
from judged.tables.text import counted

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
    from judged.evaluation.model_judgments import check_no_model

    check_no_model(result, "weights of queries")
    from judged.io.query_attributes import values_of_queries

    found = values_of_queries(weights, queries := result.queries, column or "weight", option="weight_col")
    if missing := [query for query, weight in zip(queries, found.values, strict=True) if weight is None]:
        problem = f"{counted(len(missing), 'query')} without a weight; first: {shown(missing[0])}"
        raise DataError("query-weights", problem, hint="give a weight to every query, 0 for one that does not count")
    numbers = check_weights([_number(weight, text=found.from_table) for weight in found.values], queries)
    unknown: tuple[Warned, ...] = ()
    if others := found.others:
        were = "was" if len(others) == 1 else "were"
        text = f"{counted(len(others), 'query')} with a weight {were} not evaluated; first: {shown(others[0])}"
        unknown = (Warned("weight-unknown", len(others), text),)
        if strict:
            check_strict(unknown)
    return replace(result, weights=numbers, warnings=(*result.warnings, *unknown, *_uneven(numbers)))


def _uneven(weights: Floats) -> tuple[Warned, ...]:
    """Warn of weights that count like less than half of the queries (Kish 1965): intervals are then as wide as those of so few."""
    scaled = weights / weights.max()
    like, positive = float(scaled.sum() ** 2 / (scaled @ scaled)), int((weights > 0).sum())
    if like >= positive / 2 or positive < 2:
        return ()
    text = f"the weights are uneven: {counted(positive, 'query')} count like {like:.3g} of equal weight"
    return (Warned("uneven-weights", positive, text),)


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
    except OverflowError:
        return float("inf")  # too large for a number, and refused as one that is not finite
    except (TypeError, ValueError):
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
    from judged.evaluation.model_judgments import check_no_model

    check_no_model(result, "clusters of queries")
    if result.weights is not None:
        raise no_weights("clusters")
    return replace(result, clusters=cluster_codes(clusters, result.queries, column))


def cluster_codes(clusters: Any, queries: Sequence[Id], column: str | None = None) -> Ints:
    """Return a code per query, in the order in which clusters appear."""
    from judged.io.query_attributes import values_of_queries

    found = values_of_queries(clusters, queries, column or "cluster", option="cluster_col").values
    if missing := [query for query, name in zip(queries, found, strict=True) if name is None]:
        problem = f"{counted(len(missing), 'query')} without a cluster; first: {shown(missing[0])}"
        raise DataError("query-clusters", problem, hint="give each query a cluster; a query alone is its own")
    codes: dict[str, int] = {}
    column_of_codes = np.array([codes.setdefault(str(name), len(codes)) for name in found], dtype=np.int64)
    column_of_codes.flags.writeable = False
    return column_of_codes


def count_clusters(clusters: Ints | None) -> int | None:
    """Return the number of clusters; None without any."""
    return None if clusters is None else len(np.unique(clusters))


def check_plain(what: str, results: Sequence[Values], *, model: bool = False) -> None:
    """Raise if queries have weights, clusters or values of a model, which `what` would ignore; with `model` it uses those of a model."""
    from judged.evaluation.model_judgments import check_no_model

    for result in () if model else results:
        check_no_model(result, what)
    if any(result.weights is not None for result in results):
        raise no_weights(what)
    if any(result.clusters is not None for result in results):
        hint = "evaluate again without clusters"
        raise UsageError("query-clusters", f"{what} cannot use clusters of queries", hint=hint)
