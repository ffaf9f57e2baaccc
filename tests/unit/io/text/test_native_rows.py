"""Rows that the native core finds in text against those of the reference: the same columns, warnings and places, or the same error."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native_rows import READERS, check, is_native

from judged.core.numeric.native import NATIVE
from judged.io.read import read_qrels

pytestmark = pytest.mark.skipif(not NATIVE, reason="the native core is not built")

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
