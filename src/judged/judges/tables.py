"""Headline and tables of an `Agreement`."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from judged.stats.agreement.intervals import Reliability
from judged.stats.agreement.ratings import Label
from judged.tables.table import Table
from judged.tables.text import counted, number

if TYPE_CHECKING:
    from judged.judges.result import Agreement, JudgePair


def _main_key(a: Agreement) -> str:
    """Return the recommended coefficient: with the chosen weights, or by the kind of labels.

    For two judges it is Cohen's kappa, quadratic for grades; for more, Krippendorff's alpha, which allows for missing
    judgments, ordinal for grades.
    """
    two = len(a.names) == 2
    if a.weights != "nominal":
        return f"kappa({a.weights})" if two else f"alpha({'interval' if a.weights == 'quadratic' else a.weights})"
    if _is_graded(a):
        return "kappa(quadratic)" if two else "alpha(ordinal)"
    return "kappa" if two else "alpha"


def conclusion(a: Agreement) -> tuple[str, ...]:
    """Return the headline: coefficient, exact agreement, leniency, order of systems."""
    order = a.order.headline() if a.order is not None else ()
    bias = a.bias.headline() if a.bias is not None else ()
    return (_coefficient(a), _exact(a), *_lenient(a), *order, *bias)


def _is_graded(a: Agreement) -> bool:
    return a.panel.ratings.numbers is not None and len(a.categories) > 2


def _coefficient(a: Agreement) -> str:
    c = a[_main_key(a)]
    labels = "graded labels" if _is_graded(a) else "binary labels" if len(a.categories) <= 2 else "unordered labels"
    why = f"recommended for {labels}" if a.weights == "nominal" else "with the chosen weights"
    name = c.name[0].upper() + c.name[1:]
    if isnan(c.value):
        return f"{name} ({why}) is undefined: {c.reason}"
    if len(a.pairs) == 1 and a.pairs[0].one_label:
        return f"{name} ({why}) is not informative: {a.paradox.sentences[0]}"
    between = (
        "no interval" if isnan(c.low) else (f"{100 * a.confidence:g}% interval {number(c.low)} to {number(c.high)}")
    )
    return f"{name} ({why}): {number(c.value)}, {between}"


def _exact(a: Agreement) -> str:
    thing = "document" if a.panel.units is not None else "unit"
    who = "both" if len(a.names) == 2 else "two or more judges"
    return f"Exact agreement: {a['raw'].value:.1%} of {counted(a['raw'].units, thing)} judged by {who}"


def _lenient(a: Agreement) -> tuple[str, ...]:
    """Compare the mean grades over the documents that all judges judged; empty without such documents."""
    ratings = a.panel.ratings
    shared = (ratings.codes >= 0).all(axis=0)
    if ratings.numbers is None or not shared.any():
        return ()
    grades = ratings.numbers[ratings.codes[:, shared]]
    mean, zero = np.round(grades.mean(axis=1), 2), (grades == 0).mean(axis=1)  # equal as printed
    means = ", ".join(f"{name} {m:.2f} ({z:.0%} are 0)" for name, m, z in zip(a.names, mean, zero, strict=True))
    means = f"mean {'grade' if a.panel.levels is None else 'label'}: {means}"
    high, low = int(np.argmax(mean)), int(np.argmin(mean))
    if mean[high] == mean[low]:
        return (f"{'Neither' if len(a.names) == 2 else 'None'} is more lenient; {means}",)
    if len(a.names) == 2:
        return (f"{a.names[high]} is more lenient; {means}",)
    return (f"{a.names[high]} is the most lenient, {a.names[low]} the strictest; {means}",)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def summary_tables(a: Agreement, places: int) -> list[Table]:
    """Return the coefficients with notes, and for more than two judges those of each pair."""
    share = f"{100 * a.confidence:g}%"
    rows = tuple(
        (c.name, number(c.value, places), _between(c, places), number(c.expected, places))
        for c in a.coefficients.values()
    )
    headers = ("coefficient", "value", f"{share} interval", "chance")
    first = Table(headers, rows, title=f"agreement of {_and(a.names)}", notes=_notes(a))
    return [first] if len(a.pairs) == 1 else [first, _pairs(a, places)]


def confusion_table(pair: JudgePair, categories: Sequence[Label]) -> Table:
    """Return the confusion matrix of two judges; rows are the first."""
    labels, total = tuple(map(str, categories)), pair.confusion.sum(axis=0).tolist()
    rows = [(label, *map(str, row), str(sum(row))) for label, row in zip(labels, pair.confusion.tolist(), strict=True)]
    rows.append(("total", *map(str, total), str(sum(total))))
    return Table((f"{pair.names[0]} ↓ {pair.names[1]} →", *labels, "total"), tuple(rows), title="confusion matrix")


def _pairs(a: Agreement, places: int) -> Table:
    keys = [key for key in a.pairs[0].coefficients if key == "raw" or key.startswith(("kappa", "ac1"))]
    names = tuple(a.pairs[0][key].name for key in keys)
    rows = tuple(
        (*p.names, str(p.both), *(f"{number(p[key].value, places)} {_between(p[key], places)}" for key in keys))
        for p in a.pairs
    )
    notes = tuple(f"{p.names[0]} and {p.names[1]}: {s}" for p in a.pairs for s in p.paradox.sentences)
    headers = ("judge", "judge", "both judged", *names)
    return Table(headers, rows, title="pairs of judges", notes=notes, words=(0, 1))


def _notes(a: Agreement) -> tuple[str, ...]:
    shared = counted(a.shared, "document" if a.panel.units is not None else "unit")
    queries = f", {counted(len(a.panel.units.queries), 'query', 'queries')}" if a.panel.units is not None else ""
    two = len(a.names) == 2
    notes = [f"{shared} judged by {'both' if two else 'two or more judges'}, {a.overlap[1]} by one only{queries}"]
    notes.append("judged by each: " + ", ".join(f"{name} {n}" for name, n in a.judged.items()))
    if isinstance(a.level, dict):
        own = ", ".join(f"{level:g} ({name})" for name, level in a.level.items())
        notes.append(f"grades from the judge's own level on count as 1, others as 0: {own}")
    elif a.level is not None:
        notes.append(f"grades ≥ {a.level:g} count as 1, others as 0")
    notes += filter(None, [_interval_methods(a), a.note])
    shares = ", ".join(f"{label} {share:.0%}" for label, share in list(a.paradox.prevalence.items())[:12])
    marginals = f"labels: {shares}"
    if two:
        marginals += f" · bias {number(a.paradox.bias, 2)}"
        if not isnan(a.paradox.ceiling) and not a.pairs[0].one_label:
            marginals += f" · largest kappa with these marginals {a.paradox.ceiling:z.2f}"
    notes.append(marginals)
    notes += [f"note: {sentence}" for sentence in a.paradox.sentences]
    undefined = [c for c in a.coefficients.values() if c.reason]
    if undefined:
        notes.append(f"undefined: {', '.join(c.name for c in undefined)} ({undefined[0].reason})")
    return (*notes, *(f"warning: {w}" for w in a.warnings))


def _interval_methods(a: Agreement) -> str:
    """Name the method of each interval, the most frequent one first."""
    methods: dict[str, list[str]] = {}
    for c in a.coefficients.values():
        if c.method:
            methods.setdefault(c.method, []).append(c.name)
    if len(methods) < 2:
        return f"intervals: {next(iter(methods), 'none, because there are too few units')}"
    most = max(methods, key=lambda m: len(methods[m]))
    others = "; ".join(f"{m} for {', '.join(names)}" for m, names in methods.items() if m != most)
    return f"intervals: {most}; {others}"


def _between(c: Reliability, places: int) -> str:
    return "–" if isnan(c.low) else f"[{number(c.low, places)}, {number(c.high, places)}]"


def _and(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
