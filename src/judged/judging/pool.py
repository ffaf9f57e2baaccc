"""`pool`: the documents to judge of several runs; and whether the pool favours the runs that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from judged._types import Bools
from judged.core import segments
from judged.core.policy import Duplicates, Order, Policy, Ties
from judged.core.reference import ranked_rows
from judged.core.tables import Id, Qrels, Run, decoded
from judged.errors import DataError, UsageError
from judged.evaluation.evaluate import evaluate
from judged.io.read import read_qrels, read_run
from judged.io.recognise import named_runs
from judged.io.run_names import short_names
from judged.judging.todo import Todo, TodoItem
from judged.measures.registry import Measure, parse_averaged
from judged.stats.checks import check_count
from judged.tables.result import RecordTable
from judged.tables.table import counted

Pooled = dict[Id, dict[Id, dict[int, int]]]  # query → doc → run → rank


def pool(
    runs: Any,
    depth: int = 20,
    *,
    without: Any = None,
    n: int | None = None,
    order: Order = "score",
    ties: Ties = "id-desc",
    duplicates: Duplicates = "error",
) -> Todo:
    """Return the top documents of several runs, to be judged: by query, and within a query by their best rank.

    The order of the runs does not change the pool.

    Args:
        runs: a list of runs or {name: run}; each in any format that `read_run` accepts.
        depth: number of documents that each run contributes per query.
        without: judgments of documents to leave out.
        n: maximum number of documents: those with the best ranks over all queries.
        order: order of the documents of a run, see `Policy`.
        ties: order of equal scores.
        duplicates: what to do with duplicate documents in a ranking.

    >>> todo = pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 5.0, "d3": 4.0}}}, depth=1)
    >>> [(item.doc, item.runs) for item in todo]
    [('d1', ('a',)), ('d2', ('b',))]
    """
    check_count(depth, "depth")
    if n is not None:
        check_count(n, "n")
    opened = open_runs(runs)
    names, pooled = list(opened), top_documents(opened, depth, Policy(order=order, ties=ties, duplicates=duplicates))
    judged = {} if without is None else read_qrels(without).to_dict()
    items = [
        TodoItem(query, doc, min(ranks.values()), tuple(sorted(names[i] for i in ranks)))
        for query, docs in pooled.items()
        for doc, ranks in docs.items()
        if doc not in judged.get(query, ())
    ]
    if not items:
        raise DataError("runs", "the pool has no unjudged document", hint="pool deeper, or stop judging")
    items.sort(key=lambda item: (_by_id(item.query), item.rank, -len(item.runs), _by_id(item.doc)))
    chosen = items
    if n is not None:
        best = sorted(range(len(items)), key=lambda i: (items[i].rank, -len(items[i].runs), i))  # over all queries
        chosen = [items[i] for i in sorted(best[:n])]
    left = len(items) - len(chosen)
    notes = (f"{counted(left, 'document')} of the pool left out",) if left else ()
    return Todo(tuple(chosen), title=f"pool of {counted(len(names), 'run')}, depth {depth}", notes=notes)


def open_runs(runs: Any) -> dict[str, Run]:
    """Read runs, by name."""
    named = named_runs(runs)
    tables = [read_run(run) for _, run in named]
    shorter = short_names([run.name for run in tables])  # all different
    return {name or short: run for (name, _), short, run in zip(named, shorter, tables, strict=True)}


def top_documents(runs: Mapping[str, Run], depth: int, policy: Policy) -> Pooled:
    """Return the documents at the top of the runs, by query, with the rank in each run, which is named by its position."""
    pooled: Pooled = {}
    for at, run in enumerate(runs.values()):
        query, row = ranked_rows(run, policy)
        rank = segments.ranks(np.bincount(query))
        top = rank <= depth
        queries = decoded(run.queries, run.query_kind)
        docs = decoded(run.doc.take(row[top]), run.doc_kind)
        for q, doc, r in zip(query[top].tolist(), docs, rank[top].tolist(), strict=True):
            pooled.setdefault(queries[q], {}).setdefault(doc, {})[at] = r
    return pooled


def _by_id(id: Any) -> tuple[bool, Any]:
    """Return a key that orders integers by value, before text by bytes."""
    return (False, id) if isinstance(id, int) else (True, str(id).encode("utf-8", "surrogateescape"))


def pool_bias(
    qrels: Any,
    runs: Any,
    measure: str | Measure = "nDCG@10",
    *,
    depth: int = 20,
    level: float | None = None,
) -> RecordTable:
    """Check whether a pool is fair to runs that did not contribute to it (Zobel, SIGIR 1998).

    Each run is evaluated again as a new run would be: without the judgments of documents that no other run has among its first `depth`. Its
    ranks are those among the values of the other runs with all judgments. Runs are listed by decreasing change.

    Args:
        qrels: the judgments.
        runs: two or more runs that contributed to the pool: a list, or {name: run}.
        measure: a measure that is averaged over queries.
        depth: depth of the pool.
        level: lowest relevant grade.

    >>> found = pool_bias({"q": {"a": 1, "b": 1}}, {"x": {"q": ["a"]}, "y": {"q": ["b"]}}, "P@1")
    >>> found["run"], found["unique"], found["difference"]
    (('x', 'y'), (1, 1), (-1.0, -1.0))
    """
    check_count(depth, "depth")
    chosen = parse_averaged(measure)
    opened = open_runs(runs)
    if len(opened) < 2:
        raise UsageError("runs", f"the bias of a pool needs two or more runs, got {len(opened)}")
    judgments, names = read_qrels(qrels), list(opened)
    only = _only_contributor(judgments, top_documents(opened, depth, Policy()))
    relevant = judgments.grade >= (1 if level is None else level)
    full = [next(iter(evaluate(judgments, opened[name], chosen, level=level).mean().values())) for name in names]
    lower = chosen.definition.lower_is_better
    rows: list[dict[str, Any]] = []
    for i, name in enumerate(names):
        unique = only == i
        without = full[i]
        if unique.any():
            [without] = evaluate(_remove(judgments, unique), opened[name], chosen, level=level).mean().values()
        ranks = [1 + sum((v < x if lower else v > x) for k, v in enumerate(full) if k != i) for x in (full[i], without)]
        rows.append(
            {
                "run": name,
                "unique": int(unique.sum()),
                "relevant": int((unique & relevant).sum()),
                "value": full[i],
                "value_without": without,
                "difference": without - full[i],
                "rank": ranks[0],
                "rank_without": ranks[1],
            }
        )
    rows.sort(key=lambda row: -abs(row["difference"]))
    title = f"bias of the pool of depth {depth} by {chosen}, leaving out one run at a time"
    return RecordTable.of(rows, words=("run",), title=title, notes=_ABOUT_BIAS)


_ABOUT_BIAS = (
    "unique: judged documents that only this run has among its first documents; value_without: the value without their judgments",
    "expect a change of this size for a new run that did not contribute to the pool",
)


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
