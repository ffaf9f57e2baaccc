"""Estimates from judgments of a sample of documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from judged._types import Bools, Column, Floats, Ints
from judged.core import segments
from judged.core.judged import Judged
from judged.core.policy import ESTIMATED
from judged.errors import DataError, UsageError, Warned
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.provenance import raw_id
from judged.evaluation.values import Values
from judged.judging.todo import Todo, TodoItem, read_todo
from judged.measures.gains import discount, gain_of
from judged.measures.registry import Measure
from judged.tables.text import counted

Estimate = Callable[[Measure, "DocumentSample"], Column]


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """Rankings with the weight of each judged document, 1 / the probability with which it was chosen.

    Args:
        judged: the rankings.
        weight: per judgment in the pool; 0 for a document that does not count.
        stratum: per judgment; documents that were drawn together have the same code. -1 for those that were not drawn.
    """

    judged: Judged
    weight: Floats
    stratum: Ints

    @cached_property
    def drawn(self) -> Floats:
        """The number of documents that were drawn from the stratum of each document; 1 for those that were not drawn."""
        sizes = np.bincount(self.stratum + 1, self.weight > 0)
        return np.where(self.stratum < 0, 1.0, sizes[self.stratum + 1])

    @cached_property
    def together(self) -> Floats:
        """1 / the probability of two documents of the stratum, divided by the product of their weights."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (1 - 1 / (self.drawn * self.weight)) / (1 - 1 / self.drawn)
        return np.where((self.drawn > 1) & (self.weight > 0), share, 1.0)

    def of_hits(self, column: Column) -> Column:
        """Return a column of the pool for each hit."""
        return column[self.judged.judgment]

    def relevant(self, level: float) -> Floats:
        """Return the estimated number of relevant documents of each query."""
        j = self.judged
        relevant = (j.pool_grade >= level) & (j.pool_grade >= 0)
        return np.bincount(j.pool_query, self.weight * relevant, minlength=len(j)).astype(np.float64)


def _precision(measure: Measure, s: DocumentSample) -> Column:
    j, cutoff, level = s.judged, measure.get("cutoff"), measure.get("level")
    found = j.total(s.of_hits(s.weight) * (j.is_relevant(level) & j.within(cutoff)))
    return j.ratio(found, j.retrieved if cutoff is None else cutoff)


def _average_precision(measure: Measure, s: DocumentSample) -> Column:
    """Σ over pairs of relevant documents of 1 / (rank of the lower one), weighted by their joint probability; / estimated relevant documents."""
    j, level = s.judged, measure.get("level")
    hit: Bools = j.is_relevant(level) & j.within(measure.get("cutoff"))
    weight, stratum = s.of_hits(s.weight) * hit, s.of_hits(s.stratum)
    above, order = j.running(weight) - weight, np.argsort(stratum, kind="stable")
    same = np.zeros(len(order))  # the weight above in the same stratum
    same[order] = segments.running(weight[order], np.bincount(stratum + 1)) - weight[order]
    above = above + same * (s.of_hits(s.together) - 1)
    return j.ratio(j.total(weight * (1 + above) / j.rank), s.relevant(level))


def _ndcg(measure: Measure, s: DocumentSample) -> Column:
    """Estimated DCG / DCG of the ideal ranking with the estimated number of documents of each gain."""
    j, cutoff = s.judged, measure.get("cutoff")
    settings = {name: measure.get(name) for name in ("gain", "base", "gains", "level")}
    here, pool = (np.maximum(gain_of(grade, **settings, name=j.names[0]), 0.0) for grade in (j.grade, j.pool_grade))
    kind, log_base = measure.get("discount"), measure.get("log_base")
    ours = j.total(np.where(j.within(cutoff), s.of_hits(s.weight) * here / discount(j.rank, kind, log_base), 0.0))
    order = np.lexsort((-pool, j.pool_query))
    last = segments.running(s.weight[order], j.judgments)  # fractional ranks: a document of weight 3 takes three
    depth = int(np.ceil(max(1.0, last.max(initial=1.0)))) + 1
    share = 1 / discount(np.arange(1, depth + 1), kind, log_base)
    share[cutoff or depth :] = 0.0
    curve = np.concatenate([[0.0], np.cumsum(share)])
    worth = np.interp(last, np.arange(depth + 1), curve) - np.interp(
        last - s.weight[order], np.arange(depth + 1), curve
    )
    return j.ratio(ours, np.bincount(j.pool_query[order], pool[order] * worth, minlength=len(j)))


def _without_bias(function: Estimate) -> Estimate:
    """Correct the bias of a ratio by the jackknife: the drawn documents of a query are left out in turn (Shao and Tu 1995), of all queries at once."""

    def corrected(measure: Measure, s: DocumentSample) -> Column:
        whole = function(measure, s)
        rows = np.flatnonzero((s.weight > 1) & (s.drawn > 1))
        counts = np.bincount(s.judged.pool_query[rows], minlength=len(s.judged))
        turn = np.full(len(s.weight), -1)
        turn[rows] = segments.positions(counts)
        fewer = np.where(s.drawn > 1, 1 - 1 / s.drawn, 1.0)
        result = whole.copy()
        for out in (turn == k for k in range(counts.max(initial=0))):
            touched = np.bincount(s.stratum[out] + 1, minlength=int(s.stratum.max()) + 2) > 0
            rest = np.where(touched[s.stratum + 1], s.weight / fewer, s.weight)
            part = function(measure, replace(s, weight=np.where(out, 0.0, rest)))
            query = s.judged.pool_query[out]
            result[query] += (1 - 1 / s.weight[out]) * fewer[out] * (whole - part)[query]
        return result

    return corrected


ESTIMATES: dict[str, Estimate] = {
    "P": _precision,
    "AP": _without_bias(_average_precision),
    "nDCG": _without_bias(_ndcg),
}


_Key = tuple[bytes, bytes]  # ids of a query and a document


def estimate(
    qrels: Any,
    run: Any,
    sample: Any,
    measures: Measures = "P@10 AP nDCG@10",
    *,
    level: float | None = None,
    **options: Unpack[EvaluateOptions],
) -> Values:
    """Estimate measures from judgments of a sampled pool, one value per query; means and intervals are those of `Values`.

    A judged document counts as 1 / the probability with which it was chosen (Horvitz and Thompson 1952). P is unbiased. AP and nDCG are ratios of such sums; the
    jackknife corrects most of their bias. AP counts pairs of relevant documents by their joint probability, as Yilmaz, Kanoulas and Aslam (SIGIR 2008) estimate it from strata. The value of
    a single query varies and may be below 0 or exceed 1; means over queries are what to use. Judged documents that are not in the sample count once.

    Args:
        qrels: judgments by people, of the sampled documents and of any others.
        run: as in `evaluate`.
        sample: the sampled documents, as `pool(…, sample=…)` returned them, or their file.
        measures: P, AP and nDCG, with cutoffs and parameters.
        level: lowest relevant grade.
        options: policies and preparation, as in `evaluate`.

    Raises:
        DataError: no judged document is in the sample.
    """
    result = evaluate(qrels, run, measures, level=level, **options)
    for m in result.measures:
        if m.name not in ESTIMATES:
            raise UsageError(
                "option",
                f"{m.name} cannot be estimated from a sample",
                hint=f"choose from {', '.join(ESTIMATES)}",
                value=str(m),
            )
    assert result.source is not None
    judged, todo = result.source.judged, read_todo(sample)
    keys = _keys(judged)
    missing = len({_key(item) for item in todo}.difference(keys))
    if missing == len(todo):
        raise DataError("option", "no judged document is in the sample", hint="pass the pool that was judged")
    text = f"{missing:,} of {counted(len(todo), 'sampled document')} not judged, counted as not relevant"
    warnings = (Warned("unjudged-run", missing, text),) if missing else ()
    sampled = _document_sample(judged, keys, todo)
    policy = replace(result.policy, prepared=(*result.policy.prepared, f"{ESTIMATED}{counted(len(todo), 'document')}"))
    return replace(
        result,
        columns={str(m): ESTIMATES[m.name](m, sampled) for m in result.measures},
        policy=policy,
        source=None,
        warnings=(*result.warnings, *warnings),
    )


def _document_sample(judged: Judged, keys: Sequence[_Key], todo: Todo) -> DocumentSample:
    """Return the rankings with the weights of the sample."""
    items, strata = {_key(item): item for item in todo}, dict[tuple[bytes, int], int]()
    weight, stratum = np.ones(len(keys)), np.full(len(keys), -1)
    for row, key in enumerate(keys):
        item = items.get(key)
        if item is not None and item.probability < 1:
            weight[row] = 1 / item.probability
            stratum[row] = strata.setdefault((key[0], item.stratum), len(strata))
    return DocumentSample(judged, weight, stratum)


def _keys(judged: Judged) -> list[_Key]:
    """Return the ids of the query and the document of each judgment in the pool."""
    assert judged.pool_doc is not None
    queries = [raw_id(query) for query in judged.queries]
    return list(zip((queries[i] for i in judged.pool_query.tolist()), judged.pool_doc.tolist(), strict=True))


def _key(item: TodoItem) -> _Key:
    return raw_id(item.query), raw_id(item.doc)
