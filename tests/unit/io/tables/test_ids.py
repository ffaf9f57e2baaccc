"""Ids are opaque: exact bytes, of one type, never empty."""

import datetime
import enum
import uuid
from decimal import Decimal

import numpy as np
import pytest
from refusals import refusal

from judged.core.join import join
from judged.core.policy import Policy
from judged.errors import DataError
from judged.io.read import read_qrels, read_run


class Shelf(enum.Enum):
    A = 1
    B = 2


class Small(enum.IntEnum):
    ONE = 1


class Named(str, enum.Enum):  # noqa: UP042
    X = "x"


def docs(*ids):
    return read_run([("q", doc, 1.0) for doc in ids])


@pytest.mark.parametrize(
    ("ids", "kind", "text"),
    [
        (["a", "é", "007"], "text", ["a", "é", "007"]),
        ([b"a", "é".encode()], "text", ["a", "é"]),
        ([np.str_("a"), "b", Named.X], "text", ["a", "b", "x"]),
        ([7, -1, -2, 2**53 + 1, 10**30], "integer", ["7", "-1", "-2", str(2**53 + 1), str(10**30)]),
        ([np.int64(7), np.uint8(8), 9, Small.ONE], "integer", ["7", "8", "9", "1"]),
        ([uuid.UUID(int=1)], "other", [str(uuid.UUID(int=1))]),
        ([datetime.date(2026, 1, 2)], "other", ["2026-01-02"]),
        ([Shelf.A, Shelf.B], "other", ["Shelf.A", "Shelf.B"]),
        ([Decimal("1.50")], "other", ["1.50"]),
    ],
)
def test_ids_keep_their_exact_text_and_their_type(ids, kind, text):
    run = docs(*ids)
    assert (run.doc_kind, run.doc.tolist()) == (kind, [t.encode() for t in text])
    run = read_run({i: {"d": 1} for i in ids})
    assert (run.query_kind, run.queries.tolist()) == (kind, [t.encode() for t in text])


@pytest.mark.parametrize(
    ("slug", "bad", "got"),
    [
        ("id-type", None, "None"),
        ("id-type", float("nan"), "nan"),
        ("id-type", True, "True"),
        ("id-type", np.bool_(False), "False"),
        ("id-type", ("d", 1), "(tuple)"),
        ("id-type", frozenset("d"), "(frozenset)"),
        ("id-type", "\ud800x", "\\ud800x"),
        ("nul", "a\0x", "a\\x00x"),
        ("nul", b"a\0", "a\\x00"),
        ("id-type", "", "''"),
        ("id-type", b"", "''"),
    ],
)
def test_an_id_that_cannot_be_one_is_refused_where_it_stands(slug, bad, got):
    good = b"good" if isinstance(bad, bytes) else 1.5 if isinstance(bad, float) else "good"
    error = refusal(slug, read_run, {"q1": {good: 0.5}, "q2": {good: 1, bad: 0.25}})
    assert got in str(error)
    assert error.where.path.startswith("run['q2'][")
    assert error.hint
    error = refusal(slug, read_run, [("q1", good, 1), ("q1", bad, 2)])
    assert str(error.where) == "run[1][1]"
    error = refusal(slug, read_qrels, [(good, "d", 1)] * 3 + [(bad, "d", 2)])
    assert str(error.where) == "qrels[3][0]"


def test_nan_among_text_is_a_missing_id():
    assert str(refusal("id-type", docs, "a", float("nan")).where) == "run[1][1]"


def test_lists_and_dicts_are_no_ids():
    assert "(list)" in str(refusal("id-type", read_run, [("q", ["d"], 1)]))
    assert "(dict)" in str(refusal("id-type", read_run, [({}, "d", 1)]))


@pytest.mark.parametrize(("first", "second"), [("1", 1), (1, "1"), ("a", b"a"), (1, 1.5), (uuid.UUID(int=1), "u")])
def test_two_types_of_ids_on_one_side_are_refused(first, second):
    error = refusal("id-type", docs, first, second)
    assert type(first).__name__ in str(error)
    assert type(second).__name__ in str(error)
    assert str(error.where) == "run[1][1]"


def test_two_types_of_query_ids_are_refused():
    refusal("id-type", read_run, {"1": {"d": 1}, 1: {"d": 1}})


def test_integers_here_and_text_there_is_an_error_that_says_so():
    for qrels, run in (({"1": {"d": 1}}, {1: {"d": 1}}), ({"q": {"1": 1}}, {"q": {1: 1}})):
        error = refusal("id-type", join, read_qrels(qrels), read_run(run), Policy())
        assert "str in the judgments and int in the run" in str(error)


def test_in_a_text_file_every_id_is_text(save):
    lines = '{"query": 1, "docs": [7, "8"]}\n{"query": "1x", "docs": ["007"]}\n'
    run = read_run(save("a.jsonl", lines))
    assert run.queries.tolist() == [b"1", b"1x"]
    assert run.doc.tolist() == [b"7", b"8", b"007"]
    assert (run.query_kind, run.doc_kind) == ("text", "text")
    record = '{{"qid": {}, "doc": "d{}", "score": 1}}\n'
    run = read_run(save("b.jsonl", record.format(1, 1) + record.format('"1"', 2)))
    assert run.queries.tolist() == [b"1"]
    assert run.query.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("value", "slug"), [("null", "id-type"), ("1.5", "id-type"), ("true", "id-type"), ("[1]", "id-type")]
)
def test_what_is_no_id_in_json_is_refused_with_its_line(value, slug, save):
    good = '{"qid": "q", "doc": "d", "score": 1}\n'
    error = refusal(slug, read_run, save("a.jsonl", good + good.replace('"d"', value)))
    assert (error.where.line, error.where.path[-7:]) == (2, "a.jsonl")


def test_a_half_surrogate_in_json_is_shown_escaped(save):
    error = refusal("id-type", read_run, save("a.json", '{"q1": {"\\ud800x": 1}}'))
    assert "\\ud800x" in str(error)
    assert "'q1'" in str(error)


def test_objects_whose_text_is_the_same_are_one_query():
    first, second = (datetime.date(2026, 1, 2),) * 2
    assert len(read_run([(first, "a", 1), (second, "b", 2)]).queries) == 1


def test_queries_may_come_in_any_order_and_again():
    run = read_run([("b", "1", 3), ("a", "2", 2), ("b", "3", 1)])
    assert run.queries.tolist() == [b"b", b"a"]
    assert run.query.tolist() == [0, 1, 0]
    run = read_run({"qid": np.array([9, 3, 9]), "docno": ["1", "2", "3"], "score": [1.0, 2.0, 3.0]})
    assert run.queries.tolist() == [b"9", b"3"]
    assert run.query.tolist() == [0, 1, 0]


def test_dates_in_an_array_are_ids_and_not_nanoseconds():
    dates = np.array(["2026-01-02", "2026-01-03"], dtype="datetime64[ns]")
    run = read_run({"qid": ["q", "q"], "docno": dates, "score": [1.0, 2.0]})
    assert (run.doc_kind, run.doc[0][:10]) == ("other", b"2026-01-02")
    with pytest.raises(DataError, match="id-type"):
        read_run({"qid": ["q"], "docno": np.array(["NaT"], dtype="datetime64[ns]"), "score": [1.0]})
