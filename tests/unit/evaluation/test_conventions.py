"""One measure under the conventions of every tool: values, causes, queries, and published numbers."""

import math

import pytest
from for_each import for_each
from profile_inputs import generated
from refusals import refusal

import judged as jd
from judged.evaluation.conventions import Published, ToolValue
from judged.evaluation.tool_differences import POLICIES, Switch
from judged.measures.profiles import PROFILES
from judged.measures.registry import MEASURES, Measure, parse

PLAIN = [
    Measure(d) for d in MEASURES if d.needs == "grades" and not d.text and d.summary != "none" and d.family != "own"
]
CUT = [m @ 5 for m in PLAIN if m.definition.at == "cutoff" and m.get("cutoff") is None]
OTHERS = [parse(name) for name in ("RBP(level=1)", "nDCG(gain='exp')@5", "SetF(beta=2)")]
NAMES = [str(m) for m in (*PLAIN, *CUT, *OTHERS) if any(p.has(m) for p in PROFILES.values())]


def switched(measure: str, causes) -> tuple[Measure, dict[str, object]]:
    """A measure and options of `evaluate` with the conventions that were named."""
    params = {cause.name: cause.value for cause in causes}
    other = params.pop("measure", None)
    policy = {name: params.pop(name) for name in list(params) if name in POLICIES}
    chosen = parse(measure)
    if other is not None:
        chosen = Measure(MEASURES.find(other))(**dict(chosen.given))
    return chosen(**params), policy


def values_of(result: jd.Values) -> tuple[float, dict[str, float]]:
    [name] = result.columns
    return result.mean()[name], {
        str(q): v for q, v in zip(result.queries, result[name].tolist(), strict=True) if not math.isnan(v)
    }


@pytest.mark.slow
@for_each("name", NAMES)
def test_the_causes_switched_together_give_the_value_of_the_profile_exactly(name):
    """The law: the value under a profile, from its causes alone, with the same bits for every query; and no cause can be left out."""
    for kind in ("tied", "near"):
        qrels, run = generated(kind, 5)
        found = jd.conventions(name, qrels, run)
        assert found.default == values_of(jd.evaluate(qrels, run, [name]))[0] or math.isnan(found.default)
        for tool in found.tools:
            assert tool.known == PROFILES[tool.profile].has(parse(name))
            if tool.value is None:
                continue
            theirs = values_of(jd.evaluate(qrels, run, [name], profile=tool.profile))
            measure, policy = switched(name, tool.causes)
            assert repr(values_of(jd.evaluate(qrels, run, [measure], **policy))) == repr(theirs), (kind, tool)
            assert repr(tool.value) == repr(theirs[0])
            for left_out in range(len(tool.causes)):
                rest = tool.causes[:left_out] + tool.causes[left_out + 1 :]
                try:
                    measure, policy = switched(name, rest)
                    assert repr(values_of(jd.evaluate(qrels, run, [measure], **policy))) != repr(theirs), (kind, tool)
                except jd.UsageError:
                    pass  # the rest does not go together


QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
RUN = {"q1": {"b": 2.0, "x": 1.0}, "q3": {"a": 1.0}}


def test_a_cause_is_one_sentence():
    found = jd.conventions("R@5", QRELS, RUN)
    assert found["beir"].text == "beir differs by +0.0833 because it leaves out queries missing from the run"
    assert found["trec_eval-10"].text == "trec_eval-10 gives the same value"
    assert [c.option for c in found["beir"].causes] == ["queries='both'"]
    assert found["beir"].difference == pytest.approx(1 / 4 - 1 / 6)


def test_a_measure_that_a_tool_lacks_is_shown_as_such():
    found = jd.conventions("RR@10", QRELS, RUN)
    assert (found["trec_eval-10"].known, found["trec_eval-10"].value) == (False, None)
    assert "judged knows no such measure of trec_eval-10" in found["trec_eval-10"].text
    assert found["msmarco"].known
    assert "judged knows no such measure of gdeval" in str(found)


def test_causes_that_do_not_add_up_explain_a_difference_only_together():
    """Recall of q1 is 1/2; leaving out q2 and q3 alone gives 1/4 each, both together 1/2."""
    found = jd.conventions("R@5", QRELS, RUN)["sentence-transformers"]
    assert found.together
    assert [cause.alone for cause in found.causes] == pytest.approx([1 / 4 - 1 / 6] * 2)
    assert found.difference == pytest.approx(1 / 2 - 1 / 6)
    assert found.text.endswith("; only the combination explains it")


def test_a_cutoff_that_shrinks_is_found():
    """One of two relevant documents in a list of one is perfect in MLflow."""
    found = jd.conventions("nDCG@10", {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}})
    assert found["mlflow"].value == 1
    assert found.default == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert [cause.option for cause in found["mlflow"].causes] == ["short='shrink'"]


def test_differences_that_cancel_out_are_reported_by_queries():
    tool = ToolValue(
        "x",
        "AP",
        value=0.5,
        difference=0.0,
        n_queries=2,
        n_apart=2,
        causes=jd.conventions("R@5", QRELS, RUN)["beir"].causes,
    )
    assert tool.text.startswith("x gives the same mean, but differs in 2 queries, because it leaves out")


def test_a_value_that_cannot_be_computed_is_explained():
    found = jd.conventions("ERR", {"q": {"a": 4}}, {"q": {"a": 1.0}})
    assert "above the top grade" in found["ntcireval"].text


def test_given_policies_and_written_parameters_hold_for_every_tool():
    found = jd.conventions("R@5", QRELS, RUN, queries="both")
    assert found["beir"].causes == ()
    assert found.default == 1 / 4
    assert jd.conventions("nDCG(gain='linear')@5", QRELS, RUN, queries="both", empty="zero")["gdeval"].causes == ()
    assert jd.conventions("P@2", QRELS, RUN, level=2).default == 0


def test_profiles_are_tried_before_conventions():
    found = jd.conventions("R@5", QRELS, RUN, to=0.25)
    assert {match.profile for match in found.matches} >= {"beir", "mteb"}
    assert all(match.profile for match in found.matches)
    assert found.headline()[0].startswith("0.25 is the value under the profile")


def test_single_conventions_are_tried_before_pairs():
    """No tool of rankings counts grades from 2 on: P@1 of a, the only one."""
    found = jd.conventions("P@1", {"q": {"a": 2, "b": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}, "r": {"b": 1.0}}, to="0.5")
    assert [match.conventions for match in found.matches] == [("level=2",)]
    assert found.headline()[0] == "0.5 is the value if the tool counts grades from 2 on as relevant."


def test_pairs_of_conventions_are_tried_last():
    """Only documents of grade 2, and only queries of the run."""
    found = jd.conventions(
        "R",
        {"q": {"a": 2, "b": 2, "c": 1}, "r": {"b": 1}, "s": {"a": 2}},
        {"q": {"a": 1.0}, "r": {"x": 1.0}},
        to="0.250",
    )
    assert ("queries='both'", "level=2") in [match.conventions for match in found.matches]
    assert all(len(match.conventions) == 2 for match in found.matches)


def test_without_a_match_the_nearest_value_is_shown():
    found = jd.conventions("AP", QRELS, RUN, to="0.9876")
    assert not found.found
    assert len(found.matches) == 1
    assert found.headline()[0].startswith("No profile, convention or pair of conventions gives 0.9876; the nearest is")


@pytest.mark.parametrize(
    ("text", "value", "matches"),
    [
        ("0.4312", 0.43124, True),
        ("0.4312", 0.43126, False),
        ("0.43", 0.4349, True),
        ("0.430", 0.4311, False),
        (0.43, 0.4349, True),
        ("43.1", 0.4312, True),
        ("43.1%", 0.4312, True),
        ("1", 0.6, True),
        ("1.000", 0.9996, True),
        ("4e-1", 0.44, True),
        (100 / 3, 1 / 3, True),
        ("0.30000000000000004", 0.3, True),
    ],
)
def test_a_number_matches_at_its_decimals(text, value, matches):
    assert Published.of(text, parse("AP")).matches(value) == matches


def test_a_number_above_one_is_no_percentage_if_the_measure_has_no_limit():
    assert Published.of("43.1", parse("DCG")).value == 43.1


@pytest.mark.parametrize("to", ["high", "", "nan", True, "1e", None.__class__, "1e400"])
def test_what_is_no_number_is_refused(to):
    refusal("parameter", jd.conventions, "AP", QRELS, RUN, to)


@pytest.mark.parametrize("measure", ["AP RR", "relstring"])
def test_one_measure_of_numbers_is_asked_for(measure):
    refusal("unsuitable-measure", jd.conventions, measure, QRELS, RUN)


@pytest.mark.parametrize("name", PROFILES)
def test_every_convention_of_a_profile_has_words(name):
    from judged.evaluation.tool_differences import switches

    for m in PLAIN:
        for switch in switches(m @ 5 if m.definition.at == "cutoff" else m, PROFILES[name], {}):
            assert switch.text != f"has {switch.name} = {switch.value!r}" or switch.name in (
                "p",
                "max",
                "no_negatives",
            ), switch
    assert Switch("p", 0.8).text == "has p = 0.8"


@pytest.mark.parametrize(
    ("depth", "words"),
    [(3, "down to the cutoff only (a mistake)"), (None, "from the retrieved documents only (a mistake)")],
)
def test_an_ideal_ranking_of_what_was_retrieved_is_named_as_the_mistake_it_is(depth, words):
    qrels = {f"q{i}": {"a": 3, "b": 1, "c": 2, "missed": 3} for i in range(4)}
    runs = {f"q{i}": ["x"] * (i == 0) + ["b", "a", "y", "c"][i % 2 :] for i in range(4)}

    def dcg(grades):
        return sum(grade / math.log2(i + 2) for i, grade in enumerate(grades))

    values = []
    for query, docs in runs.items():
        grades = [qrels[query].get(doc, 0) for doc in docs]
        values.append(dcg(grades[:3]) / dcg(sorted(grades[:depth], reverse=True)[:3]))
    found = jd.conventions("nDCG@3", qrels, runs, to=f"{sum(values) / 4:.9f}")
    assert found.found
    assert any(match.text.endswith(words) for match in found.matches)


@pytest.mark.parametrize("to", ["-0.2", "143", "101%"])
def test_a_number_that_no_convention_can_give_is_refused(to):
    error = refusal("parameter", jd.conventions, "nDCG@3", {"q": {"a": 1}}, {"q": ["a"]}, to=to)
    assert "between 0 and 1" in str(error)


def test_a_total_has_no_range():
    assert not jd.conventions("NumRet", {"q": {"a": 1}}, {"q": ["a"]}, to="143").found
