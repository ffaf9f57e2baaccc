"""Confusion counts, and the rates derived from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Column, Floats
from judged.core.judged import Judged


def _ratio(numerator: Column, denominator: Column) -> Floats:
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusion:
    """Columns of counts: items decided for (retrieved) or against, that are relevant or not.

    One row may be a query, a threshold, or a resample. A rate whose denominator is 0 is 0.

    >>> Confusion(tp=3, fp=1, fn=1, tn=5).precision
    array(0.75)
    """

    tp: Any  # columns, or plain numbers
    fp: Any
    fn: Any
    tn: Any
    ratio: Callable[[Column, Column], Floats] = field(default=_ratio, repr=False)  # `Judged.ratio`, for `explain`

    @property
    def precision(self) -> Floats:
        """The share of the retrieved that are relevant."""
        return self.ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Floats:
        """The share of the relevant that were retrieved: true positive rate, sensitivity."""
        return self.ratio(self.tp, self.tp + self.fn)

    @property
    def fall_out(self) -> Floats:
        """The share of the non-relevant that were retrieved: false positive rate."""
        return self.ratio(self.fp, self.fp + self.tn)

    @property
    def specificity(self) -> Floats:
        """The share of the non-relevant documents that were not retrieved: true negative rate."""
        return self.ratio(self.tn, self.fp + self.tn)

    @property
    def accuracy(self) -> Floats:
        """The share of correct decisions."""
        return self.ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def balanced_accuracy(self) -> Floats:
        """The mean of recall and specificity; only the defined one if the other has no denominator."""
        both = (np.asarray(self.tp + self.fn) > 0) * 1.0 + (np.asarray(self.fp + self.tn) > 0)
        return self.ratio(self.recall + self.specificity, both)

    @property
    def youden(self) -> Floats:
        """Recall + specificity - 1 (Youden 1950): 0 for chance, 1 for perfection, also called informedness."""
        return np.asarray(self.recall + self.specificity - 1.0)

    @property
    def mcc(self) -> Floats:
        """The correlation of decisions with relevance (Matthews 1975); 0 if either is constant."""
        tp, fp, fn, tn = (np.asarray(n, float) for n in (self.tp, self.fp, self.fn, self.tn))
        root = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
        return self.ratio(tp * tn - fp * fn, root)

    def f(self, beta: float = 1.0) -> Floats:
        """The weighted harmonic mean of precision and recall; β > 1 favours recall (van Rijsbergen 1979)."""
        precision, recall = self.precision, self.recall
        square = float(f"{beta * beta:.15g}")  # √x·√x is rarely x, which is what trec_eval's set_F is given
        return self.ratio((square + 1.0) * precision * recall, square * precision + recall)


def wrong_around(j: Judged, hit: NDArray[np.bool_], cutoff: float | None = None) -> tuple[Column, Column]:
    """For each hit: documents that `hit` does not hold for, above its group of equal scores, and through it.

    On a ROC curve a group is a straight line between the two: equal scores get half credit.
    """
    first, last = j.tie_first, j.tie_last if cutoff is None else np.minimum(j.tie_last, cutoff)
    before, through = j.upto(hit, j.query, first - 1), j.upto(hit, j.query, last)
    return first - 1 - before, last - through
