"""Labels and scores in arrays: every layout gives the values that a run and judgments give."""

import math

import numpy as np
import pytest
from refusals import refusal

import judged as jd
from judged.measures.registry import Measure
from judged.metrics import _definitions

RNG = np.random.default_rng(7)
LABELS = RNG.integers(0, 4, (30, 12))
LABELS[3] = 0
SCORES = RNG.permutation(360).reshape(30, 12) / 7
MEASURES = "nDCG@{1,5,10} AP AP@5 RR P@5 R@5 ERR@10 RBP Bpref AUC Rprec Success@3 Q"


def by_hand(labels, scores, measures=MEASURES, **options):
    """The same lists as judgments and a run."""
    names = [f"{i:05}" for i in range(len(labels))]
    qrels = {q: {f"d{k}": float(label) for k, label in enumerate(row)} for q, row in zip(names, labels, strict=True)}
    run = {q: {f"d{k}": float(s) for k, s in enumerate(row)} for q, row in zip(names, scores, strict=True)}
    return jd.evaluate(qrels, run, measures, **options)


def same(found, wanted):
    for name in wanted.columns:
        assert found[name].tolist() == wanted[name].tolist(), name


def test_rows_have_the_values_of_judgments_and_a_run_to_the_last_bit():
    same(jd.score(LABELS, SCORES, MEASURES), by_hand(LABELS, SCORES))


def test_every_function_gives_what_its_measure_gives():
    qrels = {str(i): {str(k): int(v) for k, v in enumerate(row)} for i, row in enumerate(LABELS)}
    run = {str(i): {str(k): float(v) for k, v in enumerate(row)} for i, row in enumerate(SCORES)}
    order = np.argsort([str(i) for i in range(len(LABELS))])
    for name, definition in _definitions().items():
        wanted = jd.evaluate(qrels, run, [Measure(definition)])
        found = getattr(jd.metrics, name)(LABELS, SCORES)
        np.testing.assert_array_equal(found[order], wanted[Measure(definition)], name)


def test_masked_rows_are_as_long_as_what_is_there():
    mask = RNG.random(LABELS.shape) < 0.7
    mask[0] = False
    kept = [(row[m], s[m]) for row, s, m in zip(LABELS, SCORES, mask, strict=True)]
    ragged = jd.score([list(label) for label, _ in kept], [list(s) for _, s in kept], MEASURES)
    same(jd.score(LABELS, SCORES, MEASURES, mask=mask), ragged)
    same(jd.score(LABELS, SCORES, MEASURES, mask=mask.astype(int)), ragged)
    same(jd.score(np.where(mask, LABELS, -100), SCORES, MEASURES, pad=-100), ragged)
    same(jd.score(np.where(mask, LABELS, np.nan), np.where(mask, SCORES, np.nan), MEASURES, pad=math.nan), ragged)


def test_groups_and_ids_are_the_same_lists():
    sizes = np.array([3, 0, 5, 1, 3])
    label, score = RNG.integers(0, 3, 12), RNG.random(12)
    grouped = jd.score(label, score, "AP nDCG", group=sizes)
    ends = np.cumsum(sizes)
    ragged = jd.score(
        [label[e - s : e] for e, s in zip(ends, sizes, strict=True)],
        [score[e - s : e] for e, s in zip(ends, sizes, strict=True)],
        "AP nDCG",
    )
    same(grouped, ragged)
    owner = np.repeat(np.arange(5), sizes)
    mixed = RNG.permutation(12)
    by_id = jd.score(label[mixed], score[mixed], "AP nDCG", qid=owner[mixed])
    assert by_id.queries == (0, 2, 3, 4)
    assert by_id["AP"].tolist() == grouped["AP"][[0, 2, 3, 4]].tolist()
    words = np.array(["b", "a", "c", "d", "e"])[owner]
    assert jd.score(label, score, "AP", qid=words).queries == ("b", "c", "d", "e")


def test_sparse_matrices_rank_what_is_stored():
    from scipy import sparse

    labels = sparse.csr_matrix([[1, 0, 1, 0], [0, 2, 0, 0]])
    scores = sparse.csr_matrix([[0.2, 0.9, 0, 0], [0, 0.5, 0.7, 0.1]])
    found = jd.score(labels, scores, "R AP RR")
    assert found["R"].tolist() == [1 / 2, 1]  # of two relevant items one is ranked
    assert found["AP"].tolist() == [1 / 2 / 2, 1 / 2]
    dense = jd.score(labels, scores.toarray(), "R")
    assert dense["R"].tolist() == [1, 1]
    assert jd.score(labels.tocoo(), scores.tocsc(), "AP")["AP"].tolist() == found["AP"].tolist()


def test_several_cutoffs_make_a_column_each():
    found = jd.metrics.precision(LABELS, SCORES, k=[1, 5, 12, 20])
    assert found.shape == (30, 4)
    assert found[:, 1].tolist() == jd.metrics.precision(LABELS, SCORES, k=5).tolist()
    assert found[0, 3] == np.sum(LABELS[0] > 0) / 20  # beyond the list there is nothing relevant
    assert jd.metrics.ndcg([1, 0], [0.1, 0.2], k=[1, 2]).shape == (2,)


def test_relevant_items_that_were_never_retrieved_count():
    found = jd.score([[1, 0, 1]], [[3.0, 2.0, 1.0]], "AP R nDCG", total_relevant=[4])
    assert found["AP"][0] == (1 + 2 / 3) / 4
    assert found["R"][0] == 2 / 4
    ideal = sum(1 / math.log2(r + 1) for r in range(1, 5))
    assert found["nDCG"][0] == pytest.approx((1 + 1 / 2) / ideal, abs=1e-15)
    assert jd.metrics.recall([1, 0], [0.2, 0.1], total_relevant=3) == 1 / 3


def test_parameters_and_conventions_are_those_of_the_measures():
    assert (
        jd.metrics.ndcg(LABELS, SCORES, k=5, gain="exp").tolist()
        == jd.score(LABELS, SCORES, "nDCG(gain='exp')@5")["nDCG(gain='exp')@5"].tolist()
    )
    assert jd.metrics.err([[5, 0]], [[2, 1]], max=5)[0] == (2**5 - 1) / 2**5
    assert jd.score(LABELS, SCORES, "nDCG@5", profile="lightgbm").columns.keys() == {"nDCG(gain='exp')@5"}
    assert (
        jd.metrics.precision(LABELS, SCORES, k=3, level=2).tolist()
        == jd.score(LABELS, SCORES, "P@3", level=2)["P(level=2)@3"].tolist()
    )


def test_tied_items_stand_as_given_or_by_luck_or_on_average():
    labels, scores = [[0, 1, 0, 2]], [[1.0, 1.0, 1.0, 0.0]]
    assert jd.metrics.reciprocal_rank(labels, scores)[0] == 1 / 2
    assert jd.metrics.reciprocal_rank(labels, scores, ties="best")[0] == 1
    assert jd.metrics.reciprocal_rank(labels, scores, ties="worst")[0] == 1 / 3
    assert jd.metrics.reciprocal_rank(labels, scores, ties="expected")[0] == pytest.approx(
        (1 + 1 / 2 + 1 / 3) / 3, abs=1e-15
    )
    assert [w.slug for w in jd.score(labels, scores, "RR").warnings] == ["ties"]
    assert jd.score(labels, scores, "RR", ties="best").warnings == ()


@pytest.mark.parametrize("dtype", ["uint8", "int8", ">f8", ">i4", "float32", "bool", "float16"])
def test_every_kind_of_number_is_taken(dtype):
    labels, scores = (
        np.array([[1, 0, 0]]).astype(dtype),
        np.array([[0, 9, 7]]).astype("uint8" if dtype == "bool" else dtype),
    )
    assert jd.metrics.reciprocal_rank(labels, scores)[0] == 1 / 3


@pytest.mark.needs("pandas", "polars")
def test_frames_columns_are_arrays():
    import pandas
    import polars

    for frame in (
        pandas.DataFrame({"y": [1, 0], "s": [0.1, 0.2], "q": ["a", "a"]}),
        polars.DataFrame({"y": [1, 0], "s": [0.1, 0.2], "q": ["a", "a"]}),
    ):
        assert jd.score(frame["y"], frame["s"], "RR", qid=frame["q"])["RR"].tolist() == [1 / 2]


@pytest.mark.needs("torch")
@pytest.mark.slow
def test_tensors_of_torch_are_taken_and_given_back():
    import torch

    labels = torch.tensor(LABELS)
    scores = torch.tensor(SCORES, requires_grad=True)
    same(jd.score(labels, scores, MEASURES), jd.score(LABELS, SCORES, MEASURES))
    back = jd.metrics.ndcg(labels, scores, k=[5, 10], same_kind=True)
    assert isinstance(back, torch.Tensor)
    assert back.dtype == torch.float64
    assert back.tolist() == jd.metrics.ndcg(LABELS, SCORES, k=[5, 10]).tolist()
    for dtype in (torch.bfloat16, torch.float16, torch.float32, torch.uint8):
        narrow = torch.tensor([[3, 1, 2]], dtype=dtype)
        assert jd.metrics.reciprocal_rank(torch.tensor([[0, 0, 1]]), narrow)[0] == 1 / 2
    with pytest.raises(jd.DataError, match="device meta"):
        jd.metrics.ndcg(torch.ones(3, device="meta"), torch.ones(3, device="meta"))


@pytest.mark.needs("jax")
@pytest.mark.slow
def test_arrays_of_jax_are_taken_and_given_back():
    import jax

    labels, scores = jax.numpy.asarray(LABELS), jax.numpy.asarray(SCORES, dtype=jax.numpy.float32)
    same(jd.score(labels, scores, "nDCG AP"), jd.score(LABELS, np.asarray(scores), "nDCG AP"))
    assert isinstance(jd.metrics.ndcg(labels, scores, same_kind=True), jax.Array)
    assert jd.metrics.ndcg(labels, jax.numpy.asarray(SCORES, dtype=jax.numpy.bfloat16)).shape == (30,)


def test_anything_with_dlpack_is_taken():
    class Box:
        def __init__(self, array):
            self.array, self.ndim = array, array.ndim

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert jd.metrics.ndcg(Box(LABELS), Box(SCORES)).tolist() == jd.metrics.ndcg(LABELS, SCORES).tolist()


@pytest.mark.parametrize(
    ("labels", "scores", "options", "slug"),
    [
        ([[1, 0]], [[0.1, math.nan]], {}, "score-nan"),
        ([[1, math.nan]], [[0.1, 0.2]], {}, "score-nan"),
        ([[1, 0]], [[0.1, 0.2, 0.3]], {}, "shape"),
        ([[5, 1]], [[0.1, 0.2]], {"measures": "ERR"}, "label-above-max"),
        (["a", "b"], [0.1, 0.2], {}, "dtype"),
        (np.ma.array([1, 0], mask=[0, 1]), [0.1, 0.2], {}, "form"),
        (np.ones((2, 2, 2)), np.ones((2, 2, 2)), {}, "shape"),
        ([1, 0], [0.1, 0.2], {"group": [1]}, "group"),
        ([1, 0], [0.1, 0.2], {"group": [1.5, 0.5]}, "group"),
        ([1, 0], [0.1, 0.2], {"group": [2], "qid": [1, 1]}, "layout"),
        ([1, 0], [0.1, 0.2], {"qid": [1]}, "shape"),
        ([[1, 0]], [[0.1, 0.2]], {"qid": [1]}, "shape"),
        ([[1, 0]], [[0.1, 0.2]], {"mask": [[1]]}, "shape"),
        ([[1, 0]], [[0.1, 0.2]], {"mask": [[2, 0]]}, "shape"),
        ([[1, 0], [1]], [[0.1, 0.2], [0.1, 0.2]], {}, "shape"),
        ([[1, 0], [1]], [[0.1, 0.2]], {}, "shape"),
        ([[1, 1]], [[0.1, 0.2]], {"total_relevant": [1]}, "parameter"),
        ([[1, 1]], [[0.1, 0.2]], {"total_relevant": [3, 3]}, "shape"),
        ([[1, 1]], [[0.1, 0.2]], {"measures": "alpha_nDCG"}, "unsuitable-measure"),
        ([[1, 1]], [[0.1, 0.2]], {"measures": []}, "measure"),
        ([[1, 1]], [[0.1, 0.2]], {"wrong": 1}, "unknown-option"),
        (5, None, {}, "shape"),
        (5, 5, {}, "shape"),
        ([[1, 0], [1]], [1, 2], {}, "shape"),
        ([1, 2], [[1, 0], [1]], {}, "shape"),
        ([1, 0], [0.1, 0.2], {"pad": [1, [2]]}, "dtype"),
        ([1, 0], [0.1, 0.2], {"pad": [1, 2, 3]}, "shape"),
        ([1, 0], [0.1, 0.2], {"group": [math.inf]}, "group"),
        ([1, 0], [0.1, 0.2], {"qid": [[1], [2, 3]]}, "id-type"),
        ([1, 0], [0.1, 0.2], {"total_relevant": math.inf}, "parameter"),
        *(([1, 0], [0.1, 0.2], {"qid": qid}, "id-type") for qid in ([None, "a"], ["a", math.nan], [1, "1"], [1.0, math.nan])),
        ([1, 0], [0.1, 0.2], {"ties": "id-desc"}, "policy"),  # there are no ids
        (np.array([2**60, 2**60 + 1]), [1.0, 2.0], {}, "grade-type"),  # beyond a double
    ],
)  # fmt: skip
def test_what_is_wrong_with_arrays_is_said(labels, scores, options, slug):
    refusal(slug, jd.score, labels, scores, **{"measures": "nDCG@10", **options})


@pytest.mark.parametrize("k", [0, -1, 2.5, "ten", [], [1, 0], True])
def test_wrong_cutoffs_are_refused(k):
    with pytest.raises(jd.UsageError):
        jd.metrics.average_precision([1, 0], [0.1, 0.2], k=k)


def test_lists_without_items_count_as_the_policy_says():
    found = jd.score([[1, 0], [1, 0]], [[0.1, 0.2], [0.1, 0.2]], "RR", mask=[[1, 1], [0, 0]])
    assert found["RR"].tolist() == [1 / 2, 0]
    assert {"empty-list", "no-relevant"} == {w.slug for w in found.warnings}
    skipped = jd.score([[1, 0], [1, 0]], [[0.1, 0.2], [0.1, 0.2]], "RR", mask=[[1, 1], [0, 0]], empty="skip")
    assert skipped.mean() == {"RR": 1 / 2}


def test_lists_without_an_item_of_the_level_are_warned_of():
    found = jd.score([[1, 0], [5, 0]], [[2, 1], [2, 1]], "R@1", level=4)
    assert [(w.slug, w.count) for w in found.warnings] == [("no-relevant", 1)]
    again = jd.evaluate({"a": {"x": 1}, "b": {"x": 5}}, {"a": ["x"], "b": ["x"]}, "R@1 AP nDCG", level=4)
    assert [(w.slug, w.count) for w in again.warnings] == [("no-relevant", 1)]


def test_missing_items_have_the_level_of_the_measure():
    assert jd.metrics.recall([2, 0, 2], [3, 2, 1], level=2, k=1, total_relevant=4) == 1 / 4
    assert jd.score([2, 1, 2], [3, 2, 1], "R(level=2)@1", total_relevant=[2])["R(level=2)@1"].tolist() == [1 / 2]
    refusal("parameter", jd.score, [2, 1], [2, 1], "R@1 R(level=2)@1", total_relevant=[3])


def test_the_mean_over_many_orders_is_exact_for_sums_and_blind_to_the_order_given():
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 4, (4, 40)), rng.integers(0, 3, (4, 40))
    turn = rng.permutation(40)
    for measure in (jd.metrics.ndcg, jd.metrics.precision, jd.metrics.rbp):
        found = measure(labels, scores, k=7, ties="expected")
        assert found == pytest.approx(measure(labels[:, turn], scores[:, turn], k=7, ties="expected"), rel=1e-12)
    assert jd.metrics.precision(labels, np.zeros((4, 40)), k=7, ties="expected") == pytest.approx(
        (labels > 0).mean(axis=1), rel=1e-12
    )
    assert jd.score(labels, scores, "nDCG@7 P@7", ties="expected", level=1).warnings == ()
    assert [w.slug for w in jd.score(labels, scores, "AP nDCG@7", ties="expected", level=1).warnings] == [
        "ties-sampled"
    ]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_beyond_a_double_are_compared_exactly(dtype):
    labels, scores = [[0, 1, 0]], np.array([[2**60, 2**60 + 1, 5]], dtype)
    result = jd.score(labels, scores, "RR")
    assert (result["RR"].tolist(), result.warnings) == ([1.0], ())
    assert jd.metrics.reciprocal_rank(labels, scores).tolist() == [1.0]
    assert jd.metrics.reciprocal_rank(
        [[0, 1], [0, 1, 0]], [[2**60, 2**60 + 1], [-(2**60) - 1, -(2**60), 1]]
    ).tolist() == [
        1.0,
        1 / 2,
    ]


def test_infinite_scores_are_ranked_with_a_warning():
    result = jd.score([[1, 0, 1]], [[-np.inf, 1.0, np.inf]], "P@2 NumRet")
    assert result.mean() == {"P@2": 1 / 2, "NumRet": 3}
    assert [(w.slug, w.count) for w in result.warnings] == [("score-inf", 2)]


def test_ids_of_lists_are_told_apart_to_the_last_letter():
    assert jd.score([1, 0, 1], [1, 2, 3], "RR", qid=["a\0", "a", "a\0"]).queries == ("a", "a\0")


def test_other_names_in_small_letters_are_functions_too():
    assert jd.metrics.mrr([0, 1], [2, 1]) == jd.metrics.reciprocal_rank([0, 1], [2, 1]) == 1 / 2


def test_array_functions_show_their_parameters_and_cost_nothing_twice():
    import inspect

    parameters = inspect.signature(jd.metrics.ndcg).parameters
    assert {"labels", "scores", "k", "gain", "discount", "ties"} <= set(parameters)
    assert parameters["gain"].default == "linear"
    assert "k" not in inspect.signature(jd.metrics.r_precision).parameters
    assert "ndcg" in dir(jd.metrics)
    assert vars(jd.metrics)["ndcg"] is jd.metrics.ndcg


def test_the_stubs_of_array_functions_are_current():
    import importlib.util
    from pathlib import Path

    path = Path(__file__).parents[3] / "tools" / "make_stubs.py"
    spec = importlib.util.spec_from_file_location("make_stubs", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.FUNCTIONS.read_text(encoding="utf-8") == tool.functions(), "run tools/make_stubs.py"
    assert tool.NAMES.read_text(encoding="utf-8") == tool.public_names(), "run tools/make_stubs.py"


@pytest.mark.needs("sklearn")
def test_no_array_function_has_the_name_of_a_function_of_scikit_learn():
    import sklearn.metrics

    from judged import metrics

    assert not set(dir(metrics)) & set(dir(sklearn.metrics))
    for place in (jd, metrics):
        with pytest.raises(AttributeError, match=r"use judged\.metrics\.ndcg\(labels, scores\)"):
            place.ndcg_score  # noqa: B018 - the access is the test


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("ndcg_score", lambda y, s: jd.metrics.ndcg(y, s, ties="expected")),
        ("dcg_score", lambda y, s: jd.metrics.dcg(y, s, ties="expected")),
        ("average_precision_score", lambda y, s: jd.metrics.average_precision(y, s, tied="together")),
        ("label_ranking_loss", lambda y, s: jd.metrics.ranking_loss(y, s, ties="worst")),
        ("coverage_error", lambda y, s: jd.metrics.last_hit(y, s, ties="worst")),
    ],
)
def test_the_equivalent_that_the_error_names_is_one_also_for_equal_scores(theirs, ours):
    import sklearn.metrics

    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, scores = rng.permutation([1, 0, 0, 1, 0, 1, 0]), rng.integers(0, 4, 7) / 4
        one = theirs == "average_precision_score"
        expected = getattr(sklearn.metrics, theirs)(*((labels, scores) if one else ([labels], [scores])))
        assert ours(labels, scores) == pytest.approx(expected, abs=1e-12)
