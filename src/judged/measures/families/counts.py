"""Counts of documents and queries."""

from __future__ import annotations

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.measures.families.sets import Collection, all_decisions, relevant_retrieved
from judged.measures.parameters import Cutoff, Level
from judged.measures.registry import measure


@measure(
    "NumQ",
    intuition="NumQ counts the queries that were evaluated. Look at it first: systems are comparable only on the same queries.",
    family="count",
    trec="num_q",
    summary="sum",
    whole=True,
    example=([1, 0, 1], 1),
    formula="1",
)
def number_of_queries(j: Judged) -> Column:
    """Number of queries: 1 for each."""
    return np.ones(len(j))


@measure(
    "NumRet",
    intuition="NumRet counts the documents that the system returned over all queries. Unexpectedly small numbers point to truncated "
    "or incomplete runs.",
    family="count",
    trec="num_ret",
    summary="sum",
    whole=True,
    example=([1, 0, 1], 3),
    formula="retrieved",
)
def number_retrieved(j: Judged) -> Column:
    """Number of documents in the ranking."""
    return j.retrieved


@measure(
    "NumRel",
    intuition="NumRel counts the documents that assessors found relevant. It describes the judgments and not the system: queries with "
    "few of them have coarse values.",
    family="count",
    trec="num_rel",
    summary="sum",
    whole=True,
    example=([1, 0, 1], 2),
    formula="relevant",
)
def number_relevant(j: Judged, *, level: Level = 1) -> Column:
    """Number of relevant documents in the pool."""
    return j.relevant(level)


@measure(
    "NumRelRet",
    intuition="NumRelRet counts the relevant documents that the system found over all queries. Compared with NumRel it shows recall "
    "as plain numbers.",
    family="count",
    aliases=("hits", "TP"),
    trec="num_rel_ret",
    summary="sum",
    whole=True,
    laws={"additive", "cutoff"},
    example=([1, 0, 1], 2),
    formula="relevant retrieved",
)
def number_relevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of relevant documents in the ranking."""
    return relevant_retrieved(j, level, cutoff)


@measure(
    "MeanRelRet",
    intuition="MeanRelRet is the number of relevant documents that a user finds for an average query. It is easy to explain, but "
    "queries with many relevant documents dominate it.",
    family="count",
    laws={"cutoff"},
    example=([1, 0, 1], 2),
    formula="relevant retrieved, averaged over queries",
)
def mean_relevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of relevant documents in the ranking, averaged over queries, like `hits` in ranx."""
    return relevant_retrieved(j, level, cutoff)


@measure(
    "NumNonRelRet",
    intuition="NumNonRelRet counts the documents that the system returned and assessors found useless. Unjudged documents are left "
    "out, so it shows known mistakes only.",
    family="count",
    trec="num_nonrel_judged_ret",
    summary="sum",
    whole=True,
    lower_is_better=True,
    laws={"additive", "cutoff"},
    example=([1, 0, 1], 1),
    formula="judged non-relevant retrieved",
)
def number_nonrelevant_retrieved(j: Judged, *, cutoff: Cutoff = None, level: Level = 1) -> Column:
    """Number of judged non-relevant documents in the ranking."""
    return all_decisions(j, level, None, cutoff).fp


@measure(
    "NumWrongRet",
    intuition="NumWrongRet counts the false alarms: documents that were returned and are not relevant. It suits filters, together "
    "with NumRelRet.",
    family="count",
    aliases=("FP",),
    summary="sum",
    whole=True,
    lower_is_better=True,
    example=([1, 0, 1], 1),
    formula="non-relevant retrieved",
)
def number_wrongly_retrieved(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """Number of non-relevant documents in the ranking: judged ones, or all of the collection."""
    return all_decisions(j, level, collection).fp


@measure(
    "NumRelMissed",
    intuition="NumRelMissed counts the relevant documents that the system did not return at any rank. It suits tasks in which each "
    "miss has a cost, such as legal search.",
    family="count",
    aliases=("FN",),
    summary="sum",
    whole=True,
    lower_is_better=True,
    example=([1, 0, 1], 0),
    formula="relevant not retrieved",
)
def number_relevant_missed(j: Judged, *, level: Level = 1) -> Column:
    """Number of relevant documents that are not in the ranking."""
    return all_decisions(j, level, None).fn


@measure(
    "NumNonRelLeft",
    intuition="NumNonRelLeft counts the useless documents that the system rightly did not return. It completes the four counts of a "
    "confusion table and means little on its own.",
    family="count",
    aliases=("TN",),
    summary="sum",
    whole=True,
    example=([1, 0, 1], 0),
    formula="non-relevant not retrieved",
)
def number_nonrelevant_left(j: Judged, *, level: Level = 1, collection: Collection = None) -> Column:
    """Number of non-relevant documents that are not in the ranking: judged ones, or all of the collection."""
    return all_decisions(j, level, collection).tn
