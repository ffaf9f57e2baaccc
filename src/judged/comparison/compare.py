"""`compare`: test the differences between runs. The values per query are the input; nothing is evaluated again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from judged._types import Ints
from judged.comparison.comparison import Comparison
from judged.comparison.difference import ComparisonSettings, Family, PairsOfRuns
from judged.comparison.evaluated_runs import (
    ComparedRuns,
    common_measures,
    evaluate_runs,
    matrix,
    slice_requests,
)
from judged.errors import Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import DEFAULT, Measures
from judged.evaluation.options import EvaluateOptions
from judged.evaluation.slices import Slices, slices_of
from judged.evaluation.values import Values
from judged.io.run_names import short_names
from judged.stats.checks import check_choice, check_count, no_weights
from judged.stats.corrections import CORRECTIONS
from judged.stats.decisions import check_levels
from judged.stats.differences import known_rows
from judged.stats.paired.registry import TESTS
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
        baseline: run that the others are compared with, by name; or by position. [default: all pairs]
        test: paired test; see `jd.stats.TESTS`. The interval of a difference is that of the test.
        correction: correction of p-values over a family of tests, see `jd.stats.CORRECTIONS`.
        family: tests that are corrected together: the pairs of runs within each measure, or the pairs and all measures. The first measure is
            the primary one, which the headline is about. Slices are families of their own.
        alpha: significance level; the chance of any false verdict in a family.
        margin: largest difference that does not matter; runs are equal if the interval of their difference is within it.
        slices: table of queries, whose groups are compared too; with `by`. Or {query: group}.
        by: column of slices to group queries by; several columns are several groupings. `"relevant"` is the number of relevant documents and needs no table.
        min_queries: smallest slice that is tested; smaller ones are only shown.
        clusters: of queries, as in `evaluate`; queries of a cluster (a user, a topic) are drawn, and change sign, together.
        cluster_col: column of the clusters.
        resamples: number of resamples of the permutation and bootstrap tests. [default: that of the test]
        seed: random seed.
        weights: of the queries, as in `evaluate`; means and differences are weighted. Needs `test="t"`.
        weight_col: column of the weights.
        model: judgments of a model, as in `evaluate`: differences are those of human judgments over all queries that the model judged. Needs `test="t"`.
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
                text = f"{m}: {counted(n, 'query')} without a value in some run, left out"
                lost.append(Warned("values-missing", n, text))
    pairs_of_runs = PairsOfRuns(compared.names, pairs, groups.groups, first.clusters, settings, first.weights, model)
    rows, settings = pairs_of_runs.compare(columns)
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
        near = get_close_matches(str(baseline), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}"
        raise UsageError("baseline", f"no run is called {shown(baseline)}", hint=hint, value=baseline)
    return np.array([(first, other) for other in range(len(names)) if other != first])
