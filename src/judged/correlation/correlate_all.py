"""How alike several runs, or several orders of systems, are: every pair of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from judged.core.tables import Run
from judged.correlation.correlate import Correlation, correlate
from judged.correlation.inputs import once
from judged.errors import UsageError, Warned, shown
from judged.stats.rank_correlation.registry import CorrelationRequest
from judged.tables.table import Table, Tabled

__all__ = ["Correlations", "correlate_all"]


@dataclass(frozen=True, eq=False)
class Correlations(Tabled):
    """The correlation of every pair of several rankings, in the order they were given in.

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
                found.setdefault(slug, []).append(f"{_title(pair)}: {text}")
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
            values = ["–" if value != value else f"{value:.{places}f}" for value in pair.mean().values()]
            count = len(pair) if runs else int(pair.items[0])
            rows.append((*(name.rpartition("/")[2] for name in pair.names), *values, str(count)))
        headers = ("a", "b", *self.coefficients, "queries" if runs else "items")
        notes = (" · ".join(self.pairs[0].settings()), *(f"warning: {w}" for w in self.warnings))
        return Table(headers, tuple(rows), title=f"{len(self.names)} {'runs' if runs else 'orders'}, pair by pair",
                     notes=notes, words=(0, 1))  # fmt: skip

    __repr__ = Tabled.__str__


def correlate_all(
    rankings: Mapping[str, Any] | Iterable[Any],
    measures: str | CorrelationRequest | Iterable[str | CorrelationRequest] | None = None,
    **options: Any,
) -> Correlations:
    """How alike several rankings are: `correlate` of every pair, the earlier one first.

    Args:
        rankings: {name: ranking}, or a list of rankings; each in a form that `correlate` takes, and all in the same.
        measures: coefficients by name, as in `correlate`.
        options: the other arguments of `correlate`, but `names`.

    Raises:
        UsageError: fewer than two rankings; and whatever `correlate` refuses.
    """
    if isinstance(rankings, str | bytes) or not isinstance(rankings, Iterable):
        raise UsageError("form", "{name: ranking} or a list of rankings", got=shown(rankings), value=rankings)
    given = list(rankings.items()) if isinstance(rankings, Mapping) else [(None, one) for one in rankings]
    if len(given) < 2:
        raise UsageError("form", "two rankings or more", got=str(len(given)), hint="correlate_all({name: run, …})")
    read = [(name, once(source)) for name, source in given]
    called = [_called(name, source, place) for place, (name, source) in enumerate(read, 1)]
    sources = [replace(s, name=name) if isinstance(s, Run) else s for name, (_, s) in zip(called, read, strict=True)]
    pairs = combinations(zip(called, sources, strict=True), 2)
    wanted = measures if measures is None or isinstance(measures, str | CorrelationRequest) else list(measures)
    found = [correlate(x, y, wanted, **options, names=(a, b)) for (a, x), (b, y) in pairs]
    return Correlations(tuple(called), tuple(found))


def _called(name: object, source: Any, place: int) -> str:
    if name is not None:
        return str(name)
    return source.name if isinstance(source, Run) and source.name != "run" else str(place)


def _title(pair: Correlation) -> str:
    return " ~ ".join(name.rpartition("/")[2] for name in pair.names)
