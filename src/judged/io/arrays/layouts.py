"""Labels and scores in the layouts that people keep them in, as lists of items one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from judged._types import Bools, Floats, Ints
from judged.errors import DataError, UsageError, Warned, shown
from judged.io.arrays.numbers import as_numbers, is_sparse
from judged.io.arrays.sparse import of_sparse

__all__ = ["ArrayLists", "lists_of"]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayLists:
    """Items of all lists: their labels and scores, how many each list has, and what the lists are called.

    `single` says that one list was given, not a batch of them; `absent` is how many relevant items a list lacks, where that is known.
    """

    label: Floats
    score: Floats
    sizes: Ints
    names: tuple[Any, ...]
    single: bool = False
    absent: Ints | None = None
    warnings: tuple[Warned, ...] = ()


def lists_of(
    labels: Any,
    scores: Any,
    *,
    mask: Any = None,
    pad: float | None = None,
    group: Any = None,
    qid: Any = None,
) -> ArrayLists:
    """The lists of a batch.

    One list: two columns. Several: two tables with a row a list, of which `mask` says what is there, or `pad` which label is none; columns with
    the sizes of the lists (`group`) or with the list that each item is of (`qid`, in any order); lists of columns of different lengths; sparse
    matrices, in which what is not stored is not ranked, or not relevant.
    """
    given = [name for name, value in (("group", group), ("qid", qid)) if value is not None]
    if len(given) > 1:
        raise UsageError("layout", "group and qid cannot be combined", hint="leave out one of them")
    if is_sparse(labels) or is_sparse(scores):
        if given or mask is not None or pad is not None:
            raise UsageError("layout", f"{(given or ['mask and pad'])[0]} cannot be combined with sparse matrices")
        label, score, sizes, absent = of_sparse(labels, scores)
        return _checked(ArrayLists(label, score, sizes, tuple(range(len(sizes))), absent=absent), narrow=False)
    if _is_ragged(labels) or _is_ragged(scores):
        labels, scores, group = _joined(labels, scores, given or (mask is not None and ["mask"]))
    first, second = as_numbers(labels, "labels"), as_numbers(scores, "scores")
    label, score = first.values, second.values
    if label.shape != score.shape:
        raise DataError("shape", f"labels and scores have different shapes: {label.shape} and {score.shape}")
    kept = _kept(label, mask, pad)
    if label.ndim == 2 and not given:
        found = _rows(label, score, kept)
    elif label.ndim == 1:
        found = _columns(label, score, kept, group, qid)
    else:
        raise DataError(
            "shape", "one or two dimensions" if not given else f"one dimension with {given[0]}",
            got=f"{label.ndim}", hint="reshape the arrays, with one list per row",
        )  # fmt: skip
    return _checked(found, narrow=second.narrow)


def _is_ragged(given: Any) -> bool:
    """Whether this is a list of columns, and they differ in length."""
    columns = (
        isinstance(given, list | tuple)
        and given
        and all(
            hasattr(one, "__len__") and not isinstance(one, str | bytes) and getattr(one, "ndim", 1) for one in given
        )
    )
    if not columns:
        return False
    return len({len(one) for one in given}) > 1


def _joined(labels: Any, scores: Any, besides: Any) -> tuple[Floats, Floats, Ints]:
    if besides:
        raise UsageError("layout", f"{besides[0]} cannot be combined with lists of different lengths")
    lengths = [[len(one) for one in given] if isinstance(given, list | tuple) else None for given in (labels, scores)]
    if lengths[0] is None or lengths[1] is None or len(lengths[0]) != len(lengths[1]):
        raise DataError("shape", f"{len(labels)} lists of labels, but {len(scores)} of scores")
    for i, (ours, theirs) in enumerate(zip(*lengths, strict=True)):
        if ours != theirs:
            raise DataError("shape", f"{ours} labels, but {theirs} scores", where=f"list {i}")
    columns = [np.concatenate([as_numbers(one, name).values.astype(float) for one in given if len(one)] or [np.empty(0)])
               for name, given in (("labels", labels), ("scores", scores))]  # fmt: skip
    return columns[0], columns[1], np.array(lengths[0])


def _kept(label: NDArray[Any], mask: Any, pad: float | None) -> Bools | None:
    """Which items are there; None for all of them."""
    kept = None
    if mask is not None:
        kept = as_numbers(mask, "mask").values
        if kept.shape != label.shape:
            raise DataError("shape", f"mask and labels have different shapes: {kept.shape} and {label.shape}")
        if kept.dtype.kind != "b" and not np.isin(kept, (0, 1)).all():
            raise DataError(
                "mask", "a mask of True (keep) and False (ignore)", got=shown(kept.ravel()[:5].tolist())
            )
        kept = kept.astype(bool)
    if pad is None:
        return kept
    there = ~np.isnan(label) if pad != pad else label != pad
    return there if kept is None else kept & there


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
        raise DataError("shape", f"one qid for each of {size} items", got=f"shape {ids.shape}")
    if ids.dtype.kind == "f" and np.isnan(ids).any():
        raise DataError("id-null", "some items have no qid")
    if ids.dtype.kind != "O":
        names, owner = np.unique(ids, return_inverse=True)
        return owner.reshape(-1).astype(np.int64), tuple(names.tolist())
    given = ids.tolist()
    if any(one is None or one != one for one in given):
        raise DataError("id-null", "some items have no qid")
    if len(kinds := {str if isinstance(one, str) else bytes if isinstance(one, bytes) else float for one in given}) > 1:
        raise DataError("id-type", "qids of one type", got=" and ".join(sorted(kind.__name__ for kind in kinds)))
    code = {name: i for i, name in enumerate(sorted(set(given)))}
    return np.array([code[one] for one in given], np.int64), tuple(code)


def _ids(qid: Any) -> NDArray[Any]:
    """The ids as they are: NumPy would make text of a list of texts and numbers."""
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
        raise DataError("group", "sizes of lists as integers ≥ 0", got=shown(sizes.ravel()[:5].tolist()))
    if int(sizes.sum()) != size:
        raise DataError(
            "group", f"sizes in group add up to {int(sizes.sum())}, but there are {size} items",
            hint="to name the list of each item, use qid",
        )  # fmt: skip
    return sizes.astype(np.int64)


def _flat(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, np.float64).reshape(-1)


def _checked(lists: ArrayLists, *, narrow: bool) -> ArrayLists:
    """The lists, where every number is one; an error names the first that is not."""
    if not len(lists.sizes) or (lists.single and not len(lists.label)):
        raise DataError("empty-run", "no list has an item")
    for name, column, fine in (
        ("labels", lists.label, np.isfinite(lists.label)),
        ("scores", lists.score, ~np.isnan(lists.score)),
    ):
        if not fine.all():
            _refuse(lists, name, column, int(np.argmin(fine)), int((~fine).sum()))
    if (lists.label < 0).any():
        _refuse(lists, "labels", lists.label, int(np.argmax(lists.label < 0)), int((lists.label < 0).sum()))
    return lists if not narrow else _narrow(lists)


def _refuse(lists: ArrayLists, name: str, column: Floats, at: int, count: int) -> NoReturn:
    owner = int(np.searchsorted(np.cumsum(lists.sizes), at, "right"))
    value = column[at].item()
    slug, wanted = (
        ("label-negative", "labels ≥ 0")
        if name == "labels" and value < 0
        else ("nan", f"{name} as numbers")
    )
    hint = (
        "if this is padding, name it with pad or mask; otherwise check that labels and scores are not swapped"
        if name == "labels"
        else "exclude padded items with mask"
    )
    raise DataError(slug, wanted, got=f"{shown(value)} ({count} of {len(column)} are invalid)",
                    where=f"list {lists.names[owner]!r}", value=value, hint=hint)  # fmt: skip


def _narrow(lists: ArrayLists) -> ArrayLists:
    """With a warning where scores of few bits are equal: they may not have been."""
    owner = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    order = np.lexsort((lists.score, owner))
    same = (np.diff(lists.score[order]) == 0) & (np.diff(owner[order]) == 0)
    tied = int((np.append(same, False) | np.append(False, same)).sum())
    if not tied:
        return lists
    text = f"{tied / len(lists.score):.0%} of the scores are tied, possibly for lack of precision (16 bits, or integers beyond 2**53)"
    return ArrayLists(
        lists.label,
        lists.score,
        lists.sizes,
        lists.names,
        lists.single,
        lists.absent,
        (Warned("low-precision", tied, text),),
    )
