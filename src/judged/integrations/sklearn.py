"""A scorer for scikit-learn: `cross_validate(model, X, y, cv=GroupKFold(), scoring=scorer("nDCG@10"), params={"groups": queries})`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Literal, Self

from judged.errors import DataError, UsageError, shown
from judged.integrations._measuring import Measures, Measuring

__all__ = ["RankingScorer", "scorer"]

Response = Literal["auto", "predict", "decision_function", "predict_proba"]
_ORDER = ("decision_function", "predict_proba", "predict")


def scorer(
    measures: Measures, *, qid: str | int | Callable[[Any], Any] | None = None, response: Response = "auto", **options: Any
) -> RankingScorer:  # fmt: skip
    """A scorer for `cross_validate`, `GridSearchCV` and the like, which measures the lists of each fold.

    The list that each row is of comes as metadata, `groups` or `qid`: `sklearn.set_config(enable_metadata_routing=True)`, and scikit-learn hands
    what it splits by to the scorer too. Without routing it can stand in the features: `qid` says where.

    Higher is better in scikit-learn, so a measure of which less is better is given with its sign turned.

    Args:
        measures: as in `score`; several give a value each, under its name.
        qid: the column of X that holds the list of each row, or a function from X to it, where there is no metadata.
        response: what of the model is the score: `decision_function`, `predict_proba` (of the second class), `predict`; `auto`
            takes the first of these that it has.
        options: of `score`: `level`, `profile`, `empty`, `ties` …

    >>> scorer("nDCG@10")
    RankingScorer('nDCG@10')
    """
    if response != "auto" and response not in _ORDER:
        raise UsageError("option", f"response to be one of auto, {', '.join(_ORDER)}", got=shown(response), value=response)  # fmt: skip
    return RankingScorer(Measuring(measures, options), qid, response)


class RankingScorer:
    """What scikit-learn calls with a fitted model and the rows of a fold."""

    def __init__(self, measuring: Measuring, qid: str | int | Callable[[Any], Any] | None, response: Response) -> None:
        self._measuring, self._qid, self._response = measuring, qid, response
        self._requests: dict[str, bool | str | None] = {"groups": True, "qid": True}

    def __call__(self, estimator: Any, X: Any, y: Any, *, qid: Any = None, groups: Any = None) -> Any:  # noqa: N803 - as scikit-learn has it
        """The mean of the measure over the lists, or {name: mean} of several; the list of each row is `qid`, else `groups`."""
        ids = qid if qid is not None else groups if groups is not None else self._of(X)
        found = self._measuring.of(y, _response(estimator, X, self._response), qid=ids)
        values = {s.name: s.value if s.higher_is_better else -s.value for s in found}
        return values if len(values) > 1 else next(iter(values.values()))

    def _of(self, rows: Any) -> Any:
        if self._qid is None:
            raise UsageError("group", "the list that each row is of, as groups or qid", got="neither",
                             hint="sklearn.set_config(enable_metadata_routing=True) and params={'groups': …}, or scorer(…, qid=column of X)")  # fmt: skip
        if callable(self._qid):
            return self._qid(rows)
        try:
            return rows[self._qid] if isinstance(self._qid, str) else _column(rows, self._qid)
        except (KeyError, IndexError, TypeError) as error:
            raise DataError("columns", f"a column {shown(self._qid)} of X", got="none", value=self._qid) from error

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Which metadata is wanted, and under which name it comes: True, False, or another name; both `groups` and `qid` are, from the start."""
        for name in requests:
            if name not in self._requests:
                raise UsageError("option", "groups or qid", got=shown(name), value=name)
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> Any:
        """For scikit-learn: what is wanted."""
        request = import_module("sklearn.utils.metadata_routing").MetadataRequest(owner=repr(self))
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        return f"RankingScorer({' '.join(map(str, self._measuring.measures))!r})"


def _column(rows: Any, number: int) -> Any:
    return rows.iloc[:, number] if hasattr(rows, "iloc") else rows[:, number]


def _response(estimator: Any, rows: Any, response: Response) -> Any:
    wanted: Iterable[str] = _ORDER if response == "auto" else (response,)
    name = next((name for name in wanted if hasattr(estimator, name)), None)
    if name is None:
        raise UsageError("option", f"a model with {' or '.join(wanted)}", got=type(estimator).__name__)
    found = getattr(estimator, name)(rows)
    if getattr(found, "ndim", 1) == 2 and name == "predict_proba" and found.shape[1] == 2:
        return found[:, 1]
    if getattr(found, "ndim", 1) != 1:
        raise DataError("shape", "one score a row", got=f"{found.shape[1]} of {name}: one for each class",
                        hint="response='predict', or a model of two classes")  # fmt: skip
    return found
