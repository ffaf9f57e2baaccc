"""Rows of the same document in several runs, put next to each other."""

from __future__ import annotations

import numpy as np

from judged._types import Bools, Ints
from judged.core.ids import IdColumn
from judged.core.numeric.native import native, usable_cores


def group_documents(query: Ints, queries: int, docs: IdColumn) -> tuple[Ints, Bools]:
    """Return the order of rows by query, then by id from the highest down, then by row; and whether a document begins at each place.

    Args:
        query: the query of each row, from 0.
        queries: number of queries.
        docs: the document of each row.
    """
    if native is None:
        return group_documents_reference(query, docs)
    order, first = native.group_rows(np.ascontiguousarray(query, np.int64), queries, docs.arrays(), usable_cores())
    return order, first.view(np.bool_)


def group_documents_reference(query: Ints, docs: IdColumn) -> tuple[Ints, Bools]:
    """Do the same without the native library."""
    down = docs.order(-query)[::-1]
    first = np.ones(len(query), bool)
    first[1:] = (query[down[1:]] != query[down[:-1]]) | ~docs.same(down[1:], docs, down[:-1])
    document = np.empty(len(query), np.int64)
    document[down] = np.cumsum(first)
    return np.argsort(document, kind="stable"), first
