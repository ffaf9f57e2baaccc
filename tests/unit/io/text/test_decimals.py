"""Scores are float64 and only compared; grades are real numbers, never truncated."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from refusals import refusal

from judged.io.read import read_qrels, read_run


def score(value):
    return read_run({"q1": {"d1": value}}).score[0]


def grade(value):
    return read_qrels({"q1": {"d1": value}}).grade[0]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (5, 5.0),
        (2**70, float(2**70)),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (1 + 1e-9, 1 + 1e-9),
        (Decimal("0.1"), 0.1),
        (Fraction(1, 3), 1 / 3),
        (np.float32(0.9), float(np.float32(0.9))),
        (np.int64(5), 5.0),
        (np.uint8(0), 0.0),
        (np.array(0.25), 0.25),
        (True, 1.0),
        (math.inf, math.inf),
    ],
)
def test_a_score_is_any_number(given, wanted):
    assert score(given) == wanted
    assert read_run([("q1", "d1", given), ("q1", "d2", Decimal(1))]).score[0] == wanted


@pytest.mark.parametrize("given", ["high", "0.5", b"1", [1], object(), 1j, np.str_("1"), np.datetime64("2026-01-01")])
def test_a_score_that_is_no_number_is_refused(given):
    error = refusal("score-type", read_run, {"q1": {"d1": 0.5, "d2": given}})
    assert str(error.where) == "run['q1']['d2']"
    assert type(given).__name__ in str(error)
    assert ("float(x)" in str(error)) != isinstance(given, list)
    assert error.value is given


@pytest.mark.parametrize("given", [math.nan, None, np.nan, Decimal("NaN"), np.ma.masked])
def test_a_missing_score_is_refused(given):
    error = refusal("score-nan", read_run, {"q1": {"d1": 0.5, "d2": given}})
    assert str(error.where) == "run['q1']['d2']"
    assert str(refusal("score-nan", read_run, [("q1", "d1", given)]).where) == "run[0][2]"
    lists = {"q1": [("d0", 1)], "q2": [("d1", 2), ("d2", given)]}
    assert str(refusal("score-nan", read_run, lists).where) == "run['q2'][1]"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [(0.9, 0.9), (True, 1.0), (-2, -2.0), (Decimal("1.7"), 1.7), (2**53, 2.0**53), (2**31, 2.0**31)],
)
def test_a_grade_is_any_number_and_kept_as_it_is(given, wanted):
    assert grade(given) == wanted


@pytest.mark.parametrize(
    ("slug", "given"),
    [
        ("grade-type", None),
        ("grade-type", math.nan),
        ("grade-type", "high"),
        ("grade-type", "1"),
        ("grade-type", 2**53 + 2),
        ("grade-type", 10**400),
        ("grade-type", -math.inf),
    ],
)
def test_a_grade_that_cannot_be_used_is_refused(slug, given):
    error = refusal(slug, read_qrels, {"q1": {"d1": 1, "d3": given}})
    assert str(error.where) == "qrels['q1']['d3']"
    assert error.hint


def test_masked_numbers_and_ids_are_refused():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": masked}
    assert str(refusal("form", read_run, columns).where) == "run['score'][1]"
    ids = {**columns, "docno": np.ma.array(["a", "b"], mask=[True, False]), "score": [1.0, 2.0]}
    assert str(refusal("form", read_run, ids).where) == "run['docno'][0]"
    refusal("form", read_run, {"q": np.ma.array(["a", "b"], mask=[True, False])})
    assert read_run({**columns, "score": np.ma.array([1.0, 2.0])}).score.tolist() == [1, 2]


@pytest.mark.parametrize("dtype", ["f4", ">f8", "i2", "u8", ">i4", "?"])
def test_arrays_of_every_kind_of_number_are_exact(dtype):
    numbers = np.array([1, 0], dtype=dtype)
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": numbers}
    assert read_run(columns).score.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "slug", "hint"),
    [
        ("abc", "score-type", "decimal number"),
        ("0x10", "score-type", "decimal number"),
        ("1_000", "score-type", "decimal number"),
        ("0.9f", "score-type", "decimal number"),
        ("1,5", "score-type", "1.5"),
        ("１", "score-type", "decimal number"),
        ("nan", "score-nan", "NaN"),
        ("NaN", "score-nan", "NaN"),
    ],
)
def test_a_score_in_a_text_file_is_a_plain_decimal(text, slug, hint, save):
    error = refusal(slug, read_run, save("a.run", f"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 {text} t\n"))
    assert (error.where.line, error.where.column, error.where.column_name) == (2, 5, "score")
    assert error.value == text.encode()
    assert hint in str(error)
    error = refusal(slug, read_run, save("a.csv", f'qid,docno,score\nq1,d1,0.5\nq1,d2,"{text}"\n'))
    assert (error.where.line, error.where.column, error.where.column_name) == (3, 3, "score")


@pytest.mark.parametrize(
    ("text", "slug"), [("high", "grade-type"), ("1_0", "grade-type"), ("9" * 20, "grade-type"), ("nan", "grade-type"), ("inf", "grade-type"), ("", "grade-type")]
)  # fmt: skip
def test_a_grade_in_a_text_file_is_a_plain_decimal(text, slug, save):
    if text:
        error = refusal(slug, read_qrels, save("a.qrels", f"q1 0 d1 1\nq1 0 d3 {text}\n"))
        assert (error.where.line, error.where.column, error.where.column_name) == (2, 4, "grade")
    error = refusal(slug, read_qrels, save("a.csv", f"qid,docno,rel\nq1,d1,1\nq1,d3,{text}\n"))
    assert (error.where.line, error.where.column, error.where.column_name) == (3, 3, "rel")


def test_a_grade_out_of_range_is_found_before_a_later_one_that_is_text(save):
    error = refusal("grade-type", read_qrels, save("a.qrels", f"q 0 a 1\nq 0 b {'9' * 20}\nq 0 c high\n"))
    assert error.where.line == 2
    refusal("grade-type", read_qrels, save("a.qrels", "q 0 a 1\nq 0 b 1e300\n"))


@pytest.mark.parametrize("text", ["2.0", "+2", "2.", "02", "2e0", "20e-1"])
def test_a_grade_may_be_written_in_any_decimal_form(text, save):
    assert read_qrels(save("a.qrels", f"q1 0 d1 {text}\n")).grade.tolist() == [2]
    assert read_qrels(save("a.csv", f"qid,docno,rel\nq1,d1,{text}\n")).grade.tolist() == [2]


@pytest.mark.parametrize(
    "number", [0.1, 1 / 3, 1e-300, 5e-324, 1.7976931348623157e308, -123456.789, 0.30000000000000004]
)
def test_a_number_in_a_file_is_the_nearest_double(number, save):
    assert read_run(save("a.run", f"q Q0 d 1 {number!r} t\n")).score[0] == number
    assert read_run(save("a.csv", f"qid,docno,score\nq,d,{number!r}\n")).score[0] == number


def test_infinite_scores_are_numbers(save):
    assert read_run(save("a.run", "q Q0 a 1 inf t\nq Q0 b 2 -Infinity t\n")).score.tolist() == [math.inf, -math.inf]
    assert read_run(save("a.json", '{"q": {"a": Infinity, "b": 1e999}}')).score.tolist() == [math.inf, math.inf]
    assert read_run(save("a.csv", "qid,docno,score\nq,a,inf\n")).score.tolist() == [math.inf]


def test_ranks_are_kept_beside_scores(save):
    columns = {"qid": ["q", "q"], "docno": ["a", "b"], "score": [0.1, 0.2], "rank": [2, 1]}
    assert read_run(columns).rank.tolist() == [2, 1]
    assert read_run(save("a.csv", "qid,docno,score,rank\nq,a,1,2\n")).rank.tolist() == [2]
    assert read_run({**columns, "rank": np.array(["2", "1"])}).rank.tolist() == [2, 1]
    assert read_run({**columns, "rank": ["x", "y"]}).rank is None
    assert read_run({**columns, "rank": [10**400, 1]}).rank is None
    assert read_run({**columns, "rank": [1.5, 2]}).rank is None
    assert read_run({**columns, "rank": [None, 2]}).rank is None


def test_without_scores_the_rank_column_decides():
    run = read_run({"qid": ["q", "q"], "docno": ["a", "b"], "rank": [2, 1]})
    assert run.score.tolist() == [-2, -1]


def test_a_rank_column_that_was_named_must_hold_ranks():
    columns = {"qid": ["q"], "docno": ["a"], "score": [1.0], "place": ["first"]}
    assert "place" in str(refusal("rank-type", read_run, columns, rank_col="place"))
    refusal("rank-type", read_run, {"qid": ["q"], "docno": ["a"], "rank": ["first"]})
