"""Hashes of the inputs of a result: of the bytes of files, and of the content of judgments and runs."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from judged._types import Ints
from judged.core.tables import IdColumn, Qrels, Run
from judged.io.files import OpenFile, file_path


def content_of(rows: Qrels | Run) -> str:
    """Return the SHA-256 hash of the content of judgments or of a run.

    Rows are sorted by their ids, so the order of lines, the format of the file and its compression make no difference; every id,
    subtopic and grade or score does.
    """
    columns: list[tuple[IdColumn | None, Ints | None]] = [(rows.queries, rows.query), (rows.doc, None)]
    if isinstance(rows, Qrels):
        columns += [(rows.aspect, None), (rows.sub, None)]
    codes, digest = [], hashlib.sha256(b"judged qrels 1" if isinstance(rows, Qrels) else b"judged run 1")
    for ids, place in columns:
        if ids is None:
            continue
        names, code = ids.distinct()
        distinct = names.tolist()
        codes.append(code if place is None else code[place])
        digest.update(np.array([len(distinct), *map(len, distinct)], "<i8").tobytes() + b"".join(distinct))
    if isinstance(rows, Qrels) and rows.choice is not None:
        codes.append(rows.choice)
    number = (rows.grade if isinstance(rows, Qrels) else rows.score) + 0.0  # -0 is 0
    order = np.lexsort([number, *reversed(codes)])
    for code in codes:
        digest.update(code[order].astype("<i8").tobytes())
    digest.update(number[order].astype("<f8").tobytes())
    return digest.hexdigest()


def file_hash(source: Any) -> str | None:
    """Return the SHA-256 hash of the bytes of a file; None for other sources."""
    if file_path(source) is None:
        return None
    file = source if isinstance(source, OpenFile) else OpenFile(source)
    file.raw.seek(0)
    return hashlib.file_digest(file.raw, "sha256").hexdigest()  # type: ignore[arg-type]  # a file that is read in binary mode
