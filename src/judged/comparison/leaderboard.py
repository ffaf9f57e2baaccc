"""Many runs over several collections: who leads, by what, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from judged.comparison.inputs import refuse_geometric, refuse_incomparable
from judged.comparison.result import Comparison
from judged.errors import DataError, UsageError, shown
from judged.evaluation.result.values import Values
from judged.io.run_names import short_names
from judged.measures.grammar import parse
from judged.stats.multiple.leaderboard import RankIntervals, Standings, rank_intervals, standings
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table
from judged.tables.text import number

__all__ = ["Leaderboard", "leaderboard"]

Missing = Literal["complete", "worst", "skip"]
By = Literal["mean", "mean_rank", "borda", "wins"]


@dataclass(frozen=True, eq=False)
class Leaderboard(Result):
    """Runs over collections by one measure: mean, mean rank, Borda points, wins; rank intervals, and who cannot be told apart."""

    measure: str
    runs: tuple[str, ...]
    collections: tuple[str, ...]
    means: np.ndarray[Any, np.dtype[np.float64]]  # runs × collections; NaN where a run is missing
    standings: Standings
    ranks: RankIntervals
    by: By
    dropped: int = 0  # queries that not all runs of their collection have a value for

    def order(self) -> list[str]:
        """The runs from the best on."""
        return [self.runs[i] for i in self.standings.order(self.by)]

    def records(self) -> list[dict[str, Any]]:
        """One mapping a run, the best first."""
        s, letters = self.standings, self.ranks.letters()
        return [
            {
                "run": self.runs[i], "rank": float(self.ranks.rank[i]), "low": float(self.ranks.low[i]), "high": float(self.ranks.high[i]),
                "tied": letters[i], "mean": float(s.mean[i]), "mean_rank": float(s.mean_rank[i]), "borda": float(s.borda[i]),
                "wins": float(s.wins[i]), "firsts": float(s.firsts[i]), "collections": int(s.present[i]),
                **{c: float(self.means[i, k]) for k, c in enumerate(self.collections)},
            }
            for i in self.standings.order(self.by)
        ]  # fmt: skip

    def listing(self) -> RecordTable:
        """The same by columns."""
        return RecordTable.of(self.records())

    def to_json(self) -> str:
        """As strict JSON: what is missing is null."""
        data = {
            "judged-leaderboard": 1,
            "measure": self.measure,
            "by": self.by,
            "missing": self.standings.missing,
            "rows": self.listing().to_dicts(),
        }
        return json.dumps(data, allow_nan=False)

    def table(self, *, places: int = 4) -> Table:
        """One row a run, the best first."""
        rows = tuple(
            (r["run"], f"{r['rank']:g}", f"[{r['low']:g}, {r['high']:g}]", r["tied"], *(number(r[k], p) for k, p in
             (("mean", places), ("mean_rank", 2), ("borda", 1), ("wins", 1), ("firsts", 1))), str(r["collections"]),
             *(number(r[c], places) for c in self.collections))
            for r in self.records()
        )  # fmt: skip
        headers = (
            "run",
            "rank",
            f"{self.ranks.confidence:.0%} interval",
            "tied",
            "mean",
            "mean rank",
            "Borda",
            "wins",
            "firsts",
            "collections",
        )
        rule = {"complete": "only collections that all runs have count", "worst": "a missing run is last in its collection",
                "skip": "a missing run is left out of its collection"}[self.standings.missing]  # fmt: skip
        notes = (f"{self.measure}, ranked by {self.by.replace('_', ' ')}; {rule}", "intervals: queries of each collection drawn again; runs that share a letter cannot be told apart",
                 *filter(None, [self.standings.note, f"warning: {self.dropped} queries that not all runs of a collection have a value for were left out" if self.dropped else ""]))  # fmt: skip
        return Table((*headers, *self.collections), rows, notes=notes)

    __repr__ = Result.__str__


def leaderboard(
    results: Any,
    measure: str | None = None,
    *,
    by: By = "mean_rank",
    missing: Missing = "complete",
    confidence: float = 0.95,
    seed: int = 0,
) -> Leaderboard:
    """Runs over several collections.

    Args:
        results: {collection: {run: Values}}, or {collection: Comparison}; or a list of `Values`, whose names say run and collection.
        measure: one that all results have; the first, unless given.
        by: what runs are ranked by: `mean_rank`, `mean`, `borda` or `wins`.
        missing: a run that a collection lacks: `complete` counts only collections that all runs have, `worst` ranks it last, `skip` leaves it out.
        confidence: of the rank intervals.
        seed: of the draws behind them.

    >>> from judged import evaluate
    >>> one = {"x": evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP"), "y": evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "AP")}
    >>> leaderboard({"small": one, "other": one}, "AP").order()
    ['x', 'y']
    """
    tables = _tables(results)
    name = _measure(tables, measure)
    runs = tuple(dict.fromkeys(run for table in tables.values() for run in table))
    refuse_geometric(parse(name))
    sign = -1.0 if parse(name).definition.lower_is_better else 1.0
    columns = [_matrix(collection, table, runs, name) for collection, table in tables.items()]
    there = sum(len({q for v in table.values() for q in v.queries}) for table in tables.values())
    means = np.array([[float(np.mean(c[:, i])) for c in columns] for i in range(len(runs))])
    found = standings(sign * means, missing=missing)
    if sign < 0:
        found = _turned(found)
    drawn = rank_intervals([sign * c for c in columns], by=by, missing=missing, confidence=confidence, seed=seed)
    return Leaderboard(name, runs, tuple(tables), means, found, drawn, by, there - sum(map(len, columns)))


def _turned(found: Standings) -> Standings:
    from dataclasses import replace

    return replace(found, mean=-found.mean)


def _tables(results: Any) -> dict[str, dict[str, Values]]:
    if isinstance(results, list | tuple) and results and all(isinstance(r, Values) for r in results):
        found: dict[str, dict[str, Values]] = {}
        paths = list(dict.fromkeys(r.names[0] for r in results))
        short = dict(zip(paths, short_names(paths), strict=True))
        for r in results:
            collection, run = short[r.names[0]], r.names[1].rstrip("/").rpartition("/")[2]
            if run in found.setdefault(collection, {}):
                raise UsageError(
                    "runs", "one result for each run and collection", got=f"two of {run} over {collection}"
                )
            found[collection][run] = r
        return found
    if isinstance(results, Mapping) and results:
        tables = {str(c): _table(t) for c, t in results.items()}
        if all(tables.values()):
            return tables
    raise UsageError(
        "runs", "{collection: {run: Values}}, {collection: Comparison} or a list of Values", got=shown(results)
    )


def _table(one: Any) -> dict[str, Values]:
    if isinstance(one, Comparison):
        return dict(zip(one.names, one.results, strict=True))
    if isinstance(one, Mapping) and all(isinstance(v, Values) for v in one.values()):
        return {str(run): v for run, v in one.items()}
    return {}


def _measure(tables: dict[str, dict[str, Values]], measure: str | None) -> str:
    common = [m for m in next(iter(next(iter(tables.values())).values()))
              if all(m in v.columns for t in tables.values() for v in t.values())]  # fmt: skip
    wanted = None if measure is None else str(parse(measure))
    if not common or (wanted is not None and wanted not in common):
        raise DataError(
            "not-asked", f"a measure that all results have ({', '.join(common) or 'there is none'})", got=shown(measure)
        )
    return wanted or common[0]


def _matrix(
    collection: str, table: dict[str, Values], runs: tuple[str, ...], measure: str
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Values of queries × runs of one collection; NaN for a run that it lacks."""
    there = list(table.values())
    refuse_incomparable(list(table), there)
    queries = (
        [q for q in there[0].queries if all(q in r.queries for r in there[1:])]
        if len({r.queries for r in there}) > 1
        else there[0].queries
    )
    if not queries:
        raise DataError("no-common-query", f"queries of {collection} that all runs share", got="none")
    out = np.full((len(queries), len(runs)), np.nan)
    for i, run in enumerate(runs):
        if run in table:
            place = {q: k for k, q in enumerate(table[run].queries)}
            out[:, i] = np.asarray(table[run][measure], float)[[place[q] for q in queries]]
    known = ~np.isnan(out[:, [i for i, run in enumerate(runs) if run in table]]).any(axis=1)
    return out[known]
