"""Hashes of what went into a result: of the bytes of files, and of what judgments and runs say, however they are written."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from judged._types import Ints
from judged.core.ids import IdColumn
from judged.core.tables import Qrels, Run

__all__ = ["content_of", "file_hash"]


def content_of(rows: Qrels | Run) -> str:
    """SHA-256 of judgments or of a run: of what they say, not of how it is written.

    Rows are taken in the order of their ids, so that the order of lines, the form of the file and its compression make no difference; every id, subtopic and grade,
    or score, does.
    """
    columns: list[tuple[IdColumn | None, Ints | None]] = [(rows.queries, rows.query), (rows.doc, None)]
    if isinstance(rows, Qrels):
        columns += [(rows.aspect, None), (rows.sub, None)]
    codes, digest = [], hashlib.sha256(b"judged qrels 1" if isinstance(rows, Qrels) else b"judged run 1")
    for ids, place in columns:
        if ids is None:
            continue
        distinct, code = _coded(ids)
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


def _coded(ids: IdColumn) -> tuple[list[bytes], Ints]:
    """Each id once, in order; and for each row which it has."""
    if not len(ids):
        return [], np.empty(0, np.int64)
    order = ids.order()
    new = np.concatenate([[True], ~ids.same(order[1:], ids, order[:-1])])
    code = np.empty(len(ids), np.int64)
    code[order] = np.cumsum(new) - 1
    return ids.take(order[new]).tolist(), code


def file_hash(source: Any) -> str | None:
    """SHA-256 of the bytes of a file; None for what is not one."""
    if not isinstance(source, str | os.PathLike) or source == "-" or not Path(source).is_file():
        return None
    with Path(source).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
