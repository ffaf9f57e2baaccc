"""The gate: what each rule means, what a baseline records, what is refused, and where rules come from."""

import gzip
import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gated import BEST, QRELS, N, run
from refusals import refusal

import judged as jd
from judged.evaluation.saved_values import with_checksum
from judged.io.fingerprint import content_of
from judged.quality_gate.rules import Rules, read_rules
from judged.stats.corrections import adjusted
from judged.stats.paired.registry import interval_of

HALF = run(*[2] * N)  # RR falls by exactly 1/2 everywhere
ONE_LOWER = run(2, *[1] * (N - 1))  # by 1/2 in one query: 1/80 in the mean
WOBBLE = run(*[1, 2] * (N // 2))
OTHER_WOBBLE = run(*[2, 1] * (N // 2 - 1), 2, 2)  # differs everywhere; the mean falls by 1/80


def held(candidate, base=BEST, **rules):
    return jd.gate(QRELS, candidate, baseline=base, **{"measures": "RR", **rules})


def test_a_drop_beyond_what_is_allowed_and_beyond_noise_fails():
    gate = held(HALF, max_drop=0.1)
    [reason] = gate.reasons
    assert not gate.passed
    assert not gate
    assert (reason.rule, reason.measure, reason.slice, reason.passed) == ("max_drop", "RR", None, False)
    assert (reason.observed, reason.allowed) == (1 / 2, 0.1)
    assert (
        reason.sentence
        == "RR fell by 0.5000 (1.0000 → 0.5000), more than the 0.1 allowed, and by at least 0.5000 on other queries (p below 0.0001)."
    )
    assert gate.verdict == "FAIL  candidate against baseline: 1 of 1 rules failed"


def test_a_drop_within_what_is_allowed_passes_however_many_queries_have_it():
    gate = held(HALF, max_drop=0.5)
    assert gate.passed
    assert (gate.reasons[0].p, gate.reasons[0].note) == (1, "")
    assert gate.reasons[0].sentence == "RR fell by 0.5000 (1.0000 → 0.5000), within the 0.5 allowed."


def test_a_drop_that_noise_may_explain_passes_by_default_and_fails_in_the_other_modes():
    noisy = {"base": WOBBLE, "max_drop": 0.01}
    usual, mean, sure = (held(OTHER_WOBBLE, mode=mode, **noisy) for mode in ("significant", "mean", "sure"))
    assert usual.passed
    assert "more than the 0.01 allowed, but other queries might not show it" in usual.reasons[0].sentence
    assert usual.reasons[0].note.startswith("with 40 queries, only a drop of 0.2")
    assert not mean.passed
    assert mean.reasons[0].sentence == "RR fell by 0.0125 (0.7500 → 0.7375), more than the 0.01 allowed."
    assert not sure.passed
    assert "it may be worse by up to 0.1" in sure.reasons[0].sentence


def test_sure_fails_a_better_mean_that_may_be_worse_and_passes_one_that_cannot():
    assert held(WOBBLE, OTHER_WOBBLE, mode="mean").passed
    assert not held(WOBBLE, OTHER_WOBBLE, mode="sure", max_drop=0.01).passed
    assert held(WOBBLE, OTHER_WOBBLE, mode="sure", max_drop=0.3).passed
    assert (
        held(BEST, HALF, mode="sure").reasons[0].sentence
        == "RR is better by 0.5000 (0.5000 → 1.0000); it did not get worse (95% interval)."
    )


@pytest.mark.parametrize("test", [None, "bootstrap", "t", "permutation"])
def test_sure_looks_at_the_worse_end_of_the_interval_that_compare_prints(test):
    gate = held(OTHER_WOBBLE, WOBBLE, mode="sure", test=test)
    row = jd.compare(QRELS, {"a": WOBBLE, "b": OTHER_WOBBLE}, "RR", baseline="a", test=test or "bootstrap").rows[0]
    assert (gate.reasons[0].low, gate.reasons[0].high) == (row.low, row.high)
    assert held(OTHER_WOBBLE, WOBBLE, mode="sure", max_drop=-row.low, test=test).passed
    assert not held(OTHER_WOBBLE, WOBBLE, mode="sure", max_drop=-row.low - 1e-6, test=test).passed


def test_a_drop_of_exactly_what_is_allowed_is_allowed():
    assert held(ONE_LOWER, max_drop=1 / 80, mode="mean").passed
    assert 1 / 2 - 1 / 3 > 1 / 6  # in floating point
    third = run(*[3] * N)
    assert held(third, HALF, max_drop=1 / 6, mode="mean").passed
    assert held(third, HALF, max_drop=1, max_query_drop=1 / 6).passed
    assert not held(third, HALF, max_drop=1, max_query_drop=1 / 6 - 1e-9).passed
    judged = {f"q{i}": {"good": 1} for i in range(100)}
    base = {f"q{i}": ["good"] if i < 50 else ["x"] for i in range(100)}
    candidate = {f"q{i}": ["good"] if i < 49 else ["x"] for i in range(100)}
    assert 0.5 - 0.49 > 0.01  # in floating point
    assert jd.gate(judged, candidate, baseline=base, measures="RR", max_drop=0.01, mode="mean").passed
    assert not jd.gate(judged, candidate, baseline=base, measures="RR", max_drop=0.0099, mode="mean").passed


def test_nothing_may_drop_where_nothing_is_said():
    assert not held(ONE_LOWER, mode="mean").passed
    assert held(BEST, mode="mean").reasons[0].sentence == "RR is unchanged (1.0000 → 1.0000)."


def test_each_measure_may_have_its_own_drop():
    gate = held(HALF, measures="RR P@1 Success@2", max_drop={"RR": 0.5, "default": 0.2}, mode="mean")
    assert {r.measure: r.allowed for r in gate.reasons} == {"RR": 0.5, "P@1": 0.2, "Success@2": 0.2}
    assert [r.measure for r in gate.broken] == ["P@1"]
    refusal("rule", jd.gate, QRELS, HALF, baseline=BEST, measures="RR", max_drop={"AP": 0.1})


def test_where_lower_is_better_a_rise_is_a_drop():
    judged = {f"q{i}": {"good": 1, "bad": 0, "also": 0} for i in range(20)}
    clean, spoilt = ({f"q{i}": docs for i in range(20)} for docs in (["good"], ["good", "bad"]))
    worse = jd.gate(judged, spoilt, baseline=clean, measures="FallOut", max_drop=0.1)
    assert not worse.passed
    assert worse.reasons[0].observed == 1 / 2
    assert worse.reasons[0].sentence.startswith("FallOut rose by 0.5000 (0.0000 → 0.5000), more than the 0.1 allowed")
    assert len(worse.worse["FallOut"]) == 10
    assert jd.gate(judged, clean, baseline=spoilt, measures="FallOut", mode="sure").passed
    assert not jd.gate(judged, spoilt, baseline=clean, measures="FallOut", mode="sure", max_drop=0.4).passed
    assert not jd.gate(judged, spoilt, baseline=clean, measures="FallOut", max_query_drop=0.4, max_drop=1).passed


def test_p_is_corrected_over_all_measures_and_slices():
    half = {q: "a" if i < N // 2 else "b" for i, q in enumerate(QRELS)}
    gate = held(OTHER_WOBBLE, WOBBLE, measures="RR P@1", slices=half)
    rows = [
        *gate.comparison.rows[:1],
        *gate.comparison.parts[:2],
        *gate.comparison.rows[1:],
        *gate.comparison.parts[2:],
    ]
    one_sided = [row.p / 2 if row.difference < 0 else 1 - row.p / 2 for row in rows]
    assert [r.p for r in gate.reasons] == adjusted(one_sided, "bonferroni").tolist()
    for name in ("none", "holm"):
        other = held(OTHER_WOBBLE, WOBBLE, measures="RR P@1", slices=half, correction=name)
        assert [r.p for r in other.reasons] == adjusted(one_sided, name).tolist()


def test_few_queries_that_can_show_nothing_pass_with_a_note():
    judged = {q: QRELS[q] for q in list(QRELS)[:4]}
    asked = {"baseline": run(1, 1, 1, 1), "measures": "RR", "max_drop": 0.01, "min_queries": 4}
    for test in ("t", "permutation"):
        gate = jd.gate(judged, run(2, 2, 2, 2), test=test, **asked)
        assert gate.passed
        assert gate.reasons[0].note == "4 queries cannot detect a drop"
        assert gate.verdict == "PASS  candidate against baseline: the rule holds, but the evidence is weak"
    assert gate.reasons[0].p == 1 / 2**4
    assert "Note: 4 queries cannot detect a drop" in str(gate)


def test_queries_that_did_not_change_do_not_count_as_evidence():
    five = run(*[2] * 5, *[1] * (N - 5))
    assert not held(five, test="permutation").passed
    two = held(five, test="permutation", measures="RR P@1").reasons[0]
    assert not two.passed  # a family of its own
    assert two.sentence.startswith("RR fell by 0.0625 (1.0000 → 0.9375; 5 of 40 queries changed, 5 got worse)")
    four = held(run(*[2] * 4, *[1] * (N - 4)), test="permutation").reasons[0]
    assert four.passed


def test_one_query_passes_only_on_request_and_is_never_sure():
    judged = {"q00": {"good": 1}}
    asked = {"baseline": run(1), "measures": "RR", "min_queries": 1}
    assert jd.gate(judged, run(2), **asked).reasons[0].note == "1 query cannot detect a drop"
    sure = jd.gate(judged, run(2), mode="sure", max_drop=0.9, **asked)
    assert not sure.passed
    assert "too few queries (1) to rule it out" in sure.reasons[0].sentence
    dcg = {**asked, "measures": "DCG"}  # has no range: its largest value here is 1
    assert not jd.gate(judged, run(2), mode="sure", max_drop=0.98, **dcg).passed


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 9, 10])
def test_a_handful_of_queries_fails_a_test_whatever_it_finds(n, rank):
    asked = {"baseline": run(*[2] * n), "measures": "RR P@1", "max_drop": 0.5}
    gate = jd.gate(first(n), run(*[rank] * n), **asked)
    few = [reason for reason in gate.broken if reason.rule == "min_queries"]
    assert [(r.measure, r.observed, r.allowed) for r in few] == [("RR", n, 10), ("P@1", n, 10)] * (n < 10)
    assert gate.passed == (n == 10)
    assert str(gate).count("too few to test a drop") == (n < 10)
    assert jd.gate(first(n), run(*[rank] * n), min_queries=n, **asked).passed
    for mode in ("mean", "sure"):
        reasons = jd.gate(first(n), run(*[rank] * n), mode=mode, **asked).reasons
        assert {reason.rule for reason in reasons} == {"max_drop"}


def test_enough_queries_make_no_note():
    gate = held(ONE_LOWER, max_drop=0.1)
    assert gate.passed
    assert gate.doubts == ()
    assert gate.verdict == "PASS  candidate against baseline: the rule holds"
    assert held(ONE_LOWER).doubts == ()  # where nothing is allowed, a tenth of the baseline's mean would matter


def test_a_candidate_that_is_clearly_better_leaves_no_doubt():
    ranks = [2, 3, 4, 5] * (N // 4)
    clear = held(BEST, run(*ranks), max_drop=0.01)
    low, high = clear.comparison.rows[0].low, clear.comparison.rows[0].high
    assert high - low > 2 * 0.01
    assert low > 0
    assert clear.doubts == ()
    assert held(WOBBLE, OTHER_WOBBLE, max_drop=0.01).doubts


def test_a_measure_without_any_value_fails():
    judged = {q: {"good": 0} for q in QRELS}
    gate = jd.gate(judged, HALF, baseline=BEST, measures="RR", empty="skip", min={"RR": 0.1})
    assert not gate.passed
    assert [r.sentence for r in gate.reasons] == [
        "RR has no value for any query in both runs.",
        "RR has no value for any query.",
    ]
    json.loads(gate.to_json())
    str(gate)


def first(n):
    return {q: QRELS[q] for q in list(QRELS)[:n]}


@pytest.mark.parametrize("n", [2, 9, 20, 40])
@pytest.mark.parametrize("rank", [1, 2])
def test_queries_that_all_differ_alike_leave_the_loss_of_those_not_seen(n, rank):
    """If nothing varies, a share q of other queries may lose everything: (1 - q)ⁿ = alpha/2."""
    loss, share = 1 - 1 / rank, 1 - 0.025 ** (1 / n)
    asked = {"baseline": run(*[1] * n), "measures": "RR", "mode": "sure"}
    worst = loss + share * (1 - loss)
    gate = jd.gate(first(n), run(*[rank] * n), max_drop=worst - 1e-6, **asked)
    assert -gate.reasons[0].low == pytest.approx(worst, rel=1e-12)
    assert not gate.passed
    assert f"too few queries ({n}) to rule it out" in gate.reasons[0].sentence
    assert jd.gate(first(n), run(*[rank] * n), max_drop=worst + 1e-6, **asked).passed


def test_rare_losses_count_two_more_than_were_seen():
    losses = np.zeros(N)
    losses[:3] = 1 / 2
    more = float(interval_of(np.append(losses, [1 / 2] * 2), "t")[1][0])
    gate = held(run(2, 2, 2, *[1] * (N - 3)), mode="sure", max_drop=more - 1e-6)
    assert -gate.reasons[0].low >= more
    assert not gate.passed
    assert "(1.0000 → 0.9625; 3 of 40 queries changed, 3 got worse)" in gate.reasons[0].sentence


def test_the_same_run_is_sure_however_few_queries_there_are(files):
    for base in ("base.json", "best.run"):
        assert not jd.gate("qrels.txt", "half.run", baseline=base, measures="RR", mode="sure").passed
        same = jd.gate("qrels.txt", "best.run", baseline=base, measures="RR", mode="sure")
        assert same.passed
        assert same.reasons[0].sentence == "RR is unchanged (1.0000 → 1.0000), the same run as the baseline."
    assert held(BEST, mode="sure").passed
    assert not held(run(*[1] * N), mode="sure").passed  # equal values of another run


def test_doubt_speaks_in_every_mode():
    few = {"baseline": run(1, 2, 3, 1), "measures": "RR", "max_drop": 0.01, "min_queries": 4}
    for mode in ("significant", "mean"):
        gate = jd.gate(first(4), run(2, 1, 1, 1), mode=mode, **few)
        assert gate.passed
        assert "with 4 queries, only a drop of " in gate.reasons[0].note


def test_the_drop_that_is_found_is_that_of_the_power_of_the_test():
    gate = held(OTHER_WOBBLE, WOBBLE, measures="RR P@1", max_drop=0.01)
    x = gate.comparison.matrix("RR")
    found = 0.01 + jd.stats.detectable_difference(float(np.std(x[:, 0] - x[:, 1], ddof=1)), N, alpha=2 * 0.05)
    assert gate.reasons[0].note.endswith(f"only a drop of {found:.4f} or more is found with a probability of 80%")


def test_a_small_slice_can_show_a_drop_under_holm_where_the_others_reject_too():
    kinds = {q: "small" if i < 5 else "large" for i, q in enumerate(QRELS)}
    asked = {"max_drop": 0.1, "slices": kinds, "min_queries": 5, "test": "sign"}
    assert [r.passed for r in held(HALF, correction="holm", **asked).reasons] == [False] * 3
    assert [r.passed for r in held(HALF, **asked).reasons] == [False, False, True]
    better = held(BEST, HALF, **asked)
    assert (
        better.verdict == "PASS  candidate against baseline: all 3 rules hold, but the evidence for 1 of them is weak"
    )


def test_a_test_that_points_the_other_way_than_the_mean_does_not_fail_the_gate():
    old, new = run(*[3] * 30, *[1] * 10), run(*[2] * 30, *[90] * 10)  # 30 queries win a little, 10 lose nearly all
    gate = held(new, old, test="sign")
    [row] = gate.comparison.rows
    assert row.difference < 0
    assert row.p <= 0.05
    assert row.verdict == "wins more queries"
    assert gate.passed
    assert "but other queries might not show it" in gate.reasons[0].sentence
    assert not held(new, old, test="sign", mode="mean").passed
    assert held(new, old, test="permutation").reasons[0].sentence != gate.reasons[0].sentence


@pytest.mark.parametrize("how", [{"queries": "both"}, {"profile": "beir"}])
@pytest.mark.parametrize("saved", [False, True])
def test_queries_that_only_the_baseline_answers_break_a_rule_unless_they_may(how, saved):
    some = dict(list(BEST.items())[:5])
    base = jd.baseline(QRELS, BEST, "RR", **how) if saved else BEST
    how = {**how, "min_queries": 5}
    gate = held(some, base, **how)
    assert not gate.passed
    [reason] = gate.broken
    assert (reason.rule, reason.observed, reason.allowed) == ("allow_missing_queries", 35, 0)
    lost = "the candidate does not answer 35 queries of the baseline: 'q05', 'q06', 'q07' …"
    assert reason.sentence == f"{lost}."
    allowed = held(some, base, allow_missing_queries=True, **how)
    assert allowed.passed
    assert f"{lost} (allowed)." in str(allowed)
    json.loads(allowed.to_json())


def test_a_query_that_the_baseline_lacks_is_not_lost():
    assert held(BEST, dict(list(BEST.items())[1:]), queries="both").passed


@pytest.mark.parametrize(
    "rules",
    [
        {"max_drop": 0.1}, {"max_drop": 0}, {"mode": "mean"}, {"alpha": 0.05}, {"max_query_drop": 0.1}, {"by": "relevant"}, {"slices": {"q00": "x"}},
        {"min_queries": 5}, {"test": "t"}, {"correction": "none"}, {"resamples": 9}, {"seed": 1},
        {"allow_missing_queries": True}, {"allow_changed_judgments": True}, {"history": "h"}, {"max_total_drop": 1},
    ],
)  # fmt: skip
def test_what_compares_needs_a_baseline(rules):
    [name] = rules
    for given in (rules, {"rules": rules}):
        error = refusal("rule", jd.gate, QRELS, BEST, min={"RR": 0.5}, **given)
        assert (error.exit_code, error.value) == (2, name)
    error = refusal("rule", jd.gate, QRELS, BEST, **rules)
    assert error.problem == f"these rules need a baseline: {name}"


def test_a_measure_that_nothing_holds_is_refused():
    assert refusal("rule", jd.gate, QRELS, BEST, measures="RR AP", min={"RR": 0.5}).value == "AP"
    assert jd.gate(QRELS, BEST, measures="RR AP", min={"RR": 0.5}, max={"AP": 1}).passed


def test_bounds_are_merged_by_measure(tmp_path):
    path = tmp_path / "judged.toml"
    path.write_text("[gate]\nmax_drop = { default = 0.1, RR = 0.2 }\nmin = { RR = 0.9 }\nmax = { AP = 1 }\n")
    merged = Rules.of(path, min={"AP": 0.1, "recip_rank": 0.8}, max={"P@1": 0.5}, max_drop=0.3)
    assert merged.min == {"RR": 0.8, "AP": 0.1}
    assert merged.max == {"AP": 1, "P@1": 0.5}
    assert merged.max_drop == {"default": 0.3, "RR": 0.2}
    assert Rules.of(path, max_drop={"RR": 0.5}).max_drop == {"default": 0.1, "RR": 0.5}


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("alpha = -3", "parameter"),
        ("test = 'zzz'", "unknown-name"),
        ("measures = 'NDGC'", "unknown-name"),
        ("ties = 'sideways'", "policy"),
        ("max_drop = { default = -1 }", "parameter"),
        ("min = { RR = 'a' }", "parameter"),
        ("correction = 'max'", "correction"),
        ("depth = 0", "parameter"),
    ],
)
def test_a_wrong_value_in_a_file_is_told_with_file_and_key(tmp_path, line, slug):
    path = tmp_path / "judged.toml"
    path.write_text(f"[gate]\n{line}\n")
    error = refusal(slug, jd.gate, QRELS, BEST, baseline=BEST, rules=path)
    assert str(error.where) == str(path)
    assert line.split()[0] in error.problem


def test_min_and_max_need_no_baseline():
    low = jd.gate(QRELS, HALF, min={"RR": 0.6, "P@1": 0}, max={"RR": 0.4})
    assert [(r.rule, r.measure, r.passed, r.observed, r.allowed) for r in low.reasons] == [
        ("min", "RR", False, 0.5, 0.6), ("min", "P@1", True, 0.0, 0.0), ("max", "RR", False, 0.5, 0.4),
    ]  # fmt: skip
    assert low.reasons[0].sentence == "RR is 0.5000; at least 0.6 is required."
    assert low.reasons[2].sentence == "RR is 0.5000; at most 0.4 is required."
    assert low.comparison is None
    assert low.worse == {}
    assert low.verdict == "FAIL  run: 2 of 3 rules failed"
    assert jd.gate(QRELS, HALF, min={"RR": 0.5}, max={"RR": 0.5}).passed


def test_a_floor_may_name_a_measure_that_is_not_compared():
    gate = held(BEST, min={"Success@1": 1})
    assert [(r.rule, r.measure) for r in gate.reasons] == [("max_drop", "RR"), ("min", "Success@1")]


def test_queries_that_fall_too_far_are_counted():
    three = run(4, 2, 3, *[1] * (N - 3))
    gate = held(three, max_drop=1, max_query_drop=(0.5, 1))
    [_, reason] = gate.reasons
    assert (reason.rule, reason.passed, reason.observed, reason.allowed) == ("max_query_drop", False, 2, 1)
    assert reason.sentence == "2 queries got worse by more than 0.5 on RR ('q00', 'q02'); 1 allowed."
    assert held(three, max_drop=1, max_query_drop="0.5:2").passed
    assert not held(three, max_drop=1, max_query_drop=0.5).passed
    assert (
        held(three, max_drop=1, max_query_drop=0.75).reasons[1].sentence
        == "0 queries got worse by more than 0.75 on RR; 0 allowed."
    )


def test_each_slice_must_pass_and_small_ones_are_left_out():
    kinds = {q: "hit" if i < 12 else "rare" if i < 15 else "rest" for i, q in enumerate(QRELS)}
    candidate = run(*[2] * 15, *[1] * (N - 15))
    gate = held(candidate, max_drop=0.3, slices=kinds)
    assert {r.slice: r.verdict for r in gate.reasons} == {None: "pass", "hit": "FAIL", "rare": "skip", "rest": "pass"}
    assert gate.reasons[2].sentence == "rare: not tested (3 queries; at least 10 are required)."
    assert gate.verdict == "FAIL  candidate against baseline: 1 of 3 rules failed"
    every = held(candidate, max_drop=0.3, slices=kinds, min_queries=3, mode="mean")
    assert [r.slice for r in every.broken] == ["hit", "rare"]


def test_several_kinds_of_slices_go_together(tmp_path):
    table = tmp_path / "queries.csv"
    table.write_text("query_id,kind\n" + "".join(f"{q},{'ab'[i % 2]}\n" for i, q in enumerate(QRELS)))
    for base in (BEST, jd.baseline(QRELS, BEST, "RR")):
        gate = held(HALF, base, slices=table, by=["kind", "relevant"])
        assert [r.slice for r in gate.reasons] == [None, "kind=a", "kind=b", "relevant=1"]
    refusal("slice", jd.gate, QRELS, HALF, baseline=BEST, slices="queries.csv")


def test_the_queries_that_got_worse_come_worst_first_with_what_moved():
    gate = held(run(1, 3, 2, *[1] * (N - 3)), run(2, *[1] * (N - 1)), max_drop=1)
    first, second = gate.worse["RR"]
    assert (first.query, first.value_a, first.value_b) == ("q01", 1, 1 / 3)
    assert (second.query, second.difference) == ("q02", -1 / 2)
    assert [(m.doc, m.rank_a, m.rank_b) for m in first.moves] == [("good", 1, 3)]
    assert len(held(HALF, worst=3).worse["RR"]) == 3
    refusal("parameter", jd.gate, QRELS, HALF, baseline=BEST, worst=-1)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    jd.write_qrels(jd.read_qrels(QRELS), "qrels.txt")
    jd.write_run(jd.read_run(BEST), "best.run")
    jd.write_run(jd.read_run(HALF), "half.run")
    jd.baseline("qrels.txt", "best.run", "RR P@1").save("base.json")
    return tmp_path


def test_a_saved_baseline_says_what_the_run_itself_says(files):
    direct = jd.gate("qrels.txt", "half.run", baseline="best.run", measures="RR P@1", max_query_drop=0.1)
    saved = jd.gate("qrels.txt", "half.run", baseline="base.json", max_query_drop=0.1)
    said = [[repr(replace(r, sentence="")) for r in one.reasons] for one in (direct, saved)]  # repr: a field may be NaN
    assert said[0] == said[1]
    assert saved.comparison.names == ("base", "half")
    assert saved.warnings == direct.warnings == ()
    assert [c.query for c in saved.worse["RR"]] == [c.query for c in direct.worse["RR"]]


def test_a_baseline_is_the_same_bytes_again_and_names_its_inputs(files):
    jd.baseline("qrels.txt", "best.run", "RR P@1").save("again.json")
    assert Path("again.json").read_bytes() == Path("base.json").read_bytes()
    data = json.loads(Path("base.json").read_text())
    assert data["inputs"] == {
        "version": jd.__version__,
        "qrels": content_of(jd.read_qrels(QRELS)),
        "qrels_file": hashlib.sha256(Path("qrels.txt").read_bytes()).hexdigest(),
        "run_file": hashlib.sha256(Path("best.run").read_bytes()).hexdigest(),
    }
    assert list(data["values"]) == ["RR", "P@1"]
    assert data["policy"]["ties"] == "id-desc"
    assert jd.load("base.json").mean() == {"RR": 1, "P@1": 1}


def test_the_form_of_the_judgments_does_not_matter_but_what_they_say_does(files):
    lines = Path("qrels.txt").read_bytes().splitlines(keepends=True)
    Path("turned.txt.gz").write_bytes(gzip.compress(b"".join(reversed(lines))))
    same = content_of(jd.read_qrels("qrels.txt"))
    assert content_of(jd.read_qrels("turned.txt.gz")) == content_of(jd.read_qrels(QRELS)) == same
    others = [
        {**QRELS, "q00": {"good": 2}}, {**QRELS, "q00": {"good": 1, "x": 0}}, {**QRELS, "q00": {"other": 1}},
        {k: v for k, v in QRELS.items() if k != "q00"}, {k.replace("q00", "r00"): v for k, v in QRELS.items()},
        [("q00", "good", 1), ("q00", "x", 0)], [("q00x", "good", 1), ("q00", "x", 0)],
        [("a", "x", 1), ("b", "y", 1)], [("a", "y", 1), ("b", "x", 1)],
    ]  # fmt: skip
    assert len({same, *(content_of(jd.read_qrels(other)) for other in others)}) == len(others) + 1


def test_subtopics_count_as_content():
    rows = [("q", s, d, 1) for s, d in (("1", "a"), ("2", "b"))]
    turned = [("q", s, d, 1) for s, d in (("2", "a"), ("1", "b"))]
    read = [
        jd.read_qrels([dict(zip(("query", "subtopic", "doc", "grade"), r, strict=True)) for r in rs])
        for rs in (rows, rows[::-1], turned)
    ]
    hashes = list(map(content_of, read))
    assert hashes[0] == hashes[1] != hashes[2]


def test_changed_judgments_are_refused_unless_that_is_allowed(files):
    changed = {**QRELS, "q00": {"good": 1, "x0": 1}}
    assert refusal("incomparable", jd.gate, changed, "half.run", baseline="base.json").exit_code == 2
    gate = jd.gate(changed, "half.run", baseline="base.json", allow_changed_judgments=True)
    assert [w.slug for w in gate.warnings] == ["baseline"]


def test_other_policies_profiles_levels_and_measures_are_refused_with_the_reason(files):
    for options, said in (
        ({"ties": "best"}, "ties: best"),
        ({"profile": "ntcireval"}, "profile"),
        ({"measures": "AP"}, "AP"),
        ({"level": 2}, "RR(level=2)"),
    ):
        assert said in str(refusal("incomparable", jd.gate, "qrels.txt", "half.run", baseline="base.json", **options))


def test_results_in_memory_and_from_eval_are_baselines_that_name_no_judgments(files):
    values = jd.evaluate("qrels.txt", "best.run", "RR")
    values.save("values.json")
    for base in (values, "values.json", Path("values.json")):
        gate = jd.gate("qrels.txt", "half.run", baseline=base)
        assert not gate.passed
        assert [w.slug for w in gate.warnings] == ["baseline"]


def test_another_version_is_told(files):
    data = json.loads(Path("base.json").read_text())
    Path("base.json").write_text(json.dumps(with_checksum({**data, "inputs": {**data["inputs"], "version": "0.0.1"}})))
    [warning] = jd.gate("qrels.txt", "half.run", baseline="base.json").warnings
    assert warning.text == f"the baseline was made by judged 0.0.1; this is {jd.__version__}"


def test_a_spoilt_baseline_is_an_error_that_names_the_file(files):
    text = Path("base.json").read_text()
    for spoilt in (text[: len(text) // 2], f"[{text},{text}]", text.replace('"q01"', '"q00"'), '{"judged": 1}'):
        Path("bad.json").write_text(spoilt)
        error = refusal("values-file", jd.gate, "qrels.txt", "half.run", baseline="bad.json")
        assert str(error).startswith("bad.json: ")


def test_a_json_run_is_a_run_and_foreign_json_an_error(files):
    Path("best.json").write_text(json.dumps({q: {"good": 1.0} for q in QRELS}))
    assert not jd.gate("qrels.txt", "half.run", baseline="best.json", measures="RR").passed
    Path("foreign.json").write_text('{"hello": 1}')
    refusal("form", jd.gate, "qrels.txt", "half.run", baseline="foreign.json", measures="RR")
    refusal("io", jd.gate, "qrels.txt", "half.run", baseline="none.json")


def test_queries_of_one_side_only_are_told_and_floors_take_all_of_the_candidate(files):
    some = {q: docs for q, docs in HALF.items() if q < "q20"}
    gate = jd.gate(QRELS, BEST, baseline=some, measures="RR", queries="both", min={"RR": 1})
    assert [(w.slug, w.count) for w in gate.warnings] == [("query-missing", 20), ("queries-differ", 20)]
    assert len(gate.candidate) == N
    assert gate.comparison.rows[0].queries == 20


TOML = """
[gate]
qrels = "qrels.txt"
baseline = "base.json"
measures = ["RR"]
max_drop = { default = 0.6, "P@1" = 1.0 }
mode = "mean"
alpha = 0.1
slices = "queries.csv"
by = ["kind"]
max_query_drop = "0.9:2"
ties = "id-desc"

[gate.min]
"RR" = 0.4
"""


def test_rules_stand_in_a_file_with_paths_from_its_folder(files, monkeypatch):
    Path("judged.toml").write_text(TOML.replace('"P@1" = 1.0', "").replace("0.6, ", "0.6"))
    Path("queries.csv").write_text("query_id,kind\n" + "".join(f"{q},a\n" for q in QRELS))
    (files / "elsewhere").mkdir()
    monkeypatch.chdir(files / "elsewhere")
    gate = jd.gate(None, "../half.run", rules="../judged.toml")
    assert gate.passed
    assert (gate.rules.mode, gate.rules.alpha, gate.rules.max_query_drop) == ("mean", 0.1, (0.9, 2))
    assert [(r.rule, r.slice) for r in gate.reasons] == [
        ("max_drop", None), ("max_drop", "kind=a"), ("max_query_drop", None), ("min", None),
    ]  # fmt: skip
    assert not jd.gate(None, "../half.run", rules="../judged.toml", max_drop=0.1).passed


def test_rules_are_a_mapping_or_arguments():
    keys = {"measures": "RR", "max_drop": 0.1, "by": "relevant", "ties": "best"}
    one = jd.gate(QRELS, HALF, baseline=BEST, rules=keys)
    two = jd.gate(QRELS, HALF, baseline=BEST, **keys)
    assert one.to_json() == two.to_json()
    assert one.candidate.policy.ties == "best"


@pytest.mark.parametrize(
    ("keys", "slug"),
    [
        ({"max_drp": 0.1}, "rule"),
        ({"max-drop": 0.1}, "rule"),
        ({"zzz": 1}, "rule"),
        ({"max_drop": -0.1}, "parameter"),
        ({"max_drop": True}, "parameter"),
        ({"max_drop": math.nan}, "parameter"),
        ({"max_drop": "0.1"}, "parameter"),
        ({"mode": "strict"}, "parameter"),
        ({"min": 0.5}, "rule"),
        ({"min": {"RR": "a"}}, "parameter"),
        ({"min": {"NDGC": 1}}, "unknown-name"),
        ({"max_query_drop": "a:b"}, "rule"),
        ({"max_query_drop": (0.3, -1)}, "parameter"),
        ({"max_query_drop": (0.3, 1, 2)}, "rule"),
        ({"min_queries": 0}, "parameter"),
        ({"alpha": 0.7}, "parameter"),
        ({"correction": "max"}, "correction"),
        ({"max_drop": {"default": -1}}, "parameter"),
        ({"min": {"RR": 0.5, "recip_rank": 0.4}}, "rule"),
        ({"interval": "t"}, "rule"),
        ({"profile": "zzz"}, "profile"),
        ({"test": "tt"}, "unknown-name"),
        ({"ties": "sideways"}, "policy"),
        ({"allow_changed_judgments": "yes"}, "parameter"),
        ({"measures": "relstring"}, "measure"),
        ({"slices": {"zz": 1}}, "slice"),
        ({"by": 3}, "slice"),
        ({"by": "kind"}, "slice"),
    ],
)
def test_a_wrong_rule_is_refused_with_what_it_takes(keys, slug):
    assert refusal(slug, jd.gate, QRELS, HALF, baseline=BEST, rules=keys).exit_code == 2


@pytest.mark.parametrize("allowed", [0, 0.02])
def test_a_gate_has_the_one_sided_interval_of_compare(allowed):
    [gated] = jd.gate(QRELS, OTHER_WOBBLE, baseline=WOBBLE, measures="RR", max_drop=allowed).reasons
    [compared] = jd.compare(QRELS, {"a": WOBBLE, "b": OTHER_WOBBLE}, "RR", alpha=2 * 0.05).rows
    assert (gated.low, gated.high) == pytest.approx((compared.low, compared.high), rel=1e-12)


def test_no_rule_and_no_judgments_are_refused():
    refusal("rule", jd.gate, QRELS, HALF)
    refusal("rule", jd.gate, None, HALF, baseline=BEST)
    refusal("rule", jd.gate, QRELS, HALF, baseline=BEST, rules=7)
    refusal("rule", jd.gate, QRELS, BEST, level=2, min={"AP": 0.1, "AP(level=2)": 0.7})  # which the level makes one


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("[gates]\nmode = 'mean'", "rule"),
        ("mode = 'mean'", "rule"),
        ("gate = 3", "rule"),
        ("[gate", "option"),
        ("[gate]\nmode = mean", "option"),
    ],
)
def test_a_file_that_holds_no_rules_is_refused(tmp_path, text, slug):
    path = tmp_path / "judged.toml"
    path.write_text(text)
    refusal(slug, read_rules, path)


def test_rules_may_be_in_pyproject(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.judged]\nlevel = 2\n[tool.judged.gate]\nmode = 'mean'\n")
    assert read_rules(path) == {"mode": "mean"}


def test_names_of_measures_follow_the_profile_and_the_level():
    gate = jd.gate(
        QRELS,
        BEST,
        baseline=BEST,
        measures="nDCG@5 AP",
        profile="gdeval",
        level=2,
        min={"nDCG@5": 1, "AP": 0},
        max_drop={"AP": 0.1},
    )
    assert [r.measure for r in gate.reasons] == ["nDCG(gain='exp')@5", "AP(level=2)"] * 2
    assert gate.reasons[1].allowed == 0.1
