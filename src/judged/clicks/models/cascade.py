"""The cascade model: a user goes down the list and stops at the first click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.errors import DataError, Hint, shown


@dataclass(frozen=True, slots=True)
class CascadeClicks:
    """Probabilities of the cascade model at each rank (last axis); several lists are rows.

    The probability of a click at a rank is that of stopping there: a click ends the session. `no_click` is the rest.
    """

    examined: Floats
    clicked: Floats
    no_click: Any  # a number, or one per list
    reciprocal_rank: Any

    @property
    def stopped(self) -> Floats:
        """The probability that the user stops at each rank, satisfied."""
        return self.clicked


def cascade_clicks(attractiveness: Any) -> CascadeClicks:
    """Compute the probabilities of examining, clicking and stopping at each rank from the attractiveness of documents.

    P(C_i) = r_i · Π over j < i of (1 - r_j)   (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008)

    The expected reciprocal rank of the click, Σ P(C_i) / i, is ERR when r = (2^grade - 1) / 2^max (Chapelle, Metzler,
    Zhang and Grinspan, CIKM 2009). It is not DCG with another discount: the product over the documents above remains.

    Args:
        attractiveness: one probability per rank, from rank 1; or one list per row, where NaN after the end of a shorter
            list is padding.

    >>> cascade_clicks([0.5, 0.5]).clicked
    array([0.5 , 0.25])
    """
    padded_chance = probabilities(attractiveness, "attractiveness", padded=True)
    padding = np.isnan(padded_chance)
    chance = np.where(padding, 0.0, padded_chance)
    if (padding[..., :-1] & ~padding[..., 1:]).any():
        raise DataError(
            "probability", "a number follows NaN, which marks the end of a list", hint="write 0 for no attractiveness"
        )
    passed = np.cumprod(1.0 - chance, axis=-1)
    reached = np.concatenate([np.ones((*chance.shape[:-1], 1)), passed[..., :-1]], axis=-1)[..., : chance.shape[-1]]
    examined = np.where(padding, 0.0, reached)
    clicked = examined * chance
    left = passed[..., -1] if chance.shape[-1] else np.ones(chance.shape[:-1])
    rank = np.arange(1, chance.shape[-1] + 1)
    return CascadeClicks(examined, clicked, _number(left), _number((clicked / rank).sum(axis=-1)))


def _number(values: Any) -> Any:
    """A number for one list, an array for several."""
    return float(values) if np.ndim(values) == 0 else values


def attractiveness_of_grades(grades: Any, top: float = 4) -> Floats:
    """The probability that a document of a grade attracts (or satisfies): (2^grade - 1) / 2^top; 0 for grades below 0.

    This is ERR's mapping; `top` is the top grade. A grade above it is an error.

    >>> attractiveness_of_grades([0, 2, 4])
    array([0.    , 0.1875, 0.9375])
    """
    values = np.asarray(grades, dtype=np.float64)
    if np.isnan(values).any() or (values > top).any():
        got = shown(float(values[np.isnan(values) | (values > top)].flat[0]))
        raise DataError(
            "label-above-max", f"grade {got} is above the top grade, {top:g}", hint=Hint("set {top}", top=None)
        )
    return (np.exp2(np.maximum(values, 0.0)) - 1.0) / 2.0**top


def probabilities(values: Any, what: str, *, padded: bool = False) -> Floats:
    """Return values as an array of probabilities; raise if one is not between 0 and 1."""
    try:
        chance = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"{what} must be numbers: {error}"
        raise DataError("probability", problem, hint="pass one row of numbers per list") from error
    if chance.ndim not in (1, 2):
        raise DataError("probability", f"{what} must have one or two dimensions, got {chance.ndim}")
    wrong = ~((chance >= 0) & (chance <= 1)) & ~(np.isnan(chance) & padded)
    if wrong.any():
        got = shown(float(chance[wrong][0]))
        raise DataError("probability", f"{what} between 0 and 1", got=got, value=float(chance[wrong][0]))
    return chance
