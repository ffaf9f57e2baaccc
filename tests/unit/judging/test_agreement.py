"""Judges side by side, in any form: overlap, coefficients, by query, disagreements, the order of systems, merging."""

import json
from math import isnan

import numpy as np
import pytest
from refusals import refusal

import judged as jd

A = {"q1": {"a": 2, "b": 0, "c": 1, "d": 0}, "q2": {"a": 0, "b": 1, "x": 3}}
B = {"q1": {"a": 2, "b": 1, "c": 1, "e": 0}, "q2": {"a": 0, "b": 3}, "q3": {"a": 1}}
SAMPLE = [jd.sample_path("qrels.a.txt"), jd.sample_path("qrels.b.txt")]


def test_what_both_judged_is_compared_and_what_one_alone_judged_is_counted():
    found = jd.agree(A, B)
    assert found.shared == 5
    assert found.overlap == {1: 4, 2: 5}
    assert found.judged == {"judge 1": 7, "judge 2": 7}
    (pair,) = found.pairs
    assert (pair.both, pair.alone) == (5, (2, 2))
    assert found["raw"].value == 3 / 5
    assert found["raw"].units == 5


def test_the_confusion_matrix_has_the_first_judge_in_rows():
    found = jd.agree(A, B)
    assert found.categories == (0, 1, 2, 3)
    assert found.confusion.tolist() == [[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_a_level_makes_grades_binary():
    found = jd.agree(A, B, level=2)
    assert found.categories == (0, 1)
    assert found.confusion.tolist() == [[3, 1], [0, 1]]


def test_each_judge_can_have_a_level_of_his_own():
    found = jd.agree(A, B, level={"judge 1": 1, "judge 2": 2})
    assert found.confusion.tolist() == [[2, 0], [1, 2]]
    assert found.level == {"judge 1": 1, "judge 2": 2}
    assert jd.agree(A, B, level={None: 2, "judge 1": 1}).to_json() == found.to_json()
    assert jd.agree(A, B, level={None: 2}).level == 2
    runs = {"x": {"q1": ["c", "a"], "q2": ["a"]}, "y": {"q1": ["b", "a"], "q2": ["b"]}}
    order = jd.agree(A, B, level={"judge 1": 1, "judge 2": 2}, runs=runs, measure="RR").order
    assert order.measure == "RR or RR(level=2)"
    assert order.values.tolist() == [[1 / 2, 3 / 4], [1 / 4, 3 / 4]]


def test_a_level_that_leaves_a_judge_one_label_is_said():
    graded = {"q": {"a": 3, "b": 0, "c": 2, "d": 0, "e": 0, "f": 0, "g": 0, "h": 0, "i": 0, "j": 0}}
    binary = {"q": {doc: min(grade, 1) for doc, grade in graded["q"].items()}}
    found = jd.agree({"nist": graded, "llama": binary}, level=2)
    assert found["raw"].value == 8 / 10
    assert found["kappa"].value == 0
    assert "-0.0000" not in str(found)
    assert "not informative: a judge gave one label" in found.headline()[0]
    found = jd.agree({"nist": graded, "llama": binary}, level={"nist": 2, "llama": 1})
    assert [w.slug for w in found.warnings] == ["undefined"]


def test_files_are_called_by_their_names(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    paths = [tmp_path / folder / "qrels.txt" for folder in ("x", "y")]
    assert jd.agree(*paths).names == ("x/qrels.txt", "y/qrels.txt")
    assert jd.agree(paths[0], paths[0]).names == ("qrels.txt (1)", "qrels.txt (2)")
    assert jd.agree(*paths, names=["me", "you"]).names == ("me", "you")


def test_whole_number_ids_stay_whole_numbers():
    found = jd.agree({1: {10: 1, 11: 0}, 20: {5: 1}, 3: {5: 0}}, {1: {10: 0, 11: 0}, 20: {5: 1}, 3: {5: 1}})
    assert found.per_query("raw")["query"] == (1, 3, 20)
    assert found.disagreements()["doc"] == (10, 5)


def test_columns_of_labels_need_no_queries():
    found = jd.agree(["y", "n", None, "y"], ["y", "y", "n", "y"])
    assert found.names == ("judge 1", "judge 2")
    assert found["raw"].value == 2 / 3
    assert found["kappa"].method == "bootstrap over units"
    assert list(found.disagreements()) == [(1, "n", "y", 1)]
    refusal("parameter", jd.agree, [1, 0], [1, 1], interval="queries")
    refusal("judges", lambda: found.by_query)


@pytest.mark.parametrize(
    ("judges", "slug"),
    [
        *((judges, "judges") for judges in ((A,), (), ({"only": A},), ([1, 0],))),
        (({1: {"a": 1}}, {"1": {"a": 1}}), "id-type"),
        (({"q": {1: 1}}, {"q": {"1": 1}}), "id-type"),
        (([("q", "a", 1), ("q", "a", 2)], {"q": {"a": 1}}), "duplicate-judgment"),
    ],
)
def test_judges_that_are_too_few_or_do_not_fit_are_refused(judges, slug):
    refusal(slug, jd.agree, *judges)


def test_nothing_in_common_is_an_error_that_names_both(tmp_path):
    for name, line in (("a.txt", "q1 0 x 1\n"), ("b.txt", "q1 0 y 1\n"), ("c.txt", "q9 0 x 1\n")):
        (tmp_path / name).write_text(line)
    error = refusal("no-common-query", jd.agree, tmp_path / "a.txt", tmp_path / "b.txt")
    assert "a.txt" in str(error)
    assert "b.txt" in str(error)
    refusal("no-common-query", jd.agree, tmp_path / "a.txt", tmp_path / "c.txt")
    refusal("no-common-query", jd.agree, [1, None], [None, 0])


@pytest.mark.parametrize(("rejudged", "grade"), [("max", 3), ("min", 1), ("first", 3), ("last", 1), ("mean", 2)])
def test_which_of_two_grades_of_one_judge_counts_can_be_said(rejudged, grade):
    twice, other = [("q", "a", 3), ("q", "a", 1), ("q", "b", 0)], {"q": {"a": 0, "b": 0}}
    assert list(jd.agree(twice, other, rejudged=rejudged).disagreements()) == [("q", "a", grade, 0, grade)]
    assert grades(jd.merge_judgments(twice, other, how="max", rejudged=rejudged))[("q", "a")] == grade
    runs = {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}
    assert jd.agree(twice, other, rejudged=rejudged, runs=runs).order.values[0, 0] == 1
    decided = jd.merge_judgments(other, {"q": {"a": 9, "b": 0}}, how="adjudicate", adjudicator=twice, rejudged=rejudged)
    assert grades(decided)[("q", "a")] == grade


def test_a_judgment_that_is_repeated_counts_once_and_is_warned_of():
    found = jd.agree([("q", "a", 1), ("q", "a", 1), ("q", "b", 0)], {"q": {"a": 1, "b": 1}})
    assert found.shared == 2
    assert [w.slug for w in found.warnings] == ["duplicate-judgment", "undefined"]


def test_different_scales_are_warned_of_as_data():
    (warning,) = [w for w in jd.agree(A, {"q1": {"a": 1, "b": 0, "c": 1}}).warnings if w.slug == "scale"]
    assert "judge 1 3, judge 2 1" in warning.text
    assert not [w for w in jd.agree(*SAMPLE).warnings if w.slug == "scale"]
    assert "scale" not in [w.slug for w in jd.agree(A, {"q1": {"a": 1, "b": 0, "c": 1}}, level=1).warnings]


def test_subtopics_count_with_their_highest_grade():
    found = jd.agree([("q", "1", "a", 1), ("q", "2", "a", 3), ("q", "1", "b", 0)], {"q": {"a": 3, "b": 0}})
    assert found["raw"].value == 1
    assert "form" in [w.slug for w in found.warnings]


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        *(({"seed": seed}, "parameter") for seed in ("s", -1, 1.5, True, None)),
        ({"names": ["a"]}, "names"),
        ({"names": ["a", "a"]}, "names"),
        ({"weights": "cubic"}, "parameter"),
        ({"weights": [[1, 0], [0, 1]]}, "parameter"),
        ({"confidence": 95}, "parameter"),
        ({"interval": "exact"}, "parameter"),
        ({"level": "high"}, "parameter"),
        ({"level": float("nan")}, "parameter"),
        ({"level": float("inf")}, "parameter"),
        ({"level": {"judge 1": 1}}, "parameter"),
        ({"level": {"judge 1": 1, "judge 3": 1}}, "parameter"),
        ({"level": {"judge 1": 1, "judge 2": "x"}}, "parameter"),
        ({"rejudged": "best"}, "policy"),
        ({"judges": ["a", "b"]}, "judges"),
        ({"judge_col": "a"}, "judges"),
        ({"runs": [{"q1": ["a"]}]}, "runs"),
        ({"runs": [{"q1": ["a"]}, {"q1": ["b"]}], "measure": "nDGC"}, "unknown-name"),
    ],
)
def test_options_that_are_refused(options, slug):
    refusal(slug, jd.agree, A, B, **options)


def test_a_coefficient_that_was_not_computed_names_those_that_were():
    with pytest.raises(jd.UsageError, match=r"kappa\(linear\)"):
        jd.agree(A, B)["ac2"]


def test_two_judges_of_graded_documents_get_the_weighted_ones_too():
    found = jd.agree(*SAMPLE)
    assert list(found.coefficients) == [
        "raw", "kappa", "fleiss", "ac1", "alpha", "kappa(linear)", "kappa(quadratic)", "ac2(quadratic)",
        "alpha(ordinal)", "alpha(interval)",
    ]  # fmt: skip
    assert all(c.low <= c.value <= c.high for c in found.coefficients.values())
    assert {c.method for c in found.coefficients.values()} == {"jackknife over queries, Student's t"}


def test_three_judges_get_coefficients_for_many_and_every_pair():
    found = jd.agree(*SAMPLE, jd.sample_path("qrels.txt"))
    assert list(found.coefficients)[:2] == ["raw", "fleiss"]
    assert [p.names for p in found.pairs] == [
        ("qrels.a.txt", "qrels.b.txt"), ("qrels.a.txt", "qrels.txt"), ("qrels.b.txt", "qrels.txt"),
    ]  # fmt: skip
    assert found.pairs[0]["kappa"].value == jd.agree(*SAMPLE)["kappa"].value
    refusal("judges", lambda: found.confusion)
    assert found.pairs[1].confusion.sum() == 703


def test_intervals_over_queries_and_units():
    methods = {how: jd.agree(*SAMPLE, interval=how)["kappa"] for how in ("queries", "units")}
    assert [c.method for c in methods.values()] == [
        "jackknife over queries, Student's t", "bootstrap over units",
    ]  # fmt: skip
    wide, narrow = (jd.agree(*SAMPLE, confidence=c)["kappa"] for c in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


def many(queries, shift=0):
    return {
        f"q{i}": {f"d{j}": int((i * i + j * 3 + shift * (j % 3 == i % 3)) % 5 > 2) for j in range(6)}
        for i in range(queries)
    }


def test_intervals_of_ten_queries_hold_the_truth():
    rng, inside = np.random.default_rng(1), 0
    for _ in range(60):
        share = rng.beta(8, 2, 10)  # how often both judges of a query agree, 0.8 on average
        first = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(20)} for i in range(10)}
        second = {
            q: {d: g if rng.random() < share[i] else 1 - g for d, g in first[q].items()} for i, q in enumerate(first)
        }
        low, high = jd.agree(first, second)["raw"].interval
        inside += low <= 0.8 <= high
    assert inside >= 51  # P(fewer | 95%) < 0.001


@pytest.mark.parametrize(
    ("queries", "method"),
    [
        (2, "bootstrap over units"),
        (9, "bootstrap over units"),
        (10, "jackknife over queries, Student's t"),
        (50, "bootstrap over queries"),
    ],
)
def test_few_queries_are_not_drawn_and_it_is_said(queries, method):
    found = jd.agree(many(queries), many(queries, 1))
    assert found["kappa"].method == method
    said = f"{queries} queries are too few for a bootstrap over queries (fewer than 10)"
    assert (said in str(found)) == (queries < 10)
    forced = jd.agree(many(queries), many(queries, 1), interval="queries")
    assert ("jackknife" in forced["kappa"].method) == (queries < 50)
    assert forced.note == ""


def test_a_pair_of_several_judges_with_few_common_queries_draws_documents():
    some = {query: docs for query, docs in many(12, 2).items() if query in ("q1", "q2", "q3")}
    found = jd.agree(many(12), many(12, 1), some)
    assert [pair["kappa"].method for pair in found.pairs] == [
        "jackknife over queries, Student's t", "bootstrap over units", "bootstrap over units",
    ]  # fmt: skip


@pytest.mark.needs("pandas")
def test_the_same_judgments_in_any_form_and_order_have_the_same_intervals(tmp_path):
    import pandas as pd

    def table(shift):
        return [(int(q[1:]), d, g) for q, docs in many(25, shift).items() for d, g in docs.items()]

    frames = [pd.DataFrame(table(shift), columns=["qid", "docno", "relevance"]) for shift in (0, 1)]
    reversed_frames = [frame.iloc[::-1] for frame in frames]
    for shift in (0, 1):
        (tmp_path / f"{shift}.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in table(shift)))
    ways = [frames, reversed_frames, [frames[0], reversed_frames[1]], [tmp_path / "0.txt", tmp_path / "1.txt"]]
    ends = [[(c.low, c.high) for c in jd.agree(*way).coefficients.values()] for way in ways]
    assert ends[0] == ends[1] == ends[2] == ends[3]
    assert jd.agree(*frames)["kappa"].method == "jackknife over queries, Student's t"


def test_by_query_counts_shared_documents_and_says_why_kappa_is_missing():
    found = jd.agree(A, {**B, "q2": {"a": 0}}).by_query
    assert found["query"] == ("q1", "q2")
    assert found["n"] == (3, 1)
    assert found["raw"] == (2 / 3, 1)
    assert isnan(found["kappa"][1])
    assert found["reason"] == ("", "one category only")


def test_by_query_begins_with_the_least_agreement_and_ties_go_by_id():
    one = {"q3": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}, "q1": {"a": 1, "b": 0}, "q4": {"a": 0, "b": 0}}
    other = {"q3": {"a": 0, "b": 1}, "q2": {"a": 0, "b": 0}, "q1": {"a": 0, "b": 0}, "q4": {"a": 0, "b": 0}}
    found = jd.agree(one, other).by_query
    assert found["query"] == ("q3", "q1", "q2", "q4")
    assert found["kappa"][:3] == (-1, 0, 0)


def test_the_worst_queries_are_shown_where_there_are_ten():
    found = jd.agree(many(12), many(12, 1))
    titles = [table.title for table in found.tables()]
    (worst,) = [table for table in found.tables() if table.title == "queries with the lowest agreement"]
    assert [row[0] for row in worst.rows] == list(found.by_query["query"][:5])
    assert titles.index("queries with the lowest agreement") == 2
    assert "least agreement" not in str(jd.agree(many(9), many(9, 1)))
    assert "least agreement" not in str(jd.agree(many(12), many(12)))


def test_by_query_equals_agreement_on_that_query_alone():
    found = jd.agree(*SAMPLE)
    judgments = [jd.read_qrels(path) for path in SAMPLE]
    row = found.by_query["query"].index("q02")
    alone = [[(q, d, g) for q, d, g in rows(one) if q == "q02"] for one in judgments]
    assert found.by_query["kappa"][row] == pytest.approx(jd.agree(*alone)["kappa"].value, rel=1e-13)


def rows(qrels):
    ids = [raw.decode() for raw in qrels.queries.tolist()]
    return [(ids[q], d.decode(), g) for q, d, g in zip(qrels.query, qrels.doc.tolist(), qrels.grade, strict=True)]


def test_disagreements_come_by_difference_then_query_then_document():
    found = jd.agree(
        {"q2": {"b": 0, "a": 0, "z": 3}, "q1": {"c": 1, "s": 1}},
        {"q2": {"b": 1, "a": 1, "z": 0}, "q1": {"c": 2, "s": 1}},
    )
    assert list(found.disagreements()) == [
        ("q2", "z", 3, 0, 3),
        ("q1", "c", 1, 2, 1),
        ("q2", "a", 0, 1, 1),
        ("q2", "b", 0, 1, 1),
    ]
    assert len(found.disagreements(2)) == 2
    assert found.disagreements(2).title == "2 of 4 disagreements"


def test_disagreements_under_a_level_show_the_grades_that_were_given():
    one, other = {"q": {"a": 3, "b": 2, "c": 3, "d": 0}}, {"q": {"a": 0, "b": 1, "c": 2, "d": 0}}
    assert list(jd.agree(one, other, level=2).disagreements()) == [("q", "a", 3, 0, 3), ("q", "b", 2, 1, 1)]
    own = jd.agree(one, other, level={"judge 1": 3, "judge 2": 1}).disagreements()
    assert list(own) == [("q", "a", 3, 0, 1), ("q", "b", 2, 1, 1)]


def test_the_sample_of_disagreements_takes_two_of_a_query_at_most():
    one = {"q1": dict.fromkeys("abcd", 3), "q2": dict.fromkeys("abcd", 1)}
    other = {"q1": dict.fromkeys("abcd", 0), "q2": dict.fromkeys("abcd", 0)}
    found = jd.agree(one, other)
    assert [row[:2] for row in found.disagreements(5, per_query=2)] == [
        ("q1", "a"),
        ("q1", "b"),
        ("q2", "a"),
        ("q2", "b"),
    ]
    assert found.tables()[-1].title == "4 of 8 disagreements"
    assert len(found.disagreements()) == 8


def test_disagreements_in_words_count_the_other_words():
    found = jd.agree(["a", "b", "c"], ["a", "c", "c"], ["b", "d", None])
    assert list(found.disagreements()) == [(1, "b", "c", "d", 2), (0, "a", "a", "b", 1)]


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
OTHER = {"q1": {"a": 0, "b": 1}, "q2": {"a": 1, "b": 0}, "q3": {"a": 1}}
RUNS = {"first": {"q1": ["a", "b"], "q2": ["b", "a"]}, "second": {"q1": ["b", "a"], "q2": ["b", "a"]}}


def test_a_change_of_judge_can_swap_systems():
    order = jd.agree(QRELS, OTHER, runs=RUNS, measure="RR").order
    assert order.systems == ("first", "second")
    assert order.queries == 2
    assert order.values.tolist() == [[(1 + 1 / 2) / 2, (1 / 2 + 1 / 2) / 2], [(1 / 2 + 1 / 2) / 2, (1 + 1 / 2) / 2]]
    (pair,) = order.pairs
    assert pair.tau == -1
    assert pair.tau_ap == (-1, -1)
    (swap,) = pair.swaps
    assert swap.systems == ("first", "second")
    assert swap.differences == (1 / 4, -1 / 4)


def test_the_order_of_systems_is_that_of_evaluate():
    runs = [jd.sample_path(f"runs/{name}.run") for name in ("bm25", "dense", "tfidf")]
    found = jd.agree(*SAMPLE, runs=runs, measure="AP", level=2)
    for judge, path in enumerate(SAMPLE):
        for system, run in enumerate(runs):
            assert found.order.values[judge, system] == jd.evaluate(path, run, "AP", level=2).mean()["AP(level=2)"]
    assert found.order.measure == "AP(level=2)"
    assert found.order.systems == ("bm25", "dense", "tfidf")
    assert found.order.records()[0]["system"] == "dense"


def test_systems_that_one_judge_finds_equal_do_not_swap():
    tied = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    (pair,) = jd.agree(QRELS, tied, runs=RUNS, measure="RR").order.pairs
    assert pair.swaps == ()
    assert isnan(pair.tau)


def with_counts(first, second):
    """Judgments in which so many of ten documents of each of two systems are relevant, query by query."""
    return {f"q{i}": {f"{s}{k}": int(k < n) for s, n in (("x", x), ("y", y)) for k in range(10)}
            for i, (x, y) in enumerate(zip(first, second, strict=True))}  # fmt: skip


def test_means_that_differ_by_a_rounding_are_tied():
    judges = {
        "a": with_counts([2, 9, 1, 4, 1], [1, 9, 1, 4, 2]),
        "b": with_counts([7, 7, 7, 6, 3], [3, 7, 7, 7, 6]),
    }  # each judge finds as many relevant for both systems, in other queries
    runs = {s: {f"q{i}": [f"{s}{k}" for k in range(10)] for i in range(5)} for s in "xy"}
    found = jd.agree(judges, runs=runs, measure="P@10")
    order = found.order
    assert (order.values[:, 0] != order.values[:, 1]).all()
    assert np.allclose(order.values[:, 0], order.values[:, 1], rtol=1e-15)
    (pair,) = order.pairs
    assert pair.swaps == ()
    assert isnan(pair.tau)
    assert pair.tau_ap == (0, 0)  # the mean over both orders
    assert [(row["rank, a"], row["rank, b"]) for row in order.records()] == [(1, 1), (1, 1)]
    assert "Kendall's tau –" in str(found)
    assert json.loads(found.to_json())["order"]["pairs"][0]["tau"] is None


def test_what_the_evaluations_warn_of_is_said_once_for_each_run():
    runs = {"whole": {"q1": ["a"], "q2": ["a"]}, "part": {"q1": ["a"]}}
    other = {"q1": {"b": 1}, "q2": {"b": 0, "c": 0, "a": 0}}

    def warned(*judges):
        found = jd.agree(dict(zip("ab", judges, strict=True)), runs=runs).warnings
        return [w.text for w in found if w.slug in ("query-missing", "no-relevant")]

    missing = "1 judged query is missing from run and counted as 0: 'q2'"
    assert warned(QRELS, QRELS) == [f"part: {missing}"]
    none = "1 query has no relevant document (empty=zero): 'q2'"
    assert warned(QRELS, other) == [f"part: {missing}", f"whole: {none}", f"part: {none}"]
    # a query that one judge alone judged is left out, so no run lacks it
    assert warned(QRELS, {**QRELS, "q3": {"a": 1}}) == [f"part: {missing}"]
    assert "warning: part: 1 judged query" in str(jd.agree(QRELS, QRELS, runs=runs))


def test_the_order_of_systems_in_words():
    def said(*judges, runs=RUNS):
        return jd.agree(*judges, runs=runs, measure="RR").headline()[-1]

    assert said(QRELS, QRELS) == "By RR, no two of the 2 systems swap between judges"
    assert said({"a": QRELS, "b": OTHER}) == ("By RR, 1 of 1 pair of systems swap between a and b: first and second")
    runs = {**RUNS, "third": {"q1": ["c"], "q2": ["c"]}}
    tied = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}}
    assert said(QRELS, tied, runs=runs) == "By RR, no two of the 3 systems swap between judges"


@pytest.mark.parametrize(
    ("judges", "options", "begins"),
    [
        ((A, B), {}, "Weighted kappa, quadratic (recommended for graded labels): "),
        ((A, B), {"level": 1}, "Cohen's kappa (recommended for binary labels): "),
        ((A, B), {"weights": "linear"}, "Weighted kappa, linear (with the chosen weights): "),
        ((A, B, A), {}, "Krippendorff's alpha, ordinal (recommended for graded labels): "),
        ((A, B, A), {"weights": "quadratic"}, "Krippendorff's alpha, interval (with the chosen weights): "),
        ((A, B, A), {"level": 1}, "Krippendorff's alpha, nominal (recommended for binary labels): "),
        ((["a", "b", "c"], ["a", "b", "b"]), {}, "Cohen's kappa (recommended for unordered labels): "),
        (
            ([1, 1], [1, 1]),
            {},
            "Cohen's kappa (recommended for binary labels) is undefined: only one category was used",
        ),
    ],
)
def test_the_first_sentence_names_the_coefficient_to_read(judges, options, begins):
    found = jd.agree(*judges, **options)
    assert found.headline()[0].startswith(begins)
    assert str(found).startswith(begins)


def test_the_conclusion_says_exact_agreement_and_mean_grades():
    found = jd.agree({"ann": [0, 1, 2, 0], "bob": [0, 1, 3, 1]})
    assert found.headline()[1:] == (
        "Exact agreement: 50.0% of 4 units judged by both",
        "Mean grade: ann 0.75 (50% are 0), bob 1.25 (25% are 0)",
    )
    assert len(jd.agree(["a", "b"], ["a", "a"]).headline()) == 2


WIDE = "qid,docno,human,gpt4,note\nq1,a,2,1,x\nq1,b,0,,\nq1,c,1,1,\nq2,a,,0,\nq2,b,3,1,\n"
LONG = "qid,docno,annotator,label\nq1,a,Ann B,2\nq1,a,llm,1\nq1,b,Ann B,0\nq1,b,llm,\nq1,c,Ann B,1\nq1,c,llm,1\n"


@pytest.mark.needs("pandas")
def test_a_column_for_each_judge_in_a_file_a_frame_or_records(tmp_path):
    import pandas as pd

    (tmp_path / "sheet.csv").write_text(WIDE)
    found = jd.agree(tmp_path / "sheet.csv", judges=["human", "gpt4"])
    assert found.names == ("human", "gpt4")
    assert (found.shared, found.overlap) == (3, {1: 2, 2: 3})
    assert list(found.disagreements()) == [("q2", "b", 3, 1, 2), ("q1", "a", 2, 1, 1)]
    frame = pd.read_csv(tmp_path / "sheet.csv")
    for form in (frame, frame.astype({"gpt4": "Int64"}), frame.to_dict("records")):
        assert jd.agree(form, judges=["human", "gpt4"]).to_json() == found.to_json()
    assert jd.agree(frame, judges=["human", "gpt4"], names=["h", "g"]).names == ("h", "g")
    merged = jd.merge_judgments(tmp_path / "sheet.csv", judges=["human", "gpt4"], how="max")
    assert grades(merged)[("q2", "b")] == 3


def test_a_row_for_each_judgment_with_the_judge_beside_it(tmp_path):
    (tmp_path / "rows.csv").write_text(LONG)
    found = jd.agree(tmp_path / "rows.csv", judge_col="annotator")
    assert found.names == ("Ann B", "llm")
    assert (found.shared, found.overlap) == (2, {1: 1, 2: 2})
    assert jd.agree(tmp_path / "rows.csv", judge_col="annotator", judges=["llm", "Ann B"]).names == (
        "llm",
        "Ann B",
    )
    merged = jd.merge_judgments(tmp_path / "rows.csv", judge_col="annotator", how="mean")
    assert grades(merged) == {("q1", "a"): 1.5, ("q1", "b"): 0, ("q1", "c"): 1}


@pytest.mark.parametrize(
    ("text", "options", "slug", "place"),
    [
        (WIDE, {"judges": ["human", "gpt5"]}, "columns", "sheet.csv:1"),
        (WIDE, {"judges": ["human", "note"]}, "grade-type", "sheet.csv:2: column 5"),
        (WIDE, {"judges": ["human"]}, "judges", None),
        (WIDE, {"judges": "human"}, "judges", None),
        (WIDE, {"judges": ["human", "human"]}, "judges", None),
        (WIDE, {"judge_col": "annotator"}, "columns", "sheet.csv:1"),
        (LONG, {"judge_col": "annotator", "judges": ["llm", "bob"]}, "judges", "sheet.csv"),
        (LONG.replace("Ann B,0", ",0"), {"judge_col": "annotator"}, "judges", "sheet.csv:4: column 3"),
        (LONG + "q1,a,llm,2\n", {"judge_col": "annotator"}, "duplicate-judgment", "sheet.csv:8"),
        ("q1 0 a 1\n", {"judges": ["a", "b"]}, "columns", "sheet.csv:1"),
        ("human,gpt4\n1,1\n", {"judges": ["human", "gpt4"]}, "columns", "sheet.csv:1"),
        ("qid,docno,human,gpt4\nq,a,1,\n", {"judges": ["human", "gpt4"]}, "empty-qrels", "sheet.csv"),
        ("qid,docno,human,gpt4\n", {"judges": ["human", "gpt4"]}, "columns", "sheet.csv"),
        ("", {"judges": ["human", "gpt4"]}, "columns", "sheet.csv"),
    ],
)
def test_tables_that_are_refused_say_where(text, options, slug, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet.csv").write_text(text)
    error = refusal(slug, jd.agree, "sheet.csv", **options)
    assert place is None or str(error.where).startswith(place)


def test_one_table_alone_is_told_how_to_name_its_judges(tmp_path):
    (tmp_path / "sheet.csv").write_text(WIDE)
    hint = refusal("judges", jd.agree, tmp_path / "sheet.csv").hint
    assert {name for name, _ in hint.options} == {"judges", "judge_col"}


def grades(qrels):
    return {(q, d): g for q, d, g in rows(qrels)}


def test_three_judges_by_majority():
    merged = jd.merge_judgments(
        A, B, {"q1": {"a": 0, "b": 0, "c": 1, "d": 0, "e": 0}, "q2": {"a": 0, "b": 3, "x": 3}, "q3": {"a": 1}}
    )
    assert grades(merged) == {
        ("q1", "a"): 2, ("q1", "b"): 0, ("q1", "c"): 1, ("q1", "d"): 0, ("q1", "e"): 0, ("q2", "a"): 0, ("q2", "b"): 3,
        ("q2", "x"): 3, ("q3", "a"): 1,
    }  # fmt: skip


def test_the_sample_was_merged_by_mean_halves_rounded_down():
    merged = jd.merge_judgments(*SAMPLE, how="mean")
    assert {k: np.floor(g) for k, g in grades(merged).items()} == grades(jd.read_qrels(jd.sample_path("qrels.txt")))


def test_two_judges_have_no_majority_where_they_disagree():
    error = refusal("merge-how", jd.merge_judgments, *SAMPLE)
    assert "19 documents: 'q01' 'd004'" in str(error)
    assert dict(error.hint.options) == {"ties": "lower"}
    assert len(jd.merge_judgments(*SAMPLE, ties="higher").query) == 703


def test_an_adjudicator_decides():
    error = refusal(
        "merge-how", jd.merge_judgments, A, B, how="adjudicate", adjudicator={"q1": {"b": 5}, "q7": {"z": 1}}
    )
    assert "1 document: 'q2' 'b'" in str(error)
    merged = jd.merge_judgments(
        A, B, how="adjudicate", adjudicator={"q1": {"b": 5, "a": 9}, "q2": {"b": 4}, "q7": {"z": 1}}
    )
    assert grades(merged)[("q1", "b")] == 5
    assert grades(merged)[("q1", "a")] == 2
    assert grades(merged)[("q2", "b")] == 4
    assert len(merged.query) == 9


@pytest.mark.parametrize(("missing", "count"), [("keep", 9), ("drop", 5)])
def test_documents_that_not_all_judged(missing, count):
    assert len(jd.merge_judgments(A, B, how="max", missing=missing).query) == count


@pytest.mark.parametrize(
    "options",
    [{"how": "vote"}, {"missing": "skip"}, {"ties": "coin"}, {"how": "adjudicate"}, {"how": "mean", "adjudicator": A}],
)
def test_ways_to_merge_that_do_not_exist(options):
    refusal("merge-how", jd.merge_judgments, A, B, **options)
    refusal("empty-qrels", jd.merge_judgments, {"q": {"a": 1}}, {"q": {"b": 1}}, missing="drop")  # nothing is left


def test_what_is_to_be_adjudicated_has_no_second_column_of_ids_or_grades():
    listing = jd.agree({"QID": A, "rel": B}).adjudication_list()
    assert list(listing.columns) == ["query_id", "doc_id", "judge_QID", "judge_rel", "difference", "relevance"]
    assert set(listing["relevance"]) == {None}
    with pytest.raises(jd.UsageError):
        jd.agree([1, 0], [1, 1]).adjudication_list()


@pytest.mark.parametrize(
    "options", [{"n": "a"}, {"n": -1}, {"n": 1.5}, {"n": True}, {"per_query": -1}, {"per_query": "a"}]
)
def test_a_number_of_disagreements_is_a_whole_number(options):
    refusal("parameter", lambda: jd.agree(A, B).disagreements(**options))
