"""Measures beyond accuracy of recommendations: values per user, and of the whole run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import Hint, UsageError, Warned
from judged.evaluation.values import Values, find_measure
from judged.measures.profiles import UNCHANGED
from judged.measures.registry import Measure
from judged.recommenders.lists import read_recommendations, warnings_of
from judged.recommenders.measures import BEYOND, parse_beyond, values_of
from judged.stats.checks import check_count
from judged.stats.intervals import interval, mean
from judged.steps import step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted


def beyond_accuracy(
    run: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
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
        measures: names, such as `"Coverage Gini@5 ILS"`; by default all that the arguments allow. See docs/guides/recommenders.md.
        k: number of recommendations per user, for measures without their own cutoff.
        items: the catalogue: ids, or their number.
        history: past interactions, usually the training data: a file or frame with users and items (ratings are ignored),
            pairs, {user: items}, or a sparse matrix.
        vectors: {item: vector}, or (ids, matrix).
        qrels: relevant items of each user, any input of `read_qrels`.
        level: lowest relevant grade.
        categories: {item: category or list of categories}.

    Raises:
        UsageError: a measure needs an argument that is missing.

    >>> result = beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, "Coverage Distinct", items=["a", "b", "c", "d"], k=2)
    >>> result.summary()
    {'Coverage@2': 0.75, 'Distinct@2': 3}
    """
    k = check_count(k, "k", slug="cutoff")
    side = {"items": items, "history": history, "vectors": vectors, "qrels": qrels, "categories": categories}
    if measures is None:  # all whose arguments are present
        given = {name for name, value in side.items() if value is not None}
        measures = [Measure(d) for d in BEYOND if given.issuperset(d.arguments)]
    chosen = parse_beyond(measures, k)
    for m in chosen:
        for argument in m.definition.arguments:
            if side[argument] is None:
                hint = Hint(f"pass {{{argument}}}", **{argument: None})
                raise UsageError("parameter", f"{m} needs {argument}", hint=hint, value=argument)
    name, users, lists = read_recommendations(run, max(m.get("cutoff") for m in chosen), level=level, **side)
    with step("measuring"):
        columns = {m: values_of(m, lists) for m in chosen}
    popularity = any(m.definition.of == "user" and "history" in m.definition.arguments for m in chosen)
    warnings = warnings_of(lists, popularity=popularity)
    for m, column in columns.items():
        column.flags.writeable = False
        if m.definition.of == "user" and (gap := int(np.isnan(column).sum())):
            warnings.append(Warned("values-missing", gap, f"{m}: {counted(gap, 'user')} without a value excluded"))
    return BeyondAccuracy(name, k, users, columns, tuple(warnings))


@dataclass(frozen=True, eq=False, repr=False)
class BeyondAccuracy(Result):
    """Measures beyond accuracy: some have a value for each user, others one for the whole run.

    Only the former have intervals and can be compared: how often an item is recommended is not a mean over users.
    """

    name: str
    k: int
    users: tuple[Id, ...]
    columns: dict[Measure, Floats]  # per user, NaN for a user without a value; or a single value of the run
    warnings: tuple[Warned, ...]

    def __getitem__(self, measure: str | Measure) -> Floats:
        """One value per user, in the order of `users`; the cutoff may be left out of the name."""
        [asked] = parse_beyond(measure, self.k)
        return self.columns[find_measure(asked, list(self._of_users()), UNCHANGED)]

    def _of_users(self) -> dict[Measure, Floats]:
        return {m: column for m, column in self.columns.items() if m.definition.of == "user"}

    def summary(self) -> dict[str, float]:
        """One number per measure: the mean over users with a value, or the value of the run."""
        return {row["measure"]: row["value"] for row in self.records()}

    def values(self) -> Values:
        """The measures per user as `Values`, to compare runs: `compare({"a": a.values(), "b": b.values()})`.

        `compare` calls the larger value better, or the smaller one if the measure says so; this need not be what your application wants.
        """
        own = self._of_users()
        if not own:
            problem = "all measures are of the whole run, none has a value per user"
            raise UsageError("not-asked", problem, hint="add one, such as Novelty")
        named = {str(m): column for m, column in own.items()}
        return Values(self.users, tuple(own), named, Policy(), names=("history", self.name))

    def records(self) -> list[dict[str, Any]]:
        """One row per measure: the mean over users with Student's t interval, or the value of the run; and the number of users with a value."""
        own, rows = self._of_users(), []
        ends = interval(list(own.values()), limits=[m.definition.limits for m in own])
        intervals = dict(zip(own, ends, strict=True))
        for m, column in self.columns.items():
            of, known = m.definition.of, column[~np.isnan(column)]
            value = int(mean(known)) if m.definition.whole else mean(known)
            low, high = intervals.get(m) or (None, None)
            users = len(known) if of == "user" else len(self.users)
            rows.append({"measure": str(m), "of": of, "value": value, "low": low, "high": high, "users": users})
        return rows

    def tables(self, *, places: int = 4) -> list[Table]:
        """The records as one table."""
        users = f"{counted(len(self.users), 'user')} · at most {self.k} recommendations each"
        notes = (users, *(f"warning: {w}" for w in self.warnings))
        table = RecordTable.of(
            self.records(), words=("measure", "of"), title=f"{self.name} beyond accuracy", notes=notes
        )
        return table.tables(places=places)

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "run": self.name,
            "k": self.k,
            "measures": self.records(),
            "users": self.users,
            "values": {str(m): column for m, column in self._of_users().items()},
            "warnings": [w.to_dict() for w in self.warnings],
        }
