"""Several runs in one call, and their names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judged.core.judged import Judged
from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import UsageError
from judged.io.formats.shapes import may_have_shape, shape_of
from judged.io.formats.tools.ir_datasets import is_collection
from judged.io.parts.recognise import is_partitioned

_EXTENSIONS = re.compile(
    r"(\.(run|res|txt|trec|tsv|csv|jsonl?|ndjson|parquet|pq|arrows?|feather|gz|bz2|xz|zst))+$", re.IGNORECASE
)


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """Return one run or several, each with its name if the caller named it.

    Several runs are a list, or {name: run}. A mapping from queries to rankings is one run.
    """
    listed = list(runs.values()) if isinstance(runs, Mapping) else runs if isinstance(runs, list | tuple) else []
    whole = [
        run for run in listed if not isinstance(run, Mapping) or run
    ]  # an empty mapping is an error when it is read
    if whole and all(map(_is_whole_run, whole)):
        names = map(str, runs) if isinstance(runs, Mapping) else [None] * len(listed)
        named: list[tuple[str | None, Any]] = list(zip(names, listed, strict=True))
    else:
        named = [(None, runs)]
    if not named or runs is None:
        raise UsageError("runs", "no run given")
    return named


def _is_whole_run(thing: Any) -> bool:
    """Return whether this is a file, a table, or a mapping from queries to rankings; not a ranking, a record or an id with its score."""
    if isinstance(thing, str | os.PathLike | Judged | Run | UnreadRun):
        return True
    if isinstance(thing, Mapping):
        whole = any(isinstance(ranking, Mapping | list | tuple) for ranking in list(thing.values())[:1])
        return whole and not (may_have_shape(thing) and (shape := shape_of(thing)) is not None and shape.one_query)
    if isinstance(thing, list | tuple) and thing and all(isinstance(path, str | os.PathLike) for path in thing):
        return is_partitioned(list(thing))  # files, not documents
    tabular = hasattr(thing, "__arrow_c_stream__") or hasattr(type(thing), "columns")
    return tabular or is_partitioned(thing) or is_collection(thing)


def short_names(names: Sequence[str], *, extensions: bool = False) -> list[str]:
    """Return the names of files without folders and, unless `extensions`, without extensions.

    Names that would be the same get as many folders as are needed to differ, or else their extensions.

    >>> short_names(["runs/bm25.run.gz", "runs/dense.run"])
    ['bm25', 'dense']
    >>> short_names(["a/bm25.run", "b/bm25.run", "a/dense.run"])
    ['a/bm25', 'b/bm25', 'dense']
    """
    full = [name.rstrip("/") or name for name in names]
    short = [(name if extensions else _strip_extensions(name)).rpartition("/")[2] for name in full]
    for name in {name for name in short if short.count(name) > 1}:
        rows = [row for row, other in enumerate(short) if other == name]
        for row, longer in zip(rows, _distinguish([full[row] for row in rows], extensions=extensions), strict=True):
            short[row] = longer
    return short


def _distinguish(names: Sequence[str], *, extensions: bool) -> list[str]:
    """Return names that end in the same words with what makes them differ; equal ones are numbered."""
    for spelled in (names,) if extensions else (list(map(_strip_extensions, names)), names):
        parts = [name.split("/") for name in spelled]
        for depth in range(1, max(map(len, parts)) + 1):
            short = ["/".join(part[-depth:]) for part in parts]
            if len(set(short)) == len(short):
                return short
    return [f"{name} ({i})" for i, name in enumerate(short, 1)]


def _strip_extensions(name: str) -> str:
    bare = _EXTENSIONS.sub("", name)
    return bare if bare and not bare.endswith("/") else name
