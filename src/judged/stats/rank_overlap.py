"""Overlap of two rankings by depth: rank-biased overlap, and the overlap of the first k.

A ranking is a list of ids, best first; or a mapping {id: score}; or a pair (ids, scores). Equal scores are ties, which are not broken:
at depth d exactly one tie of a ranking is *open*, the one with the item of rank d. Items above it count fully, items of the open tie by
the share of the tie within d, and items below it not at all. The agreement at d is corrected so that a ranking with ties has 1 with
itself (variant b of Corsi and Urbano, SIGIR 2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.core import segments
from judged.errors import DataError, shown
from judged.stats.checks import check_count, check_share


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

    @property
    def shared(self) -> Ints:
        """The segment of each shared item."""
        return np.repeat(np.arange(len(self)), self.a.sizes)[self.a_at]


def rbo(a: Any, b: Any, p: float = 0.9) -> float:
    """Compute rank-biased overlap: (1 - p)·Σ over depths d of p^(d-1)·agreement at d (Webber, Moffat and Zobel, TOIS
    2010).

    `p` is the probability that a reader continues to the next rank: 0.9 puts 86% of the weight on the first ten.
    Rankings may have different lengths; below them, items are taken to agree as much as the known ones (the
    extrapolation of equation 32). NaN for an empty ranking.

    >>> round(rbo(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.955
    """
    check_share(p, "p")
    return float(rbo_of(_rankings(a, b), p)[0])


def overlap(a: Any, b: Any, k: int = 10) -> float:
    """Return the share of the first k that both rankings contain: |A ∩ B| / k, even if a ranking is shorter than k.

    A tie that crosses k counts as in `rbo`: this is the agreement at depth k.

    >>> overlap(["a", "b", "c"], ["b", "x", "a"], 2)
    0.5
    """
    check_count(k, "cutoff", slug="cutoff")
    return float(overlap_of(_rankings(a, b), k)[0])


# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


def rank_items(score: Floats, sizes: Ints) -> tuple[Ranked, Ints]:
    """Rank by scores, highest first, with equal scores tied; return the rankings and the position of each item."""
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-score, query))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    begin, size = groups(changes(query[order], score[order]))
    top = begin - np.repeat(segments.offsets(sizes)[:-1], sizes) + 1
    return Ranked(sizes, top, top + size - 1), place


def changes(*keys: NDArray[Any]) -> Bools:
    """Return the mask of rows that begin a new group, for rows sorted by the keys."""
    first = np.zeros(len(keys[0]), bool)
    first[:1] = True
    for key in keys:
        first[1:] |= key[1:] != key[:-1]
    return first


def groups(first: Bools) -> tuple[Ints, Ints]:
    """Return for each row the first row of its group and the size of the group."""
    begin = np.flatnonzero(first)
    size = np.diff(np.append(begin, len(first)))
    return np.repeat(begin, size), np.repeat(size, size)


def _rankings(a: Any, b: Any) -> Rankings:
    """Return two rankings as one segment."""
    (a_ids, a_score), (b_ids, b_score) = with_scores(a, "a"), with_scores(b, "b")
    a_row, b_row = shared_rows(a_ids, b_ids)
    first, a_place = rank_items(a_score, np.array([len(a_ids)]))
    second, b_place = rank_items(b_score, np.array([len(b_ids)]))
    return Rankings(first, second, a_place[a_row], b_place[b_row])


def shared_rows(a_ids: list[Any], b_ids: list[Any]) -> tuple[Ints, Ints]:
    """Return the rows of the ids that both lists contain, in the order of the first."""
    row = {item: i for i, item in enumerate(b_ids)}
    at = [(i, row[item]) for i, item in enumerate(a_ids) if item in row]
    a_row, b_row = np.array(at, np.int64).reshape(-1, 2).T
    return a_row, b_row


def with_scores(source: Any, name: str) -> tuple[list[Any], Floats]:
    """Return the distinct ids of a ranking and their scores; a list without scores gets descending ones.

    Raises:
        DataError: a duplicate id, scores that are not comparable, or an input that is not a ranking.
    """
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
        expected = "a ranking: a list of ids, (ids, scores), or {id: score}"
        raise DataError("form", expected, where=name, got=type(source).__name__, hint="sort a set first")
    seen: dict[Any, int] = {}
    for place, item in enumerate(ids, 1):
        try:
            earlier = seen.setdefault(item, place)
        except TypeError as error:
            raise DataError("id-type", "ids that are text or numbers", got=shown(item), where=name) from error
        if earlier != place:
            problem = f"duplicate id {shown(item)} at positions {earlier} and {place}"
            raise DataError("duplicate-doc", problem, where=name, value=item, hint="keep one of them")
    return ids, scores


def _is_column(source: Any) -> bool:
    return not isinstance(source, str | bytes | set | frozenset) and hasattr(source, "__len__")


def numbers(values: Any, name: str) -> Floats:
    """Convert a column to comparable numbers.

    Raises:
        DataError: values that are not numbers, masked, or NaN.
    """
    try:
        array = np.asarray(values)
        if array.ndim != 1 or array.dtype.kind in "SUc":
            raise TypeError(f"{array.dtype} of shape {array.shape}" if array.ndim else type(values).__name__)
        if array.dtype == object and any(isinstance(v, str | bytes) for v in array):
            raise TypeError("text")
        column = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError("score-type", "a column of numbers", got=str(error), where=name) from error
    missing = np.isnan(column) | np.ma.getmaskarray(values if isinstance(values, np.ma.MaskedArray) else column)
    if missing.any():
        problem = f"the score at position {int(np.flatnonzero(missing)[0])} is missing"
        raise DataError("score-nan", problem, where=name, hint="drop items without a score")
    return column + 0.0  # -0.0 ties with 0.0


# ── one value per segment ────────────────────────────────────────────────────────────────────────


def overlap_of(r: Rankings, k: int) -> Floats:
    """Return the agreement at depth k of each segment."""
    parts = []
    for side, at in ((r.a, r.a_at), (r.b, r.b_at)):
        top, bottom = side.top[at], side.bottom[at]
        parts.append(np.clip((k - top + 1) / (bottom - top + 1), 0.0, 1.0))
    each, depth = np.arange(len(r)), np.full(len(r), k)
    (_, first), (_, second) = (_open_tie(side, each, depth) for side in (r.a, r.b))
    return segments.total(parts[0] * parts[1], r.shared, len(r)) / np.sqrt(first * second)


def rbo_of(r: Rankings, p: float) -> Floats:
    """Return the extrapolated overlap of each segment. Depths have three ranges: in both rankings, in the longer one,
    and below both.
    """
    count, short, long = len(r), np.minimum(r.a.sizes, r.b.sizes), np.maximum(r.a.sizes, r.b.sizes)
    of, depth = np.repeat(np.arange(count), long), segments.positions(long) + 1
    (a_share, a_full), (b_share, b_full) = (_open_tie(side, of, depth) for side in (r.a, r.b))
    full = np.sqrt(a_full * b_full)  # the overlap of equal rankings
    weight = (1 - p) * p ** (depth - 1.0)
    common = segments.total(np.ones(len(r.a_at)), r.shared, count)

    agreement = _shared_by_depth(r, long, a_share, b_share) / full
    at_end = np.zeros(count)
    last = depth == short[of]
    at_end[of[last]] = agreement[last]  # at the end of the shorter ranking

    held, opened = _lone(r, long)
    share = np.where((r.a.sizes > r.b.sizes)[of], a_share, b_share)  # of the longer ranking's open tie
    alone, beyond = held + opened, np.maximum(depth - short[of], 0)
    mean = np.divide(held + share * opened, alone, out=np.zeros(len(alone)), where=alone > 0)
    guessed = beyond * at_end[of] * mean

    found = segments.total(weight * agreement, of, count) + segments.total(weight * guessed / full, of, count)
    found += p**long * (common + (long - short) * at_end) / np.maximum(long, 1)
    return np.where(r.a.sizes * r.b.sizes > 0, np.minimum(found, 1.0), np.nan)


def _open_tie(side: Ranked, of: Ints, depth: Ints) -> tuple[Floats, Floats]:
    """Return for each depth of a segment the share of the open tie within it, and the sum of the squared shares of all items.

    Below its end the ranking is assumed to continue without ties.
    """
    seen = depth <= side.sizes[of]
    at = (segments.offsets(side.sizes)[:-1][of] + depth - 1)[seen]
    top, bottom = depth.copy(), depth.copy()
    top[seen], bottom[seen] = side.top[at], side.bottom[at]
    size = bottom - top + 1
    share = (depth - top + 1) / size
    return share, top - 1 + size * share**2


def _shared_by_depth(r: Rankings, long: Ints, a_share: Floats, b_share: Floats) -> Floats:
    """Return the overlap at each depth: four counts of items, multiplied by the shares of the two open ties."""
    of = r.shared
    a_top, a_bottom = r.a.top[r.a_at], r.a.bottom[r.a_at]
    b_top, b_bottom = r.b.top[r.b_at], r.b.bottom[r.b_at]
    both_held = _within(of, np.maximum(a_bottom, b_bottom) + 1, long[of], long)
    a_open = _within(of, np.maximum(a_top, b_bottom + 1), a_bottom, long)
    b_open = _within(of, np.maximum(b_top, a_bottom + 1), b_bottom, long)
    both_open = _within(of, np.maximum(a_top, b_top), np.minimum(a_bottom, b_bottom), long)
    return both_held + a_share * a_open + b_share * b_open + a_share * b_share * both_open


def _lone(r: Rankings, long: Ints) -> tuple[Ints, Ints]:
    """Count the items that only the longer ranking has: those above the open tie at each depth, and those in it."""
    parts = []
    for side, at, longer in ((r.a, r.a_at, r.a.sizes > r.b.sizes), (r.b, r.b_at, r.b.sizes > r.a.sizes)):
        of = np.repeat(np.arange(len(r)), side.sizes)
        alone = longer[of]
        alone[at] = False
        parts.append((of[alone], side.top[alone], side.bottom[alone]))
    of, top, bottom = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _within(of, bottom + 1, long[of], long), _within(of, top, bottom, long)


def _within(of: Ints, first: Ints, last: Ints, long: Ints) -> Ints:
    """Count for each depth of each segment the items whose range of depths, first to last, contains it."""
    some = first <= last
    start = segments.offsets(long + 1)  # one more depth each, where ranges end
    begin, end = (start[of] + first - 1)[some], (start[of] + last)[some]
    slots = int(start[-1])
    along = np.cumsum(np.bincount(begin, minlength=slots) - np.bincount(end, minlength=slots))
    return np.delete(along, start[1:] - 1)
