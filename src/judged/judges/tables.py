"""An `Agreement` in words and as tables: the coefficient to read, and what must be known beside it."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from judged._types import Floats, Ints
from judged.errors import UsageError, shown
from judged.io.tables.columns import is_usual
from judged.judges.panel import Panel
from judged.stats.agreement.intervals import Reliability
from judged.stats.agreement.ratings import Label, Ratings
from judged.tables.result import RecordTable
from judged.tables.table import Table
from judged.tables.text import counted, distinct_columns, number

if TYPE_CHECKING:
    from judged.judges.result import Agreement, JudgePair

__all__ = ["adjudication_table", "conclusion", "confusion_table", "disagreement_table", "summary_tables"]


def _main_key(a: Agreement) -> str:
    """The coefficient to read for these labels: under the weights that were asked for, else as the labels are.

    Two judges: Cohen's kappa; of grades, the quadratic one. More: Krippendorff's alpha, which is made for missing judgments; of
    grades, the ordinal one.
    """
    two = len(a.names) == 2
    if a.weights != "nominal":
        return f"kappa({a.weights})" if two else f"alpha({'interval' if a.weights == 'quadratic' else a.weights})"
    if _is_graded(a):
        return "kappa(quadratic)" if two else "alpha(ordinal)"
    return "kappa" if two else "alpha"


def conclusion(a: Agreement, places: int = 4) -> tuple[str, ...]:
    """What a person asks first, a sentence each."""
    order = a.order.conclusion() if a.order is not None else ()
    return (_coefficient(a, places), _exact(a), *_lenient(a), *order)


def _is_graded(a: Agreement) -> bool:
    return a.panel.ratings.numbers is not None and len(a.categories) > 2


def _coefficient(a: Agreement, places: int) -> str:
    c = a[_main_key(a)]
    labels = "graded labels" if _is_graded(a) else "binary labels" if len(a.categories) <= 2 else "labels without order"
    why = f"to be read for {labels}" if a.weights == "nominal" else "under the weights asked for"
    name = c.name[0].upper() + c.name[1:]
    if isnan(c.value):
        return f"{name} ({why}) has no value: {c.reason}"
    if len(a.pairs) == 1 and a.pairs[0].one_label:
        return f"{name} ({why}) says nothing here: {a.paradox.sentences[0]}"
    between = "no interval" if isnan(c.low) else (
        f"{100 * a.confidence:g}% interval {number(c.low, places)} to {number(c.high, places)}"
    )  # fmt: skip
    return f"{name} ({why}): {number(c.value, places)}, {between}"


def _exact(a: Agreement) -> str:
    thing = "document" if a.panel.units is not None else "unit"
    who = "both" if len(a.names) == 2 else "two judges or more"
    return f"Exact agreement: {a['raw'].value:.1%} of {counted(a['raw'].units, thing)} judged by {who}"


def _lenient(a: Agreement) -> tuple[str, ...]:
    """Who gives higher grades, over what every one of them judged (or, if there is nothing of the kind, nothing is said)."""
    ratings = a.panel.ratings
    shared = (ratings.codes >= 0).all(axis=0)
    if ratings.numbers is None or not shared.any():
        return ()
    grades = ratings.numbers[ratings.codes[:, shared]]
    mean, zero = np.round(grades.mean(axis=1), 2), (grades == 0).mean(axis=1)  # what prints alike is alike
    habits = ", ".join(f"{name} {m:.2f} ({z:.0%} are 0)" for name, m, z in zip(a.names, mean, zero, strict=True))
    habits = f"mean {'grade' if a.panel.levels is None else 'label'}: {habits}"
    high, low = int(np.argmax(mean)), int(np.argmin(mean))
    if mean[high] == mean[low]:
        return (f"{'Neither' if len(a.names) == 2 else 'None'} is more lenient; {habits}",)
    if len(a.names) == 2:
        return (f"{a.names[high]} is more lenient; {habits}",)
    return (f"{a.names[high]} is the most lenient, {a.names[low]} the strictest; {habits}",)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────


def summary_tables(a: Agreement, places: int) -> list[Table]:
    """The coefficients with notes; of more than two judges, each pair too."""
    share = f"{100 * a.confidence:g}%"
    rows = tuple(
        (c.name, number(c.value, places), _between(c, places), number(c.expected, places))
        for c in a.coefficients.values()
    )
    headers = ("coefficient", "value", f"{share} interval", "by chance")
    first = Table(headers, rows, title=f"agreement of {_and(a.names)}", notes=_notes(a))
    return [first] if len(a.pairs) == 1 else [first, _pairs(a, places)]


def confusion_table(pair: JudgePair, categories: Sequence[Label]) -> Table:
    """Rows: the first judge."""
    labels, total = tuple(map(str, categories)), pair.confusion.sum(axis=0).tolist()
    rows = [(label, *map(str, row), str(sum(row))) for label, row in zip(labels, pair.confusion.tolist(), strict=True)]
    rows.append(("total", *map(str, total), str(sum(total))))
    return Table((f"{pair.names[0]} ↓ {pair.names[1]} →", *labels, "total"), tuple(rows), title="confusion matrix")


def _pairs(a: Agreement, places: int) -> Table:
    keys = [key for key in a.pairs[0].coefficients if key == "raw" or key.startswith(("kappa", "ac1"))]
    names = tuple(a.pairs[0][key].name for key in keys)
    rows = tuple(
        (
            p.names[0],
            p.names[1],
            str(p.both),
            *(f"{number(p[key].value, places)} {_between(p[key], places)}" for key in keys),
        )
        for p in a.pairs
    )
    notes = tuple(f"{p.names[0]} and {p.names[1]}: {s}" for p in a.pairs for s in p.paradox.sentences)
    return Table(
        ("judge", "judge", "both judged", *names), rows, title="each pair of judges", notes=notes, words=(0, 1)
    )


def _notes(a: Agreement) -> tuple[str, ...]:
    shared = counted(a.shared, "document" if a.panel.units is not None else "unit")
    queries = f", {counted(len(a.panel.units.queries), 'query', 'queries')}" if a.panel.units is not None else ""
    two = len(a.names) == 2
    notes = [f"{shared} judged by {'both' if two else 'two judges or more'}, {a.overlap[1]} by one alone{queries}"]
    notes.append("judged by each: " + ", ".join(f"{name} {n}" for name, n in a.judged.items()))
    if isinstance(a.level, dict):
        own = ", ".join(f"{level:g} ({name})" for name, level in a.level.items())
        notes.append(f"grades from the judge's own level up count as 1, others as 0: {own}")
    elif a.level is not None:
        notes.append(f"grades from {a.level:g} up count as 1, others as 0")
    notes += [_how(a), a.note] if a.note else [_how(a)]
    shares = ", ".join(f"{label} {share:.0%}" for label, share in list(a.paradox.prevalence.items())[:12])
    beside = f"labels given: {shares}"
    if two:
        beside += f" · bias {number(a.paradox.bias, 2)}" + (
            ""
            if isnan(a.paradox.ceiling) or a.pairs[0].one_label
            else f" · largest kappa with these marginals {a.paradox.ceiling:z.2f}"
        )
    notes.append(beside)
    notes += [f"note: {sentence}" for sentence in a.paradox.sentences]
    undefined = [c for c in a.coefficients.values() if c.reason]
    if undefined:
        notes.append(f"no value for {', '.join(c.name for c in undefined)}: {undefined[0].reason}")
    return (*notes, *(f"warning: {w}" for w in a.warnings))


def _how(a: Agreement) -> str:
    """By which method each interval was made, said once."""
    methods: dict[str, list[str]] = {}
    for c in a.coefficients.values():
        if c.method:
            methods.setdefault(c.method, []).append(c.name)
    if len(methods) < 2:
        return f"intervals: {next(iter(methods), 'none, there are too few units')}"
    most = max(methods, key=lambda m: len(methods[m]))
    others = "; ".join(f"{m} for {', '.join(names)}" for m, names in methods.items() if m != most)
    return f"intervals: {most}; {others}"


def _between(c: Reliability, places: int) -> str:
    return "–" if isnan(c.low) else f"[{number(c.low, places)}, {number(c.high, places)}]"


def _and(names: Sequence[str]) -> str:
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


# ── disagreements ────────────────────────────────────────────────────────────────────────────────


def disagreement_table(panel: Panel, n: int | None, per_query: int | None) -> RecordTable:
    """Return the documents that judges disagree on, most first: at most n, and `per_query` of one query; grades as they were given, also where a level made them binary."""
    _check_count(n, "n")
    _check_count(per_query, "per_query")
    ratings, units = panel.given or panel.ratings, panel.units
    spread = _spread(ratings, panel.levels)
    rows = np.flatnonzero(_spread(panel.ratings) > 0)
    count = len(rows)
    rows = rows[np.argsort(-spread[rows], kind="stable")]
    if per_query is not None and units is not None:
        rows = rows[_place_within(units.query[rows]) < per_query]
    rows = rows[:n]
    labels = (*ratings.categories, None)
    where: dict[str, tuple[Any, ...]] = {"row": tuple(rows.tolist())}
    if units is not None:
        where = {"query": tuple(units.queries[i] for i in units.query[rows]), "doc": tuple(units.docs(rows))}
    judges = distinct_columns(panel.names, {*where, "difference"}.__contains__)
    given = {name: tuple(labels[c] for c in row[rows]) for name, row in zip(judges, ratings.codes, strict=True)}
    columns = {**where, **given, "difference": tuple(_tidy(x) for x in spread[rows].tolist())}
    whole = "the only disagreement" if count == 1 else f"all {count} disagreements"
    title = f"{len(rows)} of {count} disagreements" if len(rows) < count else whole
    return RecordTable(columns, words=("query", "doc"), title=title)


def adjudication_table(panel: Panel) -> RecordTable:
    """All disagreements, with an empty column `relevance` to be filled: judgments that `read_qrels` reads once they are.

    Judges whose names the reader would take for ids or grades are called otherwise, so that it finds the right columns.
    """
    if panel.units is None:
        raise UsageError("judges", "judgments with queries and documents", got="columns of labels")
    found = disagreement_table(panel, None, None)
    query, doc, *given, difference = found.columns.values()
    judges = distinct_columns(panel.names, lambda name: name == "difference" or is_usual(name))
    columns = {"query_id": query, "doc_id": doc, **dict(zip(judges, given, strict=True)), "difference": difference}
    return RecordTable({**columns, "relevance": (None,) * len(found)}, words=("query_id", "doc_id"), title=found.title)


def _check_count(n: object, name: str) -> None:
    if n is not None and (isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0):
        raise UsageError("parameter", f"{name} to be a whole number from 0, or None", got=shown(n), value=n)


def _spread(ratings: Ratings, levels: Sequence[float] | None = None) -> Floats:
    """Of each unit, its highest label less its lowest (of grades with levels: of how far they are from their judge's level);
    of labels that are text, how many others there are besides one.
    """
    codes = ratings.codes
    missing, size = codes < 0, len(ratings.categories)
    if ratings.numbers is not None:
        value = np.append(ratings.numbers, np.nan)[codes] - (0.0 if levels is None else np.array(levels)[:, None])
        high, low = np.where(missing, -np.inf, value).max(axis=0), np.where(missing, np.inf, value).min(axis=0)
        return np.where(missing.all(axis=0), 0.0, high - low)
    used = np.zeros((size + 1, codes.shape[1]), bool)
    for row in codes:
        used[row, np.arange(codes.shape[1])] = True
    return np.maximum(used[:size].sum(axis=0) - 1.0, 0.0)


def _place_within(group: Ints) -> Ints:
    """Of each row, how many of its group stand before it."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    return place


def _tidy(x: float) -> float | int:
    return int(x) if x == int(x) else x
