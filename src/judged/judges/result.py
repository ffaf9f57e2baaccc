"""`Agreement`: coefficients with intervals, what kappa hides, by query, document by document, and by system."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from judged._types import Ints
from judged.errors import UsageError, Warned, shown
from judged.judges.panel import Panel
from judged.judges.system_order import SystemOrder
from judged.judges.tables import adjudication_table, conclusion, confusion_table, disagreement_table, summary_tables
from judged.stats.agreement.intervals import Reliability, by_query
from judged.stats.agreement.paradox import Paradox
from judged.stats.agreement.ratings import Label
from judged.stats.agreement.registry import wanted
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import plain_data

__all__ = ["Agreement", "JudgePair"]


_MANY_QUERIES = 10  # fewer are seen at a glance with --by-query


@dataclass(frozen=True, slots=True, eq=False)
class JudgePair:
    """Two of the judges: what both judged, what one alone did, and how they agree on the former."""

    names: tuple[str, str]
    both: int
    alone: tuple[int, int]
    coefficients: dict[str, Reliability]
    confusion: Ints  # rows: the first judge
    paradox: Paradox

    @property
    def one_label(self) -> bool:
        """Whether one of them, or both, gave one label only to what both judged."""
        return 1 in (self.confusion.any(axis=0).sum(), self.confusion.any(axis=1).sum())

    def __getitem__(self, key: str) -> Reliability:
        return _coefficient(self.coefficients, key)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """How far two judges or more agree.

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
    note: str = ""  # of the intervals, where they are not what they usually are

    @property
    def level(self) -> float | dict[str, float] | None:
        """From which grade up labels are 1: one level, or that of each judge; None where grades are as they were given."""
        levels = self.panel.levels
        if levels is None or len(set(levels)) == 1:
            return None if levels is None else levels[0]
        return dict(zip(self.names, levels, strict=True))

    def conclusion(self, *, places: int = 4) -> tuple[str, ...]:
        """In words: the coefficient to read for such labels, exact agreement, who is more lenient, the order of systems."""
        return conclusion(self, places)

    @property
    def names(self) -> tuple[str, ...]:
        """The judges."""
        return self.panel.names

    @property
    def categories(self) -> tuple[Label, ...]:
        """Every label that any judge gave, ascending."""
        return self.panel.ratings.categories

    @property
    def judged(self) -> dict[str, int]:
        """How many units each judge judged."""
        counted = (self.panel.ratings.codes >= 0).sum(axis=1)
        return dict(zip(self.names, counted.tolist(), strict=True))

    @property
    def overlap(self) -> dict[int, int]:
        """How many units were judged by so many judges: {1: …, 2: …}."""
        counted = np.bincount(self.panel.ratings.rated(), minlength=len(self.names) + 1)
        return {judges: int(n) for judges, n in enumerate(counted.tolist()) if judges}

    @property
    def shared(self) -> int:
        """Units that two judges or more judged: all that can be agreed on."""
        return sum(n for judges, n in self.overlap.items() if judges > 1)

    def __getitem__(self, key: str) -> Reliability:
        """A coefficient by its key: raw, expected, kappa, pi, fleiss, conger, ac1, bp, alpha; kappa(linear) …"""
        return _coefficient(self.coefficients, key)

    @property
    def confusion(self) -> Ints:
        """How often the first judge (rows) gave one category where the second (columns) gave another or the same."""
        if len(self.pairs) > 1:
            raise UsageError("judges", "two judges, for one confusion matrix", got=str(len(self.names)),
                             hint="each of .pairs has its own")  # fmt: skip
        return self.pairs[0].confusion

    @property
    def by_query(self) -> RecordTable:
        """Each query alone, the least agreement first: how many documents two judges or more judged, raw agreement, and kappa
        (of more than two: alpha). Queries in which everybody gave the same label have no kappa, and come last.
        """
        main = "kappa" if len(self.names) == 2 else "alpha"
        weighted = [f"{main}({self.weights})"] if self.weights != "nominal" else []
        found = self.per_query("raw", main, *weighted)
        keys = [found["raw"], found[(*weighted, main)[0]]]
        order = np.lexsort(np.round(keys, 12))  # a difference by rounding is a tie; ties stay by id; NaN is last
        return found.take(order.tolist())

    def per_query(self, *keys: str) -> RecordTable:
        """Coefficients of each query alone, in the order of their ids; NaN, with the reason, where one is not defined."""
        units, ratings = self.panel.units, self.panel.ratings
        if units is None:
            raise UsageError("judges", "judgments with queries", got="columns of labels")
        requests = [wanted(key, ratings, self.own) for key in keys]
        present, size, values = by_query(ratings, requests, units.query)
        undefined = np.isnan(np.stack([*values.values(), np.zeros(len(size))])).any(axis=0)
        why = np.where(undefined, "one category only", "").tolist()
        found = {key: tuple(column.tolist()) for key, column in values.items()}
        queries = tuple(units.queries[i] for i in present)
        columns = {"query": queries, "n": tuple(size.tolist()), **found, "reason": tuple(why)}
        return RecordTable(columns, words=("query", "reason"), title="agreement by query")

    def disagreements(self, n: int | None = 20, *, per_query: int | None = None) -> RecordTable:
        """The units that judges disagree on most: by difference (of labels in words: how many), then by query and document.

        With a level, these are the units that fall on different sides of it; grades are shown as they were given, and differ
        by how far each one is from its judge's level.

        Args:
            n: how many at most.
            per_query: how many of one query at most.
        """
        return disagreement_table(self.panel, n, per_query)

    def adjudicable(self) -> RecordTable:
        """All disagreements, with an empty column `relevance`: filled, they are an adjudicator's judgments."""
        return adjudication_table(self.panel)

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def listing(self) -> RecordTable:
        """A row for each coefficient."""
        rows = list(self.coefficients.values())
        fields = ("key", "name", "value", "low", "high", "error", "expected", "units", "method", "reason")
        return RecordTable({field: tuple(getattr(c, field) for c in rows) for field in fields}, words=("key", "name"))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data; missing values are None."""
        pairs = [
            {"judges": p.names, "both": p.both, "alone": p.alone, "confusion": p.confusion.tolist(),
             "coefficients": {k: _plain(c) for k, c in p.coefficients.items()}, "paradox": _plain_paradox(p.paradox)}
            for p in self.pairs
        ]  # fmt: skip
        return {
            "judged": 1,
            "judges": self.names,
            "categories": self.categories,
            "level": self.level,
            "weights": self.weights,
            "confidence": self.confidence,
            "conclusion": self.conclusion(),
            "note": self.note,
            "units": self.judged,
            "overlap": {str(judges): n for judges, n in self.overlap.items()},
            "coefficients": {key: _plain(c) for key, c in self.coefficients.items()},
            "paradox": _plain_paradox(self.paradox),
            "pairs": pairs,
            "by_query": self.by_query.to_dicts() if self.panel.units is not None else None,
            "disagreements": self.disagreements().to_dicts(),
            "order": self.order.plain() if self.order is not None else None,
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def to_json(self) -> str:
        """Everything, as strict JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def table(self, *, places: int = 4) -> Table:
        """The coefficients, and what must be known to read them."""
        return self.tables(places=places)[0]

    def tables(self, *, places: int = 4, disagreements: int = 5, queries: int = 5) -> list[Table]:
        """All that is shown: coefficients, confusion or pairs, where judges disagree most, the order of systems.

        Of the documents most disagreed on, two of one query at most; queries with the least agreement, where there are ten.
        """
        found = summary_tables(self, places)
        if len(self.pairs) == 1:
            found.append(confusion_table(self.pairs[0], self.categories))
        if queries and (least := self._least(queries)):
            found.append(least.table(places=places))
        if disagreements and (most := self.disagreements(disagreements, per_query=2)):
            found.append(most.table(places=places))
        return [*found, self.order.board().table(places=places)] if self.order is not None else found

    def _least(self, n: int) -> RecordTable | None:
        """The queries with the least agreement; none where there are few, or where nobody disagrees."""
        if self.panel.units is None or len(every := self.by_query) < _MANY_QUERIES:
            return None
        rows = [i for i, raw in enumerate(every["raw"]) if raw < 1][:n]
        return replace(every.take(rows), title="queries with the least agreement")

    def _tables(self) -> list[Table]:
        return self.tables()

    def _lines(self) -> tuple[str, ...]:
        return self.conclusion()

    __repr__ = Result.__str__


def _coefficient(known: dict[str, Reliability], key: str) -> Reliability:
    if key not in known:
        raise UsageError("coefficient", f"one of {', '.join(known)}", got=shown(key), value=key)
    return known[key]


def _plain(c: Reliability) -> dict[str, Any]:
    return {field: plain_data(value) for field, value in asdict(c).items() if field != "key"}


def _plain_paradox(p: Paradox) -> dict[str, Any]:
    plain_fields = {field: plain_data(value) for field, value in asdict(replace(p, prevalence={})).items()}
    return {**plain_fields, "prevalence": {str(label): share for label, share in p.prevalence.items()}}
