"""Coefficients of agreement, each declared once: name, formula, paper, value and standard error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, shown
from judged.registry import Registry, parse_call
from judged.stats.agreement import chance
from judged.stats.agreement import standard_errors as error
from judged.stats.agreement.ratings import Ratings
from judged.stats.agreement.sample import Pairing, Sample
from judged.stats.agreement.weights import Weights, weights_of

Value = Callable[[Sample, Pairing], Floats]
Error = Callable[[Sample, Pairing, float], float]


_SYMBOLS = {  # of the formulas, with how each is recognised
    "A": (r"\bA\b", "agreement: share of pairs of labels that agree"),
    "E": (r"\bE\b", "agreement expected by chance"),
    "w": (r"\bw\b", "weight of the categories k and l: 1 if they are the same, 0 if not, unless weights are given"),
    "p(a=k)": (r"p\(", "share of the units to which rater a gives category k"),
    "π(k)": (r"π\(", "share of category k among the labels of all raters"),
    "q": (r"\bq\b|q²", "number of categories"),
    "Σ": ("Σ", "sum over the categories, for weights over all pairs of them"),
    "D_o": ("D_o", "observed disagreement: mean distance between two labels of the same unit"),
    "D_e": ("D_e", "expected disagreement: mean distance between any two labels"),
}


@dataclass(frozen=True, slots=True)
class AgreementCoefficient:
    """One coefficient.

    Args:
        name: key in results and on the command line.
        aliases: other names.
        label: name in tables.
        formula: definition in symbols.
        paper: where it was published.
        raters: "two" if it compares two raters who both labelled each unit; "any" if labels may be missing.
        weighted: whether it takes weights.
        value: the coefficient of a sample.
        chance: the agreement expected by chance, if the coefficient has one.
        error: standard error in closed form, if there is one.
        null: standard error under chance agreement, for the test.
        tail: quantile of a closed-form interval: normal, or Student's t with units − 1 degrees of freedom.
        floor: lowest possible value.
    """

    name: str
    aliases: tuple[str, ...]
    label: str
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

    @property
    def symbols(self) -> dict[str, str]:
        """The meaning of each symbol in the formula."""
        return {symbol: text for symbol, (pattern, text) in _SYMBOLS.items() if re.search(pattern, self.formula)}


def _chance_corrected(expected: Value) -> Value:
    return lambda s, w: chance.correct_for_chance(chance.raw(s, w), expected(s, w))


_K = "(A − E) / (1 − E), "

AGREEMENT_COEFFICIENTS: Registry[AgreementCoefficient] = Registry("coefficient")
for _coefficient in (
    AgreementCoefficient(
        "raw",
        ("raw_agreement", "percent_agreement"),
        "raw agreement",
        "A = mean over units of the share of pairs of raters that agree",
        "",
        "any",
        True,
        chance.raw,
        error=error.raw_error,
        floor=0.0,
    ),
    AgreementCoefficient(
        "expected",
        ("expected_agreement",),
        "expected agreement",
        "E = Σ w p(a=k) p(b=l), each rater's own marginals; mean over pairs of raters",
        "cohen1960 conger1980",
        "any",
        True,
        chance.own,
        error=error.expected_error,
        floor=0.0,
    ),
    AgreementCoefficient(
        "kappa",
        ("cohen", "cohen_kappa", "cohens_kappa"),
        "Cohen's kappa",
        _K + "E = Σ w p(a=k) p(b=l)",
        "cohen1960 cohen1968 fleiss1969",
        "two",
        True,
        _chance_corrected(chance.own),
        chance.own,
        error.cohen_error,
        error.cohen_null,
        "normal",
    ),
    AgreementCoefficient(
        "pi",
        ("scott", "scotts_pi"),
        "Scott's pi",
        _K + "E = Σ w π(k) π(l), both raters' labels pooled",
        "scott1955 gwet2014",
        "two",
        True,
        _chance_corrected(chance.pooled),
        chance.pooled,
        error.pooled_error,
    ),
    AgreementCoefficient(
        "fleiss",
        ("fleiss_kappa",),
        "Fleiss' kappa",
        _K + "E = Σ w π(k) π(l), all raters' labels pooled",
        "fleiss1971 fleiss1979 gwet2014",
        "any",
        True,
        _chance_corrected(chance.pooled),
        chance.pooled,
        error.pooled_error,
        error.fleiss_null,
    ),
    AgreementCoefficient(
        "conger",
        ("conger_kappa",),
        "Conger's kappa",
        _K + "E = mean over pairs of raters of Σ w p(g=k) p(h=l)",
        "conger1980 gwet2014",
        "any",
        True,
        _chance_corrected(chance.own),
        chance.own,
        error.conger_error,
    ),
    AgreementCoefficient(
        "ac1",
        ("gwet",),
        "Gwet's AC1",
        _K + "E = Σ π(k) (1 − π(k)) / (q − 1), q categories",
        "gwet2008",
        "any",
        False,
        _chance_corrected(chance.gwet),
        chance.gwet,
        error.gwet_error,
    ),
    AgreementCoefficient(
        "ac2",
        (),
        "Gwet's AC2",
        _K + "E = Σ w · Σ π(k) (1 − π(k)) / (q (q − 1))",
        "gwet2014",
        "any",
        True,
        _chance_corrected(chance.gwet),
        chance.gwet,
        error.gwet_error,
    ),
    AgreementCoefficient(
        "bp",
        ("brennan_prediger", "bennett", "pabak", "free_marginal_kappa"),
        "Brennan-Prediger",
        _K + "E = Σ w / q² (1/q without weights)",
        "bennett1954 brennan1981 randolph2005",
        "any",
        True,
        _chance_corrected(chance.even),
        chance.even,
        error.even_error,
    ),
    AgreementCoefficient(
        "alpha",
        ("krippendorff", "krippendorffs_alpha"),
        "Krippendorff's alpha",
        "1 − D_o / D_e over units with two labels or more",
        "krippendorff1970 krippendorff2011 gwet2014",
        "any",
        True,
        chance.alpha,
        error=error.alpha_error,
    ),
):
    AGREEMENT_COEFFICIENTS.add(_coefficient)

# Krippendorff's ordinal distance depends on how often each category occurs; his interval distance is the quadratic one.
_ORDINAL = AgreementCoefficient(
    "alpha",
    (),
    "Krippendorff's alpha",
    "1 − D_o / D_e, distance: (labels from one category to the other, ends half)²",
    "krippendorff1970 krippendorff2011",
    "any",
    True,
    chance.ordinal_alpha,
)
_METRIC = {"interval": "quadratic"}


@dataclass(frozen=True, slots=True, eq=False)
class CoefficientRequest:
    """A coefficient with weights: its key, such as `kappa(linear)`, and its label in tables."""

    definition: AgreementCoefficient
    weights: Weights
    key: str
    name: str


def _split(text: str) -> tuple[AgreementCoefficient, str]:
    """Return the coefficient and the name of its weights."""
    call = parse_call(text, "coefficient", first="weights")
    definition = AGREEMENT_COEFFICIENTS.find(call.name)
    if call.at is not None or call.params.keys() - {"weights"}:
        raise UsageError(
            "coefficient", "a coefficient, optionally with weights such as kappa(linear)", got=shown(text), value=text
        )
    return definition, str(call.params.get("weights", "nominal"))


def coefficient_key(text: str) -> str:
    """Return the key of a coefficient by any of its names.

    >>> coefficient_key("Cohen(linear)")
    'kappa(linear)'
    """
    definition, by = _split(text)
    return definition.name if by == "nominal" else f"{definition.name}({by})"


def parse_coefficient(text: str, ratings: Ratings, own: Any = None) -> CoefficientRequest:
    """Return the coefficient of this name for these ratings; the weights `own` are the caller's matrix.

    >>> parse_coefficient("kappa(linear)", Ratings.of([0, 1, 2], [0, 1, 1])).name
    'weighted kappa, linear'
    """
    definition, by = _split(text)
    if by != "nominal" and not definition.weighted:
        raise UsageError("coefficient", f"{definition.label} takes no weights", hint="use ac2", value=text)
    if definition.name == "alpha" and by == "ordinal":
        weights_of("linear", ratings.numbers, len(ratings.categories))  # raises an error for labels that are text
        definition, weights = _ORDINAL, Weights("ordinal", np.eye(len(ratings.categories)))
    else:
        named = _METRIC.get(by, by) if definition.name == "alpha" else by
        weights = weights_of(
            own if by == "own" and own is not None else named, ratings.numbers, len(ratings.categories)
        )
    return CoefficientRequest(definition, weights, coefficient_key(text), _label(definition, by))


def _label(definition: AgreementCoefficient, by: str) -> str:
    if by == "nominal":
        return definition.label + (", nominal" if definition.name == "alpha" else "")
    if definition.name in ("raw", "expected"):
        return f"{definition.label.replace('raw ', '')}, {by} weights"
    return f"{'weighted kappa' if definition.name == 'kappa' else definition.label}, {by}"


def usual_coefficients(ratings: Ratings, weights: str = "nominal") -> tuple[str, ...]:
    """Return the keys of the coefficients to report: weighted ones too for graded labels, and all of them with `weights`."""
    two = ratings.raters == 2
    kappas = ("kappa", "pi") if two else ("fleiss", "conger")
    graded = ratings.numbers is not None and len(ratings.categories) > 2
    keys = ["raw", "expected", *kappas, "ac1", "bp", "alpha"]
    if graded:
        keys += [
            f"{kappas[0]}(linear)",
            f"{kappas[0]}(quadratic)",
            "ac2(quadratic)",
            "alpha(ordinal)",
            "alpha(interval)",
        ]
    if weights != "nominal":
        alpha = {"quadratic": "interval"}.get(weights, weights)
        family = [f"{key}({weights})" for key in ("raw", "expected", *kappas, "ac2", "bp")]
        keys += [key for key in (*family, f"alpha({alpha})") if key not in keys]
    return tuple(keys)
