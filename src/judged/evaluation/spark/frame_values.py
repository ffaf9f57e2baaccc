"""`FrameValues`: values that stay in Spark, with their means and intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from judged._dataclass import dataclass, field
from judged.core.policy import Policy
from judged.errors import UsageError, Warned, shown
from judged.evaluation.result.source import raw_id
from judged.evaluation.result.values import Values
from judged.evaluation.spark.moments import Moments
from judged.evaluation.stream.exact_means import ExactSum, Summed
from judged.io.tables.spark_frames import talking
from judged.measures.registry import Measure
from judged.stats.intervals import wilson
from judged.stats.student_t import two_sided_quantile
from judged.tables.table import Table
from judged.tables.text import title_of


@dataclass(frozen=True, eq=False, repr=False)
class FrameValues(Summed):
    """One value per query and measure, as a Spark DataFrame, with exact means and intervals; no values are collected.

    The sums are exact, so their bits do not depend on the number and order of partitions. Means may differ in the last digit from
    `Values.mean`, which adds one value after the other as trec_eval does.

    Args:
        frame: the DataFrame: a column `query`, and a column of doubles per measure. Spark keeps it until `unpersist`.
        queries: number of queries.
    """

    frame: Any
    kept: Any = field(repr=False)
    measures: tuple[Measure, ...]
    moments: Mapping[str, Moments]
    queries: int
    policy: Policy
    profile: str = "trec_eval-10"
    names: tuple[str, str] = ("qrels", "run")
    coverage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return self.queries

    def sum_of(self, measure: Measure) -> ExactSum:
        return self._of(measure).sum

    def interval(self, level: float = 0.95) -> dict[str, tuple[float, float] | None]:
        """Return the interval of each mean that `Values.interval` has: Student's t, or Wilson's for binary values.

        It is None for counts, and for fewer than two queries.
        """
        if not isinstance(level, float) or not 0 < level < 1:
            raise UsageError("confidence", f"confidence level must be between 0 and 1, got {shown(level)}", value=level)
        return {str(m): self._interval(m, level) for m in self.measures}

    def collect(self) -> Values:
        """Collect all values, as `evaluate` returns them: queries in the order of their ids."""
        with talking():
            rows = self.frame.toArrow()
        queries = rows.column("query").to_pylist()
        order = np.array(sorted(range(len(queries)), key=[_key(q) for q in queries].__getitem__), np.int64)
        columns = {str(m): rows.column(str(m)).to_numpy()[order] for m in self.measures}
        for column in columns.values():
            column.flags.writeable = False
        return Values(
            queries=tuple(queries[row] for row in order),
            measures=self.measures,
            columns=columns,
            policy=self.policy,
            profile=self.profile,
            names=self.names,
            coverage=self.coverage,
            warnings=self.warnings,
        )

    def unpersist(self) -> None:
        """Release the values in Spark; using `frame` afterwards computes them again."""
        with talking():
            self.kept.unpersist()

    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """The intervals at 95%."""
        return self.interval()

    def tables(self, *, places: int = 4, title: str = "") -> list[Table]:
        """One row per measure."""
        return super().tables(places=places, title=title or title_of(self.names))

    def _of(self, measure: Measure) -> Moments:
        return self.moments.get(str(measure), Moments())

    def _interval(self, measure: Measure, level: float) -> tuple[float, float] | None:
        moments, how = self._of(measure), measure.definition.summary
        error = moments.standard_error()
        if how == "sum" or math.isnan(error):
            return None
        n, mean, limits = moments.sum.count, moments.sum.mean(), measure.definition.limits
        if how == "mean" and limits == (0, 1) and moments.is_binary():
            return wilson(mean, n, level)
        if error == 0 and 2.0 ** (1 - n) > 1 - level:
            return None  # as few equal values are no evidence that all are equal
        reach = float(two_sided_quantile(1 - level, n - 1)[0]) * error
        ends = mean - reach, mean + reach
        if how == "geometric":
            return math.exp(ends[0]), math.exp(ends[1])
        return ends if limits is None else (max(limits[0], ends[0]), min(limits[1], ends[1]))


def _key(query: Any) -> Any:
    """Return the sort key of a query: by id, as `evaluate` sorts them."""
    return query if isinstance(query, int) else raw_id(query)
