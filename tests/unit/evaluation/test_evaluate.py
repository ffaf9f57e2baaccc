"""`evaluate`: policies, levels, bounds, profiles, and what a result holds."""

import json
import math
from typing import Any

import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.measures import AP, P, nDCG

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0, "d": 1}, "q3": {"x": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.9, "c": 0.7}, "q2": {"d": 0.3, "a": 0.8}}


def slugs(result) -> set[str]:
    return {w.slug for w in result.warnings}


def test_measures_may_be_names_objects_or_a_mixture():
    result = jd.evaluate(QRELS, RUN, [nDCG @ 10, AP, "P@{1,2} recip_rank"])
    assert list(result) == ["nDCG@10", "AP", "P@1", "P@2", "RR"]
    assert result[P @ 1].tolist() == result["precision@1"].tolist()


def test_every_judged_query_counts_and_what_is_missing_is_named():
    result = jd.evaluate(QRELS, RUN, "AP")
    assert result.queries == ("q1", "q2", "q3")
    assert result["AP"].tolist() == pytest.approx([(1 / 2 + 2 / 3) / 2, 1 / 2, 0])
    assert slugs(result) == {"query-missing", "no-relevant"}


def test_queries_in_both_leaves_out_what_the_run_does_not_answer():
    assert jd.evaluate(QRELS, RUN, "AP", queries="both").queries == ("q1", "q2")


def test_queries_strict_refuses_a_missing_one():
    with pytest.raises(jd.DataError, match="'q3'") as caught:
        jd.evaluate(QRELS, RUN, "AP", queries="strict")
    assert caught.value.slug == "query-missing"


def test_counts_are_added_up_and_never_replaced_by_the_policy_for_empty_queries():
    result = jd.evaluate(QRELS, RUN, "NumRet NumRel NumQ", empty="one")
    assert result.mean() == {"NumRet": 5, "NumRel": 3, "NumQ": 3}


def test_empty_error_names_the_query():
    with pytest.raises(jd.DataError, match="'q3'"):
        jd.evaluate(QRELS, RUN, "AP", empty="error")


def test_a_level_holds_for_every_binary_measure_that_does_not_say_its_own():
    result = jd.evaluate(QRELS, RUN, ["AP", "P(level=1)@3", "nDCG"], level=2)
    assert list(result) == ["AP(level=2)", "P@3", "nDCG"]


def test_strict_turns_warnings_into_an_error():
    with pytest.raises(jd.DataError, match="warnings"):
        jd.evaluate(QRELS, RUN, "AP", strict=True)


def test_a_judged_can_be_measured_again_and_again():
    judged = jd.join(QRELS, RUN)
    assert jd.evaluate(judged, measures="AP").mean() == jd.evaluate(QRELS, RUN, "AP").mean()
    with pytest.raises(jd.UsageError):
        jd.evaluate(judged, RUN, "AP")


def test_an_unknown_policy_is_named():
    refusal("unknown-option", jd.evaluate, QRELS, RUN, "AP", tie_policy="best")
    refusal("policy", jd.evaluate, QRELS, RUN, "AP", ties="random")


ONE = {"q": {"b": 1, "a": 0}}


def test_expected_values_over_many_ties_are_close_and_say_that_they_are_sampled():
    run = {"q": {f"d{i:03}": 1.0 for i in range(60)}}
    qrels = {"q": {f"d{i:03}": 1 for i in range(0, 60, 6)}}
    result = jd.evaluate(qrels, run, "RR", ties="expected")
    first = sum(math.comb(60 - r, 9) / math.comb(60, 10) / r for r in range(1, 52))
    assert result["RR"][0] == pytest.approx(first, abs=0.03)
    assert "ties-sampled" in slugs(result)
    assert result["RR"].tolist() == jd.evaluate(qrels, run, "RR", ties="expected")["RR"].tolist()


@pytest.mark.parametrize(("rejudged", "grade"), [("max", 3), ("min", 1), ("first", 1), ("last", 2), ("mean", 2)])
def test_a_document_judged_twice_gets_the_grade_of_the_policy(rejudged, grade):
    qrels = [("q", "a", 1), ("q", "a", 3), ("q", "a", 2)]
    assert jd.evaluate(qrels, {"q": ["a"]}, "CG", rejudged=rejudged)["CG"][0] == grade
    refusal("duplicate-judgment", jd.evaluate, qrels, {"q": ["a"]}, "CG")


def test_depth_and_condensed_lists():
    run = {"q": ["u", "b", "v", "a"]}
    assert jd.evaluate(ONE, run, "RR")["RR"][0] == 1 / 2
    assert jd.evaluate(ONE, run, "RR", unjudged="condensed")["RR"][0] == 1
    assert jd.evaluate(ONE, run, "RR(judged_only=True)").mean() == {"RR(judged_only=True)": 1}
    assert jd.evaluate(ONE, run, "RR", depth=1)["RR"][0] == 0


def test_bounds_are_the_values_if_unjudged_documents_were_irrelevant_or_of_the_top_grade():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "u", "b"]}
    result = jd.evaluate(qrels, run, "P@3 P@1 Bpref", bounds=True)
    assert result.bounds("P@3") == (pytest.approx(2 / 3), 1)
    assert result.bounds("P@1") == (1, 1)
    assert result.if_irrelevant["Bpref"][0] == pytest.approx(1 / 2)  # the judged non-relevant u stands above b
    assert "top grade" in str(result)


def test_a_profile_sets_the_conventions_of_another_tool():
    result = jd.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x"]}, "AP@2 AP(norm='cutoff')@2", profile="torchmetrics")
    assert list(result) == ["AP(norm='found')@2", "AP(norm='cutoff')@2"]
    said = jd.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "AP(norm='relevant')", profile="torchmetrics")
    assert list(said) == ["AP"]
    with pytest.raises(jd.UsageError, match="trec_eval-9"):
        jd.evaluate(QRELS, RUN, "AP", profile="treceval")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("tie", "ties"), ("metrics", "measures="), ("metric", "measures="), ("k", "nDCG@10"), ("cutoff", "nDCG@10"), ("qrel", "qrels="),
     ("duplicate", "duplicates")],
)  # fmt: skip
def test_an_unknown_option_gets_the_right_one(name, hint):
    for function in (jd.evaluate, jd.join):
        caught = refusal("unknown-option", function, {"q": {"a": 1}}, {"q": ["a"]}, **{name: 1})
        assert hint in str(caught.hint)
    refusal("unknown-option", jd.score, [1, 0], [1, 2], **{name: 1})


@pytest.mark.parametrize("measure", ["alpha_nDCG@5", "ERR_IA@5", "P_IA@2", "StRecall"])
def test_one_subtopic_is_enough_for_diversity(measure):
    qrels, run = [("q", "1", "a", 1), ("q", "1", "b", 0)], {"q": ["a", "b"]}
    two = [*qrels, ("p", "1", "a", 1), ("p", "2", "b", 1)]
    alone = jd.evaluate(qrels, run, measure).of("q")
    assert alone == jd.evaluate(two, {**run, "p": ["a"]}, measure).of("q")


def test_one_subtopic_keeps_documents_of_equal_grade_interchangeable():
    qrels = {"q": {f"d{i}": i % 2 for i in range(8)}}
    named = [("q", "1", doc, grade) for doc, grade in qrels["q"].items()]
    run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    plain, judged = (jd.evaluate(source, run, "AP", ties="expected") for source in (qrels, named))
    assert (judged.mean(), judged.warnings) == (plain.mean(), plain.warnings)


def test_equal_ranks_are_warned_of_as_equal_scores_are():
    run = [{"query": "q", "doc": doc, "rank": 1, "score": score} for doc, score in (("a", 2.0), ("b", 1.0))]
    by_rank, by_score = (jd.evaluate({"q": {"a": 1}}, run, "RR", order=order) for order in ("rank", "score"))
    assert (by_rank.mean(), by_score.mean()) == ({"RR": 1 / 2}, {"RR": 1.0})
    assert [w.slug for w in by_rank.warnings] == ["ties"]
    assert by_score.warnings == ()


def test_warnings_count_the_queries_that_count():
    qrels = {"found": {"a": 1}, "barren": {"a": 0}, "missing": {"a": 1}, "missing and barren": {"a": 0}}
    run = {"found": ["a"], "barren": ["a"]}
    both = jd.evaluate(qrels, run, "AP", queries="both")
    assert {w.slug: w.count for w in both.warnings} == {"query-missing": 2, "no-relevant": 1}
    skipped = jd.evaluate(qrels, run, "AP", empty="skip")
    assert skipped.mean() == {"AP": (1 + 0) / 2}
    assert "except 1 without a relevant document (empty=skip)" in str(skipped.warnings[0])
    assert "counted as 0:" in str(jd.evaluate(qrels, run, "AP").warnings[0])


def test_decisions_are_right_or_wrong_without_a_relevant_document_too():
    for empty in ("zero", "one", "skip"):
        values = jd.evaluate(
            {"q": {"a": 0, "b": 0}, "p": {"a": 0}}, {"q": ["a", "b"], "p": ["x"]}, "SetAccuracy", empty=empty
        )
        assert values.to_dict() == {"q": {"SetAccuracy": 0.0}, "p": {"SetAccuracy": 1.0}}


def test_skip_is_the_one_policy_that_gives_no_value():
    caught = refusal("policy", jd.evaluate, {"q": {"a": 1}}, {"q": ["a"]}, "AP", empty="nan")
    assert "skip" in str(caught.hint)


@pytest.mark.parametrize("rank", [-1, 1.5, "x", None])
def test_a_rank_that_is_not_one_is_named(rank):
    rows = [{"query": "q", "doc": "a", "rank": 1}, {"query": "q", "doc": "b", "rank": rank}]
    assert str(refusal("rank-type", jd.evaluate, {"q": {"a": 1}}, rows, "RR").where) == "run[1]['rank']"
    scored = [{**row, "score": 1.0} for row in rows]
    refusal("no-rank", jd.evaluate, {"q": {"a": 1}}, scored, "RR", order="rank")


SCORED = {"q1": {"a": 12.3, "b": 11.2, "c": 9.1}, "q2": {"a": 3.5, "d": 4.5}}
GRADED = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"a": 1}}


def frame() -> Any:
    return optional("pandas").DataFrame({"query_id": ["q1"], "doc_id": ["a"], "relevance": [1]})


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("call", [
    lambda: jd.evaluate([nDCG @ 10], QRELS, RUN), lambda: jd.evaluate(QRELS, RUN, QRELS), lambda: jd.compare(QRELS, RUN, RUN),
    lambda: jd.evaluate(QRELS, RUN, frame()), lambda: jd.evaluate(QRELS, RUN, jd.Run(RUN)), lambda: jd.score([1], [1], {"AP": 1}),
])  # fmt: skip
def test_data_in_the_place_of_measures_is_named_as_such(call: Any) -> None:
    with pytest.raises(jd.UsageError, match="measures as names") as error:
        call()
    assert error.value.slug == "measure"


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("qrels", [QRELS, jd.Qrels(QRELS), [("q1", "a", 1)], frame()])
def test_a_forgotten_run_is_named_as_such(qrels: Any) -> None:
    with pytest.raises(jd.UsageError, match="no run was given") as error:
        jd.evaluate(qrels)
    assert error.value.slug == "runs"


@pytest.mark.needs("pandas")
@pytest.mark.parametrize("measures", ["R@5", "nDCG@10 AP", nDCG @ 10])
def test_measures_in_the_place_of_the_run_are_named_as_such(measures: Any) -> None:
    with pytest.raises(jd.UsageError, match="measures=") as error:
        jd.evaluate(frame(), measures)
    assert error.value.slug == "runs"


def test_names_of_other_tools_lead_to_their_equivalents() -> None:
    for name in ("calc_aggregate", "iter_calc", "RelevanceEvaluator", "average_precision_score", "read_trec_run"):
        with pytest.raises(AttributeError, match=r"; use (jd|judged\.metrics)\."):
            getattr(jd, name)
    with pytest.raises(jd.UsageError, match="test="):
        jd.compare(QRELS, [RUN, RUN], stat_test="t")  # type: ignore[call-arg]


def test_named_columns_say_which_table_is_which() -> None:
    def columns(table: Any, name: str) -> dict[str, list[Any]]:
        rows = [(q, d, n) for q, row in table.items() for d, n in row.items()]
        return dict(zip(("query", "doc", name), map(list, zip(*rows, strict=True)), strict=True))

    grades, scores = columns(SCORED, "relevance"), columns(GRADED, "score")
    assert jd.evaluate(grades, scores, "nDCG").mean() == jd.evaluate(jd.Qrels(SCORED), GRADED, "nDCG").mean()


LISTS = {"q1": ["b", "a"], "q2": ["c"]}
WITH_SCORES = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    ("name", "text", "order"),
    [
        ("lists.json", json.dumps(LISTS), "rank"),
        ("lists.jsonl", "".join(json.dumps({"query": q, "docs": docs}) + "\n" for q, docs in LISTS.items()), "rank"),
        ("ranks.csv", "query,doc,rank\nq1,b,1\nq1,a,2\nq2,c,1\n", "rank"),
        ("pairs.json", json.dumps({q: list(docs.items()) for q, docs in WITH_SCORES.items()}), "score"),
        ("scores.json", json.dumps(WITH_SCORES), "score"),
        ("scores.csv", "query,doc,rank,score\nq1,b,1,-1\nq1,a,2,-2\nq2,c,1,-1\n", "score"),
    ],
)
def test_the_policy_names_what_orders_a_run(name, text, order, native, tmp_path):
    (tmp_path / name).write_text(text)
    run = str(tmp_path / name) if native else jd.read_run(str(tmp_path / name))
    result = jd.evaluate({"q1": {"a": 1}, "q2": {"c": 1}}, run, "RR")
    assert result.policy.used_order == order
    assert result.mean() == {"RR": 0.75}


def test_a_list_orders_by_rank_and_stays_comparable_with_scores():
    qrels = {"q1": {"a": 1}, "q2": {"c": 1}}
    listed, scored = (jd.evaluate(qrels, run, "RR") for run in (LISTS, WITH_SCORES))
    assert [result.policy.used_order for result in (listed, scored)] == ["rank", "score"]
    assert jd.compare({"listed": listed, "scored": scored}).rows[0].verdict == "identical"
    records = [{"query": q, "retrieved": docs, "relevant": list(qrels[q])} for q, docs in LISTS.items()]
    assert "order by rank" in str(jd.evaluate(records, measures="RR").policy)


@pytest.mark.parametrize("call", [lambda runs: jd.evaluate({"q1": {"a": 1}}, runs), jd.recommenders.beyond_accuracy])
@pytest.mark.parametrize("change", [lambda run: run, jd.read_run])
@pytest.mark.parametrize("run", [LISTS, WITH_SCORES])
def test_several_runs_where_one_is_expected_are_told(call, change, run):
    refusal("runs" if change is jd.read_run else "score-type", call, {"first": change(run), "second": change(run)})
