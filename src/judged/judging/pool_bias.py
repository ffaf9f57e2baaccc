"""Bias of a pool against runs that did not contribute to it: each run in turn, without the judgments that only it brought in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Bools
from judged.core.policy import Duplicates, Order, Policy, Ties
from judged.core.tables import Qrels, decoded
from judged.errors import UsageError
from judged.evaluation.evaluate import evaluate
from judged.io.read import read_qrels
from judged.judging.pool import Pooled, open_runs, top_documents
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.stats.checks import check_count
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number


@dataclass(frozen=True, slots=True)
class RunBias:
    """A run with all judgments, and without those that only it contributed.

    Args:
        run: its name.
        unique: judged documents at its top that no other run has at its top.
        relevant: those of them that are relevant.
        value, value_without: the mean of the measure.
        rank, rank_without: among the runs; the others have their values with all judgments.
    """

    run: str
    unique: int
    relevant: int
    value: float
    value_without: float
    rank: int
    rank_without: int

    @property
    def difference(self) -> float:
        """The value without its contributions minus the value with them."""
        return self.value_without - self.value


@dataclass(frozen=True, slots=True, repr=False)
class PoolBias(Result):
    """Values of runs as if each had not contributed to the pool, by decreasing change."""

    measure: str
    depth: int
    runs: tuple[RunBias, ...]

    def headline(self) -> tuple[str, ...]:
        """Sentences: the largest change, and the number of runs whose rank changes."""
        worst, moved = self.runs[0], sum(r.rank != r.rank_without for r in self.runs)
        if worst.difference == 0:
            return (f"No run depends on its own contributions: {self.measure} is the same without them.",)
        ranks = (
            f"its rank changes from {worst.rank} to {worst.rank_without}"
            if worst.rank != worst.rank_without
            else f"its rank stays {worst.rank}"
        )
        return (
            f"Without its own contributions {worst.run} changes most: {self.measure} {number(worst.value)} to {number(worst.value_without)}, and {ranks}.",
            f"{moved} of {counted(len(self.runs), 'run')} would have another rank. Expect a change of this size for a new run that did not contribute.",
        )

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return one row per run, by decreasing change."""
        headers = ("run", "unique", "relevant", self.measure, "without", "difference", "rank", "rank without")
        rows = tuple(
            (
                r.run,
                str(r.unique),
                str(r.relevant),
                number(r.value, places),
                number(r.value_without, places),
                number(r.difference, places, sign="+"),
                str(r.rank),
                str(r.rank_without),
            )
            for r in self.runs
        )
        key = "unique: judged documents that only this run has among its first documents; without: the value without their judgments"
        return [
            Table(
                headers, rows, title=f"bias of the pool of depth {self.depth}, leaving out one run at a time", key=key
            )
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return one mapping per run."""
        return [
            {
                "run": r.run,
                "unique": r.unique,
                "relevant": r.relevant,
                "value": r.value,
                "value_without": r.value_without,
                "difference": r.difference,
                "rank": r.rank,
                "rank_without": r.rank_without,
            }
            for r in self.runs
        ]

    def to_data(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {"judged": 1, "measure": self.measure, "depth": self.depth, "runs": self.records()}


def pool_bias(
    qrels: Any,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    depth: int = 20,
    level: float | None = None,
    order: Order = "score",
    ties: Ties = "id-desc",
    duplicates: Duplicates = "error",
) -> PoolBias:
    """Check whether a pool is fair to runs that did not contribute to it (Zobel, SIGIR 1998).

    Each run is evaluated again without the judgments of documents that no other run has among its first `depth`: as a new run would be. Ranks
    are among the values that the other runs have with all judgments.

    Args:
        qrels: the judgments.
        runs: two or more runs that contributed to the pool: a list, or {name: run}.
        measure: a measure that is averaged over queries.
        depth: of the pool.
        level: lowest relevant grade.
        order: order of the documents of a run, see `Policy`.
        ties: order of equal scores.
        duplicates: what to do with a document that a ranking has twice.

    >>> found = pool_bias({"q": {"a": 1, "b": 1}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, "P@1")
    >>> [(row.run, row.unique, row.difference) for row in found.runs]
    [('x', 1, -1.0), ('y', 1, -1.0)]
    """
    check_count(depth, "depth")
    chosen = parse(measure)
    if chosen.definition.summary != "mean" or chosen.definition.text:
        raise UsageError(
            "summary",
            f"{chosen} is not averaged over queries",
            hint="choose a measure such as nDCG@10",
            value=str(chosen),
        )
    opened = open_runs(runs)
    if len(opened) < 2:
        raise UsageError("runs", f"the bias of a pool needs two or more runs, got {len(opened)}")
    judgments, names = read_qrels(qrels), list(opened)
    only = _only_contributor(
        judgments, top_documents(opened, depth, Policy(order=order, ties=ties, duplicates=duplicates))
    )
    relevant = judgments.grade >= (1 if level is None else level)
    settings: dict[str, Any] = {"level": level, "order": order, "ties": ties, "duplicates": duplicates}
    values = [evaluate(judgments, opened[name], chosen, **settings).mean() for name in names]
    full = [next(iter(v.values())) for v in values]
    lower = chosen.definition.lower_is_better
    rows = []
    for i, name in enumerate(names):
        unique = only == i
        without = full[i]
        if unique.any():
            [without] = evaluate(_remove(judgments, unique), opened[name], chosen, **settings).mean().values()
        ranks = [1 + sum((v < x if lower else v > x) for k, v in enumerate(full) if k != i) for x in (full[i], without)]
        rows.append(RunBias(name, int(unique.sum()), int((unique & relevant).sum()), full[i], without, *ranks))
    rows.sort(key=lambda row: -abs(row.difference))
    return PoolBias(next(iter(values[0])), depth, tuple(rows))


def _only_contributor(qrels: Qrels, pooled: Pooled) -> Any:
    """Return for each judgment the run that alone contributed the document, as its position; -1 if none or several did."""
    queries, docs = decoded(qrels.queries, qrels.query_kind), decoded(qrels.doc, qrels.doc_kind)
    found = np.full(len(qrels.query), -1)
    for row, (q, doc) in enumerate(zip(qrels.query.tolist(), docs, strict=True)):
        runs = pooled.get(queries[q], {}).get(doc, {})
        if len(runs) == 1:
            [found[row]] = runs
    return found


def _remove(qrels: Qrels, removed: Bools) -> Qrels:
    """Return the judgments without some; a query that would have none keeps one, of an irrelevant document, so that it counts."""
    left = np.bincount(qrels.query[~removed], minlength=len(qrels.queries))
    kept, grade = ~removed, qrels.grade.copy()
    for query in np.unique(qrels.query[left[qrels.query] == 0]).tolist():
        row = int(np.flatnonzero(qrels.query == query)[0])
        kept[row], grade[row] = True, 0.0
    return replace(qrels, grade=grade).take(kept)
