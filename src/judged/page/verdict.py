"""The answers of a page: those of the comparison (`comparison/answer.py`), or the means of a single run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judged.comparison import answer
from judged.evaluation.model_judgments import worth_of_model
from judged.page.subject import Subject
from judged.tables.text import number


def answers(subject: Subject) -> list[dict[str, Any]]:
    """Return words, further lines and the pair of runs (None for a single run), one mapping per measure."""
    if subject.comparison is not None:
        return [asdict(one) for one in answer.answers(subject.comparison)]
    return [
        {"words": _single(subject, i), "more": _more(subject, i), "pair": None} for i in range(len(subject.measures))
    ]


def best_first(subject: Subject, i: int) -> list[int]:
    """Return the runs by mean, best first; runs without a mean come last."""
    return answer.best_first(subject.measures[i], subject.means[i])


def _more(subject: Subject, i: int) -> tuple[answer.Words, ...]:
    """Return what the judgments of a model are worth, if there are any."""
    result, name = subject.first, str(subject.measures[i])
    return () if result.model is None else ([f"{worth_of_model(result[name], result.model[name])}."],)


def _single(subject: Subject, i: int) -> answer.Words:
    m, value = subject.measures[i], subject.means[i][0]
    return [0, f" has a {subject.kind(m)} {m} of {number(value, 0 if m.definition.whole else answer.PLACES)}."]
