"""Table of summaries, shared by every result that has one row per measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judged.core.policy import Policy
from judged.core.tables import Id
from judged.errors import Warned
from judged.measures.registry import Measure
from judged.tables.table import Table
from judged.tables.text import counted, number

SUMMARIES = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}

Ends = tuple[float, float]


def summary_table(
    measures: Sequence[Measure],
    means: Mapping[str, float],
    counts: Mapping[str, int],
    *,
    places: int,
    intervals: Mapping[str, Ends | None] | None = None,
    bounds: Mapping[str, Ends] | None = None,
    title: str = "",
    notes: tuple[str, ...] = (),
) -> Table:
    """One row per measure: its summary, interval, number of queries, and bounds if there are any.

    The header of the summary says what it is. A column says it if measures are summarised in different ways.
    """
    kinds = [SUMMARIES[m.definition.summary] for m in measures]
    mixed = len(set(kinds)) > 1
    headers = ["measure", *(["summary", "value"] if mixed else (kinds[:1] or ["mean"]))]
    headers += ["95% interval"] * (intervals is not None) + ["queries"]
    headers += ["if unjudged: irrelevant – top grade"] * (bounds is not None)
    rows = []
    for m, kind in zip(measures, kinds, strict=True):
        name = str(m)
        row = [name, *([kind] if mixed else []), value_text(m, means[name], places)]
        if intervals is not None:
            row.append(interval_text(intervals[name], places))
        row.append(str(counts[name]))
        if bounds is not None:
            row.append(range_text(m, bounds[name], places))
        rows.append(tuple(row))
    return Table(tuple(headers), tuple(rows), title=title, notes=notes, words=(0, 1) if mixed else (0,))


def value_text(measure: Measure, value: float | None, places: int) -> str:
    """Format a value of a measure; counts have no decimals."""
    return number(value, places, whole=measure.definition.whole)


def range_text(measure: Measure, ends: Ends, places: int) -> str:
    """Format the lowest and the highest possible value of a measure."""
    return " – ".join(value_text(measure, end, places) for end in ends)


def interval_text(interval: Ends | None, places: int) -> str:
    """Format an interval; empty if there is none."""
    return "" if interval is None else f"[{number(interval[0], places)}, {number(interval[1], places)}]"


def notes_on(
    size: int,
    policy: Policy,
    warnings: Sequence[Warned],
    coverage: Mapping[str, float],
    measures: Sequence[Measure] = (),
    about: Sequence[str] = (),
) -> tuple[str, ...]:
    """Lines below a table of summaries: number of queries, their weights or clusters, judged share, policies, warnings."""
    share = coverage.get("judged@10")
    judged = "" if share is None else f" · {share:.0%} of the top 10 judged (mean over queries)"
    lines = (f"{counted(size, 'query')}{judged}", *about)
    return (*lines, *policy_notes(policy, measures), *(f"warning: {w}" for w in warnings))


def about_queries(weights: Any, clusters: Any) -> list[str]:
    """Lines on weights and clusters of queries, if there are any."""
    if clusters is not None:
        return [f"intervals count {counted(len(set(clusters.tolist())), 'cluster')} of queries as units"]
    return [] if weights is None else ["means are weighted by query, with t intervals"]


def policy_notes(policy: Policy, measures: Sequence[Measure]) -> list[str]:
    """The policy of all measures, and those of single measures by a profile."""
    own: dict[str, list[str]] = {}
    for m in measures:
        differing = [f"{name}: {value}" for name, value in m.policy if getattr(policy, name) != value]
        own.setdefault(", ".join(differing), []).append(str(m))
    return [f"policy: {policy}", *(f"policy of {', '.join(names)}: {text}" for text, names in own.items() if text)]


def value_record(
    run: str, measure: str, query: Id, value: Any, interval: tuple[float, float] | None, bounds: Any
) -> dict[str, Any]:
    """One row of CSV output: a value with its interval and bounds, if there are any."""
    low, high = interval or (None, None)
    irrelevant, top = bounds or (None, None)
    return {
        "run": run,
        "measure": measure,
        "query": query,
        "value": value,
        "low": low,
        "high": high,
        "if_irrelevant": irrelevant,
        "if_top": top,
    }
