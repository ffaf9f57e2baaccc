"""GAUC: the area under the ROC curve within each user, averaged with weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np

from judged._types import Floats
from judged.core.policy import PolicyOptions
from judged.core.tables import Id
from judged.errors import DataError, Hint
from judged.evaluation.evaluate import join
from judged.measures.registry import parse
from judged.stats.checks import check_choice
from judged.stats.intervals import weighted_interval, within
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted

Weights = Literal["impressions", "clicks", "equal"]


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAUC(Result):
    """GAUC with its interval, and the AUC and weight of each user; users with a single class are excluded and counted."""

    value: float
    low: float | None
    high: float | None
    weighted_by: str
    users: tuple[Id, ...]  # with both classes
    auc: Floats
    weight: Floats
    left_out: int

    def records(self) -> list[dict[str, Any]]:
        """The value with its interval."""
        users = len(self.users)
        return [{"measure": "GAUC", "value": self.value, "low": self.low, "high": self.high, "users": users}]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The value with its interval, and the number of users without one."""
        excluded = f" · {counted(self.left_out, 'user')} with a single class excluded" if self.left_out else ""
        notes = (f"weights: {self.weighted_by}; interval: 95%{excluded}",)
        return RecordTable.of(self.records(), words=("measure",), notes=notes).tables(places=places)


def gauc(
    qrels: Any,
    run: Any,
    *,
    weights: Weights = "impressions",
    level: float = 1,
    **policy: Unpack[PolicyOptions],
) -> GroupedAUC:
    """Compute the weighted mean of each user's AUC: how well a model orders the items shown to one user.

    A user whose items are all relevant, or all irrelevant, has no AUC. Such users are excluded and counted. The interval is Student's t over users
    for a weighted mean (`weighted_mean_and_error`). Zhu et al., KDD 2017; Zhou et al. (DIN), KDD 2018.

    Args:
        qrels: labels, any input of `read_qrels`.
        run: scores of all items shown, any input of `read_run`.
        weights: `impressions` (items shown), `clicks` (relevant items), or `equal`.
        level: lowest relevant grade.
        policy: policies such as `ties="worst"`, see `Policy`.

    >>> shown = {"u": {"a": 1, "b": 0}, "v": {"a": 0, "b": 1, "c": 0, "d": 0}}
    >>> result = gauc(shown, {"u": {"a": 2, "b": 1}, "v": {"a": 3, "b": 2, "c": 1, "d": 0}})
    >>> round(result.value, 4)  # (2·1 + 4·2/3) / 6
    0.7778
    """
    check_choice(weights, Weights, "weights")
    judged = join(qrels, run, **policy)
    clicks = judged.total(judged.is_relevant(level))
    known = {"impressions": judged.retrieved.astype(float), "clicks": clicks, "equal": np.ones(len(clicks))}
    both = (clicks > 0) & (clicks < judged.retrieved)
    if not both.any():
        problem = "no user has both relevant and other items among those scored"
        hint = Hint("check the labels and {level}", level=None)
        raise DataError("no-relevant", problem, where=judged.names[1], hint=hint)
    area, weight = parse("AUC")(level=level).on(judged)[both], known[weights][both]
    value = float((weight * area).sum() / weight.sum())
    low, high = within(weighted_interval(area, weight), (0.0, 1.0)) or (None, None)
    users = tuple(user for user, has_both in zip(judged.queries, both, strict=True) if has_both)
    return GroupedAUC(value, low, high, weights, users, area, weight, len(both) - len(users))
