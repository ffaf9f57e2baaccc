"""Pairs of rankings by rank: the first and last rank of each item's tie, and the shared items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.errors import DataError, shown
from judged.stats.rank_correlation.concordance import numbers


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranking per segment, segment after segment, from best to worst."""

    sizes: Ints
    top: Ints  # per position: first rank of its tie, from 1
    bottom: Ints  # and last rank


@dataclass(frozen=True, slots=True)
class Rankings:
    """Two rankings per segment; position `a_at[i]` of the first and `b_at[i]` of the second have the same item."""

    a: Ranked
    b: Ranked
    a_at: Ints
    b_at: Ints

    def __len__(self) -> int:
        return len(self.a.sizes)


def rank_items(score: Floats, sizes: Ints) -> tuple[Ranked, Ints]:
    """Rank by scores, highest first, with equal scores tied; return the rankings and the position of each item."""
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-score, query))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    score, first = score[order], np.ones(len(order), bool)
    first[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
    begin = np.flatnonzero(first)
    size = np.diff(np.append(begin, len(order)))
    top = segments.positions(sizes)[begin] + 1
    return Ranked(sizes, np.repeat(top, size), np.repeat(top + size - 1, size)), place


def rankings(a: Any, b: Any) -> Rankings:
    """Return two rankings as one segment; each is a list of ids, best first, or (ids, scores), or {id: score}.

    Raises:
        DataError: a duplicate id, scores that are not comparable, or an input that is not a ranking.
    """
    (a_ids, a_score), (b_ids, b_score) = with_scores(a, "a"), with_scores(b, "b")
    row = {item: i for i, item in enumerate(b_ids)}
    at = [(i, row[item]) for i, item in enumerate(a_ids) if item in row]
    a_row, b_row = np.array(at, np.int64).reshape(-1, 2).T
    first, a_place = rank_items(a_score, np.array([len(a_ids)]))
    second, b_place = rank_items(b_score, np.array([len(b_ids)]))
    return Rankings(first, second, a_place[a_row], b_place[b_row])


def with_scores(source: Any, name: str) -> tuple[list[Any], Floats]:
    """Return the distinct ids of a ranking and their scores; a list without scores gets descending ones."""
    if isinstance(source, Mapping):
        source = (list(source), list(source.values()))
    if isinstance(source, tuple) and len(source) == 2 and all(map(_is_column, source)):
        ids, scores = list(source[0]), numbers(source[1], f"scores of {name}")
        if len(ids) != len(scores):
            raise DataError("lengths", f"{len(ids)} ids but {len(scores)} scores", where=name)
    elif isinstance(source, Iterable) and _is_column(source):
        ids = list(source)
        scores = -np.arange(len(ids), dtype=np.float64)
    else:
        raise DataError(
            "form",
            "a ranking: a list of ids, (ids, scores), or {id: score}",
            where=name,
            got=type(source).__name__,
            hint="sort a set first",
        )
    _check_duplicates(ids, name)
    return ids, scores


def _is_column(source: Any) -> bool:
    return not isinstance(source, str | bytes | set | frozenset) and hasattr(source, "__len__")


def _check_duplicates(ids: list[Any], name: str) -> None:
    seen: dict[Any, int] = {}
    for place, item in enumerate(ids, 1):
        try:
            earlier = seen.setdefault(item, place)
        except TypeError as error:
            raise DataError("id-type", "ids that are text or numbers", got=shown(item), where=name) from error
        if earlier != place:
            problem = f"duplicate id {shown(item)} at positions {earlier} and {place}"
            raise DataError("duplicate-doc", problem, where=name, value=item, hint="keep one of them")
