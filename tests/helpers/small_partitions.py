"""Runs in parts, with parts and batches so small that a test has many of them."""

import pickle

import pytest

from judged.core.tables import Run
from judged.core.unread_runs import UnreadRun
from judged.errors import JudgedError
from judged.io import partitions, stored
from judged.io.columns import ColumnRequest
from judged.io.formats import columnar
from judged.io.read import read_run

COLUMNS = {
    "text": ["one", "two", "three", "four", "five", "six", "seven"],
    "qid": ["q1", "q1", "ü 2", "q3", "q3", "q3", "q1"],
    "docno": ["d1", 'a"b', "#x", "007", "NaN", "d,6", "\ufeff7"],
    "score": [0.5, 1e-3, -7.25, float("inf"), 1.0, 1.0, 3.0],
    "rank": [3, 2, 1, 1, 2, 3, 1],
}


def small(monkeypatch, rows=2, size=60):
    """Let a part have this many rows or bytes, or a few more."""
    for module, names in (
        (partitions, ("FEWEST", "MOST")),
        (columnar, ("ROWS",)),
    ):
        for name in names:
            monkeypatch.setattr(module, name, rows)
    for name in ("SMALLEST", "LARGEST"):
        monkeypatch.setattr(partitions, name, size)
    monkeypatch.setattr(partitions, "_LOOK", 7)
    monkeypatch.setattr(stored, "STRETCH", size)


def open_partitions(source, name=None, **columns):
    """The run in parts, with columns as `read_run` takes them."""
    named = {column.removesuffix("_col"): given for column, given in columns.items()}
    return partitions.open_partitions(source, ColumnRequest("run", named), name)


def described(run: Run):
    """Every row with all that is known of it."""
    queries, rank = run.queries.tolist(), run.rank if run.rank is not None else [None] * len(run.query)
    columns = run.query.tolist(), run.doc.tolist(), run.score.tolist(), list(rank)
    kinds = run.query_kind, run.doc_kind
    rows = zip(range(len(run.query)), *columns, strict=True)
    return [(queries[q], doc, score, rank, str(run.where(row)), kinds) for row, q, doc, score, rank in rows]


def batches_of(scattered):
    """The batches of all parts, read; the parts have been in another process."""
    sent = pickle.loads(pickle.dumps(scattered.partitions.parts))
    return [batch.read() if isinstance(batch, UnreadRun) else batch for part in sent for batch in part.batches()]


def rows_of(scattered):
    """The rows of all batches. Looked at twice they are the same, and `read` gives them too."""
    rows = [row for run in batches_of(scattered) for row in described(run)]
    assert rows == [row for run in batches_of(scattered) for row in described(run)]
    assert rows == described(scattered.read())
    return rows


def error_of(call, *args, **options) -> JudgedError:
    with pytest.raises(JudgedError) as caught:
        call(*args, **options)
    return caught.value


def error_in_parts(source, **options) -> JudgedError:
    """The error of a run in parts, wherever it shows; of the reader of whole files where it is none."""

    def read():
        scattered = open_partitions(source, **options)
        if scattered is None:
            read_run(source, **options)
        for part in scattered.partitions.parts:
            for batch in part.batches():
                if isinstance(batch, UnreadRun):
                    batch.read()

    return error_of(read)
