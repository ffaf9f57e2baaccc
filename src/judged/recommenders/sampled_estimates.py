"""Estimators of measures over the whole catalogue from the rank of a relevant item among sampled ones."""

from __future__ import annotations

import numpy as np

from judged._types import Floats

_BLOCK = 1 << 22  # cells in memory at a time


def naive(values: Floats, sampled: int) -> Floats:
    """The measure at the rank among the sampled items, as if these were the catalogue: of ranks 1 to sampled + 1."""
    return values[: sampled + 1]


def by_estimated_rank(values: Floats, sampled: int) -> Floats:
    """The measure at 1 + (n - 1)·(rank - 1) / m, an unbiased estimate of the rank, interpolated between integer ranks.

    Args:
        values: the measure at ranks 1 to n of the catalogue.
        sampled: number of sampled items, m.
    """
    rank = 1 + (len(values) - 1) * np.arange(sampled + 1) / sampled
    return np.interp(rank, np.arange(1, len(values) + 1), values)


def correct_values(values: Floats, sampled: int, gamma: float, *, replacement: bool = False) -> Floats:
    """The value for each rank among the sampled items that minimises squared bias plus gamma times the variance.

    The mean over ranks r = 1 … n of (E[x | r] - M(r))² + γ·Var[x | r] is least for x = ((1 - γ)·AᵀA + γ·diag(c))⁻¹·Aᵀb, with
    A[r, s] = p(s | r) / √n, b[r] = M(r) / √n, c[s] = Σ p(s | r) / n (Krichene and Rendle, KDD 2020, section 6). Solved as least squares,
    row block by row block, since AᵀA would square the condition number.
    """
    n, width = len(values), sampled + 1
    triangle = np.zeros((0, width + 1))  # the upper triangle of all rows so far, with its right side
    weight = np.zeros(width)
    posterior = np.zeros(width)
    for first in range(0, n, max(1, _BLOCK // width)):
        chance = _chances(first, min(n, first + max(1, _BLOCK // width)), n, sampled, replacement)
        here = values[first : first + len(chance)]
        weight += chance.sum(axis=0) / n
        posterior += here @ chance / n
        if gamma < 1:
            rows = np.column_stack([np.sqrt(1 - gamma) * chance, here / np.sqrt(1 - gamma)]) / np.sqrt(n)
            triangle = np.asarray(np.linalg.qr(np.concatenate([triangle, rows]), mode="r"))
    if gamma == 1:
        return np.asarray(posterior / weight)
    spread = np.column_stack([np.diag(np.sqrt(gamma * weight)), np.zeros(width)])
    system = np.concatenate([triangle, spread])
    return np.asarray(np.linalg.lstsq(system[:, :-1], system[:, -1], rcond=None)[0])


def expected(counted: Floats, items: int, *, replacement: bool = False) -> Floats:
    """The mean over samples of the value of an item, at each of its ranks 1 to n in the catalogue."""
    sampled, step = len(counted) - 1, max(1, _BLOCK // len(counted))
    parts = [(at, min(items, at + step)) for at in range(0, items, step)]
    return np.concatenate([_chances(*part, items, sampled, replacement) @ counted for part in parts])


def _chances(first: int, last: int, items: int, sampled: int, replacement: bool) -> Floats:
    """p(s | r): the probability that s of the sampled items are above an item of rank r, for r - 1 from `first` to before `last`.

    Binomial with replacement, hypergeometric without, of items - 1 others of which r - 1 are better.
    """
    from scipy.special import xlog1py, xlogy

    better, above = np.arange(first, last)[:, None], np.arange(sampled + 1)
    log = _log_factorials(max(items, sampled))
    choose = log[sampled] - log[above] - log[sampled - above]
    if replacement:
        share = better / (items - 1)
        return np.asarray(np.exp(choose + xlogy(above, share) + xlog1py(sampled - above, -share)))
    worse = items - 1 - better
    possible = (above <= better) & (sampled - above <= worse)
    with np.errstate(invalid="ignore"):
        chosen = (
            log[better] - log[np.maximum(better - above, 0)] + log[worse] - log[np.maximum(worse - sampled + above, 0)]
        )
    whole = log[items - 1] - log[items - 1 - sampled]
    return np.where(possible, np.exp(choose + chosen - whole), 0.0)


def _log_factorials(upto: int) -> Floats:
    """ln 0! … ln upto!"""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(upto + 1) + 1.0))
