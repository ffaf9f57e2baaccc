"""Questions without an answer: who retrieves something for them answers falsely; and the risk of answering at a coverage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from judged.core.tables import Run, raw_id
from judged.errors import Hint, UsageError
from judged.evaluation.inputs import Provenance
from judged.measures.registry import Measure
from judged.stats.intervals import Ends, interval, wilson
from judged.tables.result import RecordTable
from judged.tables.table import counted

if TYPE_CHECKING:
    from judged.evaluation.values import Values


@dataclass(frozen=True, slots=True)
class Unanswerable:
    """Questions with an answer and without one, which have an empty list of relevant chunks, and those with a retrieved chunk.

    >>> print(Unanswerable(40, 36, 5, 3))
    answered 36 of 40 questions (90%, 77% to 96%); false answers to 3 of 5 questions without an answer (60%, 23% to 88%)
    """

    answerable: int
    answered: int
    unanswerable: int
    answered_falsely: int

    @property
    def answer_rate(self) -> float:
        """Share of the answerable questions with at least one retrieved chunk."""
        return self.answered / self.answerable

    @property
    def false_answers(self) -> float:
        """Share of the unanswerable questions with at least one retrieved chunk."""
        return self.answered_falsely / self.unanswerable

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Wilson's intervals of both rates."""
        return {
            "answer_rate": wilson(self.answer_rate, self.answerable, confidence),
            "false_answers": wilson(self.false_answers, self.unanswerable, confidence),
        }

    def __str__(self) -> str:
        (low, high), (least, most) = self.intervals().values()
        rate = f"answered {self.answered} of {counted(self.answerable, 'question')} ({self.answer_rate:.0%}, {low:.0%} to {high:.0%})"
        without = f"{self.answered_falsely} of {counted(self.unanswerable, 'question')} without an answer"
        return f"{rate}; false answers to {without} ({self.false_answers:.0%}, {least:.0%} to {most:.0%})"


def count_answers(source: Provenance) -> Unanswerable | None:
    """Count the questions with a retrieved chunk, among those with an answer and those without; None if all have one."""
    empty, run = _empty(source), source.run_table
    if not empty:
        return None
    sizes = np.bincount(run.query, minlength=len(run.queries)).tolist()
    found = {raw for raw, size in zip(run.queries.tolist(), sizes, strict=True) if size}
    retrieved = source.judged.retrieved
    return Unanswerable(len(retrieved), int(np.count_nonzero(retrieved)), len(empty), len(found.intersection(empty)))


def _empty(source: Provenance) -> list[bytes]:
    """The questions that no chunk answers."""
    qrels = source.qrels
    assert qrels is not None
    return qrels.queries.take(np.bincount(qrels.query, minlength=len(qrels.queries)) == 0).tolist()


def risk_coverage(values: Values, measure: str | Measure | None = None) -> RecordTable:
    """Return the risk of answering against the coverage, as the threshold on the best score of a question falls.

    The coverage is the share of all questions that are answered, those without an answer among them. The risk is one minus the mean value
    of the answered questions, where an answered question without an answer has the value 0, with its t interval over questions.

    Args:
        values: of questions whose chunks have scores.
        measure: one of the measures, with values from 0 to 1. [default: the first]

    >>> from judged import evaluate
    >>> asked = [{"query": q, "retrieved": [{"id": "a", "score": s}], "relevant": r} for q, s, r in [("x", 0.9, ["a"]), ("y", 0.4, [])]]
    >>> risk_coverage(evaluate(asked, measures="RR"))["risk"]
    (0.0, 0.5)
    """
    source, name = values.source, str(values.measures[0] if measure is None else measure)
    if source is None or source.run is None:
        problem = "the judgments and the run of these values are not available"
        raise UsageError("no-source", problem, hint="evaluate again")
    run = source.run_table
    scores = run.score if run.scored else None if run.passages is None else run.passages.score
    if scores is None:
        raise UsageError("policy", "the retrieved chunks have no scores", hint=Hint("write a score for each chunk"))
    if "unit" not in next(m for m in values.measures if str(m) == name).definition.laws:
        raise UsageError("measure", f"{name} has values outside of 0 to 1", hint="choose another measure", value=name)
    best = _best_scores(run, scores)
    worth = dict(zip(map(raw_id, values.queries), values[name].tolist(), strict=True))
    worth |= dict.fromkeys(_empty(source), 0.0) if source.qrels is not None and source.qrels.questions else {}
    answered = sorted(((best[q], value) for q, value in worth.items() if q in best and value == value), reverse=True)
    scored, risks = np.array([score for score, _ in answered]), 1 - np.array([value for _, value in answered])
    rows: list[dict[str, Any]] = []
    for n in np.flatnonzero(np.append(scored[1:] != scored[:-1], True)[: len(scored)]) + 1:
        ends: Ends = interval([risks[:n]], limits=[(0.0, 1.0)])[0]
        low, high = ends or (np.nan, np.nan)
        rows.append(
            {
                "threshold": float(scored[n - 1]),
                "coverage": float(n / len(worth)),
                "answered": int(n),
                "risk": float(risks[:n].mean()),
                "low": low,
                "high": high,
            }
        )
    return RecordTable.of(rows, title=f"risk by {name} against coverage of {counted(len(worth), 'question')}")


def _best_scores(run: Run, scores: Any) -> Mapping[bytes, float]:
    """The highest score of each question that has a retrieved chunk."""
    best = np.full(len(run.queries), -np.inf)
    np.maximum.at(best, run.query, scores)
    some = np.bincount(run.query, minlength=len(best)) > 0
    return {raw: float(top) for raw, top, one in zip(run.queries.tolist(), best, some, strict=True) if one}
