"""Responses of search engines: what is read as a run, what is counted, what is refused."""

import json

import pytest
from engine_documents import (
    RANKINGS,
    elasticsearch,
    elasticsearch_error,
    lines,
    rank_eval_response,
    solr,
    vespa,
)
from refusals import refusal

import judged as jd

ENGINES = [pytest.param(build, id=build.__name__) for build in (elasticsearch, vespa, solr)]
UNSCORED = {"d2": None, "d1": None}


def slugs(table) -> list[str]:
    return [warned.slug for warned in table.warnings]


def ranked(run) -> dict[str, list[str]]:
    """The documents of each query, the best first."""
    return {query: sorted(scores, key=lambda doc: -scores[doc]) for query, scores in run.to_dict().items()}


ORDER = {query: list(ranking) for query, ranking in RANKINGS.items()}


@pytest.mark.parametrize("build", ENGINES)
def test_responses_are_read_in_every_surrounding(build, save, tmp_path):
    responses = {query: build(ranking) for query, ranking in RANKINGS.items()}
    records = [{"query": query, "response": response} for query, response in responses.items()]
    folder = tmp_path / "run"
    folder.mkdir()
    for query, response in responses.items():
        (folder / f"{query}.json").write_text(json.dumps(response, indent=2))
    for source in (
        responses, records, save("a.json", json.dumps(responses)), save("a.jsonl", lines(records)), save("b.json", json.dumps(records)),
        str(folder),
    ):  # fmt: skip
        run = jd.read_run(source)
        assert run.to_dict() == RANKINGS
        assert run.warnings == ()
    one = save("boots.json", json.dumps(responses["boots"], indent=1))
    assert jd.read_run(one).to_dict() == {"boots": RANKINGS["boots"]}


@pytest.mark.parametrize("build", ENGINES)
def test_one_response_without_a_file_has_no_query(build):
    refusal("form", jd.read_run, build(RANKINGS["boots"]))


def test_two_responses_to_a_query_are_an_error():
    responses = [{"query": "q", "response": elasticsearch({"d1": score})} for score in (3.0, 2.0)]
    refusal("duplicate-query", jd.read_run, responses)


def test_several_responses_without_queries_are_an_error(save):
    refusal("form", jd.read_run, save("x.jsonl", lines([elasticsearch(ranking) for ranking in RANKINGS.values()])))


def test_msearch_has_the_queries_beside_it():
    responses = [elasticsearch(ranking, status=200) for ranking in RANKINGS.values()]
    assert "a list queries" in str(refusal("form", jd.read_run, {"took": 3, "responses": responses}))
    run = jd.read_run({"queries": list(RANKINGS), "responses": responses})
    assert (run.to_dict(), slugs(run)) == (RANKINGS, [])
    assert "2 queries" in str(refusal("form", jd.read_run, {"queries": ["a"], "responses": responses}))
    error = refusal("engine-error", jd.read_run, {"responses": [responses[0], elasticsearch_error()]})
    assert "responses[1]" in str(error)


@pytest.mark.parametrize("build", ENGINES)
def test_the_order_of_documents_is_used_without_scores(build):
    run = jd.read_run({"q": build(UNSCORED)})
    assert ranked(run) == {"q": ["d2", "d1"]}
    assert slugs(run) == []


def test_absent_scores_are_no_warning_and_queries_with_scores_keep_them():
    bare = elasticsearch({"b": 1.0, "a": 1.0})
    for hit in bare["hits"]["hits"]:
        del hit["_score"]
    run = jd.read_run({"q1": bare, "q2": elasticsearch({"c": 0.5})})
    assert run.to_dict() == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 0.5}}
    assert slugs(run) == slugs(jd.read_run({"q": solr({"a": 1.0}, scores=False)})) == []


def test_positions_are_ranks_which_a_policy_can_choose():
    rising = {"q": elasticsearch({"a": 1.0, "b": 2.0})}
    by_score = jd.evaluate({"q": {"a": 1}}, rising, "RR")
    assert (by_score["RR"].tolist(), [w.slug for w in by_score.warnings]) == ([1 / 2], ["rank-disagrees"])
    assert jd.evaluate({"q": {"a": 1}}, rising, "RR", order="rank")["RR"].tolist() == [1]


@pytest.mark.parametrize(
    "response",
    [
        elasticsearch({"a": 1.0}, timed_out=True),
        elasticsearch({"a": 1.0}, _shards={"total": 2, "successful": 1, "failed": 1}),
        vespa({"a": 1.0}, coverage={"coverage": 66, "full": False}),
        vespa({"a": 1.0}, errors=[{"code": 12, "summary": "Timed out"}]),
        solr({"a": 1.0}, partialResults=True),
    ],
)
def test_partial_responses_are_counted_and_refused_when_empty(response):
    run = jd.read_run({"q1": response, "q2": response})
    assert [(warned.slug, warned.count) for warned in run.warnings] == [("partial-response", 2)]
    for holder, name in (
        (response.get("response", response).get("hits", {}), "hits"),
        (response.get("root", {}), "children"),
        (response.get("response", {}), "docs"),
    ):
        if isinstance(holder.get(name), list):
            holder[name] = []
    refusal("engine-error", jd.read_run, {"q1": response})


@pytest.mark.parametrize(
    "response",
    [
        elasticsearch_error(),
        {"error": "IndexMissingException[[shop] missing]", "status": 404, "took": {}},
        {"responseHeader": {"status": 400, "QTime": 1}, "error": {"msg": "undefined field brand", "code": 400}},
        {"responseHeader": {"status": 500, "QTime": 1}, "response": {"docs": []}},
        {
            "root": {
                "id": "toplevel",
                "relevance": 1.0,
                "fields": {"totalCount": 0},
                "errors": [{"code": 3, "summary": "Illegal query", "message": "x"}],
            }
        },
    ],
)
def test_an_error_of_the_engine_is_never_an_empty_ranking(response):
    error = refusal("engine-error", jd.read_run, {"q1": response})
    assert "'q1'" in str(error)


def test_no_documents_are_a_ranking_only_if_none_matches():
    assert jd.evaluate({"q": {"a": 1}}, {"q": elasticsearch({})}, "RR")["RR"].tolist() == [0]
    counted = elasticsearch({})
    counted["hits"]["total"] = {"value": 10, "relation": "gte"}
    counted["aggregations"] = {"brands": {"buckets": []}}
    refusal("engine-error", jd.read_run, {"q": counted})
    counted["hits"]["total"] = 10  # before version 7
    refusal("engine-error", jd.read_run, {"q": counted})
    group = {"id": "group:root:0", "relevance": 1.0, "children": []}
    refusal("engine-error", jd.read_run, {"q": vespa({}, fields={"totalCount": 4}, children=[group])})


def test_one_id_of_two_types_is_a_duplicate():
    clash = vespa({"a": 2.0, "b": 1.0})
    clash["root"]["children"][1]["id"] = "id:shop:box::a"
    refusal("duplicate-doc", jd.evaluate, {"q": {"a": 1}}, {"q": clash}, "RR")


def test_ids_of_vespa_are_those_that_were_fed():
    response = vespa({"a": 2.0})
    hidden = {"id": "index:shop/0/c4ca", "relevance": 1.0, "fields": {"documentid": "id:shop:product:n=1:b::c"}}
    response["root"]["children"] += [hidden, {"id": "index:shop/0/c81e", "relevance": 0.5, "fields": {}}]
    assert ranked(jd.read_run({"q": response})) == {"q": ["a", "c", "index:shop/0/c81e"]}


def test_hits_of_rank_eval_are_a_run():
    response = rank_eval_response()
    assert jd.read_run(response).to_dict() == RANKINGS
    response["failures"] = {"socks": {"error": {"type": "x", "reason": "y"}}}
    assert "socks" in str(refusal("engine-error", jd.read_run, response))


WRONG = [
    ({"hits": {"hits": [3]}}, "hits.hits[0]"),
    ({"hits": {"hits": [{"_id": "a"}, {"_score": 1}]}}, "hits.hits[1]"),
    ({"root": {"relevance": 1.0, "children": [{"relevance": 1}]}}, "root.children[0]"),
    ({"root": {"relevance": 1.0, "children": ["a"]}}, "root.children[0]"),
    ({"response": {"docs": ["a"]}}, "response.docs[0]"),
    ({"response": {"docs": [{"id": "a", "score": 1}, {"id": "b"}]}}, "response.docs[1]"),
]


@pytest.mark.parametrize(("response", "path"), WRONG)
def test_a_wrong_type_is_named_by_its_path(response, path, save):
    assert path in str(refusal("form", jd.read_run, {"q": response}))
    error = refusal(
        "form",
        jd.read_run,
        save(
            "a.jsonl",
            lines([{"query": "p", "response": elasticsearch({"a": 1.0})}, {"query": "q", "response": response}]),
        ),
    )
    assert error.where.line == 2
    assert "'q'" in str(error)


@pytest.mark.parametrize(
    ("hit", "slug"),
    [
        ({"_id": None, "_score": 1.0}, "id-type"), ({"_id": ["a"], "_score": 1.0}, "id-type"), ({"_id": "", "_score": 1.0}, "id-type"),
        ({"_id": True, "_score": 1.0}, "id-type"), ({"_id": "b", "_score": "high"}, "score-type"), ({"_id": "b", "_score": None}, "score-nan"),
        ({"_id": "b", "_score": [1]}, "score-type"),
    ],
)  # fmt: skip
def test_ids_and_scores_are_checked_like_those_of_any_run(hit, slug, save):
    response = elasticsearch({"a": 2.0})
    response["hits"]["hits"].append(hit)
    record = {"query": "q", "response": response}
    error = refusal(
        slug, jd.read_run, save("a.jsonl", lines([{"query": "p", "response": elasticsearch({"a": 1.0})}, record]))
    )
    assert error.where.line == 2


def test_numbers_as_ids_are_text_in_a_file(save):
    response = elasticsearch({"a": 2.0})
    response["hits"]["hits"][0]["_id"] = 7
    assert jd.read_run(save("a.json", json.dumps({"1": response}))).to_dict() == {"1": {"7": 2.0}}


def test_deep_nesting_is_refused_or_ignored(save):
    deep: object = {}
    for _ in range(300):
        deep = {"inner_hits": [deep]}
    response = elasticsearch({"a": 1.0})
    response["hits"]["hits"][0]["inner_hits"] = deep
    assert ranked(jd.read_run({"q": response})) == {"q": ["a"]}
    assert ranked(jd.read_run(save("q.json", json.dumps(response)))) == {"q": ["a"]}
    text = '{"hits": {"hits": [' + '{"_id": ' * 100_000
    refusal("json", jd.read_run, save("q.json", text))
    refusal("form", jd.read_run, {"took": 1, "hits": {"docs": deep}})
