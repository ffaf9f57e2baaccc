"""`variance`: how much queries, judges and replicates of systems add to the error of a difference between systems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from judged.comparison.difference import largest_difference
from judged.comparison.evaluated_runs import ComparedRuns, common_measures, evaluate_runs, matrix
from judged.errors import Hint, UsageError, Warned
from judged.evaluation.evaluate import Measures
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.values import Values, find_measure
from judged.evaluation.weights import check_plain
from judged.measures.registry import parse
from judged.stats.decisions import Verdict
from judged.stats.differences import known_rows
from judged.stats.variance_components import FACETS, Source, VarianceComponents, variance_components
from judged.steps import step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, listed


@dataclass(frozen=True, eq=False, repr=False)
class VarianceStudy(Result):
    """Variance components per measure, and differences between systems that account for all of them."""

    systems: tuple[str, ...]
    parts: Mapping[str, VarianceComponents]  # by measure
    alpha: float
    warnings: tuple[Warned, ...] = ()

    def __getitem__(self, measure: str) -> VarianceComponents:
        """The components of one measure."""
        return self.parts[str(find_measure(measure, list(map(parse, self.parts)), "trec_eval-10"))]

    def headline(self) -> list[str]:
        """One sentence per measure: the shares of the sources."""
        sentences = []
        for measure, parts in self.parts.items():
            shares = [f"{share:.0%} from {_source(source)}" for source, share in parts.shares().items()]
            sentences.append(f"{measure}: the variance of a difference between systems comes {listed(shares)}.")
        return sentences

    def records(self) -> list[dict[str, Any]]:
        """One mapping per measure and source."""
        return [
            {
                "measure": measure,
                "source": _source(source),
                "df": parts.df[source],
                "variance": variance,
                "share": parts.shares()[source],
            }
            for measure, parts in self.parts.items()
            for source, variance in parts.variance.items()
        ]

    def differences(self) -> list[dict[str, Any]]:
        """One mapping per measure and pair of systems: the difference with its simultaneous interval, and the verdict.

        The intervals hold for other queries, judges and replicates; they are corrected for the number of pairs and measures (Bonferroni).
        """
        pairs = list(combinations(range(len(self.systems)), 2))
        level = 1 - self.alpha / (len(pairs) * len(self.parts))
        rows = []
        for measure, parts in self.parts.items():
            m = parse(measure)
            most = largest_difference(m)
            for a, b in pairs:
                ends = parts.interval(a, b, confidence=level) or (np.nan, np.nan)
                low, high = (float(np.clip(end, -most, most)) for end in ends)
                rows.append(
                    {
                        "measure": measure,
                        "run": self.systems[b],
                        "against": self.systems[a],
                        "difference": float(parts.means[b] - parts.means[a]),
                        "low": low,
                        "high": high,
                        "verdict": _verdict(low, high, m.definition.lower_is_better),
                    }
                )
        return rows

    def to_data(self) -> dict[str, Any]:
        """Systems, components and differences."""
        return {
            "judged-variance": 1,
            "systems": self.systems,
            "alpha": self.alpha,
            "components": self.records(),
            "differences": self.differences(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def tables(self, *, places: int = 4) -> list[Table]:
        """Differences, and sources of variance."""
        sizes = next(iter(self.parts.values())).sizes
        varied = [f for f in FACETS if sizes[f] > 1]
        over = ", ".join(counted(sizes[f], {"queries": "query"}.get(f, f[:-1])) for f in varied)
        about = f"{1 - self.alpha:.0%} intervals for other {' and '.join(varied)}, simultaneous over all rows"
        told = (
            RecordTable.of(self.differences(), words=("measure", "run", "against", "verdict"), notes=(about,)),
            RecordTable.of(
                self.records(), words=("measure", "source"), title=f"Sources of variance: {over} per system"
            ),
        )
        return [table for one in told for table in one.tables(places=places)]


def _source(source: Source) -> str:
    return " × ".join(f for f in FACETS if f in source)


def _verdict(low: float, high: float, lower_is_better: bool) -> Verdict:
    if np.isnan(low):
        return "too few queries"
    if low <= 0 <= high:
        return "no clear difference"
    return "better" if (low > 0) != lower_is_better else "worse"


def variance(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: Measures = "nDCG@10",
    *,
    judges: Mapping[str, Any] | None = None,
    alpha: float = 0.05,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> VarianceStudy:
    """Estimate how much queries, judges and replicates (seeds) vary, and compare systems accounting for all of them.

    Args:
        qrels: judgments; None with `judges`, or if the runs are `Values`.
        runs: {system: [run, run, …]}: the same number of replicates for every system; a single run is one replicate.
        measures: as in `evaluate`.
        judges: {judge: judgments}; all runs are evaluated with the judgments of each.
        alpha: significance level over all measures and pairs.
        level: lowest relevant grade.
        profile: conventions of another tool.
        options: policies and preparation, as in `evaluate`.

    >>> qrels = {q: {"x": 1} for q in "abc"}
    >>> first, second, third = ({q: [*"uvwy"[:n], "x"] for q, n in zip("abc", ns)} for ns in ([0, 1, 2], [0, 2, 1], [3, 3, 4]))
    >>> variance(qrels, {"A": [first, second], "B": [third, third]}, "RR")["RR"].sizes
    {'queries': 3, 'judges': 1, 'replicates': 2}
    """
    replicates = _replicates(runs)
    sources = [qrels] if judges is None else list(judges.values())
    if judges is not None and (qrels is not None or not judges):
        raise UsageError(
            "option", "pass the judgments of all judges as judges, and None as the first argument", value="judges"
        )
    flat = {f"{system} {i}": run for system, group in replicates.items() for i, run in enumerate(group, 1)}
    evaluated = all(isinstance(run, Values) for run in flat.values())
    tables = [
        evaluate_runs(
            flat if evaluated else source,
            None if evaluated else flat,
            measures,
            level=level,
            profile=profile,
            **options,
        )
        for source in sources
    ]
    check_plain("variance", [result for table in tables for result in table.results])
    with step("estimating variance"):
        parts = _components(tables, len(replicates))
    warnings = tuple(dict.fromkeys(w for t in tables for w in t.warnings))
    return VarianceStudy(tuple(replicates), parts, alpha, warnings)


def _components(tables: list[ComparedRuns], systems: int) -> dict[str, VarianceComponents]:
    """The components of every measure, over the queries that all judges judged; one table per judge."""
    places = [{q: i for i, q in enumerate(t.results[0].queries)} for t in tables]
    common = [q for q in places[0] if all(q in place for place in places)]
    rows, parts = [[place[q] for q in common] for place in places], {}
    for m in common_measures(tables[0].results):
        by_judge = [matrix(t.results, str(m))[at] for t, at in zip(tables, rows, strict=True)]
        y = np.stack(by_judge, axis=2)  # queries × runs × judges
        y = y[known_rows(y.reshape(len(y), -1))]
        shaped = y.reshape(len(y), systems, -1, len(tables)).transpose(1, 0, 3, 2)
        parts[str(m)] = variance_components(shaped)
    return parts


def _replicates(runs: Mapping[str, Any]) -> dict[str, list[Any]]:
    if not isinstance(runs, Mapping):
        raise UsageError("runs", "systems without names", hint="pass {system: [run, run]}")
    groups = {str(name): list(group) if isinstance(group, list | tuple) else [group] for name, group in runs.items()}
    if len(groups) < 2:
        raise UsageError("runs", f"two or more systems are needed, got {len(groups)}", hint="pass {system: [run, run]}")
    counts = {len(group) for group in groups.values()}
    if len(counts) > 1:
        listed = ", ".join(f"{name} {len(group)}" for name, group in groups.items())
        hint = Hint("pass the same number of replicates for every system")
        raise UsageError("runs", f"systems have different numbers of replicates: {listed}", hint=hint)
    return groups
