"""Works timed within a process: `python inside.py WORK QRELS RUN TIMES` prints the best times and the answer, as JSON.

What is prepared (imports, dicts, frames, what was read before) is not timed. Each work is a function that prepares,
and returns what is timed and what makes numbers to compare of its result.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

FIVE = "nDCG@10 AP RR@10 R@1000 P@10"
TWENTY = (
    f"{FIVE} nDCG nDCG@100 nDCG@1000 AP@100 RR R@10 R@100 P@1 P@5 P@100 Rprec Success@10 ERR@10 RBP(p=0.8) Judged@10"
)
PYTREC_EVAL = {"ndcg_cut_10": "nDCG@10", "map": "AP", "recip_rank": "RR", "recall_1000": "R@1000", "P_10": "P@10"}
RANX = {"ndcg@10": "nDCG@10", "map": "AP", "mrr@10": "RR@10", "recall@1000": "R@1000", "precision@10": "P@10"}

Prepared = tuple[Callable[[], Any], Callable[[Any], dict[str, float]]]


def _hits(judged: Any) -> dict[str, float]:
    return {"hits": len(judged.rank), "ranks": float(judged.rank.sum()), "grades": float(judged.grade.sum())}


def everything(qrels: str, run: str) -> Prepared:
    """All numbers that any tool is compared by."""
    import judged as jd

    judged = jd.join(qrels, run)
    return lambda: jd.evaluate(judged, f"{FIVE} RR"), lambda values: {**values.mean(), **_hits(judged)}


def scan(qrels: str, run: str) -> Prepared:
    """The run's file joined with judgments that were read before."""
    import judged as jd

    judgments = jd.read_qrels(qrels)
    jd.join({"q": {"d": 1}}, {"q": {"d": 1.0}})  # what is imported at first use
    return lambda: jd.join(judgments, run), _hits


def files(qrels: str, run: str) -> Prepared:
    """From files to the five measures, imports left out."""
    import judged as jd

    jd.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, FIVE)
    return lambda: jd.evaluate(qrels, run, FIVE).mean(), dict


def dicts(qrels: str, run: str) -> Prepared:
    """From dicts of dicts to the five measures."""
    import judged as jd

    judgments, ranking = _dicts(qrels, run)
    return lambda: jd.evaluate(judgments, ranking, FIVE), lambda values: values.mean()


def dicts_pytrec_eval(qrels: str, run: str) -> Prepared:
    """The same by pytrec_eval, whose reciprocal rank has no cutoff."""
    import pytrec_eval

    judgments, ranking = _dicts(qrels, run)

    def means(values: dict[str, dict[str, float]]) -> dict[str, float]:
        return {ours: sum(v[name] for v in values.values()) / len(values) for name, ours in PYTREC_EVAL.items()}

    return lambda: pytrec_eval.RelevanceEvaluator(judgments, set(PYTREC_EVAL)).evaluate(ranking), means


def columns(qrels: str, run: str) -> Prepared:
    """From polars columns to the five measures."""
    import judged as jd

    frames = _frames(qrels, run)
    return lambda: jd.evaluate(*frames, FIVE), lambda values: values.mean()


def columns_arrow(qrels: str, run: str) -> Prepared:
    """From pyarrow columns to the five measures."""
    import judged as jd

    tables = [frame.to_arrow() for frame in _frames(qrels, run)]
    return lambda: jd.evaluate(*tables, FIVE), lambda values: values.mean()


def columns_polars(qrels: str, run: str) -> Prepared:
    """What polars needs to rank every document and find the judged ones, before any measure."""
    judgments, ranking = _frames(qrels, run)
    return lambda: _join(judgments, ranking), _found


def columns_streaming(qrels: str, run: str) -> Prepared:
    """The same as one lazy query on polars' streaming engine."""
    judgments, ranking = (frame.lazy() for frame in _frames(qrels, run))
    return lambda: _join(judgments, ranking).collect(engine="streaming"), _found


def again(qrels: str, run: str) -> Prepared:
    """Twenty measures of a `Judged` that has been evaluated before."""
    import judged as jd

    judged = jd.join(qrels, run)
    jd.evaluate(judged, TWENTY)

    def five(values: Any) -> dict[str, float]:
        return {name: value for name, value in values.mean().items() if name in FIVE.split()}

    return lambda: jd.evaluate(judged, TWENTY), five


def again_ranx(qrels: str, run: str) -> Prepared:
    """Five measures of ranx objects that have been evaluated before."""
    import ranx

    judgments, ranking = ranx.Qrels.from_file(qrels, kind="trec"), ranx.Run.from_file(run, kind="trec")
    ranx.evaluate(judgments, ranking, list(RANX))
    return lambda: ranx.evaluate(judgments, ranking, list(RANX)), lambda values: {
        ours: float(values[name]) for name, ours in RANX.items()
    }


def compare(qrels: str, run: str) -> Prepared:
    """The permutation test of all pairs of ten systems over 6,980 queries, 1,000 resamples."""
    from judged.stats.paired.registry import outcome_of_pairs

    x, pairs = _systems()
    outcome_of_pairs(x[:100], pairs, "permutation", resamples=100)
    return lambda: outcome_of_pairs(x, pairs, "permutation", resamples=1_000), lambda outcome: {}


def compare_ranx(qrels: str, run: str) -> Prepared:
    """The same by ranx, 1,000 resamples."""
    from ranx.statistical_tests.fisher_randomization_test import fisher_randomization_test

    x, pairs = _systems()
    fisher_randomization_test(x[:, 0], x[:, 1], 10)
    return lambda: [fisher_randomization_test(x[:, a], x[:, b], 1_000) for a, b in pairs], lambda outcome: {}


def fuse(qrels: str, run: str) -> Prepared:
    """CombSUM of normalised scores and RRF of two runs that were read before."""
    import judged as jd

    runs = {name: jd.read_run(ranking) for name, ranking in _two_runs(run).items()}
    jd.fuse([{"q": {"d": 1.0}}] * 2, "sum")
    return lambda: (jd.fuse(runs, "sum", norm="min-max"), jd.fuse(runs, "rrf")), lambda fused: {}


def fuse_ranx(qrels: str, run: str) -> Prepared:
    """The same by ranx, compiled before."""
    import ranx

    runs = [ranx.Run(ranking) for ranking in _two_runs(run).values()]

    def act() -> Any:
        return ranx.fuse(runs, norm="min-max", method="sum"), ranx.fuse(runs, norm=None, method="rrf")

    act()
    return act, lambda fused: {}


def condorcet(qrels: str, run: str) -> Prepared:
    """Condorcet fusion of the same runs, 100 documents per ranking."""
    import judged as jd

    runs = {name: jd.read_run(ranking) for name, ranking in _two_runs(run, depth=100).items()}
    jd.fuse([{"q": {"d": 1.0}}] * 2, "condorcet")
    return lambda: jd.fuse(runs, "condorcet"), lambda fused: {}


def condorcet_ranx(qrels: str, run: str) -> Prepared:
    """The same by ranx, compiled before."""
    import ranx

    runs = [ranx.Run(ranking) for ranking in _two_runs(run, depth=100).values()]
    ranx.fuse([ranx.Run({"q": {"d": 1.0}}), ranx.Run({"q": {"d": 1.0}})], norm=None, method="condorcet")
    return lambda: ranx.fuse(runs, norm=None, method="condorcet"), lambda fused: {}


def fuse_files(qrels: str, run: str) -> Prepared:
    """RRF of two files, imports left out."""
    import judged as jd

    second = _second_file(run)
    jd.fuse([{"q": {"d": 1.0}}] * 2)
    return lambda: jd.fuse([run, second]), lambda fused: {}


def fuse_files_ranx(qrels: str, run: str) -> Prepared:
    """The same by ranx, compiled before."""
    import ranx

    second = _second_file(run)
    ranx.fuse([ranx.Run({"q": {"d": 1.0}}), ranx.Run({"q": {"d": 1.0}})], norm=None, method="rrf")

    def act() -> Any:
        runs = [ranx.Run.from_file(path, kind="trec") for path in (run, second)]
        return ranx.fuse(runs, norm=None, method="rrf")

    return act, lambda fused: {}


def tune(qrels: str, run: str) -> Prepared:
    """Weights of two runs in steps of 0.1, by nDCG@10, with five folds."""
    import judged as jd

    judgments, _ = _dicts(qrels, run)
    runs = {name: jd.read_run(ranking) for name, ranking in _two_runs(run).items()}
    known = jd.read_qrels(judgments)
    return lambda: jd.tune_fusion(known, runs, "wsum", "nDCG@10"), lambda tuned: {}


def tune_ranx(qrels: str, run: str) -> Prepared:
    """The same by ranx, compiled before, without folds."""
    import ranx

    judgments, _ = _dicts(qrels, run)
    rankings = _two_runs(run)
    queries = [query for query in judgments if all(query in ranking for ranking in rankings.values())]
    known = ranx.Qrels({query: judgments[query] for query in queries})
    runs = [ranx.Run({query: ranking[query] for query in queries}) for ranking in rankings.values()]

    def act() -> Any:
        return ranx.optimize_fusion(known, runs, norm="min-max", method="wsum", metric="ndcg@10", show_progress=False)

    act()
    return act, lambda tuned: {}


def _two_runs(run: str, depth: int | None = None) -> dict[str, dict[str, dict[str, float]]]:
    """A run, and another with other scores and every third document replaced; the same in every process."""
    first, second = {}, {}
    for query, docs in _dicts("", run)[1].items():
        first[query] = dict(list(docs.items())[:depth])
        second[query] = {
            f"x{doc}" if i % 3 == 0 else doc: (i * 2_654_435_761 % 2**32) / 2**32 for i, doc in enumerate(first[query])
        }
    return {"first": first, "second": second}


def _second_file(run: str) -> str:
    """The second of the two runs as a TREC file beside the first."""
    path = f"{run}.second"
    with open(path, "w") as file:  # noqa: PTH123
        for query, docs in _two_runs(run)["second"].items():
            ranking = sorted(docs.items(), key=lambda pair: -pair[1])
            file.writelines(f"{query} Q0 {doc} {r} {score} second\n" for r, (doc, score) in enumerate(ranking, 1))
    return path


def _systems() -> tuple[Any, Any]:
    """Values of ten systems that are much alike, and their pairs."""
    from itertools import combinations

    import numpy as np

    rng = np.random.default_rng(0)
    hard = rng.beta(0.5, 1, (6_980, 1))
    return np.clip(hard + rng.normal(0, 0.1, (6_980, 10)), 0, 1), np.array(list(combinations(range(10), 2)))


ARRAYS = "nDCG@{1,5,10} AP@{1,5,10} RR@{1,5,10} P@{1,5,10} R@{1,5,10}"


def arrays(qrels: str, run: str) -> Prepared:
    """Five measures at three cutoffs of 10,000 lists of 200 items, in NumPy."""
    return _arrays(lambda array: array)


def arrays_torch(qrels: str, run: str) -> Prepared:
    """The same of tensors of PyTorch."""
    import torch

    return _arrays(torch.tensor)


def arrays_jax(qrels: str, run: str) -> Prepared:
    """The same of arrays of JAX."""
    import jax.numpy as jnp

    return _arrays(jnp.asarray)


def _arrays(kind: Callable[[Any], Any]) -> Prepared:
    import judged as jd

    labels, scores = map(kind, _lists())
    jd.score(labels[:10], scores[:10], ARRAYS)
    return lambda: jd.score(labels, scores, ARRAYS), lambda values: {}


def arrays_torchmetrics(qrels: str, run: str) -> Prepared:
    """The same by torchmetrics, which takes flat tensors with the list of each item."""
    import torch
    from torchmetrics import MetricCollection, retrieval

    labels, scores = _lists()
    preds, target = torch.tensor(scores.ravel()), torch.tensor(labels.ravel())
    indexes = torch.arange(len(labels)).repeat_interleave(labels.shape[1])
    kinds = {"ndcg": "NormalizedDCG", "ap": "MAP", "rr": "MRR", "p": "Precision", "r": "Recall"}
    made = {
        f"{name}@{k}": getattr(retrieval, f"Retrieval{kind}")(top_k=k)
        for name, kind in kinds.items()
        for k in (1, 5, 10)
    }
    metrics = MetricCollection(made, compute_groups=False)
    binary = target > 0

    def act() -> Any:
        metrics.reset()
        for name, metric in metrics.items():
            metric.update(preds, target if name.startswith("ndcg") else binary, indexes=indexes)
        return metrics.compute()

    return act, lambda values: {}


def arrays_rax(qrels: str, run: str) -> Prepared:
    """The same by rax, all fifteen in one function that is compiled before."""
    import jax
    import jax.numpy as jnp
    import rax

    labels, scores = _lists()
    metrics = (rax.ndcg_metric, rax.ap_metric, rax.mrr_metric, rax.precision_metric, rax.recall_metric)

    @jax.jit
    def everything(s: Any, graded: Any, binary: Any) -> list[Any]:
        return [m(s, graded if m is rax.ndcg_metric else binary, topn=k) for m in metrics for k in (1, 5, 10)]

    given = jnp.asarray(scores), jnp.asarray(labels, jnp.float32), jnp.asarray(labels > 0, jnp.float32)
    jax.block_until_ready(everything(*given))
    return lambda: jax.block_until_ready(everything(*given)), lambda values: {}


def ndcg(qrels: str, run: str) -> Prepared:
    """nDCG@10 of the same lists."""
    import judged as jd

    labels, scores = _lists()
    jd.metrics.ndcg(labels[:10], scores[:10], k=10)
    return lambda: jd.metrics.ndcg(labels, scores, k=10).mean(), lambda value: {}


def ndcg_sklearn(qrels: str, run: str) -> Prepared:
    """The same by scikit-learn."""
    from sklearn.metrics import ndcg_score

    labels, scores = _lists()
    return lambda: ndcg_score(labels, scores, k=10), lambda value: {}


def calls(qrels: str, run: str) -> Prepared:
    """A thousand evaluations of five queries in dicts."""
    import judged as jd

    given = _five_queries()
    jd.evaluate(*given, "nDCG@10 AP")
    return lambda: [jd.evaluate(*given, "nDCG@10 AP") for _ in range(1_000)], lambda values: {}


def calls_pytrec_eval(qrels: str, run: str) -> Prepared:
    """The same by pytrec_eval, with an evaluator per call."""
    import pytrec_eval

    judgments, ranking = _five_queries()
    names = {"ndcg_cut.10", "map"}
    return lambda: [
        pytrec_eval.RelevanceEvaluator(judgments, names).evaluate(ranking) for _ in range(1_000)
    ], lambda values: {}


def _five_queries() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    judgments = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(0, 20, 2)} for q in range(5)}
    return judgments, {f"q{q}": {f"d{d}": float((7 * d + q) % 20) for d in range(20)} for q in range(5)}


def batches(qrels: str, run: str) -> Prepared:
    """A thousand calls with 32 lists of 100 items."""
    import judged as jd

    lists = _lists(32, 100)
    jd.metrics.ndcg(*lists)
    return lambda: [jd.metrics.ndcg(*lists) for _ in range(1_000)], lambda values: {}


def batches_sklearn(qrels: str, run: str) -> Prepared:
    """The same by scikit-learn."""
    from sklearn.metrics import ndcg_score

    lists = _lists(32, 100)
    return lambda: [ndcg_score(*lists) for _ in range(1_000)], lambda values: {}


def cutoff(qrels: str, run: str) -> Prepared:
    """nDCG@10 of 4,000 lists of 200 items."""
    import judged as jd

    labels, scores = _lists(4_000, 200)
    jd.metrics.ndcg(labels[:10], scores[:10], k=10)
    return lambda: jd.metrics.ndcg(labels, scores, k=10), lambda values: {}


def cutoff_sklearn(qrels: str, run: str) -> Prepared:
    """The same by scikit-learn, ties in any order."""
    from sklearn.metrics import ndcg_score

    lists = _lists(4_000, 200)
    return lambda: ndcg_score(*lists, k=10, ignore_ties=True), lambda values: {}


def drop_in_pytrec_eval(qrels: str, run: str, module: Any) -> Prepared:
    """The same lines with pytrec_eval and with our module of that name: dicts of dicts to the five."""
    judgments, ranking = _dicts(qrels, run)

    def means(values: dict[str, dict[str, float]]) -> dict[str, float]:
        return {ours: sum(v[name] for v in values.values()) / len(values) for name, ours in PYTREC_EVAL.items()}

    return lambda: module.RelevanceEvaluator(judgments, set(PYTREC_EVAL)).evaluate(ranking), means


def drop_in_calls(qrels: str, run: str, module: Any) -> Prepared:
    """A thousand small calls of one evaluator, as in a training loop."""
    judgments, ranking = _five_queries()
    evaluator = module.RelevanceEvaluator(judgments, {"ndcg_cut.10", "map"})
    evaluator.evaluate(ranking)
    return lambda: [evaluator.evaluate(ranking) for _ in range(1_000)], lambda values: {}


def drop_in_ir_measures(qrels: str, run: str, module: Any) -> Prepared:
    """Files to the five."""
    names = [module.nDCG @ 10, module.AP, module.R @ 1000, module.P @ 10]
    read = module.read_trec_qrels, module.read_trec_run
    return lambda: module.calc_aggregate(names, read[0](qrels), read[1](run)), lambda found: {
        str(m): value for m, value in found.items()
    }


def drop_in_ranx(qrels: str, run: str, module: Any) -> Prepared:
    """Dicts of dicts to the five, with the tables that ranx makes of them; what it compiles is compiled before."""
    judgments, ranking = _dicts(qrels, run)

    def act(judgments: Any = judgments, ranking: Any = ranking) -> Any:
        tables = module.Qrels(judgments), module.Run(ranking)
        return module.evaluate(*tables, list(RANX), make_comparable=True)

    act({"q": {"d": 1}}, {"q": {"d": 1.0}})
    return act, lambda found: {ours: float(found[name]) for name, ours in RANX.items()}


def drop_in_ranx_compare(qrels: str, run: str, module: Any) -> Prepared:
    """Five runs of 500 queries compared by the t test."""
    judgments = {f"q{q}": {f"d{d}": 1 + d % 3 for d in range(0, 20, 4)} for q in range(500)}
    runs = [
        module.Run(
            {f"q{q}": {f"d{d}": float((7 * d + q * s) % 41) for d in range(20)} for q in range(500)}, name=f"s{s}"
        )
        for s in range(1, 6)
    ]
    table = module.Qrels(judgments)
    module.compare(table, runs, ["map"])
    return lambda: module.compare(table, runs, ["map", "ndcg@10", "mrr"]), lambda report: {}


def drop_in_sklearn(qrels: str, run: str, module: Any) -> Prepared:
    """nDCG@10 and label_ranking_average_precision_score of 2,000 lists × 100 items."""
    labels, scores = _lists(2_000, 100)
    binary = (labels > 0).astype(int)
    return lambda: (
        module.ndcg_score(labels, scores, k=10),
        module.label_ranking_average_precision_score(binary, scores),
    ), lambda values: {}


def drop_in_beir(qrels: str, run: str, module: Any) -> Prepared:
    """The four tables of BEIR at six cutoffs."""
    given = _dicts(qrels, run)
    return lambda: module.EvaluateRetrieval.evaluate(*given, [1, 3, 5, 10, 100, 1000]), lambda tables: {}


def _lists(rows: int = 10_000, items: int = 200) -> tuple[Any, Any]:
    """Labels from 0 to 4, most of them 0, and scores in float32."""
    import numpy as np

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, (rows, items)) * (rng.random((rows, items)) < 0.3)
    return labels, rng.random((rows, items)).astype(np.float32)


def _join(judgments: Any, ranking: Any) -> Any:
    import polars as pl

    rank = pl.col("score").rank("ordinal", descending=True).over("query").alias("rank")
    return ranking.with_columns(rank).join(judgments, on=["query", "doc"])


def _found(hits: Any) -> dict[str, float]:
    return {"hits": len(hits), "ranks": float(hits["rank"].sum()), "grades": float(hits["grade"].sum())}


def _dicts(qrels: str, run: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    judgments: dict[str, dict[str, int]] = {}
    ranking: dict[str, dict[str, float]] = {}
    if qrels:
        with open(qrels) as file:  # noqa: PTH123 - nothing is imported that need not be
            for query, _, doc, grade in map(str.split, file):
                judgments.setdefault(query, {})[doc] = int(grade)
    with open(run) as file:  # noqa: PTH123
        for query, _, doc, _, score, _ in map(str.split, file):
            ranking.setdefault(query, {})[doc] = float(score)
    return judgments, ranking


def _frames(qrels: str, run: str) -> tuple[Any, Any]:
    """Frames of query, doc and number, the ids as text."""
    import polars as pl

    text, number = pl.String, pl.Float64
    names = {"query": text, "q0": text, "doc": text, "rank": text, "score": number, "tag": text}
    ranking = pl.read_csv(run, separator=" ", has_header=False, schema=names)
    names = {"query": text, "iteration": text, "doc": text, "grade": number}
    judgments = pl.read_csv(qrels, separator=" ", has_header=False, schema=names)
    return judgments.select("query", "doc", "grade"), ranking.select("query", "doc", "score").rechunk()


def main(work: str, qrels: str, run: str, times: str) -> None:
    """Prepare, do it a few times, and print the best."""
    name, _, module = work.partition(":")
    act, answer = globals()[name](qrels, run, *([import_module(module)] if module else []))
    cpu, wall = [], []
    for _ in range(int(times)):
        result = None  # what an earlier time left is not taken down in this one
        before, start = time.process_time(), time.perf_counter()
        result = act()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - before)
    print(json.dumps({"cpu": min(cpu), "wall": min(wall), "values": answer(result)}))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
