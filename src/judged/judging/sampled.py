"""Estimates from judgments of a sample of documents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from judged._types import Bools, Column, Floats, Ints
from judged.core import segments
from judged.core.ids import IdColumn
from judged.core.judged import Judged
from judged.core.policy import ESTIMATED
from judged.core.tables import Qrels
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.provenance import Provenance, as_text, raw_id
from judged.evaluation.values import Values
from judged.judging.todo import Todo, TodoItem, read_todo
from judged.measures.gains import discount, gain_of
from judged.measures.registry import Measure
from judged.stats.two_phase import adjusted_values
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
_Grades = dict[_Key, float]


def estimate(
    qrels: Any,
    run: Any,
    sample: Any,
    measures: Measures = "P@10 AP nDCG@10",
    *,
    model: Any = None,
    level: float | None = None,
    **options: Unpack[EvaluateOptions],
) -> Values:
    """Estimate measures from judgments of a sampled pool, one value per query; means and intervals are those of `Values`.

    A judged document counts as 1 / the probability with which it was chosen (Horvitz and Thompson 1952). P is unbiased. AP and nDCG are ratios of such sums; the
    jackknife corrects most of their bias. AP counts pairs of relevant documents by their joint probability, as Yilmaz, Kanoulas and Aslam (SIGIR 2008) estimate it from strata. The value of
    a single query varies and may be below 0 or exceed 1; means over queries are what to use. Judged documents that are not in the sample count once.

    With `model` the same sample is also estimated by the model's grades. The model judged the whole pool, so the error of that estimate is known, and the estimate
    by people is corrected for the same error (`stats.two_phase.adjusted_values`). Grades of the model change nothing on average, however wrong they are; the better they are, the narrower are the intervals.
    Documents that people judged with certainty have the grade of people in both.

    Args:
        qrels: judgments by people, of the sampled documents and of any others.
        run: as in `evaluate`.
        sample: the sampled documents, as `pool(…, sample=…)` returned them, or their file.
        measures: P, AP and nDCG, with cutoffs and parameters.
        model: judgments of a model, of all documents that the sample was drawn from.
        level: lowest relevant grade.
        options: policies and preparation, as in `evaluate`.

    Raises:
        DataError: no judged document is in the sample. With `model`: people did not judge all sampled documents, or the model judged documents that could not
            be sampled, so that its error is not known.
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
    source, todo = result.source, read_todo(sample)
    assert source is not None
    human = _grades(source.judged)
    warnings = _check_sample(human, todo, model)
    columns, said = _estimates(result, todo), f"{ESTIMATED}{counted(len(todo), 'document')}"
    if model is not None:
        more: dict[str, Any] = {"measures": measures, "level": level, **options}
        judged = evaluate(model, source.run, **more).source
        assert judged is not None
        by_model, warnings = _in_queries(_grades(judged.judged), source.judged)
        _check_model(human, by_model, todo)
        alone = len(by_model.keys() - human.keys())
        said += f": {counted(len(human), 'document')} judged by people, {alone:,} more by the model only"
        columns = _adjust(columns, by_model, human, todo, source, more)
    policy = replace(result.policy, prepared=(*result.policy.prepared, said))
    return replace(result, columns=columns, policy=policy, source=None, warnings=(*result.warnings, *warnings))


def _estimates(result: Values, todo: Todo) -> dict[str, Column]:
    """Return the estimate of each measure."""
    assert result.source is not None
    sample = _document_sample(result.source.judged, todo)
    return {str(m): ESTIMATES[m.name](m, sample) for m in result.measures}


def _document_sample(judged: Judged, todo: Todo) -> DocumentSample:
    """Return the rankings with the weights of the sample."""
    items, strata = {_key(item): item for item in todo}, dict[tuple[bytes, int], int]()
    keys = list(_grades(judged))
    weight, stratum = np.ones(len(keys)), np.full(len(keys), -1)
    for row, key in enumerate(keys):
        item = items.get(key)
        if item is not None and item.probability < 1:
            weight[row] = 1 / item.probability
            stratum[row] = strata.setdefault((key[0], item.stratum), len(strata))
    return DocumentSample(judged, weight, stratum)


def _grades(judged: Judged) -> _Grades:
    """Return the grade of each document, by the ids of the query and the document, in the order of the pool."""
    assert judged.pool_doc is not None
    queries = [raw_id(query) for query in judged.queries]
    keys = zip((queries[i] for i in judged.pool_query.tolist()), judged.pool_doc.tolist(), strict=True)
    return dict(zip(keys, judged.pool_grade.tolist(), strict=True))


def _key(item: TodoItem) -> _Key:
    return raw_id(item.query), raw_id(item.doc)


def _check_sample(human: _Grades, todo: Todo, model: Any) -> tuple[Warned, ...]:
    """Warn of sampled documents that people did not judge; raise if there are no others, or if a model is to help."""
    missing = [item for item in todo if _key(item) not in human]
    if len(missing) == len(todo):
        raise DataError("option", "no judged document is in the sample", hint="pass the pool that was judged")
    if not missing:
        return ()
    what = f"{len(missing):,} of {counted(len(todo), 'sampled document')} not judged by people"
    if model is not None:
        first = f", such as {shown(missing[0].doc)} of query {shown(missing[0].query)}"
        raise DataError("option", what + first, hint="judge all of them, since the others are no random sample")
    return (Warned("unjudged-run", len(missing), f"{what}, counted as not relevant"),)


# ── with a model ─────────────────────────────────────────────────────────────────────────────────


def _in_queries(grades: _Grades, judged: Judged) -> tuple[_Grades, tuple[Warned, ...]]:
    """Return the grades of queries that people judged too, and a warning if there are others."""
    queries = {raw_id(query) for query in judged.queries}
    lost = len({query for query, _ in grades} - queries)
    warned = Warned("model-missing", lost, f"{counted(lost, 'query')} judged by the model but not by people, left out")
    return {key: grade for key, grade in grades.items() if key[0] in queries}, (warned,) if lost else ()


def _check_model(human: Mapping[_Key, float], model: Mapping[_Key, float], todo: Todo) -> None:
    """Raise if the model judged more documents of a query than the sample was drawn from: its error on the others is not known."""
    rest = defaultdict[bytes, float](float)
    for item in todo:
        rest[raw_id(item.query)] += 1 / item.probability - 1
    alone = Counter(query for query, _ in model.keys() - human.keys())
    for query, count in sorted(alone.items()):
        most = round(rest[query])
        if count > most:
            problem = f"the model alone judged {counted(count, 'document')} of query {shown(as_text(query))}, and {most:,} of them could have been sampled"
            hint = "draw the sample from all documents that the model judged"
            raise DataError("option", problem, hint=hint, value=count)


def _adjust(
    columns: Mapping[str, Column],
    model: _Grades,
    human: _Grades,
    todo: Todo,
    source: Provenance,
    options: Mapping[str, Any],
) -> dict[str, Column]:
    """Correct the estimates by the errors of those that the model's grades give for the same sample."""
    random = {_key(item) for item in todo if item.probability < 1}
    certain = {key: grade for key, grade in human.items() if key not in random}
    drawn = {key: model.get(key, 0.0) for key in human if key in random}
    assert source.qrels is not None
    all_, some = (
        evaluate(_as_qrels({**rest, **certain}, source.qrels), source.run, **options)
        for rest in ({**model, **drawn}, drawn)
    )
    found = _estimates(some, todo)
    return {
        name: adjusted_values(column, found[name] - np.asarray(all_[name], float)) for name, column in columns.items()
    }


def _as_qrels(grades: _Grades, like: Qrels) -> Qrels:
    """Return judgments with ids of the same kind as those of others."""
    place = {query: i for i, query in enumerate(dict.fromkeys(query for query, _ in grades))}
    grade: Floats = np.array(list(grades.values()))
    return Qrels(
        name=like.name,
        queries=IdColumn.of(list(place)),
        query=np.array([place[query] for query, _ in grades]),
        doc=IdColumn.of([doc for _, doc in grades]),
        query_kind=like.query_kind,
        doc_kind=like.doc_kind,
        grade=grade,
    )
