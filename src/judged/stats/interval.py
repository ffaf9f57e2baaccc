"""Intervals for a mean over queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from judged.core import resampled_means

__all__ = ["bootstrap", "bootstraps"]

Floats = NDArray[np.float64]

_RESAMPLES = 2_000
_DRAWS = 20_000_000  # more queries than 10,000 need fewer resamples for the same steadiness


def bootstrap(x: Floats, *, level: float = 0.95, seed: int = 0) -> tuple[float, float] | None:
    """The percentile bootstrap interval of the mean, over queries; None for fewer than two.

    2,000 resamples (20 million draws at most, and never fewer than 200 resamples) from a seeded stream:
    the same values give the same interval everywhere.

    >>> bootstrap(np.array([0.0, 1.0, 1.0, 1.0]))
    (0.25, 1.0)
    """
    return bootstraps([x], level=level, seed=seed)[0]


def bootstraps(columns: Sequence[Floats], *, level: float = 0.95, seed: int = 0) -> list[tuple[float, float] | None]:
    """The interval of each column; columns of one length are drawn together, which costs little more than one."""
    present = [x[~np.isnan(x)] for x in columns]
    found: list[tuple[float, float] | None] = [None] * len(columns)
    for size in {len(x) for x in present if len(x) > 1}:
        which = [i for i, x in enumerate(present) if len(x) == size]
        means = resampled_means(np.stack([present[i] for i in which], axis=1), _resamples(size), seed)
        ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
        for i, (low, high) in zip(which, ends.T.tolist(), strict=True):
            found[i] = (low, high)
    return found


def _resamples(size: int) -> int:
    return max(200, min(_RESAMPLES, _DRAWS // size))
