"""Evaluation on sampled negatives: what the ranks among a sample say of the whole catalogue."""

from __future__ import annotations

import json
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
from judged.recommenders.inputs import whole_number
from judged.recommenders.sampled_estimates import by_estimated_rank, corrected, expected, naive
from judged.stats.intervals import bootstraps
from judged.stats.summary import mean
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import counted, number, plain_data

__all__ = ["SampledEstimate", "SampledEstimates", "evaluate_from_samples"]

Estimator = Literal["corrected", "rank", "biased"]


@dataclass(frozen=True, slots=True)
class SampledEstimate:
    """One measure: its estimate over the catalogue, with an interval over users, and how far its mean can be from the truth."""

    measure: str
    estimator: str
    value: float
    low: float | None
    high: float | None
    bias_at_most: float  # over all ranks of the catalogue, of the mean over samples


@dataclass(frozen=True, eq=False)
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
            raise UsageError("not-asked", f"one of {', '.join(names)}", got=shown(key), value=key)
        return names[key]

    def listing(self) -> RecordTable:
        names = ("measure", "estimator", "value", "low", "high", "bias_at_most")
        return RecordTable(
            {n: tuple(getattr(e, n) for e in self.estimates) for n in names}, words=("measure", "estimator")
        )

    def table(self, *, places: int = 4) -> Table:
        rows = tuple(
            (e.measure, e.estimator, number(e.value, places),
             "" if e.low is None else f"[{number(e.low, places)}, {number(e.high, places)}]", number(e.bias_at_most, places))
            for e in self.estimates
        )  # fmt: skip
        how = "with replacement" if self.replacement else "without replacement"
        notes = (f"{counted(self.users, 'user')} · {self.sampled} of {self.items - 1:,} negatives sampled {how}",
                 "the interval is over users and samples; it does not hold the bias, which is at most that, at the worst rank",
                 *(f"warning: {w}" for w in self.warnings))  # fmt: skip
        headers = ("measure", "estimator", "value", "95% interval", "bias at most")
        return Table(headers, rows, title="estimated from sampled negatives", notes=notes, words=(0, 1))

    def to_json(self) -> str:
        rows = [{key: plain_data(value) for key, value in asdict(e).items()} for e in self.estimates]
        return json.dumps({"judged": 1, "users": self.users, "sampled": self.sampled, "items": self.items, "gamma": self.gamma,
                           "replacement": self.replacement, "estimates": rows,
                           "warnings": [w.to_dict() for w in self.warnings]}, allow_nan=False)  # fmt: skip

    __repr__ = Result.__str__


def evaluate_from_samples(ranks: Any, measures: Measures = "Success@10 nDCG@10 RR AUC", *, sampled: int, items: int,
                          estimator: Estimator = "corrected", gamma: float = 0.1, replacement: bool = False, seed: int = 0) -> SampledEstimates:  # fmt: skip
    """Measures over the whole catalogue, from the rank of one relevant item among sampled others.

    A measure computed as if the sample were the catalogue is another measure: it is far too high, and can put systems in another
    order (Krichene and Rendle, On sampled metrics for item recommendation, KDD 2020). So that is refused unless asked for by its
    name, `biased`. No estimator undoes the sampling: `bias_at_most` says what is left. Rank all items if you can.

    Args:
        ranks: of each user's relevant item among itself and the sampled ones, from 1 to sampled + 1: a column, or {user: rank}.
        measures: as in `evaluate`, of one relevant item.
        sampled: how many other items were sampled for each user, uniformly.
        items: how many items the relevant one stands among in the catalogue, itself included.
        estimator: `corrected`, the least bias for a given variance; `rank`, the measure at the unbiased estimate of the rank, exact for AUC;
            `biased`, the measure of the sample.
        gamma: of `corrected`: 0 has the least bias, 1 the least variance.
        replacement: whether an item could be sampled twice.
        seed: of the intervals.

    >>> found = evaluate_from_samples([1, 1, 3, 50], "AUC", sampled=100, items=1001, estimator="rank")
    >>> round(found["AUC"].value, 4)  # mean of 1 - (rank - 1) / 100
    0.8725
    """
    m, n = whole_number(sampled, "a number of sampled items"), whole_number(items, "a number of items")
    _refuse_settings(m, n, estimator, gamma, replacement)
    place = _ranks(ranks, m) - 1
    wanted = parse_all(measures)
    tables = [_counted(measure, m, n, estimator, gamma, replacement) for measure in wanted]
    columns = [table[place] for table, _ in tables]
    ends = bootstraps(columns, seed=seed)
    estimates = tuple(
        SampledEstimate(str(measure), estimator, mean(column), end and end[0], end and end[1], bias)
        for measure, column, end, (_, bias) in zip(wanted, columns, ends, tables, strict=True)
    )
    warnings: tuple[Warned, ...] = ()
    if estimator == "biased":
        text = f"values of a sample of {m} among {n - 1:,} negatives, which are not those of the catalogue and may order systems otherwise"
        warnings = (Warned("sampled-negatives", len(place), text),)
    return SampledEstimates(
        estimates, len(place), m, n, float(gamma) if estimator == "corrected" else None, replacement, warnings
    )


def _counted(
    measure: Measure, sampled: int, items: int, estimator: Estimator, gamma: float, replacement: bool
) -> tuple[Floats, float]:
    """What counts for each rank among the sampled items; and the largest bias of that, over all ranks of the catalogue."""
    values = _at_every_rank(measure, items)
    if estimator == "corrected":
        found = corrected(values, sampled, float(gamma), replacement=replacement)
    elif estimator == "rank":
        found = by_estimated_rank(values, sampled)
    else:
        found = naive(_at_every_rank(measure, sampled + 1), sampled)
    bias = expected(found, items, replacement=replacement) - values
    return found, float(np.abs(bias).max())


def _at_every_rank(measure: Measure, items: int) -> Floats:
    """The measure of one relevant item at rank 1, 2 … of a list of all items."""
    if measure.definition.text or measure.definition.needs != "grades":
        raise UsageError("measure", "a measure of relevance", got=str(measure), value=str(measure))
    query, rank, one = np.arange(items), np.arange(1, items + 1), np.ones(items)
    every = Judged(pool=Pool(queries=tuple(range(items)), query=query, grade=one), retrieved=np.full(items, items), answered=np.ones(items, bool), query=query, rank=rank,
                   grade=one, judgment=query, tie_first=rank, tie_last=rank)  # fmt: skip
    values = measure.on(every)
    if not np.isfinite(values).all():
        raise UsageError("measure", "a measure with a value at every rank", got=str(measure), value=str(measure))
    return values


def _ranks(ranks: Any, sampled: int) -> Ints:
    given = list(ranks.values()) if isinstance(ranks, Mapping) else ranks
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError("rank-type", "ranks as whole numbers", got=shown(ranks), where="ranks") from error
    if found.ndim != 1 or not len(found):
        raise DataError("shape", "a column of ranks, at least one", got=f"the shape {found.shape}", where="ranks")
    wrong = np.flatnonzero(~((found == np.trunc(found)) & (found >= 1) & (found <= sampled + 1)))
    if len(wrong):
        raise DataError("rank-type", f"ranks from 1 to {sampled + 1}, one more than were sampled", got=shown(found[wrong[0]].item()),
                        where=f"ranks, row {wrong[0] + 1}")  # fmt: skip
    return found.astype(np.int64)


def _refuse_settings(sampled: int, items: int, estimator: Any, gamma: Any, replacement: bool) -> None:
    if estimator not in ("corrected", "rank", "biased"):
        raise UsageError(
            "sampled-negatives", "an estimator corrected or rank; or biased, if you want the values of the sample itself",
            got=shown(estimator), value=estimator, hint="on sampled negatives plain values are biased; docs/recommenders.md says why",
        )  # fmt: skip
    if not isinstance(gamma, (int, float)) or isinstance(gamma, bool) or not 0 <= gamma <= 1:
        raise UsageError("parameter", "gamma from 0 to 1", got=shown(gamma), value=gamma)
    if items < 2 or (sampled > items - 1 and not replacement):
        got = f"{sampled} sampled of {items - 1}"
        raise UsageError(
            "parameter", "items= above 1, and no more sampled than there are others", got=got, value=sampled
        )
