"""Similarity of items: from vectors, a matrix, a function, or shared categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats, Ints
from judged.errors import DataError, UsageError, shown
from judged.io.arrays import as_numbers, is_sparse

Between = Callable[[Ints, Ints], Floats]

_CELLS = 1 << 22  # numbers in memory at a time
_NAMES = ("cosine", "euclidean", "jaccard")


@dataclass(frozen=True, slots=True)
class ItemTable:
    """The numbers of items by id, and the catalogue in its order, if it was given as ids."""

    place: dict[str, int]
    catalogue: list[str] | None
    whole: bool = False  # true if the run has integers as ids


@dataclass(frozen=True, slots=True)
class Alike:
    """The similarity of items by number, and the items that have one (None: all)."""

    between: Between | None = None
    described: NDArray[np.bool_] | None = None


def similarity_of(vectors: Any, similarity: Any, shares: Floats | None, table: ItemTable) -> Alike:
    """Build the similarity; without vectors, matrix, function or categories it has none.

    Args:
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are the items of the catalogue in order, or items 0, 1, 2 …
        similarity: `cosine` or `euclidean` of vectors; `jaccard` of categories; a function of two items; a matrix, or (ids, matrix).
        shares: items × categories.
        table: the items.
    """
    name = similarity if isinstance(similarity, str) else None
    if name is not None and name not in _NAMES:
        problem = f"similarity must be {', '.join(_NAMES)}, a function or a matrix, got {shown(name)}"
        raise UsageError("argument", problem, value=name)
    if similarity is not None and name is None:
        if vectors is not None:
            raise UsageError("argument", "got both vectors and a custom similarity", hint="omit one of them")
        return _by_call(similarity, table) if callable(similarity) else _by_matrix(similarity, table)
    if name == "jaccard":
        return Alike() if shares is None else _by_categories(shares > 0)
    return Alike() if vectors is None else _by_vectors(vectors, name or "cosine", table)


def _by_vectors(vectors: Any, name: str, table: ItemTable) -> Alike:
    row, matrix = _rows(vectors, "vectors", table)
    sparse = is_sparse(matrix)
    if sparse and name == "cosine":
        norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
        matrix = matrix.multiply(np.where(norm > 0, 1 / np.where(norm > 0, norm, 1), 0)[:, None]).tocsr()
        return _in_blocks(row, lambda a, b: np.asarray(matrix[a].multiply(matrix[b]).sum(axis=1)).ravel(), 1 << 8)
    matrix = np.asarray(matrix.todense() if sparse else matrix, dtype=float)
    if name == "euclidean":
        return _in_blocks(row, lambda a, b: 1 / (1 + np.linalg.norm(matrix[a] - matrix[b], axis=1)), matrix.shape[1])
    norm = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = np.divide(matrix, norm, out=np.zeros(matrix.shape), where=norm > 0)  # a vector of zeros has similarity 0
    return _in_blocks(row, lambda a, b: np.einsum("ij,ij->i", unit[a], unit[b]), matrix.shape[1])


def _in_blocks(row: Ints, between: Between, width: int) -> Alike:
    step = max(1, _CELLS // max(width, 1))

    def similarity(a: Ints, b: Ints) -> Floats:
        parts = [between(row[a[at : at + step]], row[b[at : at + step]]) for at in range(0, len(a), step)]
        return np.concatenate(parts) if parts else np.empty(0)

    return Alike(similarity, row >= 0)


def _by_categories(member: NDArray[np.bool_]) -> Alike:
    def jaccard(a: Ints, b: Ints) -> Floats:
        return np.asarray((member[a] & member[b]).sum(axis=1) / np.maximum((member[a] | member[b]).sum(axis=1), 1))

    alike = _in_blocks(np.arange(len(member)), jaccard, member.shape[1])
    return Alike(alike.between, np.asarray(member.any(axis=1)))


def _by_matrix(similarity: Any, table: ItemTable) -> Alike:
    row, matrix = _rows(similarity, "similarity", table)
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError("shape", "a square matrix of similarities", got=f"shape {matrix.shape}", where="similarity")
    dense = np.asarray(matrix.todense()) if is_sparse(matrix) else matrix
    return _in_blocks(row, lambda a, b: np.asarray(dense[a, b], dtype=float), 1)


def _by_call(function: Callable[[Any, Any], float], table: ItemTable) -> Alike:
    """A function of two ids as in the run, called once for each pair of items."""
    names = [int(text) if table.whole and text.lstrip("-").isdigit() else text for text in table.place]

    def between(a: Ints, b: Ints) -> Floats:
        low, high = np.minimum(a, b), np.maximum(a, b)
        key, place = np.unique(low * len(names) + high, return_inverse=True)
        values = [float(function(names[k // len(names)], names[k % len(names)])) for k in key.tolist()]
        return np.array(values, dtype=float)[place]

    return Alike(between)


def _rows(given: Any, name: str, table: ItemTable) -> tuple[Ints, Any]:
    """The row of each item, -1 for none; and the matrix."""
    ids: list[Any] | None = None
    if isinstance(given, Mapping):
        ids, given = list(given), [np.asarray(v, dtype=float).ravel() for v in given.values()]
        if len({len(v) for v in given}) != 1:
            raise DataError("shape", "vectors have different lengths", where=name)
    elif isinstance(given, tuple) and len(given) == 2:
        ids, given = list(given[0].tolist() if hasattr(given[0], "tolist") else given[0]), given[1]
    matrix = given.tocsr() if is_sparse(given) else as_numbers(given, name)
    if matrix.ndim != 2 or (ids is not None and len(ids) != matrix.shape[0]):
        raise DataError("shape", "a matrix with one row per item", got=f"shape {matrix.shape}", where=name)
    if not np.isfinite(matrix.data if is_sparse(matrix) else matrix).all():
        raise DataError("shape", f"NaN or infinity in {name}", where=name)
    names = _names(ids, matrix.shape[0], name, table)
    row = np.full(len(table.place), -1)
    for i, text in enumerate(names):
        if (at := table.place.get(text)) is not None:
            row[at] = i
    if (row < 0).all():
        raise DataError(
            "catalogue",
            f"no item of the run or the history is in {name}",
            where=name,
            hint="check that the ids are the same",
        )
    return row, matrix


def _names(ids: list[Any] | None, rows: int, name: str, table: ItemTable) -> list[str]:
    if ids is not None:
        return [str(i) for i in ids]
    if table.catalogue is None:
        return [str(i) for i in range(rows)]
    if len(table.catalogue) != rows:
        raise DataError("shape", f"{rows} rows for {len(table.catalogue)} items", where=name)
    return table.catalogue
