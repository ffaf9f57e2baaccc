"""pandas frames, of versions 2 and 3, whatever their types."""

import warnings

import numpy as np
import pytest
from needs import optional
from refusals import refusal

from judged.io.read import read_qrels, read_run

pd = optional("pandas")
pytestmark = pytest.mark.needs("pandas")

COLUMNS = {
    "qid": ["q1", "q1", "q1", "q2", "q2"],
    "docno": ["d1", "d2", "d3", "d4", "d1"],
    "score": [0.5, 0.9, 0.7, 0.3, 0.8],
    "rank": [1, 2, 3, 1, 2],
}


@pytest.fixture
def frame():
    return pd.DataFrame(COLUMNS)


TYPES = {
    "as given": {},
    "objects": {"qid": object, "docno": object, "score": object},
    "strings": {"qid": "string", "docno": "string"},
    "categories": {"qid": "category", "docno": "category"},
    "nullable numbers": {"score": "Float64", "rank": "Int64"},
    "small floats": {"rank": "int16"},
    "arrow strings": {"qid": "string[pyarrow]", "docno": "string[pyarrow]"},
    "arrow types": {"qid": "large_string[pyarrow]", "score": "double[pyarrow]", "rank": "int64[pyarrow]"},
}


@pytest.mark.parametrize("types", TYPES)
def test_a_pandas_frame_is_a_run_whatever_its_types(types, rows, run_rows, frame):
    frame = frame.astype(TYPES[types])
    for source in (frame, frame.set_index(np.arange(10, 15)), frame.assign(read=1)[["read", *frame]]):
        run = read_run(source)
        assert rows(run) == run_rows
        assert run.rank.tolist() == COLUMNS["rank"]


@pytest.mark.parametrize("dtype", ["int64", "Int64", "uint32", "category", object])
def test_integer_ids_of_pandas_are_integers(dtype, frame):
    run = read_run(frame.assign(qid=[7, 7, 7, 9, 9]).astype({"qid": dtype}))
    assert (run.query_kind, run.queries.tolist(), run.query.tolist()) == ("integer", [b"7", b"9"], [0, 0, 0, 1, 1])


@pytest.mark.parametrize("dtype", [object, "string", "category", "Int64", "float64"])
def test_missing_ids_of_pandas_are_refused(dtype, frame):
    numbers = dtype in ("Int64", "float64")
    ids = pd.Series([1, 2, None, 4, 5] if numbers else ["a", "b", None, "d", "e"], dtype=dtype)
    error = refusal("id-type", read_run, frame.assign(docno=ids))
    assert str(error.where) == "run['docno'][2]"


@pytest.mark.parametrize("dtype", ["float64", "Float64", object, "Int64"])
def test_missing_numbers_of_pandas_are_refused(dtype, frame):
    frame = frame.assign(score=pd.Series([1, 2, None, 4, 5], dtype=dtype))
    assert str(refusal("score-nan", read_run, frame).where) == "run['score'][2]"
    refusal("grade-type", read_qrels, frame.drop(columns="rank").rename(columns={"score": "label"}))


def test_text_in_a_column_of_scores_is_refused(frame):
    error = refusal("score-type", read_run, frame.assign(score=[1, 2, "high", 4, 5]))
    assert str(error.where) == "run['score'][2]"
    assert error.value == "high"


def test_two_columns_of_one_name_in_a_frame_are_refused(frame):
    refusal("columns", read_run, pd.concat([frame, frame[["score"]]], axis=1))


def test_a_frame_without_rows_is_empty(frame):
    refusal("empty-run", read_run, frame[:0])


def test_judgments_of_pandas_keep_fractions():
    frame = pd.DataFrame({"topic": ["q", "q"], "item": [1, 2], "rating": [0.9, 1.7]})
    assert read_qrels(frame).grade.tolist() == [0.9, 1.7]


def test_reading_a_frame_warns_of_nothing(frame):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_run(frame.astype(TYPES["categories"]))
    assert not caught
