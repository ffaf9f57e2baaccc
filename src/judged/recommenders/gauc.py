"""GAUC: the area under the ROC curve within each user, averaged with weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.judged import Judged
from judged.core.numeric.resample import resampled_means
from judged.core.tables import Id
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import join
from judged.evaluation.result.values import Values
from judged.measures.grammar import parse
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import counted, number

__all__ = ["GroupedAUC", "gauc"]


_RESAMPLES = 2_000


@dataclass(frozen=True, eq=False)
class GroupedAUC(Result):
    """GAUC with its interval, and what each user adds to it; users with one class only are left out, and counted."""

    value: float
    low: float | None
    high: float | None
    weighted_by: str
    confidence: float
    users: tuple[Id, ...]  # those that count
    auc: Floats
    weight: Floats
    left_out: int

    def listing(self) -> RecordTable:
        """The users that count."""
        return RecordTable(
            {"user": self.users, "AUC": tuple(self.auc.tolist()), "weight": tuple(self.weight.tolist())},
            words=("user",),
        )

    def table(self, *, places: int = 4) -> Table:
        ends = "" if self.low is None else f"[{number(self.low, places)}, {number(self.high, places)}]"
        notes = (f"weights: {self.weighted_by} · {counted(self.left_out, 'user')} with one class only left out",)
        return Table(("measure", "value", f"{self.confidence:.0%} interval", "users"),
                     (("GAUC", number(self.value, places), ends, str(len(self.users))),), notes=notes)  # fmt: skip

    def __float__(self) -> float:
        return self.value

    __repr__ = Result.__str__


def gauc(qrels: Any, run: Any = None, *, weights: Any = "impressions", level: float = 1, confidence: float = 0.95, seed: int = 0,
         **policy: Any) -> GroupedAUC:  # fmt: skip
    """AUC within each user, averaged with weights: how well a model orders what one user was shown.

    A user whose items are all relevant, or all not, has no AUC: such users are left out, and counted. The interval is a bootstrap over
    users, of the ratio of Σ weight·AUC to Σ weight. Zhu et al., KDD 2017; Zhou et al. (DIN), KDD 2018.

    Args:
        qrels: labels in any form that `read_qrels` takes; or a `Judged`, or results of `evaluate` and `score`, without a run.
        run: scores of everything that was shown, in any form that `read_run` takes.
        weights: `impressions` (items shown), `clicks` (relevant ones), `equal`, or {user: weight}.
        level: the lowest grade that counts as relevant, a click.
        confidence: of the interval.
        seed: of the resamples.
        policy: answers to the open questions, see `Policy`.

    >>> shown = {"u": {"a": 1, "b": 0}, "v": {"a": 0, "b": 1, "c": 0, "d": 0}}
    >>> found = gauc(shown, {"u": {"a": 2, "b": 1}, "v": {"a": 3, "b": 2, "c": 1, "d": 0}})
    >>> round(found.value, 4)  # (2·1 + 4·2/3) / 6
    0.7778
    """
    judged = _judged(qrels, run, policy)
    area = parse("AUC")(level=level).on(judged)
    clicks = judged.total(judged.is_relevant(level))
    both = (clicks > 0) & (clicks < judged.retrieved)
    if not both.any():
        raise DataError(
            "no-relevant", "a user with relevant and other items among those scored", got="none", where=judged.names[1]
        )
    users = tuple(judged.queries[i] for i in np.flatnonzero(both))
    weight, name = _weights(weights, users, judged.retrieved[both].astype(float), clicks[both])
    value = float((weight * area[both]).sum() / weight.sum())
    low, high = _interval(area[both], weight, confidence, seed)
    return GroupedAUC(value, low, high, name, confidence, users, area[both], weight, int((~both).sum()))


def _judged(qrels: Any, run: Any, policy: dict[str, Any]) -> Judged:
    if isinstance(qrels, (Values, Judged)):
        if run is not None or policy:
            raise UsageError("judged", "a result alone: its run and policies are in it", got="more arguments")
        if isinstance(qrels, Judged):
            return qrels
        if qrels.source is None:
            raise UsageError(
                "no-source", "values with their judgments and run", got="loaded values", hint="evaluate again"
            )
        return qrels.source.judged
    return join(qrels, run, **policy)


def _weights(weights: Any, users: tuple[Id, ...], shown_items: Floats, clicks: Floats) -> tuple[Floats, str]:
    if isinstance(weights, str):
        known = {"impressions": shown_items, "clicks": clicks, "equal": np.ones(len(users))}
        if weights in known:
            return known[weights], weights
    elif isinstance(weights, Mapping):
        by_text = {str(user): weight for user, weight in weights.items()}
        found = np.array([by_text.get(str(user), np.nan) for user in users], dtype=float)
        if np.isnan(found).any() or (found < 0).any() or not found.sum() > 0:
            missing = users[int(np.argmax(np.isnan(found) | (found < 0)))]
            raise DataError(
                "argument",
                "a weight from 0 for every user, not all 0",
                got=f"none for {shown(missing)}",
                where="weights",
            )
        return found, "given"
    raise UsageError(
        "argument", "weights= as impressions, clicks, equal, or {user: weight}", got=shown(weights), value=weights
    )


def _interval(area: Floats, weight: Floats, confidence: float, seed: int) -> tuple[float | None, float | None]:
    if not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise UsageError("parameter", "a confidence between 0 and 1", got=shown(confidence), value=confidence)
    if len(area) < 2:
        return None, None
    means = resampled_means(np.stack([weight * area, weight], axis=1), _RESAMPLES, seed)
    ratio = means[:, 0] / np.where(means[:, 1] > 0, means[:, 1], np.nan)
    low, high = np.nanquantile(ratio, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
