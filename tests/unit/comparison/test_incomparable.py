"""A ranking that is not there is not a bad ranking: such runs are not comparable, and this is said first."""

import math

import numpy as np
import pytest

import judged as jd
from judged.comparison.tables import signs

N = 40
DOCS = [f"d{i}" for i in range(12)]


def collection(rng, queries=N):
    """Judgments of half of the documents, and a run that ranks all of them at random."""
    qrels = {f"q{i}": {d: int(rng.integers(0, 2)) for d in DOCS[:8]} | {"d0": 1} for i in range(queries)}
    return qrels, {q: rng.permutation(DOCS).tolist() for q in qrels}


QRELS, A = collection(np.random.default_rng(1))
B = {q: docs[::-1] for q, docs in A.items()}
ONE = {"q0": A["q0"]}
SENTENCE = "one answered 1 of 40 queries and is not comparable."


@pytest.mark.parametrize("seed", range(30))
def test_removing_rankings_never_makes_a_verdict(seed):
    """Law: of a run without more than a tenth of its rankings nothing is claimed, whatever was claimed of the whole run."""
    rng = np.random.default_rng(seed)
    qrels, whole = collection(rng, int(rng.integers(2, 60)))
    other = {q: rng.permutation(DOCS).tolist() for q in qrels}
    kept = int(rng.integers(1, len(qrels)))
    part = {q: whole[q] for q in rng.permutation(list(qrels))[:kept].tolist()}
    correction = str(rng.choice(["none", "bonferroni", "holm"]))
    [row] = jd.compare(qrels, {"other": other, "part": part}, "AP", correction=correction).rows
    enough = len(qrels) - kept <= len(qrels) / 10
    assert (row.verdict == "not comparable") is not enough
    [half] = jd.compare(qrels, {"other": other, "part": part}, "AP", queries="both").rows
    assert half.queries == kept
    assert half.verdict != "not comparable"


def test_up_to_a_tenth_of_the_rankings_may_be_missing():
    for kept, comparable in ((36, True), (35, False)):
        found = jd.compare(QRELS, {"a": A, "b": dict(list(B.items())[:kept])}, "AP")
        assert (not found.incomparable) is comparable


def test_it_is_said_first_and_nothing_is_claimed():
    found = jd.compare(QRELS, {"a": A, "one": ONE}, "nDCG@10 AP")
    assert found.headline() == [SENTENCE]
    assert found.render("table").startswith(SENTENCE)
    assert found.to_markdown().startswith(f"**{SENTENCE}")
    whole = found.render("table")
    for claim in ("clearly", "sure.", "▲", "▼", "%)", "winner"):
        assert claim not in whole.lower()
    assert "Compare the queries that all runs answered with queries='both'." in whole
    row = found.of("AP", "a", "one")
    assert (row.verdict, row.sign, row.needed) == ("not comparable", "", None)
    assert row.mean_b == pytest.approx(found.mean_of("AP")[1])  # the numbers stay
    assert not math.isnan(row.p)
    assert found.verdicts()[1].startswith("one is not comparable with a on AP: one answered 1 of 40 queries")
    assert found.to_data()["incomparable"] == {"one": SENTENCE}


def test_the_other_runs_are_compared_as_if_it_were_not_named():
    runs = {"a": A, "one": ONE, "b": B}
    found = jd.compare(QRELS, runs, "AP")
    without = jd.compare(QRELS, {"a": A, "b": B}, "AP", correction="none")
    assert found.headline() == [SENTENCE, *without.headline()]
    marks = dict(zip(found.names, signs(found, "AP"), strict=True))
    assert marks["one"] == ""
    assert {marks["a"], marks["b"]} <= {"a", "b"}
    assert found.order("AP")[-1] == 1
    based = jd.compare(QRELS, runs, "AP", baseline="a")
    assert based.headline()[0] == SENTENCE
    assert "b" in based.headline()[1]
    assert jd.compare(QRELS, runs, "AP", baseline="one").headline() == [SENTENCE]


def test_a_measure_where_lower_is_better_does_not_put_the_missing_run_first():
    found = jd.compare(QRELS, {"a": A, "one": ONE, "b": B}, "ARP")
    assert found.order("ARP")[-1] == 1
    assert found.headline()[0] == SENTENCE


def test_slices_have_the_same_verdict():
    found = jd.compare(QRELS, {"a": A, "one": ONE}, "AP", slices={q: str(i % 2) for i, q in enumerate(QRELS)})
    assert {row.verdict for row in found.parts} == {"not comparable"}


def test_runs_of_another_collection_and_of_unjudged_documents():
    other = {q: [f"x{d}" for d in docs] for q, docs in A.items()}
    found = jd.compare(QRELS, {"a": A, "other": other}, "AP")
    assert found.headline() == ["No document of other is judged: ids of another collection?"]
    assert found.rows[0].verdict == "not comparable"
    unjudged = {q: [*(f"x{d}" for d in docs), "d0"] for q, docs in A.items()}
    found = jd.compare(QRELS, {"a": A, "deep": unjudged}, "AP")
    assert found.headline() == ["deep is not comparable: 0% of its top 10 are judged, 66% of those of a."]
    both = jd.compare(QRELS, {"b": unjudged, "deep": unjudged}, "AP")  # judgments that cover neither are no reason
    assert not both.incomparable


def test_saved_results_know_what_was_missing():
    saved = [jd.Values.from_json(jd.evaluate(QRELS, run, "AP").to_json()) for run in (A, ONE)]
    assert jd.compare(dict(zip("ab", saved, strict=True))).headline() == [
        "b answered 1 of 40 queries and is not comparable."
    ]


@pytest.mark.parametrize("mode", ["significant", "mean", "sure"])
@pytest.mark.parametrize(("candidate", "baseline"), [(ONE, A), (A, ONE)], ids=["candidate", "baseline"])
def test_the_gate_fails_for_this_reason_alone(mode, candidate, baseline):
    names = ("one", "a") if candidate is ONE else ("a", "one")
    found = jd.gate(QRELS, {names[0]: candidate}, baseline={names[1]: baseline}, measures="AP nDCG@10", mode=mode)
    assert not found
    [reason] = found.broken
    assert reason.rule == "comparable"
    assert reason.sentence.startswith(SENTENCE)
    assert "queries='both'" in reason.sentence
    assert ("allow_missing_queries=True" in reason.sentence) is (candidate is ONE)
    assert all(r.skipped for r in found.reasons if r.rule == "max_drop")
    assert "1 of 1 rules failed" in found.verdict


def test_the_gate_does_what_its_reason_advises():
    part = dict(list(B.items())[:20])
    found = jd.gate(QRELS, A, baseline=part, measures="AP", queries="both", mode="mean", max_drop=1)
    assert found
    assert found.comparison.rows[0].queries == 20
    options = {"queries": "both", "allow_missing_queries": True, "mode": "mean", "max_drop": 1}
    assert jd.gate(QRELS, part, baseline=A, measures="AP", **options)


def test_a_gate_that_compares_nothing_is_not_in_the_history(tmp_path):
    history = tmp_path / "history.jsonl"
    jd.gate(QRELS, A, baseline=ONE, measures="AP", history=history)
    assert not history.exists()
    jd.gate(QRELS, A, baseline=B, measures="AP", history=history)
    assert history.exists()


def test_a_leaderboard_says_it_first_and_separates_nothing_by_it():
    results = {name: jd.evaluate(QRELS, run, "AP") for name, run in (("a", A), ("one", ONE), ("b", B))}
    board = jd.leaderboard({"web": results})
    assert board.headline()[0].startswith(f"web: {SENTENCE}")
    [row] = [r for r in board.records() if r["run"] == "one"]
    assert (row["tied"], row["low"], row["high"]) == ("", 1, 3)
    assert "one" not in board.best()
    assert row["mean"] == pytest.approx(results["one"].mean()["AP"])
    assert "comparable runs" in board.headline()[1]
    alone = jd.leaderboard({"web": {name: results[name] for name in ("a", "one")}})
    assert "significantly" not in " ".join(alone.headline())  # nothing is left to be better than


def test_the_page_says_it_first(tmp_path):
    jd.report(jd.compare(QRELS, {"a": A, "one": ONE, "b": B}, "AP"), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<bdi>one</bdi> answered 1 of 40 queries and is not comparable." in text
