"""A metric for DeepEval: `deepeval.evaluate(test_cases, metrics=[scorer("nDCG@10", threshold=0.5)])`."""

from __future__ import annotations

from typing import Any, Unpack

from judged.integrations._retrieval import Field, Retrieval, RetrievalOptions, field_of, needed
from judged.measures.registry import Measure
from judged.tables.text import number


def scorer(
    measure: str | Measure,
    *,
    threshold: float = 0.5,
    retrieved: Field = "retrieval_context",
    relevant: Field = "context",
    **options: Unpack[RetrievalOptions],
) -> Any:
    """Create a metric for `deepeval.evaluate` and `assert_test`, computed without a language model.

    Args:
        measure: one measure, such as `"nDCG@10"`.
        threshold: value with which a test case passes: at least this, or at most this if lower values are better.
        retrieved: field of a test case with the retrieved contexts, best first, or a function of the test case.
        relevant: field of a test case with the relevant contexts, in the same words, or a function of the test case.
        options: those of `evaluate`: `level`, `profile`, `empty` …
    """
    chosen = Retrieval(measure, options)
    base = needed("deepeval.metrics", "deepeval").BaseMetric
    lower = chosen.measure.definition.lower_is_better

    def compute(self: Any, test_case: Any, *args: Any, **kwargs: Any) -> float:
        self.score = chosen.of(field_of(test_case, relevant), field_of(test_case, retrieved))
        self.success = self.score <= threshold if lower else self.score >= threshold
        self.reason = (
            f"{chosen.name} is {number(self.score)}, {'at most' if lower else 'at least'} {threshold:g} is required"
        )
        return float(self.score)

    async def compute_async(self: Any, test_case: Any, *args: Any, **kwargs: Any) -> float:
        return compute(self, test_case)

    methods: dict[str, Any] = {
        "threshold": threshold,
        "async_mode": False,
        "evaluation_model": None,
        "_required_params": [],
        "__name__": chosen.name,
        "__module__": __name__,
        "measure": compute,
        "a_measure": compute_async,
        "is_successful": lambda self: bool(self.success),
    }
    return type("JudgedMetric", (base,), methods)()
