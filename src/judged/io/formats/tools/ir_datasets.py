"""Datasets of ir_datasets: judgments, scored documents and texts are iterated over, as any object with such methods offers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from judged.errors import DataError, JudgedError, shown
from judged.io.files import is_path

_METHODS = {"qrels": "qrels_iter", "run": "scoreddocs_iter", "docs": "docs_iter", "queries": "queries_iter"}


def is_collection(source: Any) -> bool:
    """Return whether this is a dataset of ir_datasets, or has methods of the same names; nothing is imported."""
    if is_path(source) or isinstance(source, type | dict | list | tuple):
        return False
    return any(callable(getattr(source, name, None)) for name in _METHODS.values())


def collection_rows(source: Any, what: str) -> list[Any]:
    """Return the judgments (`qrels`) or the scored documents (`run`) of a dataset."""
    return list(iterate_collection(source, what))


def iterate_collection(source: Any, what: str) -> Iterator[Any]:
    """Iterate over what a dataset has: `qrels`, `run`, `docs` or `queries`.

    Documents are read one by one, until the caller has enough; no index of them is built.
    """
    method = getattr(source, _METHODS[what], None)
    name = collection_name(source)
    if not callable(method):
        has = ", ".join(offered for offered, iterator in _METHODS.items() if callable(getattr(source, iterator, None)))
        problem = f"the dataset has no {_METHODS[what].removesuffix('_iter')}, only {has.replace('run', 'scoreddocs')}"
        split = what == "qrels"
        hint = (
            "load the dataset of one split, such as beir/scifact/test"
            if split
            else "pass another source, such as a file"
        )
        raise DataError("collection", problem, where=name or what, hint=hint)
    try:
        rows: Iterable[Any] = method()
        yield from rows
    except (JudgedError, MemoryError):
        raise
    except Exception as error:  # of the library: downloads, licences, damaged files
        reason = shown(f"{type(error).__name__}: {error}", 200)
        hint = "load it once with ir_datasets itself, which says what it needs"
        raise DataError(
            "collection", f"the dataset cannot be read ({reason})", where=name or what, hint=hint
        ) from error


def collection_name(source: Any) -> str | None:
    """Return the id of a dataset, such as `beir/scifact/test`; None for other objects."""
    name = getattr(source, "dataset_id", None)
    return str(name()) if callable(name) else None
