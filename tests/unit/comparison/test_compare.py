"""Comparisons: differences, intervals, corrected p-values, verdicts, slices, and where runs differ."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from refusals import refusal
from scipy import stats as scipy_stats

import judged as jd
from judged.comparison.difference import skewness
from judged.comparison.tables import signs
from judged.stats.decisions import APART, Verdict
from judged.stats.paired.registry import TESTS, interval_of
from judged.stats.power import queries_needed, queries_needed_about
from judged.tables.formats import FORMATS

rng = np.random.default_rng(3)
QUERIES = [f"q{i:02}" for i in range(40)]
QRELS = {q: {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 20))} for q in QUERIES}


def run_of(noise: float) -> dict:
    return {q: {d: g + float(rng.normal(0, noise)) for d, g in QRELS[q].items()} for q in QUERIES}


RUNS = {"good": run_of(1), "fair": run_of(2), "poor": run_of(5)}


@pytest.fixture(scope="module")
def board():
    return jd.compare(QRELS, RUNS, "nDCG@10 AP")


def test_every_pair_is_compared_by_every_measure(board):
    assert [(r.measure, r.a, r.b) for r in board.rows] == [
        (m, a, b) for m in ("nDCG@10", "AP") for a, b in (("good", "fair"), ("good", "poor"), ("fair", "poor"))
    ]


@pytest.mark.parametrize(
    ("names", "options", "said"),
    [(2, {}, "p"), (3, {}, "corrected p"), (3, {"correction": "none"}, "p"), (2, {"family": "all"}, "corrected p")],
)
def test_the_legend_names_p_corrected_only_if_it_was(names, options, said):
    runs = dict(list(RUNS.items())[:names])
    assert f"have no clear difference ({said} > 0.05)" in str(jd.compare(QRELS, runs, "AP RR", **options))
    against = jd.compare(QRELS, runs, "AP RR", baseline=next(iter(runs)), **options)
    assert f" ({said} ≤ 0.05); ≡ identical" in str(against)


def test_a_row_holds_means_difference_and_counts_of_the_values(board):
    row = board.of("AP", "good", "poor")
    a, b = (jd.evaluate(QRELS, RUNS[name], "AP")["AP"] for name in ("good", "poor"))
    assert row.difference == pytest.approx((b - a).mean(), abs=1e-15)
    assert (row.wins, row.ties, row.losses) == (int((b > a).sum()), int((b == a).sum()), int((b < a).sum()))
    assert row.d_z == pytest.approx((b - a).mean() / (b - a).std(ddof=1))
    assert row.low < row.difference < row.high
    assert row.verdict == "worse"


@pytest.mark.parametrize(
    ("family", "tests", "said"),
    [("measure", 3, "3 tests (the pairs of a measure)"), ("all", 6, "6 tests (pairs × measures)")],
)
def test_p_values_are_those_of_the_t_test_corrected_for_their_family(family, tests, said):
    board = jd.compare(QRELS, RUNS, "AP RR", family=family)
    values = {name: jd.evaluate(QRELS, run, "AP")["AP"] for name, run in RUNS.items()}
    assert f"bonferroni correction over {said}" in str(board)
    for row in board.rows[:3]:
        peer = scipy_stats.ttest_rel(values[row.b], values[row.a])
        assert row.p == pytest.approx(peer.pvalue, rel=1e-9)
        assert row.adjusted == pytest.approx(min(1, tests * row.p))
        assert (row.low, row.high) == pytest.approx(tuple(peer.confidence_interval(1 - 0.05 / tests)), rel=1e-9)
        assert row.level == pytest.approx(0.05 / tests)


@pytest.mark.parametrize(
    "options", [{}, {"test": "sign"}, {"correction": "holm"}, {"test": "permutation", "correction": "max"}]
)
def test_the_answer_about_a_measure_does_not_depend_on_the_others(options):
    alone = jd.compare(QRELS, RUNS, "AP", **options)
    beside = jd.compare(QRELS, RUNS, "AP RR P@1", **options)
    assert beside.rows[:3] == alone.rows
    assert (beside.headline()[0], beside.details()) == (alone.headline()[0], alone.details())
    assert "the primary measure is AP; the other 2 are secondary, each tested on its own" in str(beside)
    assert "primary" not in str(alone)


def test_values_that_are_equal_up_to_rounding_are_equal():
    values = jd.evaluate(QRELS, RUNS["fair"], "AP RR")
    noise = np.where(np.arange(len(values)) % 3 > 0, 1 + 2e-16, 1 - 1e-16)
    near = replace(values, columns={name: column * noise for name, column in values.columns.items()})
    assert (near["AP"] != values["AP"]).any()
    assert [row.verdict for row in jd.compare({"x": values, "y": near}).rows] == ["identical"] * 2


def test_the_head_of_the_intervals_says_what_they_hold_for():
    def head(**options):
        return jd.compare(QRELS, RUNS, "AP", **options).report(table="pairs").tables()[0].headers[4]

    assert head() == "simultaneous 95% interval"
    assert head(alpha=0.1) == "simultaneous 90% interval"
    assert head(correction="holm") == "interval at its level"
    assert head(correction="none") == "95% interval"
    two = jd.compare(QRELS, {n: RUNS[n] for n in ("good", "poor")}, "AP", correction="holm")
    assert two.settings.interval_name() == "95% interval"


def test_slices_are_a_family_of_their_own():
    groups = {q: "rare" if i < 5 else "odd" if i % 2 else "even" for i, q in enumerate(QUERIES)}
    board = jd.compare(QRELS, RUNS, "AP RR", slices=groups)
    assert (board.settings.tests, board.settings.slice_tests) == (3, 3 * 2)  # rare has too few queries
    assert all(row.adjusted == pytest.approx(min(1, 6 * row.p)) for row in board.parts if row.part != "rare")
    assert board.rows == jd.compare(QRELS, RUNS, "AP RR").rows


def test_letters_follow_from_the_verdicts():
    for options in ({}, {"margin": 0.5}, {"test": "sign"}, {"test": "permutation", "correction": "holm"}):
        runs = {**RUNS, "other": run_of(2.2), "same": RUNS["fair"]}
        board = jd.compare(QRELS, runs, "AP", **options)
        marks = dict(zip(board.names, signs(board, "AP"), strict=True))
        for row in board.rows:
            assert (not set(marks[row.a]) & set(marks[row.b])) == (row.verdict in APART)


def test_a_resampling_test_out_of_its_depth_is_replaced_and_the_table_says_so():
    board = jd.compare(QRELS, RUNS, "AP", test="permutation", resamples=500)
    assert board.settings.test == "t"
    assert board.rows == jd.compare(QRELS, RUNS, "AP").rows
    assert "cannot reach the corrected level" in str(board)
    few = jd.compare({q: QRELS[q] for q in QUERIES[:6]}, RUNS, "AP", test="permutation")
    assert "the smallest possible corrected p" in str(few)


def test_a_baseline_is_held_against_each_of_the_others():
    board = jd.compare(QRELS, RUNS, "AP", baseline="fair")
    assert [(r.a, r.b) for r in board.rows] == [("fair", "good"), ("fair", "poor")]
    assert board.rows[0].verdict == "better"
    assert board.baseline == "fair"
    assert [r.a for r in jd.compare(QRELS, RUNS, "AP", baseline=-1).rows] == ["poor", "poor"]


def test_lower_is_better_turns_verdicts_wins_and_best_around():
    board = jd.compare(QRELS, RUNS, "FallOut@5", baseline="poor")
    row = board.of("FallOut@5", "poor", "good")
    assert row.difference < 0
    assert row.wins > row.losses
    assert row.verdict == "better"


def test_runs_without_a_difference_are_identical_on_these_queries_and_not_equal():
    for test in TESTS.names:
        board = jd.compare(QRELS, {"x": RUNS["good"], "y": RUNS["good"]}, "AP", test=test, margin=0.1)
        row = board.rows[0]
        assert (row.difference, row.p, row.adjusted, row.verdict) == (0.0, 1.0, 1.0, "identical")
        assert np.isnan(row.low)
        assert "on these 40 queries" in board.headline()[0]


def test_one_query_can_tell_nothing_and_says_so():
    board = jd.compare({"q": {"a": 1}}, {"x": {"q": ["b", "a"]}, "y": {"q": ["a"]}}, "RR")
    assert board.rows[0].verdict == "too few queries"
    assert "one query" in board.rows[0].note
    assert "one query" in str(board)


def test_results_are_compared_without_runs_and_give_the_same():
    results = {name: jd.evaluate(QRELS, run, "nDCG@10 AP") for name, run in RUNS.items()}
    direct, again = jd.compare(QRELS, RUNS, "nDCG@10 AP"), jd.compare(results)
    assert direct.rows == again.rows


def test_queries_that_not_all_results_hold_are_left_out_aloud():
    some = {q: QRELS[q] for q in QUERIES[:30]}
    board = jd.compare([jd.evaluate(QRELS, RUNS["good"], "AP"), jd.evaluate(some, RUNS["poor"], "AP")][::-1])
    assert board.rows[0].queries == 30
    assert any(w.slug == "queries-differ" and w.count == 10 for w in board.warnings)


def test_incomparable_results_are_refused_with_the_reason():
    a = jd.evaluate(QRELS, RUNS["good"], "AP")
    with pytest.raises(jd.DataError, match="policies") as caught:
        jd.compare({"a": a, "b": jd.evaluate(QRELS, RUNS["poor"], "AP", ties="id-asc")})
    assert caught.value.slug == "incomparable"
    with pytest.raises(jd.DataError, match="measure"):
        jd.compare({"a": a, "b": jd.evaluate(QRELS, RUNS["poor"], "RR")})
    other = {"z1": {"a": 1}, "z2": {"a": 1}}
    refusal("no-common-query", jd.compare, {"a": a, "b": jd.evaluate(other, {"z1": ["a"]}, "AP")})


def test_the_order_of_queries_and_the_seed_decide_nothing_else():
    board = jd.compare(QRELS, RUNS, "AP", seed=5)
    turned = jd.compare(
        dict(reversed(QRELS.items())), {n: dict(reversed(r.items())) for n, r in RUNS.items()}, "AP", seed=5
    )
    assert board.rows == turned.rows


def test_tests_of_wins_say_who_wins_more_queries_beside_the_interval_of_the_mean():
    qrels = {f"q{i:02}": {"a": 1} for i in range(21)}
    runs = {"x": {q: ["b", "c", "d", "a"] if i < 19 else ["a"] for i, q in enumerate(qrels)},
            "y": {q: ["b", "c", "a"] if i < 19 else ["b"] for i, q in enumerate(qrels)}}  # fmt: skip
    for test in ("sign", "wilcoxon"):
        row = jd.compare(qrels, runs, "RR", test=test).rows[0]
        d = np.r_[np.full(19, 1 / 3 - 1 / 4), [-1.0, -1.0]]
        assert (row.wins, row.losses) == (19, 2)
        assert row.difference == pytest.approx(d.mean())
        assert row.verdict == "wins more queries"
        assert (row.low, row.high) == pytest.approx(tuple(np.ravel(interval_of(d, "t"))))
        turned = jd.compare(qrels, runs, "RR", test=test, baseline="y")
        assert turned.rows[0].verdict == "loses more queries"
        assert turned.headline() == ["x clearly loses more queries than y on RR."]


def test_no_clear_difference_says_what_is_possible_and_how_many_queries_it_needs():
    runs = {"a": run_of(3), "b": run_of(3)}
    values = {n: jd.evaluate(QRELS, r, "RR")["RR"] for n, r in runs.items()}
    d = values["b"] - values["a"]
    board = jd.compare(QRELS, runs, "RR AP", family="all")
    row = board.rows[0]
    assert row.verdict == "no clear difference"
    assert row.material == pytest.approx(0.1 * row.mean_a)
    assert row.needed == pytest.approx(queries_needed(row.material, d.std(ddof=1), alpha=0.05 / 2), abs=1)
    assert f"between {row.low:+.4f} and {row.high:+.4f}" in row.words
    assert "corrected p = " in row.words
    assert any(f"{row.needed:,} queries" in detail.text for detail in board.details())
    column = board.report(table="pairs").tables()[0].headers.index("queries needed")
    assert board.report(table="pairs").tables()[0].rows[0][column] == f"{row.needed:,}"
    with_margin = jd.compare(QRELS, runs, "RR AP", margin=0.01, family="all").rows[0]
    assert with_margin.material == 0.01
    assert with_margin.needed == pytest.approx(queries_needed(0.01, d.std(ddof=1), alpha=0.05 / 2), abs=1)
    assert jd.compare(QRELS, runs, "RR", margin=0.9).rows[0].needed is None


@pytest.mark.parametrize(("measures", "shown"), [("nDCG@10 AP", ["nDCG@10", "AP"]), ("nDCG@10 AP RR P@1 P@2 P@3 P@4 P@5 P@6 P@7 P@8", ["nDCG@10"])])  # fmt: skip
def test_of_many_pairs_only_those_of_the_best_run_are_with_the_other_tables(measures, shown):
    runs = {f"run{i:02}": run_of(1 + (i * 7 % 11) / 2) for i in range(11)}  # 55 pairs
    board = jd.compare(QRELS, runs, measures)
    best, *others = sorted(runs, key=lambda name: -board.means()[name]["nDCG@10"])
    systems, pairs = board.tables()
    assert len(systems.rows) == len(runs)
    assert [row[:3] for row in pairs.rows] == [(m, best, other) for m in shown for other in others]
    for measure, _, other, difference, *_ in pairs.rows:
        assert float(difference) == pytest.approx(
            board.means()[best][measure] - board.means()[other][measure], abs=1e-4
        )
    assert any(
        f"only {best} with each other run" in note and f"all {len(board.rows)} rows" in note for note in pairs.notes
    )
    assert len(pairs.spans) == len(pairs.rows)
    whole = board.report(table="pairs").tables()[0]
    assert len(whole.rows) == len(board.records()) == len(board.to_csv().splitlines()) - 1 == len(board.rows)
    assert not any("with each other run" in note for note in whole.notes)


def test_of_many_pairs_slices_and_changes_are_those_of_the_best_run():
    runs = {f"run{i:02}": run_of(1 + i / 2) for i in range(16)}
    slices = {"kind": {q: "even" if int(q[1:]) % 2 == 0 else "odd" for q in QUERIES}}
    board = jd.compare(QRELS, runs, "AP", slices=slices["kind"])
    best = max(runs, key=lambda name: board.means()[name]["AP"])
    report = board.report(where=1)
    _, pairs, parts, *changes = report.tables()
    assert len(pairs.rows) == len(changes) == 15
    assert len(parts.rows) == 30
    assert all(best in row[3:5] for row in parts.rows)
    assert len(board.report(table="slices").tables()[0].rows) == len(board.parts) == 240
    assert len([record for record in report.records() if record["table"] == "where"]) == 120


def test_the_best_run_is_that_of_the_first_measure_with_values():
    runs = {f"run{i:02}": run_of(1 + i / 2) for i in range(11)}
    board = jd.compare(QRELS, runs, "AP(level=3) RR P@1 P@2 P@3 P@4 P@5 P@6 P@7 P@8 P@9", empty="skip")
    assert {row[0] for row in board.tables()[1].rows} == {"RR"}


@pytest.mark.parametrize(("count", "baseline"), [(11, "run00"), (3, None)])
def test_pairs_of_few_runs_and_with_a_baseline_are_all_shown(count, baseline):
    runs = {f"run{i:02}": run_of(2) for i in range(count)}
    board = jd.compare(QRELS, runs, [f"P@{k}" for k in range(1, 41)], baseline=baseline)
    assert len(board.tables()[1].rows) == len(board.rows) > 100


def test_few_queries_that_changed_are_counted():
    qrels = {f"q{i:02}": {"a": 1} for i in range(60)}
    runs = {"x": {q: ["a"] for q in qrels}, "y": {q: ["b", "a"] if i < 7 else ["a"] for i, q in enumerate(qrels)}}
    row = jd.compare(qrels, runs, "RR").rows[0]
    assert "only 7 of 60 queries changed" in row.note
    many = {**runs, "y": {q: ["b", "a"] if i < 10 else ["a"] for i, q in enumerate(qrels)}}
    assert "changed" not in jd.compare(qrels, many, "RR").rows[0].note


def test_skewed_differences_are_noted_where_the_t_test_rejects_too_often():
    rng = np.random.default_rng(0)

    def found(d):
        return skewness(d) != 0

    assert not any(found(rng.normal(0, 1, (50, 100))))
    assert np.mean(found(np.exp(rng.normal(0, 1, (50, 100))))) > 0.6
    assert not any(found(rng.exponential(1, (1_000, 100))))
    assert not any(found(np.r_[np.zeros(20), 1.0][:, None]))  # too few to know


def test_a_geometric_mean_is_not_compared_as_if_it_were_a_mean():
    refusal("summary", jd.compare, QRELS, RUNS, "GMAP")


def test_counts_are_compared_and_shown_per_query():
    board = jd.compare(QRELS, RUNS, "NumRelRet@5")
    row = board.rows[0]
    assert board.means()["good"]["NumRelRet@5"] == pytest.approx(row.mean_a)
    assert row.mean_a <= 5


def test_superiority_is_the_share_of_queries_won_also_where_lower_is_better():
    row = jd.compare(QRELS, RUNS, "FallOut@5", baseline="poor").of("FallOut@5", "poor", "good")
    assert row.superiority == pytest.approx((row.wins + row.ties / 2) / row.queries)
    few = jd.compare(QRELS, RUNS, "FallOut@5", baseline="poor", slices=dict.fromkeys(QUERIES[:5], "s")).parts[0]
    d = [jd.evaluate(QRELS, RUNS[n], "FallOut@5")["FallOut@5"][:5] for n in ("poor", "good")]
    assert (few.wins, few.losses) == (int((d[1] < d[0]).sum()), int((d[1] > d[0]).sum()))


def test_few_queries_are_not_called_equal_for_an_interval_without_width():
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    values = {n: jd.evaluate(qrels, dict.fromkeys(qrels, r), "P@200") for n, r in (("x", ["a"]), ("y", ["b"]))}
    assert jd.compare(values, margin=0.01).rows[0].verdict != "equal"


def test_queries_without_a_value_are_left_out_aloud():
    runs = {n: RUNS[n] for n in ("good", "poor")}
    board = jd.compare({**QRELS, "none": {"d1": 0}}, runs, "AP", empty="skip")
    assert board.rows[0].queries == 40
    assert any(w.slug == "values-missing" and w.count == 1 for w in board.warnings)


def test_slices_are_compared_on_their_own_and_small_ones_only_shown():
    groups = {q: "long" if i < 25 else "short" if i < 37 else "rare" for i, q in enumerate(QUERIES)}
    board = jd.compare(QRELS, {n: RUNS[n] for n in ("good", "poor")}, "AP", slices=groups)
    assert [(r.part, r.queries) for r in board.parts] == [("long", 25), ("rare", 3), ("short", 12)]
    rare = board.parts[1]
    assert rare.verdict == "too few queries"
    assert np.isnan(rare.p)
    alone = jd.compare({q: QRELS[q] for q in QUERIES[:25]}, {n: RUNS[n] for n in ("good", "poor")}, "AP").rows[0]
    long = board.parts[0]
    assert (long.difference, long.p) == (alone.difference, alone.p)
    assert "long" in str(board)


def test_slices_come_from_a_table_of_queries(tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text(
        "query_id,kind,text\n" + "".join(f"{q},{'odd' if i % 2 else 'even'},t\n" for i, q in enumerate(QUERIES[:38]))
    )
    board = jd.compare(QRELS, RUNS, "AP", slices=path, by="kind", baseline="good")
    assert {r.part: r.queries for r in board.parts} == {"kind=even": 19, "kind=odd": 19}
    assert any(w.slug == "slice" and w.count == 2 for w in board.warnings)
    path.write_text("query_id,kind\n" + "".join(f"{q},{'' if i < 2 else 'all'}\n" for i, q in enumerate(QUERIES)))
    board = jd.compare(QRELS, RUNS, "AP", slices=path, by="kind", baseline="good")
    assert {r.part: r.queries for r in board.parts} == {"kind=all": 38}
    assert any(w.slug == "slice" and w.count == 2 for w in board.warnings)
    with pytest.raises(jd.JudgedError, match="colour"):
        jd.compare(QRELS, RUNS, "AP", slices=path, by="colour")
    path.write_text("query_id,kind\n" + "".join(f"{q},all\n" for q in QUERIES))
    several = jd.compare(
        QRELS, RUNS, "AP", slices=path, by=["kind", "relevant"], clusters=path, cluster_col="kind", baseline="good"
    )
    assert {r.part.partition("=")[0] for r in several.parts} == {"kind", "relevant"}
    assert several.settings.clusters == 1


def test_slices_by_the_number_of_relevant_documents():
    qrels = {"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"x": 0}}
    runs = {"one": {q: ["x"] for q in qrels}, "two": {q: ["y"] for q in qrels}}
    board = jd.compare(qrels, runs, "AP", by="relevant", min_queries=1)
    assert [(r.part, r.queries) for r in board.parts] == [("relevant=0", 1), ("relevant=1", 1), ("relevant=2 to 5", 1)]


@pytest.mark.parametrize(
    "options", [{"slices": {"other": "x"}}, {"slices": 5}, {"by": "kind"}, {"slices": "x.csv", "by": "relevant"}]
)  # fmt: skip
def test_slices_that_fit_nothing_are_refused(options):
    refusal("slice", jd.compare, QRELS, RUNS, "AP", **options)


def test_queries_of_one_cluster_count_as_one():
    clusters = {q: i // 8 for i, q in enumerate(QUERIES)}
    free, tied = (jd.compare(QRELS, RUNS, "AP", clusters=c).of("AP", "good", "poor") for c in (None, clusters))
    assert free.p < tied.p
    assert jd.compare(QRELS, RUNS, "AP", clusters=clusters, test="permutation").rows[1].p >= 2 / 2**5
    refusal("query-clusters", jd.compare, QRELS, RUNS, "AP", clusters={"q00": 1})


def test_the_queries_that_changed_most_come_with_the_documents_that_moved():
    qrels = {"q": {"a": 2, "b": 0, "c": 1}, "r": {"a": 1}, "s": {"a": 1}}
    runs = {
        "old": {"q": ["b", "c", "a"], "r": ["x", "a"], "s": ["a"]},
        "new": {"q": ["a", "b"], "r": ["a"], "s": ["a"]},
    }
    changes = jd.compare(qrels, runs, "RR").where("RR")
    assert [(c.query, c.difference) for c in changes] == [("q", 0.5), ("r", 0.5)]
    assert [(m.doc, m.grade, m.rank_a, m.rank_b) for m in changes[0].moves] == [
        ("a", 2, 3, 1),
        ("c", 1, 2, None),
        ("b", 0, 1, 2),
    ]
    assert jd.compare(qrels, runs, "RR").where("RR", "new", "old")[0].difference == -0.5
    with pytest.raises(jd.UsageError, match="RR"):
        jd.compare(qrels, runs, "RR").where("AP")


def test_changed_queries_and_single_tables_come_in_every_format(board):
    full = board.report(where=2)
    for format in FORMATS.names:
        assert full.render(format).endswith("\n")
    data = json.loads(full.to_json())
    assert data["rows"] == json.loads(board.to_json())["rows"]
    assert len(data["where"]) == 12
    assert {row["table"] for row in full.records()} == {"pairs", "where"}
    systems = board.to_latex(table="systems")
    assert systems.count(r"\begin{tabular}") == 1
    assert board.report(table="systems").records()[0] == {"run": "good", **board.means()["good"]}
    with pytest.raises(jd.UsageError):
        board.to_latex(table="all")


def test_the_verdict_comes_first_and_the_warnings_last():
    two = jd.compare({**QRELS, "none": {"d1": 0}}, {n: RUNS[n] for n in ("good", "poor")}, "AP", empty="skip")
    lines = str(two).splitlines()
    assert lines[0] == "good is clearly better than poor on AP."
    assert [line.split("?")[0] for line in lines[1:4]] == ["By how much", "How certain", "Where"]
    assert lines[-1].startswith("warning: ")
    against = jd.compare(QRELS, RUNS, "AP", baseline="good")
    assert against.headline() == ["No run is clearly better than good on AP."]
    assert against.details()[-1].text == "Clearly worse than good: fair and poor."
    assert jd.compare(QRELS, RUNS, "AP").headline() == ["good is clearly best on AP."]


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"baseline": "nobody"}, "baseline"),
        ({"test": "anova-ish"}, "unknown-name"),
        ({"correction": "none-such"}, "unknown-name"),
        ({"correction": "max", "test": "t"}, "correction"),
        ({"alpha": 0.7}, "parameter"),
        ({"margin": -1}, "parameter"),
        ({"seed": -1}, "parameter"),
        ({"seed": 2**64}, "parameter"),
        ({"interval": "t"}, "unknown-option"),
        ({"test": "t", "resamples": 10}, "option"),
    ],
)
def test_a_wrong_call_is_told(options, slug):
    refusal(slug, jd.compare, QRELS, RUNS, "AP", **options)


def test_fewer_than_two_runs_cannot_be_compared():
    for arguments in ((QRELS, [RUNS["good"]], "AP"), (QRELS,)):
        refusal("runs", jd.compare, *arguments)


def test_a_verdict_has_one_name_in_python_json_tables_and_scripts_of_the_page():
    names = set(get_args(Verdict))
    board = jd.compare(QRELS, {"a": run_of(3), "b": run_of(3), "c": run_of(1)}, "RR")
    shown = [row[-1] for row in next(t for t in board.tables() if t.headers[-1] == "verdict").rows]
    assert shown == [row.verdict for row in board.rows] == [row["verdict"] for row in board.records()]
    scripts = (Path(jd.__file__).parent / "page" / "web").rglob("*.js")
    compared = {word for script in scripts for word in re.findall(r'erdict === "([^"]*)"', script.read_text())}
    assert compared
    assert compared <= names


@pytest.mark.parametrize("test", [t.name for t in TESTS])
def test_a_sparse_row_says_how_few_queries_changed(test):
    queries = [f"q{i}" for i in range(30)]
    qrels, base = {q: {"a": 1} for q in queries}, {q: ["a", "b"] for q in queries}
    runs = {"x": base, "y": base | {q: ["b", "a"] for q in queries[:4]}}
    row = jd.compare(qrels, runs, "RR", test=test).rows[0]
    assert row.note == "only 4 of 30 queries changed"


def test_few_clusters_bound_p_and_enlarge_the_number_of_queries_needed():
    clusters = {q: i // 10 for i, q in enumerate(QUERIES)}  # 4 clusters
    runs = {"a": run_of(3), "b": run_of(3)}
    row = jd.compare(QRELS, runs, "RR", test="permutation", clusters=clusters).rows[0]
    assert row.note == "4 clusters are too few for this test at this level"
    of = [jd.evaluate(QRELS, run, "RR")["RR"] for run in runs.values()]
    means = (of[1] - of[0]).reshape(4, 10).mean(axis=1)
    found = jd.compare(QRELS, runs, "RR", clusters=clusters)
    clustered = found.rows[0]
    assert ("in clusters of the same size" in str(found)) == (clustered.needed is not None)
    units = queries_needed_about(0.1 * clustered.mean_a, means.std(ddof=1))
    assert clustered.needed == (10 * units if 10 * units > 40 else None)


def test_results_under_different_policies_are_refused_by_what_differs():
    results = {ties: jd.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", ties=ties) for ties in ("id-desc", "best")}
    error = refusal("incomparable", jd.compare, results)
    assert "ties: id-desc; ties: best" in str(error)
    assert "order by score" not in str(error)


@pytest.mark.parametrize("bad", [{1: {"a": 1.0}}, {"query": [1], "doc": ["a"], "score": [1.0]}])
def test_an_error_names_the_run_as_the_caller_does(bad):
    with pytest.raises(jd.DataError, match=r"^bm25: query ids are str in the judgments and int in the run"):
        jd.compare({"1": {"a": 1}}, {"bm25": bad, "dense": {"1": {"a": 1.0}}})
