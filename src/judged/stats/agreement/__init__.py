"""Reliability: how far judges agree, and one judgment out of several."""

from judged.stats.agreement.intervals import Reliability, coefficients, wilson
from judged.stats.agreement.merge import Merged
from judged.stats.agreement.paradox import Paradox
from judged.stats.agreement.ratings import MOST_CATEGORIES, Patterns, Ratings
from judged.stats.agreement.registry import RELIABILITIES, Wanted, usual, wanted
from judged.stats.agreement.weights import Weights, weights_of

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
