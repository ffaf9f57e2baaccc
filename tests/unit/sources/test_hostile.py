"""Whatever the content, a reader gives a value or an error of ours, with a place and something to do."""

from __future__ import annotations

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_collection import QRELS, RUN

from judged.errors import JudgedError
from judged.sources import read_qrels, read_run

JSONL = b'{"query_id": "q1", "docs": [["d1", 0.5]]}\n{"query_id": "q2", "docs": [["d2", 12.25]]}\n'
CSV = b'query_id,doc_id,score\nq1,"d,1",0.5\nq1,d2,12.25\n'
JSON = b'{"q1": {"d1": 0.5, "d2": 12.25}, "q2": {"d1": 0.125}}'
MARKS = [
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b",",
    b'"',
    b"{",
    b"]",
    b"#",
    b"\0",
    b"\xff",
    b"nan",
    b"1e999",
    b"null",
    b"\\ud800",
    b";",
]
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 6), st.sampled_from(MARKS) | st.binary(max_size=4)), max_size=4
)


@contextlib.contextmanager
def only_our_errors():
    try:
        yield
    except JudgedError as error:
        assert error.hint  # noqa: PT017
        assert error.where  # noqa: PT017
        assert str(error).isprintable() or "\n" in str(error)  # noqa: PT017


@pytest.mark.parametrize("read", [read_run, read_qrels])
@pytest.mark.parametrize("seed", [RUN, QRELS, JSON, JSONL, CSV], ids=["run", "qrels", "json", "jsonl", "csv"])
@given(edits=EDITS)
def test_edited_files_are_read_or_refused(read, seed, edits):
    content = bytearray(seed)
    for at, width, mark in edits:
        start = int(at * len(content))
        content[start : start + width] = mark
    with only_our_errors():
        table = read(io.BytesIO(bytes(content)))
        assert len(table.doc) == len(table.query)
        assert all(table.where(row) for row in range(len(table)))


@given(content=st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content):
    for read in (read_run, read_qrels):
        with only_our_errors():
            read(io.BytesIO(content))


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=2)
    | st.binary(max_size=2)
    | st.just((1,))
)
RANKINGS = st.dictionaries(SCALARS, SCALARS, max_size=3) | st.lists(SCALARS, max_size=3) | SCALARS


@given(
    source=st.dictionaries(SCALARS, RANKINGS, max_size=3) | st.lists(st.tuples(SCALARS, SCALARS, SCALARS), max_size=3)
)
def test_any_objects_are_read_or_refused(source):
    for read in (read_run, read_qrels):
        with only_our_errors():
            table = read(source)
            assert len(table.doc) == len(table.query)
