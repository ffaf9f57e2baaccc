"""Fused scores by the formulas of the papers, and what is refused."""

import math

import pytest
from for_each import for_each
from refusals import refusal

import judged as jd
from judged.fusion.method import FUSIONS

A = {"q": {"a": 9.0, "b": 5.0, "c": 1.0}}
B = {"q": {"b": 0.8, "d": 0.4}}
RUNS = {"first": A, "second": B}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("sum", {"b": 0.5 + 1, "a": 1.0, "d": 0.0, "c": 0.0}),
        ("mnz", {"b": 2 * (0.5 + 1), "a": 1.0, "d": 0.0, "c": 0.0}),
        ("gmnz(gamma=0.5)", {"b": math.sqrt(2) * (0.5 + 1), "a": 1.0, "d": 0.0, "c": 0.0}),
        ("max", {"b": 1.0, "a": 1.0, "d": 0.0, "c": 0.0}),
        ("min", {"b": 0.5, "a": 1.0, "d": 0.0, "c": 0.0}),
        ("med", {"b": 0.75, "a": 1.0, "d": 0.0, "c": 0.0}),
        ("anz", {"b": 0.75, "a": 1.0, "d": 0.0, "c": 0.0}),
        ("rrf", {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63}),
        ("rrf(k=0)", {"b": 1 / 2 + 1, "a": 1.0, "d": 1 / 2, "c": 1 / 3}),
        ("isr", {"b": 2 * (1 / 4 + 1), "a": 1.0, "d": 1 / 4, "c": 1 / 9}),
        ("log_isr", {"b": math.log(2) * (1 / 4 + 1), "a": 0.0, "d": 0.0, "c": 0.0}),
        ("logn_isr(sigma=1)", {"b": math.log(3) * (1 / 4 + 1), "a": math.log(2), "d": math.log(2) / 4, "c": math.log(2) / 9}),
        ("rbc(phi=0.5)", {"b": 0.5 * 0.5 + 0.5, "a": 0.5, "d": 0.25, "c": 0.125}),
        ("bordafuse", {"b": 3 + 4, "a": 4 + 1.5, "d": 1 + 3, "c": 2 + 1.5}),
    ],
)  # fmt: skip
def test_a_method_is_its_formula(method, expected):
    assert jd.fuse(RUNS, method)["q"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("wsum", {"b": 0.25 * 0.5 + 0.75, "a": 0.25, "d": 0.0, "c": 0.0}),
        ("wmnz", {"b": (0.25 + 0.75) * 1.5, "a": 0.25, "d": 0.0, "c": 0.0}),
        ("mixed", {"b": math.sqrt(2) * (0.25 * 0.5 + 0.75), "a": 0.25, "d": 0.0, "c": 0.0}),
        ("w_bordafuse", {"b": 0.25 * 3 + 0.75 * 4, "a": 0.25 * 4 + 0.75 * 1.5, "d": 0.25 * 1 + 0.75 * 3, "c": 0.25 * 2 + 0.75 * 1.5}),
        ("w_condorcet", {"b": 4.0, "d": 3.0, "a": 2.0, "c": 1.0}),
        ("rrf", {"b": 0.25 / 62 + 0.75 / 61, "a": 0.25 / 61, "d": 0.75 / 62, "c": 0.25 / 63}),
    ],
)  # fmt: skip
def test_weights_belong_to_runs_by_name_or_by_order(method, expected):
    for weights in ([0.25, 0.75], {"second": 0.75, "first": 0.25}):
        assert jd.fuse(RUNS, method, weights=weights)["q"] == pytest.approx(expected)


def test_condorcet_orders_by_majority_and_not_by_points():
    runs = [
        {"q": list("abcd")},
        {"q": list("abcd")},
        {"q": list("bcda")},
    ]  # a beats each of the others, but b has more points
    assert next(iter(jd.fuse(runs, "bordafuse")["q"])) == "b"
    assert jd.fuse(runs, "condorcet")["q"] == {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}


def test_a_cycle_of_majorities_is_resolved_by_points_and_then_by_id():
    runs = [{"q": list("abc")}, {"q": list("bca")}, {"q": list("cab")}]
    ranking = list(jd.fuse(runs, "condorcet")["q"])
    assert ranking in (list("abc"), list("bca"), list("cab"))
    assert ranking == list(jd.fuse(runs[::-1], "condorcet")["q"])


def test_trained_methods_learn_from_judgments():
    qrels = {"q": {"b": 1, "c": 1}, "p": {"x": 1}}
    runs = {"first": {**A, "p": {"x": 2.0, "y": 1.0}}, "second": {**B, "p": {"y": 2.0, "x": 1.0}}}
    first = [1 / 2, 1 / 2, 1 / 1]  # relevant at ranks 1, 2 and 3, of the rankings that reach them
    second = [1 / 2, 1 / 2]
    assert jd.fuse(runs, "posfuse", qrels=qrels)["q"] == pytest.approx(
        {"c": first[2], "b": first[1] + second[0], "a": first[0], "d": second[1]}
    )
    windows = [(first[0] + first[1]) / 2, sum(first) / 3, (first[1] + first[2]) / 2]
    assert jd.fuse(runs, "slidefuse(w=1)", qrels=qrels)["q"]["b"] == pytest.approx(windows[1] + sum(second) / 2)
    map_first, map_second = ((1 / 2 + 2 / 3) / 2 + 1) / 2, (1 / 2 + 1 / 2) / 2
    assert jd.fuse(runs, "mapfuse", qrels=qrels)["q"]["b"] == pytest.approx(map_first / 2 + map_second / 1)
    halves = [(1 / 2 + 1 / 1) / 2, (1 / 1 + 0) / 2]  # of 3 documents: 2 and 1; of 2 documents: 1 and 1
    assert jd.fuse(runs, "probfuse(segments=2)", qrels=qrels)["q"]["c"] == pytest.approx(halves[1] / 2)
    share = (2 / 5 + 1 / 5) / 2
    assert jd.fuse(runs, "segfuse", qrels=qrels)["q"]["a"] == pytest.approx(share * (1 + 1))
    odds, missing = math.log(share / (1 - share)), math.log(0.001 / 0.999)
    assert jd.fuse(runs, "bayesfuse", qrels=qrels)["q"]["a"] == pytest.approx(odds + missing)


def test_segments_of_segfuse_have_the_sizes_of_the_paper():
    ranking = [f"d{i:03d}" for i in range(60)]
    qrels = {"q": {ranking[4]: 1, ranking[19]: 1, ranking[20]: 1}}  # the last of 5, the last of 15, the first of 35
    scores = jd.fuse([{"q": ranking}, {"q": ranking}], "segfuse", norm="rank", qrels=qrels)["q"]
    for rank, size in ((5, 5), (6, 15), (20, 15), (21, 35), (55, 35), (56, math.inf)):
        assert scores[ranking[rank - 1]] == pytest.approx(2 * (1 / size) * (1 - (rank - 1) / 60 + 1))


def test_documents_below_rank_1000_are_as_missing_in_bayesfuse():
    ranking = [f"d{i:04d}" for i in range(1002)]
    scores = jd.fuse([{"q": ranking}, {"q": ranking[:1]}], "bayesfuse", qrels={"q": {ranking[0]: 1}})["q"]
    assert scores[ranking[1000]] == pytest.approx(2 * math.log(0.001 / 0.999))


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("min-max", {"a": 1.0, "b": 0.5, "c": 0.0}),
        ("min-max-inverted", {"a": 0.0, "b": 0.5, "c": 1.0}),
        ("max", {"a": 1.0, "b": 5 / 9, "c": 1 / 9}),
        ("sum", {"a": 8 / 12, "b": 4 / 12, "c": 0.0}),
        ("zmuv", {"a": 4 / math.sqrt(32 / 3), "b": 0.0, "c": -4 / math.sqrt(32 / 3)}),
        ("rank", {"a": 1.0, "b": 2 / 3, "c": 1 / 3}),
        ("borda", {"a": 1.0, "b": 2 / 3, "c": 1 / 3}),
        ("none", {"a": 9.0, "b": 5.0, "c": 1.0}),
    ],
)
def test_a_normalisation_is_its_formula(norm, expected):
    assert jd.fuse([A, A], "max", norm=norm)["q"] == pytest.approx(expected)


def test_scores_that_differ_by_less_than_a_billionth_are_normalised_as_others():
    tiny = {"q": {"a": 3e-12, "b": 2e-12, "c": 1e-12}}
    assert jd.fuse([tiny, tiny], "max")["q"] == pytest.approx({"a": 1.0, "b": 0.5, "c": 0.0})


def test_the_max_norm_needs_a_score_above_0():
    negative = {"q": {"a": -1.0, "b": -2.0}}
    refusal("option", jd.fuse, [negative, A], "sum", norm="max")
    zeros = {"q": {"a": 0.0, "b": 0.0}}
    assert jd.fuse([zeros, zeros], "sum", norm="max")["q"] == {"b": 0.0, "a": 0.0}


def test_inverted_scores_rank_the_lowest_first():
    assert list(jd.fuse([A, A], "rrf", norm="min-max-inverted")["q"]) == ["c", "b", "a"]


def test_only_the_first_documents_are_fused_with_a_depth():
    assert jd.fuse(RUNS, "rrf", depth=1)["q"] == pytest.approx({"b": 1 / 61, "a": 1 / 61})


def test_ids_that_are_integers_stay_integers_in_numeric_order():
    fused = jd.fuse([{10: {1: 2.0}, 9: {2: 1.0}}, {9: {1: 2.0}, 10: {1: 1.0}}])
    assert fused.to_dict() == {9: {2: 1 / 61, 1: 1 / 61}, 10: {1: 2 / 61}}
    assert list(fused.to_dict()) == [9, 10]


def test_duplicate_documents_follow_the_policy():
    twice = jd.read_run([("q", "a", 3.0), ("q", "b", 2.0), ("q", "a", 1.0)])
    refusal("duplicate-doc", jd.fuse, [twice, A])
    assert jd.fuse([twice, A], "sum", norm="none", duplicates="first")["q"]["a"] == 3 + 9


@for_each(
    ("slug", "runs", "method", "options"),
    [
        ("unknown-name", RUNS, "rff", {}), ("unknown-name", RUNS, None, {}), ("unknown-name", RUNS, "sum", {"norm": "x"}),
        ("parameter", RUNS, "rrf(k='a')", {}), ("parameter", RUNS, "slidefuse(w=1.5)", {}), ("parameter", RUNS, "sum(k=1)", {}),
        ("cutoff", RUNS, "rrf@10", {}), ("option", RUNS, "rrf", {"norm": "sum"}),
        ("weights", RUNS, "wsum", {}), ("weights", RUNS, "sum", {"weights": [1, 1]}),
        ("weights", RUNS, "wsum", {"weights": [1, -1]}), ("weights", RUNS, "wsum", {"weights": [0, 0]}),
        ("weights", RUNS, "wsum", {"weights": [1]}), ("weights", RUNS, "wsum", {"weights": {"first": 1}}),
        ("weights", RUNS, "wsum", {"weights": ["x", 1]}), ("weights", RUNS, "wsum", {"weights": "1,1"}),
        ("weights", RUNS, "wsum", {"weights": [float("nan"), 1]}), ("option", RUNS, "posfuse", {}),
        ("option", RUNS, "rrf", {"qrels": {"q": {"a": 1}}}),
        *(("weights", RUNS, "wsum", {"weights": wrong}) for wrong in ([[1, 2], [3, 4]], [10**400, 1])), ("parameter", RUNS, "rrf(k=1e400)", {}),
        *(("parameter", RUNS, "mapfuse", {"qrels": {"q": {"a": 1}}, "level": wrong}) for wrong in ("x", math.nan, 10**400)),
        ("no-common-query", RUNS, "posfuse", {"qrels": {"other": {"a": 1}}}), ("runs", [A], "rrf", {}), ("empty-run", [A, {}], "rrf", {}), ("empty-run", [A, {"q": {}}], "rrf", {}), ("runs", A, "rrf", {}),
        ("policy", RUNS, "rrf", {"ties": "best"}), ("parameter", RUNS, "rrf", {"depth": 0}),
    ],
)  # fmt: skip
def test_what_a_fusion_cannot_do_is_refused(slug, runs, method, options):
    refusal(slug, jd.fuse, runs, method, **options)


def test_infinite_scores_are_refused_unless_only_ranks_are_used():
    infinite = {"q": {"a": math.inf, "b": 1.0}}
    refusal("score-inf", jd.fuse, [infinite, A], "sum")
    assert next(iter(jd.fuse([infinite, A], "rrf")["q"])) == "a"


def test_names_of_ranx_and_of_papers_are_known():
    for name in (
        "comb_sum",
        "CombMNZ",
        "weighted_bordafuse",
        "w_mnz",
        "Log_ISR",
        "borda",
        "RRF",
        "MixedFuse",
        "ProbFuse",
    ):
        assert FUSIONS.get(name) is not None, name


def test_long_ids_of_equal_scores_are_ordered_by_bytes():
    docs = ["x" * 70 + end for end in "cab"] + ["x"]
    ranking = list(jd.fuse([{"q": dict.fromkeys(docs, 1.0)}, {"q": {"y": 1.0}}], "sum")["q"])
    assert ranking == sorted([*docs, "y"], reverse=True)


@pytest.mark.parametrize(
    "options", [{"ties": "id-asc"}, {"depth": 1}, {"norm": "min-max-inverted"}, {"order": "input"}], ids=str
)
def test_mapfuse_learns_from_the_rankings_that_are_fused(options):
    runs = [{"q": {"c": 1.0, "a": 3.0, "b": 3.0}}, {"q": {"b": 2.0, "a": 1.0}}]
    rankings = {"ties": ("abc", "ba"), "depth": ("b", "b"), "norm": ("cba", "ab"), "order": ("cab", "ba")}[
        next(iter(options))
    ]
    expected = dict.fromkeys("".join(rankings), 0.0)
    for ranking in rankings:
        for rank, doc in enumerate(ranking, 1):
            expected[doc] += (1 / (ranking.index("a") + 1) if "a" in ranking else 0.0) / rank
    assert jd.fuse(runs, "mapfuse", qrels={"q": {"a": 1}}, **options)["q"] == pytest.approx(expected)


def test_mapfuse_learns_nothing_of_a_run_without_judged_queries():
    runs = [{"q": {"a": 2.0, "b": 1.0}}, {"p": {"b": 1.0}}]
    assert jd.fuse(runs, "mapfuse", qrels={"q": {"b": 1}}).to_dict() == {"p": {"b": 0.0}, "q": {"a": 1 / 2, "b": 1 / 4}}


@pytest.mark.parametrize("norm", ["min-max", "sum", "zmuv"])
@pytest.mark.parametrize("exponent", [1022, -1070])
def test_a_normalisation_is_the_same_at_either_end_of_the_range_of_floats(norm, exponent):
    far = {"q": {doc: math.ldexp(score, exponent) for doc, score in {"a": 3.0, "b": -2.0, "c": 1.0}.items()}}
    near = {"q": {"a": 3.0, "b": -2.0, "c": 1.0}}
    assert jd.fuse([far, far], "sum", norm=norm)["q"] == jd.fuse([near, near], "sum", norm=norm)["q"]
