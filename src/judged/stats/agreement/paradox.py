"""The paradoxes of kappa: a low value in spite of high agreement, and marginals that limit it.

Chance agreement is high if nearly all labels are the same, so kappa is low (the first paradox of Feinstein and Cicchetti,
1990). If two judges use the labels with different frequencies, kappa cannot reach 1 (Cohen 1960), and is higher than for
judges with equal frequencies (the second paradox).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from judged._types import Floats
from judged.stats.agreement.ratings import Label

# The first paradox is reported if raw agreement ≥ HIGH, kappa ≤ LOW and Brennan-Prediger − kappa ≥ GAP; the ceiling of kappa
# is reported below CEILING.
HIGH = 0.8
LOW = 0.6
GAP = 0.2
CEILING = 0.8


@dataclass(frozen=True, slots=True)
class Paradox:
    """Properties of the marginals that kappa depends on.

    `prevalence` is the share of each category, all judges pooled. `bias`, ½ Σ |p − q|, is the share of labels that would have to
    change for both judges to have the same marginals; with two categories it is the bias index of Byrt, Bishop and Carlin (1993).
    `prevalence_index`, by the same authors, is |p(1) − p(0)| with two categories. `ceiling` is the largest kappa that these
    marginals allow (Cohen 1960). `sentences` state the paradoxes that apply.
    """

    prevalence: dict[Label, float]
    bias: float
    prevalence_index: float
    ceiling: float
    sentences: tuple[str, ...] = ()


def paradox(
    first: Floats,
    second: Floats | None,
    categories: Sequence[Label],
    *,
    raw: float,
    expected: float,
    kappa: float,
    even: float,
    names: Sequence[str] = ("the first", "the second"),
    called: str = "kappa",
    constant: bool = False,
) -> Paradox:
    """Analyse the marginals of two judges, or of all judges pooled.

    Args:
        first: share of each category among the labels of the first judge, or of all judges.
        second: the same for the second judge; None for pooled marginals.
        categories: names of the categories.
        raw: raw agreement.
        expected: agreement by chance.
        kappa: value of the coefficient.
        even: value of Brennan-Prediger, which is kappa with equally frequent categories.
        names: names of the judges.
        called: name of the coefficient.
        constant: True if one of several judges used only one label; for two judges the marginals show it. Kappa is then 0 or
            undefined for any labels of the other judge, so no paradox is reported.
    """
    pooled = first if second is None else (first + second) / 2
    bias = nan if second is None else float(np.abs(first - second).sum() / 2)
    ceiling = nan
    if second is not None and expected < 1:
        ceiling = (float(np.minimum(first, second).sum()) - expected) / (1 - expected) + 0.0
    index = abs(float(pooled[1] - pooled[0])) if len(pooled) == 2 else nan
    prevalence = dict(zip(categories, pooled.tolist(), strict=True))
    if second is not None and 1 in ((first > 0).sum(), (second > 0).sum()):
        return Paradox(prevalence, bias, index, ceiling, _one_label(first, second, categories, kappa, names, called))
    sentences = []
    if not constant and raw >= HIGH and kappa <= LOW and even - kappa >= GAP:
        top = int(np.argmax(pooled))
        sentences.append(
            f"{raw:.2f} raw, {called} {kappa:z.2f}: {pooled[top]:.0%} of all labels are {categories[top]}; chance agreement"
            f" is {expected:.2f}. With equally frequent labels the same agreement would give {even:z.2f}"
        )
    if second is not None and not isnan(ceiling) and ceiling < CEILING:
        most = int(np.argmax(np.abs(first - second)))
        sentences.append(
            f"{names[0]} gives {categories[most]} to {first[most]:.0%}, {names[1]} to {second[most]:.0%}: with these marginals"
            f" {called} is at most {ceiling:z.2f}"
        )
    return Paradox(prevalence, bias, index, ceiling, tuple(sentences))


def _one_label(
    first: Floats, second: Floats, categories: Sequence[Label], kappa: float, names: Sequence[str], called: str
) -> tuple[str, ...]:
    """Return a sentence about a judge who used only one label; none if both used the same one, as kappa is undefined then."""
    if isnan(kappa):
        return ()
    who, share = (names[0], first) if (first > 0).sum() == 1 else (names[1], second)
    return (
        f"{who} gives {categories[int(np.argmax(share))]} to every document: {called} is 0 for any labels of the other judge",
    )
