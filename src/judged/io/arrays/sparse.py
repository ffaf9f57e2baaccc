"""Sparse matrices of users and items as lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import DataError
from judged.io.arrays.numbers import as_numbers, is_sparse


def of_sparse(labels: Any, scores: Any) -> tuple[Floats, Floats, Ints, Ints]:
    """Return labels, scores, sizes of lists, and the number of relevant items that each list lacks.

    Of sparse scores the stored ones are ranked, zeros too; of dense scores all. A label that is not stored is 0.
    """
    if labels.shape != scores.shape:
        raise DataError("shape", "labels and scores of the same shape", got=f"{labels.shape} and {scores.shape}")
    rows, items = labels.shape
    truth = _entries(labels, items)
    if is_sparse(scores):
        ranked = _entries(scores, items)
        owner, score = ranked[0] // max(items, 1), ranked[1]
        label = _look_up(truth, ranked[0])
        sizes = np.bincount(owner, minlength=rows)
    else:
        score = as_numbers(scores, "scores").values.astype(float).reshape(-1)
        label = np.zeros(len(score))
        label[truth[0]] = truth[1]
        owner, sizes = np.repeat(np.arange(rows), items), np.full(rows, items)
    listed = np.bincount(owner[label > 0], minlength=rows)
    relevant = np.bincount((truth[0] // max(items, 1))[truth[1] > 0], minlength=rows)
    return label, score, sizes, relevant - listed


def _entries(matrix: Any, items: int) -> tuple[Ints, Floats]:
    """Return the stored cells, in order and each once, and their values."""
    if not is_sparse(matrix):
        dense = as_numbers(matrix, "labels").values.astype(float)
        cells = np.flatnonzero(dense)
        return cells, dense.reshape(-1)[cells]
    stored = matrix.tocoo()
    cells = stored.row.astype(np.int64) * items + stored.col
    values = as_numbers(stored.data, "stored values").values.astype(float)
    order = np.argsort(cells, kind="stable")
    cells, values = cells[order], values[order]
    new = np.ones(len(cells), bool)
    new[1:] = cells[1:] != cells[:-1]
    return cells[new], np.add.reduceat(values, np.flatnonzero(new)) if len(cells) else values


def _look_up(truth: tuple[Ints, Floats], cells: Ints) -> Floats:
    at = np.searchsorted(truth[0], cells)
    at = np.minimum(at, max(len(truth[0]) - 1, 0))
    if not len(truth[0]):
        return np.zeros(len(cells))
    return np.where(truth[0][at] == cells, truth[1][at], 0.0)
