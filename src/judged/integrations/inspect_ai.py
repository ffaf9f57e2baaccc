"""A scorer for Inspect: `Task(dataset, solver=retriever, scorer=scorer("nDCG@10"))`."""

from __future__ import annotations

from typing import Any, Unpack

from judged.integrations._retrieval import Field, Retrieval, RetrievalOptions, field_of, needed
from judged.measures.registry import Measure


def scorer(
    measure: str | Measure,
    *,
    retrieved: Field = "retrieved",
    relevant: Field | None = None,
    **options: Unpack[RetrievalOptions],
) -> Any:
    """Create a scorer for Inspect: the value of a measure for each sample, with their mean and its standard error.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        retrieved: field of the store, else of the metadata, with the retrieved documents, best first; or a function of the task state.
        relevant: field of the metadata with {document: grade}, or a function of the task state. [default: the targets of the sample]
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    chosen = Retrieval(measure, options)
    tool = needed("inspect_ai.scorer", "inspect-ai")

    def judged() -> Any:
        async def score(state: Any, target: Any) -> Any:
            expected = list(target) if relevant is None else _of_state(state, relevant)
            return tool.Score(value=chosen.of(expected, _of_state(state, retrieved)), explanation=chosen.name)

        return score

    return tool.scorer(metrics=[tool.mean(), tool.stderr()], name=chosen.name)(judged)()


def _of_state(state: Any, field: Field) -> Any:
    if callable(field):
        return field(state)
    stored = state.store.get(field)
    return field_of(state.metadata, field) if stored is None else stored
