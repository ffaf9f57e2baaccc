"""`Agreement`: coefficients with intervals, confusion, agreement per query, disagreements, and the order of systems."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import UsageError, Warned, shown
from judged.judges.disagreements import adjudication_list, list_disagreements, save_adjudication_list
from judged.judges.model_bias import ModelBias
from judged.judges.panel import Panel
from judged.judges.system_order import SystemOrder
from judged.judges.tables import conclusion, confusion_table, summary_tables
from judged.stats.agreement.intervals import Reliability, by_query
from judged.stats.agreement.paradox import Paradox
from judged.stats.agreement.ratings import Label
from judged.stats.agreement.registry import coefficient_key, parse_coefficient
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table

_MANY_QUERIES = 10  # minimum number of queries to show those with the lowest agreement
_WORST = 5  # queries, and documents, that are shown
_FIELDS = ("key", "name", "value", "low", "high", "error", "expected", "units", "method", "reason")


@dataclass(frozen=True, slots=True, eq=False)
class JudgePair:
    """Agreement of two judges on the documents that both judged."""

    names: tuple[str, str]
    both: int
    alone: tuple[int, int]
    coefficients: dict[str, Reliability]
    confusion: Ints  # rows: the first judge
    paradox: Paradox

    @property
    def one_label(self) -> bool:
        """True if a judge used only one label on the documents that both judged."""
        return 1 in (self.confusion.any(axis=0).sum(), self.confusion.any(axis=1).sum())

    def __getitem__(self, key: str) -> Reliability:
        return _coefficient(self.coefficients, key)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement of two or more judges.

    `all_queries`: tables and records list every query instead of the worst ones.

    >>> from judged.judges.agreement import agree
    >>> a = agree([1, 1, 0, 0], [1, 0, 0, 0])
    >>> a["raw"].value, a["kappa"].value
    (0.75, 0.5)
    >>> a.confusion.tolist()
    [[2, 0], [1, 1]]
    """

    panel: Panel
    coefficients: dict[str, Reliability]
    pairs: tuple[JudgePair, ...]
    paradox: Paradox
    order: SystemOrder | None
    weights: str
    own: Any
    confidence: float
    warnings: tuple[Warned, ...]
    note: str = ""  # about intervals that differ from the default
    all_queries: bool = False
    bias: ModelBias | None = None  # of the judge that is a model

    @property
    def level(self) -> float | dict[str, float] | None:
        """Lowest grade that counts as 1, for all judges or by judge; None if grades are used unchanged."""
        levels = self.panel.levels
        if levels is None or len(set(levels)) == 1:
            return None if levels is None else levels[0]
        return dict(zip(self.names, levels, strict=True))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the judges."""
        return self.panel.names

    @property
    def categories(self) -> tuple[Label, ...]:
        """All labels that occur, ascending."""
        return self.panel.ratings.categories

    @property
    def judged(self) -> dict[str, int]:
        """Number of units that each judge judged."""
        counts = (self.panel.ratings.codes >= 0).sum(axis=1)
        return dict(zip(self.names, counts.tolist(), strict=True))

    @property
    def overlap(self) -> dict[int, int]:
        """Number of units by the number of judges who judged them: {1: …, 2: …}."""
        counts = np.bincount(self.panel.ratings.rated(), minlength=len(self.names) + 1)
        return {judges: int(n) for judges, n in enumerate(counts.tolist()) if judges}

    @property
    def shared(self) -> int:
        """Number of units that two or more judges judged."""
        return sum(n for judges, n in self.overlap.items() if judges > 1)

    def __getitem__(self, key: str) -> Reliability:
        """Return a coefficient by name, such as "kappa" or "kappa(linear)"."""
        return _coefficient(self.coefficients, key)

    @property
    def confusion(self) -> Ints:
        """Confusion matrix of two judges; rows are the first."""
        if len(self.pairs) > 1:
            raise UsageError("judges", f"{len(self.names)} judges have no single confusion matrix", hint="see .pairs")
        return self.pairs[0].confusion

    @property
    def by_query(self) -> RecordTable:
        """Agreement per query, the lowest first: number of shared documents, raw agreement, and kappa (alpha for more than two judges).

        Queries in which all labels are the same have no kappa and come last.
        """
        main = "kappa" if len(self.names) == 2 else "alpha"
        weighted = [f"{main}({self.weights})"] if self.weights != "nominal" else []
        table = self.per_query("raw", main, *weighted)
        keys = [table["raw"], table[(*weighted, main)[0]]]
        order = np.lexsort(
            np.round(keys, 12)
        )  # differences by rounding are ties, which stay in the order of ids; NaN is last
        return table.take(order.tolist())

    def per_query(self, *keys: str) -> RecordTable:
        """Coefficients of each query, in the order of query ids; NaN with a reason if undefined."""
        units, ratings = self.panel.units, self.panel.ratings
        if units is None:
            raise UsageError("judges", "columns of labels have no queries")
        requests = [parse_coefficient(key, ratings, self.own) for key in keys]
        present, size, values = by_query(ratings, requests, units.query)
        undefined = np.isnan(np.stack([*values.values(), np.zeros(len(size))])).any(axis=0)
        columns = {
            "query": tuple(units.queries[i] for i in present),
            "n": tuple(size.tolist()),
            **{key: tuple(column.tolist()) for key, column in values.items()},
            "reason": tuple(np.where(undefined, "one category only", "").tolist()),
        }
        return RecordTable(columns, words=("query", "reason"), title="agreement by query")

    def disagreements(self, n: int | None = 20, *, per_query: int | None = None) -> RecordTable:
        """Units that judges disagree on, by decreasing difference (for text labels: by the number of labels), then by id.

        With a level, these are the units on different sides of it. Grades are the original ones, and the difference is that
        of their distances from the judges' levels.

        Args:
            n: largest number of units; None for all.
            per_query: largest number of units per query.
        """
        return list_disagreements(self.panel, n, per_query)

    def adjudication_list(self) -> RecordTable:
        """All disagreements with an empty column `relevance`; once filled in, they are the judgments of an adjudicator."""
        return adjudication_list(self.panel)

    def save_disagreements(self, path: str | os.PathLike[str]) -> None:
        """Write the adjudication list to a .csv, .tsv, .json or .jsonl file, with ids unchanged."""
        save_adjudication_list(self.adjudication_list(), path)

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def headline(self) -> tuple[str, ...]:
        """Sentences: the recommended coefficient, exact agreement, leniency, and the order of systems."""
        return conclusion(self)

    def tables(self, *, places: int = 4) -> list[Table]:
        """Coefficients, confusion or pairs of judges, worst queries and documents, and the order of systems."""
        tables = summary_tables(self, places)
        if len(self.pairs) == 1:
            tables.append(confusion_table(self.pairs[0], self.categories))
        for part in (self._queries(), self.disagreements(_WORST, per_query=2), self.order, self.bias):
            tables += part.tables(places=places) if part else []
        return tables

    def _queries(self) -> RecordTable | None:
        """Every query, or those with the least agreement; None if there are few queries or no disagreement."""
        if self.panel.units is None or self.all_queries:
            return self.by_query if self.all_queries else None
        queries = self.by_query
        rows = [i for i, raw in enumerate(queries["raw"]) if raw < 1][:_WORST]
        many = len(queries) >= _MANY_QUERIES
        return replace(queries.take(rows), title="queries with the lowest agreement") if many else None

    def records(self) -> list[dict[str, Any]]:
        """One row per coefficient; one per query with `all_queries`."""
        if self.all_queries:
            return self.by_query.records()
        return [{field: getattr(c, field) for field in _FIELDS} for c in self.coefficients.values()]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        pairs = [
            {
                "judges": p.names,
                "both": p.both,
                "alone": p.alone,
                "confusion": p.confusion,
                "coefficients": _coefficient_data(p.coefficients),
                "paradox": asdict(p.paradox),
            }
            for p in self.pairs
        ]
        return {
            "judged": 1,
            "judges": self.names,
            "categories": self.categories,
            "level": self.level,
            "weights": self.weights,
            "confidence": self.confidence,
            "conclusion": self.headline(),
            "note": self.note,
            "units": self.judged,
            "overlap": self.overlap,
            "coefficients": _coefficient_data(self.coefficients),
            "paradox": asdict(self.paradox),
            "pairs": pairs,
            "by_query": self.by_query.records() if self.panel.units is not None else None,
            "disagreements": self.disagreements().records(),
            "order": self.order.to_data() if self.order is not None else None,
            "bias": self.bias.to_data() if self.bias is not None else None,
            "warnings": [w.to_dict() for w in self.warnings],
        }


def _coefficient(coefficients: dict[str, Reliability], name: str) -> Reliability:
    key = coefficient_key(name)
    if key not in coefficients:
        hint = f"choose one of {', '.join(coefficients)}"
        raise UsageError("coefficient", f"{shown(name)} was not computed", hint=hint, value=name)
    return coefficients[key]


def _coefficient_data(coefficients: dict[str, Reliability]) -> dict[str, dict[str, Any]]:
    return {key: {name: v for name, v in asdict(c).items() if name != "key"} for key, c in coefficients.items()}
