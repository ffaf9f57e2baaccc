"""Retrieval for RAG: plain ids, roll-up, sets of which any one will do, the query's own document, budgets of tokens."""

import math
import pickle

import numpy as np
import pytest
from needs import optional
from refusals import refusal

import judged as jd
from judged.measures.registry import MEASURES

pd = optional("pandas")
pl = optional("polars")

GOLD = {"q1": ["c1", "c4"], "q2": ["c7"]}
RUN = {"q1": ["c4", "c2", "c1"], "q2": ["c5", "c7"]}


def rankings(seed: int, queries: int = 12, docs: int = 15, depth: int = 8):
    random = np.random.default_rng(seed)
    names = [f"d{i}" for i in range(docs)]
    run = {f"q{i}": random.permutation(names)[: random.integers(1, depth + 1)].tolist() for i in range(queries)}
    gold = {f"q{i}": random.permutation(names)[: random.integers(1, 5)].tolist() for i in range(queries)}
    return gold, run


def test_lists_of_ids_are_evaluated_as_they_are():
    assert jd.evaluate(GOLD, RUN, "R@2 RR Success@1 P@1").mean() == {
        "R@2": 0.75,
        "RR": 0.75,
        "Success@1": 0.5,
        "P@1": 0.5,
    }


def brute_roll_up(chunks: dict[str, float], how: str) -> list[str]:
    best: dict[str, float] = {}
    for place, (chunk, score) in enumerate(sorted(chunks.items(), key=lambda pair: -pair[1])):
        doc = chunk.split("#")[0]
        if how == "first":
            best.setdefault(doc, -place)
        elif how == "max":
            best[doc] = max(best.get(doc, -math.inf), score)
        else:
            best[doc] = best.get(doc, 0.0) + score
    return sorted(best, key=lambda doc: -best[doc])


@pytest.mark.parametrize("how", ["first", "max", "sum"])
def test_a_roll_up_ranks_documents_as_counting_by_hand_does(how):
    random = np.random.default_rng(5)
    for _ in range(20):
        ids = [f"d{d}#{c}" for d in range(6) for c in range(4)]
        chosen = random.permutation(ids)[:12].tolist()
        chunks = dict(zip(chosen, (random.permutation(1000)[:12] / 8).tolist(), strict=True))
        rolled = jd.rag.roll_up({"q": chunks}, "#", how)
        order = np.lexsort((-rolled.score,))
        assert [rolled.doc[int(i)].decode() for i in order] == brute_roll_up(chunks, how)


def test_first_keeps_the_order_of_the_ranking_where_scores_are_equal():
    run = {"q": {"b#1": 1.0, "a#9": 1.0, "c#1": 1.0}}  # by ids, descending: c, b, a
    assert jd.rag.roll_up(run, "#").doc.tolist() == [b"c", b"b", b"a"]
    assert jd.rag.roll_up(run, "#", ties="id-asc").doc.tolist() == [b"a", b"b", b"c"]
    assert jd.rag.roll_up({"q": ["b#1", "a#1", "b#2"]}, "#").doc.tolist() == [b"b", b"a"]


@pytest.mark.needs("pandas", "polars")
@pytest.mark.parametrize(
    "documents",
    [
        {"x1": "x", "x2": "x", "y1": "y"},
        pd.DataFrame({"chunk_id": ["x1", "x2", "y1"], "doc_id": ["x", "x", "y"]}),
        pl.DataFrame({"id": ["x1", "x2", "y1"], "document": ["x", "x", "y"]}),
        [{"chunk_id": "x1", "doc": "x"}, {"chunk_id": "x2", "doc": "x"}, {"chunk_id": "y1", "doc": "y"}],
    ],
    ids=["mapping", "pandas", "polars", "records"],
)
def test_documents_of_chunks_come_in_any_form(documents):
    run = {"q": ["y1", "x2", "x1"]}
    assert jd.rag.roll_up(run, documents).doc.tolist() == [b"y", b"x"]
    assert jd.evaluate({"q": ["x1", "x2"]}, run, "R@2 RR NumRel", roll_up="first", documents=documents).mean() == {
        "R@2": 1.0,
        "RR": 0.5,
        "NumRel": 1.0,
    }


def test_the_grade_of_a_document_is_the_highest_of_its_chunks():
    rolled = jd.rag.roll_up(jd.read_qrels({"q": {"a#1": 1, "a#2": 3, "b": 2}}), "#")
    assert dict(zip(rolled.doc.tolist(), rolled.grade.tolist(), strict=True)) == {b"a": 3.0, b"b": 2.0}


def test_the_same_judgments_of_documents_serve_two_chunkings():
    small, large = {"q": ["a#1", "b#1", "a#2", "c#1"]}, {"q": ["a#0", "b#0", "c#0"]}
    options = {"roll_up": "first", "documents": "#"}
    one, two = (jd.evaluate({"q": ["c"]}, run, "RR nDCG", **options).mean() for run in (small, large))
    assert one == two == {"RR": pytest.approx(1 / 3), "nDCG": pytest.approx(1 / 2)}


def test_whole_numbers_stay_whole_numbers_when_rolled_up():
    run = {1: [11, 12, 21]}
    assert jd.evaluate({1: [2]}, run, "RR", roll_up="first", documents={11: 1, 12: 1, 21: 2}).mean() == {"RR": 0.5}


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"roll_up": "sum", "documents": "#"}, "option"),  # lists have no scores
        ({"roll_up": "mean", "documents": "#"}, "option"),
        ({"roll_up": "first"}, "no-document"),
        ({"roll_up": "first", "documents": {"c1": "d"}}, "no-document"),
        ({"documents": "#"}, "option"),
        ({"chunks": {"c1": ("d", 0, 1)}}, "no-document"),
        ({"overlap": "any"}, "parameter"),
        ({"question": "id"}, "fields"),
        ({"rollup": "first"}, "unknown-option"),
    ],
)
def test_what_is_wrong_with_a_preparation_is_said(options, slug):
    refusal(slug, jd.evaluate, GOLD, RUN, "RR", **options)


def test_what_was_done_stands_in_the_policy_and_survives_saving(tmp_path):
    result = jd.evaluate({"q": ["a"]}, {"q": ["a#1"]}, "RR", roll_up="first", documents="#", exclude_self=True)
    assert result.policy.prepared == ("chunks rolled up to documents: first", "the query's own document left out")
    assert "rolled up to documents: first" in str(result)
    result.save(tmp_path / "values.json")
    assert jd.load(tmp_path / "values.json").policy == result.policy
    plain = jd.evaluate({"q": ["a"]}, {"q": ["a#1"]}, "RR")
    refusal("incomparable", jd.compare, {"rolled": result, "plain": plain})


SETS = {"q1": [["c1", "c4"], ["c9"]], "q2": [["c5"], ["c7", "c8"]], "q3": ["x"]}
ANSWERS = {**RUN, "q3": ["y", "x"]}


def test_a_value_is_that_of_the_best_set_for_every_measure():
    names = [d.name for d in MEASURES if d.needs == "grades" and d.family not in ("coverage", "own") and not d.text]
    result = jd.evaluate(SETS, ANSWERS, names)
    for query, sets in SETS.items():
        alone = sets if isinstance(sets[0], list) else [sets]
        every = {doc for one in alone for doc in one}
        values = [
            jd.evaluate({query: {d: int(d in one) for d in every}}, {query: ANSWERS[query]}, names).of(query)
            for one in alone
        ]
        for m in result.measures:
            best = min if m.definition.lower_is_better else max
            assert result.of(query)[str(m)] == best(value[str(m)] for value in values), (query, m)


def test_any_set_says_whether_one_is_there_as_a_whole():
    result = jd.evaluate(SETS, ANSWERS, "AnySet@{1,2,3}")
    assert {q: list(v.values()) for q, v in result.to_dict().items()} == {
        "q1": [0.0, 0.0, 1.0],
        "q2": [1.0, 1.0, 1.0],
        "q3": [0.0, 1.0, 1.0],
    }


def test_each_measure_chooses_its_own_set():
    gold, run = {"q": [["a", "b", "c", "d"], ["z"]]}, {"q": ["a", "z"]}
    result = jd.evaluate(gold, run, "RR R@2")
    assert result.of("q") == {"RR": 1.0, "R@2": 1.0}  # by the first set, and by the second
    assert [row[2] for row in result.explain("RR", "q").rows] == [1, 0]
    assert [row[2] for row in result.explain("R@2", "q").rows] == [0, 1]


def test_one_set_is_the_same_as_plain_judgments():
    gold, run = rankings(7)
    plain = jd.evaluate(gold, run, "nDCG@5 AP RR R@3")
    boxed = jd.evaluate({q: [docs] for q, docs in gold.items()}, run, "nDCG@5 AP RR R@3")
    assert plain.to_dict() == boxed.to_dict()


def test_sets_can_be_compared_reported_and_bounded(tmp_path):
    other = {"q1": ["c9"], "q2": ["c7", "c8"], "q3": ["x"]}
    board = jd.compare(SETS, {"a": ANSWERS, "b": other}, "R@3 nDCG")
    assert board.rows[0].difference == pytest.approx(0)
    jd.report(board, tmp_path / "page.html")
    bounds = jd.evaluate(SETS, ANSWERS, "nDCG", bounds=True)
    assert bounds.bounds("nDCG")[0] == pytest.approx(bounds.mean()["nDCG"])


def test_sets_of_chunks_are_rolled_up_one_by_one():
    gold, run = {"q": [["a#1"], ["a#2", "b#1"]]}, {"q": ["b#1"]}
    assert jd.evaluate(gold, run, "R", roll_up="first", documents="#").mean() == {"R": 0.5}


def test_expected_values_over_ties_are_those_of_the_best_set():
    result = jd.evaluate({"q": [["a", "b"], ["c"]]}, {"q": {"a": 1, "b": 1, "c": 1}}, "P@1", ties="expected")
    assert result["P@1"][0] == pytest.approx(2 / 3)


def test_numbers_in_pairs_are_documents_with_grades_unless_said_otherwise():
    assert jd.read_qrels({1: [[1, 2], [3, 4]]}).grade.tolist() == [2, 4]
    assert jd.rag.any_of({1: [[1, 2], [3, 4]]}).choice.tolist() == [0, 0, 1, 1]
    assert jd.read_qrels({1: [[1, 2], [3]]}).choice.tolist() == [0, 0, 1]


@pytest.mark.parametrize("gold", [{"q": [["a"], "b"]}, {"q": [["a"], []]}, {"q": [["a", "b"], {"c": 1}]}])
def test_sets_that_are_none_are_refused(gold):
    refusal("alternatives", jd.read_qrels, gold)


def test_what_takes_one_kind_of_judgments_says_so():
    refusal("alternatives", jd.join, SETS, ANSWERS)


def test_the_document_of_the_querys_id_is_left_out_before_ranks_are_counted():
    gold, run = {"a": {"a": 1, "b": 1}, "b": {"c": 1}}, {"a": ["a", "x", "b"], "b": ["b", "c"]}
    assert jd.evaluate(gold, run, "RR R@1 NumRel", exclude_self=True).to_dict() == {
        "a": {"RR": 0.5, "R@1": 0.0, "NumRel": 1.0},
        "b": {"RR": 1.0, "R@1": 1.0, "NumRel": 1.0},
    }


def test_documents_can_be_left_out_by_query():
    run = {"q1": ["c4", "c2", "c1"], "q2": ["c5", "c7"]}
    result = jd.evaluate(GOLD, run, "RR", exclude_self={"q1": ["c4", "c2"], "q2": "c5"})
    assert result["RR"].tolist() == [1.0, 1.0]
    assert (
        result["RR"].tolist()
        == jd.evaluate({"q1": ["c1"], "q2": ["c7"]}, {"q1": ["c1"], "q2": ["c7"]}, "RR")["RR"].tolist()
    )


def test_chunks_of_the_querys_own_document_are_left_out():
    gold, run = {"d1": ["d2#1"]}, {"d1": ["d1#1", "d1#2", "d2#1"]}
    assert jd.evaluate(gold, run, "RR", exclude_self=True, documents="#").mean() == {"RR": 1.0}
    assert jd.evaluate(gold, run, "RR", exclude_self=True, documents="#", roll_up="first").mean() == {"RR": 1.0}


def test_a_query_that_has_nothing_else_to_find_is_left_out_with_a_warning():
    result = jd.evaluate({"a": ["a"], "b": ["c"]}, {"a": ["a"], "b": ["c"]}, "RR", exclude_self=True)
    assert result.queries == ("b",)
    assert "not-judged" in {w.slug for w in result.warnings}


def brute_pack(docs: list[str], tokens: dict[str, int], budget: int, crossing: str) -> list[str]:
    out, used = [], 0
    for doc in docs:
        if used + tokens[doc] > budget:
            return [*out, doc] if crossing == "in" and used < budget else out
        used += tokens[doc]
        out.append(doc)
    return out


@pytest.mark.parametrize("crossing", ["out", "in"])
def test_a_measure_within_a_budget_is_that_of_the_ranking_that_fits(crossing):
    gold, run = rankings(11)
    random = np.random.default_rng(1)
    tokens = {f"d{i}": int(random.integers(0, 300)) for i in range(15)}
    names = ["P", "R", "nDCG", "AP", "RR", "Success", "Complete", "Bpref", "Rprec", "ERR", "RBP"]
    for budget in (1, 150, 400, 900, 100_000):
        wanted = [f"{name}@{budget}tok" for name in names]
        ours = jd.evaluate(gold, run, wanted, tokens=tokens, crossing=crossing).to_dict()
        cut = {q: brute_pack(docs, tokens, budget, crossing) for q, docs in run.items()}
        plain = jd.evaluate(gold, cut, names).to_dict()
        assert {q: list(v.values()) for q, v in ours.items()} == {q: list(v.values()) for q, v in plain.items()}


def test_a_budget_follows_the_order_in_which_ties_are_evaluated():
    gold, tokens = {"q": {"a": 1}}, {"a": 60, "b": 60, "c": 60}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    for ties, value in (("id-desc", 0.0), ("id-asc", 1.0), ("best", 1.0), ("worst", 0.0)):
        assert jd.evaluate(gold, run, "R@100tok", tokens=tokens, ties=ties).mean() == {"R@100tok": value}
    uneven = {"a": 10, "b": 90, "c": 90}
    assert jd.evaluate(gold, run, "R@15tok", tokens=uneven, ties="best").mean() == {"R@15tok": 1.0}
    assert jd.evaluate(gold, run, "R@185tok", tokens=uneven, ties="worst").mean() == {"R@185tok": 0.0}
    with pytest.raises(jd.UsageError, match="single order"):
        jd.evaluate(gold, run, "R@100tok", tokens=tokens, ties="expected")


def test_a_budget_and_a_cutoff_can_both_apply():
    tokens = dict.fromkeys(["c1", "c2", "c4", "c5", "c7"], 10)
    assert jd.evaluate(GOLD, RUN, "R(tokens=20)@1 R(tokens=10)@2 R@20tok", tokens=tokens)[
        "R(tokens=20)@1"
    ].tolist() == [0.5, 0.0]
    values = jd.evaluate(GOLD, RUN, "R(tokens=10)@2 R@1", tokens=tokens)
    assert values["R(tokens=10)@2"].tolist() == values["R@1"].tolist()


def test_judged_documents_alone_are_packed_without_the_others():
    run, tokens = {"q": ["x", "y", "a"]}, {"x": 150, "y": 90, "a": 50}
    result = jd.evaluate({"q": ["a"]}, run, "R@100tok R(judged_only=True)@100tok", tokens=tokens)
    assert list(result.mean().values()) == [0.0, 1.0]
    assert jd.evaluate({"q": ["a"]}, run, "R@100tok", tokens=tokens, unjudged="condensed").mean() == {"R@100tok": 1.0}


def test_missing_token_counts_are_one_error_that_names_the_first():
    caught = refusal("columns", jd.evaluate, GOLD, RUN, "R@100tok", tokens={"c4": 10, "c1": 10})
    assert "none for 3 of 5, such as 'c2' at run['q1'][1]" in str(caught)
    with pytest.raises(jd.DataError, match="tokens=") as caught:
        jd.evaluate(GOLD, RUN, "R@100tok")
    assert caught.value.slug == "columns"
    assert jd.evaluate(GOLD, RUN, "R@1", tokens={"c4": 10}).mean() == {"R@1": 0.25}  # nothing asked for them


@pytest.mark.parametrize("count", [-1, 1.5, "many", True, float("nan")])
def test_a_count_that_is_no_whole_number_is_refused(count):
    refusal("columns", jd.evaluate, GOLD, RUN, "R@100tok", tokens={"c4": count})


def test_tokens_of_texts_are_counted():
    assert jd.rag.count_tokens({"a": "Wait, what?", "b": ""}) == {"a": 4, "b": 0}
    assert jd.rag.count_tokens({"a": "Wait, what?"}, str.split) == {"a": 2}
    assert jd.rag.count_tokens({"a": "Wait, what?"}, len) == {"a": 11}


@pytest.mark.parametrize(
    "name",
    [
        "nDCG@2000tok",
        "R(level=2)@500tok",
        "relstring@50tok",
        "Rprec@9tok",
        "P(tokens=20)@5",
        "Rprec(tokens=5)@0.5",
        "AP(judged_only=True)@7tok",
    ],
)
def test_names_with_budgets_are_printed_as_they_are_read(name):
    measure = jd.measures.parse(name)
    assert str(measure) == name
    assert jd.measures.parse(str(measure)) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_budgets_are_spelled_in_several_ways():
    assert jd.measures.parse_all("R@{500tok,1000tokens}") == [jd.measures.R @ "500tok", jd.measures.R(tokens=1000)]
    for wrong in ("R@0tok", "R@tok", "R@1.5tok", "R@-3tok", "R(tokens=3)@5tok", "R(tokens=0)", "R@5token5"):
        with pytest.raises(jd.UsageError):
            jd.measures.parse(wrong)


def test_an_explanation_shows_the_tokens_down_to_where_they_end():
    result = jd.evaluate(GOLD, RUN, "nDCG@12tok", tokens={"c1": 5, "c2": 5, "c4": 5, "c5": 5, "c7": 5})
    shown = result.explain("nDCG@12tok", "q1")
    assert shown.headers[3] == "tokens so far"
    assert [row[3] for row in shown.rows] == [5, 10]
    assert shown.value == result.of("q1")["nDCG@12tok"]


def test_bounds_within_a_budget_fill_only_what_fits():
    result = jd.evaluate(
        {"q": ["a"]}, {"q": ["x", "a", "y"]}, "R@20tok", tokens={"x": 10, "a": 10, "y": 10}, bounds=True
    )
    assert result.bounds("R@20tok") == (1.0, 1.0)


def test_the_measures_of_llama_index_and_ragas_have_names_here():
    gold, run = rankings(19)
    ours = jd.evaluate(gold, run, ["Success", "R", "P", "RR", "RR(which='all')", "AP", "AP(norm='found')"]).to_dict()
    for query, docs in run.items():
        hit = [doc in gold[query] for doc in docs]
        ranks = [i + 1 for i, found in enumerate(hit) if found]
        precise = [sum(hit[:r]) / r for r in ranks]
        expected = [
            float(any(hit)), len(ranks) / len(gold[query]), len(ranks) / len(docs), 1 / ranks[0] if ranks else 0.0,
            float(np.mean([1 / r for r in ranks])) if ranks else 0.0, sum(precise) / len(gold[query]),
            sum(precise) / len(ranks) if ranks else 0.0,
        ]  # fmt: skip
        assert list(ours[query].values()) == pytest.approx(expected)


def test_the_ndcg_of_llama_index_is_scaled_dcg():
    hit = [1, 0, 1]
    theirs = sum(h / math.log2(i + 2) for i, h in enumerate(hit)) / sum(1 / math.log2(i + 2) for i in range(3))
    assert jd.evaluate({"q": ["a", "c", "z"]}, {"q": ["a", "b", "c"]}, "SDCG(max=1)@3")["SDCG(max=1)@3"][
        0
    ] == pytest.approx(theirs)
