"""The cascade model: a user goes down the list, and stops at the first document that is clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.clicks.data.log import Floats
from judged.errors import DataError, shown

__all__ = ["CascadeClicks", "attractiveness_of_grades", "cascade_clicks", "probabilities"]


@dataclass(frozen=True, slots=True)
class CascadeClicks:
    """What the cascade model says of a list, rank by rank (last axis); of several lists, one a row.

    The chance to click at a rank is the chance to stop there: a click ends the session. `no_click` is what is left.
    """

    examined: Floats
    clicked: Floats
    no_click: Any  # a number, or one for each list
    reciprocal_rank: Any

    @property
    def stopped(self) -> Floats:
        """The chance that the user stops at each rank, satisfied."""
        return self.clicked


def cascade_clicks(attractiveness: Any) -> CascadeClicks:
    """The chances to examine, to click and to stop at each rank, given how attractive each document is.

    P(C_i) = r_i · Π over j < i of (1 - r_j)   (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008)

    The expected reciprocal rank of the click, Σ P(C_i) / i, is ERR when r = (2^grade - 1) / 2^max (Chapelle, Metzler,
    Zhang and Grinspan, CIKM 2009). It is not DCG with another discount: the product over the documents above remains.

    Args:
        attractiveness: one chance per rank, best rank first; or one list a row, where NaN behind the end of a shorter
            list is padding: nothing is examined there.

    >>> cascade_clicks([0.5, 0.5]).clicked
    array([0.5 , 0.25])
    """
    given = probabilities(attractiveness, "attractiveness", padded=True)
    padding = np.isnan(given)
    chance = np.where(padding, 0.0, given)
    if (padding[..., :-1] & ~padding[..., 1:]).any():
        raise DataError(
            "probability", "NaN behind the end of a list alone", got="a number behind NaN", hint="0 is a chance too"
        )
    passed = np.cumprod(1.0 - chance, axis=-1)
    reached = np.concatenate([np.ones((*chance.shape[:-1], 1)), passed[..., :-1]], axis=-1)[..., : chance.shape[-1]]
    examined = np.where(padding, 0.0, reached)
    clicked = examined * chance
    left = passed[..., -1] if chance.shape[-1] else np.ones(chance.shape[:-1])
    rank = np.arange(1, chance.shape[-1] + 1)
    return CascadeClicks(examined, clicked, _number(left), _number((clicked / rank).sum(axis=-1)))


def _number(values: Any) -> Any:
    """A number where there is one list alone, one for each of several."""
    return float(values) if np.ndim(values) == 0 else values


def attractiveness_of_grades(grades: Any, top: float = 4) -> Floats:
    """The chance that a document of a grade attracts (or satisfies): (2^grade - 1) / 2^top; 0 for grades below 0.

    This is ERR's mapping; `top` is the top of the grade scale. A grade above it is an error.

    >>> attractiveness_of_grades([0, 2, 4])
    array([0.    , 0.1875, 0.9375])
    """
    values = np.asarray(grades, dtype=np.float64)
    if np.isnan(values).any() or (values > top).any():
        got = shown(float(values[np.isnan(values) | (values > top)].flat[0]))
        raise DataError(
            "label-above-max", f"grades up to the top of the scale, {top:g}", got=got, hint="give the real top"
        )
    return (np.exp2(np.maximum(values, 0.0)) - 1.0) / 2.0**top


def probabilities(values: Any, what: str, *, padded: bool = False) -> Floats:
    """An array of chances between 0 and 1, or an error that shows the first one that is none."""
    try:
        chance = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            "probability", f"{what} as numbers", got=str(error), hint="one row of numbers per list"
        ) from error
    if chance.ndim not in (1, 2):
        raise DataError("probability", f"{what} of one list, or one list a row", got=f"{chance.ndim} dimensions")
    wrong = ~((chance >= 0) & (chance <= 1)) & ~(np.isnan(chance) & padded)
    if wrong.any():
        got = shown(float(chance[wrong][0]))
        raise DataError("probability", f"{what} between 0 and 1", got=got, value=float(chance[wrong][0]))
    return chance
