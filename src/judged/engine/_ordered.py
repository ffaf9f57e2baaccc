"""Two orders of items in whatever form they were given, as two sides to be paired."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np

from judged.correlation import numbers, with_scores
from judged.core import Run, Unread
from judged.engine._paired import Documents, Paired, Side, paired, paired_runs, some
from judged.engine.values import Values
from judged.errors import DataError, Place, UsageError, Warned, shown
from judged.sources import read_run, read_text

__all__ = ["Kind", "ordered", "read_scores"]

Kind = Literal["runs", "items", "scores", "rankings"]

_ROUNDING = 1e-12  # of a score: what adding up in another order may change

_ACCEPTED = (
    "two runs (paths, frames, {query: {doc: score}} …), two mappings {name: number}, two columns of numbers, or two "
    "lists of ids"
)


def ordered(a: Any, b: Any, depth: int | None, documents: Documents) -> tuple[Kind, tuple[str, str], Paired]:
    """What was given, what to call the two, and both laid side by side."""
    if b is None:
        return "scores", *_of_frame(a, depth, documents)
    first, second = _kind(a), _kind(b)
    if first == second == "runs":
        left, right = read_run(a), read_run(b)
        names = (left.name, right.name) if left.name != right.name else (f"{left.name} (a)", f"{right.name} (b)")
        left, right = replace(left, name=names[0]), replace(right, name=names[1])
        return "runs", names, paired_runs(left, right, depth, documents)
    if "runs" in (first, second) or (first != second and "scores" in (first, second)):
        _refuse(f"{_what(a, first)} and {_what(b, second)}")
    if first == second == "scores":
        return "scores", ("a", "b"), _aligned(numbers(a, "a"), numbers(b, "b"), depth, documents)
    kind: Kind = "items" if first == second == "items" else "rankings"
    return kind, ("a", "b"), _by_name(a, b, depth, documents)


def _kind(source: Any) -> Kind:
    if isinstance(source, Values) or _is_series(source):
        return "items"
    if isinstance(source, Mapping):
        return "items" if source and all(map(_is_number, source.values())) else "runs"
    if isinstance(source, str | bytes | os.PathLike | Run | Unread):
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
    return (
        type(source).__module__.partition(".")[0] == "pandas"
        and hasattr(source, "index")
        and not hasattr(source, "columns")
    )


def _what(source: Any, kind: Kind) -> str:
    words = {
        "runs": "a run",
        "items": "a mapping {name: number}",
        "scores": "a column of numbers",
        "rankings": "a list of ids",
    }
    return f"{words[kind]} ({type(source).__name__})"


def _refuse(got: str) -> NoReturn:
    raise UsageError("form", _ACCEPTED, got=got, hint="give both in the same form")


# ── orders of items ──────────────────────────────────────────────────────────────────────────────


def _aligned(x: Any, y: Any, depth: int | None, documents: Documents) -> Paired:
    if len(x) != len(y):
        raise DataError("lengths", "two columns of one length", got=f"{len(x)} and {len(y)} values",
                        hint="the i-th value of both belongs to the same item; {name: number} is aligned by name")  # fmt: skip
    zero, row = np.zeros(len(x), np.int64), np.arange(len(x))
    found = paired(Side(zero, x), Side(zero, y), row, row, 1, depth, documents)
    return replace(found, warnings=_near_ties(x, y))


def _near_ties(x: Any, y: Any) -> tuple[Warned, ...]:
    """Means that are equal on paper may differ in the last bits, which makes an order out of a tie."""
    near = 0
    for score in (np.sort(x[np.isfinite(x)]), np.sort(y[np.isfinite(y)])):
        step = np.diff(score)
        near += int(((step > 0) & (step <= _ROUNDING * np.abs(score[1:]))).sum())
    text = f"{near} {'score differs' if near == 1 else 'scores differ'} from the next by a rounding only; round them if they are tied"
    return (Warned("near-ties", near, text),) if near else ()


def _by_name(a: Any, b: Any, depth: int | None, documents: Documents) -> Paired:
    (a_ids, x), (b_ids, y) = with_scores(_named(a, "a"), "a"), with_scores(_named(b, "b"), "b")
    row = {item: i for i, item in enumerate(b_ids)}
    pairs = [(i, row[item]) for i, item in enumerate(a_ids) if item in row]
    if not pairs:
        raise DataError("no-common-item", f"items of a ({some(a_ids)})", got=f"only others ({some(b_ids)})", where="b",
                        hint="are the names written the same way?")  # fmt: skip
    a_at, b_at = np.array(pairs, np.int64).T
    left, right = (Side(np.zeros(len(v), np.int64), v) for v in (x, y))
    found = paired(left, right, a_at, b_at, 1, depth, documents)
    ours = set(a_ids)
    alone = [item for item in a_ids if item not in row] + [item for item in b_ids if item not in ours]
    near = _near_ties(x, y)
    if not alone or documents == "union":
        return replace(found, warnings=near)
    what = "item is" if len(alone) == 1 else "items are"
    note = Warned(
        "item-unshared",
        len(alone),
        f"{len(alone)} {what} in one order only, not in coefficients of pairs: {some(alone)}",
    )
    return replace(found, warnings=(note, *near))


def _named(source: Any, name: str) -> Any:
    """A mapping, or a ranking as it is."""
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


def _of_frame(frame: Any, depth: int | None, documents: Documents) -> tuple[tuple[str, str], Paired]:
    """A frame with a column of numbers for each of two orders; other columns are names."""
    if not hasattr(frame, "columns") or not hasattr(frame, "__getitem__"):
        _refuse(f"one {type(frame).__name__}")
    names = list(getattr(frame, "column_names", frame.columns))
    numeric = [name for name in names if np.asarray(frame[name]).dtype.kind in "iuf"]
    if len(numeric) != 2:
        raise UsageError("form", "a frame with two columns of numbers", got=f"{len(numeric)}: {some(numeric)}",
                         hint="choose two: correlate(frame[x], frame[y])")  # fmt: skip
    x, y = (numbers(np.asarray(frame[name]), str(name)) for name in numeric)
    return (str(numeric[0]), str(numeric[1])), _aligned(x, y, depth, documents)


# ── files of scores ──────────────────────────────────────────────────────────────────────────────


def read_scores(path: str | os.PathLike[str]) -> dict[str, float]:
    """{system: score} from a file: JSON, or lines of a system and its score, apart by blanks, a tab or a comma.

    A first line whose second column is no number is a header; lines that begin with # are left out.
    """
    text, name = read_text(path), os.fspath(path)
    found = _of_json(text, name) if text.lstrip()[:1] in ("{", "[") else _of_lines(text, name)
    if not found:
        raise DataError("empty-scores", "at least one system and its score", got="none", where=name)
    return found


def _of_json(text: str, name: str) -> dict[str, float]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise DataError("duplicate-key", "each system once", got=f"{shown(key)} twice", where=name, value=key)
            seen.add(key)
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError) as error:
        raise DataError("json", "a JSON object {system: score}", got=str(error), where=name) from error
    if not isinstance(data, dict):
        raise DataError("json", "a JSON object {system: score}", got=f"a {type(data).__name__}", where=name)
    for system, score in data.items():
        if not _is_number(score):
            raise DataError("score-type", f"a number for {shown(system)}", got=shown(score), where=name, value=system)
        if score != score:
            raise DataError("score-nan", f"a number for {shown(system)}", got="NaN", where=name, value=system)
    return {system: float(score) for system, score in data.items()}


def _of_lines(text: str, name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    first: dict[str, int] = {}
    header = True
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip().strip('"') for cell in line.split("\t" if "\t" in line else "," if "," in line else None)]
        place = Place(name, number)
        if len(cells) != 2:
            raise DataError("columns", "2 columns (system score)", got=f"{len(cells)}: {shown(line)}", where=place)
        try:
            score = float(cells[1])
        except ValueError as error:
            if header:
                header = False
                continue
            raise DataError(
                "score-text", f"a number for {shown(cells[0])}", got=shown(cells[1]), where=place
            ) from error
        header = False
        if score != score:
            raise DataError("score-nan", f"a number for {shown(cells[0])}", got=shown(cells[1]), where=place)
        if cells[0] in found:
            raise DataError("duplicate-key", "each system once", got=f"{shown(cells[0])} also at line {first[cells[0]]}",
                            where=place, value=cells[0])  # fmt: skip
        found[cells[0]], first[cells[0]] = score, number
    return found
