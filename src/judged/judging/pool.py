"""Make a pool: the documents at the top of several runs, all of them or a sample, to be judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judged.core.find.ranking import ranked_rows
from judged.core.policy import Duplicates, Order, Policy, Ties
from judged.core.resample import whole_seed
from judged.core.tables import Id, Run, decoded
from judged.errors import DataError, UsageError, shown
from judged.io.read import read_qrels, read_run
from judged.io.recognise import named_runs
from judged.io.run_names import short_names
from judged.judging.todo import Todo, TodoItem
from judged.stats.checks import check_count
from judged.tables.text import counted

Pooled = dict[Id, dict[Id, dict[int, int]]]  # query → doc → run → rank


def pool(
    runs: Any,
    depth: int = 20,
    *,
    without: Any = None,
    n: int | None = None,
    sample: Mapping[int, float] | None = None,
    seed: int = 0,
    order: Order = "score",
    ties: Ties = "id-desc",
    duplicates: Duplicates = "error",
) -> Todo:
    """Return the documents at the top of several runs that should be judged: by query, and within a query by their best rank.

    The same runs give the same pool in whatever order they are passed.

    Args:
        runs: a list of runs or {name: run}; each in any format that `read_run` accepts.
        depth: number of documents that each run contributes per query.
        without: judgments; documents that they have are left out.
        n: budget, the largest number of documents. Without `sample` the documents with the best ranks are chosen, over all queries. With it, the
            shares below 1 are reduced by the same factor.
        sample: shares of strata of ranks, by the last rank of each: {10: 1, 100: 0.1} takes all documents whose best rank is at most 10,
            and one in ten of those at ranks 11 to 100. Each document keeps the probability with which it was chosen, so that `estimate` can weight it.
        seed: random seed of the sample.
        order: order of the documents of a run, see `Policy`.
        ties: order of equal scores.
        duplicates: what to do with a document that a ranking has twice.

    >>> todo = pool({"a": {"q": {"d1": 2.0, "d2": 1.0}}, "b": {"q": {"d2": 5.0, "d3": 4.0}}}, depth=1)
    >>> [(item.doc, item.runs) for item in todo]
    [('d1', ('a',)), ('d2', ('b',))]
    """
    check_count(depth, "depth")
    if n is not None:
        check_count(n, "n")
    strata = _check_strata(sample, depth)
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
        what = "every document of the pool is judged" if pooled else "the runs have no documents"
        raise DataError("empty-pool", what, hint="pool deeper, or stop judging" if pooled else "check the paths")
    items.sort(key=lambda item: (_by_id(item.query), item.rank, -len(item.runs), _by_id(item.doc)))
    chosen = _sample(items, strata, n, seed) if strata else items if n is None else _budget(items, n)
    left = len(items) - len(chosen)
    notes = (
        (f"{counted(left, 'document')} of the pool left out by {'the sample' if strata else 'the budget'}",)
        if left
        else ()
    )
    return Todo(tuple(chosen), title=f"pool of {counted(len(names), 'run')}, depth {depth}", notes=notes)


def open_runs(runs: Any) -> dict[str, Run]:
    """Read runs, by name."""
    named = named_runs(runs)
    tables = [read_run(run) for _, run in named]
    names = [name or short for (name, _), short in zip(named, short_names([run.name for run in tables]), strict=True)]
    if len(set(names)) < len(names):
        raise UsageError(
            "runs", f"two runs have the same name: {', '.join(names)}", hint="name them, as in {name: run}"
        )
    return dict(zip(names, tables, strict=True))


def top_documents(runs: Mapping[str, Run], depth: int, policy: Policy) -> Pooled:
    """Return the documents at the top of the runs, by query, with the rank in each run, which is named by its position."""
    pooled: Pooled = {}
    for at, run in enumerate(runs.values()):
        _add_run(pooled, run, at, depth, policy)
    return pooled


def _add_run(pooled: Pooled, run: Run, at: int, depth: int, policy: Policy) -> None:
    """Add the top documents of a run."""
    query, row = ranked_rows(run, policy)
    starts = np.searchsorted(query, np.arange(len(run.queries)))
    rank = np.arange(len(query)) - starts[query] + 1
    top = rank <= depth
    queries = decoded(run.queries, run.query_kind)
    docs = decoded(run.doc.take(row[top]), run.doc_kind)
    for q, doc, r in zip(query[top].tolist(), docs, rank[top].tolist(), strict=True):
        pooled.setdefault(queries[q], {}).setdefault(doc, {})[at] = r


def _budget(items: Sequence[TodoItem], n: int) -> list[TodoItem]:
    """Return the n documents with the best ranks, over all queries; of those at one rank, the ones that more runs retrieved."""
    order = sorted(range(len(items)), key=lambda i: (items[i].rank, -len(items[i].runs), i))
    return [items[i] for i in sorted(order[:n])]


def _sample(items: Sequence[TodoItem], strata: Mapping[int, float], n: int | None, seed: int) -> list[TodoItem]:
    """Return a simple random sample of each stratum of each query; every stratum keeps at least one document."""
    last = sorted(strata)
    groups: dict[tuple[Id, int], list[int]] = {}
    for i, item in enumerate(items):
        groups.setdefault((item.query, next(depth for depth in last if item.rank <= depth)), []).append(i)
    shares = _within_budget(groups, strata, n)
    random = np.random.default_rng(whole_seed(seed))
    chosen = {}
    for (_, depth), members in groups.items():
        count = min(len(members), max(1, math.ceil(shares[depth] * len(members) - 1e-9)))
        for at in random.choice(len(members), count, replace=False).tolist():
            chosen[members[at]] = replace(items[members[at]], stratum=depth, probability=count / len(members))
    return [chosen[i] for i in sorted(chosen)]


def _within_budget(
    groups: Mapping[tuple[Id, int], Sequence[int]], strata: Mapping[int, float], n: int | None
) -> dict[int, float]:
    """Return the shares of the strata, reduced so that the sample has about n documents."""
    size = {depth: sum(len(members) for (_, of), members in groups.items() if of == depth) for depth in strata}
    full = sum(size[depth] for depth, share in strata.items() if share == 1)
    rest = sum(size[depth] * share for depth, share in strata.items() if share < 1)
    if n is None or full + rest <= n:
        return dict(strata)
    if full >= n:
        raise UsageError(
            "pool-budget",
            f"the strata with share 1 have {counted(full, 'document')}, more than the budget of {n}",
            value=n,
            hint="raise the budget, or sample these strata too",
        )
    factor = (n - full) / rest
    return {depth: share if share == 1 else share * factor for depth, share in strata.items()}


def _check_strata(sample: Mapping[int, float] | None, depth: int) -> dict[int, float]:
    """Return the shares by the last rank of each stratum; the last stratum ends at the depth of the pool."""
    if sample is None:
        return {}
    shares: dict[int, float] = {}
    for last, share in sample.items():
        check_count(last, "sample")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
            raise UsageError(
                "strata", f"the share of a stratum must be above 0 and at most 1, got {shown(share)}", value=share
            )
        shares[int(last)] = float(share)
    if not shares or max(shares) != depth:
        problem = f"the last stratum must end at the depth of the pool, {depth}, got {shown(max(shares, default=None))}"
        raise UsageError("strata", problem, hint="write the strata as {last rank: share}, such as {10: 1, 20: 0.5}")
    return shares


def _by_id(id: Any) -> tuple[bool, Any]:
    """Return a key that orders integers by value, before text by bytes."""
    return (False, id) if isinstance(id, int) else (True, str(id).encode("utf-8", "surrogateescape"))
