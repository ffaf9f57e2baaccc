"""Evaluation on sampled negatives: estimates for the whole catalogue from ranks among a sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.pool import Pool
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures
from judged.measures.grammar import parse_all
from judged.measures.registry import Measure
from judged.recommenders.sampled_estimates import by_estimated_rank, correct_values, expected, naive
from judged.stats.checks import check_count
from judged.stats.intervals import interval
from judged.stats.summary import mean
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number

Estimator = Literal["corrected", "rank", "biased"]


@dataclass(frozen=True, slots=True)
class SampledEstimate:
    """The estimate of a measure over the catalogue, with an interval over users and the largest bias of its mean."""

    measure: str
    estimator: str
    value: float
    low: float | None
    high: float | None
    bias_at_most: float  # over all ranks in the catalogue


@dataclass(frozen=True, eq=False, repr=False)
class SampledEstimates(Result):
    """Measures over the catalogue, estimated from ranks among sampled items."""

    estimates: tuple[SampledEstimate, ...]
    users: int
    sampled: int
    items: int
    gamma: float | None
    replacement: bool
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, measure: str | Measure) -> SampledEstimate:
        """The estimate of a measure."""
        names = {e.measure: e for e in self.estimates}
        key = str(measure) if str(measure) in names else str(parse_all(measure)[0])
        if key not in names:
            raise UsageError(
                "not-asked", f"{shown(key)} was not estimated", hint=f"choose one of {', '.join(names)}", value=key
            )
        return names[key]

    def records(self) -> list[dict[str, Any]]:
        """One row per measure."""
        return [asdict(e) for e in self.estimates]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The estimates with their intervals and bias."""
        rows = tuple(
            (
                e.measure,
                e.estimator,
                number(e.value, places),
                "" if e.low is None else f"[{number(e.low, places)}, {number(e.high, places)}]",
                number(e.bias_at_most, places),
            )
            for e in self.estimates
        )
        how = "with replacement" if self.replacement else "without replacement"
        notes = (
            f"{counted(self.users, 'user')} · {self.sampled} of {self.items - 1:,} negatives sampled {how}",
            "the interval is over users and samples and does not include the bias, which is at most the one shown",
            *(f"warning: {w}" for w in self.warnings),
        )
        headers = ("measure", "estimator", "value", "95% interval", "bias at most")
        return [Table(headers, rows, title="estimated from sampled negatives", notes=notes, words=(0, 1))]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "users": self.users,
            "sampled": self.sampled,
            "items": self.items,
            "gamma": self.gamma,
            "replacement": self.replacement,
            "estimates": self.records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }


def evaluate_from_samples(
    ranks: Any,
    measures: Measures = "Success@10 nDCG@10 RR AUC",
    *,
    sampled: int,
    items: int,
    estimator: Estimator = "corrected",
    gamma: float = 0.1,
    replacement: bool = False,
) -> SampledEstimates:
    """Estimate measures over the whole catalogue from the rank of one relevant item among sampled others.

    A measure computed as if the sample were the catalogue is a different measure: it is far too high, and can order systems
    differently (Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020). It is available only by its
    name, `biased`. No estimator removes the effect of sampling: `bias_at_most` is the largest bias left. Rank all items if you can.

    Args:
        ranks: the rank of each user's relevant item among itself and the sampled ones, from 1 to sampled + 1: a column, or {user: rank}.
        measures: as in `evaluate`, of one relevant item.
        sampled: number of other items sampled uniformly for each user.
        items: number of items in the catalogue, including the relevant one.
        estimator: `corrected`, the least bias for a given variance; `rank`, the measure at the unbiased estimate of the rank, exact for AUC;
            `biased`, the measure of the sample.
        gamma: for `corrected`: 0 has the least bias, 1 the least variance.
        replacement: true if an item could be sampled twice.

    >>> result = evaluate_from_samples([1, 1, 3, 50], "AUC", sampled=100, items=1001, estimator="rank")
    >>> round(result["AUC"].value, 4)  # mean of 1 - (rank - 1) / 100
    0.8725
    """
    m, n = check_count(sampled, "sampled"), check_count(items, "items")
    _check_settings(m, n, estimator, gamma, replacement)
    place = _ranks(ranks, m) - 1
    parsed = parse_all(measures)
    tables = [_value_per_rank(measure, m, n, estimator, gamma, replacement) for measure in parsed]
    columns = [table[place] for table, _ in tables]
    ends = interval(columns)
    estimates = tuple(
        SampledEstimate(str(measure), estimator, mean(column), end and end[0], end and end[1], bias)
        for measure, column, end, (_, bias) in zip(parsed, columns, ends, tables, strict=True)
    )
    warnings: tuple[Warned, ...] = ()
    if estimator == "biased":
        text = f"values from a sample of {m} of {n - 1:,} negatives differ from those over the catalogue and may order systems differently"
        warnings = (Warned("sampled-negatives", len(place), text),)
    used_gamma = float(gamma) if estimator == "corrected" else None
    return SampledEstimates(estimates, len(place), m, n, used_gamma, replacement, warnings)


def _value_per_rank(
    measure: Measure, sampled: int, items: int, estimator: Estimator, gamma: float, replacement: bool
) -> tuple[Floats, float]:
    """The value for each rank among the sampled items; and its largest bias, over all ranks in the catalogue."""
    values = _at_every_rank(measure, items)
    if estimator == "corrected":
        per_rank = correct_values(values, sampled, float(gamma), replacement=replacement)
    elif estimator == "rank":
        per_rank = by_estimated_rank(values, sampled)
    else:
        per_rank = naive(_at_every_rank(measure, sampled + 1), sampled)
    bias = expected(per_rank, items, replacement=replacement) - values
    return per_rank, float(np.abs(bias).max())


def _at_every_rank(measure: Measure, items: int) -> Floats:
    """The measure of one relevant item at rank 1, 2 … of a list of all items."""
    if measure.definition.text or measure.definition.needs != "grades":
        raise UsageError("measure", f"{measure} is not a measure of relevance", value=str(measure))
    query, rank, one = np.arange(items), np.arange(1, items + 1), np.ones(items)
    every = Judged(
        pool=Pool(queries=tuple(range(items)), query=query, grade=one),
        retrieved=np.full(items, items),
        answered=np.ones(items, bool),
        query=query,
        rank=rank,
        grade=one,
        judgment=query,
        tie_first=rank,
        tie_last=rank,
    )
    values = measure.on(every)
    if not np.isfinite(values).all():
        raise UsageError("measure", f"{measure} has no value at some ranks", value=str(measure))
    return values


def _ranks(ranks: Any, sampled: int) -> Ints:
    try:
        column = np.asarray(list(ranks.values()) if isinstance(ranks, Mapping) else ranks, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError("rank-type", "integers", got=shown(ranks), where="ranks") from error
    if column.ndim != 1 or not len(column):
        raise DataError("shape", "a column with at least one rank", got=f"shape {column.shape}", where="ranks")
    wrong = np.flatnonzero(~((column == np.trunc(column)) & (column >= 1) & (column <= sampled + 1)))
    if len(wrong):
        raise DataError(
            "rank-type",
            f"an integer from 1 to {sampled + 1}, the number of sampled items plus 1",
            got=shown(column[wrong[0]].item()),
            where=f"ranks, row {wrong[0] + 1}",
        )
    return column.astype(np.int64)


def _check_settings(sampled: int, items: int, estimator: Any, gamma: Any, replacement: bool) -> None:
    if estimator not in ("corrected", "rank", "biased"):
        problem = f"estimator must be corrected, rank or biased, got {shown(estimator)}"
        raise UsageError("sampled-negatives", problem, value=estimator, hint="see docs/guides/recommenders.md")
    if not isinstance(gamma, (int, float)) or isinstance(gamma, bool) or not 0 <= gamma <= 1:
        raise UsageError("parameter", f"gamma must be from 0 to 1, got {shown(gamma)}", value=gamma)
    if items < 2 or (sampled > items - 1 and not replacement):
        raise UsageError("parameter", f"{sampled} negatives cannot be sampled from {items - 1}", value=sampled)
