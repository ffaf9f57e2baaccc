"""`leaderboard`: rank runs over several collections."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from judged._types import Floats
from judged.comparison.comparison import Comparison
from judged.comparison.difference import words_text
from judged.comparison.evaluated_runs import check_comparable, check_not_geometric, incomparable_runs
from judged.errors import DataError, UsageError, shown
from judged.evaluation.values import Values
from judged.evaluation.weights import check_plain
from judged.io.run_names import short_names
from judged.measures.registry import parse
from judged.stats.differences import known_rows
from judged.stats.leaderboard import By, Missing, RankSets, Standings, rank_sets, standings
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, counted, number


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Result):
    """Runs over collections by one measure: mean, mean rank, Borda points, and simultaneous confidence sets for ranks."""

    measure: str
    runs: tuple[str, ...]
    collections: tuple[str, ...]
    means: Floats  # runs × collections; NaN if a collection lacks the run
    standings: Standings
    ranks: RankSets
    by: By
    dropped: int = 0  # queries for which not all runs of their collection have a value
    incomparable: Mapping[str, str] = field(default_factory=dict)  # runs that are not, with a sentence that says why

    def order(self) -> list[str]:
        """The runs, the best first."""
        return [self.runs[i] for i in self.standings.order(self.by)]

    def best(self) -> list[str]:
        """The runs that may be the best, in the order of the table: no other run is significantly better."""
        may_be_best = {self.runs[i] for i in self.ranks.best()} - self.incomparable.keys()
        return [run for run in self.order() if run in may_be_best]

    def headline(self) -> list[str]:
        """The runs that are not comparable, the run that ranks first, or those that tie for it, and the runs that may be the best."""
        by, best = self.by.replace("_", " "), self.best()
        top = [self.runs[i] for i in self.standings.order(self.by) if self.ranks.rank[i] == self.ranks.rank.min()]
        names = f"{', '.join(top[:8])}{' …' if len(top) > 8 else ''}"
        ranked = f"{names} ranks first" if len(top) == 1 else f"{names} tie for the first rank"
        first = f"{ranked} by {by} of {self.measure} over {counted(len(self.standings.collections), 'collection')}."
        first = " ".join([*self.incomparable.values(), first])
        comparable = len(self.runs) - len(self.incomparable)
        if self.incomparable and comparable < 2:
            return [first]
        if len(best) == 1 and not self.incomparable:
            who = "It" if top == best else best[0]
            return [first, f"{who} is significantly better than all others ({self.ranks.confidence:.0%} confidence)."]
        which = f"may be one of {len(best)}: {', '.join(best[:8])}{' …' if len(best) > 8 else ''}"
        if len(best) == comparable:
            which = "may be any of the runs" if not self.incomparable else "may be any of them"
        elif len(best) == 1:
            which = f"is {best[0]}"
        of = "run" if not self.incomparable else "of the comparable runs"
        return [first, f"The best {of} {which} ({self.ranks.confidence:.0%} confidence)."]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per run, the best first."""
        s, letters = self.standings, self.ranks.letters()
        return [
            {
                "run": self.runs[i],
                "rank": float(self.ranks.rank[i]),
                "low": int(self.ranks.low[i]),
                "high": int(self.ranks.high[i]),
                "tied": "" if self.runs[i] in self.incomparable else letters[i],
                "mean": float(s.mean[i]),
                "mean_rank": float(s.mean_rank[i]),
                "borda": float(s.borda[i]),
                "firsts": float(s.firsts[i]),
                "collections": int(s.present[i]),
                **{c: float(self.means[i, k]) for k, c in enumerate(self.collections)},
            }
            for i in self.standings.order(self.by)
        ]

    def to_data(self) -> dict[str, Any]:
        """The measure, how runs are ranked, and the records."""
        return {
            "judged-leaderboard": 1,
            "measure": self.measure,
            "by": self.by,
            "missing": self.standings.missing,
            "confidence": self.ranks.confidence,
            "best": self.best(),
            "rows": self.records(),
        }

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per run, the best first."""
        decimals = {"mean": places, "mean_rank": 2, "borda": 1, "firsts": 1}
        rows = tuple(
            (
                r["run"],
                f"{r['rank']:g}",
                str(r["low"]) if r["low"] == r["high"] else f"{r['low']}–{r['high']}",
                r["tied"],
                *(number(r[column], digits) for column, digits in decimals.items()),
                str(r["collections"]),
                *(number(r[c], places) for c in self.collections),
            )
            for r in self.records()
        )
        ranks = f"{self.ranks.confidence:.0%} ranks"
        headers = ("run", "rank", ranks, "tied", "mean", "mean rank", "Borda", "firsts", "collections")
        rule = {
            "complete": "only collections that have all runs count",
            "worst": "a missing run is last in its collection",
        }[self.standings.missing]
        notes = [f"{self.measure}, ranked by {self.by.replace('_', ' ')}; {rule}"]
        notes.append(f"{ranks}: the true ranks of all runs at once, for other queries of these collections")
        notes.append(self._how())
        if self.standings.note:
            notes.append(self.standings.note)
        if self.dropped:
            lost = counted(self.dropped, "query")
            notes.append(f"warning: left out {lost} for which not all runs of a collection have a value")
        key = f"runs that share a letter in `tied` have no clear difference{'; no letter: not comparable' if self.incomparable else ''}"
        last = len(headers) + len(self.collections)
        drop_first = (8, 7, 6, *range(9, last))
        return [Table((*headers, *self.collections), rows, notes=tuple(notes), key=key, optional=drop_first)]

    def _how(self) -> str:
        """The test and its correction, in the words of a comparison."""
        tests, alpha = self.ranks.tests, f"alpha {1 - self.ranks.confidence:.4g}"
        if tests == 1:
            return f"t test, no correction, {alpha}"
        family = "pairs × collections" if tests > math.comb(len(self.runs), 2) else "the pairs of a measure"
        return f"t test adjusted for skewness, bonferroni correction over {tests:,} tests ({family}), {alpha}"


def leaderboard(
    results: Any,
    measure: str | None = None,
    *,
    by: By = "mean_rank",
    missing: Missing = "complete",
    confidence: float = 0.95,
) -> Leaderboard:
    """Rank runs over several collections.

    Args:
        results: {collection: {run: Values}}, or {collection: Comparison}; or a list of `Values`, which name their run and collection.
        measure: a measure that all results have. [default: the first]
        by: rank by `mean_rank` or `mean`.
        missing: what to do with a run that a collection lacks: count only collections that have all runs (`complete`), or rank it last (`worst`).
        confidence: confidence that the sets of ranks contain the true ranks of all runs at once.

    >>> from judged import evaluate
    >>> one = {"x": evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP"), "y": evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "AP")}
    >>> leaderboard({"small": one, "other": one}, "AP").order()
    ['x', 'y']
    """
    collections = _collections(results)
    name = _common_measure(collections, measure)
    check_not_geometric(parse(name))
    runs = tuple(dict.fromkeys(run for table in collections.values() for run in table))
    sign = -1.0 if parse(name).definition.lower_is_better else 1.0
    columns = [_values(collection, table, runs, name) for collection, table in collections.items()]
    queries = sum(len({q for v in table.values() for q in v.queries}) for table in collections.values())
    means = np.array([[float(np.mean(c[:, i])) for c in columns] for i in range(len(runs))])
    board = standings(sign * means, missing=missing)
    board = replace(board, mean=-board.mean) if sign < 0 else board
    with step("ranking the runs"):
        ranks = rank_sets([sign * c for c in columns], by=by, missing=missing, confidence=confidence)
    out = dict[str, str]()
    for collection, table in collections.items():
        for run, found in incomparable_runs(list(table), list(table.values())).items():
            out.setdefault(run, f"{collection}: {words_text(found.words, list(table))}")
    if out:  # no test tells them from other runs
        kept = np.array([run not in out for run in runs])
        above = ranks.above & kept & kept[:, None]
        low, high = 1 + above.sum(axis=0), len(runs) - above.sum(axis=1)
        ranks = replace(ranks, above=above, low=low, high=high)
    return Leaderboard(
        name,
        runs,
        tuple(collections),
        means,
        board,
        ranks,
        by,
        queries - sum(map(len, columns)),
        out,
    )


def _collections(results: Any) -> dict[str, dict[str, Values]]:
    if isinstance(results, list | tuple) and results and all(isinstance(r, Values) for r in results):
        return _by_name(results)
    if isinstance(results, Mapping) and results:
        tables = {
            str(c): dict(zip(t.names, t.results, strict=True)) if isinstance(t, Comparison) else t
            for c, t in results.items()
        }
        if all(
            isinstance(t, Mapping) and t and all(isinstance(v, Values) for v in t.values()) for t in tables.values()
        ):
            return {c: {str(run): values for run, values in t.items()} for c, t in tables.items()}
    expected = "{collection: {run: Values}}, {collection: Comparison} or a list of Values"
    raise UsageError("runs", expected, got=shown(results))


def _by_name(results: Sequence[Values]) -> dict[str, dict[str, Values]]:
    """Results by the collection and the run that they name."""
    collections: dict[str, dict[str, Values]] = {}
    paths = list(dict.fromkeys(r.names[0] for r in results))
    short = dict(zip(paths, short_names(paths), strict=True))
    for r in results:
        collection, run = short[r.names[0]], short_names([r.names[1]])[0]
        if run in collections.setdefault(collection, {}):
            raise UsageError("runs", f"two results of {run} over {collection}", hint="pass one per run and collection")
        collections[collection][run] = r
    return collections


def _common_measure(collections: dict[str, dict[str, Values]], measure: str | None) -> str:
    results = [values for table in collections.values() for values in table.values()]
    common = [m for m in results[0] if all(m in v.columns for v in results)]
    name = None if measure is None else str(parse(measure))
    if not common:
        raise DataError("not-asked", "the results have no measure in common")
    if name is not None and name not in common:
        hint = f"choose one of {', '.join(common)}"
        raise DataError("not-asked", f"not all results have {shown(measure)}", hint=hint, value=measure)
    return name or common[0]


def _values(collection: str, table: dict[str, Values], runs: tuple[str, ...], measure: str) -> Floats:
    """Values of queries × runs of one collection; NaN for a run that it lacks."""
    results = list(table.values())
    check_comparable(list(table), results)
    check_plain("a leaderboard", results)
    common = set(results[0].queries).intersection(*(r.queries for r in results))
    if not common:
        raise DataError("no-common-query", f"the runs of {collection} have no query in common")
    known = [dict(zip(r.queries, np.asarray(r[measure], float).tolist(), strict=True)) for r in results]
    out = np.array([[values[q] for values in known] for q in results[0].queries if q in common])
    out = out[known_rows(out)]
    whole = np.full((len(out), len(runs)), np.nan)
    whole[:, [runs.index(run) for run in table]] = out
    return whole
