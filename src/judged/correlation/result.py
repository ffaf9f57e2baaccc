"""`Correlation` of two rankings and `Correlations` of several: values per query, intervals, tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.tables import Id
from judged.correlation.inputs import Kind
from judged.errors import UsageError, Warned, shown
from judged.stats.rank_correlation.registry import asked
from judged.stats.summary import mean
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number, plain_data

__all__ = ["Correlation", "Correlations"]

Interval = tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Correlation(Result):
    """Coefficients of two rankings: a value for each query of two runs, one value for anything else.

    >>> from judged.correlation.correlate import correlate
    >>> result = correlate({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, "tau_a overlap@2")
    >>> result.mean()
    {'tau_a': 0.3333333333333333, 'overlap@2': 0.5}
    """

    kind: Kind
    names: tuple[str, str]
    coefficients: tuple[str, ...]
    queries: tuple[Id, ...]  # of two runs; else none
    items: NDArray[np.int64]  # documents behind the coefficients of pairs, for each query
    columns: dict[str, Floats]
    intervals: dict[str, Interval]
    p_values: dict[str, float | None] = field(default_factory=dict)  # of two orders
    conventions: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # in words: what was taken for what, and how much is the same
    warnings: tuple[Warned, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, coefficient: str) -> Floats:
        """One value per query, in the order of `queries`; one in all for two orders."""
        name = str(asked([coefficient])[0])
        if name not in self.columns:
            raise UsageError("not-asked", f"one of {', '.join(self.columns)}", got=shown(name), value=name)
        return self.columns[name]

    def mean(self) -> dict[str, float]:
        """Each coefficient: the mean over the queries for which it is defined, or the one value."""
        return {name: mean(column[~np.isnan(column)]) for name, column in self.columns.items()}

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data; missing values are None."""
        return {
            "judged": 1,
            "a": self.names[0],
            "b": self.names[1],
            "kind": self.kind,
            "conventions": self.conventions,
            "notes": list(self.notes),
            "warnings": [w.to_dict() for w in self.warnings],
            "summary": {name: plain_data(value) for name, value in self.mean().items()},
            "intervals": self.intervals,
            "p_values": {name: plain_data(value) for name, value in self.p_values.items()},
            "queries": list(self.queries),
            "items": self.items.tolist(),
            "values": {name: [plain_data(v) for v in column.tolist()] for name, column in self.columns.items()},
        }

    def to_json(self) -> str:
        """Everything, as strict JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def _frame(self) -> dict[str, Any]:
        first = {"query": [str(q) for q in self.queries]} if self.kind == "runs" else {}
        return {**first, "items": self.items, **self.columns}

    def to_pandas(self) -> Any:
        """A pandas frame: one row a query (the index), one column a coefficient."""
        import pandas as pd

        frame = pd.DataFrame(self._frame())
        return frame.set_index("query") if self.kind == "runs" else frame

    def to_polars(self) -> Any:
        """A polars frame with a column `query`, for runs, and one for each coefficient."""
        import polars as pl

        return pl.DataFrame(self._frame())

    # ── reading it ───────────────────────────────────────────────────────────────────────────────

    def table(self, *, places: int = 4) -> Table:
        """The summary as plain data."""
        runs, values = self.kind == "runs", self.mean()
        last = ("queries",) if runs else ("p-value", "items")
        headers = ("coefficient", "mean" if runs else "value", f"{self.conventions['level']:.0%} interval", *last)
        rows = []
        for name, value in values.items():
            between = self.intervals[name]
            ends = "" if between is None else f"[{number(between[0], places)}, {number(between[1], places)}]"
            p = self.p_values.get(name)
            defined = str(int((~np.isnan(self.columns[name])).sum()))
            end = (defined,) if runs else ("" if p is None else f"{p:.3g}", str(int(self.items[0])))
            rows.append((name, number(value, places), ends, *end))
        return Table(headers, tuple(rows), title=_label(self.names), notes=self._notes())

    def per_query(self, *, places: int = 4) -> Table:
        """A row a query, the lowest of the first coefficient first: what changed most. Queries without a value come last."""
        values = [[number(v, places) for v in column.tolist()] for column in self.columns.values()]
        rows = list(zip(map(str, self.queries or ("",)), map(str, self.items.tolist()), *values, strict=True))
        order = np.argsort(self.columns[self.coefficients[0]], kind="stable")  # NaN is the highest
        notes = (f"by {self.coefficients[0]}, the most changed first",) if len(rows) > 1 else ()
        return Table(("query", "documents", *self.columns), tuple(rows[i] for i in order), notes=notes)

    def settings(self) -> list[str]:
        """What was compared, and by which conventions, in words."""
        said, what = self.conventions, "documents" if self.kind == "runs" else "items"
        of = {"both": f"pairs of {what} that both hold", "union": f"pairs of all {what}, missing ones tied last"}
        words = [of[said["documents"]]]
        if said["depth"] is not None:
            words.append(f"depth {said['depth']}")
        biased = [name for name in self.coefficients if name.startswith("rbo")]
        if biased:
            common = "" if all("(" in name for name in biased) else f"p={said['p']:g}, "
            words.append(f"RBO: {common}ties: {said['ties']}")
        if "tau_ap" in self.coefficients:
            words.append("tau_ap: ranks of the first, against the second")
        return words

    def _notes(self) -> tuple[str, ...]:
        head = [counted(len(self), "query", "queries")] if self.kind == "runs" else []
        return (" · ".join([*head, *self.settings()]), *self.notes, *(f"warning: {w}" for w in self.warnings))

    __repr__ = Result.__str__


@dataclass(frozen=True, eq=False)
class Correlations(Result):
    """The correlation of every pair of several rankings, in the order they were given in.

    >>> from judged.correlation.correlate import correlate_all
    >>> found = correlate_all({"x": [1, 2, 3], "y": [1, 3, 2], "z": [3, 2, 1]}, "tau_a")
    >>> [(pair.names, round(pair.mean()["tau_a"], 4)) for pair in found.pairs]
    [(('x', 'y'), 0.3333), (('x', 'z'), -1.0), (('y', 'z'), -0.3333)]
    """

    names: tuple[str, ...]
    pairs: tuple[Correlation, ...]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def coefficients(self) -> tuple[str, ...]:
        return self.pairs[0].coefficients

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """One for each kind of warning: in how many pairs, and the first of them."""
        found: dict[str, list[str]] = {}
        for pair in self.pairs:
            for slug, text in {w.slug: w.text for w in reversed(pair.warnings)}.items():
                found.setdefault(slug, []).append(f"{_label(pair.names)}: {text}")
        return tuple(
            Warned(slug, len(texts), texts[0] + (f"; likewise in {len(texts) - 1} more of {len(self)} pairs" if texts[1:] else ""))
            for slug, texts in found.items()
        )  # fmt: skip

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: a list of pairs, each as `Correlation.to_dict` has it."""
        return {"judged": 1, "names": list(self.names), "pairs": [pair.to_dict() for pair in self.pairs]}

    def to_json(self) -> str:
        """Everything, as strict JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def _frame(self) -> dict[str, list[Any]]:
        means = [pair.mean() for pair in self.pairs]
        first = {side: [pair.names[i] for pair in self.pairs] for i, side in enumerate("ab")}
        return {**first, **{name: [mean[name] for mean in means] for name in self.coefficients}}

    def to_pandas(self) -> Any:
        """A pandas frame: a row a pair (columns `a` and `b`), a column a coefficient."""
        import pandas as pd

        return pd.DataFrame(self._frame())

    def to_polars(self) -> Any:
        """A polars frame: a row a pair (columns `a` and `b`), a column a coefficient."""
        import polars as pl

        return pl.DataFrame(self._frame())

    # ── reading it ───────────────────────────────────────────────────────────────────────────────

    def table(self, *, places: int = 4) -> Table:
        """A row a pair: the mean of each coefficient over queries, or its one value."""
        runs = self.pairs[0].kind == "runs"
        rows = []
        for pair in self.pairs:
            values = [number(value, places) for value in pair.mean().values()]
            count = len(pair) if runs else int(pair.items[0])
            rows.append((*(name.rpartition("/")[2] for name in pair.names), *values, str(count)))
        headers = ("a", "b", *self.coefficients, "queries" if runs else "items")
        notes = (" · ".join(self.pairs[0].settings()), *(f"warning: {w}" for w in self.warnings))
        return Table(headers, tuple(rows), title=f"{len(self.names)} {'runs' if runs else 'orders'}, pair by pair",
                     notes=notes, words=(0, 1))  # fmt: skip

    __repr__ = Result.__str__


def _label(names: tuple[str, str]) -> str:
    return " ~ ".join(name.rpartition("/")[2] for name in names)
