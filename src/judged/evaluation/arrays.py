"""Labels and scores in arrays, measured as rankings are: the same measures, the same numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from judged._types import Ints
from judged.core.judged import Judged
from judged.core.labelled import ranked
from judged.core.policy import Policy, check_option_names
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.evaluate import Measures, with_level
from judged.evaluation.measuring.column import column, level_notes, refuse_empty, refuse_warnings
from judged.evaluation.measuring.expected_ties import TieOrders
from judged.evaluation.result.source import Provenance
from judged.evaluation.result.values import Values
from judged.io.arrays.layouts import ArrayLists, lists_of
from judged.io.arrays.numbers import as_numbers, like
from judged.measures.grammar import parse_all
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Definition, Measure, definitions

__all__ = ["ARRAYS", "array_function", "score"]


ARRAYS = "nDCG@10 AP RR P@10"
_POLICIES = ("ties", "empty", "depth", "precision")
_FAMILIES = ("ranked", "graded", "cascade", "user model", "overlap", "set")


def score(
    labels: Any,
    scores: Any,
    measures: Measures = ARRAYS,
    *,
    mask: Any = None,
    pad: float | None = None,
    group: Any = None,
    qid: Any = None,
    total_relevant: Any = None,
    level: float | None = None,
    strict: bool = False,
    profile: str = "trec_eval-10",
    **policy: Any,
) -> Values:
    """One value per list and measure, from labels and the scores that a model gave.

    Args:
        labels: grades of the items, from 0 on. One list, a table with a row a list, flat columns, lists of lists, or a sparse matrix of users × items; NumPy, PyTorch,
            JAX, anything with DLPack or the array interface.
        scores: of the same items, in the same layout.
        measures: as in `evaluate`; several cutoffs cost one sort.
        mask: True for the items that are there, where rows are padded.
        pad: the label that padding has.
        group: the sizes of the lists, for flat columns (LightGBM, XGBoost).
        qid: the list that each item is of, in any order (torchmetrics); values then come in the order of these ids.
        total_relevant: how many relevant items each list should have held, where some were never retrieved; those that are missing have the grade `level`, or 1.
        level: the lowest grade that counts as relevant.
        strict: turn every warning into an error.
        profile: the conventions of another tool, see `PROFILES`.
        policy: `ties`: items of equal score stand as they were given (`input`), or `best`, `worst`, `expected`: the mean over all their orders; `empty`, `depth`, `precision` as in `Policy`.

    >>> print(score([[1, 0, 2], [0, 1, 0]], [[0.5, 0.9, 0.7], [0.1, 0.2, 0.3]], "RR P@1").mean())
    {'RR': 0.5, 'P@1': 0.0}
    """
    chosen = profile_named(profile)
    wanted = [with_level(chosen.apply(m), level) for m in parse_all(measures)]
    if not wanted:
        raise UsageError("measure", "at least one measure", got="none", hint="for example 'nDCG@10'")
    for m in wanted:
        if m.definition.needs != "grades" or m.definition.text:
            raise UsageError("measure", "measures of labels and scores", got=str(m), value=str(m))
    lists = lists_of(labels, scores, mask=mask, pad=pad, group=group, qid=qid)
    return _scored(lists, wanted, _policy({**chosen.policy, **policy}), total_relevant, profile=profile, strict=strict)


def _scored(
    lists: ArrayLists,
    wanted: Sequence[Measure],
    rules: Policy,
    total_relevant: Any,
    *,
    profile: str = "trec_eval-10",
    strict: bool = False,
) -> Values:
    judged = _judged(lists, rules, total_relevant, _level(wanted, total_relevant), _deepest(wanted, rules))
    return _values(judged, wanted, profile, strict=strict)


def _policy(given: dict[str, Any]) -> Policy:
    """What a profile or the caller says of lists of items; nothing else can be said of them."""
    check_option_names(given)
    asked = {name: value for name, value in given.items() if name in _POLICIES}
    ties = asked.get("ties", "input")
    if ties in ("id-desc", "id-asc"):
        raise UsageError(
            "policy", "ties by input, best, worst or expected: items in arrays have no ids", got=shown(ties), value=ties
        )
    return Policy(**{**asked, "ties": ties})


def _level(wanted: Sequence[Measure], total: Any) -> float:
    """The lowest grade that counts as relevant, which items that are missing have; 1 where no measure says."""
    levels = sorted({float(m.get("level")) for m in wanted if m.definition.binary})
    if total is not None and len(levels) > 1:
        raise UsageError(
            "total-relevant",
            "measures of one level beside total_relevant=",
            got=f"levels {', '.join(f'{x:g}' for x in levels)}",
        )
    return levels[-1] if levels else 1.0


def _deepest(wanted: Sequence[Measure], rules: Policy) -> int | None:
    """The last rank that any measure sees; None where one sees them all, or where any item may come up."""
    known = [depth for m in wanted if (depth := _reach(m)) is not None]
    return max(known) if len(known) == len(wanted) and rules.ties != "expected" else None


def _reach(m: Measure) -> int | None:
    """The last rank that a measure sees, where nothing below it matters."""
    return m.get("cutoff") if "cutoff" in m.definition.laws and not m.get("judged_only") else None


def _judged(lists: ArrayLists, rules: Policy, total: Any, level: float, depth: int | None) -> Judged:
    value = lists.score
    if rules.precision == "float32":
        with np.errstate(over="ignore"):
            value = value.astype(np.float32).astype(np.float64)
    absent = lists.absent if total is None else _absent(lists, total, level)
    some = absent if absent is not None and absent.any() else None
    judged = ranked(
        lists.label, value + 0.0, lists.sizes, lists.names, policy=rules, absent=some, level=level, depth=depth
    )
    notes = _notes(judged)
    refuse_empty(rules, notes)
    return replace(judged, warnings=(*lists.warnings, *notes))


def _absent(lists: ArrayLists, total: Any, level: float) -> Ints:
    wanted = np.atleast_1d(as_numbers(total, "total_relevant").values)
    if wanted.shape != (len(lists.sizes),):
        raise DataError(
            "shape",
            f"a number for each of {len(lists.sizes)} lists",
            got=f"an array of the shape {wanted.shape}",
            where="total_relevant",
        )
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    there = np.bincount(owner[lists.label >= level], minlength=len(lists.sizes))
    short = np.flatnonzero((wanted < there) | (wanted != np.floor(wanted)))
    if len(short):
        at = int(short[0])
        raise DataError("total-relevant", f"at least {there[at]}, a whole number: so many relevant items are in the list", got=shown(wanted[at].item()),
                        where=f"total_relevant of list {lists.names[at]!r}")  # fmt: skip
    return (wanted - there).astype(np.int64)


def _notes(judged: Judged) -> tuple[Warned, ...]:
    """What is doubtful: lists without items, without a relevant one, and values that rest on the order of ties."""
    found = []
    nothing = judged.retrieved == 0
    barren = np.bincount(judged.pool_query[judged.pool_grade > 0], minlength=len(judged)) == 0
    if nothing.any():
        n = int(nothing.sum())
        found.append(
            Warned(
                "empty-list",
                n,
                f"{n} {'list has' if n == 1 else 'lists have'} no items, counted as one without a relevant item",
            )
        )
    if barren.any():
        n = int(barren.sum())
        found.append(
            Warned(
                "no-relevant",
                n,
                f"{n} {'list' if n == 1 else 'lists'} without a relevant item, valued by the policy empty={judged.policy.empty}",
            )
        )
    if judged.policy.ties == "input" and (judged.tie_last != judged.tie_first).any():
        n = _resting_on_ties(judged)
        if n:
            found.append(
                Warned(
                    "ties",
                    n,
                    f"in {n} {'list' if n == 1 else 'lists'} the rank of a relevant item rests on tied scores (ties: input)",
                )
            )
    return tuple(found)


def _resting_on_ties(judged: Judged) -> int:
    """Lists in which items of one score have different grades, one of them above 0."""
    tied = judged.tie_last > judged.tie_first
    new = np.ones(len(judged.rank), bool)
    new[1:] = (judged.tie_first[1:] != judged.tie_first[:-1]) | (judged.query[1:] != judged.query[:-1])
    starts = np.flatnonzero(new)
    differ = np.maximum.reduceat(judged.grade, starts) != np.minimum.reduceat(judged.grade, starts)
    return len(np.unique(judged.query[starts[differ & tied[starts]]]))


def _values(judged: Judged, wanted: Sequence[Measure], profile: str, *, strict: bool) -> Values:
    orders = TieOrders(judged) if judged.policy.ties == "expected" else None
    cut: dict[int, Judged] = {}
    columns = {}
    for m in wanted:
        depth = None if orders is not None else _reach(m)
        if depth is not None and depth not in cut:  # nothing below matters: far fewer items to look at
            cut[depth] = judged.cut(depth)
        values = column(m, judged if depth is None else cut[depth], orders)
        values.flags.writeable = False
        columns[str(m)] = values
    warnings = judged.warnings + level_notes(judged, wanted) + (orders.notes(wanted) if orders else ())
    refuse_warnings(warnings if strict else ())
    return Values(queries=judged.queries, measures=tuple(wanted), columns=columns, policy=judged.policy, profile=profile,
                  names=judged.names, warnings=warnings, source=Provenance(judged))  # fmt: skip


# ── each measure as a function ───────────────────────────────────────────────────────────────────


@cache
def _named() -> dict[str, Definition]:
    """Names of functions: that of the formula, aliases in small letters, and the measure's own name in small letters if it is one word."""
    fitting = [d for d in definitions() if d.needs == "grades" and not d.text and d.family in _FAMILIES]
    others = ((alias, d) for d in fitting for alias in d.aliases if alias.islower())
    words = ((d.name.lower(), d) for d in fitting if d.name.isupper() or d.name.istitle())
    named = [*others, *words, *((d.function.__name__, d) for d in fitting)]
    taken = {d.name for d in fitting}  # a measure under its own name is the measure
    return {name: d for name, d in named if name.isidentifier() and len(name) > 1 and name not in taken}


def array_function(name: str) -> Callable[..., Any] | None:
    """The function of that name on labels and scores, or None."""
    definition = _named().get(name)
    return None if definition is None else _function(name, definition)


@cache
def _function(name: str, definition: Definition) -> Callable[..., Any]:
    at = definition.at

    def function(
        labels: Any, scores: Any, k: int | Iterable[int] | None = None, *, mask: Any = None, pad: float | None = None, group: Any = None,
        qid: Any = None, total_relevant: Any = None, same_kind: bool = False, ties: str = "input", empty: str = "zero", **parameters: Any,
    ) -> Any:  # fmt: skip
        several = isinstance(k, Iterable)
        if k is not None and at != "cutoff":
            raise UsageError("cutoff", f"{definition.name} without k", got=f"k={shown(k)}", value=k)
        measure = Measure(definition)(**parameters)
        wanted = [
            measure if one is None else measure(cutoff=one) for one in (list(k) if isinstance(k, Iterable) else [k])
        ]
        if not wanted:
            raise UsageError("cutoff", "at least one k", got="none", value=k)
        lists = lists_of(labels, scores, mask=mask, pad=pad, group=group, qid=qid)
        found = _scored(lists, wanted, _policy({"ties": ties, "empty": empty}), total_relevant)
        table = np.stack([found[m] for m in wanted], axis=1)
        values = table if several else table[:, 0]
        out = values[0] if lists.single else values
        if same_kind:
            return like(np.asarray(out), scores)
        return float(out) if lists.single and not several else out

    function.__name__ = function.__qualname__ = name
    function.__module__ = "judged"
    function.__doc__ = _described(definition)
    return function


def _described(d: Definition) -> str:
    parameters = "".join(
        f"\n        {name}: {spec.text}."
        for name, (spec, _) in d.parameters.items()
        if name not in ("cutoff", "judged_only", "tokens")
    )
    return inspect.cleandoc(f"""{d.description}

    {d.name}: {d.formula or d.description}. One value per list: an array, or a number for one list; several k make a column each.

    Args:
        labels: grades of the items; layouts as in `score`.
        scores: that a model gave them.
        k: the last rank that counts, or several of them.
        mask, pad, group, qid, total_relevant: as in `score`.
        same_kind: give back the kind of array that the scores are (PyTorch, JAX).
        ties: as given (`input`), `best`, `worst`, or `expected`: the mean over all orders.
        empty: the value of a list without a relevant item.{parameters}
    """)
