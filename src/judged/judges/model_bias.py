"""Bias of a model's judgments: by the grade of a person, by system, and the number of queries that people must judge in spite of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.errors import UsageError, shown
from judged.judges.panel import Panel
from judged.judges.system_order import SystemOrder
from judged.stats.two_phase import FEWEST, QueriesNeeded, queries_for_width
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import number


@dataclass(frozen=True, slots=True)
class GradeBias:
    """Documents to which a person gave one grade, and the mean of the model's grades."""

    grade: float
    documents: int
    mean: float

    @property
    def bias(self) -> float:
        """The mean of the model's grades minus the person's."""
        return self.mean - self.grade


@dataclass(frozen=True, slots=True)
class SystemBias:
    """The mean of a measure by the judgments of both, and the queries that people must judge for an interval of a given width."""

    system: str
    human: float
    model: float
    needed: QueriesNeeded | None  # None with fewer than three queries

    @property
    def bias(self) -> float:
        """The mean by the model minus that by the person."""
        return self.model - self.human


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelBias(Result):
    """Distance of a model's judgments from those of a person, and its effect on the values of systems.

    Args:
        human, model: names of the judges.
        grades: by grade of the person, ascending; over the documents that both judged.
        systems: empty without runs.
        measure: of the systems.
        width: of the interval that the numbers of queries are for.
        total: queries that the model judges; infinite if it judged no more than the person.
    """

    human: str
    model: str
    grades: tuple[GradeBias, ...]
    systems: tuple[SystemBias, ...] = ()
    measure: str = ""
    width: float = 0.1
    total: float = math.inf

    @property
    def mean(self) -> float:
        """The mean of the model's grades minus the person's, over all documents."""
        count = sum(row.documents for row in self.grades)
        return sum(row.bias * row.documents for row in self.grades) / count

    def headline(self) -> tuple[str, ...]:
        """Sentences: the bias of grades and of systems, and whether the model saves queries."""
        said = [
            f"Grades of {self.model} differ from those of {self.human} by {number(self.mean, 2, sign='+')} on average"
        ]
        if self.systems:
            low, high = min(s.bias for s in self.systems), max(s.bias for s in self.systems)
            said.append(
                f"Bias of {self.measure} by system: {number(low, 4, sign='+')} to {number(high, 4, sign='+')};"
                " a bias that is not the same for all systems changes differences too"
            )
        return tuple(said)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Return the bias by grade, and by system if there are runs."""
        rows = tuple(
            (f"{r.grade:g}", str(r.documents), number(r.mean, 2), number(r.bias, 2, sign="+")) for r in self.grades
        )
        headers = (f"grade of {self.human}", "documents", f"mean grade of {self.model}", "bias")
        tables = [Table(headers, rows, title=f"bias of {self.model} by grade of {self.human}")]
        if self.systems:
            tables.append(self._systems(places))
        return tables

    def _systems(self, places: int) -> Table:
        rows = tuple(
            (
                s.system,
                number(s.human, places),
                number(s.model, places),
                number(s.bias, places, sign="+"),
                *_needed(s.needed),
            )
            for s in self.systems
        )
        many = (
            f"the {self.total:,.0f} queries that it judged"
            if math.isfinite(self.total)
            else "as many queries as needed"
        )
        notes = (
            f"queries that people must judge for a 95% interval of width {self.width:g}: with the help of {self.model} on {many}, and without it",
            "the queries of people must be a random sample of all",
        )
        headers = ("system", self.human, self.model, "bias", "queries with the model", "queries without")
        return Table(headers, rows, title=f"{self.measure} by judge, and human judgments needed", notes=notes)

    def records(self) -> list[dict[str, Any]]:
        """One mapping per grade."""
        return [{"grade": r.grade, "documents": r.documents, "mean": r.mean, "bias": r.bias} for r in self.grades]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        systems = [
            {
                "system": s.system,
                "human": s.human,
                "model": s.model,
                "bias": s.bias,
                "queries_with": s.needed and s.needed.both,
                "queries_without": s.needed and s.needed.expensive_only,
            }
            for s in self.systems
        ]
        return {
            "human": self.human,
            "model": self.model,
            "mean": self.mean,
            "grades": self.records(),
            "measure": self.measure,
            "width": self.width,
            "systems": systems,
        }


def _needed(needed: QueriesNeeded | None) -> tuple[str, str]:
    if needed is None:
        return "–", "–"
    both = "more than it judged" if needed.both is None else f"{needed.both:,}"
    return both, f"{needed.expensive_only:,}"


def model_bias(panel: Panel, model: str, order: SystemOrder | None, width: float) -> ModelBias:
    """Compare the grades of a model with those of the other judge; with `order`, the values of systems as well.

    Raises:
        UsageError: more than two judges, an unknown name, or labels that are not numbers.
    """
    if len(panel.names) != 2:
        raise UsageError(
            "judges",
            f"the bias of a model needs two judges, got {len(panel.names)}",
            hint="name one person and the model",
        )
    if model not in panel.names:
        raise UsageError(
            "judges", f"no judge is called {shown(model)}", hint=f"choose one of {', '.join(panel.names)}", value=model
        )
    if not (math.isfinite(width) and width > 0):
        raise UsageError("parameter", f"width must be a number above 0, got {shown(width)}", value=width)
    at = panel.names.index(model)
    ratings = panel.ratings if panel.original is None else panel.original
    if ratings.numbers is None:
        raise UsageError("label", "labels must be numbers, and these are text")
    grades = np.append(ratings.numbers, np.nan)[ratings.codes]
    human, by_model = grades[1 - at], grades[at]
    both = ~np.isnan(human) & ~np.isnan(by_model)
    rows = tuple(
        GradeBias(float(g), int((human[both] == g).sum()), float(by_model[both][human[both] == g].mean()))
        for g in np.unique(human[both])
    )
    names = panel.names[1 - at], model
    if order is None:
        return ModelBias(*names, rows, width=width)
    judged = len(np.unique(panel.qrels[at].query))
    total = float(judged) if judged > order.queries else math.inf
    systems = tuple(
        SystemBias(
            name,
            float(order.values[1 - at, i]),
            float(order.values[at, i]),
            _plan(order.columns[[1 - at, at], i], total, width),
        )
        for i, name in enumerate(order.systems)
    )
    return ModelBias(*names, rows, systems, order.measure, width, total)


def _plan(values: Any, total: float, width: float) -> QueriesNeeded | None:
    y, f = values[:, ~np.isnan(values).any(axis=0)]
    return None if len(y) < FEWEST else queries_for_width(y, f, total, width)
