"""Names of runs, from those of their files."""

from __future__ import annotations

import re
from collections.abc import Sequence

_EXTENSIONS = re.compile(
    r"(\.(run|res|txt|trec|tsv|csv|jsonl?|ndjson|parquet|pq|arrows?|feather|gz|bz2|xz|zst))+$", re.IGNORECASE
)


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
