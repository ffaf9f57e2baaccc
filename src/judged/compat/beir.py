"""The evaluation of BEIR: `from judged.compat.beir import EvaluateRetrieval`.

Values are those of the profile `beir`, rounded to five decimals as BEIR does. See `docs/migration/beir.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from judged.compat._errors import Partial
from judged.errors import UsageError, shown
from judged.evaluation.evaluate import evaluate
from judged.registry import choose_one
from judged.stats.intervals import total

__all__ = ["EvaluateRetrieval", "hole", "mrr", "recall_cap", "top_k_accuracy"]

Table = dict[str, float]
_CUSTOM = {
    **dict.fromkeys(("mrr", "mrr@k", "mrr_cut"), ("MRR", "RR")),
    **dict.fromkeys(("recall_cap", "r_cap", "r_cap@k"), ("R_cap", "RCap")),
    **dict.fromkeys(("hole", "hole@k"), ("Hole", "Hole")),
    **dict.fromkeys(("acc", "top_k_acc", "accuracy", "accuracy@k", "top_k_accuracy"), ("Accuracy", "Success")),
}


class EvaluateRetrieval(Partial):
    """Evaluate the results of a retriever.

    Args:
        retriever: an object with `search(corpus, queries, top_k, score_function)`; only `retrieve` needs it.
        k_values: cutoffs.
        score_function: passed to the retriever.

    >>> EvaluateRetrieval.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 0.9, "d1": 0.4}}, [1, 3])[0]
    {'NDCG@1': 0.0, 'NDCG@3': 0.63093}
    """

    _lacks = "encode_and_retrieve rerank"
    _instead = "call the retriever itself"

    def __init__(
        self,
        retriever: Any = None,
        k_values: Sequence[int] = (1, 3, 5, 10, 100, 1000),
        score_function: str | None = "cos_sim",
    ) -> None:
        self.retriever = retriever
        self.k_values = list(k_values)
        self.top_k = max(k_values)
        self.score_function = score_function

    def retrieve(self, corpus: Any, queries: Any, **options: Any) -> Any:
        """Return the results of the retriever."""
        if not self.retriever:
            raise UsageError("option", "no retriever was given", hint="pass one to EvaluateRetrieval")
        return self.retriever.search(corpus, queries, self.top_k, self.score_function, **options)

    @staticmethod
    def evaluate(
        qrels: Mapping[str, Mapping[str, float]],
        results: Mapping[str, Mapping[str, float]],
        k_values: Sequence[int],
        ignore_identical_ids: bool = True,
    ) -> tuple[Table, Table, Table, Table]:
        """Means of nDCG, MAP, recall and precision at each cutoff, over the queries that have judgments and results.

        A document with the id of its query does not count, unless `ignore_identical_ids` is False; the results are not modified.
        """
        names = {"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}
        found = _means(qrels, results, list(names.values()), k_values, ignore_identical_ids)
        ndcg, ap, recall, precision = (
            {f"{name}@{k}": found[f"{ours}@{k}"] for k in k_values} for name, ours in names.items()
        )
        return ndcg, ap, recall, precision

    @staticmethod
    def evaluate_custom(
        qrels: Mapping[str, Mapping[str, float]],
        results: Mapping[str, Mapping[str, float]],
        k_values: Sequence[int],
        metric: str,
        ignore_identical_ids: bool = True,
    ) -> Table:
        """Means of MRR, capped recall, holes or accuracy at each cutoff, over all judged queries; those without results count as 0.

        Args:
            qrels: {query: {document: grade}}.
            results: {query: {document: score}}.
            k_values: cutoffs.
            metric: `mrr`, `recall_cap`, `hole` or `top_k_accuracy`.
            ignore_identical_ids: leave out documents with the id of their query, as BEIR does once `evaluate` was called.
        """
        if metric.lower() not in _CUSTOM:
            raise UsageError(
                "unknown-name",
                f"unknown measure {shown(metric)}",
                value=metric,
                hint=choose_one(metric, ("mrr", "recall_cap", "hole", "top_k_accuracy")),
            )
        name, ours = _CUSTOM[metric.lower()]
        if ours == "Hole":
            qrels = _judged_anywhere(qrels, results)
        found = _means(qrels, results, [ours], k_values, ignore_identical_ids, queries="judged")
        return {f"{name}@{k}": found[f"{ours}@{k}"] for k in k_values}


mrr, recall_cap, hole, top_k_accuracy = (  # the functions of beir.retrieval.custom_metrics
    partial(EvaluateRetrieval.evaluate_custom, metric=name) for name in ("mrr", "recall_cap", "hole", "top_k_accuracy")
)


def _means(
    qrels: Any, results: Any, measures: Sequence[str], k_values: Sequence[int], without_own: bool, **options: Any
) -> Table:
    names = [f"{name}@{k}" for name in measures for k in k_values]
    if without_own:
        results = {q: {d: x for d, x in row.items() if d != q} if q in row else row for q, row in results.items()}
    values = evaluate(qrels, results, names, profile="beir", keep_names=True, **options)
    rows = {query: row for row, query in enumerate(values.queries)}
    order = [rows[query] for query in results if query in rows]  # in which BEIR adds, so that halves are rounded alike
    return {name: round(total(values[name][order]) / len(values), 5) for name in names}


def _judged_anywhere(qrels: Any, results: Any) -> Any:
    """The judgments, with those of other queries for documents in the results, as not relevant."""
    known = {doc for row in qrels.values() for doc in row}
    return {q: {**{d: 0 for d in results.get(q, ()) if d in known}, **row} for q, row in qrels.items()}
