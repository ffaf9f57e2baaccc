"""The arithmetic of one query, rank by rank, recorded while the measure itself computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.core import Id, Judged, Policy, Qrels, Run, Text, join
from judged.engine.column import column, is_empty, is_settled
from judged.engine.table import Table, plain
from judged.engine.ties import Orders
from judged.errors import UsageError, shown
from judged.measures import Measure, parse
from judged.measures.profile import profile as profile_named
from judged.sources import read_qrels, read_run

__all__ = ["Explanation", "at_every_rank", "explain", "explainer"]

Column = NDArray[Any]


@dataclass
class _Trace:
    """What the measure named, added up and divided on its way."""

    columns: dict[str, Column] = field(default_factory=dict)
    totals: list[tuple[Column, Column]] = field(default_factory=list)
    fractions: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class _Traced(Judged):
    """A `Judged` that notes what a formula does with it. Views derived from it do not."""

    trace: _Trace | None = None

    def column(self, name: str, x: Column) -> Column:
        if self.trace is not None and len(x) == len(self.rank):
            self.trace.columns.setdefault(name, x)
        return x

    def total(self, x: Column) -> Column:
        result = super().total(x)
        if self.trace is not None:
            self.trace.totals.append((np.asarray(x), result))
        return result

    def ratio(self, numerator: Column | float, denominator: Column | float) -> Column:
        result = super().ratio(numerator, denominator)
        if self.trace is not None and result.shape == (len(self),):
            top, bottom = np.broadcast_to(numerator, (len(self),)), np.broadcast_to(denominator, (len(self),))
            self.trace.fractions.append((float(top[0]), float(bottom[0])))
        return result

    @property
    def ideal(self) -> Judged:
        return self._untraced().ideal

    def ideal_by(self, value: Column) -> Judged:
        return self._untraced().ideal_by(value)

    def _untraced(self) -> Judged:
        return Judged(**{f.name: getattr(self, f.name) for f in fields(Judged)})


@dataclass(frozen=True, slots=True)
class Explanation:
    """One query under one measure: a row for each rank, then the closing line."""

    measure: Measure
    query: Id
    value: Any
    headers: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    closing: str
    hidden: int = 0  # documents below the last row

    def table(self) -> Table:
        notes = [self.closing, f"{self.measure}: {self.measure.definition.formula}"]
        if self.hidden:
            notes.insert(0, f"… and {self.hidden} more document{'s' * (self.hidden > 1)}")
        rows = tuple(tuple(_cell(value) for value in row) for row in self.rows)
        return Table(self.headers, rows, title=f"{self.measure} of query {self.query}", notes=tuple(notes), words=(1,))

    def __str__(self) -> str:
        return plain(self.table())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def explainer(qrels: Qrels, run: Run, policy: Policy) -> Callable[[Measure, Id, int | None], Explanation]:
    """`explain` for these judgments and this run."""
    return lambda measure, query, depth: _explained(measure, qrels, run, query, policy, depth)


def explain(
    measure: str | Measure, qrels: Any, run: Any, query: Id, *, depth: int | None = None, profile: str = "trec_eval-10",
    **policy: Any,
) -> Explanation:  # fmt: skip
    """The value of one query with every step that led to it.

    >>> print(explain("RR", {"q": {"a": 1}}, {"q": ["b", "a"]}, "q").closing)
    1 / 2 = 0.5
    """
    chosen = profile_named(profile)
    rules = Policy(**{**chosen.policy, **policy})
    return _explained(chosen.apply(parse(measure)), read_qrels(qrels), read_run(run), query, rules, depth)


def _explained(measure: Measure, qrels: Qrels, run: Run, query: Id, policy: Policy, depth: int | None) -> Explanation:
    judged = _one(qrels, run, query, policy)
    if measure.get("judged_only"):
        judged = replace(judged.condensed(), policy=replace(policy, unjudged="condensed"))
    value = column(measure, judged, Orders(judged) if policy.ties == "expected" else None)[0]
    judged = judged.under(policy) if policy.ties == "expected" else judged  # one order of the ties stands for all
    seen, trace, in_this_order = _recorded(measure, judged)
    columns = dict(trace.columns)
    main = _main_sum(trace, in_this_order)
    if main is not None:
        columns["sum"] = seen.running(main.astype(float))
    docs, last = _documents(run, judged), _last_row(measure, judged, depth)
    at_rank = {int(r): i for i, r in enumerate(seen.rank)}
    rows: list[tuple[Any, ...]] = []
    for rank in range(1, last + 1):
        hit = at_rank.get(rank)
        cells = [None] * len(columns) if hit is None else [_number(c[hit]) for c in columns.values()]
        grade = "–" if hit is None or np.isnan(seen.grade[hit]) else _number(seen.grade[hit])
        rows.append((rank, docs[rank - 1], grade, *cells))
    closing = _closing(trace, in_this_order, columns["sum"][-1] if main is not None and len(main) else 0.0)
    return Explanation(
        measure, query, value, ("rank", "document", "grade", *columns), tuple(rows),
        _with_policies(closing, value, in_this_order, measure, judged), int(judged.retrieved[0]) - last,
    )  # fmt: skip


def _recorded(measure: Measure, judged: Judged) -> tuple[Judged, _Trace, Any]:
    """What the measure does, on a ranking in which unjudged documents have a row too where that changes nothing."""
    plain_value = measure.on(judged)[0]
    for seen in (_with_unjudged(judged), judged):
        trace = _Trace()
        params = tuple(given for given in measure.given if given[0] != "judged_only")
        traced = _Traced(**{f.name: getattr(seen, f.name) for f in fields(Judged)}, trace=trace)
        value = Measure(measure.definition, params).on(traced)[0]
        if value == plain_value:
            break
    return seen, trace, plain_value


def _with_unjudged(judged: Judged) -> Judged:
    """Every rank as a hit (the first thousand): a document without a grade is relevant to nothing."""
    depth = min(int(judged.retrieved[0]), 1_000)
    rank = np.union1d(np.arange(1, depth + 1), judged.rank)
    place = np.searchsorted(rank, judged.rank)
    grade, judgment = np.full(len(rank), np.nan), np.full(len(rank), -1)
    grade[place], judgment[place] = judged.grade, judged.judgment
    first, last = rank.copy(), rank.copy()
    first[place], last[place] = judged.tie_first, judged.tie_last
    zeros = np.zeros(len(rank), np.int64)
    return replace(judged, query=zeros, rank=rank, grade=grade, judgment=judgment, tie_first=first, tie_last=last)


def _with_policies(closing: str, value: Any, in_this_order: Any, measure: Measure, judged: Judged) -> str:
    """The closing line, and what a policy made of the value."""
    if not judged.answered[0]:
        closing += "; the run does not answer this query"
    if value == in_this_order or isinstance(value, str):
        return closing
    if is_settled(measure, judged) and is_empty(measure, judged)[0]:
        return f"{closing}; no relevant document: {_cell(float(value)) or 'left out'} by the policy empty={judged.policy.empty}"
    return f"in this order of the ties {closing}; the mean over all their orders is {value:.6g}"


def at_every_rank(
    measures: list[Measure], qrels: Any, run: Any, query: Id, *, depth: int | None = None,
    profile: str = "trec_eval-10", **policy: Any,
) -> Table:  # fmt: skip
    """Each measure at every cutoff: one row a rank."""
    chosen = profile_named(profile)
    for m in measures:
        if m.definition.at != "cutoff":
            raise UsageError("cutoff", "measures that take a cutoff", got=str(m), value=str(m))
    ranking = read_run(run)
    judged = _one(read_qrels(qrels), ranking, query, Policy(**{**chosen.policy, **policy}))
    docs = _documents(ranking, judged)
    last = min(len(docs), depth or len(docs))
    grade = dict(zip(judged.rank.tolist(), judged.grade.tolist(), strict=True))
    rows = [
        (
            str(k),
            docs[k - 1],
            _cell(grade.get(k, "–")),
            *(f"{(chosen.apply(m) @ k).on(judged)[0]:.4f}" for m in measures),
        )
        for k in range(1, last + 1)
    ]
    return Table(
        ("k", "document", "grade", *map(str, measures)), tuple(rows), title=f"query {query} at every cutoff", words=(1,)
    )


def _one(qrels: Qrels, run: Run, query: Id, policy: Policy) -> Judged:
    judged = join(qrels, run, policy)
    if query not in judged.queries:
        some = ", ".join(shown(q) for q in judged.queries[:3])
        where = ", which the run answers but nobody judged" if _raw(query) in run.queries.tolist() else ""
        raise UsageError("no-query", f"a judged query such as {some}", got=f"{shown(query)}{where}", value=query)
    return judged.select([judged.queries.index(query)])


def _documents(run: Run, judged: Judged) -> list[str]:
    """The documents of a one-query `Judged` in its order, unjudged ones included.

    The same join ranks them against judgments that hold every document; each one's grade is its row.
    """
    assert judged.pool_doc is not None
    known = [judged.pool_doc[int(i)] for i in judged.judgment]
    if judged.policy.unjudged == "condensed":
        return [_text(doc) for doc in known]
    raw = _raw(judged.queries[0])
    ids = run.queries.tolist()
    rows = np.flatnonzero(run.query == ids.index(raw)) if raw in ids else np.empty(0, np.int64)
    if not len(rows):
        return []
    one = replace(run, queries=Text.of([raw]), query=np.zeros(len(rows), np.int64), doc=run.doc.take(rows),
                  score=run.score[rows], rank=None if run.rank is None else run.rank[rows], warnings=())  # fmt: skip
    everything = Qrels(
        name="all", queries=one.queries, query=one.query, doc=one.doc, grade=np.arange(len(rows), dtype=float),
        query_kind=run.query_kind, doc_kind=run.doc_kind,
    )  # fmt: skip
    ties = judged.policy.ties if judged.policy.ties in ("id-asc", "input") else "id-desc"
    full = join(everything, one, replace(judged.policy, ties=ties, rejudged="max"))
    ranked = [one.doc[int(row)] for row in full.grade]
    seen = set(known)
    others = iter([doc for doc in ranked if doc not in seen])
    taken = dict(zip(judged.rank.tolist(), known, strict=True))
    return [_text(taken.get(rank) or next(others)) for rank in range(1, len(ranked) + 1)]


def _raw(query: Id) -> bytes:
    return str(query).encode("utf-8", "surrogateescape")


def _text(doc: bytes) -> str:
    return doc.decode("utf-8", "replace")


def _number(value: Any) -> Any:
    value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _main_sum(trace: _Trace, value: Any) -> Column | None:
    """The column whose sum is the numerator of the closing fraction, or the value itself."""
    targets = [trace.fractions[-1][0]] if trace.fractions else []
    for target in [*targets, value]:
        for x, result in reversed(trace.totals):
            if len(result) == 1 and result[0] == target:
                return x
    return next((x for x, _ in reversed(trace.totals) if any(x is column for column in trace.columns.values())), None)


def _last_row(measure: Measure, judged: Judged, depth: int | None) -> int:
    cutoff = measure.get(measure.definition.at) if measure.definition.at == "cutoff" else None
    wanted = depth or cutoff or max(10, int(judged.rank.max(initial=0)))
    return int(min(wanted, judged.retrieved[0]))


def _closing(trace: _Trace, value: Any, last_sum: float) -> str:
    if isinstance(value, str):
        return f"= {value}"
    if trace.fractions:
        top, bottom = trace.fractions[-1]
        if (top / bottom if bottom else 0.0) == value:
            return f"{top:.6g} / {bottom:.6g} = {value:.6g}"
    return f"= {value:.6g}" if last_sum in (0.0, value) else f"sum {last_sum:.6g}, value {value:.6g}"
