"""`Agreement`: coefficients with intervals, what kappa hides, by query, document by document, and by system."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged.engine._agreement_table import confusion_table, summary_tables
from judged.engine._listing import Listing, scalar
from judged.engine._panel import Panel
from judged.engine._system_order import SystemOrder
from judged.engine.table import Table, plain
from judged.errors import UsageError, Warned, shown
from judged.reliability.coefficient import wanted
from judged.reliability.interval import Reliability, by_query
from judged.reliability.paradox import Paradox
from judged.reliability.rating import Label, Ratings

__all__ = ["Agreement", "JudgePair"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class JudgePair:
    """Two of the judges: what both judged, what one alone did, and how they agree on the former."""

    names: tuple[str, str]
    both: int
    alone: tuple[int, int]
    coefficients: dict[str, Reliability]
    confusion: Ints  # rows: the first judge
    paradox: Paradox

    def __getitem__(self, key: str) -> Reliability:
        return _found(self.coefficients, key)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """How far two judges or more agree.

    >>> from judged.engine.jury import agreement
    >>> a = agreement([1, 1, 0, 0], [1, 0, 0, 0])
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
    level: float | None
    warnings: tuple[Warned, ...]

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
        return _found(self.coefficients, key)

    @property
    def confusion(self) -> Ints:
        """How often the first judge (rows) gave one category where the second (columns) gave another or the same."""
        if len(self.pairs) > 1:
            raise UsageError("judges", "two judges, for one confusion matrix", got=str(len(self.names)),
                             hint="each of .pairs has its own")  # fmt: skip
        return self.pairs[0].confusion

    @property
    def by_query(self) -> Listing:
        """Each query alone: how many documents two judges or more judged, raw agreement, and kappa (of more than two: alpha)."""
        main = "kappa" if len(self.names) == 2 else "alpha"
        return self.per_query("raw", main, *([f"{main}({self.weights})"] if self.weights != "nominal" else []))

    def per_query(self, *keys: str) -> Listing:
        """Coefficients of each query alone; NaN, with the reason, where one is not defined."""
        units, ratings = self.panel.units, self.panel.ratings
        if units is None:
            raise UsageError("judges", "judgments with queries", got="columns of labels")
        asked = [wanted(key, ratings, self.own) for key in keys]
        present, size, values = by_query(ratings, asked, units.query)
        undefined = np.isnan(np.stack([*values.values(), np.zeros(len(size))])).any(axis=0)
        why = np.where(undefined, "one category only", "").tolist()
        found = {key: tuple(column.tolist()) for key, column in values.items()}
        queries = tuple(units.queries[i] for i in present)
        columns = {"query": queries, "n": tuple(size.tolist()), **found, "reason": tuple(why)}
        return Listing(columns, words=("query", "reason"), title="agreement by query")

    def disagreements(self, n: int | None = 20) -> Listing:
        """The units that judges disagree on most: by difference (of labels in words: how many), then by query and document."""
        ratings, units = self.panel.ratings, self.panel.units
        spread = _spread(ratings)
        rows = np.flatnonzero(spread > 0)
        rows = rows[np.argsort(-spread[rows], kind="stable")][:n]
        labels = (*self.categories, None)
        given = {name: tuple(labels[c] for c in row[rows]) for name, row in zip(self.names, ratings.codes, strict=True)}
        where: dict[str, tuple[Any, ...]] = {"row": tuple(rows.tolist())}
        if units is not None:
            where = {"query": tuple(units.queries[i] for i in units.query[rows]), "doc": tuple(units.docs(rows))}
        columns = {**where, **given, "difference": tuple(_tidy(x) for x in spread[rows].tolist())}
        count = int((spread > 0).sum())
        title = f"{len(rows)} of {count} disagreements" if len(rows) < count else f"all {count} disagreements"
        return Listing(columns, words=("query", "doc"), title=title)

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def listing(self) -> Listing:
        """A row for each coefficient."""
        rows = list(self.coefficients.values())
        fields = ("key", "name", "value", "low", "high", "error", "expected", "units", "method", "reason")
        return Listing({field: tuple(getattr(c, field) for c in rows) for field in fields}, words=("key", "name"))

    def to_pandas(self) -> Any:
        """A pandas frame: a row for each coefficient."""
        return self.listing().to_pandas()

    def to_polars(self) -> Any:
        """A polars frame: a row for each coefficient."""
        return self.listing().to_polars()

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
            "units": self.judged,
            "overlap": {str(judges): n for judges, n in self.overlap.items()},
            "coefficients": {key: _plain(c) for key, c in self.coefficients.items()},
            "paradox": _plain_paradox(self.paradox),
            "pairs": pairs,
            "by_query": self.by_query.to_dicts() if self.panel.units is not None else None,
            "disagreements": self.disagreements().to_dicts(),
            "order": self.order.plain() if self.order is not None else None,
            "warnings": [{"code": w.slug, "count": w.count, "text": w.text} for w in self.warnings],
        }

    def to_json(self) -> str:
        """Everything, as strict JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def table(self, *, places: int = 4) -> Table:
        """The coefficients, and what must be known to read them."""
        return self.tables(places=places)[0]

    def tables(self, *, places: int = 4, disagreements: int = 5) -> list[Table]:
        """All that is shown: coefficients, confusion or pairs, the documents most disagreed on, the order of systems."""
        found = summary_tables(self, places)
        if len(self.pairs) == 1:
            found.append(confusion_table(self.pairs[0], self.categories))
        if disagreements and (most := self.disagreements(disagreements)):
            found.append(most.table(places=places))
        return [*found, self.order.board().table(places=places)] if self.order is not None else found

    def __str__(self) -> str:
        return "\n\n".join(map(plain, self.tables()))

    __repr__ = __str__


def _spread(ratings: Ratings) -> NDArray[np.float64]:
    """Of each unit, its highest label less its lowest; of labels that are text, how many others there are besides one."""
    codes = ratings.codes
    missing, size = codes < 0, len(ratings.categories)
    if ratings.numbers is not None:
        value = np.append(ratings.numbers, np.nan)[codes]
        high, low = np.where(missing, -np.inf, value).max(axis=0), np.where(missing, np.inf, value).min(axis=0)
        return np.where(missing.all(axis=0), 0.0, high - low)
    used = np.zeros((size + 1, codes.shape[1]), bool)
    for row in codes:
        used[row, np.arange(codes.shape[1])] = True
    return np.maximum(used[:size].sum(axis=0) - 1.0, 0.0)


def _found(known: dict[str, Reliability], key: str) -> Reliability:
    if key not in known:
        raise UsageError("coefficient", f"one of {', '.join(known)}", got=shown(key), value=key)
    return known[key]


def _tidy(x: float) -> float | int:
    return int(x) if x == int(x) else x


def _plain(c: Reliability) -> dict[str, Any]:
    return {field: scalar(value) for field, value in asdict(c).items() if field != "key"}


def _plain_paradox(p: Paradox) -> dict[str, Any]:
    plain_fields = {field: scalar(value) for field, value in asdict(replace(p, prevalence={})).items()}
    return {**plain_fields, "prevalence": {str(label): share for label, share in p.prevalence.items()}}
