"""Comparing runs: which is better, by how much, and how sure that is. The values per query are the input; nothing is scored again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from typing import Any

import numpy as np

from judged._types import Floats, Ints
from judged.comparison.difference import Difference, chance_of, tilt_of, verdict_of
from judged.comparison.inputs import ComparedRuns, evaluate_runs, refuse_geometric
from judged.comparison.result import Comparison, ComparisonSettings
from judged.core.tables import Id
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import DEFAULT, Measures
from judged.evaluation.slices import Slices, slices_of
from judged.io.run_names import plain_names
from judged.measures.registry import Measure
from judged.stats.differences import known_rows
from judged.stats.effect_sizes import cliff, record, standardised, superiority
from judged.stats.intervals import Method, interval
from judged.stats.multiple.corrections import adjusted, correction
from judged.stats.paired.registry import outcome_of_pairs, pair_test
from judged.stats.power import MATERIAL

__all__ = ["compare"]


_FEW = 25  # queries


def compare(
    qrels: Any,
    runs: Any = None,
    measures: Measures = DEFAULT,
    *,
    baseline: str | int | None = None,
    test: str = "permutation",
    correction: str = "holm",
    interval: Method = "percentile",
    alpha: float = 0.05,
    margin: float = 0.0,
    slices: Any = None,
    min_queries: int = 10,
    clusters: Any = None,
    resamples: int | None = None,
    seed: int = 0,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **policy: Any,
) -> Comparison:
    """Every pair of runs, or each against a baseline, by each measure.

    Args:
        qrels: judgments; or results of `evaluate` ({name: Values}, or a list of them), without runs.
        runs: two or more runs: a list, or {name: run}.
        measures: as in `evaluate`.
        baseline: the name, or the position, of the run that the others are held against; without it all pairs are compared.
        test: the test of each pair, see `TESTS`.
        correction: for the pairs of each measure together, see `CORRECTIONS`.
        interval: of the difference of means, at 1 - alpha: `percentile` or `bca` bootstrap over queries, or `t`.
        alpha: the chance of a false finding that is accepted.
        margin: differences within it do not matter: such runs are equal.
        slices: groups of queries, each compared on its own too: {query: group}, (table of queries, name of a column), or `"relevant"`, the
            number of relevant documents.
        min_queries: a slice of fewer is shown, not tested.
        clusters: {query: group} of queries that belong together (users, topics): they are drawn, and change sign, as wholes.
        resamples: of the permutation and bootstrap tests; the default is the test's own.
        seed: of everything that is drawn.
        level: the lowest grade that counts as relevant.
        profile: the conventions of another tool.
        policy: answers to the open questions, see `Policy`.

    >>> better = compare({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a", "b"]}}, "RR")
    >>> better.rows[0].difference, better.rows[0].verdict
    (0.5, 'cannot tell')
    """
    settings = _settings(test, correction, interval, alpha, margin, min_queries, resamples, seed)
    entrants = evaluate_runs(qrels, runs, measures, level=level, profile=profile, **policy)
    pairs = _pairs(entrants.names, baseline)
    parts = slices_of(slices, entrants.results[0].queries, _relevant(entrants, level))
    owner = _clusters(clusters, entrants.results[0].queries)
    if owner is not None:
        settings = replace(settings, clusters=int(owner.max(initial=-1)) + 1)
    rows = tuple(row for m in _compared(entrants) for row in _rows(m, entrants, pairs, parts, owner, settings))
    return Comparison(
        names=entrants.names,
        results=entrants.results,
        judged=entrants.judged,
        rows=tuple(r for r in rows if r.part is None),
        parts=tuple(r for r in rows if r.part is not None),
        baseline=None if baseline is None else entrants.names[int(pairs[0, 0])],
        settings=settings,
        warnings=entrants.warnings + parts.warnings + _unknown(entrants),
        slices=dict(parts.groups),
    )


def _unknown(entrants: ComparedRuns) -> tuple[Warned, ...]:
    """Queries on which a run has no value: they are left out of the measure, for all runs."""
    found = []
    for m in _compared(entrants):
        count = int((~known_rows(np.stack([np.asarray(r[str(m)], float) for r in entrants.results], axis=1))).sum())
        if count:
            found.append(
                Warned(
                    "values-missing",
                    count,
                    f"{count} {'query' if count == 1 else 'queries'} without a value of {m} in some run left out of it",
                )
            )
    return tuple(found)


def _settings(
    test: str, how: str, interval: Method, alpha: float, margin: float, least: int, resamples: Any, seed: int
) -> ComparisonSettings:
    chosen = pair_test(test)
    fixed = correction(how)
    if fixed.name == "max" and chosen.name != "permutation":
        raise UsageError(
            "correction",
            "max with the permutation test only",
            got=f"test={chosen.name!r}",
            hint="holm works with any test",
        )
    for name, value, fine in (
        ("alpha above 0 and below 0.5", alpha, _is_number(alpha) and 0 < alpha < 0.5),
        ("a margin from 0 on", margin, _is_number(margin) and 0 <= margin < math.inf),
        ("min_queries, a whole number from 1 on", least, isinstance(least, int) and not isinstance(least, bool) and least >= 1),
        ("seed, a whole number from 0 on", seed, isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**64),
    ):  # fmt: skip
        if not fine:
            raise UsageError("parameter", name, got=shown(value), value=value)
    if resamples is not None and "resamples" not in chosen.options:
        raise UsageError(
            "option",
            "resamples for tests that draw (permutation, bootstrap)",
            got=f"the {chosen.title}",
            value=resamples,
        )
    return ComparisonSettings(test=chosen.name, correction=fixed.name, interval=interval, alpha=alpha, margin=margin, min_queries=least,
                    resamples=resamples, seed=seed)  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _relevant(entrants: ComparedRuns, level: float | None) -> Floats | None:
    """How many relevant documents each query has, where judgments are at hand, or it was counted."""
    if entrants.judged:
        return entrants.judged[0].relevant(1 if level is None else level)
    return next(
        (c for name, c in entrants.results[0].columns.items() if name.startswith("NumRel") and name[6:7] in ("", "(")),
        None,
    )


def _compared(entrants: ComparedRuns) -> list[Measure]:
    """The measures that every result has, and that are numbers."""
    common = set.intersection(*({str(m) for m in r.measures} for r in entrants.results))
    found = [m for m in entrants.results[0].measures if str(m) in common and not m.definition.text]
    for m in found:
        refuse_geometric(m)
    if not found:
        raise UsageError(
            "measure", "a measure whose values are numbers", got=", ".join(map(str, entrants.results[0].measures))
        )
    return found


def _pairs(names: Sequence[str], baseline: str | int | None) -> Ints:
    if baseline is None:
        return np.array(list(combinations(range(len(names)), 2)))
    if isinstance(baseline, int) and not isinstance(baseline, bool) and -len(names) <= baseline < len(names):
        first = baseline % len(names)
    elif baseline in names:
        first = list(names).index(str(baseline))
    elif baseline in plain_names(names):  # without the ending of its file
        first = plain_names(names).index(str(baseline))
    else:
        near = get_close_matches(str(baseline), names, 1)
        raise UsageError("baseline", f"one of {', '.join(names)}", got=shown(baseline), value=baseline,
                         hint=f"did you mean {near[0]}?" if near else None)  # fmt: skip
    return np.array([(first, other) for other in range(len(names)) if other != first])


def _clusters(clusters: Any, queries: Sequence[Id]) -> Ints | None:
    if clusters is None:
        return None
    missing = [q for q in queries if q not in clusters]
    if missing:
        raise DataError(
            "slice", "a group for every query", got=f"none for {shown(missing[0])} and {len(missing) - 1} others"
        )
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(str(clusters[q]), len(codes)) for q in queries])


# ── one measure ──────────────────────────────────────────────────────────────────────────────────


def _rows(
    m: Measure, entrants: ComparedRuns, pairs: Ints, parts: Slices, clusters: Ints | None, settings: ComparisonSettings
) -> list[Difference]:
    x = np.stack([np.asarray(r[str(m)], float) for r in entrants.results], axis=1)
    known = known_rows(x)
    everyone = [(None, known)] + [(label, known & rows) for label, rows in parts.groups]
    return [
        row
        for label, rows in everyone
        for row in _tested(
            m, entrants.names, x[rows], pairs, label, None if clusters is None else clusters[rows], settings
        )
    ]


def _tested(
    m: Measure,
    names: Sequence[str],
    x: Floats,
    pairs: Ints,
    part: str | None,
    clusters: Ints | None,
    s: ComparisonSettings,
) -> list[Difference]:
    if not len(x) or (part is not None and len(x) < s.min_queries):
        return [_untested(m, names, x, int(a), int(b), part) for a, b in pairs]
    a, b = x[:, pairs[:, 0]], x[:, pairs[:, 1]]
    d = b - a
    options: dict[str, Any] = {"seed": s.seed, "resamples": s.resamples}
    if clusters is not None:
        options["clusters"] = clusters
    found = outcome_of_pairs(x, pairs, s.test, **options)
    fixed = found.adjusted if s.correction == "max" and found.adjusted is not None else adjusted(found.p, s.correction)
    columns = list(d.T)
    few = s.margin > 0 and len(x) < _FEW  # resamples of few queries are too sure of themselves
    outer = interval(columns, method=s.interval, confidence=1 - s.alpha, seed=s.seed, clusters=clusters)
    inner = interval(
        columns, method="t" if few else s.interval, confidence=1 - 2 * s.alpha, seed=s.seed, clusters=clusters
    )
    inner = [None if few and e is not None and e[0] == e[1] else e for e in inner]
    counted, sizes = record(a, b), (standardised(a, b), superiority(a, b), cliff(a, b))
    lower = m.definition.lower_is_better
    means = x.mean(axis=0)
    rows = []
    for i, (first, second) in enumerate(pairs.tolist()):
        difference = float(d[:, i].mean())
        wins, losses = (int(counted.wins[i]), int(counted.losses[i]))[:: -1 if lower else 1]
        low, high = outer[i] or (float("nan"), float("nan"))
        tilt = tilt_of(s.test, d[:, i])
        verdict = verdict_of(
            -difference if lower else difference, float(fixed[i]), _turned(inner[i]) if lower else inner[i], alpha=s.alpha, margin=s.margin,
            tilt=-tilt if lower and tilt is not None else tilt, identical=not d[:, i].any(),
        )  # fmt: skip
        note = found.note[i]
        if verdict == "cannot tell" and not note:
            against = float(fixed[i]) <= s.alpha
            note = (
                f"the mean and what the {s.test} test counts point different ways"
                if against
                else chance_of(d[:, i], s.margin or MATERIAL * abs(float(means[first])), s.alpha, s.margin > 0)
            )
        rows.append(
            Difference(
                measure=str(m), a=names[first], b=names[second], part=part, queries=len(x), mean_a=float(means[first]),
                mean_b=float(means[second]), difference=difference, low=low, high=high, wins=wins, ties=int(counted.ties[i]),
                losses=losses, p=float(found.p[i]), adjusted=float(fixed[i]), d_z=float(sizes[0][i]),
                superiority=1 - float(sizes[1][i]) if lower else float(sizes[1][i]), cliff=float(sizes[2][i]), note=note, verdict=verdict,
            )
        )  # fmt: skip
    return rows


def _turned(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ends is None else (-ends[1], -ends[0])


def _untested(m: Measure, names: Sequence[str], x: Floats, a: int, b: int, part: str | None) -> Difference:
    better, worse = (int((x[:, b] > x[:, a]).sum()), int((x[:, b] < x[:, a]).sum()))[
        :: -1 if m.definition.lower_is_better else 1
    ]
    means = x.mean(axis=0) if len(x) else np.full(len(names), np.nan)
    nothing = float("nan")
    return Difference(
        measure=str(m), a=names[a], b=names[b], part=part, queries=len(x), mean_a=float(means[a]), mean_b=float(means[b]),
        difference=float(means[b] - means[a]), low=nothing, high=nothing, wins=better,
        ties=len(x) - better - worse, losses=worse, p=nothing, adjusted=nothing, d_z=nothing,
        superiority=nothing, cliff=nothing, verdict="too few",
    )  # fmt: skip
