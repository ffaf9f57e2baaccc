"""Mean curves over queries, with a confidence band."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.core.resample import resampled_means
from judged.curves.result import Curve
from judged.stats.intervals import Ends, interval

_RESAMPLES = 2_000
_ADDITIONS = 1_000_000_000  # limits the work to a second or two


def mean_curve(
    name: str,
    x: Floats,
    values: Floats,
    *,
    at: Floats | None = None,
    band: float | None = 0.95,
    limits: Ends = (0.0, 1.0),
) -> Curve:
    """Return the mean of each column of `values` (queries × points), with the interval of each mean as a band.

    The band is pointwise, not simultaneous. Queries with an undefined value (NaN) are excluded.
    """
    known = values[~np.isnan(values).any(axis=1)]
    if not len(known):
        return Curve(name, x, np.full(len(x), np.nan), at)
    mean = np.add.accumulate(known, axis=0)[-1] / len(known)
    low, high = _ends(known, band, limits)
    return Curve(name, x, mean, at, low, high)


def pooled_band(
    numerator: Floats, denominator: Floats, *, band: float | None = 0.95, seed: int = 0
) -> tuple[Floats | None, Floats | None]:
    """Return the band of Σ numerator / Σ denominator at each point (queries × points), by bootstrap over queries."""
    if band is None or len(numerator) < 2:
        return None, None
    points = numerator.shape[1]
    means = resampled_means(np.hstack([numerator, denominator]), _resamples(numerator.size * 2), seed)
    top, bottom = means[:, :points], means[:, points:]
    shares = np.divide(top, bottom, out=np.zeros_like(top), where=bottom != 0)
    low, high = np.quantile(shares, [(1 - band) / 2, (1 + band) / 2], axis=0)
    return low, high


def _ends(values: Floats, band: float | None, limits: Ends) -> tuple[Floats | None, Floats | None]:
    if band is None or len(values) < 2:
        return None, None
    ends = interval(values, confidence=band, limits=[limits] * values.shape[1])
    low, high = np.array([(np.nan, np.nan) if pair is None else pair for pair in ends]).T
    return low, high


def _resamples(size: int) -> int:
    return max(200, min(_RESAMPLES, _ADDITIONS // max(size, 1)))
