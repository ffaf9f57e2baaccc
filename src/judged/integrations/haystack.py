"""A component for Haystack: `pipeline.add_component("nDCG", scorer("nDCG@10"))`, with the inputs and outputs of its document evaluators."""

from __future__ import annotations

from functools import cache
from types import GenericAlias
from typing import Any, Unpack, cast

import numpy as np

from judged.errors import DataError
from judged.integrations._retrieval import Retrieval, RetrievalOptions, identify, needed
from judged.measures.registry import Measure
from judged.stats.summary import summarise


def scorer(measure: str | Measure, *, key: str = "content", **options: Unpack[RetrievalOptions]) -> Any:
    """Create a component that measures retrieved documents; its `run` takes lists of documents per question.

    Relevant documents with a score have it as their grade, as in Haystack's own evaluators; the others have grade 1.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        key: field by which documents are compared: `content`, `id`, or `meta.NAME`.
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    name = Retrieval(measure, options).name
    return _component_class()(name, key, dict(options))


@cache
def _component_class() -> Any:
    """The component, made once: Haystack finds it again by its name when a pipeline is loaded."""
    tool = needed("haystack", "haystack-ai")
    documents: Any = GenericAlias(list, (GenericAlias(list, (tool.Document,)),))

    def start(self: Any, measure: str, key: str = "content", options: dict[str, Any] | None = None) -> None:
        self.measure, self.key, self.options = measure, key, options or {}
        self._retrieval = Retrieval(measure, cast(RetrievalOptions, self.options))

    def run(self: Any, ground_truth_documents: Any, retrieved_documents: Any) -> dict[str, Any]:
        if len(ground_truth_documents) != len(retrieved_documents):
            raise DataError(
                "lengths",
                f"{len(ground_truth_documents)} lists of relevant documents, {len(retrieved_documents)} of retrieved ones",
                hint="pass one list of each per question",
            )
        values = []
        for relevant, retrieved in zip(ground_truth_documents, retrieved_documents, strict=True):
            grades: dict[str, float] = {}
            for doc in relevant:
                name, grade = identify(doc, self.key), 1.0 if doc.score is None else doc.score
                grades[name] = max(grade, grades.get(name, grade))
            values.append(self._retrieval.of(grades, retrieved, self.key))
        return {"score": summarise(np.array(values), "mean"), "individual_scores": values}

    run.__annotations__ = {
        "ground_truth_documents": documents,
        "retrieved_documents": documents,
        "return": dict[str, Any],
    }
    typed = tool.component.output_types(score=float, individual_scores=list[float])(run)
    names = {
        "__init__": start,
        "run": typed,
        "__module__": __name__,
        "__qualname__": "JudgedEvaluator",
        "__doc__": scorer.__doc__,
    }
    return tool.component(type("JudgedEvaluator", (), names))


def __getattr__(name: str) -> Any:
    if name == "JudgedEvaluator":
        return _component_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
