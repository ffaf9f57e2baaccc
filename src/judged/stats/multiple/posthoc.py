"""Post-hoc tests of all pairs of systems; the family-wise error rate is alpha."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.stats.checks import check_count, check_share, matrix, possible
from judged.stats.multiple.letters import letters
from judged.stats.multiple.omnibus import anova, mean_ranks
from judged.stats.multiple.studentised_range import range_quantile, range_tail
from judged.stats.random_stream import arrangements

__all__ = ["Pairwise", "nemenyi", "randomised_tukey", "tukey"]


_CELLS = 400_000  # of a block of rearranged queries: it stays in the cache
_FUZZ = 1e-12  # of the scale: sums that differ by less are equal, on any machine


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise:
    """All pairs of systems: `difference[a, b]` is b less a; `p` is adjusted for all pairs, symmetric, 1 on the diagonal."""

    test: str
    center: Floats  # the mean of each system; its mean rank, for Nemenyi
    difference: Floats
    p: Floats
    critical: float  # a difference above it is significant at alpha; infinite where none can be
    alpha: float
    note: str = ""

    def significant(self) -> NDArray[np.bool_]:
        """A matrix of the pairs that differ at alpha."""
        return self.p <= self.alpha

    def letters(self) -> tuple[str, ...]:
        """Letters of each system, the best first among them: two share one if they do not differ significantly."""
        best = np.argsort(self.center if self.test == "nemenyi" else -self.center, kind="stable")
        return letters(self.significant(), best.tolist())


def nemenyi(x: Any, *, alpha: float = 0.05) -> Pairwise:
    """Pairs of mean ranks, after Friedman's test (Nemenyi 1963; Demšar, JMLR 2006).

    p = P(range of k normal values > √2 |R_a - R_b| / √(k (k + 1) / 6n)); `critical` is Demšar's critical difference,
    q_alpha √(k (k + 1) / 6n). It does not correct for ties, as no implementation does: with many of them it says too little.

    >>> round(nemenyi(np.eye(5)[:, :3]).critical, 3)  # Demšar's table 5: q is 2.343 for three systems
    1.482
    """
    table, level = matrix(x), check_share(alpha, "alpha")
    n, k = table.shape
    center = mean_ranks(table).sum(axis=0) / n
    unit = math.sqrt(k * (k + 1) / (6 * n))
    critical = range_quantile(level, k) / math.sqrt(2) * unit
    difference = center[None, :] - center[:, None]
    if n == 1:
        return Pairwise("nemenyi", center, difference, np.ones((k, k)), math.inf, level, _ONE)
    p = _each(difference, lambda d: range_tail(d * math.sqrt(2) / unit, k))
    return Pairwise("nemenyi", center, difference, p, critical, level)


def tukey(x: Any, *, blocked: bool = True, alpha: float = 0.05) -> Pairwise:
    """Tukey's honestly significant differences (1949) of mean values, on the residual of the analysis of variance.

    p = P(studentised range > |m_a - m_b| / √(MSE / n)) for k means. Queries are blocks, so MSE has (n - 1)(k - 1) degrees of freedom;
    with `blocked=False` it is SciPy's `tukey_hsd`, for systems that answered different queries.
    """
    table, level = matrix(x), check_share(alpha, "alpha")
    n, k = table.shape
    found = anova(table, blocked=blocked)
    difference = found.mean[None, :] - found.mean[:, None]
    if n == 1:
        return Pairwise("tukey", found.mean, difference, np.ones((k, k)), math.inf, level, _ONE)
    df = found.residual.df
    unit = math.sqrt(found.residual.mean_square / n)
    if unit == 0:
        same = np.abs(difference) <= 16 * np.finfo(float).eps * np.abs(table).max()
        return Pairwise("tukey", found.mean, difference, np.where(same, 1.0, possible(0.0)), 0.0, level, found.note)
    p = _each(difference, lambda d: range_tail(d / unit, k, df))
    return Pairwise("tukey", found.mean, difference, p, range_quantile(level, k, df) * unit, level)


_ONE = "one query says nothing about others"


def _each(difference: Floats, tail: Any) -> Floats:
    """The table of p-values from those above its diagonal."""
    k = len(difference)
    upper = np.triu_indices(k, 1)
    p = np.ones((k, k))
    p[upper] = [possible(chance) for chance in tail(np.abs(difference[upper]))]
    return np.minimum(p, p.T)


# ── rearranging ──────────────────────────────────────────────────────────────────────────────────


def randomised_tukey(x: Any, *, resamples: int = 10_000, seed: int = 0, alpha: float = 0.05) -> Pairwise:
    """Tukey's comparison without a distribution (Carterette, TOIS 2012): values change systems within each query, at random.

    p of a pair is the share of rearrangements whose best and worst mean lie at least as far apart as this pair's: (1 + hits) / (1 + resamples).
    Rearranging keeps what systems differ by in the spread, so where some do differ p is a little higher than `tukey` says.
    Where all (k!)^(n-1) rearrangements are no more than `resamples`, every one is looked at, and p is the exact share.

    Otherwise each rearrangement is one of about √resamples orders, drawn for each query, of one of as many others. Any two of these products are
    independent, so hits vary as those of independent draws do, and 200 drawings serve for 10,000 rearrangements.
    """
    table, level, _ = matrix(x), check_share(alpha, "alpha"), check_count(resamples, "resamples")
    n, k = table.shape
    center = table.sum(axis=0) / n
    difference = center[None, :] - center[:, None]
    exact = (n - 1) * math.lgamma(k + 1) <= math.log(resamples) + 1e-9
    lowest = table - table.min(axis=1, keepdims=True)  # queries differ more than systems: without it sums are blurred
    sums = _every(lowest) if exact else _drawn_sums(lowest, resamples, seed)
    spread = np.sort(sums.max(axis=-1) - sums.min(axis=-1)) / n
    fuzz = _FUZZ * max(float(lowest.sum(axis=0).max()) / n, 1e-300)
    first = lowest.sum(axis=0) / n
    hits = len(spread) - np.searchsorted(spread, np.abs(first[None, :] - first[:, None]) - fuzz)
    extra = 0 if exact else 1
    p = (extra + hits) / (extra + len(spread))
    np.fill_diagonal(p, 1.0)
    allowed = (
        math.floor(level * (extra + len(spread)) + 1e-9) - extra
    )  # as many rearrangements may reach a significant difference
    critical = float(spread[-allowed - 1]) + fuzz if n > 1 and 0 <= allowed < len(spread) else math.inf
    return Pairwise("randomised-tukey", center, difference, p, critical, level, _ONE if n == 1 else "")


def _every(x: Floats) -> Floats:
    """The sums of all rearrangements; the first query stays, since names do not matter to the range."""
    order = np.array(list(permutations(range(x.shape[1]))))
    sums = x[:1]
    for row in x[1:]:
        sums = (sums[:, None, :] + row[order]).reshape(-1, x.shape[1])
    return sums


def _drawn_sums(x: Floats, resamples: int, seed: int) -> Floats:
    """The sums of each system in each rearrangement (resamples × systems), queries in blocks."""
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
