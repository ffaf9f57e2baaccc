"""The functions of the third note (S3), as they stand in it, give the numbers of judged's; `docs/learn/notes.md` has the same table.

They take labels that are sorted already, one list at a time. Where they cannot answer, or answer otherwise, a test of its own says so.
What is wrong in the notes is called E1 to E19, as in `test_notes.py`; all of the code's slips are E13.
"""

import numpy as np
import pytest
from for_each import for_each
from needs import optional
from notes_code import rele_gain, tor_ap_at_ks, tor_discounted_cumu_gain_at_ks, tor_err_at_ks, tor_p_at_ks

import judged as jd

torch = optional("torch")


FLOAT32 = {"abs": 2e-6}  # the notes compute in single precision
LISTS = [
    np.random.default_rng((top, size, seed)).integers(0, top + 1, size)
    for top in (1, 4)
    for size in (1, 2, 3, 7, 10, 25, 100)
    for seed in range(4)
]
KS = [1, 3, 5, 10, 20]


def system(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same list as a model would hand it over: in another order, with scores."""
    order = np.random.default_rng(len(labels)).permutation(len(labels))
    return labels[order], -order.astype(float)


def sorted_tensor(labels: np.ndarray):
    return torch.from_numpy(labels.astype(np.float32))


def zero_beyond(values: np.ndarray, ks: list[int], length: int) -> np.ndarray:
    """The notes' way with a k that the list does not reach."""
    return np.where(np.array(ks) <= length, values, 0.0)


every_list = for_each("labels", LISTS)


@pytest.mark.needs("torch")
@every_list
def test_discounted_cumulative_gain_at_every_position(labels):
    n = len(labels)
    for multi_level, gain in ((True, "exp"), (False, "linear")):
        theirs = tor_discounted_cumu_gain_at_ks(sorted_tensor(labels), n, multi_level).tolist()
        ours = jd.metrics.dcg(*system(labels), k=range(1, n + 1), gain=gain)
        assert ours.tolist() == pytest.approx(theirs, rel=2e-6)


@pytest.mark.needs("torch")
@every_list
def test_the_ideal_and_the_normalised_gain_at_every_position(labels):
    n, cutoffs = len(labels), range(1, len(labels) + 1)
    best = tor_discounted_cumu_gain_at_ks(sorted_tensor(-np.sort(-labels)), n)
    assert jd.metrics.idcg(*system(labels), k=cutoffs, gain="exp").tolist() == pytest.approx(best.tolist(), rel=2e-6)
    if labels.any():
        theirs = tor_discounted_cumu_gain_at_ks(sorted_tensor(labels), n) / best
        assert jd.metrics.ndcg(*system(labels), k=cutoffs, gain="exp").tolist() == pytest.approx(
            theirs.tolist(), **FLOAT32
        )


@pytest.mark.needs("torch")
@every_list
def test_precision_at_several_ks(labels):
    theirs = tor_p_at_ks(sorted_tensor(labels), KS).tolist()
    assert jd.metrics.precision(*system(labels), k=KS, short="zero").tolist() == pytest.approx(theirs, **FLOAT32)
    ours = zero_beyond(jd.metrics.precision(*system(labels), k=KS), KS, len(labels))
    assert ours.tolist() == pytest.approx(theirs, **FLOAT32)


@pytest.mark.needs("torch")
@every_list
def test_average_precision_at_several_ks(labels):
    theirs = tor_ap_at_ks(sorted_tensor(labels), KS).tolist()
    ours = zero_beyond(jd.metrics.average_precision(*system(labels), k=KS, norm="cutoff"), KS, len(labels))
    assert ours.tolist() == pytest.approx(theirs, **FLOAT32)


@pytest.mark.needs("torch")
@every_list
def test_expected_reciprocal_rank_at_several_ks(labels):
    for top in (4, 6):
        theirs = tor_err_at_ks(sorted_tensor(labels), KS, max_rele_level=top).tolist()
        ours = zero_beyond(jd.metrics.err(*system(labels), k=KS, max=top), KS, len(labels))
        assert ours.tolist() == pytest.approx(theirs, **FLOAT32)


@pytest.mark.parametrize("base", [2.0, 3.0, 1.5, 10.0])
def test_the_gain_of_a_grade_with_any_base(base):
    grades = np.arange(5)
    ours = jd.metrics.cg(grades[:, None], np.ones((5, 1)), gain="exp", base=base)  # each grade a list of its own
    assert ours.tolist() == pytest.approx(rele_gain(grades, base).tolist(), rel=1e-15)
    discounted = jd.metrics.dcg(grades, -grades, k=range(1, 6), gain="exp", base=base)
    assert discounted.tolist() == pytest.approx(np.cumsum(rele_gain(grades, base) / np.log2(grades + 2)).tolist())


@pytest.mark.needs("torch")
def test_lists_of_different_lengths_go_in_one_call():
    lists = [labels for labels in LISTS if labels.max() <= 4]
    given = [system(labels) for labels in lists]
    labels, scores = [g[0].tolist() for g in given], [g[1].tolist() for g in given]
    lengths = np.array([[len(v)] for v in lists])
    beyond = np.array(KS) > lengths
    for ours, theirs in (
        (jd.metrics.precision(labels, scores, k=KS, short="zero"), tor_p_at_ks),
        (np.where(beyond, 0, jd.metrics.average_precision(labels, scores, k=KS, norm="cutoff")), tor_ap_at_ks),
        (
            np.where(beyond, 0, jd.metrics.err(labels, scores, k=KS)),
            lambda v, ks: tor_err_at_ks(v, ks, max_rele_level=4),
        ),
    ):
        wanted = [theirs(sorted_tensor(v), KS).tolist() for v in lists]
        assert ours.tolist() == [pytest.approx(row, **FLOAT32) for row in wanted]


S0 = np.array([1, 0, 1, 1, 0, 1, 0, 0])
DOWN = -np.arange(8.0)


@pytest.mark.needs("torch")
def test_e13_the_notes_divide_ap_by_the_rank_and_judged_by_the_relevant_items():
    assert tor_ap_at_ks(sorted_tensor(S0), [8]).tolist() == pytest.approx([37 / 12 / 8])
    assert jd.metrics.average_precision(S0, DOWN, k=8, norm="cutoff") == pytest.approx(37 / 12 / 8)
    assert jd.metrics.average_precision(S0, DOWN, k=8) == pytest.approx(37 / 48)
    perfect = np.array([1, 1, 0, 0])
    assert tor_ap_at_ks(sorted_tensor(perfect), [4]).tolist() == pytest.approx([2 / 4])
    assert jd.metrics.average_precision(perfect, DOWN[:4], k=4) == 1


@pytest.mark.needs("torch")
def test_e13_beyond_the_list_the_notes_give_0_and_judged_what_the_list_has():
    labels, scores = np.array([1, 1]), np.array([2.0, 1.0])
    assert tor_p_at_ks(sorted_tensor(labels), [1, 4]).tolist() == [1, 0]
    assert jd.metrics.precision(labels, scores, k=[1, 4]).tolist() == [1, 2 / 4]
    assert jd.metrics.precision(labels, scores, k=[1, 4], short="shrink").tolist() == [1, 2 / 2]
    assert tor_err_at_ks(sorted_tensor(labels), [1, 4], max_rele_level=1).tolist() == [1 / 2, 0]
    assert jd.metrics.err(labels, scores, k=[1, 4], max=1).tolist() == [1 / 2, 1 / 2 + 1 / 2 * 1 / 2 / 2]


@pytest.mark.needs("torch")
def test_e13_the_notes_err_needs_a_top_grade_and_knows_no_binary_labels():
    labels = sorted_tensor(np.array([1, 0, 1]))
    with pytest.raises(TypeError):
        tor_err_at_ks(labels, [1])
    with pytest.raises(NotImplementedError):
        tor_err_at_ks(labels, [1], multi_level_rele=False)
    assert jd.metrics.err(labels, [3, 2, 1], k=3, max=1) == pytest.approx(
        1 / 2 + 1 / 2 * 1 / 2 / 3
    )  # binary labels: their top is 1
    assert jd.metrics.err(labels, [3, 2, 1], k=1) == pytest.approx(1 / 16)  # the top of the scale is 4 unless given
    with pytest.raises(jd.DataError, match="label-above-max"):
        jd.metrics.err([2, 0], [2, 1], max=1)  # the notes' code goes on with a probability above 1


@pytest.mark.needs("torch")
def test_any_label_above_0_is_relevant_in_the_notes_and_from_1_on_in_judged():
    labels = np.array([0.5, 0.0, 1.0])
    assert tor_p_at_ks(sorted_tensor(labels), [3]).tolist() == pytest.approx([2 / 3])
    assert jd.metrics.precision(labels, [3, 2, 1], k=3) == pytest.approx(1 / 3)
    assert jd.metrics.precision(labels, [3, 2, 1], k=3, level=0.5) == pytest.approx(2 / 3)
