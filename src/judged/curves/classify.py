"""Compare decisions with labels: confusion counts, rates with intervals, and curves of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.confusion import Confusion
from judged.core.judged import Judged
from judged.core.labelled import check_same_index, column_of, rank_labels
from judged.curves.points import Curve, Curves
from judged.curves.run_curves import group_ends, per_query, roc_points
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.measures.grammar import parse
from judged.stats.intervals import wilson
from judged.stats.student_t import normal_quantile
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number


@dataclass(frozen=True, slots=True)
class _Rate:
    """A rate: its other names, its value by the counts, and its denominator; undefined if that is 0.

    A `share` is a proportion of its denominator, and has Wilson's interval.
    """

    text: str
    value: Callable[[Confusion, float], Floats]
    of: Callable[[Confusion], Any]
    share: bool = False

    def defined(self, counts: Confusion, beta: float) -> Floats:
        """Return the rate; NaN if it is undefined."""
        return np.where(np.asarray(self.of(counts)) > 0, self.value(counts, beta), np.nan)


def _classes(c: Confusion) -> Any:
    return np.minimum(c.tp + c.fn, c.fp + c.tn)


RATES: dict[str, _Rate] = {
    "precision": _Rate("positive predictive value", lambda c, _: c.precision, lambda c: c.tp + c.fp, share=True),
    "recall": _Rate("true positive rate, sensitivity", lambda c, _: c.recall, lambda c: c.tp + c.fn, share=True),
    "specificity": _Rate("true negative rate", lambda c, _: c.specificity, lambda c: c.fp + c.tn, share=True),
    "fall_out": _Rate("false positive rate", lambda c, _: c.fall_out, lambda c: c.fp + c.tn, share=True),
    "negative_precision": _Rate(
        "negative predictive value", lambda c, _: c.negative_precision, lambda c: c.tn + c.fn, share=True
    ),
    "accuracy": _Rate(
        "share of correct decisions", lambda c, _: c.accuracy, lambda c: c.tp + c.fp + c.fn + c.tn, share=True
    ),
    "balanced_accuracy": _Rate("mean of recall and specificity", lambda c, _: c.balanced_accuracy, _classes),
    "f": _Rate(
        "weighted harmonic mean of precision and recall", lambda c, beta: c.f(beta), lambda c: c.tp + c.fp + c.fn
    ),
    "mcc": _Rate("Matthews correlation", lambda c, _: c.mcc, _classes),
    "youden": _Rate("recall + specificity - 1, informedness", lambda c, _: c.youden, _classes),
}


@dataclass(frozen=True, eq=False, repr=False)
class Classification(Result):
    """Confusion counts `tp`, `fp`, `fn` and `tn`, rates by name, and intervals over items."""

    right: NDArray[np.bool_]  # items that are positive
    chosen: NDArray[np.bool_]  # items that were predicted positive
    threshold: float | None = None
    chosen_by: str | None = None  # the rate that the threshold maximises on these items
    beta: float = 1.0
    confidence: float = 0.95
    auc: float | None = None  # of the scores; equal ones get half credit
    average_precision: float | None = None  # of the scores, by steps between thresholds
    auc_error: float | None = None

    @cached_property
    def counts(self) -> Confusion:
        """The four counts."""
        tp = int((self.right & self.chosen).sum())
        fp, fn = int(self.chosen.sum()) - tp, int(self.right.sum()) - tp
        return Confusion(tp=tp, fp=fp, fn=fn, tn=len(self.right) - tp - fp - fn)

    @property
    def tp(self) -> int:
        """True positives."""
        return int(self.counts.tp)

    @property
    def fp(self) -> int:
        """False positives."""
        return int(self.counts.fp)

    @property
    def fn(self) -> int:
        """False negatives."""
        return int(self.counts.fn)

    @property
    def tn(self) -> int:
        """True negatives."""
        return int(self.counts.tn)

    def __getitem__(self, rate: str) -> float:
        return self.rates()[known_rate(rate)]

    def rates(self) -> dict[str, float]:
        """Return every rate by name; NaN if its denominator is 0."""
        return {name: float(rate.defined(self.counts, self.beta)) for name, rate in RATES.items()}

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Interval of each rate over items; an undefined rate has none.

        Proportions: Wilson (1927). F with beta 1 is a function of one, tp / (tp + fp + fn). Youden's J and balanced accuracy: the intervals of recall and
        specificity, combined (Zou and Donner 2008). AUC: DeLong (1988) on the logit scale. Matthews correlation and other F: the delta method, on
        Fisher's scale and on the logit scale.
        """
        rates = self.rates()
        intervals = {name: self._interval(name, rates) for name in RATES if not math.isnan(rates[name])}
        if self.auc is not None and self.auc_error is not None:
            intervals["auc"] = self._auc_interval(self.auc, self.auc_error)
        return intervals

    def _interval(self, name: str, rates: dict[str, float]) -> tuple[float, float]:
        if RATES[name].share:
            return wilson(rates[name], float(RATES[name].of(self.counts)), self.confidence)
        if name == "f" and self.beta == 1:
            either = self.tp + self.fp + self.fn
            low, high = (2 * end / (1 + end) for end in wilson(self.tp / either, either, self.confidence))
            return low, high
        if name in ("youden", "balanced_accuracy"):
            ends = {rate: self._interval(rate, rates) for rate in ("recall", "specificity")}
            down = math.hypot(*(rates[rate] - low for rate, (low, _) in ends.items()))
            up = math.hypot(*(high - rates[rate] for rate, (_, high) in ends.items()))
            scale = 1.0 if name == "youden" else 0.5
            return rates[name] - scale * down, rates[name] + scale * up
        return self._mcc_interval(rates[name]) if name == "mcc" else self._f_interval(rates[name])

    def _mcc_interval(self, value: float) -> tuple[float, float]:
        """The delta method on Fisher's scale, with the variance of phi (Bishop, Fienberg and Holland 1975, 11.3)."""
        tp, fp, fn, tn = self._cells()
        n = tp + fp + fn + tn
        chosen, right = (tp + fp) / n, (tp + fn) / n
        spread = chosen * (1 - chosen) * right * (1 - right)
        phi = (tp * tn - fp * fn) / (n * n * math.sqrt(spread))
        uneven = (2 * chosen - 1) * (2 * right - 1) / math.sqrt(spread)
        skew = (2 * chosen - 1) ** 2 / (chosen * (1 - chosen)) + (2 * right - 1) ** 2 / (right * (1 - right))
        variance = (1 - phi**2 + phi * (1 + phi**2 / 2) * uneven - 0.75 * phi**2 * skew) / n
        reach = normal_quantile(self.confidence) * math.sqrt(max(variance, 0.0)) / (1 - phi**2)
        low, high = (math.tanh(math.atanh(phi) + side * reach) for side in (-1, 1))
        return min(low, value), max(high, value)

    def _f_interval(self, value: float) -> tuple[float, float]:
        """The delta method on the logit scale: F / (1 - F) is (1 + beta²) tp / (beta² fn + fp)."""
        (tp, fp, fn, _), weight = self._cells(), self.beta**2
        rest = weight * fn + fp
        reach = normal_quantile(self.confidence) * math.sqrt(1 / tp + (weight**2 * fn + fp) / rest**2)
        centre = math.log((1 + weight) * tp / rest)
        low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
        return min(low, value), max(high, value)

    def _cells(self) -> list[float]:
        """The four counts; if one is 0, each with 1/2 more, so that its logarithm is finite (Haldane 1956)."""
        cells = [float(count) for count in (self.tp, self.fp, self.fn, self.tn)]
        return cells if all(cells) else [count + 0.5 for count in cells]

    def _auc_interval(self, area: float, error: float) -> tuple[float, float]:
        """DeLong's interval on the logit scale; for a perfect order, Wilson's for the smaller class."""
        if not 0 < area < 1 or error == 0:
            smaller = min(int(self.right.sum()), int((~self.right).sum()))
            return wilson(area, smaller, self.confidence)
        reach = normal_quantile(self.confidence) * error / (area * (1 - area))
        centre = math.log(area / (1 - area))
        low, high = (1 / (1 + math.exp(-(centre + side * reach))) for side in (-1, 1))
        return low, high

    def headline(self) -> tuple[str, ...]:
        """The counts."""
        return (f"TP {self.tp}   FP {self.fp}   FN {self.fn}   TN {self.tn}",)

    def tables(self, *, places: int = 4) -> list[Table]:
        """The rates with intervals."""
        rows = [
            (
                row["rate"],
                "undefined" if row["value"] != row["value"] else number(row["value"], places),
                "" if row["low"] is None else f"[{number(row['low'], places)}, {number(row['high'], places)}]",
                row["text"],
            )
            for row in self._rows()
        ]
        notes = [
            f"{len(self.right)} items, {int(self.right.sum())} positive; {int(self.chosen.sum())} predicted positive"
        ]
        if self.threshold is not None:
            optimistic = (
                f", optimal for {self.chosen_by} on the same items, so rates are optimistic" if self.chosen_by else ""
            )
            notes.append(f"threshold: scores ≥ {self.threshold:g}{optimistic}")
        if self.right.all() or not self.right.any():
            which = "positive" if self.right.all() else "negative"
            hint = Hint("check the {level}", level=None)
            notes.append(f"warning: {Warned('one-class', len(self.right), f'all labels are {which}', hint)}")
        headers = ("rate", "value", f"{self.confidence:.0%} interval", "")
        return [Table(headers, tuple(rows), notes=tuple(notes), words=(0, 3), optional=(3,))]

    def records(self) -> list[dict[str, Any]]:
        """One row per rate: rate, value, low, high."""
        return [{name: row[name] for name in ("rate", "value", "low", "high")} for row in self._rows()]

    def _rows(self) -> list[dict[str, Any]]:
        texts = {name: rate.text for name, rate in RATES.items()}
        values = self.rates()
        if self.auc is not None:
            values["auc"], texts["auc"] = self.auc, "area under the ROC curve; ties count ½"
        if self.average_precision is not None:
            values["average_precision"], texts["average_precision"] = (
                self.average_precision,
                "step-wise area under precision-recall",
            )
        rows = []
        for name, value in values.items():
            low, high = self.intervals.get(name, (None, None))
            label = name if name != "f" else "f1" if self.beta == 1 else f"f (beta {self.beta:g})"
            rows.append({"rate": label, "value": value, "low": low, "high": high, "text": texts[name]})
        return rows

    def to_data(self) -> dict[str, Any]:
        """Counts, rates and intervals as plain data."""
        return {
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "tn": self.tn,
            "rates": self.rates(),
            "intervals": self.intervals,
            "auc": self.auc,
            "average_precision": self.average_precision,
            "threshold": self.threshold,
        }


def known_rate(rate: object) -> str:
    """Return the name of a rate by any of its names."""
    name = rate.lower() if isinstance(rate, str) else ""
    name = {"f1": "f", "sensitivity": "recall", "tpr": "recall", "fpr": "fall_out", "tnr": "specificity"}.get(
        name, name
    )
    if name not in RATES:
        by_beta = Hint("use {beta}", beta=int(name[1:])) if name[:1] == "f" and name[1:].isdigit() else None
        raise UsageError(
            "rate", f"unknown rate {shown(rate)}", hint=by_beta or f"choose one of {', '.join(RATES)}", value=rate
        )
    return name


By = Literal["f", "youden", "mcc", "accuracy", "balanced_accuracy"]


def classify(
    labels: Any,
    decisions: Any = None,
    *,
    scores: Any = None,
    threshold: float | By | None = None,
    level: float = 1,
    beta: float = 1.0,
    confidence: float = 0.95,
) -> Classification:
    """Compare the decisions of a classifier, or of an unranked search, with labels.

    Args:
        labels: one number per item.
        decisions: 0 or 1 per item, unless there are scores.
        scores: one number per item.
        threshold: lowest score of items predicted positive; "f", "youden", "mcc", "accuracy" or "balanced_accuracy" choose the
            threshold that maximises this rate on the same items, so the rates are optimistic.
        level: lowest positive label.
        beta: weight of recall relative to precision in `f`.
        confidence: confidence level of the intervals.

    >>> result = classify([1, 1, 0, 0], scores=[0.9, 0.4, 0.6, 0.1], threshold=0.5)
    >>> result.tp, result.fp, result["recall"], result.auc
    (1, 1, 0.5, 0.75)
    """
    for name, value, fine in (
        ("level", level, _finite(level)),
        ("beta", beta, _finite(beta) and 0 <= beta <= 1e6),
        ("confidence", confidence, _finite(confidence) and 0 < confidence < 1),
        (
            "threshold",
            threshold,
            threshold is None or isinstance(threshold, str) or (_finite(threshold, infinite=True)),
        ),
    ):
        if not fine:
            raise UsageError("parameter", f"{name} is out of range, got {shown(value)}", value=value)
    if threshold is not None and scores is None:
        raise UsageError(
            "threshold", "a threshold applies to scores, not to decisions", hint=Hint("use {scores}", scores=None)
        )
    if (decisions is None) == (scores is None):
        passed = "both decisions and scores" if scores is not None else "neither decisions nor scores"
        raise UsageError("decision", f"got {passed}", hint="pass either decisions, or scores with a threshold")
    check_same_index(labels, decisions if scores is None else scores)
    right = column_of("labels", labels) >= level
    settings: dict[str, Any] = {"beta": beta, "confidence": confidence}
    if scores is None:
        return Classification(right, _decisions(decisions, len(right)), **settings)
    if threshold is None:
        raise UsageError(
            "threshold", "scores need a threshold", hint="set a number, or a rate to maximise, such as 'f'"
        )
    column = column_of("scores", scores)
    if isinstance(threshold, str):
        settings["chosen_by"] = known_rate(threshold)
        threshold = best_threshold(labels, scores, by=threshold, level=level, beta=beta)
    j = rank_labels(labels, scores)
    auc, error = _auc(j, right, column, level)
    return Classification(
        right,
        column >= threshold,
        threshold=float(threshold),
        auc=auc,
        auc_error=error,
        average_precision=_pr_of(j, level).area() if right.any() else None,
        **settings,
    )


def _decisions(decisions: Any, size: int) -> NDArray[np.bool_]:
    column = column_of("decisions", decisions)
    if len(column) != size:
        raise DataError("lengths", f"{size} labels and {len(column)} decisions")
    invalid = np.flatnonzero((column != 0) & (column != 1))
    if len(invalid):
        problem = f"a decision must be 0 or 1, got {shown(column[invalid[0]].item())}"
        hint = Hint("use {scores} with a threshold", scores=None)
        raise DataError("decision", problem, where=f"row {invalid[0] + 1}", hint=hint)
    return column == 1


def best_threshold(labels: Any, scores: Any, *, by: By = "f", level: float = 1, beta: float = 1.0) -> float:
    """Return the threshold that maximises a rate; of several, the highest.

    It is infinite if no item should be predicted positive.

    >>> best_threshold([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], by="youden")
    0.9
    """
    j = rank_labels(labels, scores)
    ends = np.append(0, group_ends(j, 0))
    if not _finite(level) or not (_finite(beta) and 0 <= beta <= 1e6):
        raise UsageError("parameter", f"level and beta must be finite numbers, got {shown(level)} and {shown(beta)}")
    rate = known_rate(by)
    if rate not in get_args(By):
        raise UsageError(
            "rate", f"no threshold maximises {shown(by)}", hint=f"choose one of {', '.join(get_args(By))}", value=by
        )
    objective = RATES[rate].value(per_query(j, 0, ends, level), beta)
    best = objective >= np.max(objective) - 1e-12  # equal up to rounding
    return float(_scores_at(scores, ends)[int(np.argmax(best))])


def _finite(value: Any, *, infinite: bool = False) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and (infinite or math.isfinite(value))
        and value == value
    )


def roc_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """Return the ROC curve of scores, or of several columns of scores by name; `at` contains the thresholds.

    >>> roc_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area()
    0.75
    """
    lines = [_roc_of(rank_labels(labels, s), level, name, s) for name, s in _several(scores)]
    return Curves(
        "roc",
        tuple(lines),
        "false positive rate",
        "true positive rate",
        "score",
        marks=tuple(f"(AUC {line.area():.3f})" for line in lines),
        limits={"x": (0.0, 1.0), "y": (0.0, 1.0)},
    )


def pr_curve(labels: Any, scores: Any, *, level: float = 1) -> Curves:
    """Return the precision-recall curve of scores, with a point at each threshold; its area is average precision.

    >>> pr_curve([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1])[0].area() == (1 + 2 / 3) / 2
    True
    """
    lines = []
    for name, column in _several(scores):
        line = _pr_of(rank_labels(labels, column), level)
        lines.append(replace(line, name=name, at=_scores_at(column, line.at)))
    return Curves(
        "pr",
        tuple(lines),
        "recall",
        "precision",
        "score",
        marks=tuple(f"(AP {line.area():.3f})" for line in lines),
        limits={"x": (0.0, 1.0), "y": (0.0, 1.0)},
    )


def _several(scores: Any) -> list[tuple[str, Any]]:
    if hasattr(scores, "columns"):  # a frame of several models
        return [(str(name), scores[name]) for name in scores.columns]
    return [(str(name), s) for name, s in scores.items()] if isinstance(scores, Mapping) else [("scores", scores)]


def _scores_at(scores: Any, ranks: Any) -> Floats:
    """Return the score at each rank; infinite at rank 0."""
    falling = np.concatenate([[np.inf], np.sort(column_of("scores", scores))[::-1]])
    return falling[np.asarray(ranks, np.int64)]


def _pr_of(j: Judged, level: float) -> Curve:
    ranks = group_ends(j, 0)
    decisions = per_query(j, 0, ranks, level)
    if not np.any(decisions.tp):
        raise DataError("one-class", "no label is positive", hint=Hint("check {level}", level=None))
    return Curve("scores", decisions.recall, decisions.precision, ranks.astype(float), rule="step")


def _roc_of(j: Judged, level: float, name: str, scores: Any) -> Curve:
    ranks, decisions = roc_points(j, 0, level)
    positive = int(np.max(decisions.tp))
    if positive in (0, int(j.retrieved[0])):
        raise DataError(
            "one-class", "all labels are positive, or all are negative", hint=Hint("check {level}", level=None)
        )
    return Curve(name, decisions.fall_out, decisions.recall, _scores_at(scores, ranks))


def _auc(j: Judged, right: NDArray[np.bool_], score: Floats, level: float) -> tuple[float | None, float | None]:
    """Return the area under the ROC curve and its standard error (DeLong, DeLong & Clarke-Pearson 1988); None for one class."""
    positive, negative = score[right], score[~right]
    if not len(positive) or not len(negative):
        return None, None
    area = float(parse("AUC")(level=level).on(j)[0])
    if min(len(positive), len(negative)) < 2:
        return area, None
    beaten = _beaten(positive, negative)  # per positive: share of negatives below it, equal ones ½
    beating = 1 - _beaten(negative, positive)
    error = np.sqrt(np.var(beaten, ddof=1) / len(positive) + np.var(beating, ddof=1) / len(negative))
    return area, float(error)


def _beaten(these: Floats, others: Floats) -> Floats:
    others = np.sort(others)
    return (np.searchsorted(others, these, "left") + np.searchsorted(others, these, "right")) / (2 * len(others))
