"""Evaluate labels and scores in arrays: the same measures and the same numbers as for rankings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from judged._types import Floats, Ints
from judged.core.judged import Judged
from judged.core.labelled import rank_lists
from judged.core.policy import Policy
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, parse_measures
from judged.evaluation.inputs import Provenance
from judged.evaluation.measuring import check_empty, check_strict, column, level_warnings, tie_orders
from judged.evaluation.options import ArrayOptions, check_options
from judged.evaluation.values import Values
from judged.evaluation.weights import check_weights
from judged.io.arrays import ArrayLists, as_numbers, lists_of
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.tables.table import counted

DEFAULT_ARRAY_MEASURES = "nDCG@10 AP RR P@10"
_POLICIES = tuple(ArrayOptions.__annotations__)
_BY_ID = ("id-desc", "id-asc")


def score(
    labels: Any,
    scores: Any = None,
    measures: Measures = DEFAULT_ARRAY_MEASURES,
    *,
    mask: Any = None,
    pad: float | None = None,
    group: Any = None,
    qid: Any = None,
    total_relevant: Any = None,
    weights: Any = None,
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
        scores: scores of the same items, in the same layout; without them, each list is in ranked order.
        measures: as in `evaluate`; several cutoffs need only one sort.
        mask: True for items, False for padding.
        pad: label of padding.
        group: sizes of the lists, for flat columns (LightGBM, XGBoost).
        qid: list id of each item, in any order (torchmetrics); values are in the order of these ids.
        total_relevant: number of relevant items per list, if some were never retrieved; the missing ones have the grade `level`, or 1.
        weights: weights of the lists in means and intervals, one per list, in the order of the values.
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
    parsed = [
        replace(m, policy=tuple(_of_items(m.policy).items()))
        for m in parse_measures(measures, profile, level, keep_names=keep_names, given=options)
    ]
    for m in parsed:
        if m.definition.needs != "grades" or m.definition.text:
            raise UsageError("unsuitable-measure", f"{m} cannot be computed from labels and scores", value=str(m))
    lists = lists_of(labels, scores, mask=mask, pad=pad, group=group, qid=qid)
    policy = array_policy(**{**_of_items(chosen.policy.items()), **options})
    judged, columns, views = measure_columns(lists, parsed, policy, total_relevant)
    known: list[Warned] = []
    if infinite := int(np.isinf(lists.score).sum()):
        text = f"{counted(infinite, 'score is', 'scores are')} infinite and ranked first or last"
        hint = Hint("leave out items that were not retrieved with {mask}", mask=None)
        known.append(Warned("score-inf", infinite, text, hint))
    sampled = [w for view in views if view.orders is not None for w in view.orders.warnings(view.measures)]
    object.__setattr__(judged, "warnings", lambda j: (*known, *_warnings(j)))  # computed when they are asked for
    column = None if weights is None else check_weights(_one_per_list(weights, "weights", len(judged)), judged.queries)
    result = Values(
        queries=judged.pool.queries,
        measures=tuple(parsed),
        columns=columns,
        policy=judged.policy,
        profile=profile,
        names=judged.names,
        warnings=lambda _: (*judged.warnings, *level_warnings(judged, parsed), *sampled),  # type: ignore[arg-type]
        weights=column,
        source=Provenance(judged),
    )
    if strict:
        check_strict(result.warnings)
    return result


def _of_items(policies: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The policies that apply to items, which have no ids."""
    return {name: value for name, value in policies if name in _POLICIES and value not in _BY_ID}


def _one_per_list(numbers: Any, where: str, count: int) -> Floats:
    column = np.atleast_1d(as_numbers(numbers, where))
    if column.shape != (count,):
        problem = f"one number for each of {count} lists"
        raise DataError("shape", problem, got=f"an array of the shape {column.shape}", where=where)
    return column


def array_policy(*, ties: Any = "input", **options: Any) -> Policy:
    """The policy of lists of items, which have no ids: ties are in input order unless chosen otherwise."""
    if ties in _BY_ID:
        hint = "choose input, best, worst or expected"
        raise UsageError("policy", f"ties={ties!r} needs ids, and items in arrays have none", hint=hint, value=ties)
    return Policy(ties=ties, **options)


class _View:
    """Lists that are ranked under one policy, and what several measures need of them."""

    def __init__(self, judged: Judged) -> None:
        self.judged = judged
        self.orders = tie_orders(judged)
        self.measures: list[Measure] = []
        self._cut: dict[int, Judged] = {}

    def column(self, measure: Measure) -> Floats:
        """One value per list."""
        self.measures.append(measure)
        last = None if self.orders else _last_rank(measure)
        if last is not None and last not in self._cut:  # nothing below matters, and there are far fewer items above
            self._cut[last] = self.judged.cut(last)
        values = column(measure, self.judged if last is None else self._cut[last], self.orders)
        values.flags.writeable = False
        return values


def measure_columns(
    lists: ArrayLists, measures: Sequence[Measure], policy: Policy, total_relevant: Any
) -> tuple[Judged, dict[str, Floats], list[_View]]:
    """Return the ranking without its warnings, a column for each measure, and the ranking of each policy."""
    level = _shared_level(measures, total_relevant)
    ranks = [_last_rank(m) for m in measures]
    # Nothing below the last rank that any measure sees matters, unless ties may move an item up.
    depth = None if None in ranks or policy.ties == "expected" else max(filter(None, ranks))
    judged = _rank(lists, policy, total_relevant, level, depth)
    shared = _View(judged)
    views, columns = {policy: shared}, {}
    for m in measures:
        own = replace(policy, **dict(m.policy)) if m.policy else policy
        if m.policy and own not in views:
            views[own] = _View(_rank(lists, own, total_relevant, level, depth if own.ties != "expected" else None))
        columns[str(m)] = (views[own] if m.policy else shared).column(m)
    if policy.empty == "error":
        level_warnings(judged, measures)  # which raises it
    return judged, columns, list(views.values())


def _shared_level(measures: Sequence[Measure], total: Any) -> float:
    """Lowest relevant grade, which missing relevant items have; 1 if no measure sets it."""
    levels = sorted({float(m.get("level")) for m in measures if m.definition.binary})
    if total is not None and len(levels) > 1:
        names = ", ".join(f"{level:g}" for level in levels)
        raise UsageError("parameter", f"total_relevant= needs measures of one level, got levels {names}")
    return levels[-1] if levels else 1.0


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
        lists.label, scores, lists.sizes, lists.names, policy=policy, absent=absent, level=level, depth=depth
    )
    if policy.empty == "error":
        check_empty(_warnings(judged))
    return judged


def _absent(lists: ArrayLists, total: Any, level: float) -> Ints:
    """Number of relevant items that each list lacks."""
    totals = _one_per_list(total, "total_relevant", len(lists.sizes))
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    relevant = np.bincount(owner[lists.label >= level], minlength=len(lists.sizes))
    wrong = np.flatnonzero((totals < relevant) | (totals != np.floor(totals)) | (totals > 2**53))
    if len(wrong):
        row = int(wrong[0])
        place = f"total_relevant of list {lists.names[row]!r}"
        expected = f"an integer ≥ {relevant[row]}, the number of relevant items in the list"
        raise DataError("parameter", expected, got=shown(totals[row].item()), where=place)
    return (totals - relevant).astype(np.int64)


def _warnings(judged: Judged) -> tuple[Warned, ...]:
    """Warn of lists without items, without a relevant item, and with values that depend on the order of ties."""
    barren = len(judged) - int(np.count_nonzero(judged.pool.best_first(1).grade > 0))
    found = [
        ("empty-list", int((judged.retrieved == 0).sum()), "no items; treated as having no relevant item"),
        ("no-relevant", barren, f"no relevant item (empty={judged.policy.empty})"),
    ]
    warnings = [Warned(slug, n, f"{counted(n, 'list has', 'lists have')} {what}") for slug, n, what in found if n]
    if judged.policy.ties == "input" and (tied := _count_tied_lists(judged)):
        text = f"tied scores affect the rank of a relevant item in {counted(tied, 'list')} (ties: input)"
        warnings.append(Warned("ties", tied, text))
    return tuple(warnings)


def _count_tied_lists(judged: Judged) -> int:
    """Number of lists in which items of equal score have different grades, one of them above 0."""
    tied = judged.tie_last > judged.tie_first
    if not tied.any():
        return 0
    new = np.ones(len(judged.rank), bool)
    new[1:] = (judged.tie_first[1:] != judged.tie_first[:-1]) | (judged.query[1:] != judged.query[:-1])
    starts = np.flatnonzero(new)
    differ = np.maximum.reduceat(judged.grade, starts) != np.minimum.reduceat(judged.grade, starts)
    return len(np.unique(judged.query[starts[differ & tied[starts]]]))
