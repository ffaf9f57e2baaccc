"""Every worked example of the five notes on ranking evaluation, with their slips corrected and named.

The notes are S0 to S4, their slips E1 to E19, where the right value follows from the definition:

E1 AP is 37/48; E2, E3 MAP is 599/840; E4, E10, E15 what AP divides by; E5 E18 E19 wording; E6 gains are true grades; E7 linear or
exponential; E11 sizes of sets, not of numbers (test_s2_recall_and_precision_of_a_set); E12 ERR is not DCG; E13 AP divided by the rank;
E14 ties count half in the AUC; E17 1/15 is 0.07. E8, E9 and E16 (Spearman, Kendall, kappa) belong to correlation and agreement.
"""

from math import log2, log10

import pytest

import judged as jd

# S0: eight documents, relevant ones 0, 2, 5, 6; scores in the note's order.
QRELS = {"q": {"0": 1, "1": 0, "2": 1, "3": 0, "4": 0, "5": 1, "6": 1, "7": 0}}
RUN = {"q": {"6": 0.9, "3": 0.85, "5": 0.71, "0": 0.63, "4": 0.47, "2": 0.36, "1": 0.24, "7": 0.16}}
KS = range(1, 9)


def at_each_k(measure: str) -> list[float]:
    names = [f"{measure}@{k}" for k in KS]
    return list(jd.evaluate(QRELS, RUN, names).mean().values())


def value(measure: str, qrels=QRELS, run=RUN) -> float:
    return next(iter(jd.evaluate(qrels, run, measure).mean().values()))


def ranking(relevant: list[int], length: int, total: int | None = None) -> tuple[dict, dict]:
    """One query whose relevant documents stand at these ranks, of `total` relevant ones in all."""
    judged = {f"d{r}": int(r in relevant) for r in range(1, length + 1)}
    judged |= {f"x{i}": 1 for i in range((total or len(relevant)) - len(relevant))}
    return {"q": judged}, {"q": [f"d{r}" for r in range(1, length + 1)]}


def test_s0_precision_at_every_k():
    assert at_each_k("P") == pytest.approx([1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 4 / 6, 4 / 7, 4 / 8])


def test_s0_recall_at_every_k():
    assert at_each_k("R") == pytest.approx([1 / 4, 1 / 4, 2 / 4, 3 / 4, 3 / 4, 1, 1, 1])


def test_s0_f1_at_4():
    assert value("F1@4") == pytest.approx(2 * 0.75 * 0.75 / (0.75 + 0.75))


def test_e1_the_running_sum_of_ap_is_37_12_and_ap_37_48_not_0_8():
    explained = jd.evaluate(QRELS, RUN, "AP").explain("AP", "q")
    sums = [row[explained.headers.index("sum")] for row in explained.rows]
    assert sums == pytest.approx([1, 1, 5 / 3, 29 / 12, 29 / 12, 37 / 12, 37 / 12, 37 / 12])
    assert value("AP") == pytest.approx(37 / 48)


def test_e2_e3_map_of_the_two_searches_is_599_840():
    phone, phone_run = ranking([1, 2, 5], 7)
    watch, watch_run = ranking([2, 3, 6, 7], 7)
    result = jd.evaluate(
        {"phone": phone["q"], "watch": watch["q"]}, {"phone": phone_run["q"], "watch": watch_run["q"]}, "AP"
    )
    assert result["AP"].tolist() == pytest.approx([13 / 15, 47 / 84])
    assert result.mean()["AP"] == pytest.approx(599 / 840)


def test_e4_ap_divides_by_all_relevant_documents_found_or_not():
    qrels, run = ranking([1], 3, total=4)
    assert value("AP", qrels, run) == pytest.approx(1 / 4)
    assert value("AP(norm='found')", qrels, run) == pytest.approx(1)


def test_s0_dcg_at_every_k():
    gain = [1 / log2(r + 1) if r in (1, 3, 4, 6) else 0 for r in KS]
    assert at_each_k("DCG(gain='exp')") == pytest.approx([sum(gain[:k]) for k in KS])
    assert at_each_k("DCG(gain='exp')") == pytest.approx([1, 1, 1.5, 1.93, 1.93, 2.29, 2.29, 2.29], abs=0.005)


def test_s0_ideal_dcg_and_ndcg_at_every_k():
    ideal = [1 / log2(r + 1) if r <= 4 else 0 for r in KS]
    assert at_each_k("IDCG") == pytest.approx([sum(ideal[:k]) for k in KS])
    assert at_each_k("nDCG") == pytest.approx([1, 0.6131, 0.7039, 0.7537, 0.7537, 0.8928, 0.8928, 0.8928], abs=5e-5)


def test_s1_precision_of_a_short_list_has_three_conventions():
    qrels, run = ranking([1, 2], 2)
    assert value("P@4", qrels, run) == pytest.approx(2 / 4)
    assert value("P(short='shrink')@4", qrels, run) == pytest.approx(2 / 2)
    assert value("P(short='zero')@4", qrels, run) == 0


def test_e10_ap_at_k_has_five_denominators():
    qrels, run = ranking([1, 3], 8, total=3)
    top = 1 + 2 / 3
    assert value("AP@3", qrels, run) == pytest.approx(top / 3)
    assert value("AP(norm='capped')@2", qrels, run) == pytest.approx(1 / 2)
    assert value("AP(norm='found')@3", qrels, run) == pytest.approx(top / 2)
    assert value("AP(norm='cutoff')@8", qrels, run) == pytest.approx(top / 8)
    graded = {"q": {"a": 3, "b": 1, "c": 0}}
    assert value("AP(norm='ideal')", graded, {"q": ["a", "c", "b"]}) == pytest.approx((1 + 2 / 3) / (3 + 1))


def test_s1_reciprocal_rank_takes_the_first_and_the_granular_one_all():
    qrels, run = ranking([2, 4], 5)
    assert value("RR", qrels, run) == pytest.approx(1 / 2)
    assert value("RR(which='all')", qrels, run) == pytest.approx((1 / 2 + 1 / 4) / 2)


def test_e6_e7_gains_are_the_true_grades_linear_or_exponential_by_name():
    qrels, run = {"q": {"a": 3, "b": 2, "c": 0}}, {"q": ["c", "a", "b"]}
    assert value("DCG", qrels, run) == pytest.approx(3 / log2(3) + 2 / log2(4))
    assert value("DCG(gain='exp')", qrels, run) == pytest.approx(7 / log2(3) + 3 / log2(4))
    assert value("DCG(gain='exp', base=3)", qrels, run) == pytest.approx(26 / log2(3) + 8 / log2(4))


def test_s3_cumulated_gain():
    assert value("CG@2", {"q": {"a": 3, "b": 2, "c": 1}}, {"q": ["b", "c", "a"]}) == 3


def test_f_beta_divides_by_beta_squared_p_plus_r():
    """S3 writes a²(P + R); with P = 1/2, R = 1/4 and a = 2 that gives 0.2083 instead of 0.2778."""
    qrels, run = ranking([1], 2, total=4)
    assert value("SetF(beta=2)", qrels, run) == pytest.approx(5 * 0.5 * 0.25 / (4 * 0.5 + 0.25))
    assert value("F(beta=2)@2", qrels, run) == pytest.approx(5 * 0.5 * 0.25 / (4 * 0.5 + 0.25))


def test_e13_the_ap_of_the_code_in_s3_divides_by_the_rank():
    assert value("AP(norm='cutoff')@8") == pytest.approx(37 / 12 / 8)


def test_s3_err_and_the_chance_of_stopping_at_each_rank():
    qrels, run = {"q": {"a": 2, "b": 0, "c": 3}}, {"q": ["a", "b", "c"]}
    r1, r3 = (2**2 - 1) / 2**3, (2**3 - 1) / 2**3
    assert value("ERR(max=3)", qrels, run) == pytest.approx(r1 + (1 - r1) * r3 / 3)
    stops = jd.evaluate(qrels, run, "ERR(max=3)").explain("ERR(max=3)", "q")
    column = [row[stops.headers.index("stops here")] for row in stops.rows]
    assert column == pytest.approx([r1, 0, (1 - r1) * r3])
    assert value("Stop(max=3)@3", qrels, run) == pytest.approx(r1 + (1 - r1) * r3)


def test_e12_err_with_another_discount_is_not_dcg():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}
    cascade = 1 / 2 + (1 - 1 / 2) * (1 / 2) / log2(3)
    assert value("DCG", qrels, run) != pytest.approx(cascade)


def test_s4_r_precision_is_the_precision_at_the_number_of_relevant_documents():
    qrels, run = ranking([2, 4, 6], 10, total=15)
    assert value("Rprec", qrels, run) == pytest.approx(3 / 15)


S4 = ranking([2, 4, 6], 10, total=15)


def test_s4_precision_and_recall_of_each_subset():
    precision = [0, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 3 / 6, 3 / 7, 3 / 8, 3 / 9, 3 / 10]
    recall = [0, 1 / 15, 1 / 15, 2 / 15, 2 / 15, 3 / 15, 3 / 15, 3 / 15, 3 / 15, 3 / 15]  # E17: 1/15 is 0.07
    means = jd.evaluate(*S4, [f"P@{k}" for k in range(1, 11)]).mean()
    assert list(means.values()) == pytest.approx(precision)
    assert list(jd.evaluate(*S4, [f"R@{k}" for k in range(1, 11)]).mean().values()) == pytest.approx(recall)


def test_s4_the_eleven_point_table():
    points = [f"IPrec@{i / 10}" for i in range(11)]
    assert list(jd.evaluate(*S4, points).mean().values()) == pytest.approx([0.5, 0.5, 0.5] + [0] * 8)
    assert value("IPrec11", *S4) == pytest.approx(3 * 0.5 / 11)


def test_v6_recall_points_are_rounded_in_three_ways():
    qrels, run = ranking([1, 4, 9], 10)
    assert value("IPrec11(rounding='trec9')", qrels, run) == pytest.approx(0.6364, abs=5e-5)
    assert value("IPrec11", qrels, run) == pytest.approx(0.6970, abs=5e-5)


def test_e15_ap_with_15_relevant_documents_is_a_tenth():
    assert value("AP", *S4) == pytest.approx(3 * 0.5 / 15)
    assert value("AP(norm='found')", *S4) == pytest.approx(0.5)


def test_s2_recall_and_precision_of_a_set():
    qrels, run = ranking([1, 3], 4, total=5)
    assert value("SetP", qrels, run) == pytest.approx(2 / 4)
    assert value("SetR", qrels, run) == pytest.approx(2 / 5)


def test_s2_average_precision_is_the_step_sum_of_precision_over_recall():
    precision, recall = at_each_k("P"), [0, *at_each_k("R")]
    steps = sum(p * (b - a) for p, a, b in zip(precision, recall, recall[1:], strict=False))
    assert value("AP") == pytest.approx(steps)


def test_e14_the_area_under_the_roc_curve_gives_half_credit_for_ties():
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    run = {"q": {"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1}}
    assert value("AUC", qrels, run) == pytest.approx((1 + 1 + 1 / 2 + 1) / 4)


def test_v4_the_discounts_of_dcg_by_name():
    qrels, run = {"q": {"a": 1}}, {"q": ["x", "y", "a"]}
    assert value("DCG", qrels, run) == pytest.approx(1 / log2(4))
    assert value("DCG(discount='log', log_base=10)", qrels, run) == pytest.approx(1 / log10(4))
    assert value("DCG(discount='jk')", qrels, run) == pytest.approx(1 / log2(3))
    assert value("DCG(discount='jk', log_base=10)", qrels, run) == pytest.approx(1)
    assert value("DCG(discount='rank')", qrels, run) == pytest.approx(1 / 3)


def test_v11_bpref_has_two_denominators():
    qrels, run = {"q": {"a": 1, "b": 1, "n": 0}}, {"q": ["n", "a", "b"]}
    assert value("Bpref", qrels, run) == pytest.approx(0)
    assert value("Bpref(norm='relevant')", qrels, run) == pytest.approx((1 - 1 / 2 + 1 - 1 / 2) / 2)


def test_v14_three_things_are_called_accuracy():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}, {"q": ["a", "b", "c"]}
    assert value("Accuracy", qrels, run) == pytest.approx(1 - 1 / 2)
    assert value("SetAccuracy", qrels, run) == pytest.approx((2 + 1) / 4)
    assert value("SetAccuracy(collection=100)", qrels, run) == pytest.approx((2 + 97) / 100)
    assert value("Success@1", qrels, run) == 1


def test_fall_out_and_specificity_add_up_to_one():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}, {"q": ["a", "b", "c"]}
    assert value("FallOut(collection=100)", qrels, run) == pytest.approx(1 / 98)
    assert value("Specificity(collection=100)", qrels, run) == pytest.approx(97 / 98)
    assert value("FallOut", qrels, run) == pytest.approx(1 / 2)
