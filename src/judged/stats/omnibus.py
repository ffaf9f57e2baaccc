"""Tests of several systems at once: Friedman's test, analysis of variance, Tukey's test of all pairs, and letters for its result."""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from operator import or_
from typing import Any

import numpy as np

from judged._types import Bools, Floats
from judged.errors import DataError
from judged.stats.checks import check_count, check_share, matrix, possible
from judged.stats.random_stream import arrangements
from judged.stats.student_t import scales

_ONE = "one query says nothing about others"
_CELLS = 400_000  # of a block of permuted queries, which fits the cache
_FUZZ = 1e-12  # relative: sums that differ by less are equal on any machine
_STEP = 0.1  # the trapezoidal rule converges exponentially for integrands that vanish at both ends
_BLOCK = 1 << 20
_ALPHABET = string.ascii_lowercase + string.ascii_uppercase


def mean_ranks(x: Any, *, axis: int = -1, tolerance: float = 0.0) -> Floats:
    """Return ranks from 1, highest value first; equal values share the mean of their ranks.

    Adjacent values that differ by at most `tolerance` are equal. Missing values (NaN) are tied last.

    >>> mean_ranks([0.5, 0.9, 0.5, 0.1])
    array([2.5, 1. , 2.5, 4. ])
    """
    table = np.moveaxis(np.asarray(x, dtype=np.float64), axis, -1)
    high_first = -np.where(np.isnan(table), -np.inf, table)
    order = np.argsort(high_first, axis=-1, kind="stable")
    ordered = np.take_along_axis(high_first, order, axis=-1)
    k = table.shape[-1]
    place = np.broadcast_to(np.arange(k), table.shape)
    step = ordered[..., 1:] > ordered[..., :-1] + tolerance
    starts = np.concatenate([np.ones_like(step[..., :1], shape=(*table.shape[:-1], 1)), step], axis=-1)
    ends = np.concatenate([step, np.ones_like(step[..., :1], shape=(*table.shape[:-1], 1))], axis=-1)
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, k)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.moveaxis(ranks, -1, axis)


# ── Friedman ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class Friedman:
    """Friedman's test: statistic, degrees of freedom, p, and the mean rank of each system (1 is best)."""

    statistic: float
    df: float
    p: float
    mean_rank: Floats
    concordance: float  # Kendall's W: 1 if all queries rank the systems alike, 0 without any agreement
    queries: int
    note: str = ""


def friedman(x: Any) -> Friedman:
    """Test whether systems rank differently over queries (Friedman, JASA 1937), corrected for ties within a query.

    The statistic is χ² with k - 1 degrees of freedom, as in SciPy's `friedmanchisquare`; it is conservative for few queries. With one
    query, or if all systems are equal in every query, p is 1.

    >>> round(friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.1, 0.4, 0.6]]).statistic, 12)
    6.0
    """
    from scipy.special import chdtrc

    table = matrix(x)
    n, k = table.shape
    ranks = mean_ranks(table)
    mean_rank = ranks.sum(axis=0) / n
    middle = (k + 1) / 2
    between = n * float(((mean_rank - middle) ** 2).sum())
    whole = float(((ranks - middle) ** 2).sum())
    concordance = between / whole if whole > 0 else 0.0
    statistic, df = n * (k - 1) * concordance, k - 1.0
    note = _ONE if n == 1 else "" if whole > 0 else "all systems are equal in every query"
    p = 1.0 if note else possible(chdtrc(df, statistic))
    return Friedman(statistic, df, p, mean_rank, concordance, n, note)


# ── analysis of variance ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class AnovaLine:
    """One line of an analysis of variance; the residual has neither F nor p."""

    squares: float
    df: float
    f: float | None = None
    p: float | None = None

    @property
    def mean_square(self) -> float:
        """The sum of squares divided by its degrees of freedom; NaN without any."""
        return self.squares / self.df if self.df > 0 else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class Anova:
    """Analysis of variance: the sums of squares of systems, queries and the residual."""

    system: AnovaLine
    query: AnovaLine | None  # None without blocks
    residual: AnovaLine
    mean: Floats
    queries: int
    note: str = ""

    @property
    def partial_eta_squared(self) -> float:
        """SS(system) / (SS(system) + SS(residual)) of these queries, biased upwards; 0 if all values are equal."""
        both = self.system.squares + self.residual.squares
        return self.system.squares / both if both > 0 else 0.0


def anova(x: Any, *, blocked: bool = True) -> Anova:
    """Test whether the means of systems differ, with queries as blocks: value = mean + system + query + residual (Fisher
    1925).

    This is the two-way analysis without interaction, as in statsmodels' `anova_lm` of C(system) + C(query).
    `blocked=False` leaves the variance between queries in the residual: the one-way analysis (SciPy's `f_oneway`),
    which has much less power if all systems answer the same queries. With one query p is 1. If the residual is
    rounding error only, F is infinite and p the smallest float.

    >>> round(anova([[0.1, 0.3], [0.2, 0.3], [0.6, 0.7]]).system.f, 12)  # the square of the paired t
    16.0
    """
    table = matrix(x)
    n, k = table.shape
    grand = table.mean()
    system, query = table.mean(axis=0), table.mean(axis=1)
    rounding = table.size * (16 * np.finfo(float).eps * float(np.abs(table).max())) ** 2
    squares = _without_rounding(n * float(((system - grand) ** 2).sum()), rounding)
    blocks = _without_rounding(k * float(((query - grand) ** 2).sum()), rounding)
    left = table - system - (query[:, None] - grand if blocked else 0.0)
    remains = _without_rounding(float((left**2).sum()), rounding)
    df = (n - 1.0) * (k - 1) if blocked else k * (n - 1.0)
    residual = AnovaLine(remains, df)
    note = _ONE if n == 1 else "" if remains > 0 else "no residual: queries do not vary"
    return Anova(
        system=_effect(squares, k - 1.0, residual),
        query=_effect(blocks, n - 1.0, residual) if blocked else None,
        residual=residual,
        mean=system,
        queries=n,
        note=note,
    )


def _without_rounding(squares: float, rounding: float) -> float:
    return 0.0 if squares <= rounding else squares


def _effect(squares: float, df: float, residual: AnovaLine) -> AnovaLine:
    if df < 1 or residual.df < 1 or squares == 0:
        return AnovaLine(squares, df, math.nan if residual.df < 1 else 0.0, 1.0)
    if residual.squares == 0:
        return AnovaLine(squares, df, math.inf, possible(0.0))
    from scipy.special import fdtrc

    f = (squares / df) / residual.mean_square
    return AnovaLine(squares, df, f, possible(fdtrc(df, residual.df, f)))


# ── all pairs of systems ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise:
    """All pairs of systems: `difference[a, b]` is b - a; `p` is adjusted for all pairs, symmetric, and 1 on the
    diagonal.
    """

    center: Floats  # the mean of each system
    difference: Floats
    p: Floats
    critical: float  # differences above it are significant at alpha; infinite if none can be
    alpha: float
    note: str = ""

    def significant(self) -> Bools:
        """Return the mask of pairs that differ at alpha."""
        return self.p <= self.alpha

    def letters(self) -> tuple[str, ...]:
        """Return letters per system, the best system first; two share one if they do not differ significantly."""
        return letters(self.significant(), np.argsort(-self.center, kind="stable").tolist())


def tukey(x: Any, *, blocked: bool = True, alpha: float = 0.05) -> Pairwise:
    """Test pairs of means by Tukey's honestly significant differences (1949), with the residual of the analysis of
    variance.

    p = P(studentised range > |m_a - m_b| / √(MSE / n)) for k means. Queries are blocks, so MSE has (n - 1)(k - 1)
    degrees of freedom; `blocked=False` is SciPy's `tukey_hsd`, for systems that answered different queries.
    """
    table, level = matrix(x), check_share(alpha, "alpha")
    n, k = table.shape
    analysis = anova(table, blocked=blocked)
    difference = analysis.mean[None, :] - analysis.mean[:, None]
    if n == 1:
        return Pairwise(analysis.mean, difference, np.ones((k, k)), math.inf, level, _ONE)
    df = analysis.residual.df
    unit = math.sqrt(analysis.residual.mean_square / n)
    if unit == 0:
        same = np.abs(difference) <= 16 * np.finfo(float).eps * np.abs(table).max()
        return Pairwise(analysis.mean, difference, np.where(same, 1.0, possible(0.0)), 0.0, level, analysis.note)
    upper = np.triu_indices(k, 1)
    p = np.ones((k, k))
    p[upper] = [possible(chance) for chance in range_tail(np.abs(difference[upper]) / unit, k, df)]
    return Pairwise(analysis.mean, difference, np.minimum(p, p.T), range_quantile(level, k, df) * unit, level)


def randomised_tukey(x: Any, *, resamples: int = 10_000, seed: int = 0, alpha: float = 0.05) -> Pairwise:
    """Test pairs of means by Tukey's method without a distribution: permute the values within each query (Carterette,
    TOIS 2012).

    p of a pair is the share of permutations whose range of means is at least the difference of the pair, (1 + hits) /
    (1 + resamples). Permutations keep the differences between systems in the spread, so p is slightly higher than that
    of `tukey` if some systems differ. If there are at most `resamples` permutations, (k!)^(n-1), all are enumerated
    and p is exact.

    Otherwise each permutation is the product of two from sets of about √resamples, drawn per query. Any two products
    are independent, so the variance of the hits is that of independent draws, and 200 draws provide 10,000
    permutations.
    """
    table, level, _ = matrix(x), check_share(alpha, "alpha"), check_count(resamples, "resamples")
    n, k = table.shape
    center = table.sum(axis=0) / n
    difference = center[None, :] - center[:, None]
    exact = (n - 1) * math.lgamma(k + 1) <= math.log(resamples) + 1e-9
    lowest = table - table.min(
        axis=1, keepdims=True
    )  # removes the differences between queries, which would cost precision
    sums = _all_sums(lowest) if exact else _random_sums(lowest, resamples, seed)
    spread = np.sort(sums.max(axis=-1) - sums.min(axis=-1)) / n
    fuzz = _FUZZ * max(float(lowest.sum(axis=0).max()) / n, 1e-300)
    first = lowest.sum(axis=0) / n
    hits = len(spread) - np.searchsorted(spread, np.abs(first[None, :] - first[:, None]) - fuzz)
    extra = 0 if exact else 1
    p = (extra + hits) / (extra + len(spread))
    allowed = (
        math.floor(level * (extra + len(spread)) + 1e-9) - extra
    )  # permutations that may exceed a significant difference
    critical = float(spread[-allowed - 1]) + fuzz if n > 1 and 0 <= allowed < len(spread) else math.inf
    return Pairwise(center, difference, p, critical, level, _ONE if n == 1 else "")


def _all_sums(x: Floats) -> Floats:
    """Return the sums of all permutations; the first query is fixed, since the range does not depend on names."""
    order = np.array(list(permutations(range(x.shape[1]))))
    sums = x[:1]
    for row in x[1:]:
        sums = (sums[:, None, :] + row[order]).reshape(-1, x.shape[1])
    return sums


def _random_sums(x: Floats, resamples: int, seed: int) -> Floats:
    """Return the sums of each system in each permutation (resamples × systems), computed in blocks of queries."""
    from scipy.sparse import csr_array

    n, k = x.shape
    inner = math.isqrt(resamples - 1) + 1
    outer = -(-resamples // inner)
    sums = np.zeros((outer * k, inner))
    step = max(1, _CELLS // (k * (inner + outer)))
    for first in range(0, n, step):
        block = range(first, min(first + step, n))
        width = len(block)
        drawn = arrangements(seed, range(outer + inner), block, n, k)
        moved = np.take_along_axis(x[None, first : block.stop], drawn[outer:], axis=2)
        moved = np.ascontiguousarray(moved.reshape(inner, width * k).T)
        cells = (drawn[:outer] + np.arange(width)[:, None] * k).transpose(0, 2, 1).reshape(-1)
        rows = np.arange(0, outer * k * width + 1, width)
        sums += csr_array((np.ones(len(cells)), cells, rows), shape=(outer * k, width * k)) @ moved
    return sums.reshape(outer, k, inner).transpose(0, 2, 1).reshape(-1, k)[:resamples]


# ── the studentised range ────────────────────────────────────────────────────────────────────────

# `scipy.stats.studentized_range` computes the tail as 1 less the distribution function, which loses probabilities below 1e-13, and takes
# 2 ms per value. Here the tail is integrated directly, for all values at once.


def range_tail(q: Any, k: int, df: float = np.inf) -> Floats:
    """Return the probability of a studentised range above q, for k means and `df` degrees of freedom.

    With infinite df it is the range of k normal values: P(W > w) = k ∫ φ(z) {Φ(z)^(k-1) - [Φ(z) - Φ(z - w)]^(k-1)} dz,
    where the braces are computed without cancellation. With finite df it is the mean over s = √(χ²/df), integrated in
    log s.

    >>> float(range_tail(3.314493, 3).round(6))  # tables: 3.314 for 5%, three means and infinite df
    0.05
    """
    quantiles = np.asarray(q, dtype=np.float64)
    flat = np.maximum(quantiles.ravel(), 0.0)
    tail = _normal_tail(flat, k) if np.isinf(df) else _studentised_tail(flat, k, df)
    return np.clip(np.where(flat == 0, 1.0, tail), 0.0, 1.0).reshape(quantiles.shape)


def range_quantile(p: float, k: int, df: float = np.inf) -> float:
    """Return the studentised range that is exceeded with probability p.

    The root in log probability is bracketed, then tail by the Illinois variant of regula falsi.
    """

    def excess(q: float) -> float:
        return math.log(float(range_tail(q, k, df)) / p)

    low, high, above, below = 0.0, 1.0, -math.log(p), excess(1.0)
    while below > 0:
        low, high, above, below = high, 2 * high, below, excess(2 * high)
    while below < 0 and high - low > 1e-15 * high:
        middle = (low * below - high * above) / (below - above)
        if not low < middle < high:
            break
        value = excess(middle)
        if abs(value) < 1e-15:
            return middle
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return high


def _normal_tail(w: Floats, k: int) -> Floats:
    from scipy.special import ndtr

    tail = np.empty_like(w)
    offset = np.arange(0.0, 24.0 + _STEP / 2, _STEP)
    rows = _BLOCK // len(offset)
    for first in range(0, len(w), rows):
        wide = w[first : first + rows, None]
        z = np.maximum(np.minimum(wide, 80.0) / 2 - 12.0, -9.0) + offset  # φ(z) Φ(z - w) is highest near w / 2
        below = ndtr(z)
        with np.errstate(divide="ignore"):  # log of 0 for w = 0, where the braces are Φ(z)^(k-1)
            gap = -np.expm1((k - 1) * np.log1p(-np.minimum(ndtr(z - wide) / below, 1.0)))
        density = np.exp((k - 1) * np.log(below) - z * z / 2) * gap
        tail[first : first + rows] = k * _STEP / np.sqrt(2 * np.pi) * density.sum(axis=1)
    return tail


def _studentised_tail(q: Floats, k: int, df: float) -> Floats:
    tail = np.empty_like(q)
    step = max(0.03, 0.1 - 0.0135 * math.log(k))  # with many means the integrand is narrow
    for i, value in enumerate(q):
        s, weight = scales(df, step=step, peak=-0.5 * np.log1p(value * value / (2 * df)))  # small s dominate
        tail[i] = float(weight @ _normal_tail(value * s, k))
    return tail


# ── letters ──────────────────────────────────────────────────────────────────────────────────────


def letters(significant: Any, order: Sequence[int] | None = None) -> tuple[str, ...]:
    """Return letters per system: two share one if and only if they do not differ significantly (compact letter display).

    The algorithm is insert-and-absorb (Piepho, Journal of Computational and Graphical Statistics 2004), followed by
    removing letters that no pair needs. `significant` is a symmetric boolean table whose diagonal is ignored; `order`
    lists systems from the best, which gets an a. After z come A to Z, then a2, b2 and so on.

    >>> letters([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ('a', 'ab', 'b')
    """
    column, k = _groups(significant, order)
    names = [_ALPHABET[i % 52] + (str(i // 52 + 1) if i >= 52 else "") for i in range(len(column))]
    return tuple("".join(n for n, c in zip(names, column, strict=True) if c >> i & 1) for i in range(k))


def bars(significant: Any, order: Sequence[int] | None = None) -> tuple[tuple[int, ...], ...]:
    """Return the groups of two or more systems that share a letter, as the bars of a diagram: systems by number, from
    the best.

    >>> bars([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    ((0, 1), (1, 2))
    """
    column, k = _groups(significant, order)
    places = range(k) if order is None else order
    groups = (tuple(int(i) for i in places if c >> i & 1) for c in column)
    return tuple(group for group in groups if len(group) > 1)


def _groups(significant: Any, order: Sequence[int] | None) -> tuple[list[int], int]:
    """Return sets of systems, as bits, of which no two differ, such that every pair without a difference is in one."""
    apart = _symmetric(significant)
    k = len(apart)
    places = list(range(k)) if order is None else list(order)
    if sorted(places) != list(range(k)):
        raise DataError("table", f"order must name each of {k} systems once, got {str(places)[:60]}")
    column = _sweep(_insert_and_absorb(apart, places), apart)
    column.sort(key=lambda members: [-(members >> system & 1) for system in places])
    return column, k


def _symmetric(significant: Any) -> Bools:
    table = np.asarray(significant)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 1 or table.dtype.kind not in "biu":
        raise DataError("table", "a square boolean table", got=f"{table.dtype} of shape {table.shape}")
    apart = table.astype(bool) & ~np.eye(len(table), dtype=bool)
    if (apart != apart.T).any():
        raise DataError("table", "the table of significant pairs is not symmetric")
    return apart


def _insert_and_absorb(apart: Bools, places: list[int]) -> list[int]:
    """Return the maximal sets of systems, as bits, of which no two differ."""
    column = [(1 << len(apart)) - 1]
    for at, i in enumerate(places):
        for j in places[at + 1 :]:
            if not apart[i, j]:
                continue
            both = 1 << i | 1 << j
            split = [c for c in column if c & both == both]
            column = [c for c in column if c & both != both]
            for part in [c & ~(1 << out) for c in split for out in (j, i)]:
                if not any(part & c == part for c in column):
                    column = [c for c in column if c & part != c] + [part]
    return column


def _sweep(column: list[int], apart: Bools) -> list[int]:
    """Remove the sets whose every pair shares another letter; every system keeps one."""
    kept = list(column)
    for c in sorted(column, key=int.bit_count):
        rest = [o for o in kept if o != c]
        members = [i for i in range(len(apart)) if c >> i & 1]
        if all(c & ~reduce(or_, (o for o in rest if o >> i & 1), 0) == 0 for i in members):
            kept = rest
    return kept
