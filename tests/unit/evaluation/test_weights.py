"""Weights of queries and lists: means, intervals, files, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from commands import refused
from needs import optional
from refusals import refusal
from scipy.stats import t

import judged as jd

pd = optional("pandas")

QRELS = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 0}}
RUN = {"q1": ["a"], "q2": ["b", "a"], "q3": ["b", "c", "d", "a"], "q4": ["a"]}
WEIGHTS = {"q1": 5, "q2": 0.5, "q3": 2, "q4": 1, "other": 9}
W, RR = np.array([5, 0.5, 2, 1]), np.array([1, 1 / 2, 1 / 4, 0])
NORMAL, HEAVY = np.random.default_rng(4).normal(size=30), 1.0 / np.arange(1, 31)


def result(weights=WEIGHTS, measures="RR", **options):
    return jd.evaluate(QRELS, RUN, measures, weights=weights, **options)


def test_a_weighted_mean_is_that_of_numpy():
    assert result().mean()["RR"] == pytest.approx(np.average(RR, weights=W))
    assert result().weights.tolist() == W.tolist()


def test_equal_weights_give_the_bits_of_the_plain_mean():
    plain = jd.evaluate(QRELS, RUN, "RR AP GMAP NumRel")
    for weight in (1, 2, 0.25):
        assert result(dict.fromkeys(QRELS, weight), "RR AP GMAP NumRel").mean() == plain.mean()


def test_a_whole_weight_is_a_query_that_is_there_so_many_times():
    qrels = {f"{q}-{i}": QRELS[q] for q, n in (("q1", 3), ("q2", 1), ("q3", 2)) for i in range(n)}
    run = {f"{q}-{i}": RUN[q] for q, n in (("q1", 3), ("q2", 1), ("q3", 2)) for i in range(n)}
    repeated = jd.evaluate(qrels, run, "RR GMAP").mean()
    weighted = result({"q1": 3, "q2": 1, "q3": 2, "q4": 0}, "RR GMAP").mean()
    assert weighted == pytest.approx(repeated)


@pytest.mark.parametrize("scale", [2.0**1022, 5e-324, 1e308, 1e-310])
def test_sums_of_weights_neither_overflow_nor_vanish(scale):
    weights = {"q1": scale, "q2": scale, "q3": 0, "q4": 0}
    assert result(weights, "RR GMAP").mean() == pytest.approx({"RR": 3 / 4, "GMAP": np.sqrt(1 / 2)})
    assert result(weights).interval("RR") == pytest.approx(result({**weights, "q1": 1, "q2": 1}).interval("RR"))
    lists = jd.score([[1, 0], [0, 1], [0, 0]], [[2.0, 1.0]] * 3, "RR", weights=[scale, scale, 0])
    assert lists.mean()["RR"] == 3 / 4
    runs = {"a": RUN, "b": {query: ["a"] for query in RUN}}
    compared = jd.compare(QRELS, runs, "RR", weights=weights, test="t")
    assert compared.rows[0].difference == pytest.approx(1 / 4)


def test_weights_of_other_queries_are_counted():
    assert [(w.slug, w.count) for w in result().warnings if w.slug == "query-weights"] == [("query-weights", 1)]
    assert not any(w.slug == "query-weights" for w in result({**dict.fromkeys(QRELS, 1)}).warnings)
    compared = jd.compare(QRELS, {"a": RUN, "b": RUN}, "RR", weights=WEIGHTS, test="t")
    assert [w.count for w in compared.warnings if w.slug == "query-weights"] == [1]
    known = {"q1": {"a": 1}}
    refusal("query-weights", jd.evaluate, known, {"q1": ["a"]}, "RR", weights={"q1": 1, "other": 9}, strict=True)


def test_a_list_of_weights_is_told_what_weights_are():
    caught = refusal("columns", result, [1] * 4)
    assert "attribute" not in str(caught)


def test_a_weight_that_is_no_float_is_refused_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("q1 0 a 1\n")
    Path("r").write_text("q1 Q0 a 1 1 t\n")
    large = "1" + 400 * "0"
    Path("w.csv").write_text(f"query,weight\nq1,{large}\n")
    Path("w.jsonl").write_text(f'{{"query": "q1", "weight": {large}}}\n')
    for name in ("w.csv", "w.jsonl"):
        error = refused("eval", "q", "r", "-m", "RR", "--weights", name)
        assert (error.slug, error.exit_code) == ("query-weights", 2)


def test_counts_are_summed_without_weights_and_missing_values_have_none():
    assert result(measures="NumRel").mean()["NumRel"] == 3
    assert result(measures="FirstHit").mean()["FirstHit"] == pytest.approx(np.average([1, 2, 4], weights=W[:3]))


def test_the_interval_is_students_with_the_effective_number_of_queries():
    for x, w, interval in ((RR, W, result().interval("RR", level=0.1)), (NORMAL, HEAVY, jd.stats.weighted_interval(NORMAL, HEAVY, level=0.1))):  # fmt: skip
        mean, p = np.average(x, weights=w), w / w.sum()
        error = np.sqrt((1 - p @ p) * (p**2 * (x - mean) ** 2 / (1 - 2 * p + p @ p) ** 2).sum())
        half = t.ppf(0.55, 1 / (p @ p) - 1) * error
        assert interval == pytest.approx((mean - half, mean + half))


def test_a_few_heavy_queries_count_like_few_and_are_warned_of():
    rng, w, inside = np.random.default_rng(0), 1 / np.arange(1, 51) ** 1.5, 0
    for _ in range(400):
        low, high = jd.stats.weighted_interval(rng.normal(size=50), w)
        inside += low <= 0 <= high
    assert inside >= 368  # about 75% with the error and the degrees of freedom of 50 equal queries
    assert "query-weights" in [warned.slug for warned in result({"q1": 100, "q2": 1, "q3": 1, "q4": 1}).warnings]
    assert "query-weights" not in [warned.slug for warned in result({"q1": 2, "q2": 1, "q3": 1, "q4": 1}).warnings]


def test_equal_weights_give_the_usual_t_interval_and_a_weight_of_0_leaves_a_query_out():
    usual = t.interval(0.95, 2, RR[:3].mean(), RR[:3].std(ddof=1) / np.sqrt(3))
    assert result({"q1": 7, "q2": 7, "q3": 7, "q4": 0}).interval("RR") == pytest.approx(np.clip(usual, 0, 1))
    assert result({"q1": 1, "q2": 0, "q3": 0, "q4": 0}).interval("RR") is None


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("form", ["csv", "jsonl", "pandas", "column", "columns"])
def test_weights_come_from_a_table_of_queries(form, tmp_path):
    frame = pd.DataFrame({"query_id": list(WEIGHTS), "weight": list(WEIGHTS.values()), "visits": [1, 1, 1, 1, 1]})
    table, column = frame, None
    if form == "csv":
        frame.to_csv(table := tmp_path / "w.csv", index=False)
    elif form == "jsonl":
        frame.to_json(table := tmp_path / "w.jsonl", orient="records", lines=True)
    elif form == "columns":
        table = frame.to_dict("list")
    elif form == "column":
        table, column = frame.rename(columns={"weight": "traffic"}), "traffic"
    assert result(table, weight_col=column).weights.tolist() == W.tolist()


def test_numbers_and_their_text_are_the_same_query():
    assert jd.evaluate({1: {"a": 1}}, {1: ["a"]}, "RR", weights={"1": 3}).weights.tolist() == [3]


@pytest.mark.parametrize(
    "weights",
    [
        {"q1": 1}, {**WEIGHTS, "q2": -1}, {**WEIGHTS, "q2": np.nan}, {**WEIGHTS, "q2": np.inf}, {**WEIGHTS, "q2": "x"},
        {**WEIGHTS, "q2": 10**400}, {**WEIGHTS, "q2": "2"}, {**WEIGHTS, "q2": True}, {**WEIGHTS, "q2": np.True_},
        dict.fromkeys(QRELS, 0), {},
    ],
)  # fmt: skip
def test_wrong_weights_are_refused(weights):
    refusal("query-weights", result, weights)


@pytest.mark.needs("pandas")
def test_a_table_without_the_column_says_how_to_name_it():
    caught = refusal("columns", result, pd.DataFrame({"query": ["q1"], "visits": [1]}))
    assert "weight_col" in str(caught)


@pytest.mark.parametrize("call", [lambda r: r.summary("median"), lambda r: r.summary("std")])
def test_a_summary_that_cannot_use_weights_refuses_them(call):
    refusal("query-weights", call, result())
    assert result().summary("max") == {"RR": 1}


def test_weights_are_saved_and_printed(tmp_path):
    result().save(tmp_path / "w.json")
    loaded = jd.load(tmp_path / "w.json")
    assert (loaded.mean(), loaded.weights.tolist()) == (result().mean(), W.tolist())
    assert "weighted" in str(result())
    assert "weights" not in jd.evaluate(QRELS, RUN, "RR").to_data()


def test_bounds_are_weighted_too():
    bounded = result(bounds=True)
    assert bounded.bounds("RR") == pytest.approx((np.average(RR, weights=W), np.average([1, 1, 1, 0], weights=W)))


def test_lists_have_one_weight_each():
    found = jd.score([[1, 0], [0, 1]], [[2, 1], [2, 1]], "RR", weights=[3, 1])
    assert found.mean() == {"RR": (3 * 1 + 1 * 1 / 2) / 4}
    for wrong, slug in (([1], "shape"), ([1, -1], "query-weights"), ([0, 0], "query-weights")):
        caught = refusal(slug, jd.score, [[1, 0], [0, 1]], [[2, 1], [2, 1]], "RR", weights=wrong)
    assert "scores" not in str(caught)
