"""Training data of methods that learn from judgments: relevant documents of the runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.core.find.reference import Sieve, keys_of
from judged.core.policy import Policy
from judged.core.pool import pool_of
from judged.errors import DataError
from judged.fusion.aligned import AlignedRuns
from judged.fusion.registry import Training
from judged.io.read import read_qrels


def training_of(aligned: AlignedRuns, qrels: Any, level: float = 1.0) -> Training:
    """Find the relevant documents, grade ≥ `level`, among those of the runs, for all queries with judgments.

    Raises:
        DataError: runs and judgments have no query in common.
    """
    judgments = read_qrels(qrels)
    pool = pool_of(judgments, Policy())
    codes = pool.codes()
    code = np.array([codes.get(raw, -1) for raw in aligned.queries.tolist()], dtype=np.int64)
    if not (code >= 0).any():
        problem = "runs and judgments have no query in common"
        raise DataError("no-common-query", problem, hint="check the query ids", where=judgments.name)
    query = code[aligned.query]
    rows = np.flatnonzero(query >= 0)
    documents = aligned.to_documents()
    at, judgment = Sieve.of(pool).match(documents, rows, query[rows], keys_of(query[rows], aligned.doc.take(rows)))
    relevant = np.zeros(len(query), bool)
    relevant[rows[at]] = pool.grade[judgment] >= level

    count = np.bincount(pool.query[pool.grade >= level], minlength=len(codes))
    return Training(aligned, relevant[aligned.document], code >= 0, code, count)
