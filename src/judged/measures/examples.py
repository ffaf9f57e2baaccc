"""Small rankings for examples of measures."""

from __future__ import annotations

import numpy as np

from judged.core.judged import Judged
from judged.core.pool import Pool


def ranked(grades: list[float]) -> Judged:
    """A ranking of one query in which every document is judged, from its grades at rank 1, 2, …"""
    grade = np.array(grades, dtype=float)
    place = np.empty(len(grade), np.int64)
    place[np.argsort(-grade, kind="stable")] = np.arange(len(grade))
    rank, zeros = np.arange(1, len(grade) + 1), np.zeros(len(grade), np.int64)
    return Judged(
        pool=Pool(queries=("example",), query=zeros, grade=np.sort(grade)[::-1]),
        retrieved=np.array([len(grade)]),
        answered=np.array([True]),
        query=zeros,
        rank=rank,
        grade=grade,
        judgment=place,
        tie_first=rank,
        tie_last=rank,
    )
