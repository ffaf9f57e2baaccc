"""`Correlation` of two rankings and `Correlations` of several: values per query, intervals, tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.tables import Id
from judged.correlation.inputs import Kind
from judged.errors import UsageError, Warned, shown
from judged.stats.rank_correlation.registry import parse_coefficients
from judged.stats.summary import mean
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number

Interval = tuple[float, float] | None


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Coefficients of two rankings: one value per query of two runs, one value for anything else.

    `all_queries`: tables and records list every query.

    >>> from judged.correlation.correlate import correlate
    >>> result = correlate({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, "tau_a overlap@2")
    >>> result.mean()
    {'tau_a': 0.3333333333333333, 'overlap@2': 0.5}
    """

    kind: Kind
    names: tuple[str, str]
    coefficients: tuple[str, ...]
    queries: tuple[Id, ...]  # empty unless runs were compared
    items: NDArray[np.int64]  # number of documents in the coefficients of pairs, per query
    columns: dict[str, Floats]
    intervals: dict[str, Interval]
    p_values: dict[str, float | None] = field(default_factory=dict)  # empty for runs
    conventions: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    all_queries: bool = False

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, coefficient: str) -> Floats:
        """Return the values of a coefficient: one per query in the order of `queries`, or a single one."""
        name = str(parse_coefficients([coefficient])[0])
        if name not in self.columns:
            hint = f"choose one of {', '.join(self.columns)}"
            raise UsageError("not-asked", f"{shown(name)} was not computed", hint=hint, value=name)
        return self.columns[name]

    def mean(self) -> dict[str, float]:
        """Return the mean of each coefficient over the queries for which it is defined, or its only value."""
        return {name: mean(column[~np.isnan(column)]) for name, column in self.columns.items()}

    def records(self) -> list[dict[str, Any]]:
        """One row per coefficient, with the query "all"; with `all_queries`, one per query before it."""
        means, records = self.mean(), []
        total = None if self.kind == "runs" else int(self.items[0])
        for name, column in self.columns.items():
            if self.all_queries and self.kind == "runs":
                queries = zip(self.queries, column.tolist(), self.items.tolist(), strict=True)
                records += [_record(name, query, value, items) for query, value, items in queries]
            records.append(_record(name, "all", means[name], total, self.intervals[name], self.p_values.get(name)))
        return records

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "kind": self.kind,
            "conventions": self.conventions,
            "notes": self.notes,
            "warnings": [w.to_dict() for w in self.warnings],
            "summary": self.mean(),
            "intervals": self.intervals,
            "p_values": self.p_values,
            "queries": self.queries,
            "items": self.items,
            "values": self.columns,
        }

    def _frame(self) -> dict[str, Any]:
        ids = {"query": [str(q) for q in self.queries]} if self.kind == "runs" else {}
        return {**ids, "items": self.items, **self.columns}

    def to_pandas(self) -> Any:
        """A pandas frame with one row per query (the index, for runs) and one column per coefficient."""
        import pandas as pd

        frame = pd.DataFrame(self._frame())
        return frame.set_index("query") if self.kind == "runs" else frame

    def to_polars(self) -> Any:
        """A polars frame with one row per query and one column per coefficient."""
        import polars as pl

        return pl.DataFrame(self._frame())

    def tables(self, *, places: int = 4) -> list[Table]:
        """The means with intervals; with `all_queries`, the values per query first."""
        runs = self.kind == "runs"
        last = ("queries",) if runs else ("p-value", "items")
        headers = ("coefficient", "mean" if runs else "value", f"{self.conventions['level']:.0%} interval", *last)
        rows = []
        for name, value in self.mean().items():
            interval, p = self.intervals[name], self.p_values.get(name)
            ends = "" if interval is None else f"[{number(interval[0], places)}, {number(interval[1], places)}]"
            defined = str(int((~np.isnan(self.columns[name])).sum()))
            end = (defined,) if runs else ("" if p is None else f"{p:.3g}", str(int(self.items[0])))
            rows.append((name, number(value, places), ends, *end))
        size = [counted(len(self), "query", "queries")] if runs else []
        notes = (" · ".join([*size, *self.settings()]), *self.notes, *(f"warning: {w}" for w in self.warnings))
        summary = Table(headers, tuple(rows), title=_label(self.names), notes=notes)
        return [self.per_query(places=places), summary] if self.all_queries and runs else [summary]

    def per_query(self, *, places: int = 4) -> Table:
        """Values per query, the lowest of the first coefficient first; undefined ones come last."""
        values = [[number(v, places) for v in column.tolist()] for column in self.columns.values()]
        rows = list(zip(map(str, self.queries or ("",)), map(str, self.items.tolist()), *values, strict=True))
        order = np.argsort(self.columns[self.coefficients[0]], kind="stable")  # NaN is the highest
        notes = (f"ordered by {self.coefficients[0]}, the lowest first",) if len(rows) > 1 else ()
        return Table(("query", "documents", *self.columns), tuple(rows[i] for i in order), notes=notes)

    def settings(self) -> list[str]:
        """Describe what was compared, and by which conventions."""
        chosen, what = self.conventions, "documents" if self.kind == "runs" else "items"
        pairs = {"both": f"pairs of shared {what}", "union": f"pairs of all {what}, missing ones tied last"}
        words = [pairs[chosen["documents"]]]
        if chosen["depth"] is not None:
            words.append(f"depth {chosen['depth']}")
        rbo = [name for name in self.coefficients if name.startswith("rbo")]
        if rbo:
            common = "" if all("(" in name for name in rbo) else f"p={chosen['p']:g}, "
            words.append(f"RBO: {common}ties: {chosen['ties']}")
        if "tau_ap" in self.coefficients:
            words.append("tau_ap: ranks of the first, compared with the second")
        return words


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(Result):
    """Correlation of every pair of several rankings, in input order.

    >>> from judged.correlation.correlate import correlate_all
    >>> result = correlate_all({"x": [1, 2, 3], "y": [1, 3, 2], "z": [3, 2, 1]}, "tau_a")
    >>> [(pair.names, round(pair.mean()["tau_a"], 4)) for pair in result.pairs]
    [(('x', 'y'), 0.3333), (('x', 'z'), -1.0), (('y', 'z'), -0.3333)]
    """

    names: tuple[str, ...]
    pairs: tuple[Correlation, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Correlation]:
        return iter(self.pairs)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of the coefficients."""
        return self.pairs[0].coefficients

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """One warning per kind: the first one, and the number of pairs that have it."""
        texts: dict[str, list[str]] = {}
        for pair in self.pairs:
            for slug, text in {w.slug: w.text for w in reversed(pair.warnings)}.items():
                texts.setdefault(slug, []).append(f"{_label(pair.names)}: {text}")
        return tuple(
            Warned(
                slug,
                len(found),
                found[0] + (f"; also in {len(found) - 1} more of {len(self)} pairs" if found[1:] else ""),
            )
            for slug, found in texts.items()
        )

    def records(self) -> list[dict[str, Any]]:
        """One row per pair and coefficient."""
        return [{"a": pair.names[0], "b": pair.names[1], **row} for pair in self.pairs for row in pair.records()]

    def to_data(self) -> dict[str, Any]:
        """The pairs, each as in `Correlation.to_data`."""
        return {"judged": 1, "names": self.names, "pairs": [pair.to_data() for pair in self.pairs]}

    def _frame(self) -> dict[str, list[Any]]:
        means = [pair.mean() for pair in self.pairs]
        sides = {side: [pair.names[i] for pair in self.pairs] for i, side in enumerate("ab")}
        return {**sides, **{name: [mean[name] for mean in means] for name in self.coefficients}}

    def to_pandas(self) -> Any:
        """A pandas frame with one row per pair (columns `a` and `b`) and one column per coefficient."""
        import pandas as pd

        return pd.DataFrame(self._frame())

    def to_polars(self) -> Any:
        """A polars frame with one row per pair (columns `a` and `b`) and one column per coefficient."""
        import polars as pl

        return pl.DataFrame(self._frame())

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per pair: the mean of each coefficient over queries, or its only value."""
        runs = self.pairs[0].kind == "runs"
        rows = []
        for pair in self.pairs:
            values = [number(value, places) for value in pair.mean().values()]
            count = len(pair) if runs else int(pair.items[0])
            rows.append((*(name.rpartition("/")[2] for name in pair.names), *values, str(count)))
        headers = ("a", "b", *self.coefficients, "queries" if runs else "items")
        notes = (" · ".join(self.pairs[0].settings()), *(f"warning: {w}" for w in self.warnings))
        title = f"{len(self.names)} {'runs' if runs else 'orders'}, pair by pair"
        return [Table(headers, tuple(rows), title=title, notes=notes, words=(0, 1))]


def _record(
    name: str, query: Id, value: float, items: int | None, interval: Interval = None, p: float | None = None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"coefficient": name, "query": query, "value": value, "low": low, "high": high, "p_value": p, "items": items}


def _label(names: tuple[str, str]) -> str:
    return " ~ ".join(name.rpartition("/")[2] for name in names)
