"""The drop-in of pytrec_eval beside pytrec_eval itself: its README, its tests, generated rankings and wrong input."""

import math
from importlib import import_module

import pytest
from generated_rankings import answered
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import each
from refusals import refusal

from judged.compat import pytrec_eval as ours
from judged.errors import JudgedError

MODULES = ["judged.compat.pytrec_eval", *each("pytrec_eval")]
QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}


@pytest.fixture(params=MODULES)
def module(request):
    return import_module(request.param)


@pytest.fixture
def theirs():
    return import_module("pytrec_eval")


def same(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= 1e-12


def test_the_example_of_the_readme(module):
    """d2 is at rank 3 of q1; in q2 both relevant documents follow one that is not."""
    found = module.RelevanceEvaluator(QREL, {"map", "ndcg"}).evaluate(RUN)
    ndcg = (1 / math.log2(3) + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert found["q1"] == {"map": pytest.approx(1 / 3), "ndcg": pytest.approx(1 / math.log2(4))}
    assert found["q2"] == {"map": pytest.approx((1 / 2 + 2 / 3) / 2), "ndcg": pytest.approx(ndcg)}


def test_cutoffs_are_written_with_a_dot_or_an_underscore(module):
    names = ["ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "ndcg_cut_15", "recall.1000", "P"]
    found = module.RelevanceEvaluator(QREL, names).evaluate(RUN)["q1"]
    cuts = {f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)}
    assert set(found) == {"ndcg_cut_1", "ndcg_cut_4", "ndcg_cut_15", "ndcg_cut_20", "recall_1000"} | cuts


@pytest.mark.needs("pytrec_eval")
@pytest.mark.parametrize("nickname", ["official", "set", "all_trec"])
def test_nicknames_stand_for_the_same_measures_in_the_same_order(theirs, nickname):
    rows = [m.RelevanceEvaluator(QREL, {nickname}).evaluate(RUN)["q1"] for m in (ours, theirs)]
    assert list(rows[0]) == list(rows[1])
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert ours.supported_measures == theirs.supported_measures


@pytest.mark.needs("pytrec_eval")
@pytest.mark.parametrize("measures", [{"map"}, set()])
@pytest.mark.parametrize(("qrels", "run"), [({}, {}), ({}, RUN), (QREL, {}), (QREL, RUN), ({"q1": {}}, RUN), (QREL, {"q9": {"a": 1.0}})])  # fmt: skip
def test_empty_inputs_give_empty_results(theirs, measures, qrels, run):
    both = [m.RelevanceEvaluator(qrels, measures).evaluate(run) for m in (ours, theirs)]
    assert both[0].keys() == both[1].keys()
    assert [set(row) for row in both[0].values()] == [set(row) for row in both[1].values()]


def test_lines_are_read_and_means_are_those_of_trec_eval(module):
    qrel = module.parse_qrel(["q1 0 d1 1\n", "q1 0 d2 0\n", "q2 0 d1 2"])
    run = module.parse_run(["q1 Q0 d1 2 1.5 tag\n", "q1 Q0 d2 1 2.5 tag\n", "q2 Q0 d1 1 1e3 tag\n"])
    assert qrel == {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}
    assert run == {"q1": {"d1": 1.5, "d2": 2.5}, "q2": {"d1": 1000.0}}
    assert all(type(grade) is int for row in qrel.values() for grade in row.values())
    qrel["q3"]["d9"] = 1  # a query may be added, as to theirs
    found = module.RelevanceEvaluator(qrel, {"map", "gm_map", "num_ret"}).evaluate(run)
    mean = {m: module.compute_aggregated_measure(m, [row[m] for row in found.values()]) for m in found["q1"]}
    assert mean == {"map": pytest.approx(3 / 4), "gm_map": pytest.approx(math.sqrt(1 / 2)), "num_ret": 3.0}


def test_an_evaluator_evaluates_many_runs(module):
    evaluator = module.RelevanceEvaluator(QREL, {"recip_rank"})
    values = [evaluator.evaluate({"q1": {"d2": score, "d1": 0.5}})["q1"]["recip_rank"] for score in (0.0, 1.0, 0.2)]
    assert values == [1 / 2, 1.0, 1 / 2]


def test_queries_are_in_the_order_of_the_run(module):
    run = {"q2": RUN["q2"], "q9": {"d1": 1.0}, "q1": RUN["q1"]}
    assert list(module.RelevanceEvaluator(QREL, {"map"}).evaluate(run)) == ["q2", "q1"]


def undefined(name: str, value: float) -> bool:
    """Interpolated precision of a ranking without documents is 0 / 0 there, and 0 here."""
    return math.isnan(value) and name.startswith(("iprec_at_recall", "11pt_avg"))


@pytest.mark.needs("pytrec_eval")
@pytest.mark.conformance
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(answered(), st.sampled_from([1, 2]), st.booleans())
def test_every_value_is_that_of_pytrec_eval(compared, case, level, judged_only):
    import pytrec_eval as theirs

    qrels, run = case
    names = {"all_trec", "P_1,3", "ndcg_cut.2", "set_F.0.5"}
    found, wanted = (m.RelevanceEvaluator(qrels, names, level, judged_only).evaluate(run) for m in (ours, theirs))
    assert list(found) == list(wanted)
    for query, row in wanted.items():
        assert list(found[query]) == list(row)
        wrong = {n: (found[query][n], x) for n, x in row.items() if not same(found[query][n], x)}
        assert {n: pair for n, pair in wrong.items() if not undefined(n, pair[1])} == {}
        compared("drop-in pytrec_eval", len(row))
        assert all(found[query][n] == 0 for n in wrong)


@pytest.mark.needs("pytrec_eval")
@given(st.lists(st.floats(-20, 1), min_size=1), st.sampled_from(["map", "num_rel", "gm_map", "gm_bpref"]))
def test_aggregated_values_are_those_of_pytrec_eval(values, name):
    import pytrec_eval as theirs

    both = [m.compute_aggregated_measure(name, values) for m in (ours, theirs)]
    assert type(both[0]) is float
    assert both[0] == pytest.approx(both[1], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("error", "act"),
    [
        (ValueError, lambda m: m.RelevanceEvaluator(QREL, {"yaap"})),
        (ValueError, lambda m: m.RelevanceEvaluator(QREL, {"foo_10"})),
        (TypeError, lambda m: m.RelevanceEvaluator(QREL, {"map"}, "x")),
        (TypeError, lambda m: m.RelevanceEvaluator(QREL, {"map"}, 0)),
        (TypeError, lambda m: m.RelevanceEvaluator({"q": {"a": "1"}}, {"map"})),
        (TypeError, lambda m: m.RelevanceEvaluator(QREL, {"map"}).evaluate({"q1": {"d1": "high"}})),
        (TypeError, lambda m: m.RelevanceEvaluator(QREL, {"map"}).evaluate({1: {"d1": 1.0}})),
        (TypeError, lambda m: m.RelevanceEvaluator(QREL, {"map"}).evaluate([1])),
        (ValueError, lambda m: m.parse_run(["q1 Q0 d1 1\n"])),
        (ValueError, lambda m: m.parse_qrel(["q1 0 d1 x\n"])),
        (AssertionError, lambda m: m.parse_run(["q1 Q0 d1 1 2 t\n"] * 2)),
        (AssertionError, lambda m: m.parse_qrel(["q1 0 d1 1\n", "q1 0 d1 2\n"])),
    ],
)
def test_wrong_input_raises_the_type_that_pytrec_eval_raises(module, error, act):
    with pytest.raises(error) as found:
        act(module)
    assert module.__name__ == "pytrec_eval" or isinstance(found.value, JudgedError)


@pytest.mark.parametrize(
    ("slug", "act"),
    [
        ("score-nan", lambda: ours.RelevanceEvaluator(QREL, {"map"}).evaluate({"q1": {"d1": math.nan}})),
        ("cutoff", lambda: ours.RelevanceEvaluator(QREL, {"P.0"}).evaluate(RUN)),
    ],
)
def test_what_pytrec_eval_computes_from_nothing_or_crashes_on_is_an_error(slug, act):
    refusal(slug, act)


def test_fractional_grades_and_other_ids_are_accepted():
    found = ours.RelevanceEvaluator({1: {7: 0.5, 8: 1}}, "ndcg").evaluate({1: {7: 2.0, 8: 1.0}})
    ideal = 1 + 0.5 / math.log2(3)
    assert found == {1: {"ndcg": pytest.approx((0.5 + 1 / math.log2(3)) / ideal)}}
