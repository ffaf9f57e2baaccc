"""Boards: runs over several collections, ranked, with missing cells by a stated rule."""

import json

import numpy as np
import pytest
from refusals import refusal

import judged as jd

rng = np.random.default_rng(8)


def collection(runs: dict[str, float], queries: int = 30) -> dict[str, jd.Values]:
    """Runs that differ by the noise of their scores."""
    qrels = {f"q{i}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 2, 12))} for i in range(queries)}
    return {
        name: jd.evaluate(qrels, {q: {d: g + float(rng.normal(0, noise)) for d, g in by.items()} for q, by in qrels.items()}, "AP FallOut@5")
        for name, noise in runs.items()
    }  # fmt: skip


TABLES = {name: collection({"best": 0.3, "middle": 1.0, "worst": 4.0}) for name in ("one", "two", "three")}


def test_runs_are_ranked_by_their_mean_rank_with_intervals_and_letters():
    board = jd.leaderboard(TABLES, "AP")
    assert board.order() == ["best", "middle", "worst"]
    rows = board.records()
    assert [r["rank"] for r in rows] == [1, 2, 3]
    assert all(r["low"] <= r["rank"] <= r["high"] for r in rows)
    assert rows[0]["one"] == pytest.approx(TABLES["one"]["best"].mean()["AP"])
    assert rows[0]["mean"] == pytest.approx(np.mean([TABLES[c]["best"].mean()["AP"] for c in TABLES]))
    assert "no clear difference" in str(board)


@pytest.mark.parametrize(
    ("collections", "runs", "by", "said"),
    [
        (1, 2, "mean_rank", "t test, no correction, alpha 0.05"),
        (1, 3, "mean_rank", "t test adjusted for skewness, bonferroni correction over 3 tests (the pairs of a measure), alpha 0.05"),
        (3, 3, "mean", "t test adjusted for skewness, bonferroni correction over 3 tests (the pairs of a measure), alpha 0.05"),
        (3, 3, "mean_rank", "t test adjusted for skewness, bonferroni correction over 9 tests (pairs × collections), alpha 0.05"),
    ],
)  # fmt: skip
def test_the_test_is_said_in_the_words_of_a_comparison(collections, runs, by, said):
    tables = {name: dict(list(table.items())[:runs]) for name, table in list(TABLES.items())[:collections]}
    assert f"\n{said}\n" in f"{jd.leaderboard(tables, 'AP', by=by)}\n"


def test_lower_is_better_turns_the_order_around_and_shows_plain_means():
    board = jd.leaderboard(TABLES, "FallOut@5")
    assert board.order() == ["best", "middle", "worst"]
    assert board.records()[0]["mean"] >= 0


def test_the_first_common_measure_is_taken_and_comparisons_do_as_well():
    assert jd.leaderboard({name: jd.compare(table) for name, table in TABLES.items()}).measure == "AP"


@pytest.mark.parametrize(("missing", "collections"), [("complete", 2), ("worst", 3)])
def test_a_missing_run_is_handled_by_the_rule_that_is_said(missing, collections):
    tables = {**TABLES, "three": {k: v for k, v in TABLES["three"].items() if k != "best"}}
    board = jd.leaderboard(tables, "AP", missing=missing)
    assert len(board.standings.collections) == collections
    assert {"complete": "have all runs", "worst": "last"}[missing] in str(board)
    assert json.loads(board.to_json())["missing"] == missing


@pytest.mark.needs("pandas")
def test_a_list_of_values_says_run_and_collection_by_itself():
    values = [result for table in TABLES.values() for result in table.values()]
    with pytest.raises(jd.UsageError, match="two results") as caught:
        jd.leaderboard(values)
    assert caught.value.slug == "runs"
    from dataclasses import replace

    named = [replace(r, names=(f"data/{c}.qrels", f"runs/{n}.run")) for c, t in TABLES.items() for n, r in t.items()]
    board = jd.leaderboard(named)
    assert board.collections == ("one.qrels", "two.qrels", "three.qrels")
    assert board.runs == ("best", "middle", "worst")
    assert len(board.to_pandas()) == len(board.to_polars()) == 3


def test_queries_that_not_all_runs_have_are_left_out_aloud():
    table = TABLES["one"]
    other = jd.evaluate({f"q{i}": {"d1": 1} for i in range(20)}, {"q0": ["d1"]}, "AP")
    board = jd.leaderboard({"one": {"best": table["best"], "other": other}}, "AP")
    assert board.dropped == 10
    assert "10 queries" in str(board)


@pytest.mark.parametrize("wrong", [{}, [], {"a": {}}, {"a": 5}, "x"])
def test_what_is_no_table_of_results_is_refused(wrong):
    with pytest.raises(jd.UsageError, match="collection") as caught:
        jd.leaderboard(wrong)
    assert caught.value.slug == "runs"


def test_a_measure_that_not_all_have_is_refused():
    refusal("not-asked", jd.leaderboard, TABLES, "RR")


def test_runs_that_tie_for_the_first_rank_are_all_named():
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    good, bad = {q: ["a", "b"] for q in qrels}, {q: ["b", "c", "a"] for q in qrels}
    results = {name: jd.evaluate(qrels, run, "RR") for name, run in {"s0": good, "s1": good, "s2": bad}.items()}
    assert jd.leaderboard({"one": results}).headline()[0].startswith("s0, s1 tie for the first rank by mean rank of RR")
    del results["s1"]
    assert jd.leaderboard({"one": results}).headline()[0].startswith("s0 ranks first by mean rank of RR")
