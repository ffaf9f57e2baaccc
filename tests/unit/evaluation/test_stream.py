"""Batches: any cut, any order and any merging of them gives the bits of one pass."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import judged as jd

MEASURES = "nDCG@10 AP RR P@5 ERR@10"
RNG = np.random.default_rng(7)
LABELS, SCORES = RNG.integers(0, 4, (60, 12)).astype(float), RNG.random((60, 12)).round(1)
LABELS[5] = 0
QID = [f"q{i}" for i in range(60)]
QRELS, RUN = jd.read_qrels(jd.sample_path("qrels.txt")), jd.read_run(jd.sample_path("runs/bm25.run"))


def rankings() -> dict[str, dict[str, float]]:
    names = [raw.decode() for raw in RUN.queries.tolist()]
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    for query, doc, score in zip(RUN.query, RUN.doc.tolist(), RUN.score, strict=True):
        found[names[query]][doc.decode()] = float(score)
    return found


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


# ── labels with scores ───────────────────────────────────────────────────────────────────────────


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
    with pytest.raises(jd.UsageError) as caught:
        evaluator.update([1, 0], [0.1, 0.2], qid=[1, 1])
    assert caught.value.slug == "layout"


def test_names_of_several_types_are_an_error():
    evaluator = jd.Evaluator("RR")
    evaluator.update([1], [0.1], qid=[1])
    evaluator.update([1], [0.1], qid=["b"])
    with pytest.raises(jd.DataError) as caught:
        evaluator.result()
    assert caught.value.slug == "id-type"


def test_strict_turns_a_warning_of_any_batch_into_an_error():
    evaluator = jd.Evaluator("RR", strict=True)
    evaluator.update([1, 0], [0.1, 0.2])
    with pytest.raises(jd.DataError) as caught:
        evaluator.update([0, 0], [0.1, 0.2])
    assert caught.value.slug == "no-relevant"
    assert len(evaluator) == 1


# ── rankings ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("options", [{}, {"queries": "both"}, {"ties": "expected", "empty": "skip"}, {"unjudged": "condensed"},
                                     {"profile": "trec_eval-9"}, {"level": 2, "depth": 20}])  # fmt: skip
def test_queries_in_batches_have_the_values_of_one_pass(options):
    runs = rankings()
    names = list(runs)
    np.random.default_rng(3).shuffle(names)
    kept = names[:-5]
    whole = jd.evaluate(QRELS, {name: runs[name] for name in kept}, MEASURES, **options)
    parts = [jd.Evaluator(MEASURES, QRELS, **options) for _ in range(2)]
    for i, some in enumerate(cut(kept, 6)):
        parts[i % 2].update({name: runs[name] for name in some})
    found = (parts[1] + parts[0]).result()
    same(found, whole)
    left_out = (
        {"no-relevant"} if whole.policy.queries == "both" else set()
    )  # evaluate counts them of queries left out too
    counts = [{w.slug: w.count for w in one.warnings if w.slug not in left_out} for one in (found, whole)]
    assert counts[0] == counts[1]


@pytest.mark.needs("polars")
def test_batches_may_be_files_frames_and_runs():
    import polars as pl

    runs = rankings()
    a, b, c = list(runs)[:3]
    evaluator = jd.Evaluator("AP", QRELS)
    evaluator.update([(a, doc, score) for doc, score in runs[a].items()])
    evaluator.update(jd.read_run({b: runs[b]}))
    evaluator.update(pl.DataFrame({"query": [c] * len(runs[c]), "doc": list(runs[c]), "score": list(runs[c].values())}))
    whole = jd.evaluate(QRELS, {name: runs[name] for name in (a, b, c)}, "AP")
    same(evaluator.result(), whole)


def test_a_query_that_comes_twice_is_an_error_that_names_it():
    evaluator = jd.Evaluator("AP", {"q": {"a": 1}, "r": {"a": 1}})
    evaluator.update({"q": ["a"]})
    with pytest.raises(jd.DataError, match="'q'"):
        evaluator.update({"r": ["a"], "q": ["a"]})
    assert len(evaluator) == 1
    other = jd.Evaluator("AP", {"r": {"a": 1}, "q": {"a": 1}})  # the same judgments in another order
    other.update({"q": ["a"]})
    with pytest.raises(jd.DataError, match="'q'"):
        evaluator.merge(other)


def test_judged_queries_that_never_came_count_as_the_policy_says():
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}

    def result(policy):
        evaluator = jd.Evaluator("RR", qrels, queries=policy)
        evaluator.update({"q": ["a"], "r": ["b", "a"]})
        return evaluator.result()

    assert result("judged").mean() == {"RR": (1 + 1 / 2) / 3}
    assert result("both").mean() == {"RR": (1 + 1 / 2) / 2}
    assert [w.slug for w in result("both").warnings] == ["query-missing"]
    with pytest.raises(jd.DataError) as caught:
        result("strict")
    assert caught.value.slug == "query-missing"


def test_queries_without_judgments_are_counted_and_ignored_even_alone():
    evaluator = jd.Evaluator("RR", {"q": {"a": 1}})
    evaluator.update({"x": ["a"], "y": ["a"]})
    with pytest.raises(jd.DataError) as caught:
        evaluator.result()
    assert caught.value.slug == "empty-run"
    evaluator.update({"q": ["a"], "z": ["a"]})
    assert evaluator.result().mean() == {"RR": 1.0}
    assert {w.slug: w.count for w in evaluator.result().warnings} == {"query-unjudged": 3}


def test_ids_of_another_type_than_the_judgments_are_an_error():
    with pytest.raises(jd.DataError) as caught:
        jd.Evaluator("RR", {"1": {"a": 1}}).update({1: ["a"]})
    assert caught.value.slug == "id-type"


def test_numbered_queries_stand_in_the_order_of_numbers():
    evaluator = jd.Evaluator("RR", {i: {"a": 1} for i in (2, 10, 1)})
    evaluator.update({10: ["a"]})
    evaluator.update({2: ["b", "a"]})
    assert evaluator.result().queries == (1, 2, 10)


@pytest.mark.needs("pandas")
def test_measures_of_subtopics_are_streamed_too():
    table = [{"query": q, "doc": d, "aspect": a, "grade": 1} for q, d, a in (("q", "a", "1"), ("q", "b", "2"), ("r", "a", "1"), ("r", "c", "2"))]  # fmt: skip
    import pandas as pd

    qrels = jd.read_qrels(pd.DataFrame(table))
    runs = {"q": ["a", "x", "b"], "r": ["c", "b", "a"]}
    evaluator = jd.Evaluator("alpha_nDCG@10", qrels)
    for name, docs in runs.items():
        evaluator.update({name: docs})
    same(evaluator.result(), jd.evaluate(qrels, runs, "alpha_nDCG@10"))


# ── together ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("qrels", [None, QRELS])
def test_an_evaluator_pickles_in_the_middle(qrels):
    runs = rankings()
    names = list(runs)

    def feed(evaluator, some):
        if qrels is None:
            evaluator.update(LABELS[some], SCORES[some])
        else:
            evaluator.update({names[i]: runs[names[i]] for i in some})

    one, other = (jd.Evaluator(MEASURES, qrels) for _ in range(2))
    feed(one, range(10))
    feed(other, range(10))
    other = pickle.loads(pickle.dumps(other))
    feed(one, range(10, 15))
    feed(other, range(10, 15))
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
    runs = rankings()
    name = next(iter(runs))
    evaluator = jd.Evaluator("AP", QRELS)
    evaluator.update({name: runs[name]})
    evaluator.reset()
    assert len(evaluator) == 0
    evaluator.update({name: runs[name]})
    assert len(evaluator) == 1


@pytest.mark.parametrize("other", [{"measures": "AP"}, {"level": 2}, {"profile": "lightgbm"}, {"empty": "skip"}, {"qrels": {"q": {"a": 1}}}])  # fmt: skip
def test_evaluators_of_different_conventions_do_not_merge(other):
    with pytest.raises(jd.DataError) as caught:
        jd.Evaluator("RR").merge(jd.Evaluator(**{"measures": "RR", **other}))
    assert caught.value.slug == "incomparable"


def test_evaluators_of_different_judgments_do_not_merge():
    with pytest.raises(jd.DataError, match="judgments"):
        jd.Evaluator("RR", {"q": {"a": 1}}).merge(jd.Evaluator("RR", {"q": {"a": 2}}))


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: jd.Evaluator(""), "measure"),
        (lambda: jd.Evaluator("", QRELS), "measure"),
        (lambda: jd.Evaluator("RR", tie="best"), "unknown-option"),
        (lambda: jd.Evaluator("RR", QRELS, tie="best"), "unknown-option"),
        (lambda: jd.Evaluator("RR", profile="none"), "profile"),
        (lambda: jd.Evaluator("alpha_nDCG"), "unsuitable-measure"),
        (lambda: jd.Evaluator("RR").update([1, 0]), "layout"),
        (lambda: jd.Evaluator("RR", QRELS).update([1, 0], [0.1, 0.2]), "layout"),
        (lambda: jd.Evaluator("RR", QRELS).update({}), "empty-run"),
        (lambda: jd.Evaluator("RR").result(), "empty-run"),
    ],
)
def test_a_wrong_call_is_refused_at_once(call, slug):
    with pytest.raises(jd.JudgedError) as caught:
        call()
    assert caught.value.slug == slug
