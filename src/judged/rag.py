"""Retrieval for question answering: one question at a time, chunks, token counts, alternatives, rolling chunks up to documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

from judged.evaluation.chunk_table import any_of, count_tokens
from judged.evaluation.evaluate import Measures, evaluate
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.roll_up import roll_up
from judged.evaluation.unanswerable import risk_coverage
from judged.io.questions import read_questions

__all__ = ["any_of", "count_tokens", "read_questions", "risk_coverage", "roll_up", "scorer"]

Relevant = Iterable[Any] | Mapping[Any, float]
_NOTHING = (
    "no relevant document"  # a judged document that no ranking has: a question without relevant documents counts too
)


class ScorerOptions(EvaluateOptions, total=False):
    """Keyword options of `evaluate` that apply to one question."""

    level: float | None
    profile: str


def scorer(
    measures: Measures, **options: Unpack[ScorerOptions]
) -> Callable[[Iterable[Any], Relevant], dict[str, float]]:
    """Return a function that measures one question: `score(retrieved, relevant)` returns {measure: value}.

    Use it in tools that score one question at a time, such as MLflow, ragas or DeepEval. Measures and options are checked here, before the first question.
    `retrieved` are ids in the order of their ranks, best first; `relevant` are ids, or {id: grade}. Ids are compared as text.
    A document that is retrieved twice, as its chunks may be, counts once, at its first rank (`duplicates="first"`).

    Args:
        measures: as in `evaluate`.
        options: those of `evaluate`: `level`, `profile`, `empty`, `duplicates` …

    >>> score = scorer("P@3 RR")
    >>> print(score(["x", "a", "b"], ["a", "c"]))
    {'P@3': 0.3333333333333333, 'RR': 0.5}
    """
    given: dict[str, Any] = {"duplicates": "first", **options}
    parsed = evaluate({"q": {"d": options.get("level") or 1}}, {"q": ["d"]}, measures, **given).measures

    def score(retrieved: Iterable[Any], relevant: Relevant) -> dict[str, float]:
        grades = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
        qrels = {str(doc): grade for doc, grade in grades.items()} or {_NOTHING: 0}
        values = evaluate({"q": qrels}, {"q": [str(doc) for doc in retrieved]}, parsed, **given)
        return {str(measure): float(values[measure][0]) for measure in parsed}

    return score
