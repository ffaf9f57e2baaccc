"""Tables of a comparison: runs × measures, the pairs, the slices, the queries that changed most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from judged._types import Bools
from judged.comparison.answer import best_first, span_of
from judged.comparison.difference import POWER, Difference
from judged.measures.grammar import parse
from judged.stats.decisions import APART
from judged.stats.differences import known_rows
from judged.stats.multiple.letters import letters
from judged.stats.paired.registry import TESTS
from judged.stats.power import MATERIAL
from judged.tables.table import BARS, Table
from judged.tables.text import counted, number, p_text

if TYPE_CHECKING:
    from judged.comparison.changes import Change
    from judged.comparison.result import Comparison

_MANY_ROWS, _FEW_RUNS = 100, 3
ESTIMATED = "a difference is estimated from differences per query, and need not be that of the means"


def listed(names: list[str]) -> str:
    """Names in a sentence: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def system_table(comparison: Comparison, *, places: int = 4) -> Table:
    """Means of runs by measures, the best in bold; letters, or signs if there is a baseline, mark significant differences."""
    means, measures = comparison.means(), comparison.measures
    marks = {m: signs(comparison, m) for m in measures}
    rows = tuple(
        (name, *(f"{number(means[name][m], places)} {marks[m][i]}".rstrip() for m in measures))
        for i, name in enumerate(comparison.names)
    )
    best = frozenset((i, 1 + c) for c, m in enumerate(measures) for i in _best(comparison, m))
    sizes = {int(known_rows(comparison.matrix(m)).sum()) for m in measures}
    over = (
        counted(max(sizes), "query")
        if len(sizes) == 1
        else f"{min(sizes)} to {counted(max(sizes), 'query')} with a value"
    )
    notes: tuple[str, ...] = (f"means over {over}",)
    if comparison.settings.model:
        notes = (
            f"means over {counted(len(comparison.results[0]), 'query')}, estimated from the {over} that people judged",
            ESTIMATED,
        )
    return Table(("run", *measures), rows, notes=notes, strong=best, key=key_of_signs(comparison))


def key_of_signs(comparison: Comparison) -> str:
    """The legend of the signs in the table of runs."""
    alpha, wins = comparison.settings.alpha, TESTS.find(comparison.settings.test).direction is not None
    if not comparison.baseline:
        within = ", or are equal within the margin" if comparison.settings.margin else ""
        return f"runs that share a letter in a column have no clear difference (corrected p > {alpha:g}){within}"
    told = "▲ wins, ▼ loses more queries than" if wins else "▲ better, ▼ worse than"
    same = "= equal within the margin; " if comparison.settings.margin else ""
    return f"{told} {comparison.baseline} (corrected p ≤ {alpha:g}); {same}≡ identical; no sign: no clear difference"


def signs(comparison: Comparison, measure: str) -> list[str]:
    """A sign for each run: ▲ or ▼ compared with the baseline, or letters that runs without a clear difference share."""
    return _marks(comparison, measure) if comparison.baseline else list(letters(*separated(comparison, measure)))


def _gains(comparison: Comparison, measure: str) -> list[float]:
    """The means, negated if lower is better."""
    sign = -1 if parse(measure).definition.lower_is_better else 1
    return [sign * mean for mean in comparison.mean_of(measure).tolist()]


def _best(comparison: Comparison, measure: str) -> list[int]:
    values = _gains(comparison, measure)
    best = max(values)
    return [i for i, v in enumerate(values) if v == best]


def separated(comparison: Comparison, measure: str) -> tuple[Bools, list[int]]:
    """A table of the pairs of runs that a verdict tells apart, and the runs from the best mean."""
    size = len(comparison.names)
    apart = np.zeros((size, size), bool)
    place = {name: i for i, name in enumerate(comparison.names)}
    for row in comparison.by_measure[measure]:
        if row.verdict in APART:
            i, j = place[row.a], place[row.b]
            apart[i, j] = apart[j, i] = True
    values = _gains(comparison, measure)
    return apart, sorted(range(size), key=lambda i: -values[i] if values[i] == values[i] else math.inf)


def _marks(comparison: Comparison, measure: str) -> list[str]:
    marks = {row.b: row.sign for row in comparison.by_measure[measure]}
    return [marks.get(name, "") for name in comparison.names]


def pair_table(comparison: Comparison, *, places: int = 4, intervals: bool = True, all_pairs: bool = True) -> Table:
    """One row per pair and measure, or only the important ones.

    The column `queries needed` is there if all pairs are shown and one of them has no clear difference.
    """
    shown = comparison.rows if all_pairs else important_rows(comparison)
    few = len(shown) == len(comparison.rows) and any(row.needed for row in shown)
    headers, rows = _headers(comparison, intervals), []
    for row in shown:
        *cells, verdict = _row(row, places, intervals)
        rows.append((*cells, *([f"{row.needed:,}" if row.needed else ""] if few else []), verdict))
    headers = (*headers[:-1], *(("queries needed",) if few else ()), headers[-1])
    same: dict[tuple[str, str, str], list[str]] = {}
    for row in shown:
        if row.note:
            same.setdefault((row.b, row.a, row.note), []).append(row.measure)
    notes = [f"{b} and {a} on {listed(measures)}: {note}" for (b, a, note), measures in same.items()]
    if len(shown) < len(comparison.rows):
        on = "" if shown[0].measure != shown[-1].measure else f" on {shown[0].measure}"
        notes.insert(
            0, f"only {shown[0].b} with each other run{on}; the table `pairs` has all {len(comparison.rows):,} rows"
        )
    if few:
        margin = comparison.settings.margin
        material = f"{margin:g} (the margin)" if margin else f"{MATERIAL:.0%} of the mean of the run in `against`"
        like = ", in clusters of the same size" if comparison.settings.clusters else ""
        notes.append(
            f"queries needed: to find a difference of {material} with power {POWER:.0%}, at the level of the test{like}"
        )
    return _table(headers, tuple(rows), tuple(notes), shown)


def important_rows(comparison: Comparison) -> Sequence[Difference]:
    """All pairs and measures; if they are many, the best run with each other one, on all measures or on the first that has values.

    The number of pairs grows with the square of the number of runs: 60 runs and five measures have 8,850 rows.
    """
    if comparison.baseline is not None or len(comparison.rows) <= _MANY_ROWS or len(comparison.names) <= _FEW_RUNS:
        return comparison.rows
    means = {measure: comparison.mean_of(measure).tolist() for measure in comparison.measures}
    first = next((m for m in means if not all(map(math.isnan, means[m]))), comparison.measures[0])
    order = best_first(parse(first), means[first])
    best, *others = (comparison.names[i] for i in order)
    measures = comparison.measures if len(others) * len(means) <= _MANY_ROWS else [first]
    known = comparison.by_pair
    pairs = ((m, other) for m in measures for other in others)
    return [known.get((m, other, best)) or known[m, best, other].turned() for m, other in pairs]


def _headers(comparison: Comparison, intervals: bool, *, slices: bool = False) -> tuple[str, ...]:
    interval = (comparison.settings.interval_name(slices=slices),) if intervals else ()
    return ("measure", "run", "against", "difference", *interval, "won/tied/lost", "p", "corrected p", "d_z", "verdict")


def _table(
    headers: tuple[str, ...], rows: tuple[tuple[str, ...], ...], notes: tuple[str, ...], of: Sequence[Difference]
) -> Table:
    """A table of differences, with its columns of words and those to drop first."""
    words = tuple(headers.index(h) for h in ("slice", "measure", "run", "against", "verdict") if h in headers)
    place = {BARS: BARS} | {header: i for i, header in enumerate(headers)}
    optional = tuple(
        place[h] for h in ("d_z", "queries needed", BARS, "won/tied/lost", "p", "corrected p") if h in place
    )
    return Table(
        headers, rows, notes=notes, words=words, optional=optional, grouped=True, spans=tuple(map(span_of, of))
    )


def _row(row: Difference, places: int, intervals: bool) -> tuple[str, ...]:
    difference, interval, verdict = row.columns(places)
    return (
        row.measure,
        row.b,
        row.a,
        difference,
        *((interval,) if intervals else ()),
        f"{row.wins}/{row.ties}/{row.losses}",
        p_text(row.p),
        p_text(row.adjusted),
        number(row.d_z, 2),
        verdict,
    )


def slice_table(comparison: Comparison, *, places: int = 4, intervals: bool = True, all_pairs: bool = True) -> Table:
    """One row per slice, pair and measure; or only those of the important pairs."""
    shown: Sequence[Difference] = comparison.parts
    if not all_pairs:
        pairs = {(row.measure, frozenset((row.a, row.b))) for row in important_rows(comparison)}
        shown = [row for row in shown if (row.measure, frozenset((row.a, row.b))) in pairs]
    rows = tuple((row.part or "", str(row.queries), *_row(row, places, intervals)) for row in shown)
    headers = ("slice", "queries", *_headers(comparison, intervals, slices=True))
    least = counted(comparison.settings.min_queries, "query")
    notes = [
        f"slices of fewer than {least} are not tested; p-values are corrected for pairs, measures and slices together"
    ]
    if len(shown) < len(comparison.parts):
        notes.insert(0, f"only the pairs shown above; the table `slices` has all {len(comparison.parts):,} rows")
    return _table(headers, rows, tuple(notes), shown)


def change_table(
    changes: tuple[Change, ...], a: str, b: str, *, measure: str = "", places: int = 4, moves: int = 5
) -> Table:
    """The queries that changed most, with the judged documents that moved."""
    rows = []
    for change in changes:
        listed = [f"{m.doc} (grade {m.grade:g}): {number(m.rank_a)} → {number(m.rank_b)}" for m in change.moves[:moves]]
        more = [f"… {len(change.moves) - moves} more"] if len(change.moves) > moves else []
        rows.append(
            (
                str(change.query),
                number(change.value_a, places),
                number(change.value_b, places),
                number(change.difference, places, sign="+"),
                "; ".join(listed + more),
            )
        )
    title = f"queries that changed most from {a} to {b}{f', by {measure}' if measure else ''}"
    headers = ("query", a, b, "difference", "judged documents that moved, by rank")
    return Table(headers, tuple(rows), words=(0, 4), title=title, optional=(4,))
