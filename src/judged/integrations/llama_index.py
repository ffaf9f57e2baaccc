"""A metric for LlamaIndex: `RetrieverEvaluator(metrics=[scorer("nDCG@10")], retriever=retriever)`."""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

from judged.integrations._retrieval import Retrieval, RetrievalOptions, needed
from judged.measures.registry import Measure


def scorer(measure: str | Measure, *, texts: bool = False, **options: Unpack[RetrievalOptions]) -> Any:
    """Create a retrieval metric for `RetrieverEvaluator`, computed from ids of nodes.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        texts: compare texts of nodes instead of their ids.
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    chosen = Retrieval(measure, options)
    tool = needed("llama_index.core.evaluation.retrieval.metrics_base", "llama-index-core")

    def compute(
        self: Any,
        query: Any = None,
        expected_ids: Any = None,
        retrieved_ids: Any = None,
        expected_texts: Any = None,
        retrieved_texts: Any = None,
        **kwargs: Any,
    ) -> Any:
        pair = (expected_texts, retrieved_texts) if texts else (expected_ids, retrieved_ids)
        return tool.RetrievalMetricResult(score=chosen.of(*pair), metadata={"measure": chosen.name})

    names = {
        "metric_name": chosen.name,
        "compute": compute,
        "__annotations__": {"metric_name": ClassVar[str]},
        "__module__": __name__,
    }
    return type("JudgedMetric", (tool.BaseRetrievalMetric,), names)()
