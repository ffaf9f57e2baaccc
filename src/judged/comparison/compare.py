"""`compare`: test the differences between runs. The values per query are the input; nothing is evaluated again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.comparison.comparison import Comparison
from judged.comparison.difference import (
    POWER,
    ComparisonSettings,
    Difference,
    Family,
    largest_difference,
    skewness,
    words_text,
)
from judged.comparison.evaluated_runs import ComparedRuns, common_measures, evaluate_runs, matrix, slice_requests
from judged.errors import Hint, UsageError, Warned, issue_warnings, shown
from judged.evaluation.evaluate import DEFAULT, Measures
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.slices import Slices, slices_of
from judged.evaluation.values import Values
from judged.io.run_names import short_names
from judged.measures.registry import Measure
from judged.registry import choose_one
from judged.stats.checks import check_choice, check_count, deviations, no_weights
from judged.stats.corrections import CORRECTIONS
from judged.stats.decisions import OPPOSITE, Decisions, check_levels, decide_family
from judged.stats.differences import known_rows, linearised, sum_by_cluster
from judged.stats.effect_sizes import cliff, record, standardised
from judged.stats.paired.registry import TESTS
from judged.stats.power import MATERIAL, queries_needed_about
from judged.stats.two_phase import FEWEST, CheapValues, two_phase_means
from judged.steps import step
from judged.tables.table import counted


def compare(
    qrels: Any,
    runs: Any = None,
    measures: Measures = DEFAULT,
    *,
    baseline: str | int | None = None,
    test: str = "t",
    correction: str = "bonferroni",
    family: Family = "measure",
    alpha: float = 0.05,
    margin: float = 0.0,
    slices: Any = None,
    by: str | Sequence[str] | None = None,
    min_queries: int = 10,
    clusters: Any = None,
    cluster_col: str | None = None,
    resamples: int | None = None,
    seed: int = 0,
    weights: Any = None,
    weight_col: str | None = None,
    model: Any = None,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **options: Unpack[EvaluateOptions],
) -> Comparison:
    """Compare every pair of runs, or each run with a baseline, by each measure.

    Args:
        qrels: judgments; or, without runs, question files or frames, or results of `evaluate`: a list, or {name: source}.
        runs: two or more runs: a list, or {name: run}.
        measures: as in `evaluate`.
        baseline: name of the run to compare the others with; or its position. [default: all pairs]
        test: paired test; see `jd.stats.TESTS`. The interval of a difference is that of the test.
        correction: correction of p-values over a family of tests, see `jd.stats.CORRECTIONS`.
        family: tests to correct together: the pairs of runs within each measure, or the pairs and all measures. The headline is
            about the first measure, which is the primary one. Slices are families of their own.
        alpha: significance level; the chance of any false verdict in a family.
        margin: largest difference that does not matter; runs are equal if the interval of their difference is within it.
        slices: table that assigns queries to groups, which are compared too; with `by`. Or {query: group}.
        by: column of that table to group queries by; several columns are several groupings. `"relevant"` is the number of relevant documents and needs no table.
        min_queries: smallest slice that is tested; smaller ones are only shown.
        clusters: clusters of queries, as in `evaluate`; queries of a cluster (a user, a topic) are resampled, or change sign, together.
        cluster_col: column of the clusters.
        resamples: number of resamples for the permutation and bootstrap tests. [default: set by the test]
        seed: random seed.
        weights: weights of the queries, as in `evaluate`; means and differences are weighted. Needs `test="t"`.
        weight_col: column of the weights.
        model: judgments by a model, as in `evaluate`; differences then estimate those of human judgments over all queries that the model judged. Needs `test="t"`.
        level: lowest relevant grade.
        profile: conventions of another tool.
        options: policies and preparation, as in `evaluate`.

    >>> compare({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a", "b"]}}, "RR").rows[0].verdict
    'too few queries'
    """
    settings = _settings(test, correction, family, alpha, margin, min_queries, resamples, seed)
    requests = None if slices is None and not by else slice_requests(slices, by)
    compared = evaluate_runs(
        qrels,
        runs,
        measures,
        level=level,
        profile=profile,
        weighted=(weights, weight_col),
        clustered=(clusters, cluster_col),
        model=model,
        **options,
    )
    groups = Slices()
    if requests is not None:
        relevant = compared.judged[0].relevant(1 if level is None else level) if compared.judged else None
        groups = slices_of(requests, compared.results[0].queries, relevant)
    return _compare(compared, baseline, groups, settings)


def compare_with_first(results: Sequence[Values], names: Sequence[str]) -> Comparison | None:
    """Compare results of `evaluate` with the first one, by the measures whose mean is over the same queries in all of them.

    Returns:
        The comparison that `compare(…, baseline=0)` makes; None if there is nothing to compare: no such measure, or other queries.
    """
    first = results[0]
    if len(results) < 2 or len(set(names)) < len(names) or any(r.queries != first.queries for r in results):
        return None
    chosen = tuple(
        m
        for m in first.numeric_measures
        if m.definition.summary == "mean"
        and (first.model is not None or not any(np.isnan(r[m]).any() for r in results))
    )
    if not chosen or not len(first):
        return None
    columns = [str(m) for m in chosen]
    kept = [replace(r, measures=chosen, columns={name: r[name] for name in columns}) for r in results]
    return compare(dict(zip(names, kept, strict=True)), baseline=0)


@step("comparing")
def _compare(
    compared: ComparedRuns, baseline: str | int | None, groups: Slices, settings: ComparisonSettings
) -> Comparison:
    results, first, lost = compared.results, compared.results[0], list[Warned]()
    if settings.test != "t" and (first.model is not None or first.weights is not None):
        hint, test = Hint("use {test}", test="t"), f"the {settings.test} test"
        if first.model is not None:
            raise UsageError("model-judgments", f"{test} cannot use model judgments", hint=hint)
        raise no_weights(test).changed(hint=hint)
    clusters = None if first.clusters is None else len(np.unique(first.clusters))
    weighted, with_model = first.weights is not None, first.model is not None
    settings = replace(settings, clusters=clusters, weighted=weighted, model=with_model)
    pairs = _pairs(compared.names, baseline)
    columns = {m: matrix(results, str(m)) for m in common_measures(results)}
    model = None
    if with_model:
        model = {str(m): np.stack([np.asarray((r.model or {})[str(m)], float) for r in results], 1) for m in columns}
    else:
        for m, x in columns.items():
            if n := int((~known_rows(x)).sum()):  # of the measure, for all runs
                text = f"{m}: left out {counted(n, 'query')} without a value in some run"
                lost.append(Warned("values-missing", n, text))
    pairs_of_runs = PairsOfRuns(compared.names, pairs, groups.groups, first.clusters, settings, first.weights, model)
    rows, settings = pairs_of_runs.compare(columns)
    names = compared.names
    reasons = {name: words_text(why.words, names) for name, why in compared.incomparable.items()}
    reasons |= {name: f"{reasons[name]} {why.action}." for name, why in compared.incomparable.items() if why.action}
    told = [w for w in compared.warnings if w.slug == "queries-differ"]  # `evaluate` issued the others
    told += [Warned("incomparable", 1, words_text(w.words, names), w.action) for w in compared.incomparable.values()]
    if told:
        issue_warnings(told)
    for i, row in enumerate(rows if reasons else ()):
        if note := " ".join(reasons[name] for name in (row.a, row.b) if name in reasons):  # the numbers stay
            rows[i] = replace(row, verdict="not comparable", note=note, material=None, needed=None)
    return Comparison(
        names=compared.names,
        results=results,
        judged=compared.judged,
        settings=settings,
        rows=tuple(r for r in rows if r.part is None),
        parts=tuple(r for r in rows if r.part is not None),
        baseline=compared.names[int(pairs[0, 0])] if baseline is not None else None,
        warnings=(*compared.warnings, *groups.warnings, *lost),
        slices=dict(groups.groups),
        incomparable=compared.incomparable,
    )


def _settings(
    test: str, correction: str, family: Any, alpha: float, margin: float, least: int, resamples: Any, seed: int
) -> ComparisonSettings:
    chosen, corrected = TESTS.find(test), CORRECTIONS.find(correction)
    if corrected.function is None and not chosen.corrects:
        problem = f"the correction {corrected.name} works with the permutation test only"
        hint = Hint("use {correction}, which works with any test", correction="bonferroni")
        raise UsageError("correction", problem, hint=hint, value=correction)
    check_choice(family, Family, "family")
    check_levels(alpha, margin)
    check_count(least, "min_queries")
    check_count(seed, "seed", least=0)
    if resamples is not None and "resamples" not in chosen.options:
        hint = Hint("leave {resamples} out, or use {test}", resamples=None, test="permutation")
        raise UsageError("option", f"the {chosen.title} draws no resamples", hint=hint, value=resamples)
    return ComparisonSettings(
        test=chosen.name,
        correction=corrected.name,
        family=family,
        alpha=alpha,
        margin=margin,
        min_queries=least,
        resamples=resamples,
        seed=seed,
    )


def _pairs(names: Sequence[str], baseline: str | int | None) -> Ints:
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)))
    first, short = -1, short_names([str(baseline)])[0]  # it may be named by its file
    if isinstance(baseline, int) and not isinstance(baseline, bool) and -len(names) <= baseline < len(names):
        first = baseline % len(names)
    elif baseline in names or short in names:
        first = list(names).index(str(baseline) if baseline in names else short)
    if first < 0:
        problem = f"no run is called {shown(baseline)}"
        raise UsageError("baseline", problem, hint=choose_one(baseline, names), value=baseline)
    return np.array([(first, other) for other in range(len(names)) if other != first])


# ── tests and intervals of all pairs ─────────────────────────────────────────────────────────────

_SPARSE = 10  # queries that changed; with fewer, a few other queries may turn the result
_PAIRS = 4096  # described at a time: their values are columns of all queries


class _Slice(NamedTuple):
    """The values of a measure on the queries of a slice, or on all of them, with the clusters (codes) or weights of the queries."""

    measure: Measure
    label: str | None
    values: Floats
    clusters: Ints | None
    weights: Floats | None
    cheap: CheapValues | None  # values by a model, of more queries


@dataclass(frozen=True, slots=True)
class PairsOfRuns:
    """Pairs (a, b) of runs, the slices of queries and how they are compared."""

    names: Sequence[str]
    pairs: Ints
    slices: Sequence[tuple[str, Bools]]
    clusters: Ints | None
    settings: ComparisonSettings
    weights: Floats | None = None  # of the queries
    model: Mapping[str, Floats] | None = None  # values by a model, queries × runs

    def compare(self, columns: Mapping[Measure, Floats]) -> tuple[list[Difference], ComparisonSettings]:
        """Compare every pair by each measure, values of queries × runs, over all queries and then over each slice.

        The pairs by one measure over all queries are a family of tests, and those over all slices that have enough
        queries another; or the pairs by all measures, if the settings say so. The settings are returned with the
        numbers of tests and what was remarked on them.
        """
        s, families, remarks = self.settings, [columns], dict[str, None]()
        rows, more, tests, slice_tests, used = list[Difference](), list[Difference](), 0, 0, s.test
        if s.family == "measure":
            families = [{m: x} for m, x in columns.items()]
            first, *others = map(str, columns)
            if others:
                rest = "the other one is" if len(others) == 1 else f"the other {len(others)} are"
                remarks[f"the primary measure is {first}; {rest} secondary, each tested on its own"] = None
        for family in families:
            found, count, texts, test = self._family(family, [(None, True)], 1)
            rows, tests = [*rows, *found], max(tests, count)
            remarks |= dict.fromkeys(texts)
            used = test if test != s.test else used
            if self.slices:
                found, count, texts, _ = self._family(family, self.slices, s.min_queries)
                more, slice_tests = [*more, *found], max(slice_tests, count)
                remarks |= dict.fromkeys(f"slices: {text}" for text in texts)
        resamples = s.resamples if used == s.test else None
        told = tuple(remarks)
        settings = replace(s, test=used, resamples=resamples, tests=tests, slice_tests=slice_tests, remarks=told)
        return [*rows, *more], settings

    def _family(
        self, columns: Mapping[Measure, Floats], slices: Sequence[tuple[str | None, Bools | bool]], least: int
    ) -> tuple[list[Difference], int, tuple[str, ...], str]:
        """Differences on each slice by each measure, the number of tests, the remarks on them, and the test that was used."""
        s, parts = self.settings, list[_Slice]()
        for m, x in columns.items():
            known = known_rows(x) if self.weights is None else known_rows(x) & (self.weights > 0)
            by_model = None if self.model is None else self.model[str(m)]
            for label, inside in slices:
                rows, cheap = known & inside, None
                if by_model is not None:  # its values of all queries, or of all of a slice
                    whole = known_rows(by_model) & inside
                    rows &= whole
                    cheap = CheapValues(by_model[whole], rows[whole])
                clusters = None if self.clusters is None else self.clusters[rows]
                weights = None if self.weights is None else self.weights[rows]
                parts.append(_Slice(m, label, x[rows], clusters, weights, cheap))
        tested = [part for part in parts if len(part.values) >= least]
        decided = decide_family(
            [part.values for part in tested],
            self.pairs,
            test=s.test,
            correction=s.correction,
            alpha=s.alpha,
            margin=s.margin,
            limits=[largest_difference(part.measure) for part in tested],
            clusters=[part.clusters for part in tested],
            weights=[part.weights for part in tested],
            cheap=[part.cheap for part in tested],
            resamples=s.resamples,
            seed=s.seed,
        )
        by_part = iter(decided)
        found = [
            row for part in parts for row in self._rows(part, next(by_part) if len(part.values) >= least else None)
        ]
        if not decided:
            return found, 0, (), s.test
        return found, decided[0].tests, decided[0].remarks, decided[0].test

    def _rows(self, part: _Slice, decided: Decisions | None) -> list[Difference]:
        """The differences of all pairs on a slice; undecided if it has too few queries."""
        x, lower, rows = part.values, part.measure.definition.lower_is_better, []
        if part.weights is not None and len(x):
            w = part.weights / part.weights.max()
            x = linearised(w[:, None] * x, w)  # whose plain mean is the weighted one
        if not len(x):
            means = np.full(len(self.names), math.nan)
        elif part.cheap is None or len(x) < FEWEST:
            means = np.asarray(x.mean(axis=0))
        else:  # the estimates for all queries
            means = two_phase_means(part.values, part.cheap).mean
        if decided is None:
            return self._untested(part, means)
        units = x if part.clusters is None else linearised(*sum_by_cluster(part.values, part.clusters))
        for start in range(0, len(self.pairs), _PAIRS):
            pairs = self.pairs[start : start + _PAIRS]
            a, b = part.values[:, pairs[:, 0]], part.values[:, pairs[:, 1]]
            d = units[:, pairs[:, 1]] - units[:, pairs[:, 0]]
            tested = x[:, pairs[:, 0]], x[:, pairs[:, 1]]
            counts = record(a, b)
            sizes = standardised(*tested), counts.superiority, cliff(a, b)
            skew, spread = skewness(d).tolist(), deviations(d).tolist()
            for k, pair in enumerate(pairs.tolist()):
                i = start + k
                verdict = decided.verdict[i]
                row = self._row(
                    part,
                    pair,
                    means,
                    (int(counts.wins[k]), int(counts.losses[k])),
                    difference=float(decided.difference[i]),
                    low=float(decided.low[i]),
                    high=float(decided.high[i]),
                    level=float(decided.level[i]),
                    p=float(decided.p[i]),
                    adjusted=float(decided.adjusted[i]),
                    d_z=float(sizes[0][k]),
                    superiority=1 - float(sizes[1][k]) if lower else float(sizes[1][k]),
                    cliff=float(sizes[2][k]),
                    note=decided.note[i],
                    verdict=OPPOSITE.get(verdict, verdict) if lower else verdict,
                )
                rows.append(notes_on(row, len(d), skew[k], spread[k], decided.test, self.settings.margin))
        return rows

    def _untested(self, part: _Slice, means: Floats) -> list[Difference]:
        """The rows of a slice of too few queries."""
        x, rows = part.values, []
        unknown: dict[str, Any] = dict.fromkeys(
            ("low", "high", "level", "p", "adjusted", "d_z", "superiority", "cliff"), math.nan
        )
        for a, b in self.pairs.tolist():
            sides = int((x[:, b] > x[:, a]).sum()), int((x[:, b] < x[:, a]).sum())
            more = float(means[b] - means[a])
            rows.append(self._row(part, (a, b), means, sides, difference=more, verdict="too few queries", **unknown))
        return rows

    def _row(
        self, part: _Slice, pair: Sequence[int], means: Floats, sides: tuple[int, int], **found: Any
    ) -> Difference:
        """The difference of a pair; `sides` are the numbers of queries on which the second run has the higher and the lower value."""
        wins, losses = reversed(sides) if part.measure.definition.lower_is_better else sides
        a, b = pair
        return Difference(
            measure=str(part.measure),
            a=self.names[a],
            b=self.names[b],
            part=part.label,
            queries=len(part.values),
            mean_a=float(means[a]),
            mean_b=float(means[b]),
            wins=wins,
            ties=len(part.values) - wins - losses,
            losses=losses,
            **found,
        )


def notes_on(row: Difference, units: int, skew: float, spread: float, test: str, margin: float) -> Difference:
    """Add the notes on a difference: few queries that changed, skewness that makes a verdict doubtful, queries needed.

    Args:
        row: the difference.
        units: number of independent units: queries, or clusters of them. Queries needed are in clusters of the same size.
        skew: skewness of the differences of units, 0 if it does no harm.
        spread: their standard deviation.
        test: the test that was used.
        margin: largest difference that does not matter.
    """
    notes = [row.note] if row.note else []
    changed = row.wins + row.losses
    if row.verdict not in ("identical", "too few queries"):
        if changed < _SPARSE and row.ties:
            notes.append(f"only {changed} of {counted(row.queries, 'query')} changed")
        elif row.verdict != "no clear difference" and test in ("t", "permutation") and skew:
            notes.append(f"differences are skewed ({skew:+.1f}): the {test} test may reject too often; use bootstrap")
    material = margin or MATERIAL * abs(row.mean_a)
    needed = None
    if row.verdict == "no clear difference" and material > 0 and spread > 0:
        more = queries_needed_about(material, spread, power=POWER, alpha=row.level)
        needed = None if more is None else math.ceil(more * (row.queries / units))
    if needed is None or needed <= row.queries:
        return replace(row, note="; ".join(notes)) if notes else row
    return replace(row, note="; ".join(notes), material=material, needed=needed)
