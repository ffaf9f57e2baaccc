"""Labels and scores in arrays, tensors, sparse matrices and lists: numbers of any library, and the layouts of batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints, is_masked_array
from judged.core.unread_runs import ScoreColumn
from judged.errors import DataError, Hint, Place, UsageError, Warned, shown
from judged.io.text.decimals import LARGEST_GRADE
from judged.io.text.trec import raise_alone
from judged.tables.text import counted

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
        cast, got = "cast them, for example with .astype(float)", f"an array of {array.dtype}"
        raise DataError("dtype", f"{name} as numbers", got=got, where=name, hint=cast)
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
    if kind in ("polars", "pyarrow", "pandas"):
        return np.asarray(source.to_numpy())
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
    """Return whether this is a matrix that cannot be rows of ids and a number: by the number of columns, or by fractions among the ids."""
    if not is_number_matrix(source):
        return False
    if is_sparse(source) or source.shape[1] not in columns:
        return True
    ids = as_numbers(source, "run")[:, :2]
    return bool((ids % 1 != 0).any())


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
    label, score = as_numbers(labels, "labels"), distinct_as_floats(as_numbers(scores, "scores"))
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
    return _check(lists, narrow=_NARROW.search(str(getattr(scores, "dtype", ""))) is not None)


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
        np.concatenate([as_numbers(one, name) for one in side if len(one)] or [np.empty(0)])
        for name, side in (("labels", labels), ("scores", scores))
    ]
    return columns[0], columns[1], np.array(lengths[0])


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
        raise DataError("id-type", "some qids are missing")
    if ids.dtype.kind != "O":
        names, owner = np.unique(ids, return_inverse=True)
        return owner.reshape(-1).astype(np.int64), tuple(names.tolist())
    words = ids.tolist()
    if any(one is None or one != one for one in words):
        raise DataError("id-type", "some qids are missing")
    if len(kinds := {str if isinstance(one, str) else bytes if isinstance(one, bytes) else float for one in words}) > 1:
        raise DataError("id-type", "qids of one type", got=" and ".join(sorted(kind.__name__ for kind in kinds)))
    code = {name: i for i, name in enumerate(sorted(set(words)))}
    return np.array([code[one] for one in words], np.int64), tuple(code)


def _ids(qid: Any) -> NDArray[Any]:
    """Return the ids with their types: NumPy would turn a list of texts and numbers into texts."""
    if type(qid).__module__.startswith(("torch", "jax")):
        return as_numbers(qid, "qid")
    if not isinstance(qid, list | tuple):
        return np.asarray(qid)
    plain = (
        np.asarray(qid) if all(isinstance(one, int | float | np.number) for one in qid) else np.empty(len(qid), object)
    )
    if plain.dtype.kind == "O":
        plain[:] = list(qid)
    return plain


def _sizes(group: Any, size: int) -> Ints:
    sizes = as_numbers(group, "group")
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
    # The least and the greatest are NaN if any number is: one pass in the usual case.
    least, greatest = np.minimum.reduce(lists.label, initial=0.0), np.maximum.reduce(lists.label, initial=0.0)
    score = np.minimum.reduce(lists.score, initial=0.0)
    if not (least >= 0 and greatest <= LARGEST_GRADE and score == score):
        _raise_wrong(lists)
    return lists if not narrow else _warn_narrow(lists)


def _raise_wrong(lists: ArrayLists) -> NoReturn:
    """Raise for the first label or score that is not a number of its range."""
    padded = "set {pad} or {mask} if they are padding; check that labels and scores are not swapped"
    column, hint = lists.label, Hint(padded, pad=None, mask=None)
    slug, expected, wrong = "score-nan", "labels as finite numbers", ~np.isfinite(column)
    if not wrong.any() and np.isnan(lists.score).any():
        column, hint = lists.score, Hint("mask padded items with {mask}", mask=None)
        expected, wrong = "scores as finite numbers", np.isnan(column)
    elif not wrong.any():
        slug, expected, wrong = "label", "labels ≥ 0", column < 0
        if not wrong.any():
            slug, expected, wrong = "grade-type", "labels up to 2**53", column > LARGEST_GRADE
    at = int(np.argmax(wrong))
    owner = int(np.searchsorted(np.cumsum(lists.sizes), at, "right"))
    value, where = column[at].item(), f"list {lists.names[owner]!r}"
    got = f"{shown(value)} ({int(wrong.sum())} of {len(column)} values)"
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


def _warn_narrow(lists: ArrayLists) -> ArrayLists:
    """Warn if scores of few bits are equal: with more bits they might differ."""
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    order = np.lexsort((lists.score, owner))
    same = (np.diff(lists.score[order]) == 0) & (np.diff(owner[order]) == 0)
    tied = int((np.append(same, False) | np.append(False, same)).sum())
    if not tied:
        return lists
    text = f"{tied / len(lists.score):.0%} of the scores equal another score; they have only 16 bits"
    return replace(lists, warnings=(Warned("ties", tied, text),))


# ── sparse matrices of users and items ───────────────────────────────────────────────────────────


def of_sparse(labels: Any, scores: Any) -> tuple[Floats, Floats, Ints, Ints]:
    """Return labels, scores, sizes of lists, and the number of relevant items that each list lacks.

    Of sparse scores the stored ones are ranked, zeros too; of dense scores all. A label that is not stored is 0.
    """
    if labels.shape != scores.shape:
        raise DataError("shape", "labels and scores of the same shape", got=f"{labels.shape} and {scores.shape}")
    rows, items = labels.shape
    truth = _entries(labels, items)
    if is_sparse(scores):
        ranked = _entries(scores, items)
        owner, score = ranked[0] // max(items, 1), ranked[1]
        label = _look_up(truth, ranked[0])
        sizes = np.bincount(owner, minlength=rows)
    else:
        score = as_numbers(scores, "scores").astype(float).reshape(-1)
        label = np.zeros(len(score))
        label[truth[0]] = truth[1]
        owner, sizes = np.repeat(np.arange(rows), items), np.full(rows, items)
    listed = np.bincount(owner[label > 0], minlength=rows)
    relevant = np.bincount((truth[0] // max(items, 1))[truth[1] > 0], minlength=rows)
    return label, score, sizes, relevant - listed


def _entries(matrix: Any, items: int) -> tuple[Ints, Floats]:
    """Return the stored cells, in order and each once, and their values."""
    if not is_sparse(matrix):
        dense = as_numbers(matrix, "labels").astype(float)
        cells = np.flatnonzero(dense)
        return cells, dense.reshape(-1)[cells]
    stored = matrix.tocoo()
    cells = stored.row.astype(np.int64) * items + stored.col
    values = as_numbers(stored.data, "stored values").astype(float)
    order = np.argsort(cells, kind="stable")
    cells, values = cells[order], values[order]
    new = np.ones(len(cells), bool)
    new[1:] = cells[1:] != cells[:-1]
    return cells[new], np.add.reduceat(values, np.flatnonzero(new)) if len(cells) else values


def _look_up(truth: tuple[Ints, Floats], cells: Ints) -> Floats:
    at = np.searchsorted(truth[0], cells)
    at = np.minimum(at, max(len(truth[0]) - 1, 0))
    if not len(truth[0]):
        return np.zeros(len(cells))
    return np.where(truth[0][at] == cells, truth[1][at], 0.0)
