"""Laws of every fusion method and normalisation, from the registries, on generated runs."""

import random
from typing import Any

import numpy as np
import pytest
from for_each import for_each

import judged as jd
from judged.fusion.method import FUSIONS, NORMALISATIONS, Fusion

Ranking = dict[str, dict[str, float]]
METHODS = for_each("method", FUSIONS)
SEEDS = range(4)


def generate(seed: int, *, systems: int | None = None, distinct: bool = False) -> tuple[dict[str, Ranking], Ranking]:
    """Runs by name, some of whose queries, documents and scores coincide, and judgments."""
    draw = random.Random(seed)
    docs, queries = [f"d{i}" for i in range(14)], [f"q{i}" for i in range(5)]
    runs: dict[str, Ranking] = {}
    for i in range(systems or draw.randint(2, 5)):
        kept = [q for q in queries if draw.random() < 0.85] or queries[:1]
        runs[f"run{i}"] = {
            q: {d: draw.uniform(0, 9) if distinct else float(draw.randint(1, 4)) for d in draw.sample(docs, draw.randint(1, 10))} for q in kept
        }  # fmt: skip
    return runs, {q: dict.fromkeys(draw.sample(docs, 4), 1) for q in queries}


def fused(method: Fusion, runs: Any, qrels: Any, weights: Any = None, **options: Any) -> jd.Run:
    weighted = {} if method.weights == "none" else {"weights": weights or dict.fromkeys(runs, 1.0)}
    learnt = {} if method.train is None else {"qrels": qrels}
    return jd.fuse(runs, method.name, **weighted, **learnt, **options)


def order(run: jd.Run) -> dict[str, list[str]]:
    """The documents of each query, as they are in the result."""
    return {query: list(docs) for query, docs in run.to_dict().items()}


@METHODS
def test_the_order_of_the_runs_changes_no_bit(method):
    for seed in SEEDS:
        runs, qrels = generate(seed)
        weights = {name: random.Random(seed).randint(1, 9) / 10 for name in runs}
        shuffled = dict(random.Random(seed).sample(list(runs.items()), len(runs)))
        one, other = (fused(method, some, qrels, weights) for some in (runs, shuffled))
        assert one.to_dict() == other.to_dict()
        assert order(one) == order(other)


@METHODS
def test_the_result_has_every_query_and_document_once(method):
    for seed in SEEDS:
        runs, qrels = generate(seed)
        result = fused(method, runs, qrels)
        expected = {q: {d for run in runs.values() for d in run.get(q, {})} for run in runs.values() for q in run}
        assert {q: set(docs) for q, docs in result.to_dict().items()} == expected
        assert len(result.query) == sum(map(len, expected.values()))
        assert list(result.to_dict()) == sorted(expected)


@METHODS
def test_the_result_is_by_score_then_by_id_in_descending_order(method):
    for seed in SEEDS:
        runs, qrels = generate(seed)
        for docs in fused(method, runs, qrels).to_dict().values():
            assert list(docs) == sorted(docs, key=lambda d: (docs[d], d), reverse=True)
        for docs in fused(method, runs, qrels, ties="id-asc").to_dict().values():
            assert list(docs) == sorted(docs, key=lambda d: (-docs[d], d))


def test_the_order_of_a_run_that_is_fused_with_itself_stays():
    learning = {
        m.name for m in FUSIONS if m.train is not None and m.name not in ("mapfuse",)
    }  # a lower rank may be better there
    for method in FUSIONS:
        if method.name in learning:
            continue
        for seed in SEEDS:
            runs, qrels = generate(seed, systems=1, distinct=True)
            run = runs["run0"]
            expected = {q: sorted(docs, key=docs.get, reverse=True) for q, docs in sorted(run.items())}
            assert order(fused(method, {"a": run, "b": run, "c": run}, qrels)) == expected, method.name


@METHODS
def test_a_run_without_a_query_contributes_nothing_to_it(method):
    if method.train is not None:
        return  # what is learnt depends on all queries
    for seed in SEEDS:
        runs, qrels = generate(seed, systems=4)
        for query in {q for run in runs.values() for q in run}:
            having = {name: {query: run[query]} for name, run in runs.items() if query in run}
            if len(having) > 1:
                assert fused(method, runs, qrels).to_dict()[query] == fused(method, having, qrels).to_dict()[query]


def test_a_query_that_a_run_lacks_is_counted_in_a_warning():
    runs, _ = generate(1, systems=3)
    queries = {q for run in runs.values() for q in run}
    lacking = sum(any(q not in run for run in runs.values()) for q in queries)
    assert [(w.slug, w.count) for w in jd.fuse(runs).warnings] == ([("queries-differ", lacking)] if lacking else [])


@METHODS
def test_methods_of_ranks_see_the_order_of_scores_only(method):
    if method.uses != "ranks":
        return
    for seed in SEEDS:
        runs, qrels = generate(seed)
        stretched = {
            name: {q: {d: s**3 for d, s in docs.items()} for q, docs in run.items()} for name, run in runs.items()
        }
        assert fused(method, runs, qrels).to_dict() == fused(method, stretched, qrels).to_dict()


@METHODS
@for_each("norm", ["min-max", "sum", "zmuv", "rank", "borda"])
def test_scale_and_origin_of_scores_do_not_matter_after_normalisation(method, norm):
    if method.uses != "scores":
        return
    for seed in SEEDS:
        runs, qrels = generate(seed)
        factors = {
            name: 2.0 ** random.Random(f"{seed} {name}").randint(-40, 40) for name in runs
        }  # exact, and below 1e-9 too
        moved = {
            name: {q: {d: factors[name] * (s + 3) for d, s in docs.items()} for q, docs in run.items()}
            for name, run in runs.items()
        }
        one, other = (fused(method, some, qrels, norm=norm).to_dict() for some in (runs, moved))
        for query, docs in one.items():
            assert other[query] == pytest.approx(docs, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("norm", NORMALISATIONS.names)
def test_a_normalisation_keeps_the_order_of_every_list(norm):
    for seed in SEEDS:
        runs, _ = generate(seed, distinct=True)
        run = runs["run0"]
        result = jd.fuse({"a": run, "b": run}, "max", norm=norm).to_dict()
        reverse = not NORMALISATIONS.find(norm).lower_is_better
        for query, docs in run.items():
            assert list(result[query]) == sorted(docs, key=docs.get, reverse=reverse)


@pytest.mark.parametrize("norm", NORMALISATIONS.names)
def test_equal_scores_and_single_documents_have_finite_scores(norm):
    runs = [{"q1": {"a": 2.0, "b": 2.0}, "q2": {"x": 0.0}}, {"q1": {"b": 2.0, "c": 2.0}, "q2": {"x": 5.0}}]
    for method in (m for m in FUSIONS if m.uses == "scores" and m.weights == "none" and m.train is None):
        assert np.isfinite(jd.fuse(runs, method.name, norm=norm).score).all()


def test_weighted_methods_with_equal_weights_are_the_plain_ones():
    for weighted, plain in (
        ("wsum", "sum"),
        ("w_bordafuse", "bordafuse"),
        ("w_condorcet", "condorcet"),
        ("rrf", "rrf"),
        ("rbc", "rbc"),
    ):
        for seed in SEEDS:
            runs, _ = generate(seed)
            assert jd.fuse(runs, weighted, weights=dict.fromkeys(runs, 1)).to_dict() == jd.fuse(runs, plain).to_dict()


def test_every_name_and_default_is_in_its_own_range():
    for method in FUSIONS:
        assert jd.fuse([{"q": {"a": 1.0}}, {"q": {"a": 1.0}}], method.usage, weights=[1, 1] if method.weights == "needed" else None,
                       qrels={"q": {"a": 1}} if method.train else None)["q"]  # fmt: skip
        for parameter in method.parameters:
            assert all(parameter.low <= value <= parameter.high for value in (parameter.default, *parameter.trials))
