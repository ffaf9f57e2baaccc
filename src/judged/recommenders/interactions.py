"""Interactions from before: who had what, from whatever people have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import DataError
from judged.io.arrays.numbers import is_sparse
from judged.io.read import read_qrels

__all__ = ["Interactions", "as_text", "interactions_of"]


@dataclass(frozen=True, slots=True)
class Interactions:
    """A row for each interaction; users and items once each, as text."""

    users: list[str]
    items: list[str]
    user: Ints
    item: Ints


def as_text(item: Any) -> str:
    """An id as text: 7 of a frame and 7 of a file are one item, as in slices."""
    return item.decode("utf-8", "surrogateescape") if isinstance(item, bytes) else str(item)


def interactions_of(source: Any) -> Interactions:
    """Interactions in any form that judgments have, or as (user, item) pairs, or as a sparse matrix of users × items by number.

    Ratings are not looked at: what is not to count is to be left out.
    """
    if is_sparse(source):
        cells = source.tocoo()
        kept = cells.data != 0
        (users, user), (items, item) = (np.unique(x[kept], return_inverse=True) for x in (cells.row, cells.col))
        return Interactions([str(u) for u in users.tolist()], [str(i) for i in items.tolist()], user, item)
    if isinstance(source, (list, tuple)) and source and all(isinstance(row, (tuple, list)) for row in source):
        return _of_pairs(source)
    try:
        found = read_qrels(source)
    except DataError as error:
        if error.slug != "columns":
            raise
        hint = "the history needs users and items: keep these two columns, and a rating if there is one"
        raise DataError(
            error.slug, error.problem, got=error.got, hint=hint, where=error.where, value=error.value
        ) from error
    return _coded([as_text(u) for u in found.queries.tolist()], found.query, [as_text(i) for i in found.doc.tolist()])


def _of_pairs(rows: Any) -> Interactions:
    """(user, item), with or without more behind."""
    short = next((row for row in rows if len(row) < 2), None)
    if short is not None:
        raise DataError("columns", "(user, item) in each row", got=repr(short), where="history")
    place = {u: i for i, u in enumerate(dict.fromkeys(as_text(row[0]) for row in rows))}
    user = np.array([place[as_text(row[0])] for row in rows], dtype=np.int64)
    return _coded(list(place), user, [as_text(row[1]) for row in rows])


def _coded(users: list[str], user: Ints, words: list[str]) -> Interactions:
    place = {word: i for i, word in enumerate(dict.fromkeys(words))}
    return Interactions(users, list(place), user, np.fromiter(map(place.__getitem__, words), np.int64, len(words)))
