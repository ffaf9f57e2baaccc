"""Rows that the native core finds in text against those of the reference: the same columns, warnings and places, or the same error."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields
from io import BytesIO
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judged.core import text_rows
from judged.core.ids import IdColumn
from judged.core.numeric.native import NATIVE
from judged.errors import JudgedError
from judged.io.read import read_qrels, read_run

pytestmark = pytest.mark.skipif(not NATIVE, reason="the native core is not built")

READERS = {"run": read_run, "qrels": read_qrels}


@contextmanager
def only_reference():
    with mock.patch.object(text_rows, "native", None):
        yield


def plain(value):
    if isinstance(value, IdColumn):
        return value.tolist()
    return (value.dtype.kind, value.tolist()) if isinstance(value, np.ndarray) else value


def outcome(kind: str, text: bytes, **options):
    """What came of it, in a form that can be compared to the last bit."""
    stream = BytesIO(text)
    stream.name = "file.txt"
    try:
        table = READERS[kind](stream, **options)
    except JudgedError as error:
        return type(error).__name__, str(error), error.where, error.value
    found = {spec.name: plain(getattr(table, spec.name)) for spec in fields(table) if spec.name != "where"}
    return found, [table.where(row) for row in range(len(table))]


def check(kind: str, text: bytes, **options):
    with mock.patch.object(text_rows, "_BYTES", 50), mock.patch.object(text_rows, "usable_cores", return_value=2):
        seen = outcome(kind, text, **options)
    with only_reference():
        assert seen == outcome(kind, text, **options)


def is_native(kind: str, text: bytes, **options) -> bool:
    """Return whether the core reads a text, and does not leave it to the reference."""
    with mock.patch.object(text_rows, "TextRows", side_effect=text_rows.TextRows) as made:
        outcome(kind, text, **options)
    return made.called


# ── TREC ─────────────────────────────────────────────────────────────────────────────────────────

queries, docs = (
    st.sampled_from(["1", "10", "q-2", "é", "#1"]),
    st.sampled_from(["a", "b", "d" * 15, "d" * 17, "é", "x" * 70]),
)
numbers = st.sampled_from(
    ["0", "1", "2", "-1", "0.5", "1e-3", "3.", ".5", "+2", "9007199254740992", "123456789.123456789"]
)
odd = st.sampled_from(["", "  ", "# note", "#", "# 0 a 1", "1 0 a 1\r", "1\t0\tb\t2", "1\t0\ta b\t2", "1  0 c   2 ", " 1 0 d 1", "1\t0 b 2",
                       "1 Q0 a x 2 t", "1\tQ0\ta b\t1\t2\tt"])  # fmt: skip
bad = st.sampled_from(["1 0 a", "1 0 a 1 2", "1 0 a inf", "1 0 a nan", "1 0 a x", "1 0 a 1e17", "1 0 a\0 1", "1 0 a 1,5", "1 Q0 a 1 nan t",
                       "1 Q0 a 1 2 t u", "1 Q0 a 1 2"])  # fmt: skip
lines = {
    "run": st.builds("{} Q0 {} {} {} tag{}".format, queries, docs, st.integers(0, 99), numbers, st.integers(0, 1)),
    "qrels": st.builds("{} {} {} {}".format, queries, st.sampled_from(["0", "0", "0", "1", "Q0"]), docs, numbers),
}


def files_of(line):
    """Texts of such lines, with odd ones and at most one bad one."""
    return st.builds(
        lambda lines, bad, at, end, mark: mark + end.join([*lines[:at], *bad, *lines[at:], ""]).encode(),
        st.lists(st.one_of(line, line, line, line, odd), max_size=30), st.lists(bad, max_size=1), st.integers(0, 30),
        st.sampled_from(["\n", "\n", "\r\n", "\r"]), st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
    ).flatmap(lambda text: st.sampled_from([text, text, text[:-1]]))  # fmt: skip


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=120, deadline=None, derandomize=True)
@given(data=st.data())
def test_trec_files(kind, data):
    check(kind, data.draw(files_of(lines[kind])))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", [" ", "\t", "  "])
def test_ordinary_trec_files_are_read_by_the_core(blank, ending):
    rows = {"run": "1 Q0 a 1 2.5 t", "qrels": "1 0 a 1"}
    for kind, row in rows.items():
        text = (row.replace(" ", blank) + ending).encode() * 300
        assert is_native(kind, text), (kind, text[:40])


def test_a_constant_subtopic_other_than_zero_is_kept():
    check("qrels", b"1 2 a 1\n1 2 b 0\n")
    assert read_qrels(BytesIO(b"1 2 a 1\n1 2 b 0\n")).aspect.tolist() == [b"2", b"2"]
