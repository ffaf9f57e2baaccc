"""Correlate two runs, two rankings or two orders of systems, or every pair of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any, TypedDict, Unpack, get_args

import numpy as np

from judged._types import Floats, Ints
from judged.core.numeric.seed import whole_seed
from judged.core.tables import Run
from judged.correlation.alignment import AlignedPair, Documents
from judged.correlation.inputs import Kind, read_if_run, read_pair
from judged.correlation.result import Correlation, Correlations
from judged.errors import UsageError, Warned, shown
from judged.stats.intervals import bootstraps
from judged.stats.rank_correlation.intervals import intervals, p_value
from judged.stats.rank_correlation.rbo_and_overlap import Ties, overlap_of
from judged.stats.rank_correlation.registry import CorrelationRequest, asked
from judged.tables.text import counted, some

__all__ = ["DEFAULT", "correlate", "correlate_all"]

DEFAULT = "tau_b tau_ap_b rbo overlap@10"  # the variants in which a run with ties is equal to itself
_DEFAULT_OF_ITEMS = "tau_b tau_ap_b rbo"  # orders hold the same items: their first ten may well be all of them
_TAKEN = "taken as scores of the same items; give ids as text to compare rankings"


class CorrelateOptions(TypedDict, total=False):
    """The options of `correlate`."""

    depth: int | None
    p: float
    ties: Ties
    documents: Documents
    level: float
    seed: int


def correlate(
    a: Any,
    b: Any = None,
    measures: str | CorrelationRequest | Iterable[str | CorrelationRequest] | None = None,
    *,
    depth: int | None = None,
    p: float = 0.9,
    ties: Ties = "b",
    documents: Documents = "both",
    level: float = 0.95,
    seed: int = 0,
    names: tuple[str, str] | None = None,
) -> Correlation:
    """Measure how alike two rankings are, by the coefficients of `judged.stats.rank_correlation.COEFFICIENTS`.

    What is compared is told by type, and both sides are of one: *runs* (a path, a frame, {query: {doc: score}} or whatever else `read_run`
    takes) query by query, with means and their bootstrap intervals over queries; mappings {name: number}, pandas Series, or
    `Values` of one measure, aligned by name; columns of numbers, aligned by position; lists of ids (text), the best first, or pairs
    (ids, scores). A list of whole numbers is a column of scores. A frame alone needs two columns of numbers.

    Higher scores are better, and equal scores are ties: no order is made up for them. tau_ap takes its ranks from `a` and holds them
    against `b`; somers_d explains `b` by `a`; the other coefficients are symmetric.

    Args:
        a: the first ranking.
        b: the second; the reference, where a coefficient has one.
        measures: coefficients by name: `"tau_b rbo(p=0.98) overlap@20"`. By default `"tau_b tau_ap_b rbo overlap@10"`, without
            overlap for mappings and columns.
        depth: look at the first `depth` documents only; a tie that begins within it stays whole.
        p: the persistence of RBO, where its name has none of its own.
        ties: in RBO and overlap: "b" corrected, so that equal rankings have 1; "a" the mean over all orders; "w" tied items
            at one rank.
        documents: coefficients of pairs see the documents that "both" hold, or the "union", where a document that one side
            does not hold is tied with the others like it below all that it does. RBO and overlap always see the whole lists.
        level: of the intervals.
        seed: of the resamples.
        names: what to call the two.

    Raises:
        DataError: no query or no item in common; a document twice in one ranking; scores that cannot be compared.
        UsageError: an unknown coefficient, forms that do not go together, a parameter out of range.

    >>> print(correlate([3, 2, 1], [3, 1, 2], "tau_b spearman").mean())
    {'tau_b': 0.3333333333333333, 'spearman': 0.5}
    """
    requests = asked(DEFAULT if measures is None else measures)
    _check_options(requests, depth, documents, level)
    _check_names(names)
    kind, given_names, pair = read_pair(a, b, depth, documents)
    if measures is None and kind in ("items", "scores"):
        requests = asked(_DEFAULT_OF_ITEMS)
    conventions = {
        "documents": documents,
        "depth": depth,
        "p": p,
        "ties": ties,
        "level": level,
        "seed": whole_seed(seed),
    }
    names = given_names if names is None else (names[0], names[1])
    return _correlation(requests, pair, kind, names, conventions, framed=b is None)


def _correlation(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind, names: tuple[str, str],
                 conventions: dict[str, Any], *, framed: bool) -> Correlation:  # fmt: skip
    runs, options = kind == "runs", {"level": conventions["level"], "seed": conventions["seed"]}
    columns = {str(one): _values(one, pair, conventions["p"], conventions["ties"]) for one in requests}
    ends = bootstraps(list(columns.values()), **options) if runs else intervals(pair.columns, requests, **options)
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
        warnings=(*pair.warnings, *_short_lists(requests, pair, kind), *_undefined(columns, pair, kind)),
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


def _check_options(requests: list[CorrelationRequest], depth: object, documents: object, level: object) -> None:
    if depth is not None and (type(depth) is not int or depth < 1):
        raise UsageError("depth", "a depth that is a whole number from 1, or None", got=shown(depth), value=depth)
    if documents not in get_args(Documents):
        raise UsageError("parameter", "documents to be both or union", got=shown(documents), value=documents)
    if not isinstance(level, float) or not 0 < level < 1:
        raise UsageError("parameter", "a level between 0 and 1", got=shown(level), value=level)
    if documents == "union" and any(one.coefficient.name == "pearson" for one in requests):
        raise UsageError("parameter", "documents='both' for pearson", got="'union'",
                         hint="a document that a run does not hold has no score")  # fmt: skip


def _check_names(names: Any) -> None:
    if names is None:
        return
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise UsageError("names", "two names, as text", got=shown(names), value=names)


def correlate_all(
    rankings: Mapping[str, Any] | Iterable[Any],
    measures: str | CorrelationRequest | Iterable[str | CorrelationRequest] | None = None,
    **options: Unpack[CorrelateOptions],
) -> Correlations:
    """Measure how alike several rankings are: `correlate` of every pair, the earlier one first.

    Args:
        rankings: {name: ranking}, or a list of rankings; each in a form that `correlate` takes, and all in the same.
        measures: coefficients by name, as in `correlate`.
        options: the other arguments of `correlate`, but `names`.

    Raises:
        UsageError: fewer than two rankings; and whatever `correlate` refuses.
    """
    if isinstance(rankings, str | bytes) or not isinstance(rankings, Iterable):
        raise UsageError("form", "{name: ranking} or a list of rankings", got=shown(rankings), value=rankings)
    given = list(rankings.items()) if isinstance(rankings, Mapping) else [(None, one) for one in rankings]
    if len(given) < 2:
        raise UsageError("form", "two rankings or more", got=str(len(given)), hint="correlate_all({name: run, …})")
    named = [_named(name, read_if_run(source), place) for place, (name, source) in enumerate(given, 1)]
    requests = measures if measures is None or isinstance(measures, str | CorrelationRequest) else list(measures)
    found = [correlate(x, y, requests, **options, names=(a, b)) for (a, x), (b, y) in combinations(named, 2)]
    return Correlations(tuple(name for name, _ in named), tuple(found))


def _named(name: object, source: Any, place: int) -> tuple[str, Any]:
    """Return a ranking with its name: the one given, that of the run, or its place."""
    if not isinstance(source, Run):
        return str(place if name is None else name), source
    own = source.name if source.name != "run" else str(place)
    run_name = own if name is None else str(name)
    return run_name, replace(source, name=run_name)


# ── notes and warnings ───────────────────────────────────────────────────────────────────────────


def _notes(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind, *, framed: bool) -> tuple[str, ...]:
    """Say whether numbers may have been ids, and how many of the first k are the same, for each overlap@k that some ranking reaches."""
    longest = int(_longer(pair).max(initial=0))
    same = [_same(one.k, pair, kind) for one in requests if one.coefficient.name == "overlap" and one.k <= longest]
    return (*((_TAKEN,) if kind == "scores" and not framed and _may_be_ids(pair) else ()), *same)


def _same(k: int, pair: AlignedPair, kind: Kind) -> str:
    # The mean over all orders of ties is a number of documents; the other variants of overlap are not.
    count = float(np.mean(overlap_of(pair.rankings, k, "a"))) * k
    what, mean = ("documents", "on average ") if kind == "runs" else ("items", "")
    return f"{mean if len(pair.rankings) > 1 else ''}{count:.1f} of the first {k} {what} are the same"


def _may_be_ids(pair: AlignedPair) -> bool:
    """Return whether both sides are integers, each once: what rankings by numeric ids look like."""
    sides = (pair.columns.x, pair.columns.y)
    return all(len(s) > 0 and len(np.unique(s)) == len(s) and bool((s == np.trunc(s)).all()) for s in sides)


def _short_lists(requests: list[CorrelationRequest], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """One warning for each cutoff that neither ranking of a query reaches: shares of k stay below 1 there."""
    by_cutoff: dict[int, list[str]] = {}
    for one in requests:
        if one.coefficient.name in ("overlap", "average_overlap"):
            by_cutoff.setdefault(one.k, []).append(str(one))
    found = []
    for k, names in by_cutoff.items():
        count = int((_longer(pair) < k).sum())
        if count and kind == "runs":
            queries = counted(count, "query", "queries")
            text = f"both hold fewer than {k} documents in {queries}: {', '.join(names)} cannot reach 1 there"
            found.append(Warned("short", count, text))
        elif count:
            found.append(Warned("short", 1, f"both hold fewer than {k} items: {', '.join(names)} cannot reach 1"))
    return found


def _longer(pair: AlignedPair) -> Ints:
    return np.maximum(pair.rankings.a.sizes, pair.rankings.b.sizes)


def _undefined(columns: dict[str, Floats], pair: AlignedPair, kind: Kind) -> list[Warned]:
    """One warning for each set of queries for which the same coefficients are not defined, for the same reason."""
    few = f"fewer than two shared {'documents' if kind == 'runs' else 'items'}, or all tied"
    c = pair.columns
    infinite = (c.total(np.isinf(c.x) | np.isinf(c.y)) > 0) & (c.sizes > 1)
    missing: dict[tuple[str, bytes], list[str]] = {}
    for name, column in columns.items():
        lost, endless = np.isnan(column), infinite & (name == "pearson")  # the others see the order alone
        for why, here in ((few, lost & ~endless), ("infinite scores have no mean", lost & endless)):
            missing.setdefault((why, here.tobytes()), []).append(name)
    found = []
    for (why, mask), names in missing.items():
        where = np.flatnonzero(np.frombuffer(mask, bool))
        if not len(where):
            continue
        what = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not defined"
        if kind != "runs":
            found.append(Warned("undefined", 1, f"{what}: {why}"))
            continue
        ids = some([pair.queries[i] for i in where])
        queries = counted(len(where), "query", "queries")
        found.append(Warned("undefined", len(where), f"{what} for {queries} ({why}), left out of the mean: {ids}"))
    return found
