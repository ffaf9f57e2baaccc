"""Facts of a report, as plain data: runs, measures, differences, headlines, unjudged documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judged._version import __version__
from judged.comparison.difference import (
    PLACES,
    Difference,
    Words,
    answer,
    best_first,
    between,
    certainty,
    judges_of,
    pair_headline,
    relative,
)
from judged.comparison.evaluated_runs import matrix
from judged.comparison.tables import ComparisonReport, key_of_signs, signs
from judged.core.judged import Judged
from judged.curves.points import Curves
from judged.curves.run_curves import curve
from judged.errors import Warned, fold_warnings
from judged.evaluation.evaluate import with_bounds
from judged.evaluation.inputs import judged_share
from judged.evaluation.model_judgments import worth_of_model
from judged.evaluation.values import Values
from judged.measures.registry import Measure
from judged.page.methods import EMPTY, citations, inputs, methods
from judged.page.subject import Subject
from judged.references import short_form
from judged.stats.differences import known_rows
from judged.steps import step
from judged.tables.table import number, plain_data


def answers(subject: Subject) -> list[dict[str, Any]]:
    """Return words, further lines and the pair of runs (None for a single run), one mapping per measure."""
    if subject.comparison is not None:
        told = [answer(subject.comparison, str(m)) for m in subject.measures]
        return [
            {
                "words": [word for words in (*one.first, one.words) if words for word in (*words, " ")][:-1],
                "more": one.more,
                "pair": one.pair,
            }
            for one in told
        ]
    result, found = subject.first, []
    for m, (value,) in zip(subject.measures, subject.means, strict=True):
        shown = number(value, 0 if m.definition.whole else PLACES)
        name = str(m)
        more = [] if result.model is None else [[f"{worth_of_model(result[name], result.model[name])}."]]
        found.append({"words": [0, f" has a {subject.kind(m)} {m} of {shown}."], "more": more, "pair": None})
    return found


TOP = 10  # ranks that people look at, beside the whole ranking
_CHUNK = 200_000  # judgments per product


def reach(measure: Measure) -> int:
    """Return the last rank of interest: the cutoff, or 0 for the whole ranking; the first rank for RR."""
    cutoff = measure.get("cutoff") if measure.definition.at == "cutoff" else None
    return 1 if measure.definition.name == "RR" else int(cutoff or 0)


def found_documents(subject: Subject) -> dict[str, dict[str, Any]]:
    """Return for each reach the relevant documents per query that counts and run, and found[b][a]: those found by b and missed by a."""
    if not subject.judged:
        return {}
    counted, level, found = len(subject.first), subject.level, {}
    if subject.first.policy.empty == "skip":
        counted = max(1, int((subject.judged[0].relevant(level) > 0).sum()))
    for k in sorted({TOP, *map(reach, subject.measures)}):
        hit = np.zeros((len(subject.runs), len(subject.judged[0].pool_grade)), bool)
        for run, j in enumerate(subject.judged):
            hit[run, j.judgment[(j.rank <= (k or np.inf)) & j.is_relevant(level)]] = True
        hit = hit[:, hit.any(axis=0)]
        both = np.zeros((len(hit), len(hit)))
        for start in range(0, hit.shape[1], _CHUNK):
            part = hit[:, start : start + _CHUNK].astype(float)
            both += part @ part.T
        own = np.diag(both)
        found[str(k)] = {"means": own / counted, "found": (own[:, None] - both).astype(int)}
    return found


def unjudged_answer(subject: Subject, i: int, summary: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return whether unjudged documents could change who is first, by the two scenarios of each run; None if unknown."""
    m = subject.measures[i]
    sides = [[one[side] for side in ("mean", "irrelevant", "top")] for one in summary]
    if not np.isfinite(sides).all():
        return None
    low, high = [min(side) for side in sides], [max(side) for side in sides]
    if low == high:
        return {"change": False, "words": [f"No: all documents that {m} looks at are judged."]}
    places = 3
    first = best_first(m, subject.means[i])[0]
    if len(subject.runs) == 1:
        ends = f"between {number(low[0], places)} and {number(high[0], places)}"
        return {"change": True, "words": [f"The value is {ends}, depending on the unjudged documents."]}
    lower = m.definition.lower_is_better
    worst = high[first] if lower else low[first]
    best = [low[k] if lower else high[k] for k in range(len(sides))]
    rivals = [k for k in range(len(sides)) if k != first and (best[k] <= worst if lower else best[k] >= worst)]
    if not rivals:
        words: Words = [
            "No: ",
            first,
            " stays first even if all of its unjudged documents were irrelevant and those of the others had the highest grade.",
        ]
        return {"change": False, "words": words}
    rival = (min if lower else max)(rivals, key=best.__getitem__)
    more = f", and {len(rivals) - 1} more could pass it" if len(rivals) > 1 else ""
    return {
        "change": True,
        "words": [
            "Yes: ",
            first,
            f" is between {number(low[first], places)} and {number(high[first], places)}, ",
            rival,
            f" between {number(low[rival], places)} and {number(high[rival], places)}{more}.",
        ],
    }


LEVEL = 0.95
_RANKS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 2_000, 5_000, 10_000)
_MANY = 3_000_000  # retrieved documents beyond which bounds would need too much memory and time
_BANDS = 4  # more confidence bands hide each other and are slow
_LINES = 6  # charts of a measure as a function of the cutoff
_UNKNOWN = (math.nan, math.nan)


def facts_of(
    subject: Subject, warnings: Sequence[Warned], title: str, texts: Sequence[str | None] | None, depth: int, chunk: int
) -> dict[str, Any]:
    """Return the facts under the names documented in data.js."""
    comparison, first = subject.comparison, subject.first
    bounded = _with_bounds(subject)
    verdicts, summary = answers(subject), _summary(subject, bounded)
    unjudged = [unjudged_answer(subject, i, by) for i, by in enumerate(summary)]
    key, intervals, baseline = "", {"all": "", "slices": ""}, -1
    details, markdown = [], ""
    if comparison is not None:
        of = comparison.settings
        intervals = {"all": of.interval_name(), "slices": of.interval_name(slices=True)}
        first_run = comparison.baseline or "the best run"
        key = f"{key_of_signs(comparison)}; below a mean: difference to {first_run}, {intervals['all']}, verdict"
        baseline = -1 if comparison.baseline is None else subject.runs.index(comparison.baseline)
        told = ComparisonReport(comparison, "systems", answer=True)  # what is pasted into a chat or a ticket
        details, markdown = [[one.title, one.text] for one in told.details()], told.render("md")
    said = [line for name, one in zip(subject.runs, subject.results, strict=True) for line in one.answers(name)]
    key = "; ".join(filter(None, [key, *said]))
    facts = {
        "title": title,
        "version": __version__,
        "runs": subject.runs,
        "measures": [_measure(subject, m) for m in subject.measures],
        "queries": [str(q) for q in first.queries],
        "texts": texts,
        "level": LEVEL,
        "key": key,
        "intervals": intervals,
        "baseline": baseline,
        "verdicts": verdicts,
        "details": details,
        "markdown": markdown,
        "summary": summary,
        "tops": found_documents(subject),
        "pairs": _pairs(subject, comparison.rows if comparison else ()),
        "parts": _pairs(subject, comparison.parts if comparison else ()),
        "slices": [
            {"label": k, "rows": np.flatnonzero(v)} for k, v in (comparison.slices if comparison else {}).items()
        ],
        "pictures": _pictures(subject),
        "coverage": _coverage(subject),
        "unjudged": unjudged,
        "grades": np.unique(np.concatenate([j.pool_grade for j in subject.judged])) if subject.judged else [],
        "relevant": subject.judged[0].relevant(subject.level).astype(int) if subject.judged else None,
        "relevance": subject.level,
        "empty": EMPTY[first.policy.empty],
        "warnings": [w.to_dict() for w in fold_warnings(warnings)],
        "methods": methods(subject, LEVEL, bounds=bounded is not None),
        "citations": citations(subject),
        "inputs": inputs(subject),
        "depth": depth,
        "chunk": chunk,
    }
    return {name: plain_data(fact) for name, fact in facts.items()}


def _measure(subject: Subject, m: Measure) -> dict[str, Any]:
    d = m.definition
    places = 0 if d.whole and subject.comparison is None else 4
    return {
        "name": str(m),
        "intuition": d.intuition,
        "description": d.description,
        "formula": d.formula,
        "paper": short_form(d.paper),
        "lower": d.lower_is_better,
        "whole": d.whole,
        "unit": "unit" in d.laws,
        "places": places,
        "reach": reach(m),
        "kind": subject.kind(m),
    }


def _with_bounds(subject: Subject) -> list[Values] | None:
    """Return the results with bounds for unjudged documents; None without rankings or for too many documents."""
    if not subject.judged or subject.first.policy.unjudged == "condensed":
        return None
    if sum(int(j.retrieved.sum()) for j in subject.judged) > _MANY:
        return None
    with step("bounding the effect of unjudged documents"):
        return [
            r if r.if_irrelevant is not None else with_bounds(r, j)
            for r, j in zip(subject.results, subject.judged, strict=True)
        ]


def _summary(subject: Subject, bounded: list[Values] | None) -> list[list[dict[str, Any]]]:
    comparison, table = subject.comparison, []
    for i, m in enumerate(subject.measures):
        marks = signs(comparison, str(m)) if comparison else [""]
        known, first = known_rows(matrix(subject.results, str(m))), 0
        if comparison is not None:  # with what the other runs are compared
            base = comparison.baseline
            first = comparison.order(str(m))[0] if base is None else subject.runs.index(base)
        out = () if comparison is None else comparison.incomparable
        means = [
            mean for run, mean in zip(subject.runs, subject.means[i], strict=True) if mean == mean and run not in out
        ]
        best = (min if m.definition.lower_is_better else max)(means) if means and len(subject.runs) > 1 else None
        rows = []
        for k, mean in enumerate(subject.means[i]):
            ends = subject.intervals[i][k] or _UNKNOWN
            sides = _UNKNOWN if bounded is None else bounded[k].bounds(m) or _UNKNOWN
            if m.definition.summary == "sum" and comparison is not None:
                sides = (sides[0] / len(known), sides[1] / len(known))  # a comparison shows means of counts, not totals
            against: list[str] = []  # the difference with its interval, and the verdict
            if comparison is not None and k != first:
                difference, interval, verdict = between(comparison, str(m), first, k).columns(3)
                size = " ".join(text for text in (difference, interval) if text != "–")
                against = [size.replace("-", "−"), verdict]
            rows.append(
                {
                    "mean": mean,
                    "low": ends[0],
                    "high": ends[1],
                    "sign": marks[k],
                    "best": mean == best and subject.runs[k] not in out,
                    "queries": len(known) if subject.first.model is not None else int(known.sum()),
                    "irrelevant": sides[0],
                    "top": sides[1],
                    "against": against,
                }
            )
        table.append(rows)
    return table


def _pairs(subject: Subject, rows: Sequence[Difference]) -> list[dict[str, Any]]:
    measures = {str(m): i for i, m in enumerate(subject.measures)}
    runs = {name: i for i, name in enumerate(subject.runs)}
    found = []
    for row in rows:
        i, a, b = measures[row.measure], runs[row.a], runs[row.b]
        pair = {
            **row.to_dict(),
            "measure": i,
            "a": a,
            "b": b,
            "part": row.part or "",
            "needs": row.needs,
            "words": row.words,
        }
        if row.part is None and subject.comparison is not None:
            pair["headlines"] = [pair_headline(row, a, b), pair_headline(row, b, a, turned=True)]
            sure, *why = certainty(row, subject.comparison.settings.tests)
            judges = [f"{judges_of(row, subject.runs, subject.results)}."] if subject.comparison.settings.model else []
            pair["sure"] = {"short": sure, "long": [*why, *judges]}
            pair["relative"] = relative(row, subject.measures[i])
        found.append(pair)
    return found


def _coverage(subject: Subject) -> dict[str, Any] | None:
    if not subject.judged or subject.first.policy.unjudged == "condensed":
        return None
    ranks = np.arange(1, _ranks(subject.judged, 100)[-1] + 1)
    return {"ranks": ranks, "shares": [judged_share(j, ranks) for j in subject.judged]}


# ── curves ───────────────────────────────────────────────────────────────────────────────────────


def _pictures(subject: Subject) -> list[dict[str, Any]]:
    """Return precision-recall curves, raw and interpolated, and each measure with a cutoff as a function of it."""
    if not subject.judged:
        return []
    judged = list(subject.judged)
    options: dict[str, Any] = {"profile": subject.first.profile, "band": LEVEL if len(judged) <= _BANDS else None}
    level = subject.level
    ranks = _ranks(judged, 10_000)
    pictures = [
        _picture("Precision-recall curve", curve("pr", judged, level=level, **options), subject.runs, []),
        _picture("Interpolated precision", curve("ipr", judged, level=level, **options), subject.runs, []),
    ]
    positions: dict[Measure, list[int]] = {}  # of the measures that take a cutoff, by the measure without it
    for i, m in enumerate(subject.measures):
        if m.definition.at == "cutoff" and not m.definition.text and m.definition.summary != "geometric":
            positions.setdefault(Measure(m.definition)(**{k: v for k, v in m.given if k != "cutoff"}), []).append(i)
    for m, places in list(positions.items())[:_LINES]:
        drawn = curve("at-k", judged, measures=[m], points=ranks, **options)
        pictures.append(_picture(f"{m} at cutoff k", _to_the_end(drawn, judged), subject.runs, places))
    return pictures


def _to_the_end(picture: Curves, judged: Sequence[Judged]) -> Curves:
    """Return curves over cutoffs that end where the longest ranking of each run ends, as without points."""
    lines = []
    for line, j in zip(picture.curves, judged, strict=True):
        kept = line.x <= max(int(j.retrieved.max(initial=1)), 1)
        cut = {
            name: column[kept]
            for name in ("x", "y", "at", "low", "high")
            if (column := getattr(line, name)) is not None
        }
        lines.append(replace(line, **cut))
    return replace(picture, curves=tuple(lines))


def _ranks(judged: Sequence[Judged], last: int) -> list[int]:
    longest = min(last, max(int(j.retrieved.max(initial=1)) for j in judged))
    return sorted({rank for rank in _RANKS if rank < longest} | {max(longest, 1)})


def _picture(title: str, picture: Curves, runs: Sequence[str], measures: list[int]) -> dict[str, Any]:
    marks = picture.marks or [""] * len(runs)
    lines = [
        {
            "name": name,
            "run": i,
            "x": line.x,
            "y": line.y,
            "at": line.at,
            "low": line.low,
            "high": line.high,
            "rule": line.rule,
            "mark": mark,
        }
        for i, (name, line, mark) in enumerate(zip(runs, picture.curves, marks, strict=True))
    ]
    unit = "y" in picture.limits
    return {
        "kind": picture.kind,
        "title": title,
        "x": picture.x_label,
        "y": picture.y_label,
        "at": picture.at_label,
        "log": picture.log_x,
        "unit": unit,
        "lines": lines,
        "notes": picture.notes,
        "measures": measures,
    }
