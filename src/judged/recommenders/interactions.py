"""Read interaction history from any supported input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import DataError
from judged.io.arrays import is_number_matrix, is_sparse
from judged.io.read import read_qrels


@dataclass(frozen=True, slots=True)
class Interactions:
    """One row per interaction, as codes into the distinct users and items, which are text."""

    users: list[str]
    items: list[str]
    user: Ints
    item: Ints


def as_text(item: Any) -> str:
    """An id as text: 7 in a frame and 7 in a file are the same item, as in slices."""
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def read_interactions(source: Any, where: str) -> Interactions:
    """Read interactions from any input of `read_qrels`, (user, item) pairs, or a sparse matrix of users × items.

    Ratings are ignored: drop the rows that should not count. `where` is the name of the argument, for messages.
    """
    if is_sparse(source):
        cells = source.tocoo()
        kept = cells.data != 0
        (users, user), (items, item) = (np.unique(x[kept], return_inverse=True) for x in (cells.row, cells.col))
        return Interactions([str(u) for u in users.tolist()], [str(i) for i in items.tolist()], user, item)
    if is_number_matrix(source):
        raise DataError(
            "score-matrix",
            "interactions with ids, or a sparse matrix of users × items",
            got="a matrix of numbers",
            where=where,
            hint=f"convert it with scipy.sparse.csr_array({where})",
        )
    if isinstance(source, (list, tuple)) and source and all(isinstance(row, (tuple, list)) for row in source):
        return _of_pairs(source, where)
    try:
        past = read_qrels(source)
    except DataError as error:
        if error.slug not in ("columns", "swapped"):
            raise
        raise error.changed(
            hint=f"{where} needs columns user and item: keep these two, and rating if there is one"
        ) from error
    return _encode([as_text(u) for u in past.queries.tolist()], past.query, [as_text(i) for i in past.doc.tolist()])


def _of_pairs(rows: Any, where: str) -> Interactions:
    """Read (user, item, …) rows."""
    short = next((row for row in rows if len(row) < 2), None)
    if short is not None:
        raise DataError("columns", "rows of (user, item)", got=repr(short), where=where)
    place = {u: i for i, u in enumerate(dict.fromkeys(as_text(row[0]) for row in rows))}
    user = np.array([place[as_text(row[0])] for row in rows], dtype=np.int64)
    return _encode(list(place), user, [as_text(row[1]) for row in rows])


def _encode(users: list[str], user: Ints, words: list[str]) -> Interactions:
    place = {word: i for i, word in enumerate(dict.fromkeys(words))}
    return Interactions(users, list(place), user, np.fromiter(map(place.__getitem__, words), np.int64, len(words)))
