"""A comparison as tables: runs × measures with who cannot be told apart, the pairs, the slices, the queries that changed."""

from __future__ import annotations

import math

import numpy as np

from judged.comparison.difference import Difference
from judged.comparison.result import Change, Comparison
from judged.measures.grammar import parse
from judged.stats.multiple.letters import letters
from judged.tables.table import Table
from judged.tables.text import number, p_text

__all__ = ["change_table", "key_of_signs", "pair_table", "signs", "slice_table", "system_table", "tables"]

_MARKS = {"better": "▲", "worse": "▼", "equal": "=", "cannot tell": "", "too few": ""}


def tables(comparison: Comparison, *, places: int = 4) -> list[Table]:
    """Runs by measures, then every pair; then slices, where there are any."""
    found = [system_table(comparison, places=places), pair_table(comparison, places=places)]
    return [*found, slice_table(comparison, places=places)] if comparison.parts else found


def system_table(comparison: Comparison, *, places: int = 4) -> Table:
    """Means of runs by measures, the best in bold; letters, or signs against the baseline, say which differences are significant."""
    means, measures = comparison.means(), comparison.measures
    marks = {m: signs(comparison, m) for m in measures}
    rows = [
        (name, *(f"{number(means[name][m], places)} {marks[m][i]}".rstrip() for m in measures))
        for i, name in enumerate(comparison.names)
    ]
    best = frozenset((i, 1 + c) for c, m in enumerate(measures) for i in _best(comparison, m))
    queries = len(comparison.results[0])
    notes = (key_of_signs(comparison), f"{queries} {'query' if queries == 1 else 'queries'} · {comparison.settings}",
             f"policy: {comparison.results[0].policy}", *(f"warning: {w}" for w in comparison.warnings))  # fmt: skip
    return Table(("run", *measures), tuple(rows), notes=notes, strong=best)


def key_of_signs(comparison: Comparison) -> str:
    """What the signs mean."""
    alpha = comparison.settings.alpha
    if comparison.baseline:
        return f"▲ better, ▼ worse than {comparison.baseline} (corrected p ≤ {alpha:g}); = equal within the margin; no sign: cannot tell"
    return f"runs that share a letter in a column cannot be told apart (corrected p > {alpha:g})"


def signs(comparison: Comparison, measure: str) -> list[str]:
    """A sign for each run: ▲ or ▼ against the baseline, or letters that runs share which cannot be told apart."""
    return _against(comparison, measure) if comparison.baseline else _letters(comparison, measure)


def _best(comparison: Comparison, measure: str) -> list[int]:
    sign = -1 if parse(measure).definition.lower_is_better else 1
    values = [sign * by[measure] for by in comparison.means().values()]
    return [i for i, v in enumerate(values) if v == max(values)]


def _letters(comparison: Comparison, measure: str) -> list[str]:
    size = len(comparison.names)
    apart = np.zeros((size, size), bool)
    for row in comparison.rows:
        if row.measure == measure and row.adjusted <= comparison.settings.alpha:
            i, j = comparison.names.index(row.a), comparison.names.index(row.b)
            apart[i, j] = apart[j, i] = True
    sign = -1 if parse(measure).definition.lower_is_better else 1
    values = [sign * by[measure] for by in comparison.means().values()]
    return list(letters(apart, order=sorted(range(size), key=lambda i: -values[i])))


def _against(comparison: Comparison, measure: str) -> list[str]:
    found = {row.b: _MARKS[row.verdict] for row in comparison.rows if row.measure == measure}
    return [found.get(name, "") for name in comparison.names]


def pair_table(comparison: Comparison, *, places: int = 4) -> Table:
    """One row a pair and measure."""
    rows = tuple(_row(row, places) for row in comparison.rows)
    level = f"{1 - comparison.settings.alpha:.0%}"
    headers = (
        "measure",
        "run",
        "against",
        "difference",
        f"{level} interval",
        "won/tied/lost",
        "p",
        "corrected p",
        "d_z",
        "verdict",
    )
    notes = tuple(
        dict.fromkeys(f"{row.b} against {row.a} by {row.measure}: {row.note}" for row in comparison.rows if row.note)
    )
    return Table(headers, rows, notes=notes, words=(0, 1, 2, 9))


def _row(row: Difference, places: int) -> tuple[str, ...]:
    between = "–" if math.isnan(row.low) else f"[{row.low:+.{places}f}, {row.high:+.{places}f}]"
    return (row.measure, row.b, row.a, f"{row.difference:+.{places}f}", between, f"{row.wins}/{row.ties}/{row.losses}",
            p_text(row.p), p_text(row.adjusted), number(row.d_z, 2), row.verdict)  # fmt: skip


def slice_table(comparison: Comparison, *, places: int = 4) -> Table:
    """One row a slice, pair and measure."""
    rows = tuple((row.part or "", str(row.queries), *_row(row, places)) for row in comparison.parts)
    headers = ("slice", "queries", *pair_table(comparison).headers)
    least = f"slices of fewer than {comparison.settings.min_queries} queries are not tested; p-values are corrected within a slice"
    return Table(headers, rows, notes=(least,), words=(0, 2, 3, 4, 11))


def change_table(
    changes: tuple[Change, ...], a: str, b: str, *, measure: str = "", places: int = 4, moves: int = 5
) -> Table:
    """The queries that changed most, with the judged documents that moved."""
    rows = []
    for change in changes:
        told = [f"{m.doc} (grade {m.grade:g}): {_rank(m.rank_a)} → {_rank(m.rank_b)}" for m in change.moves[:moves]]
        more = [f"… {len(change.moves) - moves} more"] if len(change.moves) > moves else []
        rows.append((str(change.query), number(change.value_a, places), number(change.value_b, places),
                     f"{change.difference:+.{places}f}", "; ".join(told + more)))  # fmt: skip
    return Table(("query", a, b, "difference", "judged documents that moved, by rank"), tuple(rows), words=(0, 4),
                 title=f"the queries that changed most from {a} to {b}{f', by {measure}' if measure else ''}")  # fmt: skip


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
