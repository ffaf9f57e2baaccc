"""Terms of definitions that only unusual judgments reach: each value is a formula."""

import math

import pytest
from refusals import refusal

import judged as jd
from judged.errors import JudgedError
from judged.io.formats.trec_eval import read_judgments
from judged.measures.families import effort
from judged.measures.registry import MEASURES

GAINED = [d for d in MEASURES if d.family != "own" and "gain" in d.parameters and d.needs == "grades"]


def value(name: str, qrels: dict[str, float], run: list[str], **options) -> float:
    return jd.evaluate({"q": qrels}, {"q": run}, name, **options)[name][0]


def test_a_first_hit_that_is_missed_counts_one_rank_after_what_was_read():
    for name, rank in (("FirstHit", 3 + 1), ("FirstHit@2", 2 + 1), ("FirstHit(missed=9)", 9)):
        assert value(name, {"x": 1}, list("abc")) == rank


def test_a_last_hit_that_is_missed_counts_one_rank_after_the_ranking():
    assert value("LastHit", {"b": 1, "x": 1}, list("abc")) == 3 + 1
    assert value("LastHit", {"b": 1, "x": 0}, list("abc")) == 2


def test_the_collection_has_at_least_the_documents_that_are_retrieved_or_relevant():
    grades = {"a": 1, "x": 1}  # with b and c four documents: two non-relevant ones, both retrieved
    assert value("FallOut(collection=4)", grades, list("abc")) == 2 / 2
    assert value("FallOut(collection=5)", grades, list("abc")) == 2 / 3
    refusal("parameter", value, "FallOut(collection=3)", grades, list("abc"))


def test_pfound_takes_grades_as_probabilities():
    grades = {"a": 0.5, "b": -1, "c": 1, "d": 1}
    expected = pytest.approx(0.5 + 0.5 * 0.85**2, rel=1e-15, abs=0)  # powers of NumPy 1 differ in the last bit
    assert value("PFound(chance='grade')", grades, list("abcd")) == expected
    assert value("PFound(chance='grade', max=1)", grades, list("abcd")) == expected
    refusal("parameter", value, "PFound(chance='grade', max=1.5)", grades, list("abcd"))
    refusal("label-above-max", value, "PFound(chance='grade')", {"a": 2}, ["a"])


def test_rbp_stretches_gains_from_the_lowest_of_the_query_to_the_highest():
    gains = {"a": 0, "b": 1, "c": 2}  # -1, 1 and 2: shares 0, 2/3 and 1 of the way
    assert value("RBP(p=0.5, gains={0: -1})", gains, list("cba")) == pytest.approx(0.5 * (1 + 0.5 * 2 / 3))


def test_rbp_of_fractions_of_a_grade_is_that_of_the_fractions():
    assert value("RBP(p=0.5, max=1)", {"a": 0.5, "b": 1}, list("ab")) == 0.5 * (0.5 + 0.5 * 1)
    assert value("RBP(p=0.5, scale='none')", {"a": 0.5, "b": 3}, list("ab")) == 0.5 * (0.5 + 0.5 * 3)
    assert value("RBP(p=0.5, level=1)", {"a": 0.5, "b": 1}, list("ab")) == 0.5 * (0 + 0.5 * 1)


def test_a_walk_in_blocks_of_queries_is_the_same(monkeypatch):
    grades = {f"q{i}": {"a": i % 5, "b": (i + 2) % 5, "c": 1} for i in range(7)}
    names = [
        f"{d.name}@3"
        for d in MEASURES
        if d.function.__module__ == effort.__name__ and (d.at, d.needs) == ("cutoff", "grades")
    ]
    whole = {name: jd.evaluate(grades, {q: list("cab") for q in grades}, name)[name].tolist() for name in names}
    for block in (1, 3):
        monkeypatch.setattr(effort, "_QUERIES", block)
        for name in names:
            assert jd.evaluate(grades, {q: list("cab") for q in grades}, name)[name].tolist() == whole[name]


USERS = [d for d in MEASURES if d.family != "own" and "of" in d.parameters and d.needs == "grades"]


@pytest.mark.parametrize("definition", USERS, ids=lambda d: d.name)
def test_users_inspect_as_many_documents_whether_useless_ones_are_judged_or_not(definition):
    if definition.at == "cutoff":
        name = f"{definition.name}(of='depth')@3"
    else:
        name = f"{definition.name}(of='depth', depth=3)"
    judged, unjudged = (value(name, {"x": 1, **some}, list("abc")) for some in (dict.fromkeys("abc", 0), {}))
    assert unjudged == pytest.approx(judged, rel=1e-12)
    assert unjudged >= 1


def test_a_stop_at_a_document_without_gain_is_never_made():
    grades = {"a": 1, "b": 0, "c": 2}
    for name in ("NCUguP(stops={0: 7, 1: 1, 2: 3})", "NCUguP(stops={1: 1, 2: 3})"):
        assert value(name, grades, list("abc")) == pytest.approx((1 * 1 + 3 * 2 / 3) / (1 + 3))


@pytest.mark.parametrize("definition", GAINED, ids=lambda d: d.name)
def test_a_gain_that_is_too_large_is_refused_with_the_name_of_the_judgments(definition):
    with pytest.raises(JudgedError) as caught:
        value(f"{definition.name}(gain='exp')", {"a": 5000, "b": 1}, ["a", "b"])
    assert caught.value.slug in ("gain-overflow", "label-above-max")
    if caught.value.slug == "gain-overflow":
        assert caught.value.where.path == "qrels"


RUN = {"q": list("abc")}


def preferences(folder, *rows: str):
    path = folder / "prefs.qrels"
    path.write_text("".join(f"q {row}\n" for row in rows))
    return read_judgments(path, "prefs")


def test_the_preferences_of_a_judge_must_not_contradict_each_other(tmp_path):
    """Columns: group, subgroup, document, grade."""
    around = preferences(tmp_path, "g 1 a 2", "g 1 b 1", "g 2 b 2", "g 2 c 1", "g 3 c 2", "g 3 a 1")
    assert refusal("form", jd.evaluate, around, RUN, "Prefs").where is not None
    both = preferences(tmp_path, "g 1 a 2", "g 1 b 0", "g 2 b 1", "g 2 c 0")
    refusal("form", jd.evaluate, both, RUN, "Prefs")


def test_preferences_follow_from_each_other(tmp_path):
    chain = preferences(tmp_path, "g 1 a 2", "g 1 b 1", "g 2 b 2", "g 2 c 1")  # a before b, b before c: a before c
    found = jd.evaluate(chain, {"q": list("cab")}, "NumPrefs NumPrefsMet")
    assert (found["NumPrefs"][0], found["NumPrefsMet"][0]) == (3, 1)


def test_numbers_of_twenty_digits_are_read_and_longer_ones_are_refused_unread():
    for text in ("nDCG@" + "9" * 20, "nDCG@" + "9" * 21, "nDCG@" + "9" * 900, "nDCG@0." + "3" * 30):
        assert refusal("cutoff", jd.measures.parse, text).value == text
    assert math.isclose(jd.measures.parse("IPrec@0." + "3" * 18).get("recall"), 1 / 3)
