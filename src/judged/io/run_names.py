"""Several runs in one call, and what they are called."""

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

__all__ = ["named_runs", "plain_names", "short_names"]

_ENDINGS = re.compile(r"(\.(run|res|txt|trec|tsv|csv|jsonl?|parquet|arrow|gz|bz2|xz|zst))+$", re.IGNORECASE)


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """One run or several, each with the name it was given, if it was.

    Several: a list of runs, or {name: run}. A mapping from queries to rankings is one run.
    """
    if isinstance(runs, Mapping) and runs and all(map(_is_whole_run, runs.values())):
        found: list[tuple[str | None, Any]] = [(str(name), run) for name, run in runs.items()]
    elif isinstance(runs, list | tuple) and runs and all(map(_is_whole_run, runs)):
        found = [(None, run) for run in runs]
    else:
        found = [(None, runs)]
    if not found or runs is None:
        raise UsageError("runs", "at least one run", got="none")
    return found


def _is_whole_run(thing: Any) -> bool:
    """A file, a table, or a mapping from queries to rankings; not a ranking, a record or an id with its score."""
    if isinstance(thing, str | os.PathLike | Judged | Run | UnreadRun):
        return True
    if isinstance(thing, Mapping):
        return any(isinstance(ranking, Mapping | list | tuple) for ranking in list(thing.values())[:1])
    if isinstance(thing, list | tuple) and thing and all(isinstance(path, str | os.PathLike) for path in thing):
        return is_partitioned(list(thing))  # files, not documents
    return hasattr(thing, "__arrow_c_stream__") or hasattr(type(thing), "columns") or is_partitioned(thing)


def short_names(names: Sequence[str]) -> list[str]:
    """Names without folders; with as many as it takes to tell them apart."""
    parts = [name.strip("/").split("/") for name in names]
    for depth in range(1, max(map(len, parts)) + 1):
        short = ["/".join(part[-depth:]) for part in parts]
        if len(set(short)) == len(short):
            return short
    return [f"{name} ({i})" for i, name in enumerate(short, 1)]


def plain_names(names: Sequence[str]) -> list[str]:
    """Short names for a legend: without the endings of files too, where they still differ."""
    short = short_names(names)
    bare = [_ENDINGS.sub("", name) for name in short]
    return bare if len(set(bare)) == len(bare) and all(bare) else short
