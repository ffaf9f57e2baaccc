"""Estimate P, AP and nDCG from judgments of a sampled pool: each judged document stands for all that it was drawn from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from judged._types import Bools, Column, Floats, Ints
from judged.core.judged import Judged
from judged.core.numeric import segments_reference as segment
from judged.errors import DataError, UsageError
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.result.source import raw_id
from judged.evaluation.result.values import Values
from judged.judging.todo import read_todo
from judged.measures.gains import discount, gain_of
from judged.measures.registry import Measure

_ESTIMATED = "estimated from a sampled pool"


@dataclass(frozen=True, slots=True)
class _Sample:
    """Rankings with the weight of each judged document, 1 / the probability with which it was chosen.

    Args:
        judged: the rankings.
        weight: per judgment in the pool.
        stratum: per judgment; documents of one query and one stratum were drawn together. 0 for those that were not drawn.
        together: per judgment: the weight of two documents of the stratum, divided by the product of their weights.
    """

    judged: Judged
    weight: Floats
    stratum: Ints
    together: Floats

    def relevant(self, level: float) -> Floats:
        """Return the estimated number of relevant documents of each query."""
        j = self.judged
        relevant = (j.pool_grade >= level) & (j.pool_grade >= 0)
        return np.bincount(j.pool_query, self.weight * relevant, minlength=len(j)).astype(np.float64)

    def of_hits(self, column: Column) -> Column:
        """Return a column of the pool for each hit."""
        return column[self.judged.judgment]


def estimate(
    qrels: Any, run: Any, sample: Any, measures: Measures = "P@10 AP nDCG@10", *, level: float | None = None, **options: Unpack[EvaluateOptions]
) -> Values:  # fmt: skip
    """Estimate measures from judgments of a sampled pool, one value per query; means and intervals are those of `Values`.

    A judged document counts as 1 / the probability with which it was chosen (Horvitz and Thompson 1952). P is unbiased. AP and nDCG are ratios of such sums, with
    a small bias; AP counts pairs of relevant documents by their joint probability, as Yilmaz, Kanoulas and Aslam (SIGIR 2008) estimate it from strata. The value of
    a single query varies and may exceed 1; means over queries are what to use. Judged documents that are not in the sample count once.

    Args:
        qrels: judgments of the sampled documents.
        run: as in `evaluate`.
        sample: the pool that was judged, as `pool(…, sample=…)` returned it, or its file.
        measures: P, AP and nDCG, with cutoffs and parameters.
        level: lowest relevant grade.
        options: policies and preparation, as in `evaluate`.
    """
    result = evaluate(qrels, run, measures, level=level, **options)
    todo = read_todo(sample)
    for m in result.measures:
        if m.name not in _ESTIMATES:
            raise UsageError("estimate", f"{m.name} cannot be estimated from a sample", hint=f"choose from {', '.join(_ESTIMATES)}", value=str(m))  # fmt: skip
    assert result.source is not None
    drawn = _weigh(result.source.judged, todo)
    columns = {str(m): _ESTIMATES[m.name](m, drawn) for m in result.measures}
    policy = replace(result.policy, prepared=(*result.policy.prepared, _ESTIMATED))
    return replace(result, columns=columns, policy=policy, source=None)


def _weigh(judged: Judged, todo: Any) -> _Sample:
    """Return the rankings with the weights of the sample.

    Raises:
        DataError: no judged document is in the sample.
    """
    assert judged.pool_doc is not None
    entry = {(raw_id(item.query), raw_id(item.doc)): item for item in todo}
    queries = [raw_id(query) for query in judged.queries]
    keys = zip((queries[i] for i in judged.pool_query.tolist()), judged.pool_doc.tolist(), strict=True)
    items = [entry.get(key) for key in keys]
    if not any(items):
        raise DataError("estimate", "no judged document is in the sample", hint="pass the pool that was judged")
    drawn: dict[tuple[Any, int], int] = {}
    for item in todo:
        drawn[item.query, item.stratum] = drawn.get((item.query, item.stratum), 0) + 1
    weight = np.array([1.0 if item is None else 1 / item.probability for item in items])
    stratum = np.array([0 if item is None else item.stratum for item in items])
    size = np.array(
        [1 if item is None else drawn[item.query, item.stratum] for item in items], float
    )  # drawn from the stratum
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.where(size > 1, (1 - 1 / (size * weight)) / (1 - 1 / size), 1.0)
    return _Sample(judged, weight, stratum, together)


def _precision(measure: Measure, s: _Sample) -> Column:
    j, cutoff, level = s.judged, measure.get("cutoff"), measure.get("level")
    found = j.total(s.of_hits(s.weight) * (j.is_relevant(level) & j.within(cutoff)))
    return j.ratio(found, j.retrieved if cutoff is None else cutoff)


def _average_precision(measure: Measure, s: _Sample) -> Column:
    """Σ over pairs of relevant documents of 1 / (rank of the lower one), weighted by their joint probability; / estimated relevant documents."""
    j, level = s.judged, measure.get("level")
    hit: Bools = j.is_relevant(level) & j.within(measure.get("cutoff"))
    weight = s.of_hits(s.weight) * hit
    above = j.running(weight) - weight
    stratum, together = s.of_hits(s.stratum), s.of_hits(s.together)
    for one in np.unique(stratum[together != 1]):
        same = weight * (stratum == one)
        above = above + (j.running(same) - same) * np.where(stratum == one, together - 1, 0.0)
    return j.ratio(j.total(weight * (1 + above) / j.rank), s.relevant(level))


def _ndcg(measure: Measure, s: _Sample) -> Column:
    """Estimated DCG / DCG of the ideal ranking with the estimated number of documents of each gain."""
    j, cutoff = s.judged, measure.get("cutoff")
    settings = {name: measure.get(name) for name in ("gain", "base", "gains", "level")}
    here, pool = (np.maximum(gain_of(grade, **settings, name=j.names[0]), 0.0) for grade in (j.grade, j.pool_grade))
    kind, log_base = measure.get("discount"), measure.get("log_base")
    ours = j.total(np.where(j.within(cutoff), s.of_hits(s.weight) * here / discount(j.rank, kind, log_base), 0.0))
    order = np.lexsort((-pool, j.pool_query))
    last = segment.running(s.weight[order], j.judgments)  # fractional ranks: a document of weight 3 takes three
    depth = int(np.ceil(max(1.0, last.max(initial=1.0)))) + 1
    share = 1 / discount(np.arange(1, depth + 1), kind, log_base)
    share[cutoff or depth :] = 0.0
    curve = np.concatenate([[0.0], np.cumsum(share)])
    worth = np.interp(last, np.arange(depth + 1), curve) - np.interp(
        last - s.weight[order], np.arange(depth + 1), curve
    )
    return j.ratio(ours, np.bincount(j.pool_query[order], pool[order] * worth, minlength=len(j)))


_ESTIMATES: dict[str, Callable[[Measure, _Sample], Column]] = {"P": _precision, "AP": _average_precision, "nDCG": _ndcg}
