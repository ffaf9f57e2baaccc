"""Reliability: how far judges agree, and one judgment out of several."""

from judged.reliability.coefficient import RELIABILITIES, Wanted, usual, wanted
from judged.reliability.interval import Reliability, coefficients, wilson
from judged.reliability.merge import Merged
from judged.reliability.paradox import Paradox
from judged.reliability.rating import MOST_CATEGORIES, Patterns, Ratings
from judged.reliability.weight import Weights, weights_of

__all__ = [
    "MOST_CATEGORIES",
    "RELIABILITIES",
    "Merged",
    "Paradox",
    "Patterns",
    "Ratings",
    "Reliability",
    "Wanted",
    "Weights",
    "coefficients",
    "usual",
    "wanted",
    "weights_of",
    "wilson",
]
