"""The drop-in of BEIR's evaluation: recorded answers of BEIR, its conventions, and wrong input; BEIR itself where it is installed."""

import copy
import math

import pytest
from generated_rankings import same_queries
from hypothesis import given, settings
from profile_answers import answered_and_relevant, recorded_inputs, table
from refusals import refusal

from judged.compat.beir import EvaluateRetrieval

CUTS = [1, 3, 5, 10]
CUSTOM = ("mrr", "recall_cap", "accuracy")
QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}


@pytest.mark.parametrize("kind", ["distinct", "tied", "near", "negative", "sample"])
def test_every_number_is_the_one_that_beir_wrote(kind, compared):
    qrels, run = answered_and_relevant(*recorded_inputs(kind))
    found = {name: value for part in EvaluateRetrieval.evaluate(qrels, run, CUTS) for name, value in part.items()}
    for metric in CUSTOM:
        found |= EvaluateRetrieval.evaluate_custom(qrels, run, CUTS, metric)
    wanted = {name: row["all"] for name, row in table("beir")[kind].items()}
    assert found == wanted  # five decimals, which are equal
    compared("drop-in beir", len(wanted))


@pytest.mark.needs("pytrec_eval")
@settings(max_examples=40)
@given(same_queries())
def test_the_four_tables_are_means_of_pytrec_eval(case):
    import pytrec_eval as theirs

    qrels, run = case
    names = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P"}
    values = theirs.RelevanceEvaluator(qrels, {f"{name}.1,3,5,10" for name in names.values()}).evaluate(run)
    tables = EvaluateRetrieval.evaluate(qrels, run, CUTS)
    for (label, name), part in zip(names.items(), tables, strict=True):
        wanted = {f"{label}@{k}": round(sum(row[f"{name}_{k}"] for row in values.values()) / len(values), 5) for k in CUTS}  # fmt: skip
        assert part == wanted


def test_a_document_with_the_id_of_its_query_is_left_out_and_the_results_stay():
    results = {"q1": {"q1": 9.0, "a": 1.0}, "q2": {"c": 1.0}}
    before = copy.deepcopy(results)
    assert EvaluateRetrieval.evaluate(QRELS, results, [1])[3] == {"P@1": 1.0}
    assert EvaluateRetrieval.evaluate(QRELS, results, [1], ignore_identical_ids=False)[3] == {"P@1": 0.5}
    assert EvaluateRetrieval.evaluate_custom(QRELS, results, [1, 2], "mrr") == {"MRR@1": 1.0, "MRR@2": 1.0}
    assert EvaluateRetrieval.evaluate_custom(QRELS, results, [2], "mrr", ignore_identical_ids=False) == {"MRR@2": 0.75}
    assert results == before


def test_a_missing_query_is_left_out_of_the_tables_and_counts_as_0_in_custom_ones():
    results = {"q1": {"b": 2.0, "x": 1.0, "a": 0.5}}
    ndcg, ap, recall, precision = EvaluateRetrieval.evaluate(QRELS, results, [3])
    assert ndcg == {"NDCG@3": round((1 + 2 / math.log2(4)) / (2 + 1 / math.log2(3)), 5)}
    assert (ap, recall, precision) == ({"MAP@3": round((1 + 2 / 3) / 2, 5)}, {"Recall@3": 1.0}, {"P@3": 0.66667})
    assert EvaluateRetrieval.evaluate_custom(QRELS, results, [3], "MRR") == {"MRR@3": 0.5}


def test_a_hole_was_judged_for_no_query():
    """c was judged for q2, x for none."""
    results = {"q1": {"c": 3.0, "x": 2.0, "a": 1.0}, "q2": {"y": 1.0}}
    assert EvaluateRetrieval.evaluate_custom(QRELS, results, [1, 2], "hole") == {"Hole@1": 0.5, "Hole@2": 0.5}


def test_capped_recall_of_a_query_without_a_relevant_document_is_0():
    assert EvaluateRetrieval.evaluate_custom({"q": {"a": 0}}, {"q": {"a": 1.0}}, [1], "r_cap") == {"R_cap@1": 0.0}


def test_a_retriever_is_asked_for_the_deepest_cutoff():
    class Retriever:
        def search(self, corpus, queries, top_k, score_function, **options):
            return {query: dict.fromkeys(list(corpus)[:top_k], 1.0) for query in queries}, score_function, options

    model = EvaluateRetrieval(Retriever(), k_values=[1, 2], score_function="dot")
    assert model.retrieve({"a": 1, "b": 2, "c": 3}, {"q": "?"}, n=1) == ({"q": {"a": 1.0, "b": 1.0}}, "dot", {"n": 1})
    with pytest.raises(ValueError, match=r"\[option\]"):
        EvaluateRetrieval().retrieve({}, {})


def test_an_unknown_metric_is_an_error():
    """BEIR returns None."""
    refusal("unknown-name", EvaluateRetrieval.evaluate_custom, QRELS, {"q1": {"a": 1.0}}, [1], "ndgc")
