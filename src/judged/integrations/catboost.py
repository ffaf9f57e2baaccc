"""A metric for CatBoost: `CatBoost({"eval_metric": metric("nDCG@10", train, valid)})`."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import DataError, UsageError, shown
from judged.integrations._measuring import Measures, Measuring, ScoreOptions
from judged.tables.table import counted

Bound = tuple[NDArray[np.float32], Ints]  # labels of a pool, and the sizes of its groups


def metric(measure: Measures, *pools: Any, **options: Unpack[ScoreOptions]) -> CatBoostMetric:
    """Create a metric for CatBoost's `eval_metric`, which CatBoost reports under the name of the measure.

    CatBoost passes labels and predictions to a metric, but not the groups. So name all data that CatBoost will evaluate here: the training pool and the
    evaluation pools. A pool is recognised by all of its labels in their order. Two pools with the same labels and different groups are an error.

    With `boosting_type="Ordered"` CatBoost shuffles the training pool, and its groups are unknown: this is an error, which `has_time=True` or `boosting_type="Plain"` avoids.

    Args:
        measure: as in `score`; one, because CatBoost takes one.
        pools: `catboost.Pool` with groups, or pairs (labels, group ids); the rows of a group are contiguous.
        options: keyword options of `score`: `level`, `profile`, `empty`, `ties` …

    Weights are ignored: every list counts the same.

    >>> metric("nDCG@10", ([1, 0, 2, 0], ["a", "a", "b", "b"]))
    CatBoostMetric('nDCG@10', 1 pool)
    """
    if not pools:
        raise UsageError(
            "group", "no pool given", hint="name every pool, as in metric('nDCG@10', train_pool, valid_pool)"
        )
    return _create(Measuring(measure, options), tuple(map(_bound, pools)))


class CatBoostMetric:
    """The object that CatBoost calls with its predictions: `evaluate`, `is_max_optimal`, `get_final_error`."""

    no_jit = True  # where numba is installed, CatBoost would try to compile `evaluate`, and warn that it cannot

    def __init__(self, measuring: Measuring, bound: tuple[Bound, ...]) -> None:
        self._measuring, self._bound = measuring, bound

    def is_max_optimal(self) -> bool:
        """True if higher is better."""
        return not self._measuring.measures[0].definition.lower_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The mean over lists, as a sum and a weight of 1."""
        sizes = self._sizes(np.asarray(target, np.float32))
        return self._measuring.of(np.asarray(target), np.asarray(approxes[0]), group=sizes)[0][1], 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The mean."""
        return error / weight if weight else float("nan")

    def _sizes(self, target: NDArray[np.float32]) -> Ints:
        """The groups of the pool that has these labels."""
        for labels, sizes in self._bound:
            if np.array_equal(labels, target):
                return sizes
        known = ", ".join(str(len(labels)) for labels, _ in self._bound)
        raise DataError(
            "group",
            f"labels of {len(target)} rows are not those of a pool given to metric(), of {known} rows",
            hint="name every pool, the training pool too, and keep their order with boosting_type='Plain' or has_time=True",
        )

    def __repr__(self) -> str:
        return f"CatBoostMetric({str(self._measuring)!r}, {counted(len(self._bound), 'pool')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _create, (self._measuring, self._bound)


def _create(measuring: Measuring, bound: tuple[Bound, ...]) -> CatBoostMetric:
    """Create a metric of a class named after the measure: CatBoost reports a metric under the name of its class."""
    name = str(measuring.only("CatBoost"))
    for i, (labels, sizes) in enumerate(bound):
        if any(np.array_equal(labels, other) and not np.array_equal(sizes, theirs) for other, theirs in bound[:i]):
            raise DataError(
                "group",
                "two pools have the same labels and different groups, and CatBoost passes only labels to a metric",
            )
    metric: CatBoostMetric = type(name, (CatBoostMetric,), {"__module__": __name__})(measuring, bound)
    return metric


def _bound(pool: Any) -> Bound:
    """The labels of a pool, and the sizes of its groups."""
    if hasattr(pool, "get_group_id_hash"):
        labels, ids = pool.get_label(), pool.get_group_id_hash()
    elif isinstance(pool, tuple | list) and len(pool) == 2:
        labels, ids = pool
    else:
        raise UsageError("group", "a catboost.Pool, or (labels, group ids)", got=shown(pool))
    label, group = np.asarray(labels, np.float32), np.asarray(ids)
    if group.ndim != 1 or not len(group) or label.shape != group.shape:
        raise DataError(
            "group",
            "one group id per row of a pool",
            got=f"{group.shape} for {label.shape} labels",
            hint="use catboost.Pool(…, group_id=…)",
        )
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    if len(starts) != len(set(group.tolist())):
        raise DataError("group", "the rows of a group are not contiguous", hint="sort the rows by group")
    return label, np.diff(np.append(starts, len(group)))
