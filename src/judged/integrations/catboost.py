"""A metric for CatBoost: `CatBoost({"eval_metric": metric("nDCG@10", train, valid)})`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Ints
from judged.errors import DataError, UsageError, shown
from judged.integrations._measuring import Measures, Measuring

__all__ = ["CatBoostMetric", "metric"]

Bound = tuple[NDArray[np.float32], Ints]  # labels of a pool, and the sizes of its groups


def metric(measure: Measures, *pools: Any, **options: Any) -> CatBoostMetric:
    """A metric for CatBoost's `eval_metric`, which CatBoost reports under the measure's name.

    CatBoost tells a metric the labels and the predictions, but not the groups. So the data is named here, all that CatBoost will evaluate: the training pool and the
    evaluation pools. A pool is known again by its labels, all of them in their order; there is no guess. Two pools with the same labels and other groups are refused.

    With `boosting_type="Ordered"` CatBoost shuffles the training pool, and its groups cannot be told: that is an error, which `has_time=True` or `boosting_type="Plain"` avoids.

    Args:
        measure: as in `score`; one, because CatBoost takes one.
        pools: `catboost.Pool` with groups, or pairs (labels, group ids); the rows of a group stand together.
        options: of `score`: `level`, `profile`, `empty`, `ties` …

    Weights are not used: every list counts the same.

    >>> metric("nDCG@10", ([1, 0, 2, 0], ["a", "a", "b", "b"]))
    CatBoostMetric('nDCG@10', 1 pool)
    """
    if not pools:
        raise UsageError("group", "the pools that are evaluated", got="none", hint="metric('nDCG@10', train_pool, valid_pool)")  # fmt: skip
    return _made(Measuring(measure, options), tuple(map(_bound, pools)))


class CatBoostMetric:
    """What CatBoost calls with its predictions: `evaluate`, `is_max_optimal`, `get_final_error`."""

    def __init__(self, measuring: Measuring, bound: tuple[Bound, ...]) -> None:
        self._measuring, self._bound = measuring, bound

    def is_max_optimal(self) -> bool:
        """Whether more is better."""
        return not self._measuring.measures[0].definition.lower_is_better

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The mean over lists, as a sum and a weight of 1."""
        sizes = self._sizes(np.asarray(target, np.float32))
        return self._measuring.of(np.asarray(target), np.asarray(approxes[0]), group=sizes)[0].value, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The mean."""
        return error / weight if weight else float("nan")

    def _sizes(self, target: NDArray[np.float32]) -> Ints:
        """The groups of the pool that has these labels."""
        for labels, sizes in self._bound:
            if np.array_equal(labels, target):
                return sizes
        lengths = [len(labels) for labels, _ in self._bound]
        shuffled = len(target) in lengths
        raise DataError(
            "group", f"labels of a pool that was named to metric(), of {', '.join(map(str, lengths))} rows",
            got=f"{len(target)} rows" + (", in another order: CatBoost shuffled the pool" if shuffled else ""),
            hint="boosting_type='Plain', or has_time=True, keeps the order" if shuffled else "name every pool, the training pool too: metric(measure, train, valid)",
        )  # fmt: skip

    def __repr__(self) -> str:
        count = len(self._bound)
        return f"CatBoostMetric({str(self._measuring.measures[0])!r}, {count} {'pool' if count == 1 else 'pools'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._measuring, self._bound)


def _made(measuring: Measuring, bound: tuple[Bound, ...]) -> CatBoostMetric:
    """A metric of a class that has the measure's name: CatBoost reports a metric under the name of its class."""
    name = str(measuring.only("CatBoost"))
    for i, (labels, sizes) in enumerate(bound):
        if any(np.array_equal(labels, other) and not np.array_equal(sizes, theirs) for other, theirs in bound[:i]):
            raise DataError("group", "pools with different labels", got="two with the same, and other groups",
                            hint="they cannot be told apart by what CatBoost gives a metric")  # fmt: skip
    made: CatBoostMetric = type(name, (CatBoostMetric,), {"__module__": __name__})(measuring, bound)
    return made


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
        raise DataError("group", "a group id for each row of a pool", got=f"{group.shape} for {label.shape} labels",
                        hint="catboost.Pool(…, group_id=…)")  # fmt: skip
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    if len(starts) != len(set(group.tolist())):
        raise DataError("group", "groups whose rows stand together", got="a group in several places", hint="sort the rows by group")  # fmt: skip
    return label, np.diff(np.append(starts, len(group)))
