"""Correlate two runs, two rankings or two orders of systems, or every pair of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, TypedDict, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core.resample import whole_seed
from judged.core.tables import Run
from judged.correlation.alignment import AlignedPair, Documents
from judged.correlation.inputs import Kind, read_if_run, read_pair
from judged.correlation.result import Correlation, Correlations
from judged.errors import Hint, UsageError, Warned, shown
from judged.stats.checks import check_choice, check_share
from judged.stats.intervals import interval
from judged.stats.rank_correlation.intervals import intervals, p_value
from judged.stats.rank_correlation.overlap_by_depth import Ties
from judged.stats.rank_correlation.rbo_and_overlap import overlap_of
from judged.stats.rank_correlation.registry import CorrelationRequest, parse_coefficients
from judged.steps import step
from judged.tables.text import counted, some

DEFAULT = "tau_b tau_ap_b rbo overlap@10"  # a run with ties has 1 with itself in each of these
_DEFAULT_OF_ITEMS = "tau_b tau_ap_b rbo"  # two orders often have fewer than ten items
_AS_SCORES = "integers are read as scores of the same items; use text for ids"

Coefficients = str | CorrelationRequest | Iterable[str | CorrelationRequest]


class CorrelateOptions(TypedDict, total=False):
    """Options of `correlate`."""

    depth: int | None
    p: float
    ties: Ties
    documents: Documents
    level: float
    seed: int


def correlate(
    a: Any,
    b: Any = None,
    measures: Coefficients | None = None,
    *,
    depth: int | None = None,
    p: float = 0.9,
    ties: Ties = "b",
    documents: Documents = "both",
    level: float = 0.95,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Correlation:
    """Compute rank correlation coefficients of two rankings.

    Both sides are runs (anything that `read_run` accepts), compared query by query; mappings {name: number}, pandas Series or
    `Values` of one measure, aligned by name; columns of numbers, aligned by position; or lists of ids, the best first, and pairs
    (ids, scores). A list of integers is a column of scores. A single frame must have two numeric columns.

    Higher scores are better, and equal scores are ties. `tau_ap` uses the ranks of `a` and compares them with `b`; `somers_d`
    explains `b` by `a`; the other coefficients are symmetric.

    Args:
        a: first ranking.
        b: second ranking; the reference of coefficients that have one.
        measures: coefficients by name, such as `"tau_b rbo(p=0.98) overlap@20"`. The default is `"tau_b tau_ap_b rbo overlap@10"`,
            without overlap for mappings and columns.
        depth: number of documents of each ranking to use; documents tied with the last are kept.
        p: persistence of RBO, unless its name sets it.
        ties: ties in RBO and overlap: "b" is corrected, so that equal rankings have 1; "a" is the mean over all orders; "w"
            puts tied items at one rank.
        documents: documents in coefficients of pairs: those in "both" rankings, or their "union", in which missing documents
            are tied below all others. RBO and overlap always use the complete rankings.
        level: confidence level of the intervals.
        seed: random seed of the bootstrap.
        names: names of the two rankings.

    >>> print(correlate([3, 2, 1], [3, 1, 2], "tau_b spearman").mean())
    {'tau_b': 0.3333333333333333, 'spearman': 0.5}
    """
    requests = parse_coefficients(DEFAULT if measures is None else measures)
    _check_options(requests, depth, documents, level, names)
    kind, own_names, pair = read_pair(a, b, depth, documents)
    if measures is None and kind in ("items", "scores"):
        requests = parse_coefficients(_DEFAULT_OF_ITEMS)
    conventions = {
        "documents": documents,
        "depth": depth,
        "p": p,
        "ties": ties,
        "level": level,
        "seed": whole_seed(seed),
    }
    names = own_names if names is None else (names[0], names[1])
    return _correlation(requests, pair, kind, names, conventions, framed=b is None)


@step("correlating")
def _correlation(
    requests: list[CorrelationRequest],
    pair: AlignedPair,
    kind: Kind,
    names: tuple[str, str],
    conventions: dict[str, Any],
    *,
    framed: bool,
) -> Correlation:
    runs = kind == "runs"
    columns = {str(one): _values(one, pair, conventions["p"], conventions["ties"]) for one in requests}
    if runs:
        limits = [(one.coefficient.low, 1.0) for one in requests]
        ends = interval(list(columns.values()), confidence=conventions["level"], limits=limits)
    else:
        ends = intervals(pair.columns, requests, level=conventions["level"], seed=conventions["seed"])
    return Correlation(
        kind=kind,
        names=names,
        coefficients=tuple(columns),
        queries=pair.queries,
        items=pair.columns.sizes,
        columns=columns,
        intervals=dict(zip(columns, ends, strict=True)),
        p_values={} if runs else {str(o): p_value(pair.columns, o, float(columns[str(o)][0])) for o in requests},
        conventions=conventions,
        notes=_notes(requests, pair, kind, framed=framed),
        warnings=(*pair.warnings, *_warn_short_lists(requests, pair, kind), *_warn_undefined(columns, pair, kind)),
    )


def _values(one: CorrelationRequest, pair: AlignedPair, p: float, ties: Ties) -> Floats:
    coefficient = one.coefficient
    if coefficient.pairs is not None:
        values = coefficient.pairs(pair.columns)
    else:
        assert coefficient.depths is not None
        values = coefficient.depths(pair.rankings, one.k, p if one.p is None else one.p, ties)
    values.flags.writeable = False
    return values


def _check_options(
    requests: list[CorrelationRequest], depth: object, documents: object, level: object, names: Any
) -> None:
    if depth is not None and (type(depth) is not int or depth < 1):
        raise UsageError("depth", f"depth must be an integer ≥ 1 or None, got {shown(depth)}", value=depth)
    check_choice(documents, Documents, "documents")
    check_share(level, "level", slug="parameter")
    if documents == "union" and any(one.coefficient.name == "pearson" for one in requests):
        hint = Hint("use {documents}", documents="both")
        raise UsageError(
            "parameter", "pearson needs the scores of both sides, and a missing document has none", hint=hint
        )
    listed = isinstance(names, tuple | list) and len(names) == 2 and all(isinstance(name, str) for name in names)
    if names is not None and not listed:
        raise UsageError("names", f"names must be two strings, got {shown(names)}", value=names)


def correlate_all(
    rankings: Mapping[str, Any] | Iterable[Any],
    measures: Coefficients | None = None,
    **options: Unpack[CorrelateOptions],
) -> Correlations:
    """Apply `correlate` to every pair of several rankings, the earlier one first. Each run is read once.

    Args:
        rankings: {name: ranking} or a list of rankings, all of one kind that `correlate` accepts.
        measures: coefficients by name, as in `correlate`.
        options: the other arguments of `correlate`, except `names`.
    """
    if isinstance(rankings, str | bytes) or not isinstance(rankings, Iterable):
        raise UsageError("form", "{name: ranking} or a list of rankings", got=shown(rankings), value=rankings)
    sources = list(rankings.items()) if isinstance(rankings, Mapping) else [(None, one) for one in rankings]
    if len(sources) < 2:
        raise UsageError("form", f"correlation needs two or more rankings, got {len(sources)}")
    named = [_with_name(name, read_if_run(source), place) for place, (name, source) in enumerate(sources, 1)]
    requests = measures if measures is None or isinstance(measures, str | CorrelationRequest) else list(measures)
    pairs = [correlate(x, y, requests, **options, names=(a, b)) for (a, x), (b, y) in combinations(named, 2)]
    return Correlations(tuple(name for name, _ in named), tuple(pairs))


def _with_name(name: object, source: Any, place: int) -> tuple[str, Any]:
    """Return a ranking with its name: the one in the mapping, that of the run, or its position."""
    if not isinstance(source, Run):
        return str(place if name is None else name), source
    own = source.name if source.name != "run" else str(place)
    run_name = own if name is None else str(name)
    return run_name, replace(source, name=run_name)


# ── notes and warnings ───────────────────────────────────────────────────────────────────────────


def _notes(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind, *, framed: bool) -> tuple[str, ...]:
    """Note integers that may be ids, and the number of shared items in the first k for each overlap@k that a ranking reaches."""
    longest = int(_longer(pair).max(initial=0))
    same = [_same(one.k, pair, kind) for one in requests if one.coefficient.name == "overlap" and one.k <= longest]
    return (*((_AS_SCORES,) if kind == "scores" and not framed and _may_be_ids(pair) else ()), *same)


def _same(k: int, pair: AlignedPair, kind: Kind) -> str:
    # Only the mean over all orders of ties is a number of documents.
    count = float(np.mean(overlap_of(pair.rankings, k, "a"))) * k
    what, mean = ("documents", "on average ") if kind == "runs" else ("items", "")
    return f"{mean if len(pair.rankings) > 1 else ''}{count:.1f} of the first {k} {what} are the same"


def _may_be_ids(pair: AlignedPair) -> bool:
    """Return whether both sides are distinct integers, as numeric ids are."""
    sides = (pair.columns.x, pair.columns.y)
    return all(len(s) > 0 and len(np.unique(s)) == len(s) and bool((s == np.trunc(s)).all()) for s in sides)


def _warn_short_lists(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """Warn about each cutoff that neither ranking of a query reaches, since overlap stays below 1."""
    by_cutoff: dict[int, list[str]] = {}
    for one in requests:
        if one.coefficient.name in ("overlap", "average_overlap"):
            by_cutoff.setdefault(one.k, []).append(str(one))
    warnings = []
    for k, names in by_cutoff.items():
        count = int((_longer(pair) < k).sum())
        if count and kind == "runs":
            queries = counted(count, "query", "queries")
            text = f"both rankings have fewer than {k} documents in {queries}, so {', '.join(names)} cannot reach 1"
            warnings.append(Warned("short", count, text))
        elif count:
            warnings.append(
                Warned("short", 1, f"both rankings have fewer than {k} items, so {', '.join(names)} cannot reach 1")
            )
    return warnings


def _longer(pair: AlignedPair) -> Ints:
    return np.maximum(pair.rankings.a.sizes, pair.rankings.b.sizes)


def _warn_undefined(columns: dict[str, Floats], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """Warn about each set of queries for which the same coefficients are undefined for the same reason."""
    few = f"fewer than two shared {'documents' if kind == 'runs' else 'items'}, or all tied"
    c = pair.columns
    infinite = (c.total(np.isinf(c.x) | np.isinf(c.y)) > 0) & (c.sizes > 1)
    missing: dict[tuple[str, bytes], list[str]] = {}
    for name, column in columns.items():
        lost, endless = np.isnan(column), infinite & (name == "pearson")  # the others depend on the order only
        for why, here in ((few, lost & ~endless), ("infinite scores have no mean", lost & endless)):
            missing.setdefault((why, here.tobytes()), []).append(name)
    warnings = []
    for (why, mask), names in missing.items():
        where = np.flatnonzero(np.frombuffer(mask, bool))
        if not len(where):
            continue
        what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} undefined"
        if kind != "runs":
            warnings.append(Warned("undefined", 1, f"{what}: {why}"))
            continue
        ids = some([pair.queries[i] for i in where])
        queries = counted(len(where), "query", "queries")
        warnings.append(Warned("undefined", len(where), f"{what} for {queries} ({why}), excluded from the mean: {ids}"))
    return warnings
