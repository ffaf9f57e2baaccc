"""The level of binary measures: it is printed wherever one is shown, and a warning names it if nobody chose it."""

import numpy as np
import pytest

import judged as jd
from judged.judging.todo import SCALES

RUNS = {"a": {"q": ["x", "y", "z", "w"]}, "b": {"q": ["w", "z", "y", "x"]}}


def graded(*grades):
    return {"q": dict(zip("xyzw", grades, strict=False))}


def level_warnings(result):
    return [w for w in result.warnings if w.slug == "level"]


@pytest.mark.parametrize("seed", range(20))
def test_stars_from_one_to_five_always_warn_once_and_name_level_four(seed):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(int(rng.integers(5, 40)))]
    stars = np.append(np.arange(1, 6), rng.integers(1, 6, len(docs) - 5)).tolist()
    qrels, run = {"q": dict(zip(docs, stars, strict=True))}, {"q": rng.permutation(docs).tolist()}
    [warned] = level_warnings(jd.evaluate(qrels, run))
    assert warned.count == len(docs)
    assert (
        warned.text == f"AP, RR, P@10 and R@100 count all {len(docs)} judged documents as relevant: no grade is below 1"
    )
    assert str(warned).endswith("such as level=4.  [level]")
    assert warned.render(flags=True).endswith("such as --level 4.  [level]")
    assert not level_warnings(jd.evaluate(qrels, run, level=4))


def test_two_grades_warn_if_they_are_of_a_longer_scale():
    [warned] = level_warnings(jd.evaluate(graded(1, 1, 5), RUNS["a"], "AP"))
    assert warned.text == "AP counts all 3 judged documents as relevant: no grade is below 1"


def test_a_scale_with_zero_warns_from_four_grades_on():
    [warned] = level_warnings(jd.evaluate(graded(3, 2, 1, 0), RUNS["a"], "AP"))
    assert (warned.count, warned.text) == (
        3,
        "AP counts 3 of 4 judged documents as relevant: grade ≥ 1 on a scale of 0 to 3",
    )
    assert "level=2" in str(warned)


@pytest.mark.parametrize(
    "grades",
    [(1, 1, 1), (1, 0, 1), (0, 1, 2), (1, 2, 2), (-2, 0, 1, 2)],
    ids=["relevant only", "binary", "TREC Robust", "two grades", "spam is no grade of a scale"],
)
def test_common_scales_do_not_warn(grades):
    assert not level_warnings(jd.evaluate(graded(*grades), RUNS["a"]))


@pytest.mark.parametrize(
    ("measures", "options"),
    [("nDCG@10", {}), ("AP(level=1)", {}), ("AP", {"level": 1}), ("AP(level=3) RR(rel=2)", {}), ("RBP", {})],
)
def test_a_chosen_level_and_graded_measures_do_not_warn(measures, options):
    assert not level_warnings(jd.evaluate(graded(4, 3, 2, 1), RUNS["a"], measures, **options))


def test_labels_and_scores_warn_too():
    labels, scores = [[4, 3, 2, 0, 1]], [[5, 4, 3, 2, 1]]
    [warned] = level_warnings(jd.score(labels, scores, "RR"))
    assert "level=3" in str(warned)


def test_the_level_is_printed_wherever_a_binary_measure_is_shown(tmp_path):
    qrels = graded(2, 1, 0)
    both = "relevant: grade ≥ 1 or 2"
    values = jd.evaluate(qrels, RUNS["a"], "AP P(level=2)@2")
    compared = jd.compare(qrels, RUNS, "AP P(level=2)@2")
    gated = jd.gate(qrels, RUNS["a"], baseline=RUNS["b"], measures="AP P(level=2)@2", mode="mean")
    bounded = jd.gate(qrels, RUNS["a"], min={"AP": 0.1})
    jd.report(compared, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    for text in (*(one.render(how) for one in (values, compared, gated) for how in ("table", "md")), page):
        assert both in text
    assert both in compared.to_data()["policy"]
    assert both in gated.to_junit()
    assert "relevant: grade ≥ 1" in bounded.render("table")
    assert "grade ≥ 1 or 2" in values.to_latex()


def test_the_level_is_not_printed_without_a_binary_measure():
    for result in (
        jd.evaluate(graded(2, 1, 0), RUNS["a"], "nDCG@10"),
        jd.compare(graded(2, 1, 0), RUNS, "nDCG@10 RBP"),
    ):
        assert "relevant: grade" not in result.render("table")


@pytest.mark.parametrize("name", SCALES)
def test_judgments_on_a_scale_of_the_judging_page_need_no_level(name):
    """Only documents that answer something have a grade of the default level; the exports need not carry another one."""
    zero, *relevant = SCALES[name].grades
    assert zero.number == 0
    assert zero.name == "Not relevant"
    assert all(grade.number >= 1 and "not" not in grade.description for grade in relevant)
    judge = jd.model_judge(
        lambda prompt: "0" if "none" in prompt else prompt[-1], prompt="{query}{document}", scale=name
    )
    texts = {f"d{n}": "none" if n == 0 else str(n) for n in SCALES[name].numbers}
    found = judge.judge([("q", doc) for doc in texts], texts)
    values = jd.evaluate(found.qrels, {"q": sorted(texts)}, "RR AP")
    assert values.mean()["RR"] == 1 / 2  # d0 is first, and not relevant
    assert not values.warnings


@pytest.mark.parametrize(
    "call",
    [
        lambda **options: jd.conventions("P@2", graded(3, 2, 1, 0), RUNS["a"], **options),
        *(lambda kind=kind, **options: jd.curve(kind, graded(3, 2, 1, 0), RUNS, **options) for kind in ("pr", "ipr", "roc")),
        lambda **options: jd.curve("at-k", graded(3, 2, 1, 0), RUNS, "nDCG P", **options),
    ],
)  # fmt: skip
def test_curves_and_conventions_warn_once_and_name_the_level(call):
    found = call()
    assert len(level_warnings(found)) == 1
    assert "relevant: grade ≥ 1" in found.to_text()
    assert not level_warnings(call(level=2))
    assert "relevant: grade ≥ 2" in call(level=2).to_text()
