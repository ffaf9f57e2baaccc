"""Summaries of a column of values. Missing values (NaN with a reason) are excluded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.errors import UsageError

FLOOR = 0.00001  # smaller values count as this in a geometric mean, as in trec_eval


def total(x: Floats) -> float:
    """Sum the values one after the other, so that the result depends on the order of queries only, not on the machine."""
    return float(np.add.accumulate(x)[-1]) if len(x) else 0.0


def mean(x: Floats) -> float:
    """Return the arithmetic mean.

    >>> mean(np.array([1.0, 0.5]))
    0.75
    """
    return total(x) / len(x) if len(x) else float("nan")


def geometric_mean(x: Floats) -> float:
    """Return the geometric mean; values below 0.00001 count as 0.00001."""
    return float(np.exp(mean(np.log(np.maximum(x, FLOOR)))))


SUMMARIES: dict[str, Callable[[Floats], float]] = {
    "mean": mean,
    "sum": total,
    "geometric": geometric_mean,
    "median": lambda x: float(np.median(x)) if len(x) else float("nan"),
    "min": lambda x: float(np.min(x, initial=np.inf)),
    "max": lambda x: float(np.max(x, initial=-np.inf)),
    "std": lambda x: float(np.std(x, ddof=1)) if len(x) > 1 else float("nan"),
}


def summarise(x: NDArray[Any], how: str, weights: Floats | None = None) -> float:
    """Summarise a column by the function of this name; NaN values are left out.

    With weights a mean is Σ w·x / Σ w, and a geometric mean that of the logarithms. Sums and extremes do not depend on weights.

    Raises:
        UsageError: `query-weights`: weights for a summary that has no weighted form here.
    """
    if how not in SUMMARIES:
        raise UsageError("summary", f"summary must be one of {', '.join(SUMMARIES)}, got {how!r}", value=how)
    known = ~np.isnan(x)
    if weights is None or how in ("sum", "min", "max"):
        return SUMMARIES[how](x[known])
    if how not in ("mean", "geometric"):
        raise no_weights(f"the summary {how}")
    if how == "geometric":
        return float(np.exp(summarise(np.log(np.maximum(x, FLOOR)), "mean", weights)))
    w = weights[known]
    w = np.ldexp(
        w, -np.frexp(w.max(initial=0.0))[1]
    )  # by a power of two, which keeps the bits: sums of weights stay in range
    return total(w * x[known]) / total(w) if w.any() else float("nan")


def no_weights(what: str) -> UsageError:
    """The error of a computation that cannot use weights of queries, and must not ignore them."""
    return UsageError("query-weights", f"{what} cannot use weights of queries", hint="evaluate again without weights")
