"""Measures beyond accuracy of recommendations: values per user, and of the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import UsageError, Warned, shown
from judged.evaluation.slices import slices_of
from judged.evaluation.values import Values
from judged.recommenders.lists import RecommendedLists, read_recommendations, warnings_of
from judged.recommenders.measures import BEYOND, BeyondMeasure, parse_beyond
from judged.stats.checks import check_count
from judged.stats.intervals import interval
from judged.stats.summary import mean
from judged.steps import step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import counted, number


def beyond_accuracy(
    run: Any,
    measures: str | BeyondMeasure | Iterable[str | BeyondMeasure] | None = None,
    *,
    k: int = 10,
    items: Any = None,
    history: Any = None,
    vectors: Any = None,
    qrels: Any = None,
    level: float = 1,
    categories: Any = None,
) -> BeyondAccuracy:
    """Measure coverage, concentration, popularity, novelty, diversity and fairness of recommendations.

    Args:
        run: recommendations of one system, any input of `read_run`; equal scores are ordered by id, descending, as in `evaluate`.
        measures: names, such as `"Coverage Gini(over='recommended')@5 ILD"`; by default all that the arguments allow. See docs/guides/recommenders.md.
        k: number of recommendations per user, for measures without their own cutoff.
        items: the catalogue: ids, or their number.
        history: past interactions, usually the training data: a file or frame with users and items (ratings are ignored),
            pairs, {user: items}, or a sparse matrix.
        vectors: {item: vector}, (ids, matrix), or a matrix whose rows are `items` in order (items 0, 1, 2 … without it).
        qrels: relevant items of each user, any input of `read_qrels`.
        level: lowest relevant grade.
        categories: {item: category or list of categories}.

    Raises:
        UsageError: a measure needs an argument that is missing.

    >>> result = beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, "Coverage Distinct", items=["a", "b", "c", "d"], k=2)
    >>> result.summary()
    {'Coverage@2': 0.75, 'Distinct@2': 3.0}
    """
    k = check_count(k, "k", slug="cutoff")
    side = {"items": items, "history": history, "vectors": vectors, "qrels": qrels, "categories": categories}
    if measures is None:  # all whose arguments are present: those of the run, then those of each user
        given = {name for name, value in side.items() if value is not None}
        asked = [BeyondMeasure(d) for d in sorted(BEYOND, key=lambda d: d.of) if given.issuperset(d.needs)]
    else:
        asked = parse_beyond(measures)
    chosen = tuple(m.at(k) for m in asked)
    name, users, lists = read_recommendations(run, max(m.k or k for m in chosen), level=level, **side)
    with step("measuring"):
        values = {str(m): m.on(lists) for m in chosen}
    per_user = {str(m): values[str(m)] for m in chosen if m.definition.of == "user"}
    popularity = any(m.definition.of == "user" and "history" in m.definition.needs for m in chosen)
    warnings = warnings_of(lists, popularity=popularity)
    for measure, column in per_user.items():
        column.flags.writeable = False
        if gap := int(np.isnan(column).sum()):
            text = f"{measure}: {counted(gap, 'user')} without a value excluded"
            warnings.append(Warned("values-missing", gap, text))
    totals = {str(m): float(values[str(m)][0]) for m in chosen if m.definition.of == "run"}
    return BeyondAccuracy(name, k, users, chosen, per_user, totals, tuple(warnings), lists)


@dataclass(frozen=True, eq=False, repr=False)
class BeyondAccuracy(Result):
    """Measures beyond accuracy: some have a value for each user, others one for the whole run.

    Only the former have intervals and can be compared: how often an item is recommended is not a mean over users.
    """

    name: str
    k: int
    users: tuple[Id, ...]
    measures: tuple[BeyondMeasure, ...]
    columns: dict[str, Floats]  # per user; NaN for a user without a value
    totals: dict[str, float]  # of the whole run
    warnings: tuple[Warned, ...]
    lists: RecommendedLists

    def __getitem__(self, measure: str | BeyondMeasure) -> Floats:
        """One value per user, in the order of `users`."""
        key = self._key(measure)
        if key not in self.columns:
            raise UsageError(
                "not-asked", f"{key} has one value for the whole run, not one per user", value=key, hint="see summary()"
            )
        return self.columns[key]

    def summary(self) -> dict[str, float]:
        """One number per measure: the mean over users with a value, or the value of the run."""
        return {row["measure"]: row["value"] for row in self._rows({})}

    def intervals(self, *, level: float = 0.95) -> dict[str, tuple[float, float] | None]:
        """Student's t interval of the mean over users of each measure with a value per user; None for fewer than two users."""
        ranges = [m.definition.range for m in self.measures if m.definition.of == "user"]
        limits = [(float(low), float(high)) for low, high in ranges]  # an end of 0 is printed as 0.0000, like others
        ends = interval(list(self.columns.values()), confidence=level, limits=limits) if self.columns else []
        return dict(zip(self.columns, ends, strict=True))

    def values(self) -> Values:
        """The measures per user as `Values`, to compare runs: `compare({"a": a.values(), "b": b.values()})`.

        `compare` calls the larger value better, or the smaller one if the measure says so; this need not be what your application wants.
        """
        columns = [(m.as_measure(), self.columns[str(m)]) for m in self.measures if str(m) in self.columns]
        if not columns:
            raise UsageError(
                "not-asked",
                "all measures are of the whole run, none has a value per user",
                hint="add one, such as Novelty",
            )
        named = {str(measure): column for measure, column in columns}
        return Values(self.users, tuple(m for m, _ in columns), named, Policy(), names=("history", self.name))

    def by(self, slices: Any) -> RecordTable:
        """Every measure within groups of users: {user: group}, or (table of users, name of a column).

        A measure of the whole run is computed from the lists of the group; popularity stays that of the whole history.
        """
        parts = slices_of(slices, self.users, None)
        rows = []
        for label, mask in parts.groups:
            group = self.lists.only(mask)
            values = {str(m): _known_mean(m.on(group)) for m in self.measures}
            rows.append({"slice": label, "users": int(mask.sum()), **values})
        return RecordTable.of(
            rows, words=("slice",), title=self.name, notes=tuple(f"warning: {w}" for w in parts.warnings)
        )

    def records(self) -> list[dict[str, Any]]:
        """One row per measure: a value of each user or of the run, its interval, and the number of users with a value."""
        return self._rows(self.intervals())

    def _rows(self, intervals: dict[str, tuple[float, float] | None]) -> list[dict[str, Any]]:
        rows = []
        for m in self.measures:
            key, of = str(m), m.definition.of
            users = int((~np.isnan(self.columns[key])).sum()) if of == "user" else len(self.users)
            value = _known_mean(self.columns[key]) if of == "user" else self.totals[key]
            low, high = intervals.get(key) or (None, None)
            rows.append({"measure": key, "of": of, "value": value, "low": low, "high": high, "users": users})
        return rows

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records as one table."""
        rows = tuple(
            (
                r["measure"],
                number(int(r["value"]) if m.definition.whole else r["value"], places),
                "" if r["low"] is None else f"[{number(r['low'], places)}, {number(r['high'], places)}]",
                "each user" if r["of"] == "user" else "the run",
                str(r["users"]),
            )
            for m, r in zip(self.measures, self.records(), strict=True)
        )
        notes = (
            f"{counted(len(self.users), 'user')} · at most {self.k} recommendations each",
            *(f"warning: {w}" for w in self.warnings),
        )
        headers = ("measure", "value", "95% interval", "of", "users")
        return [Table(headers, rows, title=f"{self.name} beyond accuracy", notes=notes, words=(0, 3))]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "run": self.name,
            "k": self.k,
            "measures": self.records(),
            "users": self.users,
            "values": self.columns,
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def _key(self, measure: str | BeyondMeasure) -> str:
        names = [str(m) for m in self.measures]
        if str(measure) in names:
            return str(measure)
        parsed = [str(m) for m in parse_beyond(measure)]
        near = [name for name in names if name in parsed or name.partition("@")[0] in parsed]
        if len(parsed) == 1 and len(near) == 1:
            return near[0]
        raise UsageError(
            "not-asked",
            f"{shown(str(measure))} was not computed",
            hint=f"choose one of {', '.join(names)}",
            value=str(measure),
        )


def _known_mean(values: Floats) -> float:
    return mean(values[~np.isnan(values)])
