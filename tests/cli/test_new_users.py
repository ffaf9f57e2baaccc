"""The first calls that new users make, with the files and names that they bring along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest
from commands import called

import judged as jd

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 1.0}}
RATINGS = "search_term,sku,human_grade\nq1,a,1\nq1,b,0\nq2,c,2\n"
ODD = "Such Wort,Artikel Nr,Note\nq1,a,Exact\nq1,b,Irrelevant\nq2,c,Exact\n"
NAMES = ("--query-col", "Such Wort", "--doc-col", "Artikel Nr", "--grade-col", "Note")
QUESTIONS = '{{"question":"q1","retrieved":["{}","{}"],"relevant":["a"]}}\n{{"question":"q2","retrieved":["c","d"],"relevant":["d"]}}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ratings.csv").write_text(RATINGS)
    Path("odd.csv").write_text(ODD)
    Path("run.json").write_text('{"q1": {"a": 0.2, "b": 0.9}, "q2": {"c": 1.0}}')
    Path("q").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n")
    Path("x.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\nq2 Q0 c 1 1 x\n")
    Path("bm25.jsonl").write_text(QUESTIONS.format("a", "b"))
    Path("embed.jsonl").write_text(QUESTIONS.format("b", "a"))


# ── files as they are ────────────────────────────────────────────────────────────────────────────


def test_a_sheet_of_ratings_has_other_names() -> None:
    result = called("eval", "ratings.csv", "run.json", "-m", "RR")
    assert result.returncode == 0
    assert "0.7500" in result.stdout


def test_a_run_has_a_name() -> None:
    assert called("eval", "q", "A=x.run", "-m", "RR").stdout.startswith("A judged by q")
    assert called("explain", "RR", "q", "A=x.run").returncode == 0


def test_unknown_names_of_columns_are_answered_with_options_to_copy() -> None:
    result = called("eval", "odd.csv", "run.json")
    assert result.returncode == 2
    assert "[columns]" in result.stderr
    assert '--query-col --doc-col "Artikel Nr" --grade-col' in result.stderr


@pytest.mark.parametrize("words", [
    ("eval", "odd.csv", "run.json", "-m", "RR"), ("compare", "odd.csv", "run.json", "A=run.json", "-m", "RR"),
    ("report", "odd.csv", "run.json"), ("curve", "pr", "odd.csv", "run.json"), ("explain", "RR", "odd.csv", "run.json"),
    ("gate", "odd.csv", "run.json", "--min", "RR=0.1"), ("power", "odd.csv", "run.json", "A=run.json"),
    ("convert", "odd.csv", "odd.qrels"),
])  # fmt: skip
def test_columns_and_grades_are_named_in_every_command(words: tuple[str, ...]) -> None:
    result = called(*words, *NAMES, "--grade-map", "Exact=3,Irrelevant=0")
    assert result.returncode == 0, result.stderr


def test_a_column_that_no_table_has_is_an_error() -> None:
    result = called("eval", "ratings.csv", "run.json", "--score-col", "points")
    assert result.returncode == 2
    assert "[columns]" in result.stderr
    assert "points" in result.stderr


def test_a_grade_map_has_words_and_numbers() -> None:
    assert called("eval", "odd.csv", "run.json", *NAMES, "--grade-map", "Exact").returncode == 2


def test_a_column_is_used_in_every_table_that_has_it() -> None:
    judgments = [{"Wort": "q1", "doc": "a", "rel": 1}]
    run = [{"Wort": "q1", "doc": "a", "Punkte": 1.0}]
    assert jd.evaluate(judgments, run, "RR", query_col="Wort", score_col="Punkte").mean() == {"RR": 1.0}
    runs = {"x": {"q1": ["a"]}, "y": pytest.importorskip("pandas").DataFrame(run)}
    assert jd.compare(judgments, runs, "RR", query_col="Wort", score_col="Punkte").names == ("x", "y")


# ── question files ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("words", [
    ("eval", "bm25.jsonl", "embed.jsonl", "-m", "R@5"), ("compare", "bm25.jsonl", "embed.jsonl", "-m", "R@5"),
    ("compare", "A=bm25.jsonl", "B=embed.jsonl", "-b", "B"), ("report", "bm25.jsonl", "embed.jsonl"), ("report", "bm25.jsonl"),
    ("gate", "bm25.jsonl", "-b", "embed.jsonl", "-m", "RR", "--mode", "mean"), ("gate", "bm25.jsonl", "--save", "saved.json"),
    ("power", "bm25.jsonl", "embed.jsonl"), ("curve", "pr", "bm25.jsonl", "embed.jsonl"), ("explain", "RR", "bm25.jsonl"),
    ("convert", "bm25.jsonl", "bm25.run"), ("convert", "bm25.jsonl", "gold.qrels"),
])  # fmt: skip
def test_a_question_file_is_a_run_with_its_judgments(words: tuple[str, ...]) -> None:
    result = called(*words)
    assert result.returncode == 0, result.stderr


def test_question_files_have_the_values_of_their_judgments_and_runs() -> None:
    for name in ("bm25", "embed"):
        assert called("convert", f"{name}.jsonl", f"{name}.run").returncode == 0
    assert called("convert", "bm25.jsonl", "gold.qrels").returncode == 0
    asked = jd.compare(["bm25.jsonl", "embed.jsonl"], measures="RR AP")
    split = jd.compare("gold.qrels", ["bm25.run", "embed.run"], measures="RR AP")
    assert [r.difference for r in asked.rows] == [r.difference for r in split.rows]
    assert len(asked.judged) == 2


def test_files_with_different_judgments_of_a_question_are_refused() -> None:
    Path("other.jsonl").write_text(QUESTIONS.format("a", "b").replace('["d"]', '["c"]'))
    result = called("compare", "bm25.jsonl", "other.jsonl")
    assert result.returncode == 2
    assert "[judgments-differ]" in result.stderr
    assert "'q2'" in result.stderr


def test_files_with_different_questions_are_compared_on_those_in_common() -> None:
    Path("less.jsonl").write_text(QUESTIONS.format("a", "b").splitlines()[0])
    compared = jd.compare(["bm25.jsonl", "less.jsonl"], measures="RR")
    assert compared.rows[0].queries == 1
    assert [w.slug for w in compared.warnings] == ["queries-differ"]
    decision = jd.gate("less.jsonl", baseline="bm25.jsonl", measures="RR", queries="both", mode="mean")
    assert not decision.passed


def test_frames_of_questions_are_taken_by_every_function() -> None:
    pd = pytest.importorskip("pandas")
    a, b = (pd.DataFrame([{"question": f"q{i}", "retrieved": docs, "relevant": ["a"]} for i in range(3)])
            for docs in (["a", "b"], ["b", "a"]))  # fmt: skip
    b.at[0, "retrieved"] = ["a"]
    assert jd.compare({"a": a, "b": b}, measures="RR").names == ("a", "b")
    assert jd.power(a, b, measures="RR")["RR"].observed == 3
    assert jd.gate(a, baseline=b, measures="RR", mode="mean").passed
    assert len(jd.curve("pr", {"a": a, "b": b})) == 2
    jd.report({"a": a, "b": b}, "page.html")
    assert Path("page.html").stat().st_size > 10_000


# ── measures and results by the names of other tools ─────────────────────────────────────────────


def test_the_ideal_is_explained() -> None:
    assert called("explain", "IDCG@5", "q", "x.run").returncode == 0


def test_metrics_are_measures() -> None:
    with pytest.raises(jd.UsageError) as caught:
        jd.evaluate(QRELS, RUN, metrics=["AP"])  # type: ignore[call-arg]
    assert caught.value.slug == "unknown-option"
    assert "measures=" in str(caught.value.hint)


def test_parameters_of_ir_measures_are_known() -> None:
    assert jd.nDCG(dcg="exp-log2") @ 10 == jd.nDCG(gain="exp") @ 10
    with pytest.raises(jd.UsageError):
        jd.nDCG(dcg="exp")
    assert jd.evaluate(QRELS, RUN, [ir_measures.nDCG @ 10]).mean() == jd.evaluate(QRELS, RUN, "nDCG@10").mean()


@pytest.mark.parametrize("keep", [True, False])
def test_a_value_is_found_by_the_name_that_was_written(keep: bool) -> None:
    values = jd.evaluate(QRELS, RUN, ["map", "P@5"], keep_names=keep).to_dict()["q1"]
    assert values["map"] == values["AP"] == 0.5
    assert values["P_5"] == values["P@5"]
    assert len(values) == 2
    with pytest.raises(KeyError):
        values["nDCG"]


def test_counts_are_sums_and_names_of_recommenders_are_known() -> None:
    header = called("eval", "q", "x.run", "-m", "NumRelRet", "NumRet").stdout.splitlines()[2]
    assert "sum" in header
    assert "mean" not in header
    assert called("eval", "q", "x.run", "-m", "HR@10").returncode == 0
    assert called("curve", "11pt", "q", "x.run").returncode == 0


def test_recommendations_need_a_run_and_a_history() -> None:
    Path("a.csv").write_text("user,item,score\nu,a,2\nu,b,1\n")
    Path("b.csv").write_text("user,item\nu,z\nv,a\n")
    assert called("recommend", "a.csv", "b.csv").returncode == 0


@pytest.mark.parametrize("matrix", [np.array([[0.1, 0.2], [0.3, 0.4]]), [[0.1, 0.2], [0.3, 0.4]]])
def test_a_matrix_of_scores_is_no_run(matrix: Any) -> None:
    with pytest.raises(jd.DataError) as caught:
        jd.evaluate(QRELS, matrix)
    assert caught.value.slug == "score-matrix"
    assert "jd.recommenders.top_k" in str(caught.value.hint)


# ── judgments and runs as objects ────────────────────────────────────────────────────────────────


def test_judgments_and_runs_are_read_back() -> None:
    qrels, run = jd.read_qrels(QRELS, name="gold"), jd.read_run(RUN)
    assert repr(qrels) == "Qrels('gold', 2 queries, 3 rows)"
    assert qrels["q1"] == QRELS["q1"]
    assert run["q2"] == RUN["q2"]
    assert run.to_dict() == RUN
    assert jd.read_run(run.to_pandas()).to_dict() == RUN
    assert jd.read_qrels(qrels.to_pandas()).to_dict() == QRELS
    with pytest.raises(KeyError):
        run["q9"]
    with pytest.raises(TypeError):
        iter(run)


def test_integer_ids_stay_integers_and_the_highest_grade_of_aspects_counts() -> None:
    assert jd.read_run([(1, 7, 0.5)])[1] == {7: 0.5}
    assert jd.read_qrels([("q", "x", "a", 1), ("q", "y", "a", 2)])["q"] == {"a": 2}
