"""Compare decisions with labels: counts, rates with intervals, thresholds, and curves of scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.judged import Judged
from judged.core.labelled import check_same_index, column_of, rank_labels
from judged.curves.classification import RATES, Classification, known_rate
from judged.curves.result import Curve, Curves
from judged.curves.threshold import group_ends, per_query, roc_points
from judged.errors import DataError, Hint, UsageError, shown
from judged.measures.grammar import parse

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
