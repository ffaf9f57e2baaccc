"""Collections: BEIR folders, and datasets of ir_datasets or objects with the same methods."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NoReturn

from judged.errors import DataError, JudgedError, Place, shown
from judged.io.columns import Split, choose_split
from judged.io.files import PATH
from judged.io.stored import QRELS, TEXTS, TextKind, is_beir_folder, list_folder, names_like

_METHODS = {"qrels": "qrels_iter", "run": "scoreddocs_iter", "docs": "docs_iter", "queries": "queries_iter"}


def qrels_file(source: Any, split: Split | None) -> Any:
    """Return the file of judgments in a BEIR folder; another source is returned unchanged."""
    if not is_beir_folder(source):
        return source
    folder = os.path.join(os.fsdecode(source), QRELS)  # noqa: PTH118 - of text, as the caller wrote it
    by_split: dict[str, str] = {}
    for name in list_folder(folder):
        stem, dot, _ = name.partition(".tsv")
        if dot:
            by_split.setdefault(stem, name)
    if not by_split:
        _raise_missing(os.fsdecode(source), f"{QRELS}/test.tsv")
    return os.path.join(folder, by_split[choose_split(list(by_split), split, Place(os.fsdecode(source)))])  # noqa: PTH118


def texts_file(source: Any, kind: TextKind) -> Any:
    """Return the file of texts in a BEIR folder; another source is returned unchanged."""
    if not is_beir_folder(source):
        return source
    folder = os.fsdecode(source)
    found = names_like(list_folder(folder), TEXTS[kind])
    return os.path.join(folder, found[0]) if found else _raise_missing(folder, TEXTS[kind])  # noqa: PTH118


def _raise_missing(folder: str, name: str) -> NoReturn:
    raise DataError("collection", f"the BEIR folder has no {name}", where=folder, hint="name the file itself")


def is_collection(source: Any) -> bool:
    """Return whether this is a dataset of ir_datasets, or has methods of the same names; nothing is imported."""
    if isinstance(source, (*PATH, type, dict, list, tuple)):
        return False
    return any(callable(getattr(source, name, None)) for name in _METHODS.values())


def iterate_collection(source: Any, what: str) -> Iterator[Any]:
    """Iterate over what a dataset has: `qrels`, `run`, `docs` or `queries`.

    Documents are read one by one, until the caller has enough; no index of them is built.
    """
    method, name = getattr(source, _METHODS[what], None), collection_name(source) or what
    if not callable(method):
        hint = "load the dataset of one split, such as beir/scifact/test, or pass another source, such as a file"
        raise DataError("collection", f"the dataset has no {_METHODS[what]}", where=name, hint=hint)
    try:
        yield from method()
    except (JudgedError, MemoryError):
        raise
    except Exception as error:  # of the library: downloads, licences, damaged files
        reason = shown(f"{type(error).__name__}: {error}", 200)
        hint = "load it once with ir_datasets itself, which says what it needs"
        raise DataError("collection", f"the dataset cannot be read ({reason})", where=name, hint=hint) from error


def collection_name(source: Any) -> str | None:
    """Return the id of a dataset, such as `beir/scifact/test`; None for other objects."""
    name = getattr(source, "dataset_id", None)
    return str(name()) if callable(name) else None
