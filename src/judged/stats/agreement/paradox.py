"""Why kappa can be low where judges agree nearly always, and what stands beside it so that nobody is misled.

Kappa subtracts what chance would give, and chance gives much where nearly all labels are the same (the first paradox of
Feinstein and Cicchetti, 1990); where two judges use the labels unequally often, kappa cannot reach 1 (Cohen 1960), and comes
out higher than for judges with equal habits (the second paradox).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from judged._types import Floats
from judged.stats.agreement.ratings import Label

__all__ = ["CEILING", "GAP", "HIGH", "LOW", "Paradox", "paradox"]


# The rule, all of it: raw agreement is at least HIGH, kappa at most LOW, and the same raw agreement over evenly used labels
# would give at least GAP more (Brennan-Prediger less kappa). The ceiling is spoken of where it is below CEILING.
HIGH = 0.8
LOW = 0.6
GAP = 0.2
CEILING = 0.8


@dataclass(frozen=True, slots=True)
class Paradox:
    """What kappa depends on besides agreement.

    `prevalence`: the share of each category, both judges together. `bias`: the share of labels that would have to change for
    both to use the categories equally often, ½ Σ |p − q|; for two categories the bias index of Byrt, Bishop and Carlin (1993).
    `prevalence_index`, also theirs, is |p(1) − p(0)|, for two categories alone. `ceiling`: the largest kappa that these
    marginals allow (Cohen 1960).
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
    """From the marginals (shares that add up to 1): those of two judges; or of all together, with `second` None.

    Args:
        first: how often the first judge gave each category; or all judges.
        second: the same of the second judge.
        categories: what they are called.
        raw: raw agreement.
        expected: agreement by chance.
        kappa: the coefficient that is spoken of.
        even: Brennan-Prediger, which is kappa if all categories were used equally often.
        names: of the judges.
        called: the name of the coefficient.
        constant: one of several judges gave one label only. Of two this is seen from the marginals. Kappa is then 0 (or has no
            value) whatever the other gives: neither prevalence nor habits explain it, and nothing is said of them.
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
            f"{raw:.2f} raw, {called} {kappa:z.2f}: {pooled[top]:.0%} of all labels are {categories[top]}; chance alone agrees"
            f" on {expected:.2f}. Were all labels as frequent, this agreement would give {even:z.2f}"
        )
    if second is not None and not isnan(ceiling) and ceiling < CEILING:
        most = int(np.argmax(np.abs(first - second)))
        sentences.append(
            f"{names[0]} gives {categories[most]} to {first[most]:.0%}, {names[1]} to {second[most]:.0%}: with such habits"
            f" {called} can be at most {ceiling:z.2f}"
        )
    return Paradox(prevalence, bias, index, ceiling, tuple(sentences))


def _one_label(
    first: Floats, second: Floats, categories: Sequence[Label], kappa: float, names: Sequence[str], called: str
) -> tuple[str, ...]:
    """What is said of a judge who gave one label only; nothing where both gave the same one, and kappa has no value."""
    if isnan(kappa):
        return ()
    who, share = (names[0], first) if (first > 0).sum() == 1 else (names[1], second)
    return (f"{who} gives {categories[int(np.argmax(share))]} throughout: {called} is 0 whatever the other gives",)
