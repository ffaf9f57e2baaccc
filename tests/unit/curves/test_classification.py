"""Decisions and scores against labels equal scikit-learn, and the measures of an unranked set."""

import json
import math

import numpy as np
import pytest
from curve_heights import height
from needs import optional
from scipy import stats

import judged as jd

metrics = optional("sklearn.metrics")

CASES = [(seed, size, share) for seed, (size, share) in enumerate([(10, 0.5), (200, 0.5), (2000, 0.03), (300, 0.97)])]


def data(seed: int, size: int, share: float):
    rng = np.random.default_rng(seed)
    labels = (rng.random(size) < share).astype(int)
    labels[:2] = [0, 1]
    scores = np.round(labels * 0.4 + rng.random(size), 1)  # many are equal
    return labels, scores, (rng.random(size) < 0.4).astype(int)


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize(("seed", "size", "share"), CASES)
def test_rates_of_decisions_equal_scikit_learn(seed, size, share, compared):
    labels, _, decisions = data(seed, size, share)
    found = jd.curves.classify(labels, decisions)
    tn, fp, fn, tp = metrics.confusion_matrix(labels, decisions).ravel().tolist()
    assert (found.tn, found.fp, found.fn, found.tp) == (tn, fp, fn, tp)
    expected = {
        "precision": metrics.precision_score(labels, decisions, zero_division=0),
        "recall": metrics.recall_score(labels, decisions),
        "specificity": metrics.recall_score(labels, decisions, pos_label=0),
        "fall_out": 1 - metrics.recall_score(labels, decisions, pos_label=0),
        "accuracy": metrics.accuracy_score(labels, decisions),
        "f1": metrics.f1_score(labels, decisions),
    }
    assert found.rates() == pytest.approx(expected, abs=1e-12)
    compared("scikit-learn", len(expected) + 4)


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize(("seed", "size", "share"), CASES)
def test_areas_of_scores_equal_scikit_learn_ties_included(seed, size, share, compared):
    labels, scores, _ = data(seed, size, share)
    found = jd.curves.classify(labels, scores=scores, threshold=0.7)
    assert found.auc == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)
    assert found.average_precision == pytest.approx(metrics.average_precision_score(labels, scores), abs=1e-12)
    roc, pr = jd.curves.roc_curve(labels, scores)[0], jd.curves.pr_curve(labels, scores)[0]
    assert roc.area() == pytest.approx(metrics.roc_auc_score(labels, scores), abs=1e-12)
    ids = [f"d{i}" for i in range(size)]
    qrels = {"q": dict(zip(ids, labels.tolist(), strict=True))}
    run = {"q": dict(zip(ids, scores.tolist(), strict=True))}
    for limit in (0.05, 0.3, 0.99):
        (partial,) = jd.evaluate(qrels, run, f"AUC(max_fpr={limit})").mean().values()
        assert partial == pytest.approx(metrics.roc_auc_score(labels, scores, max_fpr=limit), abs=1e-12)
    assert pr.area() == pytest.approx(metrics.average_precision_score(labels, scores), abs=1e-12)
    compared("scikit-learn", 7)


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize(("seed", "size", "share"), CASES)
def test_curves_have_the_points_of_scikit_learn(seed, size, share, compared):
    labels, scores, _ = data(seed, size, share)
    fpr, tpr, thresholds = metrics.roc_curve(labels, scores, drop_intermediate=False)
    line = jd.curves.roc_curve(labels, scores)[0]
    assert [height(line, x) for x in fpr] == pytest.approx([max(tpr[fpr == x]) for x in fpr], abs=1e-12)
    where = np.isin(thresholds, line.at)
    assert set(line.at) <= set(thresholds)
    points = dict(zip(line.at.tolist(), zip(line.x, line.y, strict=True), strict=True))
    for t, x, y in zip(thresholds[where], fpr[where], tpr[where], strict=True):
        assert points[t] == pytest.approx((x, y), abs=1e-12)
    precision, recall, cuts = metrics.precision_recall_curve(labels, scores)
    found = jd.curves.pr_curve(labels, scores)[0]
    points = dict(zip(found.at.tolist(), zip(found.y, found.x, strict=True), strict=True))
    for t, p, r in zip(cuts.tolist(), precision, recall, strict=False):
        assert points[t] == pytest.approx((p, r), abs=1e-12)
    compared("scikit-learn", 2 * len(fpr) + 2 * len(cuts))


def test_the_area_is_the_chance_that_a_positive_beats_a_negative_with_half_for_ties():
    positive, negative = [0.9, 0.5, 0.5], [0.5, 0.1]
    pairs = [1.0 if p > n else 0.5 if p == n else 0.0 for p in positive for n in negative]
    labels = [1] * 3 + [0] * 2
    assert jd.curves.classify(labels, scores=positive + negative, threshold=0.5).auc == sum(pairs) / 6


def test_decisions_are_an_unranked_set_and_the_measures_of_sets_agree():
    labels, _, decisions = data(1, 60, 0.4)
    qrels = {"q": {f"d{i}": int(g) for i, g in enumerate(labels)}}
    run = {"q": [f"d{i}" for i in np.flatnonzero(decisions)]}
    names = "SetP SetR SetF FallOut Specificity SetAccuracy TP FP FN TN"
    values = list(jd.evaluate(qrels, run, names).mean().values())
    found = jd.curves.classify(labels, decisions)
    rates = ("precision", "recall", "f1", "fall_out", "specificity", "accuracy")
    expected = [*(found[r] for r in rates), found.tp, found.fp, found.fn, found.tn]
    assert values == pytest.approx(expected, abs=1e-15)


def test_the_four_counts_of_a_collection_add_up():
    counts = jd.evaluate(
        {"q": {"a": 1, "b": 0}}, {"q": ["a", "x", "y"]}, "TP FP(collection=10) FN TN(collection=10)"
    ).mean()
    assert list(counts.values()) == [1, 2, 0, 7]


def test_a_rate_without_a_denominator_is_undefined():
    result = jd.curves.classify([0, 0, 0, 1], scores=[0.9, 0.8, 0.7, 0.1], threshold=1)
    assert (result.tp, result.fp) == (0, 0)
    assert math.isnan(result["precision"])  # of nothing decided for
    assert json.loads(result.to_json())["rates"]["precision"] is None


def test_intervals_hold_the_value_and_shrink_with_more_items():
    labels, scores, _ = data(3, 4000, 0.4)
    small = jd.curves.classify(labels[:200], scores=scores[:200], threshold=0.7)
    large = jd.curves.classify(labels, scores=scores, threshold=0.7)
    for name, value in large.rates().items():
        low, high = large.intervals[name]
        assert low <= value <= high
        assert high - low < small.intervals[name][1] - small.intervals[name][0]


@pytest.mark.needs("pandas")
def test_frames_of_scores_are_models_and_rows_in_another_order_are_refused():
    import pandas as pd

    frame = pd.DataFrame({"y": [1, 0, 1, 0], "a": [0.9, 0.6, 0.5, 0.1], "b": [0.1, 0.2, 0.3, 0.4]})
    assert [c.name for c in jd.curves.roc_curve(frame["y"], frame[["a", "b"]])] == ["a", "b"]
    with pytest.raises(jd.DataError, match="lengths"):
        jd.curves.classify(frame["y"], scores=frame["a"].sort_values(), threshold=0.5)


def test_a_table_says_counts_rates_and_threshold():
    text = str(jd.curves.classify([1, 1, 0, 0], scores=[0.9, 0.4, 0.6, 0.1], threshold=0.5))
    assert "TP 1   FP 1   FN 1   TN 1" in text
    assert "sensitivity" in text
    assert "scores ≥ 0.5" in text
    assert "auc" in text


def test_one_class_alone_has_no_area_and_says_so():
    result = jd.curves.classify([1, 1], scores=[0.2, 0.3], threshold=0.25)
    assert result.auc is None
    assert result["recall"] == 0.5
    assert math.isnan(result["specificity"])
    assert "specificity" not in result.intervals
    assert "all labels are positive" in str(result)
    json.loads(result.to_json())
    with pytest.raises(jd.DataError, match="one-class"):
        jd.curves.roc_curve([1, 1], [0.2, 0.3])
    with pytest.raises(jd.DataError, match="one-class"):
        jd.curves.pr_curve([0, 0], [0.2, 0.3])


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: jd.curves.classify([1, 0]), "neither"),
        (lambda: jd.curves.classify([1, 0], [1, 0], scores=[1, 0]), "both"),
        (lambda: jd.curves.classify([1, 0], scores=[1, 0]), "threshold"),
        (lambda: jd.curves.classify([1, 0], [1, 0.5]), "row 2"),
        (lambda: jd.curves.classify([1, 0], [1]), "lengths"),
        (lambda: jd.curves.classify([1, 0], scores=[1, 2, 3], threshold=1), "lengths"),
        (lambda: jd.curves.classify([1, None], [1, 0]), "row 2"),
        (lambda: jd.curves.classify([1, 0], scores=[float("nan"), 1], threshold=1), "row 1"),
        (lambda: jd.curves.classify([], []), "shape"),
        (lambda: jd.curves.classify([[1, 0]], [1]), "shape"),
        (lambda: jd.curves.classify(["a", "b"], [1, 0]), "numbers"),
        (lambda: jd.curves.classify([1, 0], scores=[1, 0], threshold="best"), "threshold"),
        (lambda: jd.curves.classify([1, 0], [1, 0])["sharpness"], "one of precision"),
        (lambda: jd.curves.classify([1, 0], scores=[1, 0], threshold=float("nan")), "threshold"),
        (lambda: jd.curves.classify([1, 0], scores=[1, 0], threshold=[0.5]), "threshold"),
        (lambda: jd.curves.classify([1, 0], scores=[np.inf, 0], threshold=1), "row 1"),
        (lambda: jd.curves.classify([1, 0], [1, 0], threshold=1), "scores"),
        (lambda: jd.curves.classify([1, 0], [1, 0], level=float("nan")), "level"),
        (lambda: jd.curves.classify([1, 0], [1, 0], confidence=95), "confidence"),
        (lambda: jd.curves.classify([1, 10**400], [1, 0]), "numbers"),
        (lambda: jd.curves.classify([1, 1j], [1, 0]), "numbers"),
        (lambda: jd.curves.classify(np.array(["2020-01-01"], "M8"), [1]), "numbers"),
        (lambda: jd.curves.classify(np.ma.array([1, 0], mask=[0, 1]), [1, 0]), "masked"),
    ],
)
def test_wrong_input_is_told(call, match):
    with pytest.raises(jd.JudgedError, match=match):
        call()


def test_perfect_rates_have_intervals_of_some_width():
    labels = [1] * 20 + [0] * 20
    found = jd.curves.classify(labels, labels).intervals
    wilson = 20 / (20 + stats.norm.ppf(0.975) ** 2)
    assert found["recall"] == pytest.approx((wilson, 1.0))
    assert found["f1"] == pytest.approx((2 * wilson / (1 + wilson), 1.0))


def test_intervals_of_rates_hold_the_truth():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(200):
        labels = np.arange(100) < 20
        chosen = np.where(labels, rng.random(100) < 0.9, rng.random(100) < 0.1)
        low, high = jd.curves.classify(labels.astype(int), chosen.astype(int)).intervals["recall"]
        inside += low <= 0.9 <= high
    assert inside >= 180  # a bootstrap: about 165


def _of(tp, fp, fn, tn):
    labels = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return jd.curves.classify(labels, np.repeat([1, 1, 0, 0], [tp, fp, fn, tn]))


@pytest.mark.parametrize("cells", [(5, 0, 0, 5), (0, 5, 5, 0), (0, 0, 5, 5), (1, 0, 0, 1), (1, 0, 0, 999)])
def test_perfect_and_useless_decisions_have_intervals_with_width_that_contain_the_rate(cells):
    found = _of(*cells)
    for name, (low, high) in found.intervals.items():
        assert low <= found[name] <= high
        assert low < high
