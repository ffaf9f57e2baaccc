"""Every coefficient of agreement, declared once: its name, formula, paper, what it is of, and how sure it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, shown
from judged.stats.agreement import chance
from judged.stats.agreement import standard_errors as error
from judged.stats.agreement.ratings import Ratings
from judged.stats.agreement.sample import Pairing, Sample
from judged.stats.agreement.weights import Weights, weights_of

__all__ = ["RELIABILITIES", "AgreementCoefficient", "CoefficientRequest", "usual", "wanted"]

Value = Callable[[Sample, Pairing], Floats]
Error = Callable[[Sample, Pairing, float], float]


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One coefficient. `raters`: for two, who both labelled each unit; or for any number, labels missing or not.

    `tail` says which quantile a closed-form interval takes: normal, or Student's t with units − 1 degrees of freedom.
    """

    key: str
    name: str
    formula: str
    paper: str
    raters: Literal["two", "any"]
    weighted: bool
    value: Value
    chance: Value | None = None
    error: Error | None = None
    null: Callable[[Sample, Pairing], float] | None = None
    tail: Literal["normal", "t"] = "t"
    floor: float = -1.0


def _corrected(expected: Value) -> Value:
    return lambda s, w: chance.corrected(chance.raw(s, w), expected(s, w))


_K = "(A − E) / (1 − E), "

RELIABILITIES: tuple[AgreementCoefficient, ...] = (
    AgreementCoefficient(
        "raw", "raw agreement", "A = mean over units of the share of pairs of raters that agree", "", "any", True,
        chance.raw, error=error.raw_error, floor=0.0,
    ),
    AgreementCoefficient(
        "expected", "expected agreement", "E = Σ w p(a=k) p(b=l), each rater's own marginals; mean over pairs of raters",
        "Cohen 1960; Conger 1980", "any", True, chance.own, error=error.expected_error, floor=0.0,
    ),
    AgreementCoefficient(
        "kappa", "Cohen's kappa", _K + "E = Σ w p(a=k) p(b=l)", "Cohen 1960, 1968; errors: Fleiss, Cohen and Everitt 1969",
        "two", True, _corrected(chance.own), chance.own, error.cohen_error, error.cohen_null, "normal",
    ),
    AgreementCoefficient(
        "pi", "Scott's pi", _K + "E = Σ w π(k) π(l), both raters' labels pooled", "Scott 1955; errors: Gwet 2014",
        "two", True, _corrected(chance.pooled), chance.pooled, error.pooled_error,
    ),
    AgreementCoefficient(
        "fleiss", "Fleiss' kappa", _K + "E = Σ w π(k) π(l), all raters' labels pooled",
        "Fleiss 1971; test: Fleiss, Nee and Landis 1979; errors and missing labels: Gwet 2014",
        "any", True, _corrected(chance.pooled), chance.pooled, error.pooled_error, error.fleiss_null,
    ),
    AgreementCoefficient(
        "conger", "Conger's kappa", _K + "E = mean over pairs of raters of Σ w p(g=k) p(h=l)",
        "Conger 1980; errors and missing labels: Gwet 2014", "any", True, _corrected(chance.own), chance.own, error.conger_error,
    ),
    AgreementCoefficient(
        "ac1", "Gwet's AC1", _K + "E = Σ π(k) (1 − π(k)) / (q − 1), q categories", "Gwet 2008",
        "any", False, _corrected(chance.gwet), chance.gwet, error.gwet_error,
    ),
    AgreementCoefficient(
        "ac2", "Gwet's AC2", _K + "E = Σ w · Σ π(k) (1 − π(k)) / (q (q − 1))", "Gwet 2014",
        "any", True, _corrected(chance.gwet), chance.gwet, error.gwet_error,
    ),
    AgreementCoefficient(
        "bp", "Brennan-Prediger", _K + "E = Σ w / q² (1/q without weights)",
        "Bennett, Alpert and Goldstein 1954 (S); Brennan and Prediger 1981; Randolph 2005 (free-marginal kappa); for two categories PABAK",
        "any", True, _corrected(chance.even), chance.even, error.even_error,
    ),
    AgreementCoefficient(
        "alpha", "Krippendorff's alpha", "1 − D_o / D_e over units with two labels or more",
        "Krippendorff 1970, 2011; errors: Gwet 2014", "any", True, chance.alpha, error=error.alpha_error,
    ),
)  # fmt: skip

_BY_KEY = {d.key: d for d in RELIABILITIES}
# Krippendorff's ordinal distance depends on how often each category occurs; his interval distance is the quadratic one.
_ORDINAL = AgreementCoefficient(
    "alpha", "Krippendorff's alpha", "1 − D_o / D_e, distance: (labels from one category to the other, ends half)²",
    "Krippendorff 1970, 2011", "any", True, chance.ordinal_alpha,
)  # fmt: skip
_METRIC = {"interval": "quadratic"}


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientRequest:
    """A coefficient under weights, and what it is called: `kappa`, `kappa(linear)`, `alpha(ordinal)`."""

    definition: AgreementCoefficient
    weights: Weights
    key: str
    name: str


def wanted(key: str, ratings: Ratings, own: Any = None) -> CoefficientRequest:
    """The coefficient of that name for these ratings; `(own)` stands for the caller's matrix of weights.

    >>> wanted("kappa(linear)", Ratings.of([0, 1, 2], [0, 1, 1])).name
    'weighted kappa, linear'
    """
    match = re.fullmatch(r"(\w+)(?:\((\w+)\))?", key)
    definition = _BY_KEY.get(match[1]) if match else None
    if match is None or definition is None:
        raise UsageError("coefficient", f"one of {', '.join(_BY_KEY)}, or one with weights: kappa(linear)", got=shown(key),
                         value=key)  # fmt: skip
    by = match[2] or "nominal"
    if by != "nominal" and not definition.weighted:
        raise UsageError(
            "coefficient", f"{definition.name} without weights", got=shown(key), hint="AC2 is the weighted one"
        )
    if definition.key == "alpha" and by == "ordinal":
        weights_of("linear", ratings.numbers, len(ratings.categories))  # only to refuse text
        definition, weights = _ORDINAL, Weights("ordinal", np.eye(len(ratings.categories)))
    else:
        given = own if by == "own" and own is not None else _METRIC.get(by, by) if definition.key == "alpha" else by
        weights = weights_of(given, ratings.numbers, len(ratings.categories))
    plain = by == "nominal" and definition.key != "alpha"
    return CoefficientRequest(
        definition, weights, key if plain or by != "nominal" else definition.key, _name(definition, by)
    )


def _name(definition: AgreementCoefficient, by: str) -> str:
    if by == "nominal":
        return definition.name + (", nominal" if definition.key == "alpha" else "")
    if definition.key in ("raw", "expected"):
        return f"{definition.name.replace('raw ', '')}, {by} weights"
    return f"{'weighted kappa' if definition.key == 'kappa' else definition.name}, {by}"


def usual(ratings: Ratings, weights: str = "nominal") -> tuple[str, ...]:
    """The coefficients worth showing for these ratings: with graded labels, the weighted ones too.

    Weights that were asked for add the whole family under them.
    """
    two = ratings.raters == 2
    kappas = ("kappa", "pi") if two else ("fleiss", "conger")
    graded = ratings.numbers is not None and len(ratings.categories) > 2
    found = ["raw", "expected", *kappas, "ac1", "bp", "alpha"]
    if graded:
        found += [
            f"{kappas[0]}(linear)",
            f"{kappas[0]}(quadratic)",
            "ac2(quadratic)",
            "alpha(ordinal)",
            "alpha(interval)",
        ]
    if weights != "nominal":
        alpha = {"quadratic": "interval"}.get(weights, weights)
        family = [f"{key}({weights})" for key in ("raw", "expected", *kappas, "ac2", "bp")]
        found += [key for key in (*family, f"alpha({alpha})") if key not in found]
    return tuple(found)
