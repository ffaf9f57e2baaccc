"""A metric for ragas: `ragas.evaluate(dataset, metrics=[scorer("nDCG@10")])`."""

from __future__ import annotations

from typing import Any, Unpack

from judged.integrations._retrieval import Field, Retrieval, RetrievalOptions, field_of, needed
from judged.measures.registry import Measure


def scorer(
    measure: str | Measure,
    *,
    retrieved: Field = "retrieved_context_ids",
    relevant: Field = "reference_context_ids",
    **options: Unpack[RetrievalOptions],
) -> Any:
    """Create a metric for `ragas.evaluate`, computed from ids of contexts, without a language model.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        retrieved: field of a sample with the retrieved contexts, best first: ids, or texts with `"retrieved_contexts"`.
        relevant: field of a sample with the relevant contexts: ids, or texts with `"reference_contexts"`.
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    chosen = Retrieval(measure, options)
    base = needed("ragas.metrics.base", "ragas")
    required = {base.MetricType.SINGLE_TURN: {name for name in (retrieved, relevant) if isinstance(name, str)}}

    async def score(self: Any, sample: Any, callbacks: Any) -> float:
        return chosen.of(field_of(sample, relevant), field_of(sample, retrieved))

    methods = {"init": lambda self, run_config: None, "_single_turn_ascore": score, "__module__": __name__}
    metric = type("JudgedMetric", (base.SingleTurnMetric,), methods)
    return metric(name=chosen.name, _required_columns=required)
