"""Questions without an answer are a group of their own: junk and silence have different rates, and the usual means stay."""

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner
from refusals import refusal

import judged as jd
from judged.cli.main import cli
from judged.evaluation.unanswerable import Unanswerable
from judged.stats.intervals import interval, wilson


def record(query, retrieved, relevant):
    return {"question_id": query, "retrieved": [{"id": d, "score": s} for d, s in retrieved], "relevant": relevant}


FOUND = [record(f"a{i}", [("g", 9 - i), ("x", 1)], ["g"]) for i in range(4)]
LOST = [record("lost", [("x", 4.5)], ["g"]), record("silent", [], ["g"])]
JUNK = [record(f"n{i}", [("x", 3.5 - i)], []) for i in range(3)]
SILENCE = [record("s0", [], [])]
RECORDS = [*FOUND, *LOST, *JUNK, *SILENCE]
LINE = (
    "answered 5 of 6 questions (83%, 44% to 97%); false answers to 3 of 4 questions without an answer (75%, 30% to 95%)"
)


def evaluated(records, measures="RR", **options):
    return jd.evaluate(records, measures=measures, **options)


def test_junk_and_silence_differ_while_the_usual_means_stay():
    silent = [*FOUND, *LOST, *(record(one["question_id"], [], []) for one in JUNK)]
    junk, silence, without = evaluated([*FOUND, *LOST, *JUNK]), evaluated(silent), evaluated([*FOUND, *LOST])
    assert junk.mean() == silence.mean() == without.mean() == {"RR": 4 / 6}
    assert (junk.unanswerable.false_answers, silence.unanswerable.false_answers) == (1, 0)
    assert without.unanswerable is None


def test_counts_rates_and_intervals():
    found = evaluated(RECORDS).unanswerable
    assert found == Unanswerable(answerable=6, answered=5, unanswerable=4, answered_falsely=3)
    assert (found.answer_rate, found.false_answers) == (5 / 6, 3 / 4)
    assert found.intervals(0.9) == {"answer_rate": wilson(5 / 6, 6, 0.9), "false_answers": wilson(3 / 4, 4, 0.9)}
    assert str(found) == LINE


def test_only_an_empty_list_says_that_there_is_no_answer():
    assert evaluated([*FOUND, record("null", [("x", 1)], None)]).unanswerable is None
    plain = jd.evaluate({"q": {"a": 1}, "empty": {}}, {"q": ["a"], "empty": ["b"]}, "RR")
    assert plain.unanswerable is None
    assert [w.slug for w in plain.warnings] == ["not-judged"]
    assert not [w for w in evaluated(RECORDS).warnings if w.slug == "not-judged"]


@pytest.mark.parametrize("options", [{"order": "score"}, {"roll_up": "max", "documents": "#"}, {"queries": "both"}])
def test_preparations_keep_the_group(options):
    found = evaluated(RECORDS, **options).unanswerable
    assert (found.unanswerable, found.answered_falsely) == (4, 3)


def test_saved_and_pickled_values_keep_the_group():
    values = evaluated(RECORDS)
    assert jd.Values.from_json(values.to_json()).unanswerable == values.unanswerable
    assert pickle.loads(pickle.dumps(values)).unanswerable == values.unanswerable


def test_the_line_is_beside_the_means_in_terminal_comparison_and_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    (tmp_path / "y.jsonl").write_text(
        "\n".join(json.dumps({**one, "retrieved": one["retrieved"][:1]}) for one in RECORDS)
    )
    run = CliRunner().invoke
    assert f"\n{LINE}\n" in run(cli, ["eval", "x.jsonl", "-m", "RR"]).stdout
    assert f"\ny: {LINE}\n" in run(cli, ["eval", "x.jsonl", "y.jsonl", "-m", "RR"]).stdout
    assert f"\ny: {LINE}\n" in run(cli, ["compare", "x.jsonl", "y.jsonl", "-m", "RR"]).stdout
    for words in (["x.jsonl"], ["x.jsonl", "y.jsonl"]):
        assert run(cli, ["report", *words, "-m", "RR", "-o", "page.html"]).exit_code == 0
        assert f"x: {LINE}" in (tmp_path / "page.html").read_text("utf-8")
        (tmp_path / "page.html").unlink()


def test_risk_rises_with_coverage_as_the_threshold_falls():
    values = evaluated(RECORDS)
    found = jd.rag.risk_coverage(values)
    risks = [0, 0, 0, 0, 1, 1, 1, 1]  # four found, one lost, three that have no answer; two have no chunk at all
    assert found["threshold"] == (9, 8, 7, 6, 4.5, 3.5, 2.5, 1.5)
    assert found["coverage"] == tuple(n / 10 for n in range(1, 9))
    assert found["risk"] == tuple(float(np.mean(risks[:n])) for n in range(1, 9))
    ends = interval([risks[:6]], limits=[(0.0, 1.0)])[0]
    assert (found["low"][5], found["high"][5]) == ends
    tied = jd.rag.risk_coverage(evaluated([record("a", [("g", 1)], ["g"]), record("b", [("x", 1)], [])]))
    assert (tied["coverage"], tied["risk"]) == ((1.0,), (0.5,))


def test_a_curve_needs_scores_and_values_from_0_to_1():
    lists = [{"query": "q", "retrieved": ["a"], "relevant": ["a"]}, {"query": "n", "retrieved": ["b"], "relevant": []}]
    refusal("policy", jd.rag.risk_coverage, evaluated(lists))
    refusal("measure", jd.rag.risk_coverage, evaluated(RECORDS, "DCG"))
    refusal("no-source", jd.rag.risk_coverage, jd.Values.from_json(evaluated(RECORDS).to_json()))


@pytest.mark.parametrize("nothing", [[], {}])
def test_questions_of_which_none_has_an_answer_have_no_mean(nothing):
    error = refusal("empty-qrels", evaluated, [{**one, "relevant": nothing} for one in (*JUNK, *SILENCE)])
    assert "3 of 4 questions have a retrieved chunk" in str(error)
