"""Tests of all runs of a comparison at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Floats
from judged.comparison.tables import separated
from judged.errors import Hint, UsageError, shown
from judged.measures.grammar import parse
from judged.stats.differences import known_rows
from judged.stats.omnibus import Pairwise, anova, bars, friedman, randomised_tukey, tukey
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number, p_text

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison


JOINT: dict[str, Callable[[Floats, float, int], Pairwise]] = {
    "randomised-tukey": lambda x, alpha, seed: randomised_tukey(x, alpha=alpha, seed=seed),
    "tukey": lambda x, alpha, seed: tukey(x, alpha=alpha),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OmnibusTest:
    """A test of all runs by one measure: its statistic with degrees of freedom, p, and an effect size."""

    measure: str
    test: str
    statistic: str
    df: tuple[float, ...]
    value: float | None
    p: float | None
    effect: str
    size: float


@dataclass(frozen=True, slots=True, repr=False)
class OmnibusTests(Result):
    """Friedman's test and the two-way analysis of variance, per measure."""

    rows: tuple[OmnibusTest, ...]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per measure and test."""
        return [asdict(row) for row in self.rows]

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per measure and test."""
        rows = tuple(
            (r.measure, r.test, _statistic(r, places), p_text(r.p), f"{r.effect} = {number(r.size, 3)}")
            for r in self.rows
        )
        return [
            Table(("measure", "test of all runs", "statistic", "p", "effect"), rows, words=(0, 1, 2, 4), optional=(4,))
        ]


def _statistic(row: OmnibusTest, places: int) -> str:
    df = ", ".join(f"{n:g}" for n in row.df)
    return "–" if row.value is None else f"{row.statistic}({df}) = {row.value:.{places}f}"


def omnibus_tests(comparison: Comparison) -> OmnibusTests:
    """Test whether any runs differ: Friedman's test of ranks, and the two-way analysis of variance of values."""
    rows = []
    for m in comparison.measures:
        x = _values(comparison, m)
        ranks, squares = friedman(x), anova(x)
        rows.append(
            OmnibusTest(
                measure=m,
                test="Friedman",
                statistic="χ²",
                df=(ranks.df,),
                value=ranks.statistic,
                p=ranks.p,
                effect="W",
                size=ranks.concordance,
            )
        )
        rows.append(
            OmnibusTest(
                measure=m,
                test="ANOVA, runs + queries",
                statistic="F",
                df=(squares.system.df, squares.residual.df),
                value=squares.system.f,
                p=squares.system.p,
                effect="partial η²",
                size=squares.partial_eta_squared,
            )
        )
    return OmnibusTests(tuple(rows))


@dataclass(frozen=True, slots=True, repr=False)
class JointTests(Result):
    """Every pair by a test of all runs at once; p-values are corrected for all pairs."""

    test: str
    names: tuple[str, ...]
    by_measure: dict[str, Pairwise]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per measure and pair."""
        pairs = [(i, j) for i in range(len(self.names)) for j in range(i + 1, len(self.names))]
        return [
            {
                "measure": m,
                "a": self.names[i],
                "b": self.names[j],
                "difference": _sign(m) * float(pairwise.difference[i, j]),
                "p": float(pairwise.p[i, j]),
            }
            for m, pairwise in self.by_measure.items()
            for i, j in pairs
        ]

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per measure and pair; means and critical differences are below."""
        rows = tuple(
            (r["measure"], r["b"], r["a"], number(r["difference"], places, sign="+"), p_text(r["p"]))
            for r in self.records()
        )
        headers = ("measure", "run", "against", "difference", "corrected p")
        notes = tuple(self._centers(m, pairwise, places) for m, pairwise in self.by_measure.items())
        return [Table(headers, rows, title=f"{self.test} over all runs", notes=notes, words=(0, 1, 2))]

    def _centers(self, measure: str, pairwise: Pairwise, places: int) -> str:
        centers = zip(self.names, _sign(measure) * pairwise.center, pairwise.letters(), strict=True)
        listed = ", ".join(f"{name} {center:.{places}f} {mark}" for name, center, mark in centers)
        return f"{measure}: mean {listed}; critical difference {pairwise.critical:.{places}f}"


def joint_tests(comparison: Comparison, test: str) -> JointTests:
    """Test every pair with all runs at once."""
    if test not in JOINT:
        raise UsageError(
            "unknown-name", f"unknown test {shown(test)}", hint=f"choose one of {', '.join(JOINT)}", value=test
        )
    s = comparison.settings
    by_measure = {m: JOINT[test](_values(comparison, m), s.alpha, s.seed) for m in comparison.measures}
    return JointTests(test, comparison.names, by_measure)


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical-difference diagram: the mean of each run, and the groups of runs that no verdict separates, best first."""

    runs: tuple[str, ...]
    means: tuple[float, ...]
    bars: tuple[tuple[int, ...], ...]
    alpha: float
    queries: int


def critical_difference(comparison: Comparison, measure: str) -> Critical:
    """Means of the runs, with bars from the verdicts of the comparison."""
    if comparison.baseline is not None:
        raise UsageError(
            "runs", "the diagram needs all pairs of runs", hint=Hint("leave out {baseline}", baseline=None)
        )
    apart, order = separated(comparison, measure)
    means = tuple(comparison.mean_of(measure).tolist())
    queries = comparison.by_measure[measure][0].queries
    return Critical(comparison.names, means, bars(apart, order), comparison.settings.alpha, queries)


def _values(comparison: Comparison, measure: str) -> Floats:
    """Values of queries × runs, negated if lower is better."""
    x = comparison.matrix(measure)
    return np.asarray(x[known_rows(x)] * _sign(measure))


def _sign(measure: str) -> float:
    """-1 if values were negated so that the highest is best."""
    return -1.0 if parse(measure).definition.lower_is_better else 1.0
