"""Layouts of labels and scores: rows, columns with sizes or query ids, ragged lists, sparse matrices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, Hint, UsageError, Warned, shown
from judged.io.arrays.numbers import as_numbers, distinct_as_floats, is_sparse
from judged.io.arrays.sparse import of_sparse
from judged.io.text.decimals import LARGEST_GRADE


@dataclass(frozen=True, slots=True, eq=False)
class ArrayLists:
    """The items of all lists, one list after the other: labels and scores, the sizes and the names of the lists.

    `single`: the input was one list, not a batch. `absent`: the number of relevant items that a list lacks, if known.
    """

    label: Floats
    score: Floats
    sizes: Ints
    names: tuple[Any, ...]
    single: bool = False
    absent: Ints | None = None
    warnings: tuple[Warned, ...] = ()


def lists_of(
    labels: Any, scores: Any, *, mask: Any = None, pad: float | None = None, group: Any = None, qid: Any = None
) -> ArrayLists:
    """Return the lists of a batch.

    One list is two columns. Several lists are two tables with one row per list, where `mask` is True for items and `pad` is the
    label of padding; columns with the sizes of the lists (`group`) or the list of each item (`qid`, in any order); lists of
    columns of different lengths; or sparse matrices, where items that are not stored are not ranked or not relevant.
    """
    options = [name for name, value in (("group", group), ("qid", qid)) if value is not None]
    if len(options) > 1:
        raise UsageError("layout", "group and qid exclude each other", hint="omit one of them")
    if is_sparse(labels) or is_sparse(scores):
        if options or mask is not None or pad is not None:
            raise UsageError("layout", f"sparse matrices do not take {(options or ['mask or pad'])[0]}")
        label, score, sizes, absent = of_sparse(labels, scores)
        return _check(ArrayLists(label, score, sizes, tuple(range(len(sizes))), absent=absent), narrow=False)
    if _is_ragged(labels) or _is_ragged(scores):
        labels, scores, group = _join(labels, scores, options or (mask is not None and ["mask"]))
    first, second = as_numbers(labels, "labels"), as_numbers(scores, "scores")
    label, score = first.values, distinct_as_floats(second.values)
    if label.shape != score.shape:
        raise DataError("shape", "labels and scores of the same shape", got=f"{label.shape} and {score.shape}")
    kept = _find_items(label, mask, pad)
    if label.ndim == 2 and not options:
        lists = _rows(label, score, kept)
    elif label.ndim == 1:
        lists = _columns(label, score, kept, group, qid)
    else:
        raise DataError(
            "shape",
            f"columns with {options[0]}" if options else "columns, or tables with one row per list",
            got=f"an array of {label.ndim} dimensions",
            hint="reshape them to one row per list",
        )
    return _check(lists, narrow=second.narrow)


def _is_ragged(source: Any) -> bool:
    """Return whether this is a list of columns of different lengths."""
    return isinstance(source, list | tuple) and all(map(_is_column, source)) and len(set(map(len, source))) > 1


def _is_column(source: Any) -> bool:
    return bool(hasattr(source, "__len__") and not isinstance(source, str | bytes) and getattr(source, "ndim", 1))


def _join(labels: Any, scores: Any, options: Any) -> tuple[Floats, Floats, Ints]:
    if options:
        raise UsageError("layout", f"lists of different lengths do not take {options[0]}")
    lengths = [list(map(len, side)) if isinstance(side, list | tuple) else None for side in (labels, scores)]
    if lengths[0] is None or lengths[1] is None or len(lengths[0]) != len(lengths[1]):
        raise DataError("shape", f"{len(labels)} lists of labels, but {len(scores)} of scores")
    for i, (ours, theirs) in enumerate(zip(*lengths, strict=True)):
        if ours != theirs:
            raise DataError("shape", f"{ours} labels, but {theirs} scores", where=f"list {i}")
    columns = [
        np.concatenate([as_numbers(one, name).values for one in side if len(one)] or [np.empty(0)])
        for name, side in (("labels", labels), ("scores", scores))
    ]
    return columns[0], columns[1], np.array(lengths[0])


def _find_items(label: NDArray[Any], mask: Any, pad: float | None) -> Bools | None:
    """Return the mask of the items; None if nothing is masked."""
    kept = None
    if mask is not None:
        kept = as_numbers(mask, "mask").values
        if kept.shape != label.shape:
            raise DataError("shape", f"mask and labels have different shapes: {kept.shape} and {label.shape}")
        if kept.dtype.kind != "b" and not np.isin(kept, (0, 1)).all():
            raise DataError("mask", "True for items, False for padding", got=shown(kept.ravel()[:5].tolist()))
        kept = kept.astype(bool)
    if pad is None:
        return kept
    items = ~np.isnan(label) if pad != pad else label != pad
    return items if kept is None else kept & items


def _rows(label: NDArray[Any], score: NDArray[Any], kept: Bools | None) -> ArrayLists:
    names = tuple(range(len(label)))
    if kept is None:
        sizes = np.full(len(label), label.shape[1])
        return ArrayLists(_flat(label), _flat(score), sizes, names)
    return ArrayLists(_flat(label[kept]), _flat(score[kept]), kept.sum(axis=1), names)


def _columns(label: NDArray[Any], score: NDArray[Any], kept: Bools | None, group: Any, qid: Any) -> ArrayLists:
    if qid is not None:
        owner, names = _owners(qid, len(label))
        order = np.argsort(owner, kind="stable")
        label, score, owner = label[order], score[order], owner[order]
        kept = None if kept is None else kept[order]
    else:
        sizes = np.array([len(label)]) if group is None else _sizes(group, len(label))
        owner, names = np.repeat(np.arange(len(sizes)), sizes), tuple(range(len(sizes)))
    if kept is not None:
        label, score, owner = label[kept], score[kept], owner[kept]
    sizes = np.bincount(owner, minlength=len(names))
    return ArrayLists(_flat(label), _flat(score), sizes, names, single=group is None and qid is None)


def _owners(qid: Any, size: int) -> tuple[Ints, tuple[Any, ...]]:
    ids = _ids(qid)
    if ids.shape != (size,):
        raise DataError("shape", "one qid per item", got=f"{ids.shape} for {size} items")
    if ids.dtype.kind == "f" and np.isnan(ids).any():
        raise DataError("id-null", "some qids are missing")
    if ids.dtype.kind != "O":
        names, owner = np.unique(ids, return_inverse=True)
        return owner.reshape(-1).astype(np.int64), tuple(names.tolist())
    words = ids.tolist()
    if any(one is None or one != one for one in words):
        raise DataError("id-null", "some qids are missing")
    if len(kinds := {str if isinstance(one, str) else bytes if isinstance(one, bytes) else float for one in words}) > 1:
        raise DataError("id-type", "qids of one type", got=" and ".join(sorted(kind.__name__ for kind in kinds)))
    code = {name: i for i, name in enumerate(sorted(set(words)))}
    return np.array([code[one] for one in words], np.int64), tuple(code)


def _ids(qid: Any) -> NDArray[Any]:
    """Return the ids with their types: NumPy would turn a list of texts and numbers into texts."""
    if type(qid).__module__.startswith(("torch", "jax")):
        return as_numbers(qid, "qid").values
    if not isinstance(qid, list | tuple):
        return np.asarray(qid)
    plain = (
        np.asarray(qid) if all(isinstance(one, int | float | np.number) for one in qid) else np.empty(len(qid), object)
    )
    if plain.dtype.kind == "O":
        plain[:] = list(qid)
    return plain


def _sizes(group: Any, size: int) -> Ints:
    sizes = as_numbers(group, "group").values
    if sizes.ndim != 1 or (sizes < 0).any() or (sizes != np.floor(sizes)).any():
        raise DataError("group", "sizes of lists, integers ≥ 0", got=shown(sizes.ravel()[:5].tolist()))
    if int(sizes.sum()) != size:
        raise DataError(
            "group",
            f"the sizes add up to {int(sizes.sum())}, but there are {size} items",
            hint=Hint("if they are list ids, one per item, use {qid}", qid=None),
        )
    return sizes.astype(np.int64)


def _flat(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, np.float64).reshape(-1)


def _check(lists: ArrayLists, *, narrow: bool) -> ArrayLists:
    """Check that every label and score is a number; an error names the first that is not."""
    if not len(lists.sizes) or (lists.single and not len(lists.label)):
        raise DataError("empty-run", "no list has an item")
    if not _are_fine(lists):
        _check_each(lists)
    return lists if not narrow else _narrow(lists)


def _are_fine(lists: ArrayLists) -> bool:
    """Return whether no label or score is wrong; the least and the greatest are NaN if any is."""
    least, greatest = np.minimum.reduce(lists.label, initial=0.0), np.maximum.reduce(lists.label, initial=0.0)
    score = np.minimum.reduce(lists.score, initial=0.0)
    return bool(least >= 0 and greatest <= LARGEST_GRADE and score == score)


def _check_each(lists: ArrayLists) -> None:
    for name, column, fine in (
        ("labels", lists.label, np.isfinite(lists.label)),
        ("scores", lists.score, ~np.isnan(lists.score)),
    ):
        if not fine.all():
            _raise(lists, name, column, int(np.argmin(fine)), int((~fine).sum()))
    if (lists.label < 0).any():
        _raise(lists, "labels", lists.label, int(np.argmax(lists.label < 0)), int((lists.label < 0).sum()))
    if (lists.label > LARGEST_GRADE).any():
        _raise(lists, "labels", lists.label, int(np.argmax(lists.label)), int((lists.label > LARGEST_GRADE).sum()))


def _raise(lists: ArrayLists, name: str, column: Floats, at: int, count: int) -> NoReturn:
    owner = int(np.searchsorted(np.cumsum(lists.sizes), at, "right"))
    value = column[at].item()
    slug, expected = "nan", f"{name} as finite numbers"
    hint = Hint("mask padded items with {mask}", mask=None)
    if name == "labels":
        slug, expected = ("label-negative", "labels ≥ 0") if value < 0 else (slug, expected)
        slug, expected = ("grade-range", "labels up to 2**53") if value > LARGEST_GRADE else (slug, expected)
        hint = Hint(
            "set {pad} or {mask} if they are padding; check that labels and scores are not swapped", pad=None, mask=None
        )
    got, where = f"{shown(value)} ({count} of {len(column)} values)", f"list {lists.names[owner]!r}"
    raise DataError(slug, expected, got=got, where=where, value=value, hint=hint)


@contextmanager
def without_padding() -> Iterator[None]:
    """Let errors of a caller that takes neither `mask` nor `pad` not name them."""
    try:
        yield
    except DataError as error:
        if error.hint is None or not {"mask", "pad"} & dict(error.hint.options).keys():
            raise
        raise error.changed(hint="correct these values, or leave the items out") from None


def _narrow(lists: ArrayLists) -> ArrayLists:
    """Warn if scores of few bits are equal: with more bits they might differ."""
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    order = np.lexsort((lists.score, owner))
    same = (np.diff(lists.score[order]) == 0) & (np.diff(owner[order]) == 0)
    tied = int((np.append(same, False) | np.append(False, same)).sum())
    if not tied:
        return lists
    text = f"{tied / len(lists.score):.0%} of the scores equal another score; they have only 16 bits"
    return replace(lists, warnings=(Warned("low-precision", tied, text),))
