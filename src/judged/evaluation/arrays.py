"""Evaluate labels and scores in arrays: the same measures and the same numbers as for rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from judged._types import Ints
from judged.core.judged import Judged
from judged.core.labelled import rank_lists
from judged.core.policy import Policy
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, parse_measures
from judged.evaluation.measuring.column import check_empty, check_strict, column, level_warnings
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.options import ArrayOptions, check_options
from judged.evaluation.result.source import Provenance
from judged.evaluation.result.values import Values
from judged.io.arrays.layouts import ArrayLists, lists_of
from judged.io.arrays.numbers import as_numbers
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.tables.text import counted

DEFAULT_ARRAY_MEASURES = "nDCG@10 AP RR P@10"
_POLICIES = tuple(ArrayOptions.__annotations__)
_BY_ID = ("id-desc", "id-asc")


def score(
    labels: Any,
    scores: Any,
    measures: Measures = DEFAULT_ARRAY_MEASURES,
    *,
    mask: Any = None,
    pad: float | None = None,
    group: Any = None,
    qid: Any = None,
    total_relevant: Any = None,
    level: float | None = None,
    strict: bool = False,
    profile: str = "trec_eval-10",
    keep_names: bool = False,
    **options: Unpack[ArrayOptions],
) -> Values:
    """Evaluate labels and the scores of a model: one value per list and measure.

    Args:
        labels: grades ≥ 0 of the items: one list, a matrix with one list per row, flat columns, lists of lists, or a sparse matrix of
            users × items; NumPy, PyTorch, JAX, or anything with DLPack or the array interface.
        scores: scores of the same items, in the same layout.
        measures: as in `evaluate`; several cutoffs need only one sort.
        mask: True for items, False for padding.
        pad: label of padding.
        group: sizes of the lists, for flat columns (LightGBM, XGBoost).
        qid: list id of each item, in any order (torchmetrics); values are in the order of these ids.
        total_relevant: number of relevant items per list, if some were never retrieved; the missing ones have the grade `level`, or 1.
        level: lowest relevant grade.
        strict: turn every warning into an error.
        profile: conventions of another tool, see `PROFILES`.
        keep_names: use the names of measures as written in all output.
        options: `ties`, `empty`, `depth` and `precision`, see `Policy`. `ties="input"` (default) keeps the order of items with equal
            scores; `best` and `worst` are the extremes, `expected` is the mean over all orders.

    >>> print(score([[1, 0, 2], [0, 1, 0]], [[0.5, 0.9, 0.7], [0.1, 0.2, 0.3]], "RR P@1").mean())
    {'RR': 0.5, 'P@1': 0.0}
    """
    check_options(options, _POLICIES)
    chosen = find_profile(profile)
    parsed = [_without_ids(m) for m in parse_measures(measures, chosen, level, keep_names=keep_names, given=options)]
    for m in parsed:
        if m.definition.needs != "grades" or m.definition.text:
            raise UsageError("unsuitable-measure", f"{m} cannot be computed from labels and scores", value=str(m))
    lists = lists_of(labels, scores, mask=mask, pad=pad, group=group, qid=qid)
    policies = {name: value for name, value in chosen.policy.items() if name in _POLICIES and value not in _BY_ID}
    return measure_lists(
        lists, parsed, array_policy({**policies, **options}), total_relevant, profile=profile, strict=strict
    )


def array_policy(options: dict[str, Any]) -> Policy:
    """The policy of lists of items, which have no ids: ties are in input order unless chosen otherwise."""
    ties = options.get("ties", "input")
    if ties in _BY_ID:
        raise UsageError("policy", f"ties={ties!r} needs ids, and items in arrays have none", hint="choose input, best, worst or expected", value=ties)  # fmt: skip
    return Policy(**{**options, "ties": ties})


def _without_ids(measure: Measure) -> Measure:
    """The measure without policies that do not apply to items in arrays."""
    return replace(measure, policy=tuple((n, v) for n, v in measure.policy if n in _POLICIES and v not in _BY_ID))


def measure_lists(
    lists: ArrayLists, measures: Sequence[Measure], policy: Policy, total_relevant: Any, *, profile: str = "trec_eval-10",
    strict: bool = False,
) -> Values:  # fmt: skip
    """Rank the items of each list by their scores, and compute the measures."""
    level = _shared_level(measures, total_relevant)
    depth = _deepest_rank(measures, policy)
    judged = _rank(lists, policy, total_relevant, level, depth)
    ranked, orders, cut = {policy: judged}, {}, {}
    columns = {}
    for m in measures:
        own = replace(policy, **dict(m.policy))
        if own not in ranked:
            ranked[own] = _rank(lists, own, total_relevant, level, depth if own.ties != "expected" else None)
        if own.ties == "expected" and own not in orders:
            orders[own] = TieOrders(ranked[own])
        last = None if own in orders else _last_rank(m)
        if last is not None and (own, last) not in cut:  # nothing below matters, and there are far fewer items above
            cut[own, last] = ranked[own].cut(last)
        values = column(m, ranked[own] if last is None else cut[own, last], orders.get(own))
        values.flags.writeable = False
        columns[str(m)] = values
    sampled = [
        w
        for own, o in orders.items()
        for w in o.warnings([m for m in measures if replace(policy, **dict(m.policy)) == own])
    ]
    warnings = (*judged.warnings, *level_warnings(judged, measures), *sampled)
    check_strict(warnings if strict else ())
    return Values(queries=judged.queries, measures=tuple(measures), columns=columns, policy=judged.policy, profile=profile,
                  names=judged.names, warnings=warnings, source=Provenance(judged))  # fmt: skip


def _shared_level(measures: Sequence[Measure], total: Any) -> float:
    """Lowest relevant grade, which missing relevant items have; 1 if no measure sets it."""
    levels = sorted({float(m.get("level")) for m in measures if m.definition.binary})
    if total is not None and len(levels) > 1:
        names = ", ".join(f"{level:g}" for level in levels)
        raise UsageError("total-relevant", f"total_relevant= needs measures of one level, got levels {names}")
    return levels[-1] if levels else 1.0


def _deepest_rank(measures: Sequence[Measure], policy: Policy) -> int | None:
    """The last rank that any measure sees; None if one sees them all, or if ties may move any item up."""
    ranks = [rank for m in measures if (rank := _last_rank(m)) is not None]
    return max(ranks) if len(ranks) == len(measures) and policy.ties != "expected" else None


def _last_rank(m: Measure) -> int | None:
    """The last rank that a measure sees, if nothing below it matters."""
    return m.get("cutoff") if "cutoff" in m.definition.laws and not m.get("judged_only") else None


def _rank(lists: ArrayLists, policy: Policy, total: Any, level: float, depth: int | None) -> Judged:
    scores = lists.score
    if policy.precision == "float32":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    absent = lists.absent if total is None else _absent(lists, total, level)
    absent = absent if absent is not None and absent.any() else None
    judged = rank_lists(
        lists.label, scores + 0.0, lists.sizes, lists.names, policy=policy, absent=absent, level=level, depth=depth
    )
    warnings = (*_infinite(lists), *_warnings(judged))
    check_empty(policy, warnings)
    return replace(judged, warnings=(*lists.warnings, *warnings))


def _absent(lists: ArrayLists, total: Any, level: float) -> Ints:
    """Number of relevant items that each list lacks."""
    totals = np.atleast_1d(as_numbers(total, "total_relevant").values)
    if totals.shape != (len(lists.sizes),):
        raise DataError(
            "shape", f"one number for each of {len(lists.sizes)} lists", got=f"an array of the shape {totals.shape}",
            where="total_relevant",
        )  # fmt: skip
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    relevant = np.bincount(owner[lists.label >= level], minlength=len(lists.sizes))
    wrong = np.flatnonzero((totals < relevant) | (totals != np.floor(totals)))
    if len(wrong):
        row = int(wrong[0])
        raise DataError("total-relevant", f"an integer ≥ {relevant[row]}, the number of relevant items in the list",
                        got=shown(totals[row].item()), where=f"total_relevant of list {lists.names[row]!r}")  # fmt: skip
    return (totals - relevant).astype(np.int64)


def _infinite(lists: ArrayLists) -> Iterator[Warned]:
    count = int(np.isinf(lists.score).sum())
    if count:
        text = f"{count} {'score is' if count == 1 else 'scores are'} infinite; ranked first or last"
        yield Warned("score-inf", count, text, Hint("leave out items that were not retrieved with {mask}", mask=None))


def _warnings(judged: Judged) -> tuple[Warned, ...]:
    """Warn of lists without items, without a relevant item, and with values that depend on the order of ties."""
    warnings = []
    empty = int((judged.retrieved == 0).sum())
    barren = int((np.bincount(judged.pool_query[judged.pool_grade > 0], minlength=len(judged)) == 0).sum())
    if empty:
        text = f"{counted(empty, 'list has', 'lists have')} no items; treated as having no relevant item"
        warnings.append(Warned("empty-list", empty, text))
    if barren:
        text = f"{counted(barren, 'list has', 'lists have')} no relevant item (empty={judged.policy.empty})"
        warnings.append(Warned("no-relevant", barren, text))
    if judged.policy.ties == "input" and (judged.tie_last != judged.tie_first).any():
        tied = _count_tied_lists(judged)
        if tied:
            text = f"tied scores affect the rank of a relevant item in {counted(tied, 'list')} (ties: input)"
            warnings.append(Warned("ties", tied, text))
    return tuple(warnings)


def _count_tied_lists(judged: Judged) -> int:
    """Number of lists in which items of equal score have different grades, one of them above 0."""
    tied = judged.tie_last > judged.tie_first
    new = np.ones(len(judged.rank), bool)
    new[1:] = (judged.tie_first[1:] != judged.tie_first[:-1]) | (judged.query[1:] != judged.query[:-1])
    starts = np.flatnonzero(new)
    differ = np.maximum.reduceat(judged.grade, starts) != np.minimum.reduceat(judged.grade, starts)
    return len(np.unique(judged.query[starts[differ & tied[starts]]]))
