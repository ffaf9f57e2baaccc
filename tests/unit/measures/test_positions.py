"""Measures of positions, normalised RBP and raw alpha-DCG."""

import numpy as np
import pytest

import judged as jd

QRELS = {"q": {"a": 2, "b": 0, "c": 1, "x": 1}}
RUN = {"q": {"b": 9.0, "a": 8.0, "u": 7.0, "c": 6.0}}  # grades 0, 2, unjudged, 1; x is missed


def value(name: str, qrels=QRELS, run=RUN, **options) -> float:
    return jd.evaluate(qrels, run, name, **options)[name][0]


def test_mar_is_the_mean_of_recall_over_every_cutoff():
    recall = [value(f"R@{n}") for n in range(1, 7)]
    for k in (1, 3, 6):
        assert value(f"MAR@{k}") == pytest.approx(np.mean(recall[:k]))
    assert value("MAR") == pytest.approx(np.mean(recall[:4]))  # the ranking has four documents


def test_recall_at_precision_is_the_best_recall_among_precise_ranks():
    qrels, run = {"q": dict.fromkeys("acfz", 1)}, {"q": list("abcdef")}  # precision 1, 1/2, 2/3, 2/4, 2/5, 3/6
    for precision, recall in ((1.0, 1 / 4), (0.6, 2 / 4), (0.5, 3 / 4), (0.0, 3 / 4)):
        assert value(f"RecallAtPrecision(precision={precision})", qrels, run) == recall
    assert value("RecallAtPrecision(precision=0.5)@5", qrels, run) == 2 / 4
    assert value("RecallAtPrecision(precision=0.5)", {"q": {"c": 1}}, {"q": list("abc")}) == 0


def test_arp_is_the_mean_rank_weighted_by_grade_with_missed_documents_after_the_ranking():
    assert value("ARP") == (2 * 2 + 1 * 4 + 1 * 5) / 4
    assert value("ARP(missed=100)") == (2 * 2 + 1 * 4 + 1 * 100) / 4


def test_arp_of_a_query_without_a_relevant_document_or_a_ranking_is_unknown():
    found = jd.evaluate(
        {"q": {"a": 0}, "r": {"a": 1}, "s": {"a": 1}}, {"q": ["a"], "r": ["b", "a"]}, "ARP ARP(missed=9)"
    )
    assert found["ARP"].tolist() == pytest.approx([np.nan, 2, np.nan], nan_ok=True)
    assert found["ARP(missed=9)"].tolist() == pytest.approx([np.nan, 2, 9], nan_ok=True)
    assert found.mean()["ARP"] == 2


def test_arp_of_tf_ranking_is_the_mean_weighted_by_the_sum_of_grades():
    """Its documented definition: Σ over all lists of label·position / Σ of labels."""
    labels, scores = [[2, 0, 1], [0, 3, 1]], [[3, 2, 1], [3, 2, 1]]
    values = jd.score(labels, scores, "ARP")["ARP"]
    assert values.tolist() == [(2 * 1 + 1 * 3) / 3, (3 * 2 + 1 * 3) / 4]
    assert np.average(values, weights=[3, 4]) == pytest.approx((2 + 3 + 6 + 3) / 7)


def test_pwa_of_tf_ranking_is_the_mean_grade_weighted_by_one_over_the_rank():
    assert value("PWA") == pytest.approx((2 / 2 + 1 / 4) / (1 + 1 / 2 + 1 / 3 + 1 / 4))
    assert value("PWA@2") == pytest.approx((2 / 2) / (1 + 1 / 2))
    assert value("PWA@9") == pytest.approx((2 / 2 + 1 / 4) / sum(1 / r for r in range(1, 10)))


def test_normalised_rbp_divides_by_the_best_order_of_the_pool():
    p = 0.8
    assert value("nRBP(p=0.8)") == pytest.approx((2 * p + p**3) / (2 + p + p**2))
    assert value("nRBP(p=0.8, level=1)@2") == pytest.approx(
        p / (1 + p)
    )  # LensKit: Σ of the weights of min(k, relevant) ranks
    assert value("nRBP(gains={1: 3, 2: 1}, p=0.8)") == pytest.approx((1 * p + 3 * p**3) / (3 + 3 * p + p**2))


def test_raw_alpha_dcg_is_the_sum_without_a_denominator(tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("q 1 a 1\nq 2 a 1\nq 1 b 1\nq 2 c 1\n")
    run = {"q": ["a", "b", "c"]}
    # a covers both subtopics; b and c each repeat one of them
    assert value("alpha_DCG(normalize=False)", qrels, run) == pytest.approx(2 + 0.5 / np.log2(3) + 0.5 / 2)
    assert value("alpha_DCG(alpha=0.3, normalize=False)@2", qrels, run) == pytest.approx(2 + 0.7 / np.log2(3))
