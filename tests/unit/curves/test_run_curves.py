"""Curves of runs equal the measures they are made of."""

import csv
import io
import json

import numpy as np
import pytest
from curve_heights import height

import judged as jd

rng = np.random.default_rng(5)
QRELS = {f"q{q}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 25))} for q in range(12)}
RUNS = {
    name: {q: {f"d{d}": float(s) for d, s in enumerate(rng.integers(0, 12, 30))} for q in QRELS} for name in ("a", "b")
}


def test_the_mean_precision_recall_curve_is_precision_and_recall_at_every_rank():
    line = jd.curve("pr", QRELS, RUNS["a"])[0]
    means = jd.evaluate(QRELS, RUNS["a"], [f"{m}@{k}" for m in "PR" for k in range(1, 31)]).mean()
    assert line.at.tolist() == list(range(1, 31))
    assert line.y.tolist() == pytest.approx([means[f"P@{k}"] for k in range(1, 31)], abs=1e-15)
    assert line.x.tolist() == pytest.approx([means[f"R@{k}"] for k in range(1, 31)], abs=1e-15)


def test_the_curve_of_a_query_has_every_rank_and_its_area_is_average_precision():
    result = jd.evaluate(QRELS, RUNS["a"], "AP")
    for query in ("q0", "q7"):
        line = jd.curve("pr", QRELS, RUNS["a"], query=query)[0]
        assert line.at.tolist() == list(range(1, 31))
        assert line.area() == pytest.approx(result.of(query)["AP"], abs=1e-12)


def test_interpolated_precision_is_the_measure_at_each_recall():
    levels = [0, 0.05, 0.33, 1]
    line = jd.curve("ipr", QRELS, RUNS["a"], points=levels)[0]
    means = jd.evaluate(QRELS, RUNS["a"], [f"IPrec@{c}" for c in levels]).mean()
    assert line.y.tolist() == list(means.values())
    assert jd.curve("ipr", QRELS, RUNS["a"])[0].x.tolist() == [i / 10 for i in range(11)]


def test_a_profile_decides_how_recall_levels_are_rounded():
    found = jd.curve("ipr", QRELS, RUNS["a"], profile="trec_eval-9")
    means = jd.evaluate(QRELS, RUNS["a"], [f"IPrec@{i / 10}" for i in range(11)], profile="trec_eval-9").mean()
    assert found[0].y.tolist() == list(means.values())
    assert any("trec9" in note for note in found.notes)


def test_the_area_of_a_querys_roc_curve_is_its_auc_ties_included():
    result = jd.evaluate(QRELS, RUNS["a"], "AUC")
    for query in QRELS:
        line = jd.curve("roc", QRELS, RUNS["a"], query=query)[0]
        values = result.of(query)
        assert line.area() == pytest.approx(values["AUC"], abs=1e-12)


def test_the_mean_roc_curve_is_the_mean_of_heights():
    rates = [0, 0.1, 0.5, 1]
    line = jd.curve("roc", QRELS, RUNS["a"], points=rates)[0]
    each = [jd.curve("roc", QRELS, RUNS["a"], query=q)[0] for q in QRELS]
    assert line.y.tolist() == pytest.approx([np.mean([height(c, x) for c in each]) for x in rates], abs=1e-12)


@pytest.mark.parametrize("empty", ["zero", "skip", "one"])
def test_the_curve_and_the_area_in_its_legend_follow_the_same_policy(empty):
    qrels = {**QRELS, "none": {"d1": 0}}
    found = jd.curve("roc", qrels, RUNS["a"], empty=empty)
    assert found[0].area() == pytest.approx(float(found.marks[0][5:-1]), abs=0.01)
    assert ("excluding" in found.notes[0]) == (empty == "skip")


def test_under_expected_ties_documents_of_one_score_share_their_ranks():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert jd.curve("pr", qrels, run, ties="expected")[0].y.tolist() == pytest.approx([1 / 3] * 3)


def test_points_are_sorted_and_an_area_over_ranks_is_refused():
    assert jd.curve("roc", QRELS, RUNS["a"], points=[1, 0, 0.5])[0].x.tolist() == [0, 0.5, 1]
    with pytest.raises(jd.UsageError, match="no such area"):
        jd.curve("at-k", QRELS, RUNS["a"], "P")[0].area()


def test_a_mean_curve_keeps_its_first_height_down_to_0():
    line = jd.curve("pr", QRELS, RUNS["a"])[0]
    x, y = np.r_[0, line.x, 1], np.r_[line.y[0], line.y, line.y[-1]]
    assert line.area() == pytest.approx(float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2)))


@pytest.mark.needs("matplotlib")
def test_a_curve_without_any_value_is_an_empty_picture(tmp_path):
    found = jd.curve("pr", {"q": {"a": 0}, "r": {"a": 0}}, {"q": ["a"], "r": ["b", "a"]}, empty="skip")
    found.save(tmp_path / "nothing.svg")
    assert (tmp_path / "nothing.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize("name", ["c\x01trl", "\udcff", "日本", "_hidden", "n" * 3000, "<&\"'>", ""])
def test_any_name_makes_a_picture_of_well_formed_xml(name):
    from xml.etree import ElementTree

    found = jd.curve("pr", QRELS, {name or "x": RUNS["a"]})
    ElementTree.fromstring(found.picture("svg"))


def test_a_roc_curve_of_nothing_found_or_nothing_else_is_flat():
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": ["b", "c"], "r": ["a"]}
    assert jd.curve("roc", qrels, run)[0].y.tolist() == pytest.approx([0.5] * 101)


def test_a_measure_along_the_cutoff_is_the_measure_at_each():
    found = jd.curve("at-k", QRELS, RUNS, "nDCG F Success CG", points=[1, 5, 20])
    assert [c.name for c in found] == [f"{r} {m}" for r in "ab" for m in ("nDCG", "F", "Success", "CG")]
    means = jd.evaluate(QRELS, RUNS["b"], "CG@{1,5,20}").mean()
    assert found["b CG"].y.tolist() == pytest.approx(list(means.values()), rel=1e-15)


def test_the_band_is_the_bootstrap_interval_of_each_mean():
    line = jd.curve("at-k", QRELS, RUNS["a"], "P", points=[5])[0]
    assert (line.low[0], line.high[0]) == jd.evaluate(QRELS, RUNS["a"], "P@5").interval("P@5")
    assert jd.curve("at-k", QRELS, RUNS["a"], "P", points=[5], band=None)[0].low is None


def test_long_rankings_get_a_hundred_points_at_most():
    run = {"q": [f"d{i}" for i in range(5000)]}
    line = jd.curve("at-k", {"q": {"d0": 1}, "r": {"d1": 1}}, {**run, "r": ["d1"]}, "P")[0]
    assert len(line) <= 100
    assert line.x[-1] == 5000
    assert line.x[:50].tolist() == list(range(1, 51))


@pytest.mark.needs("matplotlib")
def test_far_cutoffs_stand_on_a_logarithmic_axis():
    run = {"q": [f"d{i}" for i in range(400)]}
    found = jd.curve("at-k", {"q": {"d0": 1, "d300": 1}}, run, "R")
    assert found.log_x
    drawn = found.picture("svg").decode()
    assert all(f">{tick}</text>" in drawn for tick in (1, 10, 100, 200))
    assert not jd.curve("at-k", {"q": {"d0": 1}}, run, "R", points=20).log_x


def test_level_and_policies_reach_every_curve():
    strict = jd.curve("at-k", QRELS, RUNS["a"], "P", points=[10], level=2, ties="id-asc")[0]
    expected = jd.evaluate(QRELS, RUNS["a"], "P@10", level=2, ties="id-asc").mean()["P(level=2)@10"]
    assert strict.y[0] == expected


def test_several_queries_have_a_curve_each():
    found = jd.curve("at-k", QRELS, RUNS["a"], "P", query=["q1", "q2"], points=3)
    assert [c.name for c in found] == ["run q1", "run q2"]


def test_a_judged_or_several_can_be_drawn_without_runs():
    judged = [jd.join(QRELS, RUNS[name]) for name in "ab"]
    assert len(jd.curve("pr", judged)) == 2
    assert jd.curve("pr", judged[0])[0].y.tolist() == jd.curve("pr", QRELS, RUNS["a"])[0].y.tolist()


@pytest.mark.parametrize("ties", ["id-desc", "worst", "expected"])
def test_runs_drawn_together_have_the_points_that_each_has_alone(ties):
    judged = jd.compare(QRELS, RUNS, "nDCG", ties=ties).judged
    assert judged[0].pool is judged[1].pool
    measures = ["nDCG", "AP(tied=together)", "RR", "P(judged_only=True)", "Q"]
    for kind, options in (("pr", {}), ("at-k", {"measures": measures, "points": [1, 2, 3, 7, 12, 29, 200]})):
        together = jd.curve(kind, judged, **options)
        alone = [line for one in judged for line in jd.curve(kind, one, **options)]
        for line, other in zip(together, alone, strict=True):
            assert line.y.tobytes() == other.y.tobytes()
    for name, of in zip("ab", judged, strict=True):
        for m in measures if ties != "expected" else []:
            line = jd.curve("at-k", of, measures=[m], points=[1, 2, 3, 7, 12, 29, 200])[0]
            values = jd.evaluate(QRELS, RUNS[name], [jd.measures.parse(m) @ int(k) for k in line.x], ties=ties)
            assert line.y.tolist() == pytest.approx(list(values.mean().values()), rel=1e-15)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: jd.curve("prc", QRELS, RUNS["a"]), "unknown-name"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"], query="nope"), "12 queries"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], "AP RR Rprec"), "cutoff"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], "P relstring"), "no numbers"),
        (lambda: jd.curve("at-k", np.array(5)), "runs"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=[0, 1]), "ranks must be"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=0), "ranks must be"),
        (lambda: jd.curve("ipr", QRELS, RUNS["a"], points=[1.5]), "from 0 to 1"),
        (lambda: jd.curve("roc", QRELS, RUNS["a"], points=[2.0]), "from 0 to 1"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"], band=95), "between 0 and 1"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points="15"), "ranks must be"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=[1.7]), "ranks must be"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=True), "ranks must be"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=10**400), "ranks must be"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], points=[float("nan")]), "ranks must be"),
        (lambda: jd.curve("ipr", QRELS, RUNS["a"], points=[]), "must be numbers"),
        (lambda: jd.curve("ipr", QRELS, RUNS["a"], points=5), "from 0 to 1"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"], query="q1", points=3), "points"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"], query=[]), "not-asked"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"], "nDCG"), "at-k only"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], "nDCG@10"), "x axis"),
        (lambda: jd.curve("pr", QRELS, RUNS["a"]).picture("gif"), "svg"),
        (lambda: jd.curve("pr", QRELS), "runs"),
        (lambda: jd.curve("at-k", QRELS, RUNS["a"], "nDGC"), "nDCG"),
    ],
)
def test_a_wrong_call_is_told(call, match):
    with pytest.raises(jd.UsageError, match=match):
        call()


@pytest.mark.needs("matplotlib")
def test_curves_are_saved_by_the_ending_of_the_name(tmp_path):
    found = jd.curve("pr", QRELS, RUNS)
    found.save(tmp_path / "points.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "points.csv").read_text())))
    assert len(rows) == 60
    assert float(rows[0]["y"]) == found[0].y[0]
    found.save(tmp_path / "points.json")
    assert json.loads((tmp_path / "points.json").read_text())["kind"] == "pr"
    found.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(jd.UsageError, match=r"\.svg"):
        found.save(tmp_path / "a.gif")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.svg", "points.csv", "points.json"]


def test_an_error_of_runs_that_are_measured_together_names_query_and_document():
    qrels = {"501": {"d1": 1, "d2": 0}, "777": {"d7": 7}}
    runs = {"a": {"501": ["d1", "d2"], "777": ["d7", "d3"]}, "b": {"501": ["d2", "d1"], "777": ["d3", "d7"]}}
    with pytest.raises(jd.DataError, match="of document 'd7' for query '777'"):
        jd.curve("at-k", qrels, runs, "ERR")
