"""Documents to judge next: the unjudged ones, what they can change, and the order in which strategies choose them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.judged_views import repeat_queries, with_judgments
from judged.core.resample import generator
from judged.core.tables import Id
from judged.errors import Hint, UsageError
from judged.evaluation.measuring import column
from judged.evaluation.provenance import Provenance, in_one_order
from judged.judging.todo import Todo, TodoItem
from judged.measures.registry import Measure
from judged.registry import Registry
from judged.stats.checks import check_count
from judged.steps import step
from judged.tables.text import number


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Unjudged documents of the same queries in several runs.

    Args:
        queries: ids of the queries.
        query: of each document, a position in `queries`.
        doc: its id.
        rank: documents × runs; 0 if the run did not retrieve it within the depth.
    """

    queries: Sequence[Id]
    query: Ints
    doc: tuple[str, ...]
    rank: Ints

    def __len__(self) -> int:
        return len(self.doc)

    def take(self, rows: Ints) -> Unjudged:
        """Return some of the documents."""
        return Unjudged(self.queries, self.query[rows], tuple(self.doc[row] for row in rows), self.rank[rows])


def find_unjudged(sources: Sequence[Provenance], depth: int) -> Unjudged:
    """Return the documents without a grade in the first `depth` ranks of any run.

    Raises:
        UsageError: a run is not available as a whole, unjudged documents do not count, or judgments have subtopics.
    """
    queries = sources[0].judged.queries
    found: dict[tuple[int, str], list[int]] = {}
    for at, source in enumerate(sources):
        judged = source.judged
        if not source.is_local or judged.pool_doc is None:
            raise UsageError(
                "unjudged-run",
                "unjudged documents need judgments and runs in memory, not saved results or partitions",
                hint="pass judgments and runs",
            )
        if judged.policy.unjudged == "condensed":
            raise UsageError(
                "unjudged-run",
                "unjudged documents do not count under unjudged='condensed'",
                hint=Hint("omit {unjudged}", unjudged=None),
            )
        if source.alternatives or not judged.pool.one_aspect:
            raise UsageError(
                "unjudged-run",
                "documents to judge next are not chosen by subtopics or alternative sets",
                hint="use judgments with one grade per document",
            )
        known: list[set[str]] = [set() for _ in queries]
        for query, doc in zip(judged.pool_query.tolist(), judged.pool_doc.texts(), strict=True):
            known[query].add(doc)
        for query, docs in enumerate(source.documents(range(len(queries)), depth)):
            for rank, doc in enumerate(docs, 1):
                if doc not in known[query]:
                    found.setdefault((query, doc), [0] * len(sources))[at] = rank
    order = sorted(found, key=lambda key: (key[0], min(rank for rank in found[key] if rank), key[1]))
    ranks = np.array([found[key] for key in order], np.int64).reshape(len(order), len(sources))
    return Unjudged(queries, np.array([query for query, _ in order], np.int64), tuple(doc for _, doc in order), ranks)


def possible_changes(measure: Measure, judged: Sequence[Judged], docs: Unjudged, grade: float) -> Floats:
    """Return documents × runs: the value of the query if the document has this grade, less its value if it has grade 0."""
    changes = np.zeros(docs.rank.shape)
    for run, j in enumerate(judged):
        one = repeat_queries(in_one_order(j), docs.query)  # each document is alone in its own copy of the query
        grades = [np.full(len(docs), each) for each in (float(grade), 0.0)]
        graded = with_judgments(one, np.arange(len(docs)), docs.rank[:, run], grades)
        high, low = (np.asarray(column(measure, each, None), float) for each in graded)
        changes[:, run] = high - low
    return np.nan_to_num(changes)


def values_if(measure: Measure, judged: Judged, docs: Unjudged, rank: Ints, grade: Floats) -> Floats:
    """Return the value of every query, as if each document had its grade."""
    one = in_one_order(judged)
    [more] = with_judgments(one, docs.query, rank, [grade])
    return np.asarray(column(measure, more, None), float)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Input of a strategy.

    Args:
        docs: the unjudged documents.
        change: documents × runs: what the highest grade changes in the value of the query, compared with grade 0.
        judged: the rankings of each run.
        level: lowest relevant grade.
        random: generator of the random strategy.
    """

    docs: Unjudged
    change: Floats
    judged: tuple[Judged, ...]
    level: float
    random: np.random.Generator

    @property
    def effect(self) -> Floats:
        """The largest change that each document can make to a difference between two means; of a single run, to its mean."""
        spread = np.ptp(self.change, axis=1) if self.change.shape[1] > 1 else np.abs(self.change[:, 0])
        return np.asarray(spread / max(len(self.docs.queries), 1))

    @property
    def best_rank(self) -> Floats:
        """The best rank of each document in any run."""
        return np.where(self.docs.rank > 0, self.docs.rank, np.inf).min(axis=1, initial=np.inf)


@dataclass(frozen=True, slots=True)
class Strategy:
    """A priority per document, the highest first; equal ones by the best rank."""

    name: str
    priority: Callable[[Candidates], Floats]
    text: str
    aliases: tuple[str, ...] = ()
    paper: str = ""


STRATEGIES = Registry[Strategy]("strategy")
DEFAULT = "depth"  # differences are nearest to those of the whole pool, see docs/explanations/judging.md


def _add(name: str, text: str, priority: Callable[[Candidates], Floats], *aliases: str, paper: str = "") -> None:
    STRATEGIES.add(Strategy(name, priority, text, aliases, paper))


def _chance_of_relevance(c: Candidates) -> Floats:
    """Estimate the probability that each document is relevant: the share among judged documents of about the same rank, in all runs."""
    edges = 2 ** np.arange(1, 12)  # ranks 1, 2-3, 4-7, 8-15 …
    rank = np.concatenate([j.rank for j in c.judged])
    relevant = np.concatenate([j.is_relevant(c.level) for j in c.judged])
    stratum = np.digitize(rank, edges)
    hits, all_ = (np.bincount(stratum, weights=w, minlength=len(edges) + 1) for w in (relevant, np.ones(len(rank))))
    share = (hits + 1) / (all_ + 2)  # Laplace
    return np.asarray(share[np.digitize(np.minimum(c.best_rank, 1e9), edges)])


def _move_to_front(c: Candidates) -> Floats:
    """Prefer the runs whose last judged documents were relevant (Cormack, Palmer and Clarke 1998).

    The priority of a run for a query falls by one for each document that is not relevant since its last relevant one.
    """
    priority = np.full(len(c.docs), -np.inf)
    for run, j in enumerate(c.judged):
        relevant = j.is_relevant(c.level)
        last, misses = np.zeros(len(j)), np.zeros(len(j))
        np.maximum.at(last, j.query[relevant], j.rank[relevant])
        np.add.at(misses, j.query, ~relevant & (j.rank > j.at(last)))
        inside = c.docs.rank[:, run] > 0
        priority[inside] = np.maximum(priority[inside], -misses[c.docs.query[inside]])
    return priority


_add("bounds", "documents that can move the difference between the runs most", lambda c: c.effect)
_add(
    "expected",
    "the same, times the chance that the document is relevant",
    lambda c: c.effect * _chance_of_relevance(c),
    "expected-change",
)
_add(
    "move-to-front",
    "documents of runs whose last judged documents were relevant",
    _move_to_front,
    "mtf",
    paper="cormack1998",
)
_add("depth", "documents with the best ranks", lambda c: -c.best_rank, "rank")
_add("random", "documents in random order", lambda c: c.random.random(len(c.docs)))


DEPTH = 100  # of measures without a cutoff


def depth_of(measure: Measure, depth: int | None) -> int:
    """Return the depth that is searched for unjudged documents: the cutoff of the measure, unless the caller chose one."""
    if depth is not None:
        return check_count(depth, "depth")
    cutoff: Any = measure.get("cutoff")
    return DEPTH if cutoff is None else int(cutoff)


def next_documents(
    names: Sequence[str],
    sources: Sequence[Provenance],
    measure: Measure,
    n: int = 50,
    *,
    strategy: str | None = None,
    depth: int | None = None,
    seed: int = 0,
) -> Todo:
    """Return the n unjudged documents that should be judged first, with what each can change.

    Args:
        names: of the runs.
        sources: judgments and run of each.
        measure: the measure by which the runs are compared.
        n: number of documents.
        strategy: order of the documents, see `STRATEGIES`. [default: depth]
        depth: ranks that are searched. [default: the cutoff of the measure, or 100]
        seed: random seed of the strategy `random`.
    """
    docs, effect = choose_documents(sources, measure, n, strategy=strategy, depth=depth, seed=seed)
    what = "difference" if len(names) > 1 else "mean"
    items = []
    for query, doc, ranks, change in zip(docs.query.tolist(), docs.doc, docs.rank.tolist(), effect, strict=True):
        runs = tuple(sorted(name for name, rank in zip(names, ranks, strict=True) if rank))
        best = min(rank for rank in ranks if rank)
        reason = f"can move the {what} by {number(change)}"
        items.append(TodoItem(docs.queries[query], doc, best, runs, reason=reason))
    title = f"what to judge next for {measure}, by {STRATEGIES.find(strategy or DEFAULT).name}" if items else ""
    return Todo(tuple(items), title=title)


@step("choosing documents")
def choose_documents(
    sources: Sequence[Provenance],
    measure: Measure,
    n: int,
    *,
    strategy: str | None = None,
    depth: int | None = None,
    seed: int = 0,
) -> tuple[Unjudged, Floats]:
    """Return the n documents with their ranks in each run, and how far each can move the difference between two runs; see `next_documents`."""
    check_count(n, "n")
    chosen = STRATEGIES.find(strategy or DEFAULT)
    docs = find_unjudged(sources, depth_of(measure, depth))
    if not len(docs):
        return docs, np.zeros(0)
    judged = tuple(source.judged for source in sources)
    level: Any = measure.get("level")
    candidates = Candidates(
        docs, possible_changes(measure, judged, docs, highest_grade(judged)), judged, level or 1, generator(seed)
    )
    priority, effect = chosen.priority(candidates), candidates.effect
    order = np.lexsort((np.arange(len(docs)), candidates.best_rank, -effect, -priority))[:n]
    return docs.take(order), effect[order]


def highest_grade(judged: Sequence[Any]) -> float:
    """Return the highest grade that was given; 1 if none is above it."""
    return max(1.0, *(float(j.pool_grade.max(initial=0)) for j in judged))
