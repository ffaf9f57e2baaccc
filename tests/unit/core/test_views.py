"""Cutting, condensing, filling and parting a `Judged`; found by trying to break it."""

import copy
import io
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from refusals import refusal

import judged as jd
from judged.core.join import join
from judged.core.pool import pool_of
from judged.core.tables import IdColumn


def over_all_orders(qrels: dict, run: dict, measures: list[str], **policy) -> dict[str, float]:
    """The plainest expected values: every order of the documents that respects the scores, one by one."""
    docs, values = run["q"], []
    for order in permutations(docs):
        if all(docs[a] >= docs[b] for a, b in pairwise(order)):
            ranking = {"q": {doc: -rank for rank, doc in enumerate(order)}}
            values.append(jd.evaluate(qrels, ranking, measures, **policy))
    return {name: sum(value[name][0] for value in values) / len(values) for name in measures}


CASES = [
    ({"d0": 0, "d2": 1, "d3": 1}, {"d3": 2.0, "d0": 2.0}),
    ({"d0": 0, "d1": 2}, {"d3": 2.0, "d1": 2.0, "d0": 2.0}),
    ({"d2": 0, "d0": 2}, {"d1": 1.0, "d0": 1.0, "d4": 1.0}),
    ({"a": 1, "b": 0, "c": 2, "d": 0}, dict.fromkeys("abcde", 1.0)),
    ({"a": 1, "b": -1, "c": 0.5}, {"a": 1.0, "b": 1.0, "c": 3.0, "x": 3.0, "y": 0.0}),
]


@pytest.mark.parametrize(
    "policy", [{}, {"unjudged": "condensed"}, {"depth": 2}, {"depth": 3, "unjudged": "condensed"}], ids=str
)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_expected_values_over_ties_hold_under_depth_and_condensing(policy, case):
    measures = ["AP", "RR", "nDCG", "P@2", "Bpref", "ERR", "Q", "infAP"]
    qrels, run = ({"q": part} for part in CASES[case])
    wanted = over_all_orders(qrels, run, measures, **policy)
    assert jd.evaluate(qrels, run, measures, ties="expected", **policy).mean() == pytest.approx(wanted, abs=1e-12)


def test_interchangeable_documents_need_no_sampling():
    run = {"q": {f"d{i:02}": 1.0 for i in range(20)}}
    for others in ({}, {f"d{i:02}": 0 for i in range(20) if i != 7}):
        result = jd.evaluate({"q": {"d07": 1, **others}}, run, "RR P@1", ties="expected")
        assert result["P@1"][0] == pytest.approx(1 / 20)
        assert result["RR"][0] == pytest.approx(sum(1 / r for r in range(1, 21)) / 20)
        assert "ties-sampled" not in {w.slug for w in result.warnings}


def test_ties_survive_cutting_and_condensing():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}, {"q": dict.fromkeys("abcd", 1.0)}
    assert jd.evaluate(qrels, run, "AUC AUC@2", depth=2).mean() == {"AUC": 0.5, "AUC@2": 0.5}
    result = jd.evaluate(qrels, run, ["AUC", "AUC(judged_only=True)", "OPA", "OPA(judged_only=True)"])
    assert list(result.mean().values()) == [0.5, 0.5, 0, 0]


def test_bounds_follow_the_policies():
    result = jd.evaluate({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "RR", ties="expected", bounds=True)
    assert result["RR"][0] == 0.75
    assert result.bounds("RR") == (0.75, 1.0)


def colliding() -> tuple[bytes, bytes]:
    """Two ids of one hash: the hash is made for speed, so such pairs can be constructed."""
    mix, odd, mask = 0xBF58476D1CE4E5B9, 0x9E3779B97F4A7C15, (1 << 64) - 1

    def step(code: int, word: int) -> int:
        product = ((code ^ word) * mix) & mask
        return product ^ (product >> 29)

    first, start = b"document00000001", (16 * odd) & mask
    for i in range(10_000):
        head = b"x%07d" % i
        tail = step(start, int.from_bytes(first[:8], "little")) ^ step(start, int.from_bytes(head, "little"))
        second = head + (tail ^ int.from_bytes(first[8:], "little")).to_bytes(8, "little")
        if not set(second) & set(b" \t\r\n\0#"):
            return first, second
    raise AssertionError("no pair found")


def test_a_document_twice_is_found_behind_another_of_the_same_hash():
    a, b = colliding()
    assert len(set(IdColumn.of([a, b]).hash().tolist())) == 1
    run = b"".join(b"q Q0 %s 1 %d t\n" % row for row in ((a, 3), (b, 2), (a, 1)))
    qrels = b"q 0 %s 1\nq 0 zz 1\n" % a
    refusal("duplicate-doc", jd.evaluate, io.BytesIO(qrels), io.BytesIO(run), "R")
    once = jd.evaluate(io.BytesIO(qrels), io.BytesIO(run), "R NumRet", duplicates="first")
    assert once.mean() == {"R": 0.5, "NumRet": 2}


def test_parts_are_checked():
    j = jd.join({"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}, {"a": ["x"], "b": ["y", "x"], "c": ["x"]})
    assert j.select([True, False, True]).queries == ("a", "c")
    for wrong in ([0, 0], [7], [-1]):
        with pytest.raises(jd.UsageError):
            j.select(wrong)
    for parts in ([], [j, j], [j, jd.join({"z": {"x": 1}}, {"z": ["x"]}, ties="id-asc")]):
        with pytest.raises(jd.UsageError):
            jd.Judged.merge(parts)


@pytest.mark.parametrize("empty", ["one", "skip"])
def test_the_policy_for_empty_queries_leaves_shares_of_judged_documents_alone(empty):
    result = jd.evaluate(
        {"q": {"a": 0}, "p": {"a": 1}}, {"q": ["a"], "p": ["a"]}, "Unjudged Judged NumRet", empty=empty
    )
    assert result.of("q") == {"Unjudged": 0, "Judged": 1, "NumRet": 1}


def test_at_level_0_every_judged_document_is_relevant():
    result = jd.evaluate({"q": {"a": 0, "b": 0}}, {"q": {"a": 1, "b": 0}}, "AP(level=0)", empty="skip")
    assert result.mean() == {"AP(level=0)": 1}


@pytest.mark.parametrize("measure", ["ERR(gains={1: 100})", "nERR(gains={1: 100})", "RBP(max=4, gains={1: -3})"])
def test_gains_that_make_no_probability_are_refused(measure):
    with pytest.raises(jd.UsageError):
        jd.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, measure)


def test_no_table_of_gains_pays_for_a_negative_grade():
    result = jd.evaluate({"q": {"a": -1, "b": 1}}, {"q": ["a", "b"]}, ["nDCG(gains={-1: 5})", "nDCG"])
    first, second = result.mean().values()
    assert first == second


def test_views_and_runs_of_one_pool_share_the_ideal_ranking():
    qrels, policy = jd.read_qrels({"q": {"a": 2, "b": 1, "c": 0}, "p": {"a": 1}}), jd.Policy()
    first, second = (join(qrels, jd.read_run(run), policy) for run in ({"q": ["b", "a", "x"]}, {"p": ["a"]}))
    ideal = first.ideal
    views = [first.cut(1), first.condensed(), first.only(first.grade > 1), first.under(jd.Policy(depth=2)), second]
    assert all(view.ideal.rank is ideal.rank and view.relevant(1) is first.relevant(1) for view in views)
    assert first.select([0]).ideal is not ideal
    assert pool_of(qrels, policy) is first.pool is not pool_of(qrels, jd.Policy(rejudged="max"))
    assert pool_of(copy.deepcopy(qrels), policy) is not first.pool
    alone = join(replace(qrels), jd.read_run({"q": ["b", "a", "x"]}), policy)
    assert alone.ideal is not ideal
    for name in ("query", "rank", "grade", "judgment"):
        assert getattr(alone.ideal, name).tolist() == getattr(ideal, name).tolist()
