"""Nested dicts that the native core reads, beside the same read by the reference."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from judged.core.tables import Qrels, Run
from judged.errors import JudgedError
from judged.io import open_table as opening
from judged.io.columns import ColumnRequest
from judged.io.open_table import read_plain_dict
from judged.io.read import read_qrels, read_run
from judged.io.table import as_qrels, as_run

KINDS = {"qrels": (read_qrels, as_qrels, "grade"), "run": (read_run, as_run, "score")}

TEXT = st.text(max_size=3) | st.sampled_from(["d1", "é", "日本", "a\0b", "\ud800", ""])
IDS = (
    TEXT | st.integers(-(10**20), 10**20) | st.sampled_from([None, True, b"d", 1.5, ("a",), np.int64(3), np.str_("n")])
)
NUMBERS = (
    st.integers(-5, 5)
    | st.floats(width=32)
    | st.sampled_from(
        [True, 2**53, 2**53 + 1, 2**70, -(2**54), 1e300, "1", None, np.float64(1), np.float32(0.1), np.int8(2), [1]]
    )
)
ORDINARY = st.dictionaries(TEXT, st.dictionaries(TEXT, st.integers(-5, 5) | st.floats(-9, 9)))
NUMBERED = st.dictionaries(st.integers(), st.dictionaries(st.integers(), st.integers(0, 3)))
HOSTILE = st.dictionaries(
    IDS, st.dictionaries(IDS, NUMBERS, max_size=3) | st.none() | st.lists(TEXT, max_size=2), max_size=3
)


def by_reference(source: Any, what: str) -> Run | Qrels:
    table = opening._open_object(source, ColumnRequest(what))
    return KINDS[what][1](table)


def outcome(read: Any) -> Any:
    """Columns, kinds and places; or the text of the error."""
    try:
        table = read()
    except JudgedError as error:
        return str(error)
    number = table.score if isinstance(table, Run) else table.grade
    return (
        table.name, table.label, table.warnings, table.query_kind, table.doc_kind, table.queries.tolist(), table.query.tolist(),
        table.doc.tolist(), number.tolist(), [str(table.where(row)) for row in range(len(table.query))],
    )  # fmt: skip


@pytest.mark.parametrize("what", KINDS)
@given(source=ORDINARY | NUMBERED | HOSTILE)
def test_dicts_are_read_as_by_the_reference(what, source):
    assert outcome(lambda: KINDS[what][0](source)) == outcome(lambda: by_reference(source, what))


@pytest.mark.needs("native")  # the reference reads every dict
def test_ordinary_dicts_are_read_by_the_native_core():
    for source in ({"q": {"a": 1, "b": 0.5}}, {1: {7: 2}}, {"q": {}, "p": {"a": 1.0}}):
        assert read_plain_dict(source, ColumnRequest("qrels")) is not None


@pytest.mark.parametrize(
    "source", [{}, {"q": {}}, {"q": ["a"]}, {"q": {"a": "1"}}, {"q": {"a": None}}, {"q": {"a": float("nan")}}, {"q": {1: 1, "a": 1}}, {"": {"a": 1}}]
)  # fmt: skip
def test_anything_else_is_left_to_the_reference(source):
    assert read_plain_dict(source, ColumnRequest("qrels")) is None


def test_named_columns_and_words_are_left_to_the_reference():
    source = {"q": {"a": 1}}
    assert read_plain_dict(source, ColumnRequest("qrels", {"query": "qid"})) is None
    assert read_plain_dict(source, ColumnRequest("qrels", grade_map={"Exact": 3})) is None
    assert read_plain_dict(source, ColumnRequest("texts")) is None


def test_a_number_in_an_array_is_no_ranking():
    refusal("form", read_run, {"q": np.array(2.0)})
    refusal("form", read_qrels, {"q": np.array(2.0)})
