"""Batches: any cut, any order and any merging of them gives the bits of one pass."""

import pickle

import numpy as np
import pytest
from refusals import refusal

import judged as jd

MEASURES = "nDCG@10 AP RR P@5 ERR@10"
RNG = np.random.default_rng(7)
LABELS, SCORES = RNG.integers(0, 3, (60, 12)).astype(float), RNG.random((60, 12)).round(1)
LABELS[5] = 0
QID = [f"q{i}" for i in range(60)]


def cut(items: list, size: int) -> list[list]:
    return [items[i : i + size] for i in range(0, len(items), size)]


def same(a: jd.Values, b: jd.Values) -> None:
    assert a.queries == b.queries
    assert a.measures == b.measures
    for name in b:
        assert np.array_equal(a[name], b[name], equal_nan=True), name
    assert a.policy == b.policy
    assert a.profile == b.profile
    assert a.names[0] == b.names[0]
    assert a.coverage == b.coverage


def fed(rows: list[list[int]], **options) -> jd.Evaluator:
    evaluator = jd.Evaluator(MEASURES, **options)
    for some in rows:
        evaluator.update(LABELS[some], SCORES[some])
    return evaluator


@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("options", [{}, {"empty": "skip", "ties": "expected"}, {"profile": "lightgbm", "level": 2}])
def test_lists_in_batches_have_the_values_of_one_pass(size, options):
    whole = jd.score(LABELS, SCORES, MEASURES, **options)
    found = fed(cut(list(range(60)), size), **options).result()
    same(found, whole)
    assert found.mean() == whole.mean()
    assert found.intervals() == whole.intervals()
    assert {w.slug: w.count for w in found.warnings} == {w.slug: w.count for w in whole.warnings}


def test_named_lists_may_come_in_any_order_and_any_layout():
    whole = jd.score(LABELS.ravel(), SCORES.ravel(), MEASURES, qid=np.repeat(QID, 12))
    order = np.random.default_rng(1).permutation(60).tolist()
    parts = [jd.Evaluator(MEASURES) for _ in range(3)]
    for i, some in enumerate(cut(order, 7)):
        # items of different lists between each other; those of one list stay in their order, and so do ties
        labels, scores, names = (
            table.T.ravel() for table in (LABELS[some], SCORES[some], np.tile(np.array(QID)[some][:, None], 12))
        )
        parts[i % 3].update(labels, scores, qid=names)
    same(sum(parts).result(), whole)
    same((parts[2] + parts[0] + parts[1]).result(), whole)


def test_every_layout_of_score_can_be_a_batch():
    evaluator = jd.Evaluator("RR")
    evaluator.update([0, 1], [0.3, 0.2])
    evaluator.update([1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], group=[2, 2])
    evaluator.update([[1, -1, 0], [0, 1, 0]], [[0.1, 9, 0.2], [0.1, 0.2, 0.3]], pad=-1)
    evaluator.update([[1, 1], [0, 1]], [[0.1, 9], [0.1, 0.2]], mask=[[True, False], [True, True]])
    evaluator.update([[1], [0, 1]], [[0.5], [0.5, 0.1]], total_relevant=[1, 3])
    assert evaluator.result()["RR"].tolist() == [1 / 2, 1 / 2, 1, 1 / 2, 1 / 2, 1, 1, 1, 1 / 2]
    assert len(evaluator) == 9


def test_a_list_that_comes_twice_is_an_error_that_names_it_and_changes_nothing():
    evaluator = jd.Evaluator("RR")
    evaluator.update([1, 0, 1], [0.3, 0.2, 0.1], qid=["a", "a", "b"])
    before = evaluator.result().to_dict()
    with pytest.raises(jd.DataError, match="'b'") as caught:
        evaluator.update([1, 1], [0.3, 0.2], qid=["c", "b"])
    assert caught.value.slug == "duplicate-query"
    assert evaluator.result().to_dict() == before
    other = jd.Evaluator("RR")
    other.update([1], [0.3], qid=["a"])
    with pytest.raises(jd.DataError, match="'a'"):
        evaluator.merge(other)
    assert evaluator.result().to_dict() == before


def test_a_batch_that_is_refused_leaves_everything_as_it_was():
    evaluator = fed([[0, 1, 2]])
    before = evaluator.result().to_json()
    for labels in ([[1, np.nan]], [[-1, 0]], [[1, 2, 3]]):
        with pytest.raises(jd.DataError):
            evaluator.update(labels, [[0.1, 0.2]])
    assert evaluator.result().to_json() == before


def test_lists_with_and_without_names_do_not_mix():
    evaluator = fed([[0]])
    refusal("layout", evaluator.update, [1, 0], [0.1, 0.2], qid=[1, 1])


def test_names_of_several_types_are_an_error():
    evaluator = jd.Evaluator("RR")
    evaluator.update([1], [0.1], qid=[1])
    evaluator.update([1], [0.1], qid=["b"])
    refusal("id-type", evaluator.result)


def test_strict_turns_a_warning_of_any_batch_into_an_error():
    evaluator = jd.Evaluator("RR", strict=True)
    evaluator.update([1, 0], [0.1, 0.2])
    refusal("no-relevant", evaluator.update, [0, 0], [0.1, 0.2])
    assert len(evaluator) == 1


def test_an_evaluator_pickles_in_the_middle():
    one, other = fed([range(10)]), pickle.loads(pickle.dumps(fed([range(10)])))
    for evaluator in (one, other):
        evaluator.update(LABELS[10:15], SCORES[10:15])
    assert one.result().mean() == other.result().mean()
    assert one.result().warnings == other.result().warnings


def test_adding_makes_a_new_evaluator_and_leaves_both_as_they_were():
    a, b = fed([[0, 1]]), fed([[2]])
    both = a + b
    assert (len(a), len(b), len(both)) == (2, 1, 3)
    both.update(LABELS[[5]], SCORES[[5]])
    assert (len(a), len(b), len(both)) == (2, 1, 4)


def test_warnings_do_not_depend_on_the_order_of_merging():
    parts = [fed([some]) for some in cut(list(range(60)), 13)]
    assert sum(parts).result().warnings == sum(parts[::-1]).result().warnings


def test_reset_begins_anew():
    evaluator = jd.Evaluator("AP")
    for _ in range(2):
        evaluator.reset()
        assert len(evaluator) == 0
        evaluator.update([1, 0], [0.1, 0.2], qid=["a", "a"])
        assert len(evaluator) == 1


@pytest.mark.parametrize("other", [{"measures": "AP"}, {"level": 2}, {"profile": "lightgbm"}, {"empty": "skip"}])  # fmt: skip
def test_evaluators_of_different_conventions_do_not_merge(other):
    refusal("incomparable", lambda: jd.Evaluator("RR").merge(jd.Evaluator(**{"measures": "RR", **other})))


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: jd.Evaluator(""), "measure"),
        (lambda: jd.Evaluator("RR", tie="best"), "unknown-option"),
        (lambda: jd.Evaluator("RR", profile="none"), "profile"),
        (lambda: jd.Evaluator("alpha_nDCG"), "unsuitable-measure"),
        (lambda: jd.Evaluator("RR").result(), "empty-run"),
    ],
)
def test_a_wrong_call_is_refused_at_once(call, slug):
    refusal(slug, call)
