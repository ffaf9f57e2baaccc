"""Tables of a comparison: runs × measures, pairs, slices, the queries that changed most; and the report that shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from judged.comparison.difference import (
    POWER,
    Difference,
    answer,
    between,
    pair_details,
    span_of,
    words_text,
)
from judged.comparison.evaluated_runs import matrix
from judged.core.judged import Judged
from judged.core.tables import Id
from judged.errors import fold_warnings
from judged.evaluation.values import policy_notes
from judged.measures.registry import parse
from judged.stats.decisions import APART
from judged.stats.differences import known_rows
from judged.stats.letters import letters
from judged.stats.paired.registry import TESTS
from judged.stats.power import MATERIAL
from judged.tables.result import Result
from judged.tables.table import BARS, Detail, Table, counted, listed, number, p_text, tie_notes

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison


@dataclass(frozen=True, slots=True)
class Move:
    """A judged document that two runs rank differently; a rank is None if the run does not retrieve it."""

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


def largest_changes(
    comparison: Comparison, measure: str, i: int, j: int, n: int, only: Literal["better", "worse"] | None
) -> tuple[Change, ...]:
    """Return the n queries that changed most from run i to run j, largest change first; see `Comparison.where`."""
    x, y = (np.asarray(comparison.results[k][measure], float) for k in (i, j))
    d = np.nan_to_num(y - x)
    gain = -d if parse(measure).definition.lower_is_better else d
    size = np.abs(d) if only is None else np.maximum(gain if only == "better" else -gain, 0)
    largest = [int(k) for k in np.argsort(-size, kind="stable")[:n] if size[k] != 0]
    queries = comparison.results[0].queries
    return tuple(
        Change(queries[k], float(x[k]), float(y[k]), float(d[k]), moves_in(comparison.judged, i, j, k)) for k in largest
    )


def moves_in(judged: tuple[Judged, ...], i: int, j: int, row: int) -> tuple[Move, ...]:
    """Return the judged documents of a query that two runs rank differently, from the highest grade down."""
    if not judged:
        return ()
    ranks = [
        dict(zip(g.judgment[g.query == row].tolist(), g.rank[g.query == row].tolist(), strict=True))
        for g in (judged[i], judged[j])
    ]
    grades, ids = judged[i].pool_grade, judged[i].pool_doc
    moves = []
    for k in sorted({*ranks[0], *ranks[1]}):
        a, b = ranks[0].get(k), ranks[1].get(k)
        if a != b:
            doc = str(k) if ids is None else ids[k].decode("utf-8", "surrogateescape")
            moves.append(Move(doc, float(grades[k]), a, b))
    return tuple(sorted(moves, key=lambda m: (-m.grade, min(m.rank_a or math.inf, m.rank_b or math.inf))))


_MANY_ROWS, _FEW_RUNS = 100, 3
ESTIMATED = "a difference is estimated from differences per query, and need not be that of the means"


def system_table(comparison: Comparison, *, places: int = 4) -> Table:
    """Means of runs by measures, the best in bold; letters, or signs if there is a baseline, mark significant differences."""
    measures = comparison.measures
    means = [comparison.mean_of(m).tolist() for m in measures]
    marks = [signs(comparison, m) for m in measures]
    rows = tuple(
        (name, *(f"{number(mean[i], places)} {mark[i]}".rstrip() for mean, mark in zip(means, marks, strict=True)))
        for i, name in enumerate(comparison.names)
    )
    best = set()
    for c, (m, column) in enumerate(zip(measures, means, strict=True), 1):
        top = column[comparison.order(m)[0]]
        best |= {
            (i, c)
            for i, mean in enumerate(column)
            if mean == top and comparison.names[i] not in comparison.incomparable
        }
    sizes = {int(known_rows(matrix(comparison.results, m)).sum()) for m in measures}
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
    notes += tuple(
        line for name, one in zip(comparison.names, comparison.results, strict=True) for line in one.answers(name)
    )
    return Table(("run", *measures), rows, notes=notes, strong=frozenset(best), key=key_of_signs(comparison))


def key_of_signs(comparison: Comparison) -> str:
    """The legend of the signs in the table of runs."""
    wins = TESTS.find(comparison.settings.test).direction is not None
    p, alpha = comparison.settings.deciding_p, comparison.settings.alpha
    if not comparison.baseline:
        within = ", or are equal within the margin" if comparison.settings.margin else ""
        none = "; no letter: not comparable" if comparison.incomparable else ""
        return f"runs that share a letter in a column have no clear difference ({p} > {alpha:g}){within}{none}"
    told = "▲ wins, ▼ loses more queries than" if wins else "▲ better, ▼ worse than"
    unclear = f"no clear difference{', or not comparable' if comparison.incomparable else ''}"
    same = "= equal within the margin; " if comparison.settings.margin else ""
    return f"{told} {comparison.baseline} ({p} ≤ {alpha:g}); {same}≡ identical; no sign: {unclear}"


def signs(comparison: Comparison, measure: str) -> list[str]:
    """A sign for each run: ▲ or ▼ compared with the baseline, or letters that runs without a clear difference share."""
    if comparison.baseline is None:
        order = [run for run in comparison.order(measure) if comparison.names[run] not in comparison.incomparable]
        place = {comparison.names[run]: i for i, run in enumerate(order)}
        apart = np.zeros((len(place), len(place)), bool)
        for row in comparison.by_measure[measure]:
            if row.verdict in APART:
                i, j = place[row.a], place[row.b]
                apart[i, j] = apart[j, i] = True
        marks = dict(zip(order, letters(apart, range(len(order))) if order else (), strict=True))
        return [marks.get(run, "") for run in range(len(comparison.names))]
    by_run = {row.b: row.sign for row in comparison.by_measure[measure]}
    return [by_run.get(name, "") for name in comparison.names]


def pair_table(comparison: Comparison, *, places: int = 4, all_pairs: bool = True) -> Table:
    """One row per pair and measure, or only the important ones.

    The column `queries needed` is there if all pairs are shown and one of them has no clear difference.
    """
    shown = comparison.rows if all_pairs else important_rows(comparison)
    few = len(shown) == len(comparison.rows) and any(row.needed for row in shown)
    same: dict[tuple[str, str, str], list[str]] = {}
    for row in shown:
        if row.note and row.verdict != "not comparable":  # which is said first
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
    return _table(comparison, shown, notes, places, needed=few)


def important_rows(comparison: Comparison) -> Sequence[Difference]:
    """All pairs and measures; if they are many, the best run with each other one, on all measures or on the first that has values.

    The number of pairs grows with the square of the number of runs: 60 runs and five measures have 8,850 rows.
    """
    if comparison.baseline is not None or len(comparison.rows) <= _MANY_ROWS or len(comparison.names) <= _FEW_RUNS:
        return comparison.rows
    means = {measure: comparison.mean_of(measure).tolist() for measure in comparison.measures}
    first = next((m for m in means if not all(map(math.isnan, means[m]))), comparison.measures[0])
    order = comparison.order(first)
    best, *others = (comparison.names[i] for i in order)
    measures = comparison.measures if len(others) * len(means) <= _MANY_ROWS else [first]
    known = comparison.by_pair
    pairs = ((m, other) for m in measures for other in others)
    return [known.get((m, other, best)) or known[m, best, other].turned() for m, other in pairs]


def _table(
    comparison: Comparison,
    shown: Sequence[Difference],
    notes: list[str],
    places: int,
    *,
    slices: bool = False,
    needed: bool = False,
) -> Table:
    """A table of differences, with its columns of words and those to drop first."""
    interval = comparison.settings.interval_name(slices=slices)
    headers = (
        *(("slice", "queries") if slices else ()),
        *("measure", "run", "against", "difference", interval, "won/tied/lost", "p", "corrected p", "d_z"),
        *(("queries needed",) if needed else ()),
        "verdict",
    )
    rows = []
    for row in shown:
        difference, ends, verdict = row.columns(places)
        of_slice = (row.part or "", str(row.queries)) if slices else ()
        wins, more = f"{row.wins}/{row.ties}/{row.losses}", (f"{row.needed:,}" if row.needed else "",) if needed else ()
        tested = wins, p_text(row.p), p_text(row.adjusted), number(row.d_z, 2)
        rows.append((*of_slice, row.measure, row.b, row.a, difference, ends, *tested, *more, verdict))
    words = tuple(headers.index(h) for h in ("slice", "measure", "run", "against", "verdict") if h in headers)
    place = {BARS: BARS} | {header: i for i, header in enumerate(headers)}
    drop_first = ("d_z", "queries needed", BARS, "won/tied/lost", "p", "corrected p")
    optional, spans = tuple(place[h] for h in drop_first if h in place), tuple(map(span_of, shown))
    return Table(headers, tuple(rows), notes=tuple(notes), words=words, optional=optional, grouped=True, spans=spans)


def slice_table(comparison: Comparison, *, places: int = 4, all_pairs: bool = True) -> Table:
    """One row per slice, pair and measure; or only those of the important pairs."""
    shown: Sequence[Difference] = comparison.parts
    if not all_pairs:
        pairs = {(row.measure, frozenset((row.a, row.b))) for row in important_rows(comparison)}
        shown = [row for row in shown if (row.measure, frozenset((row.a, row.b))) in pairs]
    least = counted(comparison.settings.min_queries, "query")
    notes = [
        f"slices of fewer than {least} are not tested; p-values are corrected for {comparison.settings.slice_family} together"
    ]
    if len(shown) < len(comparison.parts):
        notes.insert(0, f"only the pairs shown above; the table `slices` has all {len(comparison.parts):,} rows")
    return _table(comparison, shown, notes, places, slices=True)


_MOVES = 5  # documents that are shown


def change_table(changes: tuple[Change, ...], a: str, b: str, *, measure: str = "", places: int = 4) -> Table:
    """The queries that changed most, with the judged documents that moved."""
    rows = []
    for change in changes:
        listed = [
            f"{m.doc} (grade {m.grade:g}): {number(m.rank_a)} → {number(m.rank_b)}" for m in change.moves[:_MOVES]
        ]
        more = [f"… {len(change.moves) - _MOVES} more"] if len(change.moves) > _MOVES else []
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


TableName = Literal["systems", "pairs", "slices", "where"]


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonReport(Result):
    """The tables of a comparison that were requested; see `Comparison.report`."""

    comparison: Comparison
    table: TableName | None = None
    where: int = 0
    answer: bool = False  # show the answer above a requested table

    def headline(self) -> list[str]:
        """One sentence per measure, or one for two runs that never differ; nothing if one table was requested."""
        comparison, rows = self.comparison, self.comparison.rows
        if self.table is not None and not self.answer:
            return []
        if len(comparison.names) == 2 and len(rows) > 1 and all(row.verdict == "identical" for row in rows):
            return [f"{rows[0].b} and {rows[0].a} are identical on all {len(rows)} measures."]
        answers = [answer(comparison, m) for m in comparison.measures]
        said = [*answers[0].first, *(one.words for one in answers if one.words)]
        return [words_text(words, comparison.names) for words in said]

    def details(self) -> list[Detail]:
        """Size, certainty and place of the difference on the first measure, unless one table was requested."""
        if self.table is not None and not self.answer:
            return []
        comparison, first = self.comparison, self.comparison.measures[0]
        found = answer(comparison, first)
        others = " ".join(words_text(line, comparison.names) for line in found.more)
        lines = pair_details(between(comparison, first, *found.pair), comparison)
        return [*lines, Detail("Other runs", others)] if others else lines

    def tables(self, *, places: int = 4) -> list[Table]:
        """The requested tables; warnings are below the last one, and above them settings and policy unless one table was requested."""
        comparison, only = self.comparison, self.table
        tables = []
        if only in (None, "systems"):
            tables.append(system_table(comparison, places=places))
        if only in (None, "pairs"):
            tables.append(pair_table(comparison, places=places, all_pairs=only == "pairs"))
        if only == "slices" or (only is None and comparison.parts):
            tables.append(slice_table(comparison, places=places, all_pairs=only == "slices"))
        if only == "where" or (only is None and self.where):
            shown = comparison.rows if only == "where" else important_rows(comparison)
            tables += [self._change_table(row, places) for row in shown]
        notes = tables[-1].notes
        if only is None:
            settings = comparison.settings
            about = [settings.about_intervals] if settings.about_intervals else []
            notes += (*about, str(settings), *settings.remarks)
            notes += tuple(policy_notes(comparison.results[0].policy, comparison.compared))
        tables[-1] = tables[-1]._replace(notes=(*notes, *(f"warning: {w}" for w in fold_warnings(comparison.warnings))))
        return tables

    def records(self) -> list[dict[str, Any]]:
        """The rows of the requested table; otherwise those of the comparison, and if the queries that changed most were requested, `table` names the table of each row."""
        comparison = self.comparison
        if self.table == "systems":
            return [{"run": name, **means} for name, means in comparison.means().items()]
        if self.table == "where":
            return self._changed()
        pairs, slices = ([row.to_dict() for row in rows] for rows in (comparison.rows, comparison.parts))
        if self.table is not None:
            return pairs if self.table == "pairs" else slices
        if not self.where:
            return comparison.records()
        rows = {"pairs": pairs, "slices": slices, "where": self._changed()}
        return [{"table": name, **record} for name, records in rows.items() for record in records]

    def to_data(self) -> Any:
        """The comparison with the queries that changed most, if they were requested; or the rows of one table."""
        if self.table is not None:
            return self.records()
        return {**self.comparison.to_data(), **({"where": self._changed()} if self.where else {})}

    def _change_table(self, row: Difference, places: int) -> Table:
        changes, of = self._changes(row), self.comparison
        a, b = (np.asarray(of.results[of.names.index(name)][row.measure], float) for name in (row.a, row.b))
        sizes, seen = np.abs(b - a)[~np.isnan(b - a)].tolist(), [abs(change.difference) for change in changes]
        last = f"a difference of {number(seen[-1] if seen else None, places)} in either direction"
        table = change_table(changes, row.a, row.b, measure=row.measure, places=places)
        return table._replace(notes=tie_notes(sizes, seen, last))

    def _changes(self, row: Difference) -> tuple[Change, ...]:
        return self.comparison.where(row.measure, row.a, row.b, n=self.where or 10)

    def _changed(self) -> list[dict[str, Any]]:
        """The queries of all pairs that changed most, one mapping each."""
        return [
            {"measure": row.measure, "a": row.a, "b": row.b, **asdict(change)}
            for row in self.comparison.rows
            for change in self._changes(row)
        ]
