"""Agreement that was seen, and agreement that chance would give; each coefficient is (seen − chance) / (1 − chance)."""

from __future__ import annotations

import numpy as np

from judged._types import Floats
from judged.stats.agreement.sample import Pairing, Sample, form, ratio

__all__ = ["alpha", "corrected", "even", "gwet", "ordinal_alpha", "own", "pooled", "raw"]


_NOTHING = 1e-12  # what is left of 1 − 1 after rounding


def corrected(seen: Floats, chance: Floats) -> Floats:
    """(seen − chance) / (1 − chance); NaN where chance alone agrees always."""
    room = 1 - chance
    return ratio(seen - chance, np.where(np.abs(room) < _NOTHING, 0.0, room))


def raw(s: Sample, w: Pairing) -> Floats:
    """The mean, over units with two labels or more, of the (weighted) share of pairs of raters that agree."""
    return ratio(s.count @ w.pair, s.shared)


def own(s: Sample, w: Pairing) -> Floats:
    """Each rater's own marginals: Σ w_kl p_gk p_hl, the mean over pairs of raters (Cohen 1960 for two, Conger 1980)."""
    share = s.own
    all_of_them = share.sum(axis=-2)
    same = form(share, w.matrix, share).sum(axis=-1)
    raters = (share.sum(axis=-1) > 0).sum(axis=-1)
    return ratio(form(all_of_them, w.matrix, all_of_them) - same, raters * (raters - 1.0))


def pooled(s: Sample, w: Pairing) -> Floats:
    """Marginals of all raters together: Σ w_kl π_k π_l (Scott 1955 for two, Fleiss 1971)."""
    return form(s.share, w.matrix, s.share)


def gwet(s: Sample, w: Pairing) -> Floats:
    """Σ w / (q(q − 1)) · Σ π_k (1 − π_k), q the number of categories (Gwet 2008)."""
    size = w.patterns.size
    if size < 2:
        return np.full(s.units.shape, np.nan)
    spread: Floats = (s.share * (1 - s.share)).sum(axis=-1)
    return w.matrix.sum() / (size * (size - 1)) * spread


def even(s: Sample, w: Pairing) -> Floats:
    """Every category as likely as any other: Σ w / q² (Bennett, Alpert and Goldstein 1954; Brennan and Prediger 1981)."""
    return np.full(s.units.shape, w.matrix.sum() / w.patterns.size**2 if w.patterns.size > 1 else np.nan)


def alpha(s: Sample, w: Pairing) -> Floats:
    """Krippendorff's alpha, 1 − D_o / D_e, of units with two labels or more, in the form of Gwet (2014).

    The chance is that of drawing two of the n pairable labels without putting the first one back, which is where
    (n − 1) / n comes from.
    """
    n = s.pairable
    seen = ratio(s.count @ (w.pair * w.patterns.rated), n)
    share = ratio(s.total, n[..., None])
    return 1 - ratio(n - 1, n) * (1 - corrected(seen, form(share, w.matrix, share)))


def ordinal_alpha(s: Sample, w: Pairing) -> Floats:
    """Krippendorff's alpha with his ordinal distance: the labels between two categories, half of each end counted, squared.

    That is the squared distance of the categories' mean ranks among all pairable labels, so the distances depend on the data.
    """
    rated, n = s.patterns.rated, s.pairable
    rank = np.cumsum(s.total, axis=-1) - s.total / 2
    of_label = np.concatenate([rank, np.zeros_like(rank[..., :1])], axis=-1)
    once, twice = np.zeros(s.count.shape), np.zeros(s.count.shape)
    for row in s.patterns.given[: int(rated.max(initial=0))]:
        there = of_label[..., row]
        once += there
        twice += there**2
    apart = (rated * twice - once**2) * ratio(np.ones(len(rated)), np.maximum(rated - 1.0, 0.0), otherwise=0.0)
    seen = (s.count * apart).sum(axis=-1)
    expected = n * (s.total * rank**2).sum(axis=-1) - (s.total * rank).sum(axis=-1) ** 2
    used = (s.total > 0).sum(axis=-1)
    return 1 - ratio((n - 1) * seen, np.where(used > 1, expected, 0.0))
