"""Two orders of items in whatever form they were given, as two sides to be paired."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.correlation.alignment import AlignedPair, Documents, Side, align, align_runs
from judged.errors import DataError, UsageError, Warned, shown
from judged.evaluation.result.values import Values
from judged.io.read import read_run
from judged.stats.rank_correlation.concordance import numbers
from judged.stats.rank_correlation.rankings import with_scores
from judged.tables.text import counted, some

__all__ = ["Kind", "read_if_run", "read_pair"]

Kind = Literal["runs", "items", "scores", "rankings"]

_KIND = {
    "runs": "a run",
    "items": "a mapping {name: number}",
    "scores": "a column of numbers",
    "rankings": "a list of ids",
}
_ROUNDING = 1e-12  # of a score: what adding up in another order may change

_ACCEPTED = (
    "two runs (paths, frames, {query: {doc: score}} …), two mappings {name: number}, two columns of numbers, or two "
    "lists of ids"
)


def read_pair(a: Any, b: Any, depth: int | None, documents: Documents) -> tuple[Kind, tuple[str, str], AlignedPair]:
    """Return what was given, the names of the two, and both aligned."""
    if b is None:
        return "scores", *_align_frame(a, depth, documents)
    first, second = _kind(a), _kind(b)
    if first == second == "runs":
        left, right = _read_run(a), _read_run(b)
        names = (left.name, right.name) if left.name != right.name else (f"{left.name} (a)", f"{right.name} (b)")
        left, right = replace(left, name=names[0]), replace(right, name=names[1])
        return "runs", names, align_runs(left, right, depth, documents)
    if "runs" in (first, second) or (first != second and "scores" in (first, second)):
        _raise_form(f"{_what(a, first)} and {_what(b, second)}")
    if first == second == "scores":
        return "scores", ("a", "b"), _align_columns(numbers(a, "a"), numbers(b, "b"), depth, documents)
    kind: Kind = "items" if first == second == "items" else "rankings"
    return kind, ("a", "b"), _align_items(a, b, depth, documents)


def read_if_run(source: Any) -> Any:
    """Read a run; return anything else as it is. What is compared several times is read only once."""
    return _read_run(source) if _kind(source) == "runs" else source


def _read_run(source: Any) -> Run:
    try:
        return read_run(source)
    except DataError as error:
        if error.slug != "swapped":
            raise
        hint = "these are judgments, and runs are compared here; `judged eval QRELS RUN` holds a run against judgments"
        raise DataError(
            error.slug, error.problem, got=error.got, hint=hint, where=error.where, value=error.value
        ) from error


def _kind(source: Any) -> Kind:
    if isinstance(source, Values) or _is_series(source):
        return "items"
    if isinstance(source, Mapping):
        return "items" if source and all(map(_is_number, source.values())) else "runs"
    if isinstance(source, str | bytes | os.PathLike | Run | UnreadRun):
        return "runs"
    if isinstance(source, tuple) and len(source) == 2 and all(isinstance(s, list | tuple | np.ndarray) for s in source):
        return "rankings" if len(source[1]) and all(map(_is_number, source[1])) else "runs"
    if isinstance(source, list | tuple) or (isinstance(source, np.ndarray) and source.dtype.kind not in "biufV"):
        if all(map(_is_number, source)):
            return "scores"
        return "rankings" if all(isinstance(s, str | bytes) for s in source) else "runs"
    column = hasattr(source, "__array__") and not hasattr(source, "columns")  # NumPy, polars, Arrow, tensors
    return "scores" if column and not getattr(getattr(source, "dtype", None), "names", None) else "runs"


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_series(source: Any) -> bool:
    pandas = type(source).__module__.partition(".")[0] == "pandas"
    return pandas and hasattr(source, "index") and not hasattr(source, "columns")


def _what(source: Any, kind: Kind) -> str:
    return f"{_KIND[kind]} ({type(source).__name__})"


def _raise_form(got: str) -> NoReturn:
    raise UsageError("form", _ACCEPTED, got=got, hint="give both in the same form")


# ── orders of items ──────────────────────────────────────────────────────────────────────────────


def _align_columns(x: Any, y: Any, depth: int | None, documents: Documents) -> AlignedPair:
    if len(x) != len(y):
        raise DataError("lengths", "two columns of one length", got=f"{len(x)} and {len(y)} values",
                        hint="the i-th value of both belongs to the same item; {name: number} is aligned by name")  # fmt: skip
    zero, row = np.zeros(len(x), np.int64), np.arange(len(x))
    found = align(Side(zero, x), Side(zero, y), row, row, 1, depth, documents)
    return replace(found, warnings=_near_ties(x, y))


def _near_ties(x: Any, y: Any) -> tuple[Warned, ...]:
    """Means that are equal on paper may differ in the last bits, which makes an order out of a tie."""
    near = 0
    for score in (np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])):
        step = np.diff(score)
        near += int(((step > 0) & (step <= _ROUNDING * np.abs(score[1:]))).sum())
    scores = counted(near, "score differs", "scores differ")
    text = f"{scores} from the next by a rounding only; round them if they are tied"
    return (Warned("near-ties", near, text),) if near else ()


def _align_items(a: Any, b: Any, depth: int | None, documents: Documents) -> AlignedPair:
    (a_ids, x), (b_ids, y) = with_scores(_as_mapping(a, "a"), "a"), with_scores(_as_mapping(b, "b"), "b")
    row = {item: i for i, item in enumerate(b_ids)}
    pairs = [(i, row[item]) for i, item in enumerate(a_ids) if item in row]
    if not pairs:
        raise DataError("no-common-item", f"items of a ({some(a_ids)})", got=f"only others ({some(b_ids)})", where="b",
                        hint="are the names written the same way?")  # fmt: skip
    a_at, b_at = np.array(pairs, np.int64).T
    left, right = (Side(np.zeros(len(v), np.int64), v) for v in (x, y))
    found = align(left, right, a_at, b_at, 1, depth, documents)
    a_items = set(a_ids)
    alone = [item for item in a_ids if item not in row] + [item for item in b_ids if item not in a_items]
    near = _near_ties(x, y)
    if not alone or documents == "union":
        return replace(found, warnings=near)
    items = counted(len(alone), "item is", "items are")
    text = f"{items} in one order only, not in coefficients of pairs: {some(alone)}"
    return replace(found, warnings=(Warned("item-unshared", len(alone), text), *near))


def _as_mapping(source: Any, name: str) -> Any:
    """Return items with their scores as a mapping, a ranking as it is."""
    if isinstance(source, Values):
        measures = [m for m in source.measures if not m.definition.text]
        if len(measures) != 1:
            raise UsageError("form", "values of one measure", got=f"{len(measures)} measures", where=name,
                             hint="correlate(x['AP'], y['AP']) takes two columns")  # fmt: skip
        source = dict(zip(source.queries, source[measures[0]].tolist(), strict=True))
    elif _is_series(source):
        if not source.index.is_unique:
            raise DataError("duplicate-key", "each name once in the index", got="a name twice", where=name)
        source = dict(zip(source.index.tolist(), source.tolist(), strict=True))
    if isinstance(source, Mapping):
        for item, value in source.items():
            if _is_number(value) and value != value:
                raise DataError("score-nan", f"a number for {shown(item)}", got="NaN", where=name, value=item,
                                hint="drop the items that have no score")  # fmt: skip
    return source


def _align_frame(frame: Any, depth: int | None, documents: Documents) -> tuple[tuple[str, str], AlignedPair]:
    """Align the two columns of numbers of a frame; other columns are names."""
    if not hasattr(frame, "columns") or not hasattr(frame, "__getitem__"):
        _raise_form(f"one {type(frame).__name__}")
    names = list(getattr(frame, "column_names", frame.columns))
    numeric = [name for name in names if np.asarray(frame[name]).dtype.kind in "iuf"]
    if len(numeric) != 2:
        raise UsageError("form", "a frame with two columns of numbers", got=f"{len(numeric)}: {some(numeric)}",
                         hint="choose two: correlate(frame[x], frame[y]); or correlate_all({x: frame[x], …})")  # fmt: skip
    x, y = (numbers(np.asarray(frame[name]), str(name)) for name in numeric)
    return (str(numeric[0]), str(numeric[1])), _align_columns(x, y, depth, documents)
