"""Post-hoc tests of all pairs of systems, which control the probability of any false positive at alpha."""

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

_CELLS = 400_000  # of a block of permuted queries, which fits the cache
_ONE = "one query says nothing about others"
_FUZZ = 1e-12  # relative: sums that differ by less are equal on any machine


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise:
    """All pairs of systems: `difference[a, b]` is b - a; `p` is adjusted for all pairs, symmetric, and 1 on the
    diagonal.
    """

    test: str
    center: Floats  # the mean of each system; its mean rank, for Nemenyi
    difference: Floats
    p: Floats
    critical: float  # differences above it are significant at alpha; infinite if none can be
    alpha: float
    note: str = ""

    def significant(self) -> NDArray[np.bool_]:
        """Return the mask of pairs that differ at alpha."""
        return self.p <= self.alpha

    def letters(self) -> tuple[str, ...]:
        """Return letters per system, the best system first; two share one if they do not differ significantly."""
        best = np.argsort(self.center if self.test == "nemenyi" else -self.center, kind="stable")
        return letters(self.significant(), best.tolist())


def nemenyi(x: Any, *, alpha: float = 0.05) -> Pairwise:
    """Test pairs of mean ranks after Friedman's test (Nemenyi 1963; Demšar, JMLR 2006).

    p = P(range of k normal values > √2 |R_a - R_b| / √(k (k + 1) / 6n)); `critical` is Demšar's critical difference,
    q_alpha √(k (k + 1) / 6n). Like other implementations it does not correct for ties, and is conservative with many
    of them.

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
    p = _p_matrix(difference, lambda d: range_tail(d * math.sqrt(2) / unit, k))
    return Pairwise("nemenyi", center, difference, p, critical, level)


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
        return Pairwise("tukey", analysis.mean, difference, np.ones((k, k)), math.inf, level, _ONE)
    df = analysis.residual.df
    unit = math.sqrt(analysis.residual.mean_square / n)
    if unit == 0:
        same = np.abs(difference) <= 16 * np.finfo(float).eps * np.abs(table).max()
        return Pairwise(
            "tukey", analysis.mean, difference, np.where(same, 1.0, possible(0.0)), 0.0, level, analysis.note
        )
    p = _p_matrix(difference, lambda d: range_tail(d / unit, k, df))
    return Pairwise("tukey", analysis.mean, difference, p, range_quantile(level, k, df) * unit, level)


def _p_matrix(difference: Floats, tail: Any) -> Floats:
    """Fill the symmetric table of p-values from those above its diagonal."""
    k = len(difference)
    upper = np.triu_indices(k, 1)
    p = np.ones((k, k))
    p[upper] = [possible(chance) for chance in tail(np.abs(difference[upper]))]
    return np.minimum(p, p.T)


# ── permutations ──────────────────────────────────────────────────────────────────────────────────


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
    return Pairwise("randomised-tukey", center, difference, p, critical, level, _ONE if n == 1 else "")


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
