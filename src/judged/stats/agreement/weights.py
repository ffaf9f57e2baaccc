"""Weights of agreement between categories: 1 for the same category, less for distant ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import Hint, UsageError, shown

_HINT = "convert disagreement weights d to 1 - d / d.max()"


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A symmetric matrix, categories × categories, with values from 0 to 1 and 1 on the diagonal, and its name."""

    name: str
    matrix: Floats


def _linear(x: Floats) -> Floats:
    """1 − |x−y| / range, after Cicchetti and Allison (1971)."""
    return 1 - np.abs(x[:, None] - x) / np.ptp(x)


def _quadratic(x: Floats) -> Floats:
    """1 − (x−y)² / range², after Fleiss and Cohen (1973)."""
    return 1 - (x[:, None] - x) ** 2 / np.ptp(x) ** 2


def _ordinal(x: Floats) -> Floats:
    """1 − C(m, 2) / C(q, 2), with m the number of categories from one to the other, after Gwet (2014)."""
    place = np.arange(len(x))
    steps = np.abs(place[:, None] - place)
    return 1 - steps * (steps + 1) / (len(x) * (len(x) - 1))


def _ratio(x: Floats) -> Floats:
    """1 − ((x−y)/(x+y))², over the largest of these; categories are not negative. Krippendorff's ratio metric."""
    total = x[:, None] + x
    distance = np.divide(x[:, None] - x, total, out=np.zeros_like(total), where=total != 0) ** 2
    return 1 - distance / distance.max()


# Distances are between grades, not positions, so a grade that does not occur leaves a gap. Ordinal weights use positions.
WEIGHTS = {"linear": _linear, "quadratic": _quadratic, "ordinal": _ordinal, "ratio": _ratio}


def weights_of(weights: Any, numbers: Floats | None, size: int) -> Weights:
    """Return the weights of this name for these categories, or check a matrix.

    >>> weights_of("linear", np.array([0.0, 1.0, 3.0]), 3).matrix.round(3).tolist()
    [[1.0, 0.667, 0.0], [0.667, 1.0, 0.333], [0.0, 0.333, 1.0]]
    """
    if not isinstance(weights, str):
        return Weights("own", _matrix(weights, size))
    if weights not in ("nominal", *WEIGHTS):
        raise UsageError(
            "weights",
            f"weights must be one of nominal, {', '.join(WEIGHTS)}, or a matrix, got {shown(weights)}",
            value=weights,
        )
    if weights == "nominal" or size < 2:
        return Weights(weights, np.eye(size))
    if numbers is None:
        raise UsageError(
            "weights",
            f"{weights} weights need numeric labels, and these are text",
            value=weights,
            hint=Hint("convert the labels to numbers, or use {weights}", weights="nominal"),
        )
    if weights == "ratio" and numbers.min() < 0:
        raise UsageError("weights", f"ratio weights need labels ≥ 0, got {numbers.min():g}", value=weights)
    return Weights(weights, WEIGHTS[weights](numbers))


def _matrix(weights: Any, size: int) -> Floats:
    try:
        matrix = np.array(weights, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("weights", f"a matrix of weights, {size} × {size}", got=shown(weights)) from None
    if matrix.shape != (size, size):
        got = " × ".join(map(str, matrix.shape)) or shown(weights)
        raise UsageError("weights", f"a matrix of weights, {size} × {size}", got=got)
    if not np.isfinite(matrix).all() or matrix.min(initial=0) < 0 or matrix.max(initial=1) > 1:
        raise UsageError("weights", "weights from 0 to 1", got=shown(matrix.tolist()), hint=_HINT)
    if (matrix != matrix.T).any():
        raise UsageError("weights", "a symmetric matrix of weights", got=shown(matrix.tolist()))
    if (matrix.diagonal() != 1).any():
        raise UsageError("weights", "weights of 1 on the diagonal", got=shown(matrix.diagonal().tolist()), hint=_HINT)
    return matrix
