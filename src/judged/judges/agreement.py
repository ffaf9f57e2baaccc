"""How far judges agree: from what people have to an `Agreement`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from judged._types import Ints
from judged.core.numeric.seed import generator
from judged.core.policy import Rejudged
from judged.errors import DataError, UsageError, Warned, shown
from judged.judges.panel import Level, Panel, read_panel
from judged.judges.result import Agreement, JudgePair
from judged.judges.system_order import system_order
from judged.measures.registry import Measure
from judged.stats.agreement.intervals import Reliability, check_confidence, coefficients
from judged.stats.agreement.paradox import Paradox, paradox
from judged.stats.agreement.ratings import Ratings
from judged.stats.agreement.registry import usual, wanted
from judged.stats.agreement.weights import weights_of
from judged.tables.text import counted

__all__ = ["Agreement", "JudgePair", "agree"]

Interval = Literal["analytic", "units", "queries"]

FEWEST_QUERIES = 10  # a percentile interval from draws of fewer hangs on each single one


def agree(
    *sources: Any,
    level: Level | None = None,
    weights: Any = "nominal",
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval: Interval | None = None,
    seed: int | np.random.Generator = 0,
    runs: Any = None,
    measure: str | Measure = "nDCG@10",
    rejudged: Rejudged = "error",
    judges: Sequence[str] | None = None,
    judge_column: str | None = None,
) -> Agreement:
    """Compute how far two judges or more agree: every usual coefficient with an interval, and what stands behind it.

    Coefficients of two judges rest on the units (documents of a query) that both judged; those of more on all that were judged,
    missing judgments and all. The scale is every label that any judge gave.

    Args:
        sources: judgments of each judge, in any form that `read_qrels` takes; or columns of labels of one length, with None where
            one is missing; or one mapping {name: judgments}; or one frame with a column for each judge (`names` chooses them); or
            one table with all judges, see `judges` and `judge_column`.
        level: make grades binary first: relevant from this one up. Judges with different scales have their own:
            {"human": 2, "llm": 1}; None stands for all others.
        weights: nominal; or linear, quadratic, ordinal, ratio, or a matrix of agreement weights (1 on the diagonal, less
            elsewhere), to have the whole family of coefficients under these weights too.
        names: what the judges are called.
        confidence: of the intervals.
        interval: "queries" draws whole queries again (documents of a query are not independent): the default from 10 queries
            on. "units" draws units: the default below that, where draws of so few queries say little. "analytic" takes closed
            forms of independent units: the default for columns and for one query; Krippendorff's ordinal alpha has none, and
            draws units.
        seed: of the draws.
        runs: rankings of several systems, as a list or {name: run}, to see what a change of judge does to their order.
        measure: by which they are ordered.
        rejudged: a document that one judge judged twice with different grades.
        judges: of one table (a file, a frame, records), the columns of grades, one for each judge, beside query and document
            ids; an empty cell is a missing judgment. With `judge_column`, the judges to take.
        judge_column: of one table, the column that names the judge of each row.

    >>> from judged.io.sample import sample_path
    >>> a = agree(sample_path("qrels.a.txt"), sample_path("qrels.b.txt"))
    >>> round(a["kappa(quadratic)"].value, 3)
    0.985
    """
    check_confidence(confidence)
    generator(seed)  # raises an error for a bad seed, also where nothing is drawn
    if interval not in (None, *get_args(Interval)):
        raise UsageError("interval", "one of analytic, units, queries", got=shown(interval), value=interval)
    panel = read_panel(sources, names, level=level, rejudged=rejudged, judges=judges, judge_column=judge_column)
    if runs is not None and not panel.qrels:
        raise UsageError("runs", "judgments with queries and documents", got="columns of labels")
    agreement = _agreement(panel, weights, interval, {"confidence": confidence, "seed": seed})
    if runs is None:
        return agreement
    order = system_order(panel, runs, measure, rejudged)
    return replace(agreement, order=order, warnings=(*agreement.warnings, *order.warnings))


def _agreement(panel: Panel, weights: Any, interval: Interval | None, options: dict[str, Any]) -> Agreement:
    """Compute the coefficients of all judges and of each pair."""
    ratings, query = panel.ratings, panel.units.query if panel.units is not None else None
    chosen = weights_of(weights, ratings.numbers, len(ratings.categories))
    by, own = chosen.name, chosen.matrix if chosen.name == "own" else None
    if interval == "queries" and query is None:
        raise UsageError("interval", "judgments with queries, to draw queries again", got="columns of labels")
    _check_overlap(panel)
    options = {"query": query, **options}
    keys = [wanted(key, ratings, own) for key in usual(ratings, by)]
    known = coefficients(ratings, keys, interval=interval or _usual_interval(ratings, query), **options)
    two = known if ratings.raters == 2 else None
    pairs = tuple(
        _pair(ratings.take([a, b]), by, own, {"interval": interval, **options}, two)
        for a, b in combinations(range(ratings.raters), 2)
    )
    paradox = pairs[0].paradox if two is not None else _paradox_of_all(ratings, known)
    note = "" if interval else _interval_note(ratings, query)
    warnings = (*panel.warnings, *_undefined(known))
    return Agreement(panel, known, pairs, paradox, None, by, own, options["confidence"], warnings, note)


def _usual_interval(ratings: Ratings, query: Ints | None) -> Interval:
    """Queries are drawn where there are enough of them to say how much queries differ; one alone has closed forms."""
    if query is None:
        return "analytic"
    queries = _shared_queries(ratings, query)
    return "queries" if queries >= FEWEST_QUERIES else "units" if queries > 1 else "analytic"


def _interval_note(ratings: Ratings, query: Ints | None) -> str:
    if query is None or (queries := _shared_queries(ratings, query)) >= FEWEST_QUERIES:
        return ""
    instead = "documents are drawn instead of queries" if queries > 1 else "documents are taken as independent"
    return (
        f"{counted(queries, 'query is', 'queries are')} too few to draw queries again (fewer than {FEWEST_QUERIES}): {instead},"
        " and intervals may be too narrow"
    )


def _shared_queries(ratings: Ratings, query: Ints) -> int:
    return len(np.unique(query[ratings.rated() >= 2]))


def _pair(two: Ratings, by: str, own: Any, options: dict[str, Any], known: dict[str, Reliability] | None) -> JudgePair:
    """Two judges; `known`: their coefficients, where these two are all."""
    judged = two.codes >= 0
    if known is None:
        graded = two.numbers is not None and len(two.categories) > 2
        weighted = [f"kappa({'quadratic' if by == 'nominal' else by})"] if graded or by != "nominal" else []
        keys = ("raw", "expected", "kappa", "pi", "ac1", "bp", "alpha", *weighted)
        options = {**options, "interval": options["interval"] or _usual_interval(two, options["query"])}
        known = coefficients(two, [wanted(key, two, own) for key in keys], **options)
    confusion = two.confusion()
    share = confusion / max(1, confusion.sum())
    seen = paradox(
        share.sum(axis=1), share.sum(axis=0), two.categories, raw=known["raw"].value, expected=known["expected"].value,
        kappa=known["kappa"].value, even=known["bp"].value, names=two.names,
    )  # fmt: skip
    first, second = (judged & ~judged[::-1]).sum(axis=1).tolist()
    both = int(judged.all(axis=0).sum())
    return JudgePair((two.names[0], two.names[1]), both, (first, second), known, confusion, seen)


def _paradox_of_all(ratings: Ratings, known: dict[str, Reliability]) -> Paradox:
    """Return what the labels of several judges hide, all of them together."""
    counts = np.bincount(ratings.codes[ratings.codes >= 0], minlength=len(ratings.categories))
    return paradox(
        counts / counts.sum(), None, ratings.categories, raw=known["raw"].value, expected=known["fleiss"].expected,
        kappa=known["fleiss"].value, even=known["bp"].value, called="Fleiss' kappa",
        constant=any(len(np.unique(row[row >= 0])) == 1 for row in ratings.codes),
    )  # fmt: skip


def _check_overlap(panel: Panel) -> None:
    if (panel.ratings.rated() >= 2).any():
        return
    units = panel.units
    if units is None:
        raise DataError("no-common-unit", "a row with labels of two judges", got="none", hint="are the rows aligned?")
    shared = [{units.queries[q] for q in np.unique(units.query[row >= 0])} for row in panel.ratings.codes]
    hint = "they share no query: are these the same topics?"
    if set.intersection(*shared):
        hint = "they share queries: are the document ids the same?"
    raise DataError(
        "no-common-unit", "documents that two judges both judged", got=f"none in {', '.join(q.name for q in panel.qrels)}",
        hint=hint, value=", ".join(panel.names),
    )  # fmt: skip


def _undefined(known: dict[str, Reliability]) -> list[Warned]:
    worst = max(known.values(), key=lambda c: c.undefined)
    if not worst.undefined:
        return []
    text = f"{worst.name} has no value in {counted(worst.undefined, 'resample')}, which its interval leaves out"
    return [Warned("undefined-resamples", worst.undefined, text)]
