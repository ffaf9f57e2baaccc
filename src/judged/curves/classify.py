"""Compare decisions with labels: confusion counts, rates with intervals, and curves of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.judged import Confusion, Judged
from judged.core.labelled import check_same_index, column_of, rank_labels
from judged.curves.points import UNIT_SQUARE, Curve, Curves
from judged.curves.run_curves import confusion_at, is_number, roc_points
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.measures.registry import parse
from judged.stats.checks import check_share
from judged.stats.intervals import wilson
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table

_TEXTS = {
    "precision": "positive predictive value",
    "recall": "true positive rate, sensitivity",
    "specificity": "true negative rate",
    "fall_out": "false positive rate",
    "accuracy": "share of correct decisions",
    "f1": "harmonic mean of precision and recall",
    "auc": "area under the ROC curve; ties count ½",
    "average_precision": "step-wise area under precision-recall",
}


@dataclass(frozen=True, eq=False, repr=False)
class Classification(Result):
    """Confusion counts, rates by name, and intervals over items."""

    tp: int
    fp: int
    fn: int
    tn: int
    threshold: float | None = None
    confidence: float = 0.95
    auc: float | None = None  # of the scores; equal ones get half credit
    average_precision: float | None = None  # of the scores, by steps between thresholds

    def __getitem__(self, rate: str) -> float:
        rates = self.rates()
        if rate not in rates:
            hint = f"choose one of {', '.join(rates)}"
            raise UsageError("not-asked", f"unknown rate {shown(rate)}", hint=hint, value=rate)
        return rates[rate]

    def _shares(self) -> dict[str, tuple[int, int]]:
        """Return the rates that are proportions, as (count, number of items)."""
        positive, negative = self.tp + self.fn, self.fp + self.tn
        return {
            "precision": (self.tp, self.tp + self.fp),
            "recall": (self.tp, positive),
            "specificity": (self.tn, negative),
            "fall_out": (self.fp, negative),
            "accuracy": (self.tp + self.tn, positive + negative),
        }

    def rates(self) -> dict[str, float]:
        """Return every rate by name; NaN if its denominator is 0."""
        rates = {name: count / items if items else math.nan for name, (count, items) in self._shares().items()}
        counts = Confusion(self.tp, self.fp, self.fn, self.tn)
        rates["f1"] = float(counts.f()) if self.tp + self.fp + self.fn else math.nan
        return rates

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Interval of each proportion over items (Wilson, 1927), and of F1, a function of tp / (tp + fp + fn); an undefined rate has none."""
        shares = {**self._shares(), "f1": (self.tp, self.tp + self.fp + self.fn)}
        ends = {name: wilson(count / n, float(n), self.confidence) for name, (count, n) in shares.items() if n}
        if "f1" in ends:
            low, high = ends["f1"]
            ends["f1"] = 2 * low / (1 + low), 2 * high / (1 + high)
        return ends

    def headline(self) -> tuple[str, ...]:
        """The counts."""
        return (f"TP {self.tp}   FP {self.fp}   FN {self.fn}   TN {self.tn}",)

    def tables(self, *, places: int = 4) -> list[Table]:
        """The rates with intervals."""
        rows = [{**row, "meaning": _TEXTS[row["rate"]]} for row in self.records()]
        positive, items = self.tp + self.fn, self.tp + self.fp + self.fn + self.tn
        notes = [f"{items} items, {positive} positive; {self.tp + self.fp} predicted positive"]
        notes.append(f"intervals: {self.confidence:.0%}")
        if self.threshold is not None:
            notes.append(f"threshold: scores ≥ {self.threshold:g}")
        if positive in (0, items):
            problem = f"all labels are {'positive' if positive else 'negative'}"
            notes.append(f"warning: {Warned('one-class', items, problem, Hint('check the {level}', level=None))}")
        return RecordTable.of(rows, words=("rate", "meaning"), notes=tuple(notes)).tables(places=places)

    def records(self) -> list[dict[str, Any]]:
        """One row per rate: rate, value, low, high."""
        values, intervals = (
            {**self.rates(), "auc": self.auc, "average_precision": self.average_precision},
            self.intervals,
        )
        return [
            {"rate": name, "value": value, **dict(zip(("low", "high"), intervals.get(name, (None, None)), strict=True))}
            for name, value in values.items()
            if value is not None
        ]

    def to_data(self) -> dict[str, Any]:
        """Counts, rates and intervals as plain data."""
        return {
            **{name: getattr(self, name) for name in ("tp", "fp", "fn", "tn", "auc", "average_precision", "threshold")},
            "rates": self.rates(),
            "intervals": self.intervals,
        }


def classify(
    labels: Any,
    decisions: Any = None,
    *,
    scores: Any = None,
    threshold: float | None = None,
    level: float = 1,
    confidence: float = 0.95,
) -> Classification:
    """Compare the decisions of a classifier, or of an unranked search, with labels.

    Args:
        labels: one number per item.
        decisions: 0 or 1 per item, unless there are scores.
        scores: one number per item.
        threshold: lowest score of items predicted positive.
        level: lowest positive label.
        confidence: confidence level of the intervals.

    >>> result = classify([1, 1, 0, 0], scores=[0.9, 0.4, 0.6, 0.1], threshold=0.5)
    >>> result.tp, result.fp, result["recall"], result.auc
    (1, 1, 0.5, 0.75)
    """
    check_share(confidence, "confidence")
    for name, value in (("level", level), ("threshold", 0 if threshold is None else threshold)):
        if not is_number(value):
            raise UsageError("parameter", f"{name} must be a finite number, got {shown(value)}", value=value)
    if (decisions is None) == (scores is None) or (scores is None) != (threshold is None):
        hint = Hint("pass either decisions, or {scores} and {threshold}", scores=None, threshold=0.5)
        raise UsageError("parameter", "decisions, or scores with a threshold, but not both or neither", hint=hint)
    check_same_index(labels, decisions if scores is None else scores)
    right = column_of("labels", labels) >= level
    if scores is None or threshold is None:  # decisions, by the checks above
        return Classification(*_counts(right, _decisions(decisions, len(right))), confidence=confidence)
    column = column_of("scores", scores)
    j = rank_labels(labels, scores)
    return Classification(
        *_counts(right, column >= threshold),
        threshold=float(threshold),
        confidence=confidence,
        auc=float(parse("AUC")(level=level).on(j)[0]) if 0 < right.sum() < len(right) else None,
        average_precision=_precision_recall(j, level).area() if right.any() else None,
    )


def _counts(right: NDArray[np.bool_], chosen: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Return true and false positives, false and true negatives."""
    tp = int((right & chosen).sum())
    fp, fn = int(chosen.sum()) - tp, int(right.sum()) - tp
    return tp, fp, fn, len(right) - tp - fp - fn


def _decisions(decisions: Any, size: int) -> NDArray[np.bool_]:
    column = column_of("decisions", decisions)
    if len(column) != size:
        raise DataError("lengths", f"{size} labels and {len(column)} decisions")
    invalid = np.flatnonzero((column != 0) & (column != 1))
    if len(invalid):
        problem = f"a decision must be 0 or 1, got {shown(column[invalid[0]].item())}"
        hint = Hint("use {scores} with a threshold", scores=None)
        raise DataError("label", problem, where=f"row {invalid[0] + 1}", hint=hint)
    return column == 1


# ── curves of scores ─────────────────────────────────────────────────────────────────────────────


def roc_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """Return the ROC curve of scores, or of several columns of scores by name; `at` contains the thresholds.

    >>> roc_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area()
    0.75
    """
    lines = []
    for name, column in _several(scores):
        j = rank_labels(labels, column)
        ranks, decisions = roc_points(j, 0, level)
        if int(np.max(decisions.tp)) in (0, int(j.retrieved[0])):
            hint = Hint("check {level}", level=None)
            raise DataError("one-class", "all labels are positive, or all are negative", hint=hint)
        lines.append(Curve(name, decisions.fall_out, decisions.recall, _scores_at(column, ranks)))
    marks = tuple(f"(AUC {line.area():.3f})" for line in lines)
    axes = ("false positive rate", "true positive rate", "score")
    return Curves("roc", tuple(lines), *axes, marks=marks, limits=UNIT_SQUARE)


def pr_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """Return the precision-recall curve of scores, with a point at each threshold; its area is average precision.

    >>> pr_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area() == (1 + 2 / 3) / 2
    True
    """
    lines = []
    for name, column in _several(scores):
        line = _precision_recall(rank_labels(labels, column), level)
        lines.append(replace(line, name=name, at=_scores_at(column, line.at)))
    marks = tuple(f"(AP {line.area():.3f})" for line in lines)
    return Curves("pr", tuple(lines), "recall", "precision", "score", marks=marks, limits=UNIT_SQUARE)


def _several(scores: Any) -> list[tuple[str, Any]]:
    if hasattr(scores, "columns"):  # a frame of several models
        return [(str(name), scores[name]) for name in scores.columns]
    return [(str(name), s) for name, s in scores.items()] if isinstance(scores, Mapping) else [("scores", scores)]


def _scores_at(scores: Any, ranks: Any) -> Floats:
    """Return the score at each rank; infinite at rank 0."""
    falling = np.concatenate([[np.inf], np.sort(column_of("scores", scores))[::-1]])
    return falling[np.asarray(ranks, np.int64)]


def _precision_recall(j: Judged, level: float) -> Curve:
    """Return the curve by rank, with a point at the end of each group of equal scores."""
    ranks = np.unique(j.tie_last)
    decisions = confusion_at(j, 0, ranks, level)
    if not np.any(decisions.tp):
        raise DataError("one-class", "no label is positive", hint=Hint("check {level}", level=None))
    return Curve("scores", decisions.recall, decisions.precision, ranks.astype(float), rule="step")
