"""Intervals for a mean over queries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from judged.core import resampled_means

__all__ = ["bootstrap"]

Floats = NDArray[np.float64]

_RESAMPLES = 2_000
_DRAWS = 20_000_000  # more queries than 10,000 need fewer resamples for the same steadiness


def bootstrap(x: Floats, *, level: float = 0.95, seed: int = 0, transform: Callable[[Floats], Floats] | None = None,
              back: Callable[[Floats], Floats] | None = None) -> tuple[float, float] | None:  # fmt: skip
    """The percentile bootstrap interval of the mean, over queries; None for fewer than two.

    2,000 resamples (20 million draws at most, and never fewer than 200 resamples) from a seeded stream:
    the same values give the same interval everywhere. `transform` and `back` give other means, such as the
    geometric one, their interval.

    >>> bootstrap(np.array([0.0, 1.0, 1.0, 1.0]))
    (0.25, 1.0)
    """
    x = x[~np.isnan(x)]
    if len(x) < 2:
        return None
    values = transform(x) if transform else x
    means = resampled_means(values, max(200, min(_RESAMPLES, _DRAWS // len(x))), seed)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return (float(back(low)), float(back(high))) if back else (float(low), float(high))
