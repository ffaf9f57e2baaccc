"""The drop-in of scikit-learn's ranking metrics beside scikit-learn itself: its examples, generated matrices and wrong input."""

import inspect
import math
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from judged.compat import sklearn as ours
from judged.errors import JudgedError

MODULES = ["judged.compat.sklearn", pytest.param("sklearn.metrics", marks=pytest.mark.needs("sklearn"))]
TRUE, SCORES = [[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]


@pytest.fixture(params=MODULES)
def module(request):
    return import_module(request.param)


def test_dcg_of_the_documentation(module):
    """Grades by rank: 5, 1, 0, 0, 10."""
    assert module.dcg_score(TRUE, SCORES) == pytest.approx(5 + 1 / math.log2(3) + 10 / math.log2(6))
    assert module.dcg_score(TRUE, SCORES, k=2) == pytest.approx(5 + 1 / math.log2(3))
    assert module.dcg_score(TRUE, SCORES, log_base=10) == pytest.approx(math.log(10) * (5 / math.log(2) + 1 / math.log(3) + 10 / math.log(6)))  # fmt: skip
    assert module.dcg_score(TRUE, [[1, 0, 0, 0, 1]], k=1) == pytest.approx((10 + 5) / 2)
    assert module.dcg_score(TRUE, [[1, 0, 0, 0, 1]], k=1, ignore_ties=True) == pytest.approx(5)


def test_ndcg_of_the_documentation(module):
    ideal = 10 + 5 / math.log2(3) + 1 / math.log2(4)
    assert module.ndcg_score(TRUE, SCORES) == pytest.approx((5 + 1 / math.log2(3) + 10 / math.log2(6)) / ideal)
    assert module.ndcg_score(TRUE, TRUE, k=4) == pytest.approx(1)
    assert module.ndcg_score(TRUE, [[1, 0, 0, 0, 1]], k=1) == pytest.approx(3 / 4)
    assert module.ndcg_score(TRUE, [[1, 0, 0, 0, 1]], k=1, ignore_ties=True) == pytest.approx(1 / 2)


def test_multilabel_examples_of_the_documentation(module):
    true, scores = np.array([[1, 0, 0], [0, 0, 1]]), np.array([[0.75, 0.5, 1], [1, 0.2, 0.1]])
    assert module.label_ranking_average_precision_score(true, scores) == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert module.label_ranking_loss(true, scores) == pytest.approx((1 / 2 + 2 / 2) / 2)
    assert module.coverage_error(true, scores) == pytest.approx((2 + 3) / 2)
    assert module.coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]]) == 1.5


def test_classification_examples_of_the_documentation(module):
    assert module.average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == pytest.approx((1 + 2 / 3) / 2)
    assert module.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == 3 / 4
    assert module.average_precision_score(["no", "yes"], [0.2, 0.1], pos_label="yes") == 1 / 2


def test_sparse_labels(module):
    from scipy.sparse import csr_matrix

    labels = csr_matrix([[1, 0, 0], [0, 0, 1]])
    assert module.label_ranking_loss(labels, [[0.75, 0.5, 1], [1, 0.2, 0.1]]) == 0.75


@pytest.mark.needs("sklearn")
def test_the_parameters_are_those_of_scikit_learn():
    """`roc_auc_score` has no `multi_class` and `labels` here: it takes two classes, or labels."""
    from sklearn import metrics

    for name in ours.__all__:
        theirs = list(inspect.signature(getattr(metrics, name)).parameters)
        mine = list(inspect.signature(getattr(ours, name)).parameters)
        assert mine == [p for p in theirs if p not in (("multi_class", "labels") if name == "roc_auc_score" else ())]


@st.composite
def matrices(draw: st.DrawFn, top: int = 3) -> tuple[Any, Any, Any]:
    """Labels, scores with ties, and weights of the rows, if any."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.1, 0.5, 0.95]))
    labels = rng.integers(1, top + 1, (rows, columns)) * (rng.random((rows, columns)) < share)
    scores = rng.integers(0, 4, (rows, columns)) / 3 if draw(st.booleans()) else rng.normal(size=(rows, columns))
    return labels, scores, draw(st.sampled_from([None, rng.random(rows) + 0.1]))


def compare(name: str, *arguments: Any, **options: Any) -> None:
    """The same number, or an error from both."""
    from sklearn import metrics

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = getattr(metrics, name)(*arguments, **options)
        except ValueError as error:
            wanted = error
    try:
        found = getattr(ours, name)(*arguments, **options)
    except JudgedError as error:
        found = error
    if isinstance(wanted, ValueError) or isinstance(found, ValueError):
        assert (isinstance(found, ValueError), isinstance(wanted, ValueError)) == (True, True), (found, wanted)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert isinstance(found, float | np.ndarray)


@pytest.mark.needs("sklearn")
@pytest.mark.conformance
@settings(max_examples=40)
@given(matrices(), st.sampled_from([None, 1, 3, 50]), st.sampled_from([2, 10, 1.5]))
def test_gains_are_those_of_scikit_learn(case, k, base):
    labels, scores, weights = case
    compare("ndcg_score", labels, scores, k=k, sample_weight=weights)
    compare("dcg_score", labels, scores, k=k, log_base=base, sample_weight=weights)
    if len(np.unique(scores)) == scores.size:  # otherwise any order is as good
        compare("ndcg_score", labels, scores, k=k, ignore_ties=True)


@pytest.mark.needs("sklearn")
@pytest.mark.conformance
@settings(max_examples=40)
@given(matrices(top=1))
def test_label_rankings_are_those_of_scikit_learn(case):
    labels, scores, weights = case
    for name in ("label_ranking_average_precision_score", "coverage_error", "label_ranking_loss"):
        compare(name, labels, scores, sample_weight=weights)


@pytest.mark.needs("sklearn")
@pytest.mark.conformance
@settings(max_examples=40)
@given(matrices(top=1), st.sampled_from(["macro", "micro", "weighted", "samples", None]))
def test_averages_over_classes_are_those_of_scikit_learn(case, average):
    labels, scores, weights = case
    compare("average_precision_score", labels, scores, average=average)
    compare("roc_auc_score", labels, scores, average=average)
    compare("average_precision_score", labels, scores, average="samples", sample_weight=weights)
    compare("average_precision_score", labels[0], scores[0])
    compare("roc_auc_score", labels[0], scores[0])


@pytest.mark.parametrize(
    ("name", "arguments", "options"),
    [
        ("ndcg_score", ([[1, -1]], [[0.1, 0.2]]), {}),
        ("ndcg_score", ([[1], [0]], [[0.1], [0.2]]), {}),
        ("ndcg_score", ([[1, 0]], [[0.1, 0.2, 0.3]]), {}),
        ("ndcg_score", ([[1, 0]], [[0.1, math.nan]]), {}),
        ("ndcg_score", ([[1, 0]], [[0.1, 0.2]]), {"k": 0}),
        ("ndcg_score", ([[1, 0]], [[0.1, 0.2]]), {"sample_weight": [1, 2]}),
        ("dcg_score", ([[1, 0]], [[0.1, 0.2]]), {"log_base": 0}),
        ("coverage_error", ([[0, 1, 2]], [[0.1, 0.2, 0.3]]), {}),
        ("label_ranking_loss", ([1, 0], [0.1, 0.2]), {}),
        ("average_precision_score", ([0, 1], [0.1, 0.2]), {"average": "all"}),
        ("average_precision_score", ([0, 1], [0.1, 0.2]), {"pos_label": 7}),
    ],
)
def test_wrong_input_raises_a_value_error(module, name, arguments, options):
    with pytest.raises(ValueError) as found:
        getattr(module, name)(*arguments, **options)
    assert module.__name__ == "sklearn.metrics" or isinstance(found.value, JudgedError)


@pytest.mark.parametrize(
    ("slug", "act"),
    [
        ("item-weights", lambda: ours.average_precision_score([0, 1], [0.1, 0.2], sample_weight=[1, 2])),
        ("unsuitable-measure", lambda: ours.roc_auc_score([0, 1, 2], [[0.1, 0.2, 0.3]] * 3)),
        ("unsuitable-measure", lambda: ours.roc_auc_score([0, 1], [0.1, 0.2], max_fpr=0.5)),
        ("label", lambda: ours.dcg_score([[1, -1]], [[0.1, 0.2]])),
    ],
)
def test_what_is_not_offered_is_an_error(slug, act):
    refusal(slug, act)
