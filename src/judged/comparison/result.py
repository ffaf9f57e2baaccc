"""`Comparison`: runs held against each other, as plain data, with where they differ."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from judged.comparison.difference import Difference
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.errors import UsageError, Warned, shown
from judged.evaluation.result.values import Values
from judged.measures.grammar import parse
from judged.stats.differences import known_rows
from judged.stats.intervals import Method
from judged.stats.paired.bayes import Posterior, bayesian_t
from judged.stats.paired.equivalence import Equivalence, tost
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table

if TYPE_CHECKING:
    from judged.plots.results import Plot

__all__ = ["Change", "Comparison", "ComparisonSettings", "Critical", "Move"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """How it was compared."""

    test: str
    correction: str
    interval: Method
    alpha: float
    margin: float
    min_queries: int
    resamples: int | None
    seed: int
    clusters: int | None = None  # of queries that were drawn, and changed sign, as wholes

    def __str__(self) -> str:
        drawn = f", {self.resamples:,} resamples" if self.resamples else ""
        drawn += f", {self.clusters:,} clusters of queries" if self.clusters else ""
        margin = f", margin {self.margin:g}" if self.margin else ""
        return (f"{self.test} test{drawn}, {self.correction} correction over the pairs of a measure, {self.interval} intervals, "
                f"alpha {self.alpha:g}{margin}, seed {self.seed}")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical-difference diagram: mean ranks (1 is best), groups of runs that cannot be told apart, and Friedman's p for all of them."""

    runs: tuple[str, ...]
    ranks: tuple[float, ...]
    critical: float
    bars: tuple[tuple[int, ...], ...]
    alpha: float
    queries: int
    p: float


@dataclass(frozen=True, slots=True)
class Move:
    """A judged document that two runs rank differently; None where it was not retrieved."""

    doc: str
    grade: float
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """A query on which two runs differ, with the judged documents that moved."""

    query: Id
    value_a: float
    value_b: float
    difference: float
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Rows of differences, each with its interval, p-value, effect sizes and verdict; slices of queries likewise (`parts`)."""

    names: tuple[str, ...]
    results: tuple[Values, ...]
    rows: tuple[Difference, ...]
    settings: ComparisonSettings
    parts: tuple[Difference, ...] = ()
    baseline: str | None = None
    warnings: tuple[Warned, ...] = ()
    judged: tuple[Judged, ...] = field(default=(), repr=False)
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict, repr=False)  # which queries are in each

    @property
    def measures(self) -> list[str]:
        """The measures, in the order asked for."""
        return list(dict.fromkeys(row.measure for row in self.rows))

    def of(self, measure: str, a: str, b: str) -> Difference:
        """The row of two runs by a measure."""
        for row in self.rows:
            if (row.measure, row.a, row.b) == (measure, a, b):
                return row
        known = ", ".join(dict.fromkeys(f"{r.b} against {r.a}" for r in self.rows))
        raise UsageError(
            "no-pair", f"one of {known}, by {', '.join(self.measures)}", got=f"{b} against {a}, by {shown(measure)}"
        )

    def means(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean over the queries on which all runs have a value}}; counts too are means here."""
        columns = {m: self.matrix(m) for m in self.measures}
        found = {
            m: x[known_rows(x)].mean(axis=0) if known_rows(x).any() else np.full(x.shape[1], np.nan)
            for m, x in columns.items()
        }
        return {name: {m: float(found[m][i]) for m in self.measures} for i, name in enumerate(self.names)}

    def matrix(self, measure: str) -> NDArray[np.float64]:
        """Values of queries × runs."""
        return np.stack([np.asarray(result[measure], float) for result in self.results], axis=1)

    def where(
        self,
        measure: str,
        a: str | None = None,
        b: str | None = None,
        *,
        n: int = 10,
        only: Literal["better", "worse"] | None = None,
    ) -> tuple[Change, ...]:
        """The queries that changed most from a to b, the largest first, in both directions or `only` in one; with the judged documents that moved.

        Without names: the first pair that was compared.
        """
        first = (
            next(row for row in self.rows if row.measure == measure)
            if measure in self.measures
            else self.of(measure, "", "")
        )
        i, j = (self._place(name) for name in (a or first.a, b or first.b))
        x, y = (np.asarray(self.results[k][measure], float) for k in (i, j))
        d = np.nan_to_num(y - x)
        gain = -d if parse(measure).definition.lower_is_better else d
        size = np.abs(d) if only is None else np.maximum(gain if only == "better" else -gain, 0)
        chosen = [int(k) for k in np.argsort(-size, kind="stable")[:n] if size[k] != 0]
        return tuple(
            Change(self.results[0].queries[k], float(x[k]), float(y[k]), float(d[k]), self._moves(i, j, k))
            for k in chosen
        )

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UsageError("runs", f"one of {', '.join(self.names)}", got=shown(name), value=name)
        return self.names.index(name)

    def _moves(self, i: int, j: int, row: int) -> tuple[Move, ...]:
        if not self.judged:
            return ()
        ranks = [
            dict(zip(g.judgment[g.query == row].tolist(), g.rank[g.query == row].tolist(), strict=True))
            for g in (self.judged[i], self.judged[j])
        ]
        pool = self.judged[i]
        moved = [k for k in sorted({*ranks[0], *ranks[1]}) if ranks[0].get(k) != ranks[1].get(k)]
        found = [Move(_doc(pool, k), float(pool.pool_grade[k]), ranks[0].get(k), ranks[1].get(k)) for k in moved]
        return tuple(sorted(found, key=lambda m: (-m.grade, min(m.rank_a or math.inf, m.rank_b or math.inf))))

    # ── by other tests ───────────────────────────────────────────────────────────────────────────

    def overall(self) -> Table:
        """Whether the runs differ at all: Friedman's test, and the two-way analysis of variance, for each measure."""
        from judged.comparison.omnibus import overall_table

        return overall_table(self)

    def jointly(self, test: str = "randomised-tukey") -> Table:
        """Every pair by a test of all runs at once: `randomised-tukey`, `tukey` or `nemenyi`."""
        from judged.comparison.omnibus import joint_table

        return joint_table(self, test)

    def critical(self, measure: str) -> Critical:
        """Mean ranks of the runs over queries, and which of them lie within Nemenyi's critical difference (Demšar 2006)."""
        from judged.comparison.omnibus import critical_of

        return critical_of(self, measure)

    def equivalence(self, measure: str, a: str, b: str, margin: float) -> Equivalence:
        """Two one-sided t tests: whether a and b are equal within the margin."""
        return tost(self._differences(measure, a, b), margin, alpha=self.settings.alpha)

    def posterior(self, measure: str, a: str, b: str, rope: float = 0.0) -> Posterior:
        """The chances that b is worse than a, practically equal (within `rope`), or better, under a Bayesian t model."""
        return bayesian_t(self._differences(measure, a, b), rope=rope)

    def _differences(self, measure: str, a: str, b: str) -> NDArray[np.float64]:
        x = self.matrix(measure)
        d = x[:, self._place(b)] - x[:, self._place(a)]
        known: NDArray[np.float64] = d[~np.isnan(d)]
        return -known if parse(measure).definition.lower_is_better else known

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def records(self) -> list[dict[str, Any]]:
        """One mapping a row, slices included."""
        return [asdict(row) for row in (*self.rows, *self.parts)]

    def listing(self) -> RecordTable:
        """The same by columns."""
        return RecordTable.of(self.records())

    def to_json(self) -> str:
        """All of it as strict JSON: what is missing is null."""
        data = {
            "judged-comparison": 1,
            "runs": list(self.names),
            "baseline": self.baseline,
            "queries": len(self.results[0]),
            "policy": str(self.results[0].policy),
            "settings": asdict(self.settings),
            "means": {n: {m: v if math.isfinite(v) else None for m, v in by.items()} for n, by in self.means().items()},
            "rows": self.listing().to_dicts(),
            "warnings": [w.to_dict() for w in self.warnings],
        }
        return json.dumps(data, allow_nan=False)

    def verdicts(self) -> list[str]:
        """Each row as a sentence."""
        return [row.words for row in self.rows]

    def plot(
        self,
        kind: Plot = "means",
        measure: str | None = None,
        a: str | None = None,
        b: str | None = None,
        ax: Any = None,
    ) -> Any:
        """A picture on matplotlib axes (new ones unless given): `means`, `differences`, `queries`, `scatter` or `critical`.

        See `judged.plots.results.draw_comparison`.
        """
        from judged.plots.results import draw_comparison

        return draw_comparison(self, kind, measure, a, b, ax)

    def _tables(self) -> list[Table]:
        from judged.comparison.tables import tables

        return tables(self)

    __repr__ = Result.__str__


def _doc(pool: Judged, judgment: int) -> str:
    return str(judgment) if pool.pool_doc is None else pool.pool_doc[judgment].decode("utf-8", "surrogateescape")
