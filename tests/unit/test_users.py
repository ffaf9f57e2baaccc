"""What users of other tools ran into, once each: the regression corpus of `users.md`.

Left out: 7, 19 and 22 (in the tests of `evaluate`, of comparisons and of ids), 18 (values are summed up as their measure says, or by `Values.summary`; there is no
callback to call), 23 (a million queries: the benchmark's work `growth` has it).
"""

import io
import math
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

import judged as jd
from judged.core.judged import Judged

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "d": 3}, "q3": {"e": 1}}
RUN = {"q1": {"c": 3.0, "a": 2.0, "x": 1.0}, "q2": {"d": 0.5, "a": 0.25}, "q3": {"x": 2.0, "e": 1.0}}


def value(qrels, run, measure, **policy):
    return jd.evaluate(qrels, run, measure, **policy).mean()[str(jd.measures.parse(measure))]


def warned(result):
    return {w.slug: w.count for w in result.warnings}


def test_a_document_retrieved_twice_is_found_once():
    """1: recall was 2.0 and nDCG 1.63 (trulens #2746, haystack PR #11959)."""
    qrels, run = {"q": {"A": 1}}, {"q": ["A", "A", "X"]}
    caught = refusal("duplicate-doc", jd.evaluate, qrels, run, "R nDCG")
    assert str(caught.where) == "run['q'][1]"
    for keep in ("first", "best"):
        assert jd.evaluate(qrels, run, "R nDCG", duplicates=keep).mean() == {"R": 1.0, "nDCG": 1.0}


def test_the_ideal_ranking_holds_relevant_documents_that_were_not_retrieved():
    """3: nDCG@5 was 1.0 (mlflow #24541)."""
    qrels = {"q": dict.fromkeys("ABCDE", 1)}
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert value(qrels, {"q": ["A"]}, "nDCG@5") == pytest.approx(1 / ideal, rel=1e-15)
    assert round(1 / ideal, 3) == 0.339


def test_a_cutoff_does_not_shrink_to_the_length_of_the_list():
    """4: recall@1 to recall@5 with two of five documents retrieved (jina #1123)."""
    result = jd.evaluate({"q": dict.fromkeys("ABCDE", 1)}, {"q": ["A", "B"]}, "R@{1,2,3,4,5}")
    assert list(result.mean().values()) == [1 / 5, 2 / 5, 2 / 5, 2 / 5, 2 / 5]


def test_a_constant_scorer_gains_nothing_from_the_order_of_its_candidates():
    """5: a constant scorer reached mrr@10 = 1.0 on a leaderboard (mteb #5092)."""
    qrels, docs = {"q": {"d05": 1}}, [f"d{i:02d}" for i in range(20)]
    results = [jd.evaluate(qrels, {"q": dict.fromkeys(order, 1.0)}, "RR@20 nDCG@20") for order in (docs, docs[::-1])]
    rank = 15  # equal scores: the highest id first
    for result in results:
        assert result.mean() == {"RR@20": 1 / rank, "nDCG@20": 1 / math.log2(rank + 1)}  # one order for both
        assert warned(result)["ties"] == 1
        assert "[ties]" in str(result)
    expected = jd.evaluate(qrels, {"q": dict.fromkeys(docs, 1.0)}, "RR", ties="expected")
    assert expected.mean() == {"RR": pytest.approx(sum(1 / r for r in range(1, 21)) / 20)}


@given(
    st.permutations([*RUN]), st.permutations([*"abcdex"]), st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6)
)
def test_the_order_of_insertion_changes_no_bit(queries, docs, scores):
    """6: the same scores in another order gave other results (mteb PR #5376)."""
    run = {q: dict(zip("abcdex", scores, strict=True)) for q in RUN}
    shuffled = {q: {d: run[q][d] for d in docs} for q in queries}
    judgments = {q: {d: QRELS[q][d] for d in docs if d in QRELS[q]} for q in queries}
    measures = "AP nDCG@3 RR P@2 Bpref"
    assert jd.evaluate(judgments, shuffled, measures).to_dict() == jd.evaluate(QRELS, run, measures).to_dict()


def test_a_query_without_judgments_leaves_the_next_one_alone():
    """8: an empty entry of the judgments corrupted later queries (pytrec_eval #49)."""
    full = jd.evaluate(QRELS, RUN, "AP nDCG RR")
    for qrels in ({**QRELS, "q2": {}}, {"q1": QRELS["q1"], "q3": QRELS["q3"]}):
        result = jd.evaluate(qrels, RUN, "AP nDCG RR")
        assert result.of("q3") == full.of("q3")
        assert result.queries == ("q1", "q3")


def test_a_document_with_the_id_of_its_query_stays():
    """10: it was removed from the ranking without being asked (beir #187)."""
    qrels, run = {"a": {"a": 1, "b": 1}}, {"a": {"a": 2.0, "x": 1.5, "b": 1.0}}
    result = jd.evaluate(qrels, run, "NumRet AP")
    assert result.mean() == {"NumRet": 3, "AP": (1 / 1 + 2 / 3) / 2}
    assert not result.warnings


def test_memory_depends_on_the_number_of_queries_and_not_on_their_ids():
    """11: ids of 90,000,000 took memory for as many queries (torchmetrics #3290)."""
    peaks = []
    for offset in (0, 0, 90_000_000):  # the first call loads what is loaded once
        qrels = {offset + i: {offset + i: 1} for i in range(10)}
        tracemalloc.start()
        assert value(qrels, {q: {q: 1.0} for q in qrels}, "AP") == 1.0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]


def test_grades_that_are_not_whole_are_used_as_given():
    """12: they were truncated (trec_eval #49)."""
    ranking = {"q": ["a", "b"]}
    wanted = (0.2 + 1.5 / math.log2(3)) / (1.5 + 0.2 / math.log2(3))
    for qrels in (
        {"q": {"a": 0.2, "b": 1.5}},
        io.BytesIO(b"q 0 a 0.2\nq 0 b 1.5\n"),
        io.BytesIO(b'{"q": {"a": 0.2, "b": 1.5}}'),
    ):
        assert value(qrels, ranking, "nDCG") == pytest.approx(wanted, rel=1e-15)
    assert value({"q": {"a": 0.2, "b": 1.5}}, ranking, "R(level=0.1)@1") == 1 / 2


@pytest.mark.parametrize(
    "doc", ["a,b", "a#b", "#a", "https://x.example/?q=a&b=c#d", "two words", 'say "a"', "naïve", "a;b|c"]
)
def test_ids_hold_whatever_they_hold(doc, tmp_path):
    """13: a comma, a hash, a URL, a blank in a tab-separated file (pyserini #1756, trec_eval #46, pyvespa PR #1133)."""
    run = f"q 1\tQ0\tx\t1\t2.0\tmy tag\nq 1\tQ0\t{doc}\t2\t1.0\tmy tag\n".encode()
    assert value(io.BytesIO(f"q 1\t0\t{doc}\t1\n".encode()), io.BytesIO(run), "RR") == 1 / 2
    for ending in ("csv", "tsv", "json", "jsonl", "parquet"):
        jd.write_qrels({"q 1": {doc: 1}}, tmp_path / f"qrels.{ending}")
        jd.write_run({"q 1": {"x": 2.0, doc: 1.0}}, tmp_path / f"run.{ending}")
        assert value(tmp_path / f"qrels.{ending}", tmp_path / f"run.{ending}", "RR") == 1 / 2


def test_a_rank_column_that_contradicts_the_scores_is_said_aloud():
    """14: nobody knew which of the two decided (iKAT #5)."""
    qrels, run = {"q": {"a": 1}}, b"q Q0 a 1 0.1 t\nq Q0 b 2 0.9 t\n"
    result = jd.evaluate(qrels, io.BytesIO(run), "RR")
    assert (result.mean(), warned(result)) == ({"RR": 1 / 2}, {"rank-disagrees": 1})
    assert "the rank column contradicts the scores" in str(result)
    assert "order by score" in str(result)
    by_rank = jd.evaluate(qrels, io.BytesIO(run), "RR", order="rank")
    assert (by_rank.mean(), warned(by_rank)) == ({"RR": 1.0}, {})
    assert "order by rank" in str(by_rank)


def test_judgments_concatenated_with_themselves_change_nothing():
    """15: AP fell from 0.18 to 0.007 (trectools #52)."""
    lines = [f"{q} 0 {d} {grade}\n" for q, docs in QRELS.items() for d, grade in docs.items()]
    once, twice = io.BytesIO("".join(lines).encode()), io.BytesIO("".join(lines * 2).encode())
    measures = "AP nDCG R Bpref NumRel"
    first, second = (jd.evaluate(source, RUN, measures, level=1) for source in (once, twice))
    assert first.to_dict() == second.to_dict()
    assert warned(second) == {"duplicate-judgment": len(lines)}


def test_very_small_queries_have_defined_values():
    """16: exceptions for one document, no relevant one, no result (sklearn #21335, llama_index #13926, opensearch search-relevance #66)."""
    qrels = {"one": {"a": 1}, "irrelevant": {"a": 0, "b": 0}, "empty": {"a": 1}}
    result = jd.evaluate(qrels, {"one": ["a"], "irrelevant": ["a", "b"], "empty": []}, "nDCG AP RR P@1 R")
    assert {q: set(values.values()) for q, values in result.to_dict().items()} == {
        "one": {1.0},
        "irrelevant": {0.0},
        "empty": {0.0},
    }
    assert warned(result) == {"no-relevant": 1, "empty-list": 1}
    assert value(qrels, {"one": ["a"], "irrelevant": ["a"], "empty": []}, "nDCG", empty="skip") == (1 + 0) / 2
    assert value(qrels, {"one": ["a"], "irrelevant": ["a"], "empty": []}, "nDCG", empty="one") == (1 + 1 + 0) / 3


def test_counts_add_up_over_batches():
    """20: the number of retrieved documents was averaged over batches (pyterrier #598)."""
    counts = ["NumRet", "NumRel", "NumRelRet", "NumQ"]
    parts = [jd.join({q: QRELS[q]}, RUN) for q in QRELS]
    whole, merged = jd.evaluate(QRELS, RUN, counts).mean(), jd.evaluate(Judged.merge(parts), measures=counts).mean()
    batches = [jd.evaluate(part, measures=counts).mean() for part in parts]
    assert whole == merged == {name: sum(batch[name] for batch in batches) for name in counts}
    assert whole == {"NumRet": 7, "NumRel": 5, "NumRelRet": 4, "NumQ": 3}


def test_a_negative_grade_gains_nothing_and_is_relevant_at_no_level():
    """24: an error with the wrong message, or a negative gain (torchmetrics #377, sklearn PR #23461)."""
    negative, zero = {"q": {"a": -1, "b": 2, "c": 1}}, {"q": {"a": 0, "b": 2, "c": 1}}
    run = {"q": ["a", "b", "c"]}
    measures = "nDCG nDCG(gain='exp') AP RR P@3 ERR"
    assert jd.evaluate(negative, run, measures).mean() == jd.evaluate(zero, run, measures).mean()
    assert value(negative, run, "NumRel(level=0)") == 2
    assert value(negative, {"q": ["a"]}, "P(level=0)@1") == 0.0
