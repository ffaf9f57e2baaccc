"""A scorer for MLflow: `mlflow.genai.evaluate(data=rows, scorers=[scorer("nDCG@10")])`."""

from __future__ import annotations

import math
from typing import Any, Unpack

from judged.integrations._retrieval import Field, Retrieval, RetrievalOptions, field_of, needed
from judged.measures.registry import Measure
from judged.tables.trackers import plain_name


def scorer(
    measure: str | Measure,
    *,
    retrieved: Field | None = None,
    relevant: Field = "relevant",
    key: Field | None = None,
    **options: Unpack[RetrievalOptions],
) -> Any:
    """Create a scorer for `mlflow.genai.evaluate`: the value of a measure for each row, and their mean.

    The name of the scorer has no characters that MLflow refuses: nDCG@10 is `nDCG_at_10`. MLflow's own `ndcg_at_k` divides by the ideal
    ranking of as many documents as were retrieved, so that a single relevant document retrieved is always perfect; see `docs/explanations/conventions.md`.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        retrieved: field of the outputs with the retrieved documents, best first, or a function of the outputs. [default: the outputs]
        relevant: field of the expectations with the relevant documents, or {document: grade}; or a function of the expectations.
        key: field of a document that identifies it, such as `metadata.doc_uri`. [default: its id]
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    chosen = Retrieval(measure, options)
    tool, entities = needed("mlflow.genai", "mlflow"), needed("mlflow.entities", "mlflow")

    def judged(outputs: Any, expectations: Any) -> Any:
        found = outputs if retrieved is None else field_of(outputs, retrieved)
        value = chosen.of(field_of(expectations, relevant), found, key)
        return (
            []
            if math.isnan(value)
            else entities.Feedback(name=plain_name(chosen.name), value=value, rationale=chosen.name)
        )

    return tool.scorer(judged, name=plain_name(chosen.name), aggregations=["mean"])
