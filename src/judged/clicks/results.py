"""What a fitted click model says: parameters, grades, and models side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.clicks.data.estimate import ParameterEstimate
from judged.clicks.models.evaluation import ClickEvaluation
from judged.clicks.models.grades import Grades, grade_bounds, grades_from_clicks
from judged.clicks.models.model import Fit
from judged.core.tables import Qrels
from judged.errors import DataError, Warned
from judged.io.read import read_qrels
from judged.io.write import write_qrels
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import number, plain_data

__all__ = ["ClickBoard", "ClickFit", "ClickGrades"]


@dataclass(frozen=True, eq=False)
class ClickFit(Result):
    """A fitted click model: parameters with intervals, how EM went, and how it did on held-out sessions."""

    fit: Fit
    name: str = "clicks"
    evaluation: ClickEvaluation | None = None  # on held-out sessions, where some were held out

    @property
    def model(self) -> str:
        return self.fit.model.name

    @property
    def warnings(self) -> tuple[Warned, ...]:
        return self.fit.warnings + (() if self.fit.converged else (_unconverged(self.fit),))

    def parameters(self) -> RecordTable:
        """Every probability that was estimated: what it is, what it belongs to, its value, error and interval."""
        queries, docs = self.fit.pairs.ids()
        columns: dict[str, list[Any]] = {
            name: [] for name in ("parameter", "query", "doc", "at", "value", "error", "low", "high", "trials")
        }
        for name, estimate in self.fit.parameters.items():
            shared = name == "persistence" or name in self.fit.labels
            nothing = [None] * len(estimate)
            columns["parameter"] += [name] * len(estimate)
            columns["query"] += nothing if shared else queries
            columns["doc"] += nothing if shared else docs
            columns["at"] += [_place(label) for label in self.fit.labels.get(name, nothing)] if shared else nothing
            for key in ("value", "error", "low", "high", "trials"):
                columns[key] += getattr(estimate, key).tolist()
        return RecordTable(
            {name: tuple(column) for name, column in columns.items()}, words=("parameter", "query", "doc", "at")
        )

    def grades(self, levels: int = 4, *, minimum: float = 1) -> ClickGrades:
        """A grade from 0 to `levels` for each pair, see `grades_from_clicks`."""
        return ClickGrades(
            grades_from_clicks(self.fit, levels, minimum=minimum), self.model, self.name, self.fit.settings.level
        )

    def to_pandas(self) -> Any:
        return self.parameters().to_pandas()

    def to_polars(self) -> Any:
        return self.parameters().to_polars()

    def to_json(self) -> str:
        """Everything, as strict JSON: missing values are null."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_dict(self) -> dict[str, Any]:
        fit = self.fit
        return {
            "judged": 1,
            "log": self.name,
            "model": self.model,
            "sessions": fit.sessions,
            "prior": list(fit.settings.prior),
            "level": fit.settings.level,
            "log_likelihood": plain_data(fit.log_likelihood),
            "steps": fit.steps,
            "converged": fit.converged,
            "information": fit.information,
            "warnings": [w.to_dict() for w in self.warnings],
            "held_out": None if self.evaluation is None else _evaluated(self.evaluation),
            "parameters": self.parameters().to_dicts(),
        }

    def table(self, *, places: int = 4) -> Table:
        """Shared parameters one by one; those of documents by their mean, and the mean width of their intervals."""
        rows: list[tuple[str, ...]] = []
        for name, estimate in self.fit.parameters.items():
            if name == "persistence" or name in self.fit.labels:
                labels = self.fit.labels.get(name, ("",))
                rows += [(name, _place(at), *_row(estimate, i, places)) for i, at in enumerate(labels)]
            else:
                rows.append((name, f"mean of {len(estimate)}", *_mean_row(estimate, places)))
        level = f"{self.fit.settings.level:.0%} interval"
        return Table(("parameter", "at", "value", level), tuple(rows), title=f"{self.model} fitted to {_label(self.name)}",
                     notes=self._notes(places), words=(0, 1))  # fmt: skip

    def _notes(self, places: int) -> tuple[str, ...]:
        fit = self.fit
        how = "by counting" if not fit.trace else f"{fit.steps} steps of EM"
        notes = [f"{fit.sessions} sessions · log-likelihood {number(fit.log_likelihood / fit.sessions, places)} a session · {how}",
                 f"prior: {fit.settings.prior[0]:g} and {fit.settings.prior[1]:g} added to every probability's counts"]  # fmt: skip
        if self.evaluation is not None:
            e = self.evaluation
            notes.append(f"held out: {e.sessions} sessions · log-likelihood {number(e.log_likelihood, places)} a session · "
                         f"perplexity {number(e.perplexity, places)}")  # fmt: skip
        return (*notes, *(f"warning: {w}" for w in self.warnings))

    __repr__ = Result.__str__


def _unconverged(fit: Fit) -> Warned:
    return Warned(
        "unconverged", 1, f"EM was stopped after {fit.steps} steps, before it settled; allow more (max_steps)"
    )


def _label(name: str) -> str:
    return name.rpartition("/")[2]


def _place(label: Any) -> str:
    """What a shared parameter belongs to, in words."""
    if isinstance(label, tuple):
        return f"rank {label[0]}, click at {label[1]}" if label[1] else f"rank {label[0]}, no click above"
    return f"rank {label}" if isinstance(label, int) else ""


def _row(estimate: ParameterEstimate, i: int, places: int) -> tuple[str, str]:
    low, high = (number(float(side[i]), places) for side in (estimate.low, estimate.high))
    return number(float(estimate.value[i]), places), f"[{low}, {high}]"


def _mean_row(estimate: ParameterEstimate, places: int) -> tuple[str, str]:
    seen = ~np.isnan(estimate.low)
    half = (estimate.high - estimate.low)[seen] / 2
    some = float(half.mean()) if seen.any() else np.nan
    good = estimate.value[~np.isnan(estimate.value)]
    return number(float(good.mean()) if len(good) else np.nan, places), f"± {number(some, places)} (mean)"


def _evaluated(e: ClickEvaluation) -> dict[str, Any]:
    return {
        "sessions": e.sessions,
        "log_likelihood": plain_data(e.log_likelihood),
        "perplexity": plain_data(e.perplexity),
        "conditional_perplexity": plain_data(e.conditional_perplexity),
        "perplexity_by_rank": [plain_data(v) for v in e.by_rank.tolist()],
        "conditional_perplexity_by_rank": [plain_data(v) for v in e.conditional_by_rank.tolist()],
    }


@dataclass(frozen=True, eq=False)
class ClickGrades(Result):
    """Grades from clicks, with what they rest on: a table, and judgments."""

    grades: Grades
    model: str
    name: str
    level: float

    def __len__(self) -> int:
        return len(self.grades)

    def listing(self) -> RecordTable:
        """One row a (query, doc): impressions, clicks, relevance with error and interval, the grade and those at the interval's ends."""
        g = self.grades
        queries, docs = g.pairs.ids(g.rows)

        def known(column: Any) -> tuple[Any, ...]:
            return tuple(None if v < 0 else v for v in column.tolist())

        return RecordTable(
            {
                "query": tuple(queries),
                "doc": tuple(docs),
                "impressions": tuple(g.impressions.astype(int).tolist()),
                "clicks": tuple(g.clicks.astype(int).tolist()),
                "relevance": tuple(g.relevance.tolist()),
                "error": tuple(g.error.tolist()),
                "low": tuple(g.low.tolist()),
                "high": tuple(g.high.tolist()),
                "grade": tuple(g.grade.tolist()),
                "grade_low": known(g.grade_low),
                "grade_high": known(g.grade_high),
            },
            words=("query", "doc"),
            title=f"grades from {_label(self.name)}, by {self.model}",
            notes=(self._note(),),
        )

    def _note(self) -> str:
        bounds = " ".join(f"{g}: {b:.4f}" for g, b in enumerate(grade_bounds(self.grades.levels).tolist(), 1))
        return f"grade = log2(1 + 2^{self.grades.levels} · relevance), rounded; lowest relevance of grade {bounds} · {self.level:.0%} intervals"

    def qrels(self) -> Qrels:
        """The grades as judgments."""
        if not len(self):
            hint = "lower the minimum of impressions"
            raise DataError("empty-qrels", "at least one pair with a grade", got="none", where=self.name, hint=hint)
        rows = self.listing()
        columns = {"query_id": list(rows["query"]), "doc_id": list(rows["doc"]), "relevance": list(rows["grade"])}
        return read_qrels(columns, name=f"grades from {_label(self.name)}")

    def save_qrels(self, path: str | os.PathLike[str]) -> None:
        """Write the judgments, in the form that the ending of the name says."""
        write_qrels(self.qrels(), path)

    def to_json(self) -> str:
        return self.listing().to_json()

    __repr__ = Result.__str__


@dataclass(frozen=True, eq=False)
class ClickBoard(Result):
    """Models fitted to the same sessions, and what each says of the same held-out ones."""

    fits: Sequence[ClickFit]
    name: str
    notes: tuple[str, ...] = ()

    def listing(self) -> RecordTable:
        scored = [(fit, fit.evaluation) for fit in self.fits if fit.evaluation is not None]
        return RecordTable(
            {
                "model": tuple(fit.model for fit, _ in scored),
                "parameters": tuple(sum(map(len, fit.fit.parameters.values())) for fit, _ in scored),
                "log-likelihood": tuple(e.log_likelihood for _, e in scored),
                "perplexity": tuple(e.perplexity for _, e in scored),
                "given clicks above": tuple(e.conditional_perplexity for _, e in scored),
                "steps": tuple(fit.fit.steps for fit, _ in scored),
            },
            words=("model",),
            title=f"click models on held-out sessions of {_label(self.name)}",
            notes=(*self._held_out(), *self.notes),
        )

    def _held_out(self) -> tuple[str, ...]:
        e = self.fits[0].evaluation
        held = f"{e.sessions} held-out sessions · " if e is not None else ""
        return (
            f"{held}{self.fits[0].fit.sessions} fitted · log-likelihood a session; perplexity: mean over ranks, 1 is perfect",
        )

    def by_rank(self) -> RecordTable:
        """Perplexity rank by rank, one column a model."""
        scored = {fit.model: fit.evaluation for fit in self.fits if fit.evaluation is not None}
        depth = max((len(e.by_rank) for e in scored.values()), default=0)
        columns: dict[str, tuple[Any, ...]] = {"rank": tuple(range(1, depth + 1))}
        return RecordTable({**columns, **{name: tuple(e.by_rank.tolist()) for name, e in scored.items()}})

    def to_json(self) -> str:
        rows = [{"model": fit.model, **_evaluated(fit.evaluation)} for fit in self.fits if fit.evaluation is not None]
        return json.dumps({"judged": 1, "log": self.name, "notes": list(self.notes), "models": rows}, allow_nan=False)

    __repr__ = Result.__str__
