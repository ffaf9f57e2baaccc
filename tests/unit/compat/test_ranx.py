"""The drop-in of ranx: its README, recorded answers of ranx, tables and files, comparisons; ranx itself where it is installed."""

import gzip
import json
import math
import string

import numpy as np
import pytest
from generated_rankings import same_queries
from hypothesis import given, settings
from profile_answers import recorded_inputs, table

from judged.compat import ranx as ours
from judged.compat.ranx import Qrels, Run, compare, evaluate, fuse, optimize_fusion
from judged.errors import JudgedError

QRELS = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
RUN = {
    "q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4},
    "q_2": {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4},
}
NDCG = {  # at 5
    "q_1": (5 + 3 / math.log2(4)) / (5 + 3 / math.log2(3)),
    "q_2": (6 / math.log2(3) + 1 / math.log2(6)) / (6 + 1 / math.log2(3)),
}
MAP = {"q_1": (1 + 2 / 3) / 2, "q_2": (1 / 2 + 2 / 5) / 2}


def test_one_measure_gives_a_number():
    assert evaluate(Qrels(QRELS), Run(RUN), "ndcg@5") == pytest.approx(sum(NDCG.values()) / 2)
    assert type(evaluate(QRELS, RUN, "mrr")) is float


def test_several_measures_give_a_dict_and_are_kept_in_the_run():
    run = Run(RUN)
    assert evaluate(Qrels(QRELS), run, ["map@5", "mrr"]) == {
        "map@5": pytest.approx(sum(MAP.values()) / 2),
        "mrr": 3 / 4,
    }
    assert run.mean_scores["mrr"] == 3 / 4
    assert dict(run.scores)["map@5"] == pytest.approx(MAP)
    assert run.std_scores == {}


def test_values_of_queries_and_standard_deviations():
    run = Run(RUN)
    np.testing.assert_allclose(evaluate(Qrels(QRELS), run, "mrr", return_mean=False), [1, 1 / 2])
    found = evaluate(Qrels(QRELS), run, "mrr", return_std=True)
    assert found == {"mean": 3 / 4, "std": 1 / 4}
    assert run.std_scores == {"mrr": 1 / 4}
    assert evaluate(QRELS, RUN, ["mrr"], return_mean=False).tolist() == [1, 1 / 2]  # KeyError in ranx


def test_a_run_is_made_comparable():
    qrels, run = Qrels(QRELS), Run({"q_1": RUN["q_1"], "q_9": {"d_1": 1.0}})
    with pytest.raises(AssertionError) as found:
        evaluate(qrels, run, "mrr")
    assert isinstance(found.value, JudgedError)
    assert evaluate(qrels, run, "mrr", make_comparable=True) == 1 / 2
    assert run.get_query_ids() == ["q_1", "q_2"]
    assert run["q_2"] == {}


def test_arrays_of_documents_and_numbers():
    """Rows of (document, number), one array per query."""
    qrels = np.array([[[2, 0.5], [5, 0.2]], [[3, 1.0], [4, 1.0]]])
    run = np.array([[[9, 0.9], [2, 0.8]], [[3, 0.7], [4, 0.6]]])
    assert evaluate(qrels, run, "hits@2") == 1  # grades below 1 are not relevant


@pytest.mark.conformance
@pytest.mark.parametrize("kind", ["distinct", "tied", "near", "negative", "sample"])
def test_every_value_is_the_one_that_ranx_wrote(kind, compared):
    answers = table("ranx")[kind]
    qrels, run = recorded_inputs(kind, most=15, docs=25)
    judged = Qrels({query: {doc: max(grade, 0) for doc, grade in row.items()} for query, row in qrels.items()})
    ranked = Run(run)
    means = evaluate(judged, ranked, list(answers), make_comparable=True)
    for name, wanted in answers.items():
        found = {**ranked.scores[name], "all": means[name]}
        assert {q: (found[q], x) for q, x in wanted.items() if not abs(found[q] - x) <= 1e-12} == {}, name
        compared("drop-in ranx (recorded)", len(wanted))


NAMES = ["hits", "hit_rate@3", "precision@5", "recall@3", "f1@5", "r-precision", "mrr", "map", "map@5-l2", "dcg@5", "ndcg", "ndcg_burges@5", "rbp.80"]  # fmt: skip


@pytest.mark.needs("ranx")
@pytest.mark.conformance
@settings(max_examples=40)
@given(same_queries())
def test_every_value_is_that_of_ranx(case):
    import ranx as theirs

    tables = [(m.Qrels(case[0]), m.Run(case[1])) for m in (ours, theirs)]
    found, wanted = (m.evaluate(*pair, NAMES) for m, pair in zip((ours, theirs), tables, strict=True))
    assert found == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert tables[0][1].to_dict() == tables[1][1].to_dict()


def test_tables_are_in_order():
    run = Run({"q_2": {"b": 1.0}, "q_10": {"a": 1.0, "b": 3.0, "c": 1.0, "d": 2.0}})
    assert [list(row) for row in run.to_dict().values()] == [["b", "d", "a", "c"], ["b"]]
    assert list(run.keys()) == run.get_query_ids() == ["q_10", "q_2"]
    assert run.get_doc_ids_and_scores()[1] == {"b": 1.0}
    assert (run.size, len(run), str(Run())) == (2, 2, "{}")


def test_tables_grow():
    qrels = Qrels(name="mine")
    qrels.add_score("q_1", "d_1", 1)
    qrels.add("q_0", ["d_1", "d_2"], [1, 3])
    qrels.add_multi(["q_3", "q_2"], [["a"], ["b"]], [[1], [2]])
    qrels.add_score("q_1", "d_1", 2)
    assert qrels.to_dict() == {"q_0": {"d_2": 3, "d_1": 1}, "q_1": {"d_1": 2}, "q_2": {"b": 2}, "q_3": {"a": 1}}
    assert list(qrels.qrels["q_0"]) == ["d_2", "d_1"]
    qrels.set_relevance_level(2)
    assert qrels["q_0"] == {"d_2": 2, "d_1": 0}


def test_a_table_does_not_change_its_source():
    source = {"q": {"a": 1.0}}
    run = Run(source)
    run.add_score("q", "b", 2.0)
    assert source == {"q": {"a": 1.0}}


@pytest.mark.parametrize(
    "ending", ["json", "trec", "txt", pytest.param("parquet", marks=pytest.mark.needs("pandas", "pyarrow"))]
)
def test_tables_are_saved_and_loaded(tmp_path, ending):
    for made in (Qrels(QRELS), Run(RUN, name="bm25")):
        path = str(tmp_path / f"{type(made).__name__}.{ending}")
        made.save(path)
        loaded = made.from_parquet(path) if ending == "parquet" else made.from_file(path)
        assert loaded.to_dict() == made.to_dict()
        assert loaded.name == ("bm25" if made.name and ending in ("trec", "txt") else None)


def test_files_are_those_of_ranx(tmp_path):
    Run(RUN, name="bm25").save(str(tmp_path / "run.trec"))
    Qrels(QRELS).save(str(tmp_path / "qrels.trec"))
    Qrels(QRELS).save(str(tmp_path / "qrels.json"))
    assert (tmp_path / "run.trec").read_text().splitlines()[:2] == ["q_1 Q0 d_12 1 0.9 bm25", "q_1 Q0 d_23 2 0.8 bm25"]
    assert (tmp_path / "qrels.trec").read_text().splitlines()[0] == "q_1 0 d_12 5"
    assert json.loads((tmp_path / "qrels.json").read_text()) == QRELS
    (tmp_path / "run.gz").write_bytes(gzip.compress((tmp_path / "run.trec").read_bytes()))
    assert Run.from_file(str(tmp_path / "run.gz"), name="x").name == "x"


@pytest.mark.needs("pandas")
def test_frames():
    frame = Run(RUN).to_dataframe()
    assert list(frame.columns) == ["q_id", "doc_id", "score"]
    assert Run.from_df(frame, name="again").to_dict() == RUN
    named = frame.rename(columns={"q_id": "query", "doc_id": "item", "score": "x"}).astype({"x": float})
    assert Run.from_df(named, q_id_col="query", doc_id_col="item", score_col="x").to_dict() == RUN
    assert Qrels.from_df(Qrels(QRELS).to_dataframe()).to_dict() == QRELS
    assert Qrels.from_dict(QRELS).to_dict() == QRELS
    assert Run.from_dict(RUN, "a").name == "a"


def five_runs() -> tuple[Qrels, list[Run]]:
    """Four runs, each with the relevant document at a rank that depends on query and run, and the first one again."""
    qrels = Qrels({f"q_{q}": {"d_0": 1, "d_1": 2} for q in range(30)})
    runs = [
        {f"q_{q}": {f"d_{d}": float((d * 7 + q * s * s) % 11 + 0.01 * d) for d in range(9)} for q in range(30)}
        for s in (1, 2, 3, 5, 1)
    ]
    return qrels, [Run(run, name=f"m_{letter}") for run, letter in zip(runs, string.ascii_lowercase, strict=False)]


def test_a_report_has_means_p_values_wins_ties_and_losses():
    from scipy.stats import ttest_rel

    qrels, runs = five_runs()
    report = compare(qrels, runs, ["map", "mrr"], max_p=0.05)
    values = [[run.scores["map"][q] for q in sorted(run.scores["map"])] for run in runs]
    p = ttest_rel(values[0], values[2]).pvalue
    assert report.comparisons["m_a", "m_c"]["map"] == {"p_value": pytest.approx(p), "significant": p <= 0.05}
    assert report.comparisons[{"m_c", "m_a"}] is report.comparisons[frozenset(("m_a", "m_c"))]
    assert report.results["m_a"]["map"] == pytest.approx(np.mean(values[0]))
    wins = sum(a > c for a, c in zip(values[0], values[2], strict=True))
    ties = sum(a == c for a, c in zip(values[0], values[2], strict=True))
    assert report.win_tie_loss["m_a", "m_c"]["map"] == {"W": wins, "T": ties, "L": 30 - wins - ties}
    data = report.to_dict()
    assert list(data) == ["stat_test", "metrics", "model_names", "m_a", "m_b", "m_c", "m_d", "m_e"]
    assert data["m_c"]["comparisons"]["m_a"]["map"] == report.comparisons["m_a", "m_c"]["map"]["p_value"]
    assert data["m_a"]["comparisons"]["m_e"]["map"] == 1  # the same run, NaN in ranx


def test_tukey_is_that_of_scipy():
    from scipy.stats import tukey_hsd

    qrels, runs = five_runs()
    report = compare(qrels, runs, "map", stat_test="tukey")
    values = [[run.scores["map"][q] for q in sorted(run.scores["map"])] for run in runs]
    wanted = tukey_hsd(*values).pvalue
    for i, a in enumerate(runs):
        for j, b in enumerate(runs[:i]):
            assert report.comparisons[a.name, b.name]["map"]["p_value"] == pytest.approx(wanted[i, j], abs=1e-9)


def test_fisher_is_reproducible_and_never_0():
    qrels, runs = five_runs()
    first, again = (compare(qrels, runs, "map", stat_test="fisher", n_permutations=200) for _ in range(2))
    assert first.to_dict() == again.to_dict()
    assert all(0 < row["map"]["p_value"] <= 1 for row in first.comparisons.values())


@pytest.mark.needs("pandas")
def test_a_report_is_printed_and_saved(tmp_path):
    qrels, runs = five_runs()
    report = compare(qrels, runs, ["map", "ndcg@3"], max_p=0.5, rounding_digits=2)
    lines = str(report).splitlines()
    assert lines[0].split() == ["#", "Model", "map", "ndcg@3"]
    assert lines[2].startswith(f"a  m_a    {report.results['m_a']['map']:.2f}")
    assert str(report) == report.to_table().rstrip()
    assert r"\begin{tabular}" in report.to_latex()
    assert list(report.to_dataframe().columns) == ["model_names", "map", "ndcg@3"]
    report.save(str(tmp_path / "report.json"))
    assert json.loads((tmp_path / "report.json").read_text()) == report.to_dict()
    shown = compare(qrels, runs[:2], "map", show_percentages=True)
    assert f"{100 * shown.results['m_a']['map']:.1f}" in str(shown)


def test_runs_without_a_name_are_numbered_and_one_run_is_not_compared():
    report = compare(Qrels(QRELS), [Run(RUN)], "mrr")
    assert (report.model_names, report.results, dict(report.comparisons)) == (["run_1"], {"run_1": {"mrr": 0.75}}, {})


@pytest.mark.parametrize(
    ("error", "slug", "act"),
    [
        (ValueError, "unknown-name", lambda: evaluate(QRELS, RUN, "ndgc@5")),
        (AssertionError, "query-missing", lambda: evaluate(QRELS, {"q_1": {"a": 1.0}}, "mrr")),
        (TypeError, "form", lambda: evaluate(QRELS, 7, "mrr")),
        (NotImplementedError, "unknown-name", lambda: compare(Qrels(QRELS), [Run(RUN)], "mrr", stat_test="sign")),
        (AssertionError, "format", lambda: Run(RUN).save("run.xyz")),
        (AssertionError, "format", lambda: Run.from_file("run.lz4")),
        (OSError, "io", lambda: Run.from_file("missing.trec")),
    ],
)
def test_wrong_input_raises_the_type_that_ranx_raises(error, slug, act):
    with pytest.raises(error) as found:
        act()
    assert isinstance(found.value, JudgedError)
    assert found.value.slug == slug


TRAINED = {
    "bayesfuse": "log_odds",
    "mapfuse": "map_scores",
    "posfuse": "probs",
    "probfuse": "probs",
    "segfuse": "probs",
    "slidefuse": "probs",
}
TUNED = {
    "wsum": "weights",
    "wmnz": "weights",
    "mixed": "weights",
    "w_bordafuse": "weights",
    "rrf": "k",
    "rbc": "phi",
    "gmnz": "gamma",
    "logn_isr": "sigma",
}


def test_the_fusion_of_the_readme():
    qrels, runs = five_runs()
    best = optimize_fusion(qrels=qrels, runs=runs[:3], norm="min-max", method="wsum", metric="ndcg@100")
    fused = fuse(runs=runs[:3], norm="min-max", method="wsum", params=best)
    assert sum(best["weights"]) == pytest.approx(1)
    single = [evaluate(qrels, run, "ndcg@100") for run in runs[:3]]
    assert evaluate(qrels, fused, "ndcg@100") >= max(single) - 1e-12  # each run alone is one of the trials
    assert fused.get_query_ids() == qrels.get_query_ids()


def test_weights_and_parameters_are_those_of_the_formula():
    """Ranks of a, b, c are 1, 2, - and 2, 1, 3; scores after min-max 1, 0, - and 0.5, 1, 0."""
    runs = [Run({"q": {"a": 9.0, "b": 3.0}}), Run({"q": {"a": 0.5, "b": 0.7, "c": 0.3}})]
    assert fuse(runs, params={"weights": (0.25, 0.75)})["q"] == pytest.approx({"b": 0.75, "a": 0.625, "c": 0.0})
    assert fuse(runs, norm=None, method="sum")["q"] == pytest.approx({"a": 9.5, "b": 3.7, "c": 0.3})
    reciprocal = {"a": 1 / 2 + 1 / 3, "b": 1 / 3 + 1 / 2, "c": 1 / 4}
    assert fuse(runs, method="rrf", params={"k": 1})["q"] == pytest.approx(reciprocal)


@pytest.mark.parametrize("method", [*TRAINED, *TUNED])
def test_what_is_optimised_is_what_fuse_takes(method):
    qrels, runs = five_runs()
    best = optimize_fusion(qrels, runs[:2], method=method, metric="map", show_progress=False)
    assert set(best) == {TRAINED.get(method) or TUNED[method], *(["w"] if method == "slidefuse" else [])}
    if method in TRAINED:
        assert len(best[TRAINED[method]]) == 2
    assert len(fuse(runs[:2], method=method, params=best)) == len(qrels)


def test_the_report_has_the_value_on_other_queries():
    qrels, runs = five_runs()
    best, report = optimize_fusion(qrels, runs[:2], method="rrf", metric="map", return_optimization_report=True)
    assert report.method == f"rrf(k={best['k']:g})"
    assert report.value <= report.optimistic + 1e-12


@pytest.mark.parametrize(
    ("error", "slug", "act"),
    [
        (AssertionError, "runs", lambda q, r: fuse(r[:1])),
        (AssertionError, "query-missing", lambda q, r: fuse([r[0], Run(RUN)])),
        (AssertionError, "query-missing", lambda q, r: optimize_fusion(Qrels(QRELS), r)),
        (ValueError, "unknown-name", lambda q, r: fuse(r, method="nothing")),
        (ValueError, "weights", lambda q, r: fuse(r)),
        (ValueError, "option", lambda q, r: fuse(r, norm="borda", method="rrf")),
        (ValueError, "parameter", lambda q, r: optimize_fusion(q, r, method="sum")),
        (ValueError, "unknown-option", lambda q, r: optimize_fusion(q, r, min_k=3)),
    ],
)
def test_wrong_fusions_raise_the_type_that_ranx_raises(error, slug, act):
    with pytest.raises(error) as found:
        act(*five_runs())
    assert found.value.slug == slug
