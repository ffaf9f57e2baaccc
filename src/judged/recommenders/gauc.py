"""GAUC: the area under the ROC curve within each user, averaged with weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from judged._types import Floats
from judged.core.judged import Judged
from judged.core.policy import PolicyOptions
from judged.core.tables import Id
from judged.errors import DataError, Hint, UsageError, shown
from judged.evaluation.evaluate import join
from judged.evaluation.values import Values
from judged.measures.grammar import parse
from judged.stats.checks import check_share
from judged.stats.intervals import weighted_interval, within
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAUC(Result):
    """GAUC with its interval, and the AUC and weight of each user; users with a single class are excluded and counted."""

    value: float
    low: float | None
    high: float | None
    weighted_by: str
    confidence: float
    users: tuple[Id, ...]  # with both classes
    auc: Floats
    weight: Floats
    left_out: int

    def records(self) -> list[dict[str, Any]]:
        """One row per user with both classes."""
        rows = zip(self.users, self.auc.tolist(), self.weight.tolist(), strict=True)
        return [{"user": user, "AUC": area, "weight": weight} for user, area, weight in rows]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The value with its interval."""
        ends = "" if self.low is None else f"[{number(self.low, places)}, {number(self.high, places)}]"
        excluded = f" · {counted(self.left_out, 'user')} with a single class excluded" if self.left_out else ""
        notes = (f"weights: {self.weighted_by}{excluded}",)
        headers = ("measure", "value", f"{self.confidence:.0%} interval", "users")
        row = ("GAUC", number(self.value, places), ends, str(len(self.users)))
        return [Table(headers, (row,), notes=notes)]

    def __float__(self) -> float:
        return self.value


def gauc(
    qrels: Any,
    run: Any = None,
    *,
    weights: Any = "impressions",
    level: float = 1,
    confidence: float = 0.95,
    **policy: Unpack[PolicyOptions],
) -> GroupedAUC:
    """Average the AUC of each user with weights: how well a model orders the items shown to one user.

    A user whose items are all relevant, or all not, has no AUC: such users are excluded and counted. The interval is Student's t over users
    for a weighted mean (`weighted_mean_and_error`). Zhu et al., KDD 2017; Zhou et al. (DIN), KDD 2018.

    Args:
        qrels: labels, any input of `read_qrels`; or, without a run, a `Judged` or a result of `evaluate` or `score`.
        run: scores of all items shown, any input of `read_run`.
        weights: `impressions` (items shown), `clicks` (relevant items), `equal`, or {user: weight}.
        level: lowest relevant grade.
        confidence: confidence level of the interval.
        policy: policies such as `ties="worst"`, see `Policy`.

    >>> shown = {"u": {"a": 1, "b": 0}, "v": {"a": 0, "b": 1, "c": 0, "d": 0}}
    >>> result = gauc(shown, {"u": {"a": 2, "b": 1}, "v": {"a": 3, "b": 2, "c": 1, "d": 0}})
    >>> round(result.value, 4)  # (2·1 + 4·2/3) / 6
    0.7778
    """
    if not isinstance(qrels, (Values, Judged)):
        judged = join(qrels, run, **policy)
    elif run is not None or policy:
        problem = "a result contains its run and policies"
        raise UsageError("parameter", problem, hint="pass it without a run and policies")
    elif isinstance(qrels, Judged):
        judged = qrels
    elif qrels.source is not None:
        judged = qrels.source.judged
    else:
        raise UsageError("no-source", "loaded values have no judgments and run", hint="evaluate again")
    area = parse("AUC")(level=level).on(judged)
    clicks = judged.total(judged.is_relevant(level))
    both = (clicks > 0) & (clicks < judged.retrieved)
    if not both.any():
        raise DataError(
            "no-relevant",
            "no user has both relevant and other items among those scored",
            where=judged.names[1],
            hint=Hint("check the labels and {level}", level=None),
        )
    users = tuple(judged.queries[i] for i in np.flatnonzero(both).tolist())
    weight, name = _weights(weights, users, judged.retrieved[both].astype(float), clicks[both])
    value = float((weight * area[both]).sum() / weight.sum())
    check_share(confidence, "confidence")
    low, high = within(weighted_interval(area[both], weight, level=confidence), (0.0, 1.0)) or (None, None)
    return GroupedAUC(value, low, high, name, confidence, users, area[both], weight, int((~both).sum()))


def _weights(weights: Any, users: tuple[Id, ...], shown_items: Floats, clicks: Floats) -> tuple[Floats, str]:
    if isinstance(weights, str):
        known = {"impressions": shown_items, "clicks": clicks, "equal": np.ones(len(users))}
        if weights in known:
            return known[weights], weights
    elif isinstance(weights, Mapping):
        by_text = {str(user): weight for user, weight in weights.items()}
        weight = np.array([by_text.get(str(user), np.nan) for user in users], dtype=float)
        if np.isnan(weight).any() or (weight < 0).any() or not weight.sum() > 0:
            missing = users[int(np.argmax(np.isnan(weight) | (weight < 0)))]
            raise DataError(
                "parameter", f"no weight ≥ 0 for user {shown(missing)}, or all weights are 0", where="weights"
            )
        return weight, "given"
    problem = f"weights must be impressions, clicks, equal, or {{user: weight}}, got {shown(weights)}"
    raise UsageError("parameter", problem, value=weights)
