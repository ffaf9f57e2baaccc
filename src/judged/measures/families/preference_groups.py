"""Preferences of groups of judgments, one group per judge, and the number that a ranking fulfils."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.judged import Judged
from judged.core.pool import Aspects, Pool
from judged.errors import DataError

Among = Literal["all", "retrieved", "implied"]


@dataclass(frozen=True, slots=True)
class PreferenceGroup:
    """Preferences of one judge on one query; documents are in rank order, those not retrieved last."""

    query: int
    doc: Ints  # place among all judged documents of the query, in the same order
    retrieved: int  # number of these documents that were retrieved
    grade: Floats
    prefers: Bools  # row to column
    complete: bool  # one subgroup, hence an order of all documents

    @property
    def relevant(self) -> Bools:
        return self.grade > 0

    @property
    def irrelevant(self) -> Bools:
        return self.grade <= 0 if self.complete else self.grade == 0


def _aspects(j: Judged) -> Aspects:
    assert j.aspects is not None  # `Measure.on` has checked
    return j.aspects


# ── preferences ──────────────────────────────────────────────────────────────────────────────────


def groups(j: Judged) -> Iterator[PreferenceGroup]:
    """Iterate over the preferences of every judge, query by query."""
    aspects = _aspects(j)
    query, place = j.pool_query[aspects.judgment], _places(j)
    turn = (query[1:] != query[:-1]) | (aspects.aspect[1:] != aspects.aspect[:-1])
    edge = np.flatnonzero(np.concatenate([[True], turn, [True]])).tolist() if len(query) else []
    for low, high in pairwise(edge):
        rows, own = slice(low, high), int(query[low])
        doc, at = np.unique(place[aspects.judgment[rows]], return_inverse=True)
        grade = np.empty(len(doc))
        grade[at] = aspects.grade[rows]
        parts = np.unique(aspects.sub[rows])
        if len(parts) == 1:
            prefers = grade[:, None] > grade
        else:
            prefers = _preferences(j, own, at, aspects.sub[rows], aspects.grade[rows])
        yield PreferenceGroup(own, doc, int((doc < j.hits[own]).sum()), grade, prefers, len(parts) == 1)


def _places(j: Judged) -> Ints:
    """Position of each judgment in its query: retrieved documents by rank, then the others by id."""
    rank = np.full(len(j.pool_query), np.inf)
    rank[j.judgment] = j.rank
    by_id = np.arange(len(rank)) if j.pool_doc is None else np.argsort(j.pool_doc.order())
    order = np.lexsort((by_id, rank, j.pool_query))
    place = np.empty_like(order)
    place[order] = np.arange(len(order)) - (np.cumsum(j.judgments) - j.judgments)[j.pool_query[order]]
    return place


def _preferences(j: Judged, query: int, at: Ints, sub: Ints, grade: Floats) -> Bools:
    """Return the preferences of the subgroups, with those that follow by transitivity."""
    size, known = int(at.max()) + 1, -1
    prefers = np.zeros((size, size), bool)
    for part in np.unique(sub):
        rows, level = at[sub == part], grade[sub == part]
        prefers[np.ix_(rows, rows)] |= level[:, None] > level
    while known < (total := int(prefers.sum())):
        known, step = total, prefers.astype(np.float32)
        prefers |= step @ step > 0
    if (prefers & prefers.T).any() or np.isin(at[grade > 0], at[grade == 0]).any():
        raise DataError(
            "preference-conflict",
            f"a judge contradicts themselves in query {j.queries[query]}: a document is both above and below another, "
            "or both relevant and not",
            where=j.names[0],
            hint="put contradicting preferences into different groups",
        )
    return prefers


# ── counting ─────────────────────────────────────────────────────────────────────────────────────


def count_fulfilled(group: PreferenceGroup, among: Among) -> tuple[int, int]:
    """Return the numbers of fulfilled and of possible preferences.

    If one document of a pair is retrieved, it counts as ranked first; if none is, the pair is not fulfilled.
    """
    cut, prefers = group.retrieved, group.prefers
    both, one_way, other_way = prefers[:cut, :cut], prefers[:cut, cut:], prefers[cut:, :cut]
    fulfilled, possible = int(np.triu(both, 1).sum()), int(both.sum())
    if among != "retrieved":
        fulfilled += int(one_way.sum())
        possible += int(one_way.sum() + other_way.sum())
    if among == "all":
        possible += int(prefers[cut:, cut:].sum())
    return fulfilled, possible


def count_balanced(group: PreferenceGroup, among: Among) -> tuple[int, int]:
    """Return the same numbers with as many irrelevant documents as relevant ones, R.

    Missing irrelevant documents are added below all others; of more than R the first R count. If the preferences are a complete
    order, those R are compared with every document, the irrelevant ones and themselves included (as in trec_eval).
    """
    seen = slice(group.retrieved if among == "retrieved" else None)
    extra = int(group.relevant[seen].sum()) - int(group.irrelevant[seen].sum())
    if extra >= 0:
        fulfilled, possible = count_fulfilled(group, among)
        found, relevant = int(group.relevant[: group.retrieved].sum()), int(group.relevant.sum())
        return fulfilled + found * extra, possible + relevant * extra
    if group.complete:
        last = group.grade == group.grade.min()
        prefers = group.prefers & ~last
        prefers[:, last & (np.cumsum(last) <= group.relevant[seen].sum())] = True
    else:
        kept = ~group.irrelevant | (np.cumsum(group.irrelevant) <= group.relevant.sum())
        prefers = group.prefers & kept & kept[:, None]
    return count_fulfilled(replace(group, prefers=prefers), among)


def mean_over_pairs(votes: Floats, retrieved: int, among: Among) -> float:
    """Return the mean, over pairs of documents, of the share of votes that the ranking fulfils."""
    pair = np.triu((votes > 0) | (votes.T > 0))
    seen, other = slice(retrieved), slice(retrieved, None)
    blocks = [(seen, seen), (seen, other), (other, other)][: {"retrieved": 1, "implied": 2, "all": 3}[among]]
    fulfilled = [_shares(votes[block], votes.T[block], pair[block]) for block in blocks[:2]]
    added = np.add.accumulate(np.concatenate([[0.0], *fulfilled]))[-1]
    count = sum(int(pair[block].sum()) for block in blocks)
    return float(added) / count if count else 0.0


def _shares(ours: Floats, others: Floats, pair: Bools) -> Floats:
    return ours[pair] / (ours[pair] + others[pair])


# ── several judges ───────────────────────────────────────────────────────────────────────────────


def judges(j: Judged) -> Iterator[Judged]:
    """Yield the ranking with the judgments of the first judge of each query, then of the second, and so on."""
    aspects = _aspects(j)
    for number in range(int(aspects.aspect.max(initial=-1)) + 1):
        rows = np.flatnonzero(aspects.aspect == number)
        rows = rows[np.lexsort((-aspects.grade[rows], j.pool_query[aspects.judgment[rows]]))]
        grade, place = aspects.grade[rows], np.full(len(j.pool_query), -1)
        place[aspects.judgment[rows]] = np.arange(len(rows))
        hit = place[j.judgment] >= 0
        judgment = place[j.judgment[hit]]
        one = replace(
            j,
            query=j.query[hit],
            rank=j.rank[hit],
            grade=grade[judgment],
            judgment=judgment,
            tie_first=j.tie_first[hit],
            tie_last=j.tie_last[hit],
            pool=Pool(queries=j.queries, query=j.pool_query[aspects.judgment[rows]], grade=grade),
        )
        yield one.condensed() if j.policy.unjudged == "condensed" else one
