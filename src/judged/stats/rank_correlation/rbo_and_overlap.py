"""Overlap of two rankings by depth: rank-biased overlap, overlap, Jaccard, average overlap.

A ranking is a list of ids, best first; or a mapping {id: score}; or a pair (ids, scores). Equal scores are ties, and
are not broken.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core import segments
from judged.stats.checks import check_choice, check_count, check_share
from judged.stats.rank_correlation.overlap_by_depth import Ties, depths
from judged.stats.rank_correlation.rankings import Ranked, Rankings, rankings

_NEGLIGIBLE = 1e-18  # weight


@dataclass(frozen=True, slots=True)
class RBO:
    """Rank-biased overlap of two rankings that may be incomplete: lower bound, residual, and extrapolation."""

    min: float  # lower bound, if nothing more is shared
    res: float  # residual: upper less lower bound
    ext: float  # extrapolated: unknown items agree as much as known ones
    p: float
    ties: Ties

    @property
    def max(self) -> float:
        """The upper bound, if all unknown items were shared."""
        return self.min + self.res

    def __str__(self) -> str:
        return f"RBO {self.ext:.4f} (at least {self.min:.4f}, at most {self.max:.4f}; p={self.p:g}, ties: {self.ties})"


def rbo(a: Any, b: Any, p: float = 0.9, *, ties: Ties = "b") -> RBO:
    """Compute rank-biased overlap: (1 - p)·Σ over depths d of p^(d-1)·agreement at d (Webber, Moffat and Zobel, TOIS
    2010).

    `p` is the probability that a reader continues to the next rank: 0.9 puts 86% of the weight on the first ten.
    Rankings may have different lengths (equation 32). Ties are treated as in Corsi and Urbano, SIGIR 2024. w: tied
    items share the first of their ranks (Webber). a: the mean over all orders of tied items. b: a with a correction,
    so that a ranking with ties has 1 with itself. For an empty ranking min is 0, res 1 and ext NaN.

    >>> print(rbo(["a", "b", "c"], ["a", "c", "b"]))
    RBO 0.9550 (at least 0.4775, at most 0.9550; p=0.9, ties: b)
    """
    low, rest, guess = rbo_of(rankings(a, b), p, ties)
    return RBO(float(low[0]), float(rest[0]), float(guess[0]), p, ties)


def overlap(a: Any, b: Any, k: int = 10, *, ties: Ties = "b") -> float:
    """Return the share of the first k that both rankings contain: |A ∩ B| / k, even if a ranking is shorter than k.

    A tie that crosses k counts as in `rbo`: this is the agreement at depth k.

    >>> overlap(["a", "b", "c"], ["b", "x", "a"], 2)
    0.5
    """
    return float(overlap_of(rankings(a, b), k, ties)[0])


def jaccard(a: Any, b: Any, k: int = 10) -> float:
    """Return the items in the first k of both rankings as a share of those in the first k of either: |A ∩ B| / |A ∪ B|.

    If a tie crosses k, |A ∩ B| is its mean over all orders. NaN for two empty rankings.

    >>> round(jaccard(["a", "b", "c"], ["b", "x", "a"], 2), 4)
    0.3333
    """
    return float(jaccard_of(rankings(a, b), k)[0])


def average_overlap(a: Any, b: Any, k: int = 10, *, ties: Ties = "b") -> float:
    """Return the mean of overlap@1 … overlap@k (Fagin, Kumar and Sivakumar, SIAM Journal on Discrete Mathematics 17,
    2003).

    >>> average_overlap(["a", "b"], ["b", "a"], 2)
    0.5
    """
    return float(average_overlap_of(rankings(a, b), k, ties)[0])


# ── one value per segment ──────────────────────────────────────────────────────────────────


def rbo_of(r: Rankings, p: float, ties: Ties) -> tuple[Floats, Floats, Floats]:
    """Return min, res and ext of each segment. Depths have three ranges: in both rankings, in the longer one, and
    below both.
    """
    _check(p, ties)
    d, count = depths(r, ties), len(r)
    weight = (1 - p) * p ** (d.depth - 1.0)
    whole = r.a.sizes * r.b.sizes > 0
    common = _common(r)

    agreement = d.shared / d.full
    at_end = np.zeros(count)
    last = d.depth == d.short[d.segment]
    at_end[d.segment[last]] = agreement[last]  # at the end of the shorter ranking

    alone = d.lone_held + d.lone_open
    mean = np.divide(d.lone_held + d.share * d.lone_open, alone, out=np.zeros(len(alone)), where=alone > 0)
    guessed = d.beyond * at_end[d.segment] * mean
    most = np.minimum(d.beyond, d.lone_held) + np.maximum(d.beyond - d.lone_held, 0) * d.share

    least = segments.total(weight * agreement, d.segment, count)
    guess = least + segments.total(weight * guessed / d.full, d.segment, count)
    more = segments.total(weight * most / d.full, d.segment, count)

    least_tail, most_tail = _tails(d.short, d.long, common, p)
    guess += p**d.long * (common + (d.long - d.short) * at_end) / np.maximum(d.long, 1)
    low, rest = least + least_tail, more + most_tail - least_tail
    return (
        np.where(whole, low, 0.0),
        np.where(whole, np.maximum(rest, 0.0), 1.0),
        np.where(whole, np.minimum(guess, 1.0), np.nan),
    )


def _tails(short: Ints, long: Ints, common: Floats, p: float) -> tuple[Floats, Floats]:
    """Return the contributions of depths below both rankings, if nothing more is shared and if everything possible is.

    In the second case the overlap grows by 2 per depth until both rankings have the same items, at depth f.
    """
    f = (long + short - common).astype(np.int64)
    left = _harmonic_tail(p, int(f.max(initial=0)))
    certain = common * left[long]
    possible = (2 * p ** (long + 1.0) - p ** (f + 1.0)) / (1 - p) - f * (left[long] - left[f])
    return certain * (1 - p) / p, possible * (1 - p) / p


def _harmonic_tail(p: float, size: int) -> Floats:
    """Return Σ over d > m of p^d / d, for m = 0 … size; the complete sum is -log(1 - p)."""
    d = np.arange(1.0, size + 1)
    term = p**d / d
    below = 0.0 if p**size < _NEGLIGIBLE else max(-log1p(-p) - float(term.sum()), 0.0)
    return below + np.append(np.cumsum(term[::-1])[::-1], 0.0)


def overlap_of(r: Rankings, k: int, ties: Ties) -> Floats:
    shared = _shared_within(r, k, ties)
    first, second = (_full(side, k, ties) for side in (r.a, r.b))
    return shared / (np.sqrt(first * second) if ties == "b" else (first + second) / 2)


def jaccard_of(r: Rankings, k: int) -> Floats:
    shared = _shared_within(r, k, "a")
    either = np.minimum(r.a.sizes, k) + np.minimum(r.b.sizes, k) - shared
    return np.divide(shared, either, out=np.full(len(r), np.nan), where=either > 0)


def average_overlap_of(r: Rankings, k: int, ties: Ties) -> Floats:
    _check(0.5, ties, k)
    d = depths(r, ties)
    seen = segments.total(np.where(d.depth <= k, d.shared / d.full, 0.0), d.segment, len(r))
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, k + 1))])
    return (seen + _common(r) * (harmonic[k] - harmonic[np.minimum(d.long, k)])) / k


def _common(r: Rankings) -> Floats:
    """Count the items that both rankings contain."""
    return segments.total(np.ones(len(r.a_at)), np.repeat(np.arange(len(r)), r.a.sizes)[r.a_at], len(r))


def _shared_within(r: Rankings, k: int, ties: Ties) -> Floats:
    """Count the items in the first k of both rankings; the items of a tie that crosses k count partially."""
    _check(0.5, ties, k)
    parts = []
    for side, at in ((r.a, r.a_at), (r.b, r.b_at)):
        top, bottom = side.top[at], side.bottom[at]
        parts.append(np.clip((k - top + 1) / (1 if ties == "w" else bottom - top + 1), 0.0, 1.0))
    return segments.total(parts[0] * parts[1], np.repeat(np.arange(len(r)), r.a.sizes)[r.a_at], len(r))


def _full(side: Ranked, k: int, ties: Ties) -> Floats:
    """Sum over the first k items of each ranking, of squares in variant b. A shorter ranking continues without ties."""
    full, long = np.full(len(side.sizes), float(k)), side.sizes >= k
    at = (segments.offsets(side.sizes)[:-1] + k - 1)[long]
    top, bottom = side.top[at], side.bottom[at]
    if ties == "w":
        full[long] = bottom
    elif ties == "b":
        size = bottom - top + 1
        full[long] = top - 1 + size * ((k - top + 1) / size) ** 2
    return full


def _check(p: object, ties: object, k: object = 1) -> None:
    check_share(p, "p", slug="parameter")
    check_choice(ties, Ties, "ties")
    check_count(k, "cutoff", slug="cutoff")
