"""Every profile gives the numbers of its tool: live where the tests install it, else recorded by `tools/record_profiles.py`.

A check yields (where, name, query, our value, their value). Differences are allowed only where `EXCEPTIONS` names the reason, and each exception is needed.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator

import profile_answers as answers
import pytest
from needs import each
from refusals import refusal

import judged as jd
from judged.evaluation.inputs import ORDER_POLICIES
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES, Measure, parse

Check = Callable[[], Iterator[answers.Compared]]
CHECKS: dict[str, list[Check]] = {
    "trec_eval-10": [answers.trec_eval_edge_cases],
    "trec_eval-9": [lambda: answers.pytrec_eval("trec_eval-9")],
    "pytrec_eval": [lambda: answers.pytrec_eval("pytrec_eval")],
    "ir_measures": [answers.ir_measures, answers.recorded_ir_measures],
    "ranx": [lambda: answers.recorded("ranx", most=15, docs=25)],
    "gdeval": [lambda: answers.recorded("gdeval", top=4)],
    "torchmetrics": [answers.torchmetrics],
    "sklearn": [answers.sklearn],
    "beir": [lambda: answers.recorded("beir", only=answers.answered_and_relevant)],
    "mteb": [lambda: answers.recorded("mteb")],
    "sentence-transformers": [lambda: answers.recorded("sentence-transformers")],
    "msmarco": [answers.msmarco],
    "lightgbm": [answers.lightgbm],
    "xgboost": [answers.xgboost],
    "catboost": [answers.catboost],
    "lenskit": [lambda: answers.recorded("lenskit")],
    "ntcireval": [lambda: answers.recorded("ntcireval")],
    "mlflow": [lambda: answers.recorded("mlflow")],
    "notes": [answers.notes],
}
LIVE = each(
    "pytrec_eval", "ir_measures", "torchmetrics", "sklearn", "lightgbm", "xgboost", "catboost",
    others={"trec_eval-9": "pytrec_eval", "msmarco": "ir_measures", "notes": "torch"},
)  # fmt: skip

# What the tool does otherwise: the place, the name and the query of a value, and the reason, which is also in the text of the profile.
EXCEPTIONS: dict[str, list[tuple[str, str]]] = {
    "trec_eval-10": [(r"fractional_rels .*", "fractional grades, which it truncates")],
    "trec_eval-9": [(r".* gm_(map|bpref) .*", "gm_map and gm_bpref of a query")],
    "pytrec_eval": [(r".* gm_(map|bpref) .*", "gm_map and gm_bpref of a query")],
    "ir_measures": [(r"(tied|negative)-\d Compat.*", "Compat with equal scores, or scores ≤ 0")],
    "torchmetrics": [
        (r"(tied|near)-\d (AP|RR|(AP|RR|P|AUC)@3) .*", "equal scores, which it sorts in an order of its own"),
        (r"near-\d AUC .*", "AUROC of scores outside of 0 to 1"),
        (r"negative-\d (AP|RR|P|R)(@3)? .*", "scores ≤ 0, which count as not retrieved"),
    ],
    "mlflow": [
        (
            r"sample (nDCG|R)@\d+ (19|all)",
            "nDCG and recall of a query without a relevant document and without a ranking",
        )
    ],
}


def explained(name: str, case: answers.Compared) -> str | None:
    """The pattern of the exception that a difference falls under."""
    spelt = f"{case.where} {case.name} {case.query}"
    return next((pattern for pattern, _ in EXCEPTIONS.get(name, []) if re.fullmatch(pattern, spelt)), None)


def test_every_profile_is_compared_with_its_tool():
    assert list(CHECKS) == list(PROFILES)
    assert set(EXCEPTIONS) | {one.values[0] for one in LIVE} <= set(PROFILES)


@pytest.mark.conformance
@pytest.mark.parametrize("name", [*LIVE, *(name for name in PROFILES if name not in {one.values[0] for one in LIVE})])
def test_a_profile_gives_the_numbers_of_its_tool(name, compared):
    total, wrong, needed, names = 0, [], Counter(), set()
    for check in CHECKS[name]:
        for case in check():
            total += 1
            names.add(case.name)
            if not case.equal:
                pattern = explained(name, case)
                needed[pattern] += 1
                wrong += [case] if pattern is None else []
    compared(f"profile {name}", total)
    assert wrong == []
    assert total >= 90
    assert [pattern for pattern, _ in EXCEPTIONS.get(name, []) if not needed[pattern]] == []
    assert {word for word in names if not PROFILES[name].has(parse(answers.ours_of(name, word)))} == set()
    for _, reason in EXCEPTIONS.get(name, []):
        assert reason in PROFILES[name].except_for


@pytest.mark.needs("pytrec_eval")
@pytest.mark.conformance
@pytest.mark.parametrize("name", ["trec_eval-9", "pytrec_eval"])
def test_geometric_means_are_those_of_pytrec_eval(name):
    import pytrec_eval as tool

    for _, qrels, run in answers.rankings(3):
        theirs = tool.RelevanceEvaluator(qrels, {"gm_map", "gm_bpref"}).evaluate(run)
        ours = jd.evaluate(qrels, run, "gm_map gm_bpref", profile=name)
        for word in ("gm_map", "gm_bpref"):
            logarithms = [theirs[str(query)][word] for query in ours.queries]
            assert ours.mean()[word] == pytest.approx(tool.compute_aggregated_measure(word, logarithms))
            assert [max(value, 1e-5) for value in ours[word]] == pytest.approx([math.exp(x) for x in logarithms])


@pytest.mark.needs("ir_measures")
@pytest.mark.conformance
def test_interpolated_precision_of_nothing_has_no_value_in_ir_measures():
    import ir_measures as tool

    qrels, run, name = {"q": {"a": 0}}, {"q": {"b": 1.0}}, "IPrec(judged_only=True)@0.5"
    theirs = next(found.value for found in tool.iter_calc([tool.parse_measure(name)], qrels, run))
    assert math.isnan(theirs)
    assert jd.evaluate(qrels, run, [name], profile="ir_measures").mean()[name] == 0
    assert "IPrec(judged_only=True)" in PROFILES["ir_measures"].except_for


@pytest.mark.parametrize("name", PROFILES)
def test_conventions_name_measures_and_parameters_that_exist(name):
    for convention in PROFILES[name].conventions:
        for word in convention.measures.split():
            definition = MEASURES.find(word)
            assert definition.name == word
            assert {*convention.params, *convention.when} <= {*definition.parameters}
            Measure(definition)(**convention.params)
        assert {*convention.policy} <= {*ORDER_POLICIES, "empty"}  # those that an evaluation can have by measure
        assert not convention.instead or MEASURES.find(convention.instead).name == convention.instead


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_applied_twice_is_applied_once(name):
    profile = PROFILES[name]
    for definition in MEASURES:
        plain = Measure(definition)
        for m in (plain, plain @ 5 if definition.at == "cutoff" else plain):
            once = profile.apply(m)
            assert (profile.apply(once), profile.apply(once).policy) == (once, once.policy)
            assert profile.apply(parse(str(once))) == once


QRELS = {"q": {"a": 1, "b": 0, "c": 0}, "r": {"x": 0, "y": 1}}
RUN = {"q": {"b": 1.0, "c": 1.0, "a": 1.0}, "r": {"x": 1.00000001, "y": 1.0}}
MIXED = ["RR", "RR@10", "RBP(rel=1)", "P@1", "Judged@1"]


def test_measures_of_one_evaluation_have_the_order_of_their_provider():
    """Descending ids put c first in q, ascending ones a, the input b; float32 cannot tell x from y."""
    together = jd.evaluate(QRELS, RUN, MIXED, profile="ir_measures").to_dict()
    assert together["q"]["RR"] == 1 / 3
    assert together["q"]["RR@10"] == 1
    assert together["q"]["RBP(rel=1)"] == pytest.approx(0.2 * 0.8**2)
    assert (together["r"]["RR"], together["r"]["RR@10"]) == (1, 1 / 2)


@pytest.mark.parametrize("measure", MIXED)
def test_a_value_is_the_same_alone_explained_compared_and_as_a_baseline(measure):
    values = jd.evaluate(QRELS, RUN, MIXED, profile="ir_measures")
    value = values.to_dict()["q"][measure]
    assert jd.evaluate(QRELS, RUN, measure, profile="ir_measures").to_dict()["q"][measure] == value
    assert jd.explain(measure, QRELS, RUN, "q", profile="ir_measures").value == value
    assert values.explain(values.measures[MIXED.index(measure)], "q").value == value
    comparison = jd.compare(QRELS, {"a": RUN, "b": RUN}, measure, profile="ir_measures")
    assert comparison.results[0].to_dict()["q"][measure] == value
    saved = jd.baseline(QRELS, RUN, MIXED, profile="ir_measures").values
    assert saved.to_dict()["q"][measure] == value


def test_the_policies_of_single_measures_are_printed_and_saved():
    values = jd.evaluate(QRELS, RUN, MIXED, profile="ir_measures")
    assert "policy of RR@10, Judged@1: ties: id-asc, precision: float64" in str(values)
    again = type(values).from_json(values.to_json())
    assert [m.policy for m in again.measures] == [m.policy for m in values.measures]
    given = jd.evaluate(QRELS, RUN, MIXED, profile="ir_measures", ties="id-desc", precision="float32")
    assert "policy of" not in str(given)
    refusal("incomparable", jd.compare, {"a": values, "b": given})


def test_measures_of_one_array_have_their_own_policies():
    """nDCG is averaged over the two orders, RR takes the input's; precision is 0 without a relevant item, nDCG 1."""
    tied = jd.score([[1, 0]], [[0.5, 0.5]], "nDCG@2 RR", profile="torchmetrics").mean()
    assert tied["nDCG@2"] == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert tied["RR"] == 1
    assert jd.score([[0, 0]], [[0.5, 0.4]], "nDCG@2 P@1", profile="xgboost").to_dict()[0] == {
        "nDCG(gain='exp')@2": 1,
        "P(short='shrink')@1": 0,
    }
    assert jd.score([[0, 0]], [[0.5, 0.4]], "P@1", profile="xgboost", empty="one")["P@1"][0] == 1
