"""What can be said of all runs of a comparison together, by tests that look at them at once."""

from __future__ import annotations

from collections.abc import Callable

from judged._types import Floats
from judged.comparison.result import Comparison, Critical
from judged.errors import UsageError, shown
from judged.measures.grammar import parse
from judged.stats.differences import known_rows
from judged.stats.multiple.letters import bars
from judged.stats.multiple.omnibus import anova, friedman
from judged.stats.multiple.posthoc import Pairwise, nemenyi, randomised_tukey, tukey
from judged.tables.table import Table
from judged.tables.text import p_text

__all__ = ["JOINT", "critical_of", "joint_table", "overall_table"]


JOINT: dict[str, Callable[[Floats, float, int], Pairwise]] = {
    "randomised-tukey": lambda x, alpha, seed: randomised_tukey(x, alpha=alpha, seed=seed),
    "tukey": lambda x, alpha, seed: tukey(x, alpha=alpha),
    "nemenyi": lambda x, alpha, seed: nemenyi(x, alpha=alpha),
}


def _values(comparison: Comparison, measure: str) -> Floats:
    """Values of queries × runs, the highest best."""
    x = comparison.matrix(measure)
    return x[known_rows(x)] * _sign("", measure)


def overall_table(comparison: Comparison, *, places: int = 4) -> Table:
    """Whether the runs differ at all: Friedman's test of their ranks, and the two-way analysis of variance of their values."""
    rows: list[tuple[str, ...]] = []
    for m in comparison.measures:
        x = _values(comparison, m)
        ranks, squares = friedman(x), anova(x)
        rows.append(
            (
                m,
                "Friedman",
                f"χ²({ranks.df[0]:g}) = {ranks.statistic:.{places}f}",
                p_text(ranks.p),
                f"W = {ranks.concordance:.3f}",
            )
        )
        effect = f"partial η² = {squares.partial_eta_squared:.3f}"
        f = (
            "–"
            if squares.system.f is None
            else f"F({squares.system.df:g}, {squares.residual.df:g}) = {squares.system.f:.{places}f}"
        )
        rows.append((m, "ANOVA, runs + queries", f, p_text(squares.system.p), effect))
    return Table(("measure", "test of all runs", "statistic", "p", "effect"), tuple(rows), words=(0, 1, 2, 4))


def critical_of(comparison: Comparison, measure: str) -> Critical:
    """Friedman's mean ranks with Nemenyi's critical difference."""
    x = _values(comparison, measure)
    found = nemenyi(x, alpha=comparison.settings.alpha)
    return Critical(
        comparison.names, tuple(found.center.tolist()), found.critical, bars(found.center, found.critical), found.alpha, len(x), friedman(x).p,
    )  # fmt: skip


def joint_table(comparison: Comparison, test: str, *, places: int = 4) -> Table:
    """Every pair by a test of all runs at once; its p-values are corrected for all pairs already."""
    if test not in JOINT:
        raise UsageError("test", f"one of {', '.join(JOINT)}", got=shown(test), value=test)
    rows, notes = [], []
    for m in comparison.measures:
        found = JOINT[test](_values(comparison, m), comparison.settings.alpha, comparison.settings.seed)
        letters, sign = found.letters(), _sign(test, m)
        what = "mean rank" if test == "nemenyi" else "mean"
        notes.append(f"{m}: {what} {', '.join(f'{n} {c:.{places}f} {s}' for n, c, s in zip(comparison.names, sign * found.center, letters, strict=True))}"
                     f"; critical difference {found.critical:.{places}f}")  # fmt: skip
        for i, a in enumerate(comparison.names):
            rows += [
                (m, b, a, f"{sign * found.difference[i, j]:+.{places}f}", p_text(float(found.p[i, j])))
                for j, b in enumerate(comparison.names)
                if j > i
            ]
    return Table(
        ("measure", "run", "against", "difference", "corrected p"),
        tuple(rows),
        title=f"{test} over all runs",
        notes=tuple(notes),
        words=(0, 1, 2),
    )


def _sign(test: str, measure: str) -> float:
    """-1 where values were turned around, so that the highest is best; ranks are shown as they are."""
    return -1.0 if test != "nemenyi" and parse(measure).definition.lower_is_better else 1.0
