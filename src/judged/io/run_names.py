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
from judged.io.read import is_partitioned

__all__ = ["named_runs", "short_names"]

_ENDINGS = re.compile(r"(\.(run|res|txt|trec|tsv|csv|jsonl?|parquet|arrow|gz|bz2|xz|zst))+$", re.IGNORECASE)


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """Return one run or several, each with its name if the caller named it.

    Several runs are a list, or {name: run}. A mapping from queries to rankings is one run.
    """
    if isinstance(runs, Mapping) and runs and all(map(_is_whole_run, runs.values())):
        named: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, list | tuple) and runs and all(map(_is_whole_run, runs)):
        named = [(None, run) for run in runs]
    else:
        named = [(None, runs)]
    if not named or runs is None:
        raise UsageError("runs", "no run is given")
    return named


def _is_whole_run(thing: Any) -> bool:
    """Return whether this is a file, a table, or a mapping from queries to rankings; not a ranking, a record or an id with its score."""
    if isinstance(thing, str | os.PathLike | Judged | Run | UnreadRun):
        return True
    if isinstance(thing, Mapping):
        return any(isinstance(ranking, Mapping | list | tuple) for ranking in list(thing.values())[:1])
    if isinstance(thing, list | tuple) and thing and all(isinstance(path, str | os.PathLike) for path in thing):
        return is_partitioned(list(thing))  # files, not documents
    return hasattr(thing, "__arrow_c_stream__") or hasattr(type(thing), "columns") or is_partitioned(thing)


def short_names(names: Sequence[str]) -> list[str]:
    """Return the names of files without folders and extensions; with as many folders as are needed to distinguish them.

    Files of one folder that differ only in their extensions keep them.

    >>> short_names(["runs/bm25.run.gz", "runs/dense.run"])
    ['bm25', 'dense']
    >>> short_names(["a/bm25.run", "b/bm25.run"])
    ['a/bm25', 'b/bm25']
    """
    full = [name.strip("/") for name in names]
    for spelled in ([_strip_extensions(name) for name in full], full):
        parts = [name.split("/") for name in spelled]
        for depth in range(1, max(map(len, parts)) + 1):
            short = ["/".join(part[-depth:]) for part in parts]
            if len(set(short)) == len(short):
                return short
    return [f"{name} ({i})" for i, name in enumerate(short, 1)]


def _strip_extensions(name: str) -> str:
    bare = _ENDINGS.sub("", name)
    return bare if bare and not bare.endswith("/") else name
