"""How alike two runs, two rankings, or two orders of systems are."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from judged._types import Floats
from judged.core.numeric.seed import whole_seed
from judged.core.tables import Id
from judged.correlation.alignment import AlignedPair, Documents
from judged.correlation.inputs import Kind, ordered
from judged.correlation.remarks import notes, short, undefined
from judged.errors import UsageError, Warned, shown
from judged.io.system_scores import read_scores
from judged.stats.intervals import bootstraps
from judged.stats.rank_correlation.intervals import intervals, p_value
from judged.stats.rank_correlation.rbo_and_overlap import Ties
from judged.stats.rank_correlation.registry import CorrelationRequest, asked
from judged.stats.summary import mean
from judged.tables.table import Table, Tabled

__all__ = ["DEFAULT", "Correlation", "correlate", "read_scores"]

DEFAULT = "tau_b tau_ap_b rbo overlap@10"  # the variants in which a run with ties is equal to itself
_DEFAULT_OF_ITEMS = "tau_b tau_ap_b rbo"  # orders hold the same items: their first ten may well be all of them
Interval = tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Correlation(Tabled):
    """Coefficients of two rankings: a value for each query of two runs, one value for anything else.

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
            "warnings": [{"code": w.slug, "count": w.count, "text": w.text} for w in self.warnings],
            "summary": {name: _finite(value) for name, value in self.mean().items()},
            "intervals": self.intervals,
            "p_values": {name: _finite(value) for name, value in self.p_values.items()},
            "queries": list(self.queries),
            "items": self.items.tolist(),
            "values": {name: [_finite(v) for v in column.tolist()] for name, column in self.columns.items()},
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
            ends = "" if between is None else f"[{_text(between[0], places)}, {_text(between[1], places)}]"
            chance = self.p_values.get(name)
            counted = str(int((~np.isnan(self.columns[name])).sum()))
            end = (counted,) if runs else ("" if chance is None else f"{chance:.3g}", str(int(self.items[0])))
            rows.append((name, _text(value, places), ends, *end))
        return Table(
            headers, tuple(rows), title=" ~ ".join(n.rpartition("/")[2] for n in self.names), notes=self._notes()
        )

    def per_query(self, *, places: int = 4) -> Table:
        """A row a query, the lowest of the first coefficient first: what changed most. Queries without a value come last."""
        values = [[_text(v, places) for v in column.tolist()] for column in self.columns.values()]
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
        head = [f"{len(self)} {'query' if len(self) == 1 else 'queries'}"] if self.kind == "runs" else []
        return (" · ".join([*head, *self.settings()]), *self.notes, *(f"warning: {w}" for w in self.warnings))

    __repr__ = Tabled.__str__


def correlate(
    a: Any,
    b: Any = None,
    measures: str | CorrelationRequest | Iterable[str | CorrelationRequest] | None = None,
    *,
    depth: int | None = None,
    p: float = 0.9,
    ties: Ties = "b",
    documents: Documents = "both",
    level: float = 0.95,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Correlation:
    """How alike two rankings are, by the coefficients of `judged.stats.rank_correlation.COEFFICIENTS`.

    What is compared is told by type, and both sides are of one: *runs* (a path, a frame, {query: {doc: score}} or whatever else `read_run`
    takes) query by query, with means and their bootstrap intervals over queries; mappings {name: number}, pandas Series, or
    `Values` of one measure, aligned by name; columns of numbers, aligned by position; lists of ids (text), the best first, or pairs
    (ids, scores). A list of whole numbers is a column of scores. A frame alone needs two columns of numbers.

    Higher scores are better, and equal scores are ties: no order is made up for them. tau_ap takes its ranks from `a` and holds them
    against `b`; somers_d explains `b` by `a`; the other coefficients are symmetric.

    Args:
        a: the first ranking.
        b: the second; the reference, where a coefficient has one.
        measures: coefficients by name: `"tau_b rbo(p=0.98) overlap@20"`. By default `"tau_b tau_ap_b rbo overlap@10"`, without
            overlap for mappings and columns.
        depth: look at the first `depth` documents only; a tie that begins within it stays whole.
        p: the persistence of RBO, where its name has none of its own.
        ties: in RBO and overlap: "b" corrected, so that equal rankings have 1; "a" the mean over all orders; "w" tied items
            at one rank.
        documents: coefficients of pairs see the documents that "both" hold, or the "union", where a document that one side
            does not hold is tied with the others like it below all that it does. RBO and overlap always see the whole lists.
        level: of the intervals.
        seed: of the resamples.
        names: what to call the two.

    Raises:
        DataError: no query or no item in common; a document twice in one ranking; scores that cannot be compared.
        UsageError: an unknown coefficient, forms that do not go together, a parameter out of range.

    >>> print(correlate([3, 2, 1], [3, 1, 2], "tau_b spearman").mean())
    {'tau_b': 0.3333333333333333, 'spearman': 0.5}
    """
    wanted = asked(DEFAULT if measures is None else measures)
    _check(wanted, depth, documents, level)
    _check_names(names)
    seed = whole_seed(seed)
    kind, found, both = ordered(a, b, depth, documents)
    if measures is None and kind in ("items", "scores"):
        wanted = asked(_DEFAULT_OF_ITEMS)
    columns = {str(one): _frozen(_values(one, both, p, ties)) for one in wanted}
    runs = kind == "runs"
    ends = (
        bootstraps(list(columns.values()), level=level, seed=seed)
        if runs
        else intervals(both.columns, wanted, level=level, seed=seed)
    )
    return Correlation(
        kind=kind,
        names=found if names is None else (names[0], names[1]),
        coefficients=tuple(columns),
        queries=both.queries,
        items=both.columns.sizes,
        columns=columns,
        intervals=dict(zip(columns, ends, strict=True)),
        p_values={} if runs else {str(o): p_value(both.columns, o, float(columns[str(o)][0])) for o in wanted},
        conventions={"documents": documents, "depth": depth, "p": p, "ties": ties, "level": level, "seed": seed},
        notes=notes(wanted, both, kind, framed=b is None),
        warnings=(*both.warnings, *short(wanted, both, kind), *undefined(columns, both, kind)),
    )


def _values(one: CorrelationRequest, both: AlignedPair, p: float, ties: Ties) -> Floats:
    coefficient = one.coefficient
    if coefficient.pairs is not None:
        return coefficient.pairs(both.columns)
    assert coefficient.depths is not None
    return coefficient.depths(both.rankings, one.k, p if one.p is None else one.p, ties)


def _check(wanted: list[CorrelationRequest], depth: object, documents: object, level: object) -> None:
    if depth is not None and (type(depth) is not int or depth < 1):
        raise UsageError("depth", "a depth that is a whole number from 1, or None", got=shown(depth), value=depth)
    if documents not in get_args(Documents):
        raise UsageError("parameter", "documents to be both or union", got=shown(documents), value=documents)
    if not isinstance(level, float) or not 0 < level < 1:
        raise UsageError("parameter", "a level between 0 and 1", got=shown(level), value=level)
    if documents == "union" and any(one.coefficient.name == "pearson" for one in wanted):
        raise UsageError("parameter", "documents='both' for pearson", got="'union'",
                         hint="a document that a run does not hold has no score")  # fmt: skip


def _check_names(names: Any) -> None:
    if names is None:
        return
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise UsageError("names", "two names, as text", got=shown(names), value=names)


def _frozen(values: Floats) -> Floats:
    values.flags.writeable = False
    return values


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


def _text(value: float, places: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{places}f}"
