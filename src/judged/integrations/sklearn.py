"""A scorer for scikit-learn: `cross_validate(model, X, y, cv=GroupKFold(), scoring=scorer("nDCG@10"), params={"groups": queries})`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Self, Unpack

from judged.errors import DataError, UsageError, shown
from judged.integrations._measuring import Measures, Measuring, ScoreOptions

_ORDER = ("decision_function", "predict_proba", "predict")


def scorer(
    measures: Measures,
    *,
    qid: str | int | Callable[[Any], Any] | None = None,
    **options: Unpack[ScoreOptions],
) -> RankingScorer:
    """Create a scorer for `cross_validate`, `GridSearchCV` and the like, which measures the lists of each fold.

    The list of each row is passed as metadata, `groups` or `qid`: with `sklearn.set_config(enable_metadata_routing=True)` scikit-learn passes
    the groups that it splits by to the scorer too. Without routing the list can be a column of the features, named by `qid`.

    Higher is better in scikit-learn, so the sign of a measure for which lower is better is changed.

    Args:
        measures: as in `score`; several give one value each, under its name.
        qid: the column of X with the list of each row, or a function from X to it, if there is no metadata.
        options: keyword options of `score`: `level`, `profile`, `empty`, `ties` …

    >>> scorer("nDCG@10")
    RankingScorer('nDCG@10')
    """
    return RankingScorer(Measuring(measures, options), qid)


class RankingScorer:
    """The scorer that scikit-learn calls with a fitted model and the rows of a fold."""

    def __init__(self, measuring: Measuring, qid: str | int | Callable[[Any], Any] | None) -> None:
        self._measuring, self._qid = measuring, qid
        self._requests: dict[str, bool | str | None] = {"groups": True, "qid": True}

    def __call__(self, estimator: Any, X: Any, y: Any, *, qid: Any = None, groups: Any = None) -> Any:  # noqa: N803 - as scikit-learn has it
        """The mean of the measure over lists, or {name: mean} of several; the list of each row is `qid`, else `groups`."""
        ids = qid if qid is not None else groups if groups is not None else self._of(X)
        measured = self._measuring.of(y, _scores(estimator, X), qid=ids)
        values = {name: value if higher_is_better else -value for name, value, higher_is_better in measured}
        return values if len(values) > 1 else next(iter(values.values()))

    def _of(self, rows: Any) -> Any:
        if self._qid is None:
            raise UsageError(
                "group",
                "the list of each row is unknown: neither groups nor qid is given",
                hint="use sklearn.set_config(enable_metadata_routing=True) and params={'groups': …}, or scorer(…, qid=column of X)",
            )
        if callable(self._qid):
            return self._qid(rows)
        try:
            return rows[self._qid] if isinstance(self._qid, str) else _column(rows, self._qid)
        except (KeyError, IndexError, TypeError) as error:
            raise DataError("columns", f"X has no column {shown(self._qid)}", value=self._qid) from error

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request metadata, `groups` and `qid`: True (the default), False, or another name."""
        for name in requests:
            if name not in self._requests:
                raise UsageError("option", "groups or qid", got=shown(name), value=name)
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> Any:
        """The metadata request, for scikit-learn."""
        request = import_module("sklearn.utils.metadata_routing").MetadataRequest(owner=repr(self))
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        return f"RankingScorer({str(self._measuring)!r})"


def _column(rows: Any, number: int) -> Any:
    return rows.iloc[:, number] if hasattr(rows, "iloc") else rows[:, number]


def _scores(estimator: Any, rows: Any) -> Any:
    """The scores of rows by the first of the methods that the model has."""
    name = next((name for name in _ORDER if hasattr(estimator, name)), None)
    if name is None:
        raise UsageError("option", f"a model with {' or '.join(_ORDER)}", got=type(estimator).__name__)
    scores = getattr(estimator, name)(rows)
    if getattr(scores, "ndim", 1) == 2 and scores.shape[1] == 2 and name == "predict_proba":
        return scores[:, 1]
    if getattr(scores, "ndim", 1) != 1:
        problem = f"{name} gives {scores.shape[1]} scores per row, one for each class"
        raise DataError("shape", problem, hint="use a model of two classes, or one that predicts a number")
    return scores
