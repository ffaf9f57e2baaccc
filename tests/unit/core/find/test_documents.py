"""Rows of one document are adjacent: the native function and the reference give the same order."""

import random

import numpy as np
import pytest

from judged.core.reference import group_documents, group_documents_reference
from judged.core.tables import IdColumn

ALPHABETS = {
    "short": (b"ab", 3), "numbers": (b"0123456789", 7), "prefixed": (b"ab", 4), "long": (b"ab", 20), "very long": (b"ab", 90), "bytes": (bytes(range(1, 256)), 9),
}  # fmt: skip


def rows(kind: str, seed: int) -> tuple[np.ndarray, int, IdColumn]:
    draw = random.Random(f"{kind} {seed}")
    letters, longest = ALPHABETS[kind]
    prefix = b"clueweb09-en0000-" if kind == "prefixed" else b""
    queries, n = draw.randint(1, 6), draw.choice([0, 1, 2, 30, 300])
    ids = [prefix + bytes(draw.choices(letters, k=draw.randint(0 if prefix else 1, longest))) for _ in range(n)]
    return np.array([draw.randrange(queries) for _ in range(n)], np.int64), queries, IdColumn.of(ids)


@pytest.mark.parametrize("kind", ALPHABETS)
def test_rows_are_by_query_then_by_id_from_the_highest_down_then_by_row(kind):
    for seed in range(20):
        query, queries, docs = rows(kind, seed)
        ids = docs.tolist()
        for order, first in (group_documents(query, queries, docs), group_documents_reference(query, docs)):
            by_row = sorted(range(len(ids)))
            by_id = sorted(by_row, key=lambda i: ids[i], reverse=True)  # stable: by row among equal ids
            assert order.tolist() == sorted(by_id, key=lambda i: query[i])
            pairs = [(query[i], ids[i]) for i in order]
            assert first.tolist() == [i == 0 or pairs[i] != pairs[i - 1] for i in range(len(pairs))]


def test_a_query_that_does_not_exist_is_an_error():
    from judged.core.native import native

    if native is not None:
        with pytest.raises(IndexError):
            group_documents(np.array([3]), 2, IdColumn.of([b"a"]))
