"""Overlap of two rankings at every depth, with ties as in Corsi and Urbano (SIGIR 2024), for many pairs of rankings at
once.

At depth d exactly one tie of a ranking is *open*: the one with the item of rank d. Items above it count fully, items
of the open tie partially (1 in variant w, the share of the tie within d in variants a and b), and items below it not
at all. So the overlap at d is four integer counts of items, multiplied by the shares of the two open ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.stats.rank_correlation.rankings import Ranked, Rankings

Ties = Literal["w", "a", "b"]


@dataclass(frozen=True, slots=True)
class Depths:
    """Depths 1 … length of the longer ranking, for each segment; `short` and `long` are the two lengths."""

    short: Ints
    long: Ints
    segment: Ints  # per depth
    depth: Ints
    shared: Floats  # overlap of the known items
    full: Floats  # overlap of equal rankings
    beyond: Ints  # depths below the end of the shorter ranking, or 0
    lone_held: Ints  # items of the longer ranking only, above its open tie
    lone_open: Ints  # and in its open tie
    share: Floats  # of the longer ranking's open tie


def depths(r: Rankings, ties: Ties) -> Depths:
    """Compute the overlap at each depth."""
    short, long = np.minimum(r.a.sizes, r.b.sizes), np.maximum(r.a.sizes, r.b.sizes)
    of, depth = np.repeat(np.arange(len(r)), long), segments.positions(long) + 1
    first, second = (_open(side, of, depth, ties) for side in (r.a, r.b))
    a_longer = (r.a.sizes > r.b.sizes)[of]
    lone_held, lone_open = _lone(r, long)
    return Depths(
        short=short,
        long=long,
        segment=of,
        depth=depth,
        shared=_shared(r, long, first.share, second.share),
        full=np.sqrt(first.full * second.full) if ties == "b" else (first.full + second.full) / 2,
        beyond=np.maximum(depth - short[of], 0),
        lone_held=lone_held,
        lone_open=lone_open,
        share=np.where(a_longer, first.share, second.share),
    )


@dataclass(frozen=True, slots=True)
class _Open:
    """The open tie of one ranking at every depth; below its end the ranking is assumed to continue without ties."""

    share: Floats  # share of the tie within the depth
    full: Floats  # sum over the ranking's items within the depth; of squares in variant b


def _open(side: Ranked, of: Ints, depth: Ints, ties: Ties) -> _Open:
    seen = depth <= side.sizes[of]
    at = (segments.offsets(side.sizes)[:-1][of] + depth - 1)[seen]
    top, bottom = depth.copy(), depth.copy()
    top[seen], bottom[seen] = side.top[at], side.bottom[at]
    if ties == "w":
        return _Open(np.ones(len(depth)), bottom.astype(float))
    size = bottom - top + 1
    share = (depth - top + 1) / size
    return _Open(share, top - 1 + size * share**2 if ties == "b" else depth.astype(float))


def _shared(r: Rankings, long: Ints, a_share: Floats, b_share: Floats) -> Floats:
    of = np.repeat(np.arange(len(r)), r.a.sizes)[r.a_at]
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
