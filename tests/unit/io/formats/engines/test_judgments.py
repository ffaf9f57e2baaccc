"""Judgments, queries and exports of the tools around search engines."""

import json

import pytest
from engine_documents import (
    GRADES,
    RANKINGS,
    judgment_list,
    lines,
    quepid_case,
    quepid_csv,
    quepid_ratings,
    quepid_trec,
    rank_eval_request,
    rank_eval_response,
    rre,
)
from refusals import refusal

import judged as jd

FLOATS = {query: {doc: float(grade) for doc, grade in grades.items()} for query, grades in GRADES.items()}
DOCUMENTS = {
    "rank_eval": rank_eval_request(),
    "judgment list": judgment_list(),
    "RRE": rre(),
    "Quepid ratings": quepid_ratings(),
    "Quepid case": quepid_case(),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_judgments_are_read_from_files_lines_and_objects(name, save):
    document = DOCUMENTS[name]
    for source in (document, save("a.json", json.dumps(document)), save("b.json", json.dumps(document, indent=2))):
        qrels = jd.read_qrels(source)
        assert (qrels.to_dict(), qrels.warnings) == (FLOATS, ())
    assert jd.evaluate(save("a.json", json.dumps(document)), RANKINGS, "RR")["RR"].tolist() == [1 / 2, 1]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_judgments_are_no_run(name, save):
    refusal("swapped", jd.read_run, save("a.json", json.dumps(DOCUMENTS[name])))


def test_several_documents_are_one_set_of_judgments(save):
    parts = [{**judgment_list(), "judgmentRatings": [rated]} for rated in judgment_list()["judgmentRatings"]]
    assert jd.read_qrels(save("a.jsonl", lines(parts))).to_dict() == FLOATS


def test_a_rank_eval_response_has_no_judgments_of_documents_that_were_not_retrieved():
    refusal("swapped", jd.read_qrels, rank_eval_response())


@pytest.mark.parametrize("build", [rank_eval_request, judgment_list, rre, quepid_ratings, quepid_case])
def test_a_query_without_ratings_is_left_out_and_counted(build):
    result = jd.evaluate(build(graded={**GRADES, "red shoes": {}}), RANKINGS, "RR")
    assert (result.queries, result["RR"].tolist()) == (("boots",), [1 / 2])
    assert "not-judged" in [warned.slug for warned in result.warnings]


WRONG = [
    ({"requests": [{"id": "a", "ratings": []}, {"id": "q"}]}, "requests[1]"),
    ({"requests": [{"id": "a", "ratings": [{"_id": "d"}]}]}, "requests[0].ratings[0]"),
    ({"requests": [{"id": "a", "ratings": [3]}]}, "requests[0].ratings[0]"),
    ({"judgmentRatings": [{"query": "q", "ratings": 3}]}, "judgmentRatings[0].ratings"),
    ({"judgmentRatings": [{"query": "q", "ratings": [{"docId": "a"}]}]}, "judgmentRatings[0].ratings[0]"),
    ({"judgmentRatings": [{"ratings": []}]}, "judgmentRatings[0]"),
    (
        {
            "id_field": "id",
            "index": "i",
            "queries": [{"placeholders": {"$query": "a"}, "relevant_documents": {"d": 3}}],
        },
        "queries[0].relevant_documents[0]",
    ),
    ({"queries": [{"query": "q", "ratings": {"a": 1}}, {"query": "q", "ratings": []}]}, "queries[1].ratings"),
]


@pytest.mark.parametrize(("document", "path"), WRONG)
def test_a_wrong_type_is_named_by_its_path(document, path, save):
    assert path in str(refusal("form", jd.read_qrels, save("a.json", json.dumps(document))))


def test_grades_are_checked_like_those_of_any_judgments():
    for rating, slug in (("high", "grade-type"), (None, "grade-type"), ([1], "grade-type")):
        refusal(
            slug, jd.read_qrels, {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "a", "rating": rating}]}]}
        )
    twice = {"judgmentRatings": judgment_list()["judgmentRatings"] * 2}
    assert [w.slug for w in jd.evaluate(twice, RANKINGS, "RR").warnings if "judg" in w.slug]


def test_words_are_grades_by_a_map():
    document = {
        "judgmentRatings": [
            {"query": "q", "ratings": [{"docId": "a", "rating": "Exact"}, {"docId": "b", "rating": "0.5"}]}
        ]
    }
    assert jd.read_qrels(document, grade_map={"Exact": 3}).to_dict() == {"q": {"a": 3, "b": 0.5}}


def test_other_exports_are_ordinary_files(save):
    qrels = jd.read_qrels(save("ratings.csv", quepid_csv()))
    assert (qrels.to_dict(), [w.slug for w in qrels.warnings]) == (FLOATS, ["no-final-newline"])
    refusal("swapped", jd.read_run, save("ratings.csv", quepid_csv()))
    numbers = {str(i): grades for i, grades in enumerate(FLOATS.values(), 1)}
    assert jd.read_qrels(save("case_6_trec.txt", quepid_trec())).to_dict() == numbers
