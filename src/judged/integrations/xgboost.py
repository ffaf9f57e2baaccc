"""Custom metrics for XGBoost: `xgboost.train(…, custom_metric=metric("nDCG@10"))`, `XGBRanker(eval_metric=metric("nDCG@10"))`."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.errors import UsageError
from judged.integrations._measuring import Measures, Measuring

__all__ = ["XGBoostMetric", "metric"]

Reported = tuple[str, float]


def metric(measures: Measures, **options: Any) -> XGBoostMetric:
    """A custom metric for `xgboost.train`, `xgboost.cv` and `XGBRanker`.

    XGBoost is not told whether higher is better, and takes lower to be: early stopping needs `maximize=True`, unless the measure is one of which less is better.
    What it records of a custom metric has six decimals. `XGBRanker` calls it list by list and takes a mean of its own: weighted by the length of lists, and 1 for lists of one item.

    Args:
        measures: as in `score`; XGBoost reports each under its name, without blanks.
        options: of `score`: `level`, `profile`, `empty`, `ties` … `profile="xgboost"` has the conventions of XGBoost's own `ndcg` and `map`.

    Weights of groups are not used: every list counts the same.

    >>> metric("nDCG(gain='exp', level=2)@10").__name__
    "nDCG(gain='exp',level=2)@10"
    """
    return XGBoostMetric(Measuring(measures, options))


class XGBoostMetric:
    """What XGBoost calls with its predictions; gives (name, value), or a list of them."""

    def __init__(self, measuring: Measuring) -> None:
        self._measuring = measuring
        self.__name__ = " ".join(_plain(str(m)) for m in measuring.measures)  # under it XGBRanker records the metric

    @property
    def maximize(self) -> bool:
        """What `xgboost.train` and `xgboost.callback.EarlyStopping` have to be told; of several measures the last decides there."""
        return not self._measuring.measures[-1].definition.lower_is_better

    def __call__(self, first: Any, second: Any) -> Reported | list[Reported] | float:
        """As `custom_metric(predictions, dmatrix)`; or, from `XGBRanker`, as `eval_metric(labels, predictions)` of one list."""
        if not hasattr(second, "get_uint_info"):
            self._measuring.only("XGBRanker")
            return self._measuring.of(first, second)[0].value
        ends = second.get_uint_info("group_ptr")
        if len(ends) < 2:
            raise UsageError("group", "a DMatrix with groups: the sizes of its lists", got="none",
                             hint="xgboost.DMatrix(…, group=sizes), or qid=…")  # fmt: skip
        scored = self._measuring.of(second.get_label(), first, group=np.diff(ends.astype(np.int64)))
        found = [(_plain(s.name), s.value) for s in scored]
        return found[0] if len(found) == 1 else found

    def __repr__(self) -> str:
        return f"XGBoostMetric({' '.join(map(str, self._measuring.measures))!r})"


def _plain(name: str) -> str:
    """A name that XGBoost can read back out of its own lines, which it splits at blanks and colons."""
    return "".join(name.split()).replace(":", "=")
