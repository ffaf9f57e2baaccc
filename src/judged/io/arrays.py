"""Labels and scores in arrays, tensors, sparse matrices and lists: numbers of any library, and the layouts of batches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints, is_masked_array
from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Hint, Place, UsageError, shown
from judged.io.formats.trec import raise_alone
from judged.io.text import LARGEST_GRADE
from judged.tables.table import counted

_NARROW = re.compile(r"float(8|16)")  # types of so few bits that different scores may have become equal
_NUMBERS = re.compile(r"(?:torch\.)?b?(?:float|double|half|u?int)\d*(?:_\w+)?(?:\[\w+\])?", re.IGNORECASE)


# ── numbers ──────────────────────────────────────────────────────────────────────────────────────


def as_numbers(source: Any, name: str) -> NDArray[Any]:
    """Return the numbers of an array, a tensor, a column or nested lists of one shape, without a copy if possible.

    A tensor on another device is copied to the host, without its gradient.

    Raises:
        DataError: values that are not numbers, masked values, a device without data.

    >>> as_numbers([[1, 0], [2, 1]], "labels").shape
    (2, 2)
    """
    if is_masked_array(source) and np.ma.is_masked(source):
        count = int(np.ma.getmaskarray(source).sum())
        hint = Hint("pass the mask as {mask} (True for items)", mask=None)
        raise DataError("form", f"{counted(count, 'value is', 'values are')} masked", where=name, hint=hint)
    try:
        array = _host(source)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise DataError("dtype", f"{name} are not an array of numbers: {shown(str(error), 200)}", where=name) from error
    if array.dtype.kind == "V":  # bfloat16 and others that NumPy does not have
        array = array.astype(np.float32)
    if array.dtype.kind not in "biuf":
        cast = "cast them, for example with .astype(float)"
        raise DataError("dtype", f"{name} as numbers", got=f"an array of {array.dtype}", where=name, hint=cast)
    return array


def _host(source: Any) -> NDArray[Any]:
    """Return an array in the memory of the host."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "torch":
        if source.device.type == "meta":
            raise ValueError("a tensor on the device meta has no data")
        host = source.detach().to_dense().cpu() if source.is_sparse else source.detach().cpu()
        # NumPy has only one of the short types; float32 holds all.
        return np.asarray((host.float() if _NARROW.search(str(host.dtype)) else host).numpy())
    if kind == "cupy":
        return np.asarray(source.get())
    if not isinstance(source, np.ndarray) and not hasattr(source, "__array__") and hasattr(source, "__dlpack__"):
        return np.from_dlpack(source)
    return np.asarray(source)


def distinct_as_floats(array: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the same order, of which two are equal as doubles only if they are equal: integers beyond 2^53 become their places."""
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size > 0
    if not wide or max(int(array.max()), -int(array.min())) <= 2**53:
        return array
    return np.unique(array, return_inverse=True)[1].reshape(array.shape)


def is_sparse(source: Any) -> bool:
    """Return whether this is a sparse matrix of SciPy; its type says so, since a frame of Spark Connect has every attribute."""
    return hasattr(type(source), "tocsr") and hasattr(type(source), "nnz")


def like(values: NDArray[np.float64], source: Any) -> Any:
    """Return the values as a tensor of PyTorch or an array of JAX, on the device of the source, if it is one; otherwise unchanged."""
    kind = type(source).__module__.partition(".")[0]
    if kind == "torch":
        import torch

        return torch.from_numpy(np.array(values)).to(source.device)
    if kind in ("jax", "jaxlib"):
        import jax.numpy as jnp

        return jnp.asarray(values)
    return values


# ── scores that belong to labels ──────────────────────────────────────────────────────────────────


def is_column(source: Any) -> bool:
    """Return whether this is a flat sequence of numbers without ids."""
    if isinstance(source, list | tuple):
        first = source[0] if source else None
        return isinstance(first, int | float | np.number) and not isinstance(first, bool)
    shape = getattr(source, "shape", None)
    flat = (
        len(shape) == 1 if isinstance(shape, tuple) else hasattr(source, "null_count")
    )  # Arrow's columns have no shape
    return flat and _has_numbers(source)


def _has_numbers(source: Any) -> bool:
    kind = getattr(source, "dtype", None) or getattr(source, "type", None)
    return _NUMBERS.fullmatch(str(kind)) is not None


def is_number_matrix(source: Any) -> bool:
    """Return whether this is an array of two dimensions, or a sparse matrix, of numbers or booleans."""
    shape = getattr(source, "shape", None)
    flags = str(getattr(source, "dtype", None)).endswith("bool")
    return is_sparse(source) or (isinstance(shape, tuple) and len(shape) == 2 and (flags or _has_numbers(source)))


def is_matrix_without_ids(source: Any, columns: tuple[int, ...]) -> bool:
    """Return whether this is a matrix with another number of columns than rows of ids and a number have."""
    return is_number_matrix(source) and (is_sparse(source) or source.shape[1] not in columns)


def read_score_column(source: Any) -> ScoreColumn:
    """Return the scores, for labels in the same order."""
    score = np.asarray(as_numbers(source, "run"), np.float64)
    if score.ndim != 1:
        raise DataError("label", "one score for each label", got=f"an array of shape {score.shape}", where="run")
    lost = np.flatnonzero(np.isnan(score))
    if len(lost):
        hint = "find out where the number is missing; NaN cannot be ranked"
        raise DataError("score-nan", "score is NaN", where=_place(int(lost[0])), hint=hint)
    return ScoreColumn(name="run", read=partial(raise_alone, "run"), score=score, where=_place)


def _place(row: int) -> Place:
    return Place(f"run[{row}]")


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


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


def lists_of(
    labels: Any, scores: Any, *, mask: Any = None, pad: float | None = None, group: Any = None, qid: Any = None
) -> ArrayLists:
    """Return the lists of a batch.

    One list is two columns. Without scores (None), the order of each list is the ranking. Several lists are two tables with one row per list, where `mask` is True for items and `pad` is the
    label of padding; columns with the sizes of the lists (`group`) or the list of each item (`qid`, in any order); lists of
    columns of different lengths; or sparse matrices, where items that are not stored are not ranked or not relevant.
    """
    scores = _best_first(labels) if scores is None else scores
    options = [name for name, value in (("group", group), ("qid", qid)) if value is not None]
    if len(options) > 1:
        raise UsageError("layout", "group and qid exclude each other", hint="omit one of them")
    options += [name for name, value in (("mask", mask), ("pad", pad)) if value is not None]
    if is_sparse(labels) or is_sparse(scores):
        if options:
            raise UsageError("layout", f"sparse matrices do not take {options[0]}")
        return _check(_of_sparse(labels, scores))
    if _is_ragged(labels) or _is_ragged(scores):
        if options:
            raise UsageError("layout", f"lists of different lengths do not take {options[0]}")
        labels, scores, group = _join(labels, scores)
    label, score = as_numbers(labels, "labels"), distinct_as_floats(as_numbers(scores, "scores"))
    if label.shape != score.shape:
        raise DataError("shape", "labels and scores of the same shape", got=f"{label.shape} and {score.shape}")
    kept = _find_items(label, mask, pad)
    single = label.ndim == 1 and group is None and qid is None
    names: tuple[Any, ...] | None = None
    if label.ndim == 2 and group is None and qid is None:
        sizes = np.full(len(label), label.shape[1])
    elif label.ndim != 1:
        expected = "columns, or tables with one row per list" if group is None and qid is None else "columns"
        hint = "reshape them to one row per list"
        raise DataError("shape", expected, got=f"an array of {label.ndim} dimensions", hint=hint)
    elif qid is not None:
        owner, names = _owners(qid, len(label))
        order = np.argsort(owner, kind="stable")
        label, score, kept = label[order], score[order], None if kept is None else kept[order]
        sizes = np.bincount(owner, minlength=len(names))
    else:
        sizes = np.array([len(label)]) if group is None else _sizes(group, len(label))
    if kept is not None:
        owner = np.repeat(np.arange(len(sizes)), sizes)[kept.reshape(-1)]
        label, score, sizes = label[kept], score[kept], np.bincount(owner, minlength=len(sizes))
    label, score = (np.ascontiguousarray(column, np.float64).reshape(-1) for column in (label, score))
    return _check(ArrayLists(label, score, sizes, tuple(range(len(sizes))) if names is None else names, single))


def _best_first(labels: Any) -> Any:
    """Return scores that keep the order of each list."""
    if is_sparse(labels):
        raise UsageError("layout", "sparse labels have no order", hint=Hint("pass {scores}", scores=None))
    if _is_ragged(labels):
        return list(map(_best_first, labels))
    shape = as_numbers(labels, "labels").shape
    return np.broadcast_to(-np.arange(shape[-1], dtype=np.float64), shape) if shape else labels


def _is_ragged(source: Any) -> bool:
    """Return whether this is a list of columns of different lengths."""
    return isinstance(source, list | tuple) and all(map(_is_column, source)) and len(set(map(len, source))) > 1


def _is_column(source: Any) -> bool:
    return bool(hasattr(source, "__len__") and not isinstance(source, str | bytes) and getattr(source, "ndim", 1))


def _join(labels: Any, scores: Any) -> tuple[Floats, Floats, Ints]:
    """Return lists of columns as columns, and the sizes of the lists."""
    sizes = [
        [len(one) if _is_column(one) else -1 for one in side] if isinstance(side, list | tuple) else []
        for side in (labels, scores)
    ]
    if sizes[0] != sizes[1]:
        raise DataError("shape", "labels and scores are lists of different lengths")
    label, score = (
        np.concatenate([as_numbers(one, name) for one in side if len(one)] or [np.empty(0)])
        for name, side in (("labels", labels), ("scores", scores))
    )
    return label, score, np.array(sizes[0])


def _find_items(label: NDArray[Any], mask: Any, pad: float | None) -> Bools | None:
    """Return the mask of the items; None if nothing is masked."""
    kept = None
    if mask is not None:
        kept = as_numbers(mask, "mask")
        if kept.shape != label.shape:
            raise DataError("shape", f"mask and labels have different shapes: {kept.shape} and {label.shape}")
        if kept.dtype.kind != "b" and not np.isin(kept, (0, 1)).all():
            raise DataError("shape", "True for items, False for padding", got=shown(kept.ravel()[:5].tolist()))
        kept = kept.astype(bool)
    if pad is None:
        return kept
    if as_numbers(pad, "pad").ndim:
        raise DataError("shape", "one label", got=shown(pad), where="pad")
    items = ~np.isnan(label) if pad != pad else label != pad
    return items if kept is None else kept & items


def _owners(qid: Any, size: int) -> tuple[Ints, tuple[Any, ...]]:
    """Return the list of each item, and the ids of the lists in order."""
    problem = "qids of one type, none missing"
    if type(qid).__module__.startswith(("torch", "jax")):
        ids = as_numbers(qid, "qid")
    else:  # texts as objects: in an array of text numbers become texts, and NUL at the end is dropped
        texts = isinstance(qid, list | tuple) and any(isinstance(one, str) for one in qid)
        try:
            ids = np.asarray(qid, object if texts else None)
        except ValueError as error:  # lists of different lengths
            raise DataError("id-type", problem) from error
    if ids.shape != (size,):
        raise DataError("shape", "one qid per item", got=f"{ids.shape} for {size} items")
    try:
        if (ids != ids).any():
            raise DataError("id-type", problem)
        names, owner = np.unique(ids, return_inverse=True)
    except TypeError as error:
        raise DataError("id-type", problem) from error
    return owner.reshape(-1).astype(np.int64), tuple(names.tolist())


def _sizes(group: Any, size: int) -> Ints:
    sizes = as_numbers(group, "group")
    if sizes.ndim != 1 or (sizes < 0).any() or (sizes != np.floor(sizes)).any():
        raise DataError("group", "sizes of lists, integers ≥ 0", got=shown(sizes.ravel()[:5].tolist()))
    if (total := sizes.sum()) != size:
        problem = f"the sizes add up to {total:.0f}, but there are {size} items"
        raise DataError("group", problem, hint=Hint("if they are list ids, one per item, use {qid}", qid=None))
    return sizes.astype(np.int64)


def _check(lists: ArrayLists) -> ArrayLists:
    """Check that every label and score is a number; an error names the first that is not."""
    if not len(lists.sizes) or (lists.single and not len(lists.label)):
        raise DataError("empty-run", "no list has an item")
    # The least and the greatest are NaN if any number is: one pass in the usual case.
    least, greatest = np.minimum.reduce(lists.label, initial=0.0), np.maximum.reduce(lists.label, initial=0.0)
    score = np.minimum.reduce(lists.score, initial=0.0)
    if not (least >= 0 and greatest <= LARGEST_GRADE and score == score):
        _raise_wrong(lists)
    return lists


def _raise_wrong(lists: ArrayLists) -> NoReturn:
    """Raise for the first label or score that is not a number of its range."""
    label, score = lists.label, lists.score
    cases = (
        ("score-nan", "labels as finite numbers", label, ~np.isfinite(label)),
        ("score-nan", "scores as finite numbers", score, np.isnan(score)),
        ("label", "labels ≥ 0", label, label < 0),
        ("grade-type", "labels up to 2**53", label, label > LARGEST_GRADE),
    )
    slug, expected, column, wrong = next(case for case in cases if case[3].any())
    at = int(np.argmax(wrong))
    owner = int(np.searchsorted(np.cumsum(lists.sizes), at, "right"))
    value, where = column[at].item(), f"list {lists.names[owner]!r}"
    got = f"{shown(value)} ({int(wrong.sum())} of {len(column)} values)"
    hint = "leave out items of padding; check that labels and scores are not swapped"
    raise DataError(slug, expected, got=got, where=where, value=value, hint=hint)


# ── sparse matrices of users and items ───────────────────────────────────────────────────────────


def _of_sparse(labels: Any, scores: Any) -> ArrayLists:
    """Return the lists of sparse matrices.

    Of sparse scores the stored ones are ranked, zeros too; of dense scores all. A label that is not stored is 0.
    """
    if labels.shape != scores.shape:
        raise DataError("shape", "labels and scores of the same shape", got=f"{labels.shape} and {scores.shape}")
    rows, items = labels.shape
    (judged, grade), (ranked, score) = _cells(labels), _cells(scores)
    at = np.searchsorted(ranked, judged)
    listed = np.append(ranked, -1)[at] == judged
    label = np.zeros(len(ranked))
    label[at[listed]] = grade[listed]
    absent = np.bincount((judged // max(items, 1))[(grade > 0) & ~listed], minlength=rows)
    sizes = np.bincount(ranked // max(items, 1), minlength=rows)
    return ArrayLists(label, score, sizes, tuple(range(rows)), absent=absent)


def _cells(matrix: Any) -> tuple[Ints, Floats]:
    """Return the numbers of the cells that a matrix has, in order and each once, and their values."""
    if not is_sparse(matrix):
        return np.arange(matrix.shape[0] * matrix.shape[1]), as_numbers(matrix, "matrix").astype(float).reshape(-1)
    stored = matrix.tocsr().copy()
    stored.sum_duplicates()  # and sorts
    rows = np.repeat(np.arange(stored.shape[0]), np.diff(stored.indptr))
    return rows * stored.shape[1] + stored.indices, as_numbers(stored.data, "stored values").astype(float)
