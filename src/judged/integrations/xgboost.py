"""Custom metrics for XGBoost: `xgboost.train(…, custom_metric=metric("nDCG@10"))`, `XGBRanker(eval_metric=metric("nDCG@10"))`."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from judged.errors import UsageError
from judged.integrations._measuring import Measures, Measuring, ScoreOptions

Reported = tuple[str, float]


def metric(measures: Measures, **options: Unpack[ScoreOptions]) -> XGBoostMetric:
    """Create a custom metric for `xgboost.train`, `xgboost.cv` and `XGBRanker`.

    XGBoost assumes that lower is better for a custom metric: early stopping needs `maximize=True`, unless lower is better for the measure.
    It records custom metrics with six decimals. `XGBRanker` calls it list by list and computes its own mean: weighted by the length of lists, and 1 for lists of one item.

    Args:
        measures: as in `score`; XGBoost reports each under its name, without blanks.
        options: keyword options of `score`: `level`, `profile`, `empty`, `ties` … `profile="xgboost"` has the conventions of XGBoost's own `ndcg` and `map`.

    Weights of groups are ignored: every list counts the same.

    >>> metric("nDCG(gain='exp', level=2)@10").__name__
    "nDCG(gain='exp',level=2)@10"
    """
    return XGBoostMetric(Measuring(measures, options))


class XGBoostMetric:
    """The function that XGBoost calls with its predictions; returns (name, value), or a list of them."""

    def __init__(self, measuring: Measuring) -> None:
        self._measuring = measuring
        self.__name__ = " ".join(
            _plain(str(m)) for m in measuring.measures
        )  # the name under which XGBRanker records the metric

    @property
    def maximize(self) -> bool:
        """The value of `maximize=` for `xgboost.train` and `xgboost.callback.EarlyStopping`; they use the last of several measures."""
        return not self._measuring.measures[-1].definition.lower_is_better

    def __call__(self, first: Any, second: Any) -> Reported | list[Reported] | float:
        """Evaluate `custom_metric(predictions, dmatrix)`; or, for `XGBRanker`, `eval_metric(labels, predictions)` of one list."""
        if not hasattr(second, "get_uint_info"):
            self._measuring.only("XGBRanker")
            return self._measuring.of(first, second)[0][1]
        ends = second.get_uint_info("group_ptr")
        if len(ends) < 2:
            raise UsageError(
                "group",
                "the DMatrix has no groups (sizes of its lists)",
                hint="use xgboost.DMatrix(…, group=sizes), or qid=…",
            )
        scored = self._measuring.of(second.get_label(), first, group=np.diff(ends.astype(np.int64)))
        values = [(_plain(name), value) for name, value, _ in scored]
        return values[0] if len(values) == 1 else values

    def __repr__(self) -> str:
        return f"XGBoostMetric({str(self._measuring)!r})"


def _plain(name: str) -> str:
    """A name that XGBoost can parse from its own log lines, which it splits at blanks and colons."""
    return "".join(name.split()).replace(":", "=")
