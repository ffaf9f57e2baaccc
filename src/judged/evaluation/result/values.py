"""`Values`: one value per query and measure, and everything they were computed under."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Column
from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.measures.grammar import parse
from judged.measures.registry import Measure
from judged.stats.intervals import bootstraps
from judged.stats.summary import FLOOR, summarise
from judged.tables.result import Result
from judged.tables.table import Table

if TYPE_CHECKING:
    from judged.evaluation.explain.explain import Explanation
    from judged.evaluation.result.source import Provenance

__all__ = ["Values"]


@dataclass(frozen=True, eq=False)
class Values(Result):
    """A table of queries × measures. The per-query values are the result; the rest follows from them.

    >>> from judged.evaluation.evaluate import evaluate
    >>> result = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["b", "a"]}, "RR")
    >>> result["RR"]
    array([0.5])
    >>> result.mean()
    {'RR': 0.5}
    """

    queries: tuple[Id, ...]
    measures: tuple[Measure, ...]
    columns: dict[str, Column]
    policy: Policy
    profile: str = "trec_eval-10"
    names: tuple[str, str] = ("qrels", "run")
    coverage: dict[str, float] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    if_irrelevant: dict[str, Column] | None = None  # had all unjudged documents been judged so
    if_top: dict[str, Column] | None = None  # and had they been of the top grade
    source: Provenance | None = field(default=None, repr=False)

    # ── values ───────────────────────────────────────────────────────────────────────────────────

    def __len__(self) -> int:
        return len(self.queries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __getitem__(self, measure: str | Measure) -> Column:
        """One value per query, in the order of `queries`."""
        return self.columns[self._key(measure)]

    def __getstate__(self) -> dict[str, Any]:
        """All but the judgments and the run behind it, which explanations need."""
        return {**self.__dict__, "source": None}

    def _key(self, measure: str | Measure) -> str:
        name = str(measure)
        if name in self.columns:
            return name
        resolved = str(parse(measure))
        if resolved in self.columns:
            return resolved
        raise UsageError("not-asked", f"one of {', '.join(self.columns)}", got=shown(name), value=name)

    def of(self, query: Id) -> dict[str, Any]:
        """All values of one query."""
        if query not in self.queries:
            raise UsageError("no-query", f"one of {len(self)} queries", got=shown(query), value=query)
        row = self.queries.index(query)
        return {name: _scalar(column[row]) for name, column in self.columns.items()}

    # ── summaries ────────────────────────────────────────────────────────────────────────────────

    def mean(self) -> dict[str, float]:
        """Each measure over all queries: the mean, or what its definition says (counts are added up)."""
        return {str(m): summarise(self.columns[str(m)], m.definition.summary) for m in self._numeric()}

    def summary(self, how: str) -> dict[str, float]:
        """Each measure summed up in one way: mean, sum, geometric, median, min, max or std."""
        return {str(m): summarise(self.columns[str(m)], how) for m in self._numeric()}

    def quantile(self, q: float) -> dict[str, float]:
        """The value that a share q of the queries does not exceed."""
        return {str(m): float(np.nanquantile(self.columns[str(m)], q)) for m in self._numeric()}

    def interval(self, measure: str | Measure, *, level: float = 0.95, seed: int = 0) -> tuple[float, float] | None:
        """A bootstrap interval of the mean over queries; None for counts, and below two queries."""
        return self.intervals([measure], level=level, seed=seed).get(self._key(measure))

    def intervals(self, measures: Sequence[str | Measure] | None = None, *, level: float = 0.95, seed: int = 0,
                  ) -> dict[str, tuple[float, float] | None]:  # fmt: skip
        """The intervals of several measures (all, unless named), drawn together: several cost little more than one."""
        asked = None if measures is None else {self._key(m) for m in measures}
        how = {str(m): m.definition.summary for m in self._numeric() if asked is None or str(m) in asked}
        logs = {
            name: np.log(np.maximum(self.columns[name], FLOOR)) for name, kind in how.items() if kind == "geometric"
        }
        drawn = [name for name, kind in how.items() if kind in ("mean", "geometric")]
        ends = bootstraps([logs.get(name, self.columns[name]) for name in drawn], level=level, seed=seed)
        found = {**dict.fromkeys(how), **dict(zip(drawn, ends, strict=True))}
        for name in logs:
            if (end := found[name]) is not None:
                found[name] = (float(np.exp(end[0])), float(np.exp(end[1])))
        return found

    def _numeric(self) -> list[Measure]:
        return [m for m in self.measures if not m.definition.text]

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[Id, dict[str, Any]]:
        """{query: {measure: value}}."""
        names = list(self.columns)
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return {query: dict(zip(names, row, strict=True)) for query, row in zip(self.queries, rows, strict=True)}

    def to_pandas(self) -> Any:
        """A pandas frame: one row a query (the index), one column a measure."""
        import pandas as pd

        return pd.DataFrame(self.columns, index=pd.Index(self._utf8_queries(), name="query"))

    def to_polars(self) -> Any:
        """A polars frame with a column `query` and one for each measure."""
        import polars as pl

        return pl.DataFrame({"query": self._utf8_queries(), **self.columns})

    def to_arrow(self) -> Any:
        """A pyarrow table with a column `query` and one for each measure."""
        import pyarrow as pa

        return pa.table({"query": self._utf8_queries(), **{k: v.tolist() for k, v in self.columns.items()}})

    def _utf8_queries(self) -> list[Id]:
        """The query ids, for libraries whose text is UTF-8."""
        for query in self.queries:
            try:
                str(query).encode()
            except UnicodeEncodeError as error:
                raise DataError(
                    "id-encoding", "query ids in UTF-8", got=shown(query), value=query,
                    hint="to_dict, to_json and CSV can hold other bytes",
                ) from error  # fmt: skip
        wide = any(isinstance(query, int) and abs(query) >= 2**63 for query in self.queries)
        return [str(query) for query in self.queries] if wide else list(self.queries)

    def to_json(self) -> str:
        """Everything, as strict JSON: missing values are null."""
        return json.dumps(self._plain(), allow_nan=False)  # in ASCII: ids need not be UTF-8

    def _plain(self) -> dict[str, Any]:
        columns = {name: [_scalar(v) for v in column.tolist()] for name, column in self.columns.items()}
        bounds = {
            side: {name: [_scalar(v) for v in column.tolist()] for name, column in table.items()}
            for side, table in (("if_irrelevant", self.if_irrelevant), ("if_top", self.if_top))
            if table is not None
        }
        return {
            "judged": 1,
            "qrels": self.names[0],
            "run": self.names[1],
            "profile": self.profile,
            "policy": {k: getattr(self.policy, k) for k in Policy.__dataclass_fields__},
            "coverage": self.coverage,
            "warnings": [w.to_dict() for w in self.warnings],
            "summary": {k: _scalar(v) for k, v in self.mean().items()},
            "queries": list(self.queries),
            "values": columns,
            **bounds,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it as JSON (`.json`), or the table as Parquet or CSV; the file appears whole or not at all."""
        from judged.evaluation.result.storage import save

        save(self, path)

    @classmethod
    def from_json(cls, text: str, name: str = "values") -> Values:
        """The inverse of `to_json`."""
        try:
            data = json.loads(text)
            measures = tuple(parse(key) for key in data["values"])
            return cls(
                queries=tuple(data["queries"]),
                measures=measures,
                columns=_columns(measures, data["values"], len(data["queries"])),
                policy=Policy(**data["policy"]),
                profile=data["profile"],
                names=(data["qrels"], data["run"]),
                coverage=data["coverage"],
                warnings=tuple(Warned(w["code"], w["count"], w["text"]) for w in data["warnings"]),
                if_irrelevant=_columns(measures, data["if_irrelevant"], len(data["queries"]))
                if "if_irrelevant" in data
                else None,
                if_top=_columns(measures, data["if_top"], len(data["queries"])) if "if_top" in data else None,
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                "values-file", "values saved by judged", got=f"something else ({error})", where=name,
                hint="was the file cut off, or written by another tool?",
            ) from error  # fmt: skip

    # ── reading it ───────────────────────────────────────────────────────────────────────────────

    def explain(self, measure: str | Measure, query: Id, *, depth: int | None = None) -> Explanation:
        """The arithmetic of one query, rank by rank."""
        if self.source is None or self.source.run is None:
            raise UsageError("no-source", "values with their judgments and run", got="loaded values",
                             hint="evaluate again, or use judged explain")  # fmt: skip
        from judged.evaluation.explain.explain import explained

        return explained(parse(measure), self.source, query, depth)

    def table(self, *, places: int = 4) -> Table:
        """The summary as plain data: what `print` shows and the report formats render."""
        headers = ["measure", "mean", "95% interval", "queries"]
        if self.if_irrelevant is not None:
            headers.append("if unjudged: irrelevant – top grade")
        intervals = self.intervals()
        rows = [self._row(m, intervals[str(m)], places) for m in self._numeric()]
        return Table(
            tuple(headers),
            tuple(rows),
            title=" judged by ".join(n.rpartition("/")[2] for n in reversed(self.names)),
            notes=self._notes(),
        )

    def _row(self, m: Measure, interval: tuple[float, float] | None, places: int) -> tuple[str, ...]:
        name = str(m)
        value = summarise(self.columns[name], m.definition.summary)
        between = "" if interval is None else f"[{_decimal(interval[0], places)}, {_decimal(interval[1], places)}]"
        counted = int((~np.isnan(self.columns[name])).sum())
        row = (name, self._text(m, value, places), between, str(counted))
        if (bounds := self.bounds(m)) is None:
            return row
        return (*row, f"{self._text(m, bounds[0], places)} – {self._text(m, bounds[1], places)}")

    def bounds(self, measure: str | Measure) -> tuple[float, float] | None:
        """The summary if all unjudged documents were irrelevant, and if they were of the top grade; None unless asked for."""
        if self.if_irrelevant is None or self.if_top is None:
            return None
        key = self._key(measure)
        how = next(m.definition.summary for m in self.measures if str(m) == key)
        return summarise(self.if_irrelevant[key], how), summarise(self.if_top[key], how)

    @staticmethod
    def _text(m: Measure, value: float, places: int) -> str:
        return f"{value:.0f}" if m.definition.whole else _decimal(value, places)

    def _notes(self) -> tuple[str, ...]:
        share = self.coverage.get("judged@10")
        head = f"{len(self)} {'query' if len(self) == 1 else 'queries'}"
        if share is not None:
            head += f" · {share:.0%} of the top 10 judged (mean over queries)"
        return (head, f"policy: {self.policy}", *(f"warning: {w}" for w in self.warnings))

    def plot(self, measures: str | Sequence[str | Measure] | None = None, ax: Any = None) -> Any:
        """How values spread over queries, on matplotlib axes (new ones unless given): a strip for each measure, with its mean."""
        from judged.plots.results import draw_values

        return draw_values(self, measures, ax)

    __repr__ = Result.__str__


def _columns(measures: Sequence[Measure], stored: dict[str, list[Any]], size: int) -> dict[str, Column]:
    columns = {
        str(m): np.array(v, dtype=object) if m.definition.text else np.array(v, dtype=float)
        for m, v in zip(measures, stored.values(), strict=True)
    }
    if any(column.shape != (size,) for column in columns.values()):
        raise ValueError(f"a column that does not hold {size} values")
    return columns


def _scalar(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _decimal(value: float, places: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{places}f}"
