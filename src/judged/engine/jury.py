"""How far judges agree: from what people have to an `Agreement`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np

from judged.reliability.interval import Reliability, check_confidence, coefficients
from judged.reliability.paradox import Paradox, paradox
from judged.reliability.rating import Ratings
from judged.reliability.coefficient import usual, wanted
from judged.reliability.weight import weights_of
from judged.engine._agreed import Agreement, JudgePair
from judged.engine._panel import Panel, panel
from judged.engine._system_order import system_order
from judged.errors import DataError, UsageError, Warned, shown
from judged.measures import Measure

__all__ = ["Agreement", "JudgePair", "agreement"]

Interval = Literal["analytic", "units", "queries"]


def agreement(
    *judges: Any,
    level: float | None = None,
    weights: Any = "nominal",
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
    interval: Interval | None = None,
    seed: int | np.random.Generator = 0,
    runs: Any = None,
    measure: str | Measure = "nDCG@10",
) -> Agreement:
    """How far two judges or more agree: every usual coefficient with an interval, and what stands behind it.

    Coefficients of two judges rest on the units (documents of a query) that both judged; those of more on all that were judged,
    missing judgments and all. The scale is every label that any judge gave.

    Args:
        judges: judgments of each judge, in any form that `read_qrels` takes; or columns of labels of one length, with None where
            one is missing; or one mapping {name: judgments}; or one frame with a column for each judge (`names` chooses them).
        level: make grades binary first: relevant from this one up.
        weights: nominal; or linear, quadratic, ordinal, ratio, or a matrix of agreement weights (1 on the diagonal, less
            elsewhere), to have the whole family of coefficients under these weights too.
        names: what the judges are called.
        confidence: of the intervals.
        interval: "queries" draws whole queries again (documents of a query are not independent): the default where there are
            queries. "analytic" takes closed forms of independent units: the default for columns; Krippendorff's ordinal alpha
            has none, and draws units. "units" draws units.
        seed: of the draws.
        runs: rankings of several systems, as a list or {name: run}, to see what a change of judge does to their order.
        measure: by which they are ordered.

    >>> from judged.sources import sample_path
    >>> a = agreement(sample_path("qrels.a.txt"), sample_path("qrels.b.txt"))
    >>> round(a["kappa(quadratic)"].value, 3)
    0.985
    """
    check_confidence(confidence)
    if interval not in (None, "analytic", "units", "queries"):
        raise UsageError("interval", "one of analytic, units, queries", got=shown(interval), value=interval)
    found = panel(judges, names, level=level)
    ratings, query = found.ratings, found.units.query if found.units is not None else None
    chosen = weights_of(weights, ratings.numbers, len(ratings.categories))
    by, own = chosen.name, chosen.matrix if chosen.name == "own" else None
    if interval == "queries" and query is None:
        raise UsageError("interval", "judgments with queries, to draw queries again", got="columns of labels")
    _check_overlap(found)
    options: dict[str, Any] = {
        "interval": interval or ("queries" if query is not None else "analytic"),
        "query": query,
        "confidence": confidence,
        "seed": seed,
    }
    all_of_them = coefficients(ratings, [wanted(key, ratings, own) for key in usual(ratings, by)], **options)
    pairs = tuple(
        _pair(ratings, a, b, by, own, options, all_of_them) for a, b in combinations(range(ratings.raters), 2)
    )
    order = None
    if runs is not None:
        if not found.qrels:
            raise UsageError("runs", "judgments with queries and documents", got="columns of labels")
        order = system_order(found.names, found.qrels, runs, measure, level)
    overall = pairs[0].paradox if len(pairs) == 1 else _overall(ratings, all_of_them)
    warnings = (*found.warnings, *_undefined(all_of_them))
    return Agreement(found, all_of_them, pairs, overall, order, by, own, confidence, level, warnings)


def _pair(
    ratings: Ratings, a: int, b: int, by: str, own: Any, options: dict[str, Any], known: dict[str, Reliability]
) -> JudgePair:
    two = ratings.take([a, b])
    there = two.codes >= 0
    if ratings.raters > 2:
        graded = ratings.numbers is not None and len(ratings.categories) > 2
        weighted = [f"kappa({'quadratic' if by == 'nominal' else by})"] if graded or by != "nominal" else []
        keys = ("raw", "expected", "kappa", "pi", "ac1", "bp", "alpha", *weighted)
        known = coefficients(two, [wanted(key, two, own) for key in keys], **options)
    confusion = two.confusion()
    share = confusion / max(1, confusion.sum())
    seen = paradox(
        share.sum(axis=1), share.sum(axis=0), two.categories, raw=known["raw"].value, expected=known["expected"].value,
        kappa=known["kappa"].value, even=known["bp"].value, names=two.names,
    )  # fmt: skip
    both, alone = int(there.all(axis=0).sum()), tuple((there & ~there[::-1]).sum(axis=1).tolist())
    return JudgePair((two.names[0], two.names[1]), both, (alone[0], alone[1]), known, confusion, seen)


def _overall(ratings: Ratings, known: dict[str, Reliability]) -> Paradox:
    """What several judges' labels hide, all of them together."""
    counted = np.bincount(ratings.codes[ratings.codes >= 0], minlength=len(ratings.categories))
    return paradox(
        counted / counted.sum(), None, ratings.categories, raw=known["raw"].value, expected=known["fleiss"].expected,
        kappa=known["fleiss"].value, even=known["bp"].value, called="Fleiss' kappa",
    )  # fmt: skip


def _check_overlap(found: Panel) -> None:
    if (found.ratings.rated() >= 2).any():
        return
    names, units = found.names, found.units
    if units is None:
        raise DataError("no-common-unit", "a row with labels of two judges", got="none", hint="are the rows aligned?")
    shared = [{units.queries[q] for q in np.unique(units.query[row >= 0])} for row in found.ratings.codes]
    same = set.intersection(*shared)
    hint = (
        "they share queries: are the document ids the same?"
        if same
        else "they share no query: are these the same topics?"
    )
    raise DataError(
        "no-common-unit", "documents that two judges both judged", got=f"none in {', '.join(q.name for q in found.qrels)}",
        hint=hint, value=", ".join(names),
    )  # fmt: skip


def _undefined(known: dict[str, Reliability]) -> list[Warned]:
    worst = max(known.values(), key=lambda c: c.undefined)
    if not worst.undefined:
        return []
    text = f"{worst.name} has no value in {worst.undefined} resamples, which its interval leaves out"
    return [Warned("undefined-resamples", worst.undefined, text)]
