"""Observed agreement and agreement by chance; each coefficient is (observed − chance) / (1 − chance)."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.stats.agreement.sample import Pairing, Sample, quadratic_form, ratio

_NOTHING = 1e-12  # rounding error of 1 − 1


def correct_for_chance(observed: Floats, chance: Floats) -> Floats:
    """Return (observed − chance) / (1 − chance); NaN where chance agreement is 1."""
    room = 1 - chance
    return ratio(observed - chance, np.where(np.abs(room) < _NOTHING, 0.0, room))


def raw(s: Sample, w: Pairing) -> Floats:
    """Mean over units with two labels or more of the (weighted) share of pairs of raters that agree."""
    return ratio(s.count @ w.pair, s.shared)


def own(s: Sample, w: Pairing) -> Floats:
    """Chance agreement with each rater's own marginals: mean over pairs of Σ w_kl p_gk p_hl (Cohen 1960, Conger 1980)."""
    share = s.own
    pooled_share = share.sum(axis=-2)
    same = quadratic_form(share, w.matrix, share).sum(axis=-1)
    raters = (share.sum(axis=-1) > 0).sum(axis=-1)
    return ratio(quadratic_form(pooled_share, w.matrix, pooled_share) - same, raters * (raters - 1.0))


def pooled(s: Sample, w: Pairing) -> Floats:
    """Chance agreement with pooled marginals: Σ w_kl π_k π_l (Scott 1955, Fleiss 1971)."""
    return quadratic_form(s.share, w.matrix, s.share)


def gwet(s: Sample, w: Pairing) -> Floats:
    """Chance agreement after Gwet (2008): Σ w / (q(q − 1)) · Σ π_k (1 − π_k), with q categories."""
    size = w.patterns.size
    if size < 2:
        return np.full(s.units.shape, np.nan)
    spread: Floats = (s.share * (1 - s.share)).sum(axis=-1)
    return w.matrix.sum() / (size * (size - 1)) * spread


def even(s: Sample, w: Pairing) -> Floats:
    """Chance agreement with equally likely categories: Σ w / q² (Bennett, Alpert and Goldstein 1954; Brennan and Prediger 1981)."""
    return np.full(s.units.shape, w.matrix.sum() / w.patterns.size**2 if w.patterns.size > 1 else np.nan)


def alpha(s: Sample, w: Pairing) -> Floats:
    """Krippendorff's alpha, 1 − D_o / D_e, of units with two labels or more, as written by Gwet (2014).

    Two of the n pairable labels are drawn without replacement, hence the factor (n − 1) / n.
    """
    n = s.pairable
    observed = ratio(s.count @ (w.pair * w.patterns.rated), n)
    share = ratio(s.total, n[..., None])
    return 1 - ratio(n - 1, n) * (1 - correct_for_chance(observed, quadratic_form(share, w.matrix, share)))


def ordinal_alpha(s: Sample, w: Pairing) -> Floats:
    """Krippendorff's alpha with his ordinal distance.

    The distance of two categories is the squared difference of their mean ranks among all pairable labels, so it depends on
    the data.
    """
    rated, n = s.patterns.rated, s.pairable
    rank = np.cumsum(s.total, axis=-1) - s.total / 2
    of_label = np.concatenate([rank, np.zeros_like(rank[..., :1])], axis=-1)
    once, twice = np.zeros(s.count.shape), np.zeros(s.count.shape)
    for row in s.patterns.given[: int(rated.max(initial=0))]:
        label_rank = of_label[..., row]
        once += label_rank
        twice += label_rank**2
    apart = (rated * twice - once**2) * ratio(np.ones(len(rated)), np.maximum(rated - 1.0, 0.0), otherwise=0.0)
    observed = (s.count * apart).sum(axis=-1)
    expected = n * (s.total * rank**2).sum(axis=-1) - (s.total * rank).sum(axis=-1) ** 2
    used = (s.total > 0).sum(axis=-1)
    return 1 - ratio((n - 1) * observed, np.where(used > 1, expected, 0.0))
