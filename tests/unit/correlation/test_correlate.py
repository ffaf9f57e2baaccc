"""`correlate`: what may be compared, which queries and documents count, and what is said about it."""

import json
import pickle
from math import isnan

import numpy as np
import pytest
from needs import optional
from refusals import refusal
from scipy import stats

import judged as jd
from judged.core.tables import IdColumn
from judged.correlation import correlate_all
from judged.correlation.system_scores import read_scores
from judged.stats.rank_correlation import RANK_COEFFICIENTS, kendall, tau_ap
from judged.stats.rank_overlap import overlap, rbo

pd = optional("pandas")
pl = optional("polars")

near = lambda value: pytest.approx(value, rel=1e-12, abs=1e-14)  # noqa: E731

A = {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 0.5, "d2": 0.5, "d4": 0.1}}
B = {"q1": {"d3": 9.0, "d1": 8.0, "d2": 7.0}, "q2": {"d2": 2.0, "d1": 1.0, "d5": 3.0}}
EVERY = [f"{c.name}@2" if c.name == "overlap" else c.name for c in RANK_COEFFICIENTS]


def made(seed: int, queries: int = 30, documents: int = 25, values: int = 10) -> dict[str, dict[str, float]]:
    rng = np.random.default_rng(seed)
    return {
        f"q{q}": {f"d{d}": float(rng.integers(0, values)) for d in rng.permutation(40)[: rng.integers(2, documents)]}
        for q in range(queries)
    }


def test_runs_are_compared_query_by_query():
    found = jd.correlate(A, B, "tau_a tau_b rbo overlap@2")
    assert found.queries == ("q1", "q2")
    assert found["tau_a"].tolist() == [near(-1 / 3), 0.0]
    assert isnan(found["tau_b"][1])
    assert found["overlap@2"].tolist() == [near(1 / 2), near(1 / 2)]  # q2: d1, d2 tied; d5, d2
    assert found.items.tolist() == [3, 2]
    assert found.mean()["tau_b"] == near(-1 / 3)


def test_every_query_is_what_the_functions_give_for_it_alone():
    a, b = made(1), made(2)
    found = jd.correlate(a, b, "tau_b tau_a tau_ap rbo overlap@5")
    assert found.queries == tuple(sorted(a))
    for i, q in enumerate(found.queries):
        docs = sorted(set(a[q]) & set(b[q]))
        x, y = ([run[q][d] for d in docs] for run in (a, b))
        assert found["tau_b"][i] == pytest.approx(kendall(x, y), rel=1e-12, nan_ok=True)
        assert found["tau_a"][i] == pytest.approx(kendall(x, y, "a"), rel=1e-12, nan_ok=True)
        assert found["tau_ap"][i] == pytest.approx(tau_ap(x, y), rel=1e-12, nan_ok=True)
        assert found["rbo"][i] == near(rbo(a[q], b[q]))
        assert found["overlap@5"][i] == near(overlap(a[q], b[q], 5))
        assert found.items[i] == len(docs)


def test_equal_runs_have_one_and_reversed_runs_minus_one():
    a = {q: {d: s + 0.001 * i for i, (d, s) in enumerate(docs.items())} for q, docs in made(3).items()}
    same, turned = jd.correlate(a, a, EVERY), {q: {d: -s for d, s in docs.items()} for q, docs in a.items()}
    for c in RANK_COEFFICIENTS:
        assert same[f"{c.name}@2" if c.name == "overlap" else c.name].tolist() == [near(1.0)] * 30
        if c.pairs is not None:
            assert jd.correlate(a, turned, c.name).mean()[c.name] == near(-1.0)


def test_lists_of_documents_are_runs_without_ties():
    found = jd.correlate({"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}, "tau_a overlap@2")
    assert found.mean() == {"tau_a": near(1 / 3), "overlap@2": 0.5}


def test_queries_are_in_the_order_of_their_ids():
    a = {10: {"x": 2, "y": 1}, 9: {"x": 1, "y": 2}}
    found = jd.correlate(a, {9: {"x": 1, "y": 2}, 10: {"x": 1, "y": 2}}, "tau_a")
    assert (found.queries, found["tau_a"].tolist()) == ((9, 10), [1.0, -1.0])


def test_queries_of_one_run_only_are_counted_aloud():
    found = jd.correlate({**A, "q8": {"x": 1}, "q9": {"x": 1}}, {**B, "q7": {"x": 1}}, "tau_a")
    assert found.queries == ("q1", "q2")
    assert [(w.slug, w.count) for w in found.warnings] == [("query-unshared", 2), ("query-unshared", 1)]
    assert "'q8', 'q9'" in found.warnings[0].text


def test_a_query_with_one_shared_document_is_left_out_of_the_mean():
    found = jd.correlate({**A, "q3": {"d1": 1, "d2": 2}}, {**B, "q3": {"d1": 1, "d9": 2}}, "tau_a rbo")
    assert isnan(found["tau_a"][2])
    assert found.mean()["tau_a"] == near((-1 / 3 + 0) / 2)
    assert [(w.slug, w.count) for w in found.warnings] == [("undefined", 1)]
    assert "tau_a" in found.warnings[0].text
    assert not np.isnan(found["rbo"]).any()


def test_a_query_without_a_shared_document_is_counted_by_overlap_alone():
    found = jd.correlate(
        {"q": {"a": 1}, "r": {"a": 2, "b": 1}}, {"q": {"b": 1}, "r": {"a": 2, "b": 1}}, "tau_b overlap@1 rbo"
    )
    assert (found["overlap@1"][0], found["rbo"][0]) == (0.0, 0.0)
    assert found.mean()["tau_b"] == 1.0


def test_a_depth_keeps_a_tie_whole():
    a = {"q": {"a": 3, "b": 2, "c": 2, "d": 1}}
    b = {"q": {"a": 1, "b": 2, "c": 3, "d": 4}}
    assert jd.correlate(a, b, "tau_a", depth=2).items.tolist() == [1]  # a, b, c against d, c
    assert jd.correlate(a, a, "tau_a", depth=2).items.tolist() == [3]


@pytest.mark.parametrize("depth", [1, 3, 10, 100])
def test_a_depth_is_the_same_as_shorter_runs(depth):
    a, b = made(5, values=1000), made(6, values=1000)

    def cut(run):
        return {
            q: {d: s for d, s in docs.items() if sum(v > s for v in docs.values()) < depth} for q, docs in run.items()
        }

    sides = ((a, b, depth), (cut(a), cut(b), None))
    found, wanted = (jd.correlate(x, y, "tau_b rbo overlap@4", depth=k).columns for x, y, k in sides)
    for name in found:
        np.testing.assert_array_equal(found[name], wanted[name])


def test_long_ids_are_told_apart_by_their_last_bytes():
    long = "x" * 300
    a = {"q": {long + "1": 3, long + "2": 2, "é": 1}}
    assert jd.correlate(a, {"q": {long + "2": 3, long + "1": 2, "é": 1}}, "tau_a")["tau_a"].tolist() == [near(1 / 3)]


def test_documents_of_one_hash_are_told_apart(monkeypatch):
    wanted = jd.correlate(made(1), made(2), EVERY)
    monkeypatch.setattr(IdColumn, "hash", lambda ids: np.zeros(len(ids), np.uint64))
    found = jd.correlate(jd.read_run(made(1)), jd.read_run(made(2)), EVERY)
    for name in EVERY:
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12, atol=1e-14)


def test_intervals_are_of_the_mean_over_queries():
    found = jd.correlate(made(1), made(2), "rbo")
    expected = stats.t.interval(0.95, len(found) - 1, found.mean()["rbo"], stats.sem(found.columns["rbo"]))
    assert found.intervals["rbo"] == pytest.approx((max(-1, expected[0]), min(1, expected[1])))
    assert jd.correlate({"q": ["a", "b"]}, {"q": ["a", "b"]}, "tau_b").intervals == {"tau_b": None}


@pytest.mark.needs("pandas", "polars")
def test_columns_are_aligned_by_position():
    found = jd.correlate([1, 2, 2, 3], (1, 2, 3, 4), "tau_a spearman rbo")
    assert (found.kind, len(found), found.queries) == ("items", 1, ())
    assert found.mean()["tau_a"] == near(5 / 6)
    for form in (np.array([1, 2, 2, 3]), pl.Series([1, 2, 2, 3]), pd.Series([1, 2, 2, 3])):
        other = pd.Series([1, 2, 3, 4]) if isinstance(form, pd.Series) else [1, 2, 3, 4]
        assert jd.correlate(form, other, "tau_a spearman rbo").mean() == found.mean()


@pytest.mark.needs("pandas")
def test_mappings_and_series_are_aligned_by_name():
    a, b = {"bm25": 0.3, "dense": 0.4, "old": 0.1, "tfidf": 0.2}, {"tfidf": 0.5, "dense": 0.9, "bm25": 0.7, "new": 1.0}
    found = jd.correlate(a, b, "tau_b rbo")
    assert (found.kind, found.mean()["tau_b"], found.items.tolist()) == ("items", 1.0, [3])
    assert [(w.slug, w.count) for w in found.warnings] == [("query-unshared", 2)]
    assert found.mean()["rbo"] == near(rbo(a, b))
    assert jd.correlate(pd.Series(a), pd.Series(b), "tau_b rbo").mean() == found.mean()


def test_values_of_one_measure_are_aligned_by_query():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    first = jd.evaluate(qrels, {"q1": ["a"], "q2": ["b", "a"], "q3": ["b"]}, "RR")
    second = jd.evaluate(qrels, {"q1": ["b", "a"], "q2": ["a"], "q3": ["b"]}, "RR")
    assert jd.correlate(first, second, "tau_a").mean() == {"tau_a": near(1 / 3)}
    with pytest.raises(jd.UsageError):
        jd.correlate(jd.evaluate(qrels, {"q1": ["a"]}, "RR AP"), second, "tau_a")


def test_lists_of_ids_are_rankings():
    found = jd.correlate(["a", "b", "c"], ["b", "a", "d"], "tau_a rbo overlap@2")
    assert (found.kind, found.mean()["tau_a"], found.mean()["overlap@2"]) == ("items", -1.0, 1.0)


def test_two_orders_have_p_values():
    found = jd.correlate(np.random.default_rng(0).permutation(30), np.arange(30) * 2.0, "tau_b rbo")
    assert 0 < found.p_values["tau_b"] < 1
    assert (found.intervals, found.p_values["rbo"]) == ({}, None)


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_items_give_no_number_and_a_warning(size):
    found = jd.correlate([1.0] * size, [1.0] * size, "tau_b spearman")
    assert all(map(isnan, found.mean().values()))
    assert [w.slug for w in found.warnings] == ["undefined", "undefined"]


def test_scores_that_differ_by_a_rounding_are_told():
    found = jd.correlate([0.1 + 0.2, 0.3, 0.5], [1, 2, 3], "tau_b")
    assert [(w.slug, w.count) for w in found.warnings] == [("near-ties", 1)]
    assert jd.correlate([0.3, 0.3, 0.5], [1, 2, 3], "tau_b").warnings == ()


def test_the_defaults_leave_overlap_out_where_items_are_the_same():
    assert "overlap@10" in jd.correlate(A, B).coefficients
    for a, b in (([1, 2], [2, 1]), ({"a": 1, "b": 2}, {"a": 2, "b": 1}), (["a", "b"], ["b", "a"])):
        assert jd.correlate(a, b).coefficients == ("tau_b", "tau_ap", "rbo")


def test_rankings_that_both_end_before_the_cutoff_are_counted_aloud():
    long = {"q1": {f"d{i}": float(i) for i in range(10)}, "q2": B["q2"]}
    found = jd.correlate(long, B, "overlap@10 overlap@2 tau_a")
    (short,) = [w for w in found.warnings if w.slug == "short"]
    assert (short.count, "overlap@10 cannot" in short.text) == (1, True)
    assert [w.slug for w in jd.correlate(["a", "b"], ["b", "a"], "overlap@3").warnings] == ["short"]


def test_persistence_may_stand_in_the_name():
    found = jd.correlate(A, B, "rbo(p=0.5), rbo( p = .98 ) rbo")
    assert found.coefficients == ("rbo(p=0.5)", "rbo(p=0.98)", "rbo")
    for name, p in (("rbo(p=0.5)", 0.5), ("RBO(p=0.98)", 0.98), ("rbo", 0.9)):
        assert found[name].tolist() == [near(rbo(A[q], B[q], p)) for q in found.queries]


def test_a_name_with_an_open_parenthesis_is_refused():
    refusal("coefficient", jd.correlate, A, B, "rbo(p=0.5")
    assert jd.correlate(A, B, "rbo()").coefficients == ("rbo",)


def test_queries_are_shown_from_the_most_changed_on_and_kept_by_id():
    a = {q: ["a", "b", "c"] for q in "uvwxy"}
    b = {"u": ["a", "b", "c"], "v": ["c", "b", "a"], "w": ["a"], "x": ["a", "c", "b"], "y": ["c", "b", "a"]}
    found = jd.correlate(a, b, "tau_a rbo")
    assert [row[0] for row in found.per_query().rows] == ["v", "y", "x", "u", "w"]  # w has no tau
    assert found.queries == tuple("uvwxy")


def test_every_pair_of_several_runs_is_what_the_pair_alone_gives():
    runs = {"one": made(1), "two": made(2), "three": made(3)}
    found = correlate_all(runs, "tau_b tau_ap rbo(p=0.5)", depth=10)
    assert [pair.names for pair in found.pairs] == [("one", "two"), ("one", "three"), ("two", "three")]
    for pair in found.pairs:
        alone = jd.correlate(runs[pair.names[0]], runs[pair.names[1]], "tau_b tau_ap rbo(p=0.5)", depth=10)
        assert (pair.mean(), pair.intervals) == (alone.mean(), alone.intervals)
    frame = found.to_pandas()
    assert frame[frame.coefficient == "tau_b"].value.tolist() == [pair.mean()["tau_b"] for pair in found.pairs]
    assert json.loads(found.to_json())["names"] == ["one", "two", "three"]


def test_several_may_be_a_list_and_orders_of_anything(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\n")
    assert correlate_all([path, A, B], "tau_a").names == (str(path), "2", "3")
    orders = {"AP": {"x": 1, "y": 2}, "nDCG": {"x": 2, "y": 1}, "RR": {"x": 1, "y": 2}}
    found = correlate_all(orders, iter(["tau_b", "rbo"])).pairs
    assert [pair.mean()["tau_b"] for pair in found] == [-1.0, 1.0, -1.0]
    assert found[0].coefficients == ("tau_b", "rbo")


def test_warnings_of_several_name_their_pair():
    found = correlate_all({"x": A, "y": B, "z": {**B, "q9": {"d": 1}}}, "tau_a overlap@9")
    told = {w.text.partition(":")[0] for w in found.warnings if w.slug == "query-unshared"}
    assert told == {"x ~ z", "y ~ z"}


@pytest.mark.parametrize("rankings", ["a.run", {"one": A}, [], 7])
def test_several_are_two_at_least(rankings):
    refusal("form", correlate_all, rankings)


def test_judgments_in_place_of_a_run_are_told_so(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 d1 1\n")
    for judgments in (path, jd.read_qrels(path)):
        refusal("swapped", jd.correlate, A, judgments)


def test_a_result_is_a_table_a_frame_and_json():
    found = jd.correlate(A, B, "tau_a overlap@2")
    assert str(found).splitlines() == [
        "run (a) ~ run (b)",
        "",
        "coefficient     mean       95% interval  queries",
        "───────────  ───────  ─────────────────  ───────",
        "tau_a        -0.1667  [-1.0000, 1.0000]        2",
        "overlap@2     0.5000                           2",
        "",
        "2 queries · pairs of shared documents",
    ]
    assert found.to_pandas().value.tolist() == list(found.mean().values())
    data = json.loads(found.to_json())
    assert (data["queries"], data["kind"], data["conventions"]["depth"]) == (["q1", "q2"], "runs", None)
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()
    with pytest.raises(ValueError, match="read-only"):
        found["tau_a"][0] = 7


def test_a_single_row_reads_well():
    text = str(jd.correlate([3, 2, 1, 0], [3, 2, 1, 0], "tau_b rbo", names=("AP", "nDCG")))
    assert text.splitlines()[0] == "AP ~ nDCG"
    assert "tau_b        1.0000   0.0833      4" in text
    assert "–" in str(jd.correlate([1], [1], "tau_b"))


def test_a_coefficient_is_found_by_its_other_names():
    found = jd.correlate([1, 2], [1, 2], "kendall")
    assert found["tau-b"].tolist() == found["tau"].tolist() == [1.0]
    refusal("not-asked", lambda: found["rbo"])


@pytest.mark.needs("pandas")
@pytest.mark.parametrize(
    ("a", "b", "options", "slug"),
    [
        (A, {"x": {"d": 1}}, {}, "no-common-query"),
        ({"a": 1}, {"b": 1}, {}, "no-common-item"),
        (["a", "b"], ["c"], {}, "no-common-item"),
        ([1, 2], [1, 2, 3], {}, "lengths"),
        ([1, 2], {"a": 1}, {}, "no-common-item"),
        (A, [1, 2], {}, "form"),
        (["a"], [1], {}, "no-common-item"),
        (["a", "a"], ["a"], {}, "duplicate-doc"),
        ({"a": float("nan"), "b": 1}, {"a": 1, "b": 2}, {}, "score-nan"),
        ([1, float("nan")], [1, 2], {}, "score-nan"),
        ([("q", "d", 1), ("q", "d", 2)], A, {}, "no-common-query"),
        ([("q1", "d", 1), ("q1", "d", 2)], A, {}, "duplicate-doc"),
        ({1: {"a": 1}}, {"1": {"a": 1}}, {}, "id-type"),
        (A, B, {"measures": "kappa"}, "unknown-name"),
        (A, B, {"measures": []}, "coefficient"),
        *(
            (A, B, {"measures": name}, "parameter")
            for name in ("rbo(p=1)", "rbo(p=0.0)", "rbo(q=0.5)", "tau_b(p=0.5)", "overlap(p=0.5)@10")
        ),
        (A, B, {"measures": "rbo(p=0.99999999999999999)"}, "parameter"),
        *(
            (*sides, {"names": names}, "names")
            for sides in ((A, B), ([1, 2, 3], [1, 2, 3]))
            for names in (("x",), "xy", (1, 2), ())
        ),
        *(
            (scores, scores, {}, "score-type") for scores in ([1, 2, 10**400], {"a": 1, "b": 10**400})
        ),  # beyond a double
        (A, B, {"depth": 0}, "parameter"),
        (A, B, {"depth": 1.5}, "parameter"),
        (A, B, {"level": 95}, "parameter"),
        (pd.Series([1, 2], index=["a", "a"]), pd.Series([1, 2], index=["a", "b"]), {}, "duplicate-doc"),
    ],
)
def test_what_cannot_be_compared_is_refused(a, b, options, slug):
    refusal(slug, jd.correlate, a, b, **options)


@pytest.mark.parametrize(
    "text",
    ["a 0.5\nb  1e-2\n", "a\t0.5\nb\t0.01\n", "system,score\na,0.5\nb,0.01\n", '"a","0.5"\n\n# note\nb, 0.01', '{"a": 0.5, "b": 0.01}',
     "\ufeffsystem score\r\na 0.5\r\nb 0.01\r\n"],
)  # fmt: skip
def test_scores_come_as_lines_csv_or_json(tmp_path, text):
    path = tmp_path / "scores"
    path.write_bytes(text.encode())
    assert read_scores(path) == {"a": 0.5, "b": 0.01}


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("", "empty-run"),
        ("system score\n", "empty-run"),
        ("a 1\nb\n", "columns"),
        ("a 1\nb 2 3\n", "columns"),
        ("a 1\nb high\n", "score-type"),
        ("a 1\nb nan\n", "score-nan"),
        ("a 1\na 2\n", "duplicate-key"),
        ('{"a": 1, "a": 2}', "duplicate-key"),
        ('{"a": "high"}', "score-type"),
        ('{"a": NaN}', "score-nan"),
        ('{"a": true}', "score-type"),
        ("[1, 2]", "json"),
        ('{"a": 1', "json"),
        (f'{{"a": {"9" * 400}}}', "score-type"),
        (f'{{"a": {"9" * 5000}}}', "json"),
    ],
)
def test_what_is_no_file_of_scores_is_refused(tmp_path, text, slug):
    path = tmp_path / "scores"
    path.write_text(text)
    error = refusal(slug, read_scores, path)
    assert str(path) in str(error)
