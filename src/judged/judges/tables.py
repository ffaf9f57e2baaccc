"""An `Agreement` as tables: what a person sees first, and what must stand beside kappa."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING

from judged.stats.agreement.intervals import Reliability
from judged.stats.agreement.ratings import Label
from judged.tables.records import number
from judged.tables.table import Table, counted

if TYPE_CHECKING:
    from judged.judges.result import Agreement, JudgePair

__all__ = ["confusion_table", "summary_tables"]


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
