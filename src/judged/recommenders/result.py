"""What recommendations are worth beyond accuracy: values per user, and of the whole run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from judged._types import Floats
from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import UsageError, Warned, shown
from judged.evaluation.result.values import Values
from judged.evaluation.slices import slices_of
from judged.recommenders.as_measures import comparable
from judged.recommenders.inputs import Recommended
from judged.recommenders.lists import RecommendedLists
from judged.recommenders.registry import Beyond, parse_beyond
from judged.stats.intervals import bootstraps
from judged.stats.summary import mean
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import counted, number, plain_data

__all__ = ["BeyondAccuracy", "measured"]


@dataclass(frozen=True, eq=False)
class BeyondAccuracy(Result):
    """Measures beyond accuracy: some have a value for each user, others one for the whole run.

    Only the former have intervals, and can be compared: how often an item is recommended at all is not a mean over users.
    """

    name: str
    k: int
    users: tuple[Id, ...]
    measures: tuple[Beyond, ...]
    columns: dict[str, Floats]  # per user; NaN where a user has no value
    totals: dict[str, float]  # of the whole run
    warnings: tuple[Warned, ...] = ()
    lists: RecommendedLists | None = field(default=None, repr=False)

    def __getitem__(self, measure: str | Beyond) -> Floats:
        """One value per user, in the order of `users`."""
        key = self._key(measure)
        if key in self.columns:
            return self.columns[key]
        raise UsageError(
            "not-asked", "a measure with a value per user", got=f"{key}, which is of the whole run", value=key
        )

    def summary(self) -> dict[str, float]:
        """Each measure as one number: the mean over users who have a value, or the value of the run."""
        return {str(m): self._one(str(m)) for m in self.measures}

    def _one(self, key: str) -> float:
        if key in self.totals:
            return self.totals[key]
        return mean(self.columns[key][~np.isnan(self.columns[key])])

    def interval(self, measure: str | Beyond, *, level: float = 0.95, seed: int = 0) -> tuple[float, float] | None:
        """A bootstrap interval of the mean over users; None for a measure of the whole run, and below two users."""
        return self.intervals(level=level, seed=seed).get(self._key(measure))

    def intervals(self, *, level: float = 0.95, seed: int = 0) -> dict[str, tuple[float, float] | None]:
        """The intervals of all measures that have a value per user."""
        found = bootstraps(list(self.columns.values()), level=level, seed=seed) if self.columns else []
        return dict(zip(self.columns, found, strict=True))

    def values(self) -> Values:
        """The measures per user as `Values`, so that runs can be compared: `compare({"a": a.values(), "b": b.values()})`.

        `compare` calls the larger value better, or the smaller one where the measure says so; whether it is, is yours to say.
        """
        own = [m for m in self.measures if str(m) in self.columns]
        if not own:
            raise UsageError("not-asked", "a measure with a value per user", got="measures of the whole run only")
        named = [(comparable(m), self.columns[str(m)]) for m in own]
        columns = {str(measure): column for measure, column in named}
        return Values(self.users, tuple(m for m, _ in named), columns, Policy(), names=("history", self.name))

    def by(self, slices: Any) -> RecordTable:
        """Every measure within groups of users: {user: group}, or (table of users, name of a column).

        A measure of the whole run is computed again, from the lists of the group; popularity stays that of the whole history.
        """
        if self.lists is None:
            raise UsageError("no-source", "a result with its lists", got="one without")
        parts = slices_of(slices, self.users, None)
        notes = tuple(f"warning: {w}" for w in parts.warnings)
        rows = [
            (label, int(mask.sum()), *(_value(m, self.lists.only(mask)) for m in self.measures))
            for label, mask in parts.groups
        ]
        columns = zip(*rows, strict=True)
        names = ("slice", "users", *map(str, self.measures))
        return RecordTable(dict(zip(names, columns, strict=True)), words=("slice",), title=self.name, notes=notes)

    def listing(self) -> RecordTable:
        ends = {**dict.fromkeys(map(str, self.measures)), **self.intervals()}
        names = [str(m) for m in self.measures]
        return RecordTable(
            {
                "measure": tuple(names),
                "of": tuple(m.declared.of for m in self.measures),
                "value": tuple(self._one(name) for name in names),
                "low": tuple(None if (e := ends[name]) is None else e[0] for name in names),
                "high": tuple(None if (e := ends[name]) is None else e[1] for name in names),
                "users": tuple(self._users(name) for name in names),
            },
            words=("measure", "of"),
        )

    def _users(self, name: str) -> int:
        return int((~np.isnan(self.columns[name])).sum()) if name in self.columns else len(self.users)

    def table(self, *, places: int = 4) -> Table:
        rows = tuple(
            (name, number(int(value) if m.declared.whole else value, places),
             "" if low is None else f"[{number(low, places)}, {number(high, places)}]",
             "each user" if of == "user" else "the run", str(users))
            for m, (name, of, value, low, high, users) in zip(self.measures, self.listing(), strict=True)
        )  # fmt: skip
        notes = (f"{counted(len(self.users), 'user')} · {self.k} recommendations each, at most",
                 *(f"warning: {w}" for w in self.warnings))  # fmt: skip
        headers = ("measure", "value", "95% interval", "of", "users")
        return Table(headers, rows, title=f"{self.name} beyond accuracy", notes=notes, words=(0, 3))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        rows = self.listing().to_dicts()
        per_user = {name: [plain_data(v) for v in column.tolist()] for name, column in self.columns.items()}
        return {"judged": 1, "run": self.name, "k": self.k, "measures": rows, "users": list(self.users), "values": per_user,
                "warnings": [w.to_dict() for w in self.warnings]}  # fmt: skip

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), allow_nan=False)

    def _key(self, measure: str | Beyond) -> str:
        names = [str(m) for m in self.measures]
        if str(measure) in names:
            return str(measure)
        found = [str(m) for m in parse_beyond(measure)]
        near = [name for name in names if name in found or name.partition("@")[0] in found]
        if len(found) == 1 and len(near) == 1:
            return near[0]
        raise UsageError("not-asked", f"one of {', '.join(names)}", got=shown(str(measure)), value=str(measure))

    __repr__ = Result.__str__


def measured(found: Recommended, measures: tuple[Beyond, ...], k: int) -> BeyondAccuracy:
    """The measures, computed; users without a value are counted."""
    values = {str(m): m.on(found.lists) for m in measures}
    per_user = {str(m): values[str(m)] for m in measures if m.declared.of == "user"}
    for column in per_user.values():
        column.flags.writeable = False
    gaps = {name: int(np.isnan(column).sum()) for name, column in per_user.items()}
    missing = tuple(
        Warned("values-missing", gap, f"{counted(gap, 'user')} without a value of {name} left out of it")
        for name, gap in gaps.items()
        if gap
    )
    totals = {str(m): float(values[str(m)][0]) for m in measures if m.declared.of == "run"}
    return BeyondAccuracy(found.name, k, found.users, measures, per_user, totals, found.warnings + missing, found.lists)


def _value(measure: Beyond, lists: RecommendedLists) -> float:
    value = measure.on(lists)
    return mean(value[~np.isnan(value)])
