"""Compute the agreement of judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from judged._types import Ints
from judged.core.policy import Rejudged
from judged.core.resample import generator
from judged.errors import DataError, Hint, UsageError, Warned
from judged.evaluation.options import ColumnOptions, named_columns
from judged.judges.model_bias import model_bias
from judged.judges.panel import Level, Panel, read_panel
from judged.judges.result import Agreement, JudgePair
from judged.judges.system_order import SystemOrder, system_order
from judged.measures.registry import Measure
from judged.stats.agreement.choices import Interval, WeightsName
from judged.stats.agreement.intervals import Reliability, coefficients
from judged.stats.agreement.paradox import Paradox, paradox
from judged.stats.agreement.ratings import Ratings
from judged.stats.agreement.registry import parse_coefficient, usual_coefficients
from judged.stats.agreement.weights import weights_of
from judged.stats.checks import check_choice, check_share
from judged.steps import step
from judged.tables.text import counted

FEWEST_QUERIES = 10  # a percentile interval from fewer queries depends too much on single ones


def agree(
    *sources: Any,
    level: Level | None = None,
    weights: WeightsName | ArrayLike = "nominal",
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval: Interval | None = None,
    seed: int | np.random.Generator = 0,
    runs: Any = None,
    measure: str | Measure = "nDCG@10",
    model: str | None = None,
    width: float = 0.1,
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_col: str | None = None,
    **columns: Unpack[ColumnOptions],
) -> Agreement:
    """Compute the agreement of two or more judges: the usual coefficients with confidence intervals.

    Coefficients of two judges use the units (documents of a query) that both judged; those of more judges use all units,
    with missing judgments. The categories are all labels that occur.

    Args:
        sources: judgments of each judge, in any format that `read_qrels` accepts; or columns of labels of the same length, with
            None for a missing label; or one mapping {name: judgments}; or one frame with a column per judge (`names` selects
            them); or one table with all judges, see `judges` and `judge_col`.
        level: lowest grade that counts as 1 in binary labels; {"human": 2, "llm": 1} for judges with different scales, where
            None is the level of all others.
        weights: nominal, linear, quadratic, ordinal or ratio; or a matrix of agreement weights (1 on the diagonal, less
            elsewhere). Unless they are nominal, all coefficients are also computed with these weights.
        names: names of the judges.
        confidence: confidence level of the intervals.
        interval: "queries" is a bootstrap over queries, since documents of a query are not independent: the default for 10 or
            more queries. "units" is a bootstrap over units: the default for fewer queries. "analytic" is a closed form for
            independent units: the default for columns and for one query; Krippendorff's ordinal alpha has none and uses "units".
        seed: random seed.
        runs: rankings of several systems, as a list or {name: run}, to compare the order of systems by judge.
        measure: measure that orders the systems.
        model: name of the judge that is a model: adds its bias by grade, and with `runs` by system and the queries that people must judge.
            [default: the one of two judges whose file `model_judge` wrote]
        width: width of the 95% interval of a mean for which people judge these queries.
        rejudged: grade of a document that a judge judged twice with different grades, see `Policy`.
        judges: columns of grades in one table, one per judge; an empty cell is a missing judgment. With `judge_col`, the judges to select.
        judge_col: column of one table that names the judge of each row.
        columns: names of columns (`query_col` …), each used in every table that has it; `grade_map`, grades of words.

    >>> from judged.io.sample import sample_path
    >>> a = agree(sample_path("qrels.a.txt"), sample_path("qrels.b.txt"))
    >>> round(a["kappa(quadratic)"].value, 3)
    0.985
    """
    _check_statistics(confidence, seed, interval)
    named = named_columns(columns, ColumnOptions)
    panel = read_panel(
        sources, names, level=level, rejudged=rejudged, judges=judges, judge_col=judge_col, columns=named
    )
    if runs is not None and not panel.qrels:
        raise UsageError("runs", "columns of labels have no queries and cannot evaluate runs")
    agreement = _agreement(panel, weights, interval, {"confidence": confidence, "seed": seed})
    order = None if runs is None else system_order(panel, runs, measure, rejudged, named)
    named.check_used()
    return _with_systems(agreement, order, model or _model_among(panel), width)


def _model_among(panel: Panel) -> str | None:
    """Return the name of the one of two judges whose file a model judge wrote."""
    if len(panel.names) != 2 or panel.ratings.numbers is None:
        return None
    from judged.judging.judgments import is_by_model

    found = [name for name, one in zip(panel.names, panel.qrels, strict=False) if one.path and is_by_model(one.path)]
    return found[0] if len(found) == 1 else None


def _with_systems(agreement: Agreement, order: SystemOrder | None, model: str | None, width: float) -> Agreement:
    """Add the order of systems by judge, and the bias of the judge that is a model."""
    bias = None if model is None else model_bias(agreement.panel, model, order, width)
    warnings = () if order is None else order.warnings
    return replace(agreement, order=order, bias=bias, warnings=(*agreement.warnings, *warnings))


def _check_statistics(confidence: float, seed: Any, interval: Interval | None) -> None:
    check_share(confidence, "confidence")
    generator(seed)  # raises an error for a bad seed even if it is not used
    if interval is not None:
        check_choice(interval, Interval, "interval", slug="interval")


@step("computing agreement")
def _agreement(panel: Panel, weights: Any, interval: Interval | None, options: dict[str, Any]) -> Agreement:
    """Compute the coefficients of all judges and of each pair."""
    ratings, query = panel.ratings, panel.units.query if panel.units is not None else None
    chosen = weights_of(weights, ratings.numbers, len(ratings.categories))
    by, own = chosen.name, chosen.matrix if chosen.name == "own" else None
    if interval == "queries" and query is None:
        raise UsageError(
            "interval",
            "columns of labels have no queries for a bootstrap",
            hint=Hint("use {interval}", interval="units"),
        )
    _check_overlap(panel)
    options = {"query": query, **options}
    requests = [parse_coefficient(key, ratings, own) for key in usual_coefficients(ratings, by)]
    known = coefficients(ratings, requests, interval=interval or _usual_interval(ratings, query), **options)
    two = known if ratings.raters == 2 else None
    pairs = tuple(
        _pair(ratings.take([a, b]), by, own, {"interval": interval, **options}, two)
        for a, b in combinations(range(ratings.raters), 2)
    )
    paradox = pairs[0].paradox if two is not None else _paradox_of_all(ratings, known)
    note = "" if interval else _interval_note(ratings, query)
    warnings = (*panel.warnings, *_undefined_resamples(known))
    return Agreement(panel, known, pairs, paradox, None, by, own, options["confidence"], warnings, note)


def _usual_interval(ratings: Ratings, query: Ints | None) -> Interval:
    """Return the default: a bootstrap over queries if there are enough, closed forms for a single query."""
    if query is None:
        return "analytic"
    queries = _shared_queries(ratings, query)
    return "queries" if queries >= FEWEST_QUERIES else "units" if queries > 1 else "analytic"


def _interval_note(ratings: Ratings, query: Ints | None) -> str:
    if query is None or (queries := _shared_queries(ratings, query)) >= FEWEST_QUERIES:
        return ""
    instead = "documents are resampled instead" if queries > 1 else "documents are treated as independent"
    return (
        f"{counted(queries, 'query is', 'queries are')} too few for a bootstrap over queries (fewer than {FEWEST_QUERIES}):"
        f" {instead}, and intervals may be too narrow"
    )


def _shared_queries(ratings: Ratings, query: Ints) -> int:
    return len(np.unique(query[ratings.rated() >= 2]))


def _pair(two: Ratings, by: str, own: Any, options: dict[str, Any], known: dict[str, Reliability] | None) -> JudgePair:
    """Compare two judges; `known` are their coefficients if there are no other judges."""
    judged = two.codes >= 0
    if known is None:
        graded = two.numbers is not None and len(two.categories) > 2
        weighted = [f"kappa({'quadratic' if by == 'nominal' else by})"] if graded or by != "nominal" else []
        keys = ("raw", "expected", "kappa", "pi", "ac1", "bp", "alpha", *weighted)
        options = {**options, "interval": options["interval"] or _usual_interval(two, options["query"])}
        known = coefficients(two, [parse_coefficient(key, two, own) for key in keys], **options)
    confusion = two.confusion()
    share = confusion / max(1, confusion.sum())
    marginals = paradox(
        share.sum(axis=1),
        share.sum(axis=0),
        two.categories,
        raw=known["raw"].value,
        expected=known["expected"].value,
        kappa=known["kappa"].value,
        even=known["bp"].value,
        names=two.names,
    )
    first, second = (judged & ~judged[::-1]).sum(axis=1).tolist()
    both = int(judged.all(axis=0).sum())
    return JudgePair((two.names[0], two.names[1]), both, (first, second), known, confusion, marginals)


def _paradox_of_all(ratings: Ratings, known: dict[str, Reliability]) -> Paradox:
    """Analyse the pooled marginals of several judges."""
    counts = np.bincount(ratings.codes[ratings.codes >= 0], minlength=len(ratings.categories))
    return paradox(
        counts / counts.sum(),
        None,
        ratings.categories,
        raw=known["raw"].value,
        expected=known["fleiss"].expected,
        kappa=known["fleiss"].value,
        even=known["bp"].value,
        called="Fleiss' kappa",
        constant=any(len(np.unique(row[row >= 0])) == 1 for row in ratings.codes),
    )


def _check_overlap(panel: Panel) -> None:
    if (panel.ratings.rated() >= 2).any():
        return
    units = panel.units
    if units is None:
        raise DataError("no-common-unit", "no row has labels of two judges", hint="check that the rows are aligned")
    shared = [{units.queries[q] for q in np.unique(units.query[row >= 0])} for row in panel.ratings.codes]
    common = set.intersection(*shared)
    hint = "check that the document ids are the same" if common else "check that the queries are the same"
    problem = f"no document was judged by two of {', '.join(q.name for q in panel.qrels)}"
    problem += "; they have queries in common" if common else "; they have no query in common"
    raise DataError("no-common-unit", problem, hint=hint, value=", ".join(panel.names))


def _undefined_resamples(known: dict[str, Reliability]) -> list[Warned]:
    worst = max(known.values(), key=lambda c: c.undefined)
    if not worst.undefined:
        return []
    text = f"{worst.name} is undefined in {counted(worst.undefined, 'resample')}, which its interval excludes"
    return [Warned("undefined-resamples", worst.undefined, text)]
