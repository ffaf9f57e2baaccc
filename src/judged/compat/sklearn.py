"""The ranking metrics of scikit-learn: `from judged.compat.sklearn import ndcg_score`.

Each returns a number, the mean over samples, as the function of that name in `sklearn.metrics` does. Values are those of the profile
`sklearn`. scikit-learn need not be installed. See `docs/migration/sklearn.md`.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from judged._types import Floats
from judged.compat._errors import left_out
from judged.errors import DataError, UsageError, shown
from judged.evaluation.arrays import score
from judged.evaluation.values import Values
from judged.io.arrays import as_numbers

__all__ = [
    "average_precision_score",
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "roc_auc_score",
]
_AVERAGES = ("macro", "micro", "weighted", "samples", None)
_score = partial(score, profile="sklearn")
_CLASSIFIERS = (
    "accuracy_score auc classification_report confusion_matrix f1_score log_loss matthews_corrcoef mean_squared_error"
    " precision_recall_curve precision_recall_fscore_support precision_score recall_score roc_curve top_k_accuracy_score"
)


def __getattr__(name: str) -> Any:
    left_out(__name__, name, _CLASSIFIERS, "import it from sklearn.metrics")


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Mean nDCG of the rows, with the mean over all orders of equal scores; `ignore_ties` takes the last of them first.

    >>> ndcg_score([[10, 0, 0, 1, 5]], [[1, 0, 0, 0, 1]], k=1)
    0.75
    """
    return _mean(_discounted("nDCG", y_true, y_score, k, sample_weight, ignore_ties))


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Mean DCG of the rows, with the mean over all orders of equal scores; `ignore_ties` takes the last of them first.

    >>> dcg_score([[10, 0, 0, 1, 5]], [[1, 0, 0, 0, 1]], k=1)
    7.5
    """
    if not log_base > 0:
        raise UsageError("option", "a number > 0", got=shown(log_base), where="log_base")
    return _mean(_discounted("DCG", y_true, y_score, k, sample_weight, ignore_ties)) * math.log2(log_base)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean average precision of the rows, equal scores taken together; 1 for a row without a relevant label.

    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.41666666666666663
    """
    return _mean(_of_labels("AP", y_true, y_score, sample_weight, columns=1, empty="one"))


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean rank of the last relevant label, the last rank among equal scores; 0 for a row without a relevant label.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    return _mean(_of_labels("LastHit", y_true, y_score, sample_weight, ties="worst"))


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Mean share of pairs in the wrong order, equal scores being wrong; 0 for a row whose labels are all alike.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    return _mean(_of_labels("RankingLoss", y_true, y_score, sample_weight, ties="worst"))


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Average precision of a binary classifier, equal scores taken together; of several classes the average, or all with `average=None`.

    >>> average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.8333333333333333
    """
    return _averaged("AP", y_true, y_score, average, pos_label, sample_weight)


def roc_auc_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", sample_weight: Any = None, max_fpr: float | None = None
) -> Any:
    """Area under the ROC curve of a binary classifier; of several labels per sample the average, or all with `average=None`.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    true = np.asarray(y_true)
    if max_fpr not in (None, 1) or (true.ndim == 1 and len(np.unique(true)) > 2):
        raise UsageError(
            "unsuitable-measure",
            "roc_auc_score takes two classes or a matrix of labels here, and no max_fpr",
            hint="use jd.curves.classify",
        )
    return _averaged("AUC", true, y_score, average, true.max() if true.ndim == 1 and len(true) else 1, sample_weight)


def _discounted(name: str, y_true: Any, y_score: Any, k: int | None, weights: Any, ignore_ties: bool) -> Values:
    true, scores = _matrices(y_true, y_score, columns=2)
    measure = name if k is None else f"{name}@{k}"
    if ignore_ties:
        return _score(true[:, ::-1], scores[:, ::-1], measure, weights=weights, ties="input")
    return _score(true, scores, measure, weights=weights)


def _of_labels(name: str, y_true: Any, y_score: Any, weights: Any, columns: int = 2, **options: Any) -> Values:
    true, scores = _matrices(y_true, y_score, columns)
    if len(np.unique(true)) > 2:
        raise DataError("class-labels", "labels must have two values, such as 0 and 1", where="y_true")
    return _score((true != 0).astype(np.float64), scores, name, weights=weights, **options)


def _matrices(y_true: Any, y_score: Any, columns: int = 1) -> tuple[Floats, Floats]:
    """Labels and scores as two matrices of the same shape; `columns` is the smallest width."""
    true, scores = (
        as_numbers(x.toarray() if hasattr(x, "toarray") else x, name)
        for x, name in ((y_true, "y_true"), (y_score, "y_score"))
    )
    if true.ndim != 2 or true.shape != scores.shape or true.shape[1] < columns:
        raise DataError(
            "shape",
            "two matrices of the same shape, with a row per sample and several columns",
            got=f"shapes {true.shape} and {scores.shape}",
        )
    return true, scores


def _averaged(name: str, y_true: Any, y_score: Any, average: str | None, pos_label: Any, weights: Any) -> Any:
    if average not in _AVERAGES:
        raise UsageError(
            "option", f"average must be one of {', '.join(map(str, _AVERAGES))}, got {shown(average)}", value=average
        )
    true, scores = (
        x[:, 0] if x.ndim == 2 and x.shape[1] == 1 else x for x in (np.asarray(y_true), as_numbers(y_score, "y_score"))
    )
    if true.ndim == 1 and len(np.unique(true)) <= 2:
        if len(np.unique(true)) == 2 and pos_label not in true:
            raise UsageError("class-labels", f"pos_label={shown(pos_label)} is not a label of y_true", value=pos_label)
        true, average = (true == pos_label)[:, None], "macro"
        scores = scores.reshape(len(scores), -1)
    elif true.ndim == 1:
        true = true[:, None] == np.unique(true)[None, :]
    true, scores = _matrices(true.astype(np.float64), scores)
    if weights is not None and average != "samples":
        raise UsageError(
            "item-weights",
            f"weights of samples need a matrix of labels and average='samples' here, got average={shown(average)}",
        )
    if average == "micro":
        true, scores = true.reshape(-1, 1), scores.reshape(-1, 1)
    lists = (true, scores) if average == "samples" else (true.T, scores.T)
    support = true.sum(axis=0) if average == "weighted" else weights
    if average == "weighted" and not support.any():
        return 0.0
    values = _score(*lists, name, weights=support)
    column = next(iter(values.columns.values()))
    if name == "AUC":  # which has no value for one class
        column = np.where(lists[0].any(axis=1) & ~lists[0].all(axis=1), column, np.nan)
        if np.isnan(column if support is None else column[np.asarray(support) > 0]).any() and average is not None:
            return math.nan
    return column if average is None else _mean(values)


def _mean(values: Values) -> float:
    return next(iter(values.mean().values()))
