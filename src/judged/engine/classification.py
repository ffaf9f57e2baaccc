"""Decisions against labels: counts, rates with intervals, thresholds, and the curves of scores."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged.core import Confusion, Judged, resampled_means
from judged.core.labelled import column_of, labelled
from judged.curves import Curve, group_ends, per_query, roc_points
from judged.engine.picture import Curves
from judged.engine.table import Table, plain
from judged.errors import DataError, UsageError, shown
from judged.measures import parse

__all__ = ["Classification", "best_threshold", "classify", "pr_curve", "roc_curve"]

Floats = NDArray[np.float64]
By = Literal["f", "youden", "mcc", "accuracy", "balanced_accuracy"]

# Every rate once: what it is called elsewhere, and how it follows from the counts.
_RATES: dict[str, tuple[str, Callable[[Confusion, float], Floats]]] = {
    "precision": ("positive predictive value", lambda c, _: c.precision),
    "recall": ("true positive rate, sensitivity", lambda c, _: c.recall),
    "specificity": ("true negative rate", lambda c, _: c.specificity),
    "fall_out": ("false positive rate", lambda c, _: c.fall_out),
    "negative_precision": ("negative predictive value", lambda c, _: c.negative_precision),
    "accuracy": ("share of right decisions", lambda c, _: c.accuracy),
    "balanced_accuracy": ("mean of recall and specificity", lambda c, _: c.balanced_accuracy),
    "f": ("weighted harmonic mean of precision and recall", lambda c, beta: c.f(beta)),
    "mcc": ("Matthews correlation", lambda c, _: c.mcc),
    "youden": ("recall + specificity - 1, informedness", lambda c, _: c.youden),
}
_RESAMPLES, _DRAWS = 2_000, 20_000_000


@dataclass(frozen=True, eq=False)
class Classification:
    """What decisions are worth: `tp`, `fp`, `fn`, `tn`, every rate by name, and intervals over items."""

    right: NDArray[np.bool_]  # per item: whether it is positive
    chosen: NDArray[np.bool_]  # and whether it was decided for
    threshold: float | None = None
    beta: float = 1.0
    confidence: float = 0.95
    seed: int = 0
    auc: float | None = (
        None  # of the scores, where they were given and labels are of both kinds: equal ones get half credit
    )
    average_precision: float | None = None  # by steps, from threshold to threshold
    auc_error: float | None = None

    @cached_property
    def counts(self) -> Confusion:
        """The four counts."""
        tp = int((self.right & self.chosen).sum())
        fp, fn = int(self.chosen.sum()) - tp, int(self.right.sum()) - tp
        return Confusion(tp=tp, fp=fp, fn=fn, tn=len(self.right) - tp - fp - fn)

    @property
    def tp(self) -> int:
        return int(self.counts.tp)

    @property
    def fp(self) -> int:
        return int(self.counts.fp)

    @property
    def fn(self) -> int:
        return int(self.counts.fn)

    @property
    def tn(self) -> int:
        return int(self.counts.tn)

    def __getitem__(self, rate: str) -> float:
        return self.rates()[_known(rate)]

    def rates(self) -> dict[str, float]:
        """Every rate by its name. One whose denominator is 0 is 0."""
        return {name: float(formula(self.counts, self.beta)) for name, (_, formula) in _RATES.items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """A percentile bootstrap interval of each rate, items being drawn with replacement; of AUC by DeLong (1988)."""
        resamples = max(200, min(_RESAMPLES, _DRAWS // len(self.right)))
        cells = [
            self.right & self.chosen,
            ~self.right & self.chosen,
            self.right & ~self.chosen,
            ~self.right & ~self.chosen,
        ]
        shares = resampled_means(np.stack(cells, axis=1).astype(float), resamples, self.seed)
        drawn = Confusion(*(np.rint(shares * len(self.right)).T))
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        found = {}
        for name, (_, formula) in _RATES.items():
            low, high = np.quantile(formula(drawn, self.beta), tails)
            found[name] = (float(low), float(high))
        if self.auc is not None and self.auc_error is not None:
            reach = NormalDist().inv_cdf(tails[1]) * self.auc_error
            found["auc"] = (max(0.0, self.auc - reach), min(1.0, self.auc + reach))
        return found

    def table(self, *, places: int = 4) -> Table:
        """The counts and rates as plain data."""
        shown_f = "f1" if self.beta == 1 else f"f (beta {self.beta:g})"
        values = self.rates()
        rows = [(shown_f if name == "f" else name, f"{values[name]:.{places}f}", self._between(name, places), text)
                for name, (text, _) in _RATES.items()]  # fmt: skip
        if self.auc is not None:
            rows.append(("auc", f"{self.auc:.{places}f}", self._between("auc", places), "of the scores, equal ones ½"))
        if self.average_precision is not None:
            rows.append(("average_precision", f"{self.average_precision:.{places}f}", "", "of the scores, by steps"))
        total = len(self.right)
        head = [f"{total} items, {int(self.right.sum())} positive; {int(self.chosen.sum())} decided for"]
        head += [f"threshold: scores from {self.threshold:g} on"] if self.threshold is not None else []
        counts = f"TP {self.tp}   FP {self.fp}   FN {self.fn}   TN {self.tn}"
        return Table(("rate", "value", f"{self.confidence:.0%} interval", ""), tuple(rows), title=counts,
                     notes=tuple(head), words=(0, 3))  # fmt: skip

    def _between(self, name: str, places: int) -> str:
        ends = self.intervals.get(name)
        return "" if ends is None else f"[{ends[0]:.{places}f}, {ends[1]:.{places}f}]"

    def to_json(self) -> str:
        """Counts, rates and intervals as strict JSON."""
        data = {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn, "rates": self.rates(),
                "intervals": self.intervals, "auc": self.auc, "average_precision": self.average_precision,
                "threshold": self.threshold if self.threshold is None or np.isfinite(self.threshold) else None}  # fmt: skip
        return json.dumps(data, allow_nan=False)

    def __str__(self) -> str:
        return plain(self.table())

    __repr__ = __str__


def classify(
    labels: Any,
    decisions: Any = None,
    *,
    scores: Any = None,
    threshold: float | By | None = None,
    level: float = 1,
    beta: float = 1.0,
    confidence: float = 0.95,
    seed: int = 0,
) -> Classification:
    """Decisions of a classifier, or of an unranked search, against labels.

    Args:
        labels: one number an item; from `level` on it is positive.
        decisions: one 0 or 1 an item. Or:
        scores: one number an item, with:
        threshold: an item is decided for from here on; `"f"`, `"youden"`, `"mcc"`, `"accuracy"` choose the threshold
            that is best on these very items, which flatters it.
        level: the lowest label that is positive.
        beta: recall counts β times as much as precision in `f`.
        confidence: of the intervals.
        seed: of the draws behind the intervals.

    >>> result = classify([1, 1, 0, 0], scores=[0.9, 0.4, 0.6, 0.1], threshold=0.5)
    >>> result.tp, result.fp, result["recall"], result.auc
    (1, 1, 0.5, 0.75)
    """
    if (decisions is None) == (scores is None):
        raise UsageError(
            "decision", "decisions, or scores with a threshold", got="both" if scores is not None else "neither"
        )
    right = column_of("labels", labels) >= level
    settings: dict[str, Any] = {"beta": beta, "confidence": confidence, "seed": seed}
    if scores is None:
        return Classification(right, _decisions(decisions, len(right)), **settings)
    if threshold is None:
        raise UsageError("threshold", "a threshold for the scores", got="none",
                         hint="a number, or 'f' or 'youden' for the one that is best on these items")  # fmt: skip
    column = column_of("scores", scores, infinite=True)
    if isinstance(threshold, str):
        threshold = best_threshold(labels, scores, by=threshold, level=level, beta=beta)
    j = labelled(labels, scores)
    auc, error = _auc(j, right, column, level)
    return Classification(right, column >= threshold, threshold=float(threshold), auc=auc, auc_error=error,
                          average_precision=_pr_of(j, level).area() if right.any() else None, **settings)  # fmt: skip


def _decisions(decisions: Any, size: int) -> NDArray[np.bool_]:
    column = column_of("decisions", decisions)
    if len(column) != size:
        raise DataError("lengths", "labels and decisions of one length", got=f"{size} and {len(column)}")
    odd = np.flatnonzero((column != 0) & (column != 1))
    if len(odd):
        raise DataError("decision", "decisions of 0 or 1", got=shown(column[odd[0]].item()), where=f"row {odd[0] + 1}",
                        hint="give scores with a threshold instead")  # fmt: skip
    return column == 1


def best_threshold(labels: Any, scores: Any, *, by: By = "f", level: float = 1, beta: float = 1.0) -> float:
    """The score from which on to decide for an item, so that a rate is highest; of several, the highest score.

    Infinite where it is best to decide for nothing.

    >>> best_threshold([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], by="youden")
    0.9
    """
    j = labelled(labels, scores)
    ends = np.append(0, group_ends(j, 0))
    objective = _RATES[_known(by)][1](per_query(j, 0, ends, level), beta)
    return float(_scores_at(scores, ends)[int(np.argmax(objective))])


def roc_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """The ROC curve of scores, or of several columns of scores by name; `at` holds the thresholds.

    >>> roc_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area()
    0.75
    """
    lines = [_roc_of(labelled(labels, s), level, name, s) for name, s in _several(scores)]
    return Curves("roc", tuple(lines), "false positive rate", "true positive rate", "score",
                  marks=tuple(f"(AUC {line.area():.3f})" for line in lines), limits={"x": (0.0, 1.0), "y": (0.0, 1.0)})  # fmt: skip


def pr_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """Precision against recall of scores, a point at each threshold; the area by steps is average precision.

    >>> pr_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area() == (1 + 2 / 3) / 2
    True
    """
    lines = []
    for name, column in _several(scores):
        line = _pr_of(labelled(labels, column), level)
        lines.append(replace(line, name=name, at=_scores_at(column, line.at)))
    return Curves("pr", tuple(lines), "recall", "precision", "score",
                  marks=tuple(f"(AP {line.area():.3f})" for line in lines), limits={"x": (0.0, 1.0), "y": (0.0, 1.0)})  # fmt: skip


def _several(scores: Any) -> list[tuple[str, Any]]:
    return [(str(name), s) for name, s in scores.items()] if isinstance(scores, Mapping) else [("scores", scores)]


def _scores_at(scores: Any, ranks: Any) -> Floats:
    """The score of the document at each rank; infinite above the first."""
    falling = np.concatenate([[np.inf], np.sort(column_of("scores", scores, infinite=True))[::-1]])
    return falling[np.asarray(ranks, np.int64)]


def _pr_of(j: Judged, level: float) -> Curve:
    ranks = group_ends(j, 0)
    decisions = per_query(j, 0, ranks, level)
    if not np.any(decisions.tp):
        raise DataError("one-class", "at least one positive label", got="none", hint="is the level right?")
    return Curve("scores", decisions.recall, decisions.precision, ranks.astype(float), rule="step")


def _roc_of(j: Judged, level: float, name: str, scores: Any) -> Curve:
    ranks, decisions = roc_points(j, 0, level)
    positive = int(np.max(decisions.tp))
    if positive in (0, int(j.retrieved[0])):
        raise DataError("one-class", "positive and negative labels", got="one kind only", hint="is the level right?")
    return Curve(name, decisions.fall_out, decisions.recall, _scores_at(scores, ranks))


def _auc(j: Judged, right: NDArray[np.bool_], score: Floats, level: float) -> tuple[float | None, float | None]:
    """The area under the ROC curve, and its standard error (DeLong, DeLong & Clarke-Pearson 1988); None for one class."""
    positive, negative = score[right], score[~right]
    if not len(positive) or not len(negative):
        return None, None
    area = float(parse("AUC")(level=level).on(j)[0])
    if min(len(positive), len(negative)) < 2:
        return area, None
    beaten = _beaten(positive, negative)  # per positive: the share of negatives below it, equal ones half
    beating = 1 - _beaten(negative, positive)
    error = np.sqrt(np.var(beaten, ddof=1) / len(positive) + np.var(beating, ddof=1) / len(negative))
    return area, float(error)


def _beaten(these: Floats, others: Floats) -> Floats:
    others = np.sort(others)
    return (np.searchsorted(others, these, "left") + np.searchsorted(others, these, "right")) / (2 * len(others))


def _known(rate: str) -> str:
    name = {"f1": "f"}.get(rate, rate)
    if name not in _RATES:
        raise UsageError("rate", f"one of {', '.join(_RATES)}", got=shown(rate), value=rate)
    return name
