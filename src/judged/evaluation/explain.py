"""The arithmetic behind the value of a query: `explain`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.tables import Id, raw_id
from judged.errors import UsageError, shown
from judged.evaluation.inputs import Provenance, in_one_order, read_and_join
from judged.evaluation.measuring import Views, best_column, chosen, column, is_empty, is_settled, tie_orders
from judged.evaluation.options import EvaluateOptions, with_level
from judged.io.arrays import is_column, lists_of
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import MEASURES, Measure, parse
from judged.stats.intervals import FLOOR, mean
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, counted, some

if TYPE_CHECKING:
    from judged.evaluation.values import Values


@dataclass
class Trace:
    """Columns that the measure named (one value per hit), its sums and its fractions (one value per query)."""

    hits: int
    value: Column = field(default_factory=lambda: np.empty(0))
    columns: dict[str, Column] = field(default_factory=dict)
    totals: list[tuple[Column, Column]] = field(default_factory=list)
    fractions: list[tuple[Column, Column]] = field(default_factory=list)

    def closing(self, row: int, last_sum: float) -> str:
        """The last step to the value of a query: the fraction, or the sum."""
        value = self.value[row]
        if isinstance(value, str):
            return f"= {value}"
        if self.fractions:
            top, bottom = (float(side[row]) for side in self.fractions[-1])
            if bottom == 0 and value == 0:
                return "0 (the denominator is 0)"
            if bottom and top / bottom == value:
                return f"{top:.6g} / {bottom:.6g} = {value:.6g}"
        return f"= {value:.6g}" if last_sum in (0.0, value) else f"sum {last_sum:.6g}, value {value:.6g}"


@dataclass(frozen=True)
class _Traced(Judged):
    """A `Judged` that records the operations of a formula on it and on its shorter views."""

    trace: Trace | None = None
    row: Column | None = None  # the place of each hit in the whole ranking

    def column(self, name: str, x: Column) -> Column:
        if self.trace is not None and (spread := self._spread(x, np.nan)) is not None:
            self.trace.columns.setdefault(name, spread)
        return x

    def total(self, x: Column) -> Column:
        result = super().total(x)
        if self.trace is not None and (spread := self._spread(x, 0.0)) is not None:
            self.trace.totals.append((spread, result))
        return result

    def ratio(self, numerator: Column | float, denominator: Column | float) -> Column:
        result = super().ratio(numerator, denominator)
        if self.trace is not None and result.shape == (len(self),):
            top, bottom = (np.broadcast_to(side, (len(self),)) for side in (numerator, denominator))
            self.trace.fractions.append((top, bottom))
        return result

    def only(self, mask: Column) -> _Traced:
        kept = super().only(mask)
        return kept if self.row is None else replace(kept, row=self.row[mask])

    def _spread(self, x: Column, elsewhere: float) -> Column | None:
        """Spread a column over the hits of the whole ranking; None unless it has one value per hit, and the rows of these are known."""
        if self.trace is None or self.row is None or not len(x) == len(self.rank) == len(self.row):
            return None
        if len(x) == self.trace.hits:
            return np.asarray(x)
        out = np.full(self.trace.hits, elsewhere)
        out[self.row] = x
        return out


def trace(measure: Measure, judged: Judged) -> Trace:
    """Compute a measure and record its steps; for `judged_only`, unjudged documents must have been removed already."""
    trace = Trace(hits=len(judged.rank))
    given = tuple(pair for pair in measure.given if pair[0] != "judged_only")
    watched = _Traced(
        **{f.name: getattr(judged, f.name) for f in fields(Judged)}, trace=trace, row=np.arange(len(judged.rank))
    )
    trace.value = Measure(measure.definition, given).on(watched)
    return trace


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Result):
    """One query under one measure: one row per rank, then the last step.

    Args:
        rows: the cells of each rank, under `headers`.
        closing: the last step to the value.
        hidden: number of documents below the last row.
        ideal: the arithmetic of the ideal ranking, which the measure compares the actual one with, if it has one.
        chosen: True if the query was chosen automatically.
    """

    measure: Measure
    query: Id
    value: Any
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    closing: str
    hidden: int = 0
    ideal: Explanation | None = None
    chosen: bool = False

    def facts(self) -> tuple[str, ...]:
        """The measure, the query and the value."""
        return (f"{self.measure} of query {shown(self.query)}: {cell_text(self.value)}",)

    def headline(self) -> tuple[str, ...]:
        """The reason for the query, if it was chosen."""
        reason = f"Showing a typical query: of all queries with a relevant document retrieved, its {self.measure} is closest to the mean."
        return (reason,) if self.chosen else ()

    def tables(self, *, places: int = 4) -> list[Table]:
        """The actual ranking, and the ideal one if there is one."""
        title, d = f"{self.measure} of query {self.query}", self.measure.definition
        notes = [self.closing, *([f"{self.measure}: {d.formula}"] if d.formula else [])]
        if self.ideal is None:
            return [self.table(title, notes)]
        if d.ideal_only:
            return [self.ideal.table(f"{title}: ideal ranking", notes)]
        return [
            self.table(f"{title}: actual ranking", notes),
            self.ideal.table("ideal ranking", [self.ideal.closing]),
        ]

    def table(self, title: str, notes: list[str]) -> Table:
        """The rows under a title, with notes below."""
        more = [f"… and {counted(self.hidden, 'more document')}"] if self.hidden else []
        cells = tuple(tuple(map(cell_text, row)) for row in self.rows)
        return Table(self.headers, cells, title=title, notes=(*more, *notes), words=(1,))

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The cells of each rank by their headers."""
        return [dict(zip(self.headers, row, strict=True)) for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """One row per rank of the actual ranking, then of the ideal one."""
        rows = [("actual", row) for row in self.steps] + [
            ("ideal", row) for row in (self.ideal.steps if self.ideal else ())
        ]
        return [{"measure": str(self.measure), "query": self.query, "ranking": side, **row} for side, row in rows]

    def to_data(self) -> dict[str, Any]:
        """The value with every step."""
        data = {
            "measure": str(self.measure),
            "query": self.query,
            "value": self.value,
            "closing": self.closing,
            "formula": self.measure.definition.formula,
            "rows": self.steps,
        }
        return (
            data if self.ideal is None else {**data, "ideal": {"closing": self.ideal.closing, "rows": self.ideal.steps}}
        )


@dataclass(frozen=True, slots=True, repr=False)
class Explanations(Result):
    """Explanations of several measures."""

    explanations: tuple[Explanation, ...]

    def headline(self) -> tuple[str, ...]:
        """The reasons for the queries, if they were chosen."""
        return tuple(line for one in self.explanations for line in one.headline())

    def tables(self, *, places: int = 4) -> list[Table]:
        """The tables of each measure."""
        return [table for one in self.explanations for table in one.tables(places=places)]

    def records(self) -> list[dict[str, Any]]:
        """The rows of each measure."""
        return [row for one in self.explanations for row in one.records()]

    def to_data(self) -> Any:
        """The explanation, or a list of several."""
        data = [one.to_data() for one in self.explanations]
        return data if len(data) > 1 else data[0]


@lru_cache(maxsize=10_000, typed=True)  # runs share gains, discounts and ranks; 1 and True are different cells
def cell_text(value: Any) -> str:
    """Format a number of the arithmetic, with four decimals at most and no trailing zeros."""
    if value is None or value != value:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    return f"{value + 0.0:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def plain_number(value: Any) -> Any:
    """Convert a NumPy number to Python's, and a float that is an integer to int."""
    value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def explain_ideal(measure: Measure, judged: Judged, steps: Trace, depth: int | None) -> Explanation | None:
    """The arithmetic of the ideal ranking of one query; None if the measure has none, or does not divide by its value."""
    if not measure.definition.ideal or not len(judged.pool_grade):
        return None
    own = MEASURES.find(measure.definition.ideal)
    shared = set(own.parameters) - {"judged_only", "tokens"}
    base = Measure(own)(**{name: value for name, value in measure.given if name in shared})
    gains = trace(base, judged.ideal).columns.get("gain")
    if gains is None:
        return None
    ideal = judged.ideal_by(gains[np.argsort(judged.ideal.judgment)])
    best = trace(base, ideal)
    value, divisor = best.value[0], steps.fractions[-1][1][0] if steps.fractions else steps.value[0]
    if not np.isclose(value, divisor, rtol=1e-12, atol=0):
        return None
    useful = max(1, int((best.columns["gain"] > 0).sum()))
    last = min(len(ideal.rank), depth or base.get("cutoff") or useful, useful)
    docs = [""] * last if ideal.pool_doc is None else ideal.pool_doc.take(ideal.judgment[:last]).texts()
    columns, _ = shown_columns(best, ideal)
    numbers = [list(map(plain_number, column[:last])) for column in (ideal.grade, *columns.values())]
    rows = tuple(zip(range(1, last + 1), docs, *numbers, strict=True))
    headers = ("rank", "document", "grade", *columns)
    return Explanation(base, judged.queries[0], value, headers, rows, f"ideal {base} = {value:.6g}", useful - last)


def explain(
    measure: str | Measure,
    qrels: Any,
    run: Any = None,
    query: Id | None = None,
    *,
    rows: int | None = None,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Explanation:
    """Explain the value of one query, with every step of its arithmetic.

    Args:
        measure: the measure.
        qrels: as in `evaluate`; or the labels of one list.
        run: as in `evaluate`; or scores of the labels. Without them, labels are in the order of the ranking.
        query: the query; by default the one whose value is closest to the mean, among those with a relevant document retrieved.
        rows: number of ranks to show.
        level: lowest relevant grade, as in `evaluate`.
        profile: conventions of another tool, see `PROFILES`.
        options: as in `evaluate`.

    >>> print(explain("RR", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q").closing)
    1 / 2 = 0.5
    >>> print(explain("RR", [0, 1]).closing)
    1 / 2 = 0.5
    """
    chosen = find_profile(profile)
    if is_column(qrels):
        lists = lists_of(qrels, run)
        items = [f"item {number}" for number in range(1, len(lists.label) + 1)]
        qrels, run = ({"list": dict(zip(items, column.tolist(), strict=True))} for column in (lists.label, lists.score))
        options = {"ties": "input", **options}  # as in functions of labels and scores
    source = read_and_join(qrels, run, profile, options)
    return explain_query(with_level(chosen.apply(parse(measure), options), level), source, query, rows)


@step("explaining")
def explain_query(
    measure: Measure, source: Provenance, query: Id | None = None, depth: int | None = None
) -> Explanation:
    """Explain the value of one query of a result; of several sets of documents by the one that counts."""
    source = Views(source).of(measure)
    row = _instructive_row(measure, source) if query is None else _row_of(source, query)
    name = source.judged.queries[row]
    if source.alternatives:
        source = chosen(measure, source.select(np.array([row])))
        row = 0
    judged = source.judged.select([row])
    if measure.get("judged_only"):
        judged = condensed(judged)
        source = replace(source, judged=condensed(source.judged))
    value = column(measure, judged, tie_orders(judged))[0]
    judged = in_one_order(judged)
    seen, steps = _trace_all_ranks(measure, judged)
    columns, _ = shown_columns(steps, seen)
    docs, budget = source.documents([row])[0], measure.get("tokens")
    cutoff = measure.get("cutoff") if measure.definition.at == "cutoff" else None
    last = depth or cutoff or max(10, int(judged.rank.max(initial=0)))
    last = int(min(last, (measure.seen(judged) if budget else judged).retrieved[0]))
    counts = None if judged.reading is None or budget is None else judged.reading.tokens
    tokens = [] if counts is None else np.cumsum(counts).tolist()  # down to each rank
    hit_at = {int(r): i for i, r in enumerate(seen.rank)}
    rows: list[tuple[Any, ...]] = []
    for rank in range(1, last + 1):
        grade, cells = "–", [None] * len(columns)
        if (hit := hit_at.get(rank)) is not None:
            cells = [plain_number(c[hit]) for c in columns.values()]
            grade = grade if np.isnan(seen.grade[hit]) else plain_number(seen.grade[hit])
        rows.append((rank, docs[rank - 1], grade, *tokens[rank - 1 : rank], *cells))
    last_sum = float(columns["sum"][-1]) if "sum" in columns and len(seen.rank) else 0.0
    return Explanation(
        measure,
        name,
        value,
        ("rank", "document", "grade", *["tokens so far"][: len(tokens)], *columns),
        tuple(rows),
        closing_line(measure, steps, 0, last_sum, value, judged, bool(is_empty(measure, judged)[0])),
        int(judged.retrieved[0]) - last,
        ideal=explain_ideal(measure, judged, steps, depth),
        chosen=query is None,
    )


def _instructive_row(measure: Measure, source: Provenance) -> int:
    """The query whose value is closest to the mean, among those with a relevant document retrieved; the first of several."""
    judged = source.judged
    retrieved = np.bincount(judged.query[judged.grade > 0], minlength=len(judged)) > 0
    if measure.definition.text or not retrieved.any():
        return int(np.argmax(retrieved))
    values = best_column(measure, source, tie_orders(judged))
    distance = np.where(retrieved & ~np.isnan(values), np.abs(values - mean(values[~np.isnan(values)])), np.inf)
    return int(np.argmin(distance))


def condensed(judged: Judged) -> Judged:
    """The ranking of judged documents only, with a policy that says so."""
    return replace(judged.condensed(), policy=replace(judged.policy, unjudged="condensed"))


def shown_columns(trace: Trace, seen: Judged) -> tuple[dict[str, Column], Column | None]:
    """The columns that the measure named, one value per hit, with the running sum that it closes with; and the terms of that sum.

    Its total is the numerator of the closing fraction, or the value itself; or else it adds up a named column.
    """
    sums, targets = trace.totals[::-1], [*(top for top, _ in trace.fractions[-1:]), trace.value]
    closing = (x for target in targets for x, result in sums if np.array_equal(result, target))
    named = (x for x, _ in sums if any(np.array_equal(x, column) for column in trace.columns.values()))
    terms = next(chain(closing, named), None)
    if terms is None:
        return trace.columns, None
    return {**trace.columns, "sum": seen.running(terms.astype(float))}, terms


def closing_line(
    measure: Measure, trace: Trace, row: int, last_sum: float, value: Any, judged: Judged, empty: bool
) -> str:
    """The last step to the value of a query, and the effect of a policy on it; `empty`: it has no relevant document."""
    in_this_order = trace.value[row]
    closing = trace.closing(row, float(in_this_order) if measure.definition.ideal_only else last_sum)
    if empty and closing.startswith("0 ("):
        closing = "0 (no relevant documents)"
    if measure.definition.summary == "geometric":
        floored = max(float(in_this_order), FLOOR)
        closing += f"; its logarithm {math.log(floored):.4f} enters the mean over queries, of which {measure.name} is the exponential"
    if not judged.answered[row]:
        closing += "; the query is not in the run"
    if value == in_this_order or isinstance(value, str):
        return closing
    if empty and is_settled(measure, judged):
        before = "" if closing.startswith("0 (") else f"{closing}; "
        return f"{before}no relevant documents: {cell_text(float(value)) or 'excluded'} (empty={judged.policy.empty})"
    return f"in this order of ties {closing}; mean over all orders: {value:.6g}"


def _trace_all_ranks(measure: Measure, judged: Judged) -> tuple[Judged, Trace]:
    """Trace the measure on a ranking in which unjudged documents have rows too, unless that changes the value."""
    of_hits = trace(measure, judged)
    everything = _with_unjudged(judged)
    of_ranks = trace(measure, everything)
    return (everything, of_ranks) if of_ranks.value[0] == of_hits.value[0] else (judged, of_hits)


def _with_unjudged(judged: Judged) -> Judged:
    """The ranking with every rank as a hit, down to rank 1,000; a document without a grade is not relevant."""
    depth = min(int(judged.retrieved[0]), 1_000)
    rank = np.union1d(np.arange(1, depth + 1), judged.rank)
    place = np.searchsorted(rank, judged.rank)
    grade, judgment = np.full(len(rank), np.nan), np.full(len(rank), -1)
    grade[place], judgment[place] = judged.grade, judged.judgment
    first, last = rank.copy(), rank.copy()
    first[place], last[place] = judged.tie_first, judged.tie_last
    zeros = np.zeros(len(rank), np.int64)
    return replace(judged, query=zeros, rank=rank, grade=grade, judgment=judgment, tie_first=first, tie_last=last)


def _row_of(source: Provenance, query: Id) -> int:
    queries = source.judged.queries
    if query not in queries:
        problem = f"no query {shown(query)} in the judgments"
        if raw_id(query) in source.run_table.queries.tolist():
            problem = f"query {shown(query)} is in the run, but has no judgments"
        raise UsageError("not-asked", problem, hint=f"choose a judged query such as {some(queries)}", value=query)
    return queries.index(query)


@dataclass(frozen=True, slots=True)
class QueryArithmetic:
    """One query under one measure: one row of cells per judged document that it saw, down to a depth, and the last step."""

    headers: tuple[str, ...]
    ranks: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    closing: str
    hidden: int  # judged documents below the last row
    parts: tuple[float, ...] | None  # what each row adds to the value; None if the value is not a sum over documents


def steps_of(result: Values, measure: Measure, depth: int) -> list[QueryArithmetic]:
    """The arithmetic of each query, in the order of `result.queries`; the result must have its source."""
    assert result.source is not None
    judged = result.source.judged
    if result.source.alternatives:
        judged = chosen(measure, result.source).judged
    judged = condensed(judged) if measure.get("judged_only") else judged
    empty = is_empty(measure, judged)
    judged = in_one_order(judged)
    traced = trace(measure, judged)
    columns, terms = shown_columns(traced, judged)
    cutoff = measure.get("cutoff") if measure.definition.at == "cutoff" else None
    reach = measure.seen(judged).retrieved if measure.get("tokens") else judged.retrieved  # a budget may end it earlier
    inside = judged.within(cutoff) & (judged.rank <= judged.at(reach))
    shown = inside & (judged.rank <= depth)
    below = np.bincount(judged.query[inside & ~shown], minlength=len(judged)).tolist()
    ranks = judged.rank[shown].tolist()
    texts = [list(map(cell_text, x[shown].tolist())) for x in columns.values()]
    cells = list(zip(*texts, strict=True)) or [()] * len(ranks)
    parts = _parts(terms, result[measure], judged, shown)
    last_sum, found = np.zeros(len(judged)), judged.hits > 0
    if "sum" in columns:
        last_sum[found] = columns["sum"][np.cumsum(judged.hits)[found] - 1]
    ends = np.cumsum(np.bincount(judged.query[shown], minlength=len(judged))).tolist()
    arithmetic = []
    for row, value in enumerate(result[measure].tolist()):
        part = slice(ends[row - 1] if row else 0, ends[row])
        closing = closing_line(measure, traced, row, float(last_sum[row]), value, judged, bool(empty[row]))
        own = None if parts is None else tuple(parts[part])
        arithmetic.append(
            QueryArithmetic(tuple(columns), tuple(ranks[part]), tuple(cells[part]), closing, below[row], own)
        )
    return arithmetic


def _parts(summed: Column | None, values: Column, judged: Judged, shown: Column) -> list[float] | None:
    """The share of each shown row in the value of its query, which is proportional to the sum; five decimals."""
    if summed is None or values.dtype.kind != "f":
        return None
    x = summed.astype(float)
    totals = judged.total(x)
    scale = np.divide(values, totals, out=np.zeros(len(judged)), where=totals != 0)
    return [(round(part, 5) or 0) if part else 0 for part in (x * judged.at(scale))[shown].tolist()]
