"""Results of fitted click models: parameters, grades, and the comparison of models."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.clicks.data.estimate import ParameterEstimate
from judged.clicks.data.log import base_name
from judged.clicks.models.evaluation import ClickEvaluation
from judged.clicks.models.grades import Grades, grade_bounds, grades_from_clicks
from judged.clicks.models.model import Fit
from judged.core.tables import Qrels
from judged.errors import DataError, Hint, Warned
from judged.io.read import read_qrels
from judged.io.write import write_qrels
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import number


@dataclass(frozen=True, eq=False, repr=False)
class ClickFit(Result):
    """A fitted click model: parameters with intervals, the EM steps, and the evaluation on held-out sessions, if any."""

    fit: Fit
    name: str = "clicks"
    evaluation: ClickEvaluation | None = None

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.fit.model.name

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """The warnings of the fit, and one if EM did not converge."""
        if self.fit.converged:
            return self.fit.warnings
        text = f"EM stopped after {self.fit.steps} steps without convergence"
        return (*self.fit.warnings, Warned("unconverged", 1, text, hint=Hint("raise {max_steps}", max_steps=None)))

    def parameters(self) -> RecordTable:
        """Every estimated probability: the parameter, the query and document or the rank it belongs to, value, error and interval."""
        queries, docs = self.fit.pairs.ids()
        columns: dict[str, list[Any]] = {name: [] for name in ("parameter", "query", "doc", "at", *_ESTIMATE)}
        for name, estimate in self.fit.parameters.items():
            blank = [None] * len(estimate)
            shared = self._is_shared(name)
            columns["parameter"] += [name] * len(estimate)
            columns["query"] += blank if shared else queries
            columns["doc"] += blank if shared else docs
            columns["at"] += [_position(label) for label in self.fit.labels.get(name, blank)] if shared else blank
            for key in _ESTIMATE:
                columns[key] += getattr(estimate, key).tolist()
        words = ("parameter", "query", "doc", "at")
        return RecordTable({name: tuple(column) for name, column in columns.items()}, words=words)

    def grades(self, levels: int = 4, *, minimum: float = 1) -> ClickGrades:
        """A grade from 0 to `levels` for each pair of query and document, see `grades_from_clicks`."""
        grades = grades_from_clicks(self.fit, levels, minimum=minimum)
        return ClickGrades(grades, self.model, self.name, self.fit.settings.level)

    def records(self) -> list[dict[str, Any]]:
        """One row per parameter."""
        return self.parameters().records()

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        fit = self.fit
        return {
            "judged": 1,
            "log": self.name,
            "model": self.model,
            "sessions": fit.sessions,
            "prior": fit.settings.prior,
            "level": fit.settings.level,
            "log_likelihood": fit.log_likelihood,
            "steps": fit.steps,
            "converged": fit.converged,
            "information": fit.information,
            "warnings": [w.to_dict() for w in self.warnings],
            "held_out": None if self.evaluation is None else _evaluation_data(self.evaluation),
            "parameters": self.records(),
        }

    def tables(self, *, places: int = 4) -> list[Table]:
        """Shared parameters one per row; those of documents as their mean, with the mean width of the intervals."""
        rows: list[tuple[str, ...]] = []
        for name, estimate in self.fit.parameters.items():
            if self._is_shared(name):
                labels = self.fit.labels.get(name, ("",))
                rows += [(name, _position(at), *_cells(estimate, i, places)) for i, at in enumerate(labels)]
            else:
                rows.append((name, f"mean of {len(estimate)}", *_mean_cells(estimate, places)))
        headers = ("parameter", "at", "value", f"{self.fit.settings.level:.0%} interval")
        title = f"{self.model} fitted to {base_name(self.name)}"
        return [Table(headers, tuple(rows), title=title, notes=self._notes(places), words=(0, 1))]

    def _is_shared(self, parameter: str) -> bool:
        """True for a parameter that all documents have in common."""
        return parameter == "persistence" or parameter in self.fit.labels

    def _notes(self, places: int) -> tuple[str, ...]:
        fit = self.fit
        method = f"{fit.steps} EM steps" if fit.trace else "closed form"
        per_session = number(fit.log_likelihood / fit.sessions, places)
        notes = [
            f"{fit.sessions} sessions · log-likelihood per session {per_session} · {method}",
            f"prior: {fit.settings.prior[0]:g} and {fit.settings.prior[1]:g} added to the counts of every probability",
        ]
        if (e := self.evaluation) is not None:
            likely, perplexity = number(e.log_likelihood, places), number(e.perplexity, places)
            notes.append(
                f"held out: {e.sessions} sessions · log-likelihood per session {likely} · perplexity {perplexity}"
            )
        return (*notes, *(f"warning: {w}" for w in self.warnings))


_ESTIMATE = ("value", "error", "low", "high", "trials")


def _position(label: Any) -> str:
    """The rank that a shared parameter belongs to, in words."""
    if isinstance(label, tuple):
        return f"rank {label[0]}, click at {label[1]}" if label[1] else f"rank {label[0]}, no click above"
    return f"rank {label}" if isinstance(label, int) else ""


def _cells(estimate: ParameterEstimate, i: int, places: int) -> tuple[str, str]:
    value, low, high = (number(float(x[i]), places) for x in (estimate.value, estimate.low, estimate.high))
    return value, f"[{low}, {high}]"


def _mean_cells(estimate: ParameterEstimate, places: int) -> tuple[str, str]:
    half = (estimate.high - estimate.low)[~np.isnan(estimate.low)] / 2
    good = estimate.value[~np.isnan(estimate.value)]
    value, width = (float(x.mean()) if len(x) else np.nan for x in (good, half))
    return number(value, places), f"± {number(width, places)} (mean)"


def _evaluation_data(e: ClickEvaluation) -> dict[str, Any]:
    return {
        "sessions": e.sessions,
        "log_likelihood": e.log_likelihood,
        "perplexity": e.perplexity,
        "conditional_perplexity": e.conditional_perplexity,
        "perplexity_by_rank": e.by_rank,
        "conditional_perplexity_by_rank": e.conditional_by_rank,
    }


@dataclass(frozen=True, eq=False, repr=False)
class ClickGrades(Result):
    """Grades from clicks, with impressions, clicks and intervals; also as judgments."""

    grades: Grades
    model: str
    name: str
    level: float

    def __len__(self) -> int:
        return len(self.grades)

    def records(self) -> list[dict[str, Any]]:
        """One row per query and document: impressions, clicks, relevance with its interval, the grade and those at the interval's ends."""
        g = self.grades
        queries, docs = g.pairs.ids(g.rows)
        numbers = {
            "impressions": g.impressions.astype(int),
            "clicks": g.clicks.astype(int),
            "relevance": g.relevance,
            "error": g.error,
            "low": g.low,
            "high": g.high,
            "grade": g.grade,
        }
        columns = {"query": queries, "doc": docs, **{name: column.tolist() for name, column in numbers.items()}}
        for name, column in (("grade_low", g.grade_low), ("grade_high", g.grade_high)):
            columns[name] = [None if grade < 0 else grade for grade in column.tolist()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records, with the lowest relevance of each grade below them."""
        levels = self.grades.levels
        bounds = ", ".join(f"{bound:.4f}" for bound in grade_bounds(levels).tolist())
        grades = "grade 1" if levels == 1 else f"grades 1 to {levels}"
        note = (
            f"grade = log2(1 + 2^{levels} · relevance), rounded; lowest relevance of {grades}: {bounds} · "
            f"{self.level:.0%} intervals"
        )
        title = f"grades from {base_name(self.name)}, by {self.model}"
        return RecordTable.of(self.records(), words=("query", "doc"), title=title, notes=(note,)).tables(places=places)

    def qrels(self) -> Qrels:
        """The grades as judgments."""
        if not len(self):
            raise DataError(
                "empty-qrels",
                "no query and document with enough impressions for a grade",
                where=self.name,
                hint=Hint("lower {minimum}", minimum=None),
            )
        queries, docs = self.grades.pairs.ids(self.grades.rows)
        columns = {"query_id": queries, "doc_id": docs, "relevance": self.grades.grade.tolist()}
        return read_qrels(columns, name=f"grades from {base_name(self.name)}")

    def save_qrels(self, path: str | os.PathLike[str]) -> None:
        """Write the judgments; the file extension determines the format."""
        write_qrels(self.qrels(), path)


@dataclass(frozen=True, eq=False, repr=False)
class ClickBoard(Result):
    """Models fitted to the same sessions, and their evaluation on the same held-out sessions."""

    fits: Sequence[ClickFit]
    name: str
    notes: tuple[str, ...] = ()

    @property
    def _evaluations(self) -> list[tuple[ClickFit, ClickEvaluation]]:
        return [(fit, fit.evaluation) for fit in self.fits if fit.evaluation is not None]

    def records(self) -> list[dict[str, Any]]:
        """One row per model."""
        return [
            {
                "model": fit.model,
                "parameters": sum(map(len, fit.fit.parameters.values())),
                "log-likelihood": e.log_likelihood,
                "perplexity": e.perplexity,
                "given clicks above": e.conditional_perplexity,
                "steps": fit.fit.steps,
            }
            for fit, e in self._evaluations
        ]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records as one table."""
        first = self.fits[0]
        held_out = f"{first.evaluation.sessions} held-out sessions · " if first.evaluation is not None else ""
        note = f"{held_out}{first.fit.sessions} fitted · log-likelihood per session; perplexity: mean over ranks, 1 is perfect"
        title = f"click models on held-out sessions of {base_name(self.name)}"
        notes = (note, *self.notes)
        return RecordTable.of(self.records(), words=("model",), title=title, notes=notes).tables(places=places)

    def by_rank(self) -> RecordTable:
        """Perplexity at each rank, one column per model."""
        columns = {fit.model: tuple(e.by_rank.tolist()) for fit, e in self._evaluations}
        depth = max(map(len, columns.values()), default=0)
        return RecordTable({"rank": tuple(range(1, depth + 1)), **columns})

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        models = [{"model": fit.model, **_evaluation_data(e)} for fit, e in self._evaluations]
        return {"judged": 1, "log": self.name, "notes": self.notes, "models": models}
