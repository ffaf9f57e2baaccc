"""Evaluation functions for LightGBM: `lightgbm.train(…, feval=metric("nDCG@10"))`, `LGBMRanker.fit(…, eval_metric=metric("nDCG@10"))`."""

from __future__ import annotations

from typing import Any, Unpack

from judged.errors import UsageError
from judged.integrations._measuring import Measured, Measures, Measuring, ScoreOptions


def metric(measures: Measures, **options: Unpack[ScoreOptions]) -> LightGBMMetric:
    """Create an evaluation function for `lightgbm.train`, `lightgbm.cv` and the estimators with the interface of scikit-learn.

    Args:
        measures: as in `score`; LightGBM reports each under its name.
        options: keyword options of `score`: `level`, `profile`, `empty`, `ties` … `profile="lightgbm"` has the conventions of LightGBM's own `ndcg` and `map`:
            gain 2^label - 1, and 1 for a group without a relevant item.

    Weights of the data set are ignored: every list counts the same.

    >>> metric("nDCG@10 RR")
    LightGBMMetric('nDCG@10 RR')
    """
    return LightGBMMetric(Measuring(measures, options))


class LightGBMMetric:
    """The function that LightGBM calls with its predictions; returns (name, value, higher is better), or a list of them."""

    def __init__(self, measuring: Measuring) -> None:
        self._measuring = measuring

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> Measured | list[Measured]:
        """Evaluate `feval(predictions, dataset)` or `eval_metric(labels, predictions, weight, group)`; LightGBM inspects the number of arguments."""
        if hasattr(second, "get_group"):
            labels, scores, sizes = second.get_label(), first, second.get_group()
        else:
            labels, scores, sizes = first, second, group
        if sizes is None or not len(sizes):
            hint = "use lightgbm.Dataset(…, group=sizes), or fit(…, group=…, eval_group=[…])"
            raise UsageError("group", "the data set has no groups (sizes of its lists)", hint=hint)
        values = self._measuring.of(labels, scores, group=sizes)
        return values[0] if len(values) == 1 else values

    def __repr__(self) -> str:
        return f"LightGBMMetric({str(self._measuring)!r})"
