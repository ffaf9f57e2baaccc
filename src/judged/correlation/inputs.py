"""Read two rankings of any kind as two aligned sides."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.correlation.alignment import AlignedPair, Documents, Side, align, align_runs
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.evaluation.model_judgments import check_no_model
from judged.evaluation.values import Values
from judged.io.questions import read_questions
from judged.io.read import read_run
from judged.io.recognise import recognise
from judged.io.run_names import short_names
from judged.stats.rank_correlation.concordance import numbers
from judged.stats.rank_correlation.rankings import with_scores
from judged.tables.text import counted, some

Kind = Literal["runs", "items", "scores", "rankings"]

_KIND = {
    "runs": "a run",
    "items": "a mapping {name: number}",
    "scores": "a column of numbers",
    "rankings": "a list of ids",
}
_ROUNDING = 1e-12  # relative to a score: error of adding in another order


def read_pair(a: Any, b: Any, depth: int | None, documents: Documents) -> tuple[Kind, tuple[str, str], AlignedPair]:
    """Return the kind of input, the names of both sides, and the aligned pair."""
    if b is None:
        return "scores", *_align_frame(a, depth, documents)
    first, second = _kind(a), _kind(b)
    if first == second == "runs":
        left, right = _read_run(a), _read_run(b)
        if left.name == right.name:
            left, right = replace(left, name=f"{left.name} (a)"), replace(right, name=f"{right.name} (b)")
        first_name, second_name = short_names([left.name, right.name])
        return "runs", (first_name, second_name), align_runs(left, right, depth, documents)
    if "runs" in (first, second) or (first != second and "scores" in (first, second)):
        kinds = [f"{_KIND[kind]} ({type(source).__name__})" for source, kind in ((a, first), (b, second))]
        raise UsageError("form", f"cannot correlate {kinds[0]} with {kinds[1]}", hint="use the same kind on both sides")
    if first == second == "scores":
        return "scores", ("a", "b"), _align_columns(numbers(a, "a"), numbers(b, "b"), depth, documents)
    kind: Kind = "items" if first == second == "items" else "rankings"
    return kind, ("a", "b"), _align_items(a, b, depth, documents)


def read_if_run(source: Any) -> Any:
    """Read a run, so that it is read only once; return anything else unchanged."""
    return _read_run(source) if _kind(source) == "runs" else source


def _read_run(source: Any) -> Run:
    """Read a run; of questions, which contain judgments too, the rankings are used."""
    source = recognise(source)
    if source.kind == "questions":
        return read_questions(source).run
    try:
        return read_run(source)
    except DataError as error:
        if error.slug != "swapped":
            raise
        raise error.changed(hint="pass two runs, without judgments") from error


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


# ── orders of items ──────────────────────────────────────────────────────────────────────────────


def _align_columns(x: Any, y: Any, depth: int | None, documents: Documents) -> AlignedPair:
    if len(x) != len(y):
        raise DataError(
            "lengths",
            f"columns have different lengths: {len(x)} and {len(y)}",
            hint="align them by name as {name: number}",
        )
    zero, row = np.zeros(len(x), np.int64), np.arange(len(x))
    aligned = align(Side(zero, x), Side(zero, y), row, row, 1, depth, documents)
    return replace(aligned, warnings=_near_ties(x, y))


def _near_ties(x: Any, y: Any) -> tuple[Warned, ...]:
    """Warn about scores that differ by rounding only, since such means may be ties."""
    near = 0
    for score in (np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])):
        step = np.diff(score)
        near += int(((step > 0) & (step <= _ROUNDING * np.abs(score[1:]))).sum())
    scores = counted(near, "score differs", "scores differ")
    text = f"{scores} from the next one by rounding only"
    return (Warned("near-ties", near, text, Hint("round the scores if they are tied")),) if near else ()


def _align_items(a: Any, b: Any, depth: int | None, documents: Documents) -> AlignedPair:
    (a_ids, x), (b_ids, y) = with_scores(_as_mapping(a, "a"), "a"), with_scores(_as_mapping(b, "b"), "b")
    row = {item: i for i, item in enumerate(b_ids)}
    pairs = [(i, row[item]) for i, item in enumerate(a_ids) if item in row]
    if not pairs:
        problem = f"rankings have no item in common (a: {some(a_ids)}; b: {some(b_ids)})"
        raise DataError("no-common-item", problem, where="b", hint="check the spelling of the names")
    a_at, b_at = np.array(pairs, np.int64).T
    left, right = (Side(np.zeros(len(v), np.int64), v) for v in (x, y))
    aligned = align(left, right, a_at, b_at, 1, depth, documents)
    a_items = set(a_ids)
    alone = [item for item in a_ids if item not in row] + [item for item in b_ids if item not in a_items]
    near = _near_ties(x, y)
    if not alone or documents == "union":
        return replace(aligned, warnings=near)
    items = counted(len(alone), "item is", "items are")
    text = f"{items} in one order only, excluded from coefficients of pairs: {some(alone)}"
    return replace(aligned, warnings=(Warned("item-unshared", len(alone), text), *near))


def _as_mapping(source: Any, name: str) -> Any:
    """Return items with scores as a mapping, and a ranking unchanged."""
    if isinstance(source, Values):
        check_no_model(source, "a correlation")
        measures = [m for m in source.measures if not m.definition.text]
        if len(measures) != 1:
            hint = "select one, such as correlate(x['AP'], y['AP'])"
            raise UsageError("form", f"values have {len(measures)} measures, not one", where=name, hint=hint)
        source = dict(zip(source.queries, source[measures[0]].tolist(), strict=True))
    elif _is_series(source):
        if not source.index.is_unique:
            raise DataError("duplicate-key", "the index has duplicate names", where=name)
        source = dict(zip(source.index.tolist(), source.tolist(), strict=True))
    if isinstance(source, Mapping):
        for item, value in source.items():
            if _is_number(value) and value != value:
                raise DataError(
                    "score-nan",
                    f"the score of {shown(item)} is NaN",
                    where=name,
                    value=item,
                    hint="drop items without a score",
                )
    return source


def _align_frame(frame: Any, depth: int | None, documents: Documents) -> tuple[tuple[str, str], AlignedPair]:
    """Align the two numeric columns of a frame."""
    if not hasattr(frame, "columns") or not hasattr(frame, "__getitem__"):
        raise UsageError("form", f"correlate needs two rankings, got one {type(frame).__name__}")
    names = list(getattr(frame, "column_names", frame.columns))
    numeric = [name for name in names if np.asarray(frame[name]).dtype.kind in "iuf"]
    if len(numeric) != 2:
        problem = f"the frame has {len(numeric)} numeric columns, not two: {some(numeric)}"
        raise UsageError("form", problem, hint="select two, such as correlate(frame[x], frame[y])")
    x, y = (numbers(np.asarray(frame[name]), str(name)) for name in numeric)
    return (str(numeric[0]), str(numeric[1])), _align_columns(x, y, depth, documents)
