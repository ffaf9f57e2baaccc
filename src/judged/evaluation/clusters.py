"""Clusters of queries that are not independent, such as those of one user or topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Ints
from judged.core.tables import Id
from judged.errors import DataError, UsageError, shown
from judged.stats.summary import no_weights
from judged.tables.text import counted

if TYPE_CHECKING:
    from judged.evaluation.result.values import Values

COLUMN = "cluster"


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
    from judged.evaluation.result.calibration import check_no_model

    check_no_model(result, "clusters of queries")
    if result.weights is not None:
        raise no_weights("clusters")
    return replace(result, clusters=cluster_codes(clusters, result.queries, column))


def cluster_codes(clusters: Any, queries: Sequence[Id], column: str | None = None) -> Ints:
    """Return a code per query, in the order in which clusters appear."""
    from judged.io.query_attributes import values_of_queries

    found = values_of_queries(clusters, queries, column or COLUMN, option="cluster_col").values
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
    from judged.evaluation.result.calibration import check_no_model

    for result in () if model else results:
        check_no_model(result, what)
    if any(result.weights is not None for result in results):
        raise no_weights(what)
    if any(result.clusters is not None for result in results):
        hint = "evaluate again without clusters"
        raise UsageError("query-clusters", f"{what} cannot use clusters of queries", hint=hint)
