"""Standard errors in closed form, for independent units.

A coefficient is linearised as a mean of contributions of the units, so its error is that of a mean.
"""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from judged._types import Floats
from judged.stats.agreement import chance
from judged.stats.agreement.sample import Pairing, Sample, quadratic_form


def _of_mean(each: Floats, mean: float, count: Floats) -> float:
    n = float(count.sum())
    return sqrt(float(count @ (each - mean) ** 2) / (n * (n - 1))) if n > 1 else nan


def raw_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of the mean over units with two labels or more."""
    return _of_mean(w.pair, value, s.count * (s.patterns.rated >= 2))


def expected_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of the chance agreement by the delta method: it is a product of marginals, each a mean over units.

    With equally frequent categories chance agreement is at its minimum and this error tends to 0; use the bootstrap there.
    """
    return _of_mean(2 * _own_part(s, w), 2 * value, s.count * (s.patterns.rated >= 1))


def _own_part(s: Sample, w: Pairing) -> Floats:
    """Contribution of each unit to the chance agreement with the raters' own marginals.

    A unit that a rater did not label counts as an average one, and the other units of that rater count more (Gwet 2014).
    """
    share, units = s.own, float(s.units)
    labelling = [(row, mine) for row, mine in zip(s.patterns.codes, share, strict=True) if mine.any()]
    total = np.zeros(s.patterns.codes.shape[1])
    for row, mine in labelling:
        others = w.matrix @ (share.sum(axis=0) - mine)
        labelled, usual = row >= 0, float(others @ mine)
        total += usual + units / float(s.count @ labelled) * (np.append(others, 0.0)[row] - usual * labelled)
    return total / (len(labelling) * (len(labelling) - 1))


def _linear(s: Sample, w: Pairing, value: float, expected: float, part: Floats) -> float:
    """Standard error after Gwet (2014, chapter 5): units without a pair of labels count only for the chance agreement.

    As published, and as in irrCAC, the number of units with a pair is treated as random: if a third of the units have one
    label, this error is a tenth larger than the bootstrap error. Without such units it is exact.
    """
    rated, n, shared = s.patterns.rated, float(s.units), float(s.shared)
    if shared == 0 or expected == 1:
        return nan
    each = n / shared * (w.pair - expected * (rated >= 2)) / (1 - expected)
    each = each - 2 * (1 - value) * (part - expected) / (1 - expected)
    return _of_mean(each, value, s.count * (rated >= 1))


def pooled_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of Scott's pi and Fleiss' kappa (Gwet 2014)."""
    return _linear(s, w, value, float(chance.pooled(s, w)), w.mean(w.matrix @ s.share))


def gwet_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of AC1 and AC2 (Gwet 2008, 2014)."""
    scale = w.matrix.sum() / (w.patterns.size * (w.patterns.size - 1))
    return _linear(s, w, value, float(chance.gwet(s, w)), scale * w.mean(1 - s.share))


def even_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of Brennan and Prediger's coefficient, whose chance agreement is fixed."""
    expected = float(chance.even(s, w))
    return _linear(s, w, value, expected, np.full(len(w.pair), expected))


def conger_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of Conger's kappa (Gwet 2014)."""
    return _linear(s, w, value, float(chance.own(s, w)), _own_part(s, w))


def alpha_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of Krippendorff's alpha with fixed distances (Gwet 2014)."""
    rated, n = s.patterns.rated, float(s.shared)
    mean = float(s.pairable) / n
    count, share = s.count * (rated >= 2), s.total / float(s.pairable)
    expected = float(quadratic_form(share, w.matrix, share))
    seen = float(count @ (w.pair * rated)) / float(s.pairable)
    away = (rated - mean) / mean  # additional weight of a unit with more labels than average
    of_unit = (w.pair * rated / mean - seen * away - expected) / (1 - expected)
    part = w.mean(w.matrix @ share) * rated / mean - expected * away
    prime = (seen - expected) / (1 - expected)
    return _of_mean(of_unit - 2 * (1 - prime) * (part - expected) / (1 - expected), prime, count)


def cohen_error(s: Sample, w: Pairing, value: float) -> float:
    """Standard error of (weighted) kappa of two raters (Fleiss, Cohen and Everitt 1969)."""
    (a, b), n = s.patterns.codes, float(s.units)
    p, q = s.own
    expected = float(quadratic_form(p, w.matrix, q))
    each = w.matrix[a, b] - ((w.matrix @ q)[a] + (w.matrix @ p)[b]) * (1 - value)
    variance = float(s.count @ each**2) / n - (value - expected * (1 - value)) ** 2
    return sqrt(max(variance, 0.0) / n) / (1 - expected)


def cohen_null(s: Sample, w: Pairing) -> float:
    """Standard error of kappa under chance agreement, for the test (Fleiss, Cohen and Everitt 1969)."""
    p, q = s.own
    expected = float(quadratic_form(p, w.matrix, q))
    away = w.matrix - (w.matrix @ q)[:, None] - (w.matrix @ p)
    variance = float(p @ away**2 @ q) - expected**2
    return sqrt(max(variance, 0.0) / float(s.units)) / (1 - expected)


def fleiss_null(s: Sample, w: Pairing) -> float:
    """Standard error of Fleiss' kappa under chance agreement (Fleiss, Nee and Landis 1979); NaN with weights or missing labels."""
    rated, raters = s.patterns.rated, len(s.patterns.codes)
    if (rated != raters).any() or (w.matrix != np.eye(len(w.matrix))).any():
        return nan
    p, q = s.share, 1 - s.share
    pq = float(p @ q)
    variance = 2 * (pq**2 - float((p * q) @ (q - p))) / (pq**2 * float(s.units) * raters * (raters - 1))
    return sqrt(max(variance, 0.0))
