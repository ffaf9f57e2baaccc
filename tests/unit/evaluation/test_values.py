"""`Values`: summaries, intervals, and other forms of the same table."""

import copy
import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from refusals import refusal

import judged as jd

QRELS = {f"q{i}": {"a": 1, "b": i % 2} for i in range(8)}
RUN = {f"q{i}": ["x"] * 0 + (["a", "b"] if i % 3 else ["c", "a", "b"]) for i in range(8)}
RESULT = jd.evaluate(QRELS, RUN, "AP RR NumRet GMAP relstring")


def test_means_follow_each_measures_own_summary():
    means = RESULT.mean()
    assert means["AP"] == pytest.approx(RESULT["AP"].mean())
    assert means["NumRet"] == RESULT["NumRet"].sum()
    assert means["GMAP"] == pytest.approx(math.exp(np.log(RESULT["AP"]).mean()))
    assert "relstring" not in means


def test_intervals_are_the_same_every_time_and_hold_the_mean():
    low, high = RESULT.interval("AP")
    assert (low, high) == RESULT.interval("AP")
    assert low <= RESULT.mean()["AP"] <= high
    assert RESULT.interval("NumRet") is None
    low, high = RESULT.interval("GMAP")
    assert low <= RESULT.mean()["GMAP"] <= high


def test_a_measure_is_found_by_any_of_its_names():
    assert RESULT["map"].tolist() == RESULT["AP"].tolist()
    refusal("not-asked", lambda: RESULT["nDCG"])


def test_values_of_a_query_are_plain_python():
    assert {type(value) for value in RESULT.of("q0").values()} <= {float, str}
    assert repr(RESULT.of("q0")) == repr(RESULT.to_dict()["q0"])


@pytest.mark.needs("pandas")
def test_frames():
    import pandas

    frame = RESULT.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["q0", "AP"] == RESULT.of("q0")["AP"]
    assert RESULT.to_polars()["AP"].to_list() == RESULT["AP"].tolist()
    assert RESULT.to_arrow()["query_id"].to_pylist() == list(RESULT.queries)
    assert RESULT.to_dict()["q1"]["relstring"] == RESULT.of("q1")["relstring"]


def test_saved_values_come_back_bit_for_bit(tmp_path):
    path = tmp_path / "values.json"
    result = jd.evaluate(QRELS, RUN, "AP relstring NumRet", bounds=True, ties="id-asc")
    result.save(path)
    back = jd.load(path)
    assert back.to_json() == result.to_json()
    assert back["AP"].tobytes() == result["AP"].tobytes()
    assert back.policy == result.policy


def test_saving_under_an_unknown_ending_says_which_are_known(tmp_path):
    with pytest.raises(jd.UsageError, match=r"\.json"):
        RESULT.save(tmp_path / "values.xls")


def test_a_measure_is_found_by_the_name_it_had_before_the_profile_and_the_level():
    result = jd.evaluate(QRELS, RUN, "AP P@1", profile="torchmetrics", level=1)
    assert "AP" not in result.columns
    assert result["AP"].tolist() == result["map"].tolist() == result["AP(norm='found')"].tolist()
    assert jd.evaluate(QRELS, RUN, "AP", level=2)["AP"].tolist() == [0.0] * 8
    refusal("not-asked", lambda: result["P"])


def test_names_are_kept_as_written_in_all_output():
    result = jd.evaluate(QRELS, RUN, "map ndcg_cut_10 P@1,2", keep_names=True)
    assert (
        list(result.mean())
        == list(result.of("q0"))
        == list(result.to_dict()["q0"])
        == ["map", "ndcg_cut_10", "P@1", "P@2"]
    )
    assert result["AP"].tolist() == result["map"].tolist() == jd.evaluate(QRELS, RUN, "AP")["AP"].tolist()
    assert [row["measure"] for row in result.summary_records()] == ["map", "ndcg_cut_10", "P@1", "P@2"]
    assert "map" in str(result)
    assert pickle.loads(pickle.dumps(result))["map"].tolist() == result["map"].tolist()
    assert str(result.explain("map", "q0").measure) == "map"


def test_the_summary_of_counts_is_not_called_a_mean():
    (table,) = jd.evaluate(QRELS, RUN, "NumRet NumRelRet").tables()
    assert table.headers[:2] == ("measure", "sum")
    (table,) = jd.evaluate(QRELS, RUN, "AP NumRet GMAP").tables()
    assert table.headers[:3] == ("measure", "summary", "value")
    assert [row[1] for row in table.rows] == ["mean", "sum", "geometric mean"]
    assert jd.evaluate(QRELS, RUN, "AP").tables()[0].headers[1] == "mean"


def test_records_have_one_row_per_measure_and_query_and_the_summaries():
    result = jd.evaluate(QRELS, RUN, "AP RR")
    records = result.records()
    assert len(records) == 2 * (8 + 1)
    assert set(records[0]) == {"run", "measure", "query", "value", "low", "high", "if_irrelevant", "if_top"}
    assert result.to_csv().count("\n") == 1 + len(records)
    assert result.to_trec().count("\n") == 2 * (8 + 1) + 1


@pytest.mark.parametrize(
    ("name", "profile"),
    [("AP", "torchmetrics"), ("nDCG@2", "lightgbm"), ("RBP", "ir_measures"), ("map", "torchmetrics")],
)
def test_results_answer_to_the_name_that_was_asked_for(name, profile):
    qrels = {"q": {"a": 1, "b": 0, "c": 2}, "p": {"a": 1, "b": 1}, "s": {"b": 1}}
    run, other = (
        {"q": ["b", "a", "c"], "p": ["a", "c"], "s": ["a", "b"]},
        {"q": ["a", "b"], "p": ["c", "b"], "s": ["b"]},
    )
    found = jd.evaluate(qrels, run, name, profile=profile)
    key = str(found.measures[0])
    assert key != name
    assert found[name].tolist() == found[key].tolist()
    for values in (
        found.mean(),
        found.of("q"),
        found.to_dict()["q"],
        found.summary("median"),
        found.intervals(),
    ):
        assert values[name] == values[key]
    assert found.interval(name) == found.interval(key)
    assert found.explain(name, "q").value == found.of("q")[key]
    compared = jd.compare(qrels, {"a": run, "b": other}, name, profile=profile)
    assert compared.of(name, "a", "b") is compared.of(key, "a", "b")
    assert compared.means()["a"][name] == compared.means()["a"][key]
    assert [change.query for change in compared.where(name)] == [change.query for change in compared.where(key)]


def test_a_measure_that_was_not_computed_is_explained_under_the_profile():
    found = jd.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a"]}, "RR", profile="torchmetrics")
    assert found.explain("AP", "q").value == 1.0
    with pytest.raises(KeyError):
        found.mean()["AP"]


@pytest.mark.parametrize("queries", [("q1", "q2"), (1, 2)])
def test_queries_are_a_tuple_also_of_copies(queries):
    result = jd.evaluate({q: {"a": 1} for q in queries}, {q: ["a"] for q in queries}, "AP")
    assert len(result) == 2
    for values in (result, pickle.loads(pickle.dumps(result)), copy.deepcopy(result), replace(result, profile="ranx")):
        assert type(values.queries) is tuple
        assert values.queries == queries
        assert json.loads(json.dumps(values.queries)) == list(queries)
    assert type(jd.join({q: {"a": 1} for q in queries}, {q: ["a"] for q in queries}).queries) is tuple


@pytest.mark.parametrize("weights", [None, {f"q{i}": 1 + i % 3 for i in range(12)}])
def test_negative_gains_have_an_interval_around_their_mean(weights):
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(12)}
    run = {f"q{i}": {"b": 3 + i % 2, "a": 3.5, "c": 1} for i in range(12)}
    result = jd.evaluate(qrels, run, "nDCG(gains={0:-3,1:1})@3", weights=weights)
    [name] = result
    low, high = result.interval(name)
    assert low < result.mean()[name] < high < 0


def test_differences_of_negative_gains_are_within_their_interval():
    qrels = {f"q{i}": {"a": 1, "b": 0, "c": 0} for i in range(12)}
    first = {f"q{i}": {"b": 3 + i % 3, "a": 3.5, "c": 1} for i in range(12)}
    second = {f"q{i}": ["b", "c"] for i in range(12)}
    [row] = jd.compare(qrels, {"a": first, "b": second}, "nDCG(gains={0:-3,1:1})@3").rows
    assert row.low < row.difference < row.high < -1
