"""Programs that use a tool as published ones do: the same program with the tool and with the drop-in gives the same numbers.

Each program makes the calls of a public one, in its way: the names and modules it imports, the types it passes, the parts of a result it reads.
"""

from __future__ import annotations

import gzip
import json
import math
import pickle
import random
from collections import defaultdict
from importlib import import_module
from typing import Any

import pytest

from judged.compat import beir, sklearn
from judged.io.sample import sample_path

QUERIES = [f"q{i}" for i in range(12)]
DOCS = [f"d{i}" for i in range(40)]


def judgments(seed: int = 1) -> dict[str, dict[str, int]]:
    """Grades 0 to 2 of 12 documents per query, one of them relevant; the last query is not judged."""
    rng = random.Random(seed)
    return {
        query: {doc: rng.choice([0, 0, 1, 2]) for doc in rng.sample(DOCS, 12)} | {"d1": 1} for query in QUERIES[:-1]
    }


def ranking(seed: int) -> dict[str, dict[str, float]]:
    """Twenty documents per query with ties; the first query is missing, and some have the id of their query as a document."""
    rng = random.Random(seed)
    rows = {query: {doc: round(rng.random(), 1) for doc in rng.sample(DOCS, 20)} for query in QUERIES[1:]}
    return rows | {"q2": {**rows["q2"], "q2": 2.0}}


def different(found: Any, wanted: Any, at: str = "") -> list[tuple[str, Any, Any]]:
    """The places where two results differ, also in the order of keys; numbers are equal to 1e-12."""
    if isinstance(wanted, dict):
        if list(found) != list(wanted):
            return [(at, list(found), list(wanted))]
        return [x for key in wanted for x in different(found[key], wanted[key], f"{at}/{key}")]
    if isinstance(wanted, list | tuple) and len(found) == len(wanted):
        return [x for i, pair in enumerate(zip(found, wanted, strict=True)) for x in different(*pair, f"{at}/{i}")]
    close = isinstance(wanted, float) and (abs(found - wanted) <= 1e-12 or math.isnan(found + wanted))
    return [] if close or found == wanted else [(at, found, wanted)]


def numbers(found: Any) -> int:
    """The number of numbers."""
    if isinstance(found, dict | list | tuple):
        return sum(map(numbers, found.values() if isinstance(found, dict) else found))
    return isinstance(found, int | float)


def both(program: Any, tool: str, drop_in: str, compared: Any, *args: Any) -> None:
    """Run a program with the tool and with the drop-in."""
    wanted, found = program(tool, *args), program(drop_in, *args)
    assert different(found, wanted) == []
    compared(f"programs of {tool}", numbers(wanted))


# ── ir_measures ──────────────────────────────────────────────────────────────────────────────────


def frames(m: Any, *runs: Any) -> tuple[Any, ...]:
    """Frames with the columns of a search pipeline, more than the tool needs."""
    import pandas as pd

    qrels = pd.DataFrame(
        [(q, d, g) for q, row in judgments().items() for d, g in row.items()],
        columns=["query_id", "doc_id", "relevance"],
    )
    found = [
        pd.DataFrame(
            [(q, d, s, rank, f"text of {q}") for q, row in run.items() for rank, (d, s) in enumerate(row.items())],
            columns=["query_id", "doc_id", "score", "rank", "query"],
        )
        for run in runs
    ]
    return qrels, *found


def experiment(name: str) -> Any:
    """Names of two kinds, measures of the registry, values per query, summaries, and batches of queries with the rest at the end."""
    m = import_module(name)
    names: dict[str, Any] = {}
    for key, measure in m.measures.registry.items():
        measure.__doc__, measure.__module__ = measure.__doc__, "program.measures"
        names[key] = measure
    Measure = import_module(f"{name}.measures").Measure
    wanted = ["map", "recip_rank", "P_5", "ndcg_cut_10", names["nDCG"] @ 5, names["AP"](rel=2) @ 20, names["NumRet"], names["MRR"] @ 10]  # fmt: skip
    measures, labels = [], {}
    for each in wanted:
        if isinstance(each, Measure):
            measures.append(each)
        else:
            (parsed,) = m.parse_trec_measure(each)
            measures.append(parsed)
            labels[parsed] = each
    qrels, first, second = frames(m, ranking(1), ranking(2))
    assert set(m.run_inputs(measures)) <= set(first.columns)
    found = {}
    for label, run in {"first": first, "second": second}.items():
        perquery: dict[str, dict[str, float]] = defaultdict(dict)
        summaries = {labels.get(x, str(x)): x.aggregator() for x in measures}
        for metric in m.iter_calc(measures, qrels, run):
            perquery[metric.query_id][labels.get(metric.measure, str(metric.measure))] = metric.value
            summaries[labels.get(metric.measure, str(metric.measure))].add(metric.value)
        found[label] = [
            {q: dict(sorted(perquery[q].items())) for q in sorted(perquery)},
            {key: summary.result() for key, summary in summaries.items()},
        ]
    batches = {}
    for queries in (QUERIES[1:4], QUERIES[4:]):
        part = qrels[qrels.query_id.isin(queries)]
        for metric in m.iter_calc(measures, part, first[first.query_id.isin(queries)]):
            batches[metric.query_id, str(metric.measure)] = metric.value
    rest = qrels[qrels.query_id == QUERIES[0]]
    for metric in m.iter_calc(measures, rest, first.iloc[:0]):
        batches[metric.query_id, str(metric.measure)] = metric.value
    return [found, dict(sorted(batches.items()))]


def own_measures(name: str) -> Any:
    """Measures of functions, of frames with columns that only they know, together with others and at a cutoff."""
    m = import_module(name)
    qrels, run = frames(m, ranking(1))
    run["text"] = [f"{doc} " * (i % 4) for i, doc in enumerate(run.doc_id)]
    length = m.define_byquery(lambda qrels, run: float(run.text.str.len().mean()), name="Length", run_inputs=["text"])
    seen = m.define_byquery(
        lambda qrels, run: len(set(run.doc_id) & set(qrels.doc_id)) / 7, name="Seen", support_cutoff=True
    )
    top = m.define(lambda qrels, run: ((q, float(rows.score.iloc[0])) for q, rows in run.groupby("query_id")), "Top")
    measures = [length, m.AP, seen @ 5, length @ 3, top, m.P @ 5]
    values = {(x.query_id, str(x.measure)): x.value for x in m.iter_calc(measures, qrels, run)}
    means = {str(x): m.calc_aggregate(measures, qrels, run)[x] for x in measures}
    answers = qrels[["query_id"]].drop_duplicates().assign(answer="gold")  # which are no judgments of documents
    only = m.define_byquery(lambda qrels, run: len(qrels.iloc[0].answer) * len(run), name="Only", support_cutoff=False)
    judged_run = run[run.query_id.isin(set(qrels.query_id))]
    last = {str(key): x for key, x in m.calc_aggregate([only], answers, judged_run.drop(columns="score")).items()}
    dicts = {str(x): m.calc_aggregate([seen, m.RR], judgments(), ranking(1))[x] for x in (seen, m.RR)}
    return [dict(sorted(values.items())), means, last, dicts, sorted(m.run_inputs([m.AP, length]))]


def command_line(name: str) -> Any:
    """Files, names of measures that a user gives, a provider by name, lines of JSON."""
    m, util = import_module(name), import_module(f"{name}.util")
    path, run = str(sample_path("qrels.txt")), str(sample_path("runs/bm25.run"))
    measures = []
    for text in ["AP", "nDCG@10", "P(rel=1)@5", "RR", "R@100", "Success@5", "SetP", "NumRet"]:
        measure = m.parse_measure(text)
        if measure not in measures:
            measures.append(measure)
    for text in ("Nothing@3", "P(rel=2"):
        with pytest.raises((NameError, ValueError)):
            util.parse_measure(text)
    lines = []
    for tool in (m, m.providers.registry["pytrec_eval"], m.pytrec_eval, m.DefaultPipeline):
        summaries = {x: x.aggregator() for x in measures}
        rows = []
        for result in tool.iter_calc(measures, m.read_trec_qrels(path), m.read_trec_run(run)):
            rows.append(json.dumps(result._replace(measure=str(result.measure))._asdict()))
            summaries[result.measure].add(result.value)
        last = [util.Metric("all", x, round(summaries[x].result(), 12)) for x in measures]
        means = tool.calc_aggregate(measures, m.read_trec_qrels(path), m.read_trec_run(run))
        assert all(abs(means[x.measure] - x.value) < 1e-9 for x in last)
        lines.append([[json.loads(row) for row in sorted(rows)], [(x.query_id, str(x.measure), x.value) for x in last]])
    assert set(m.providers.registry) >= {"pytrec_eval", "judged", "gdeval", "cwl_eval", "runtime"}
    return lines


def research_code(name: str) -> Any:
    """Star imports, judgments as nested dicts, an evaluator of several runs, results through pickle."""
    names: dict[str, Any] = {}
    exec(f"from {name} import *\nfrom {name}.util import Qrel as Row, ScoredDoc as Doc, QrelsConverter as QC", names)
    m = import_module(name)
    text = "".join(f"{q} 0 {d} {g}\n" for q, row in judgments().items() for d, g in row.items())
    nested = names["QC"](names["read_trec_qrels"](gzip.decompress(gzip.compress(text.encode())).decode())).as_dict_of_dict()  # fmt: skip
    assert nested == judgments()
    rows = [names["Row"](query_id=q, doc_id=d, relevance=g) for q, row in nested.items() for d, g in row.items()]
    wanted = [names["MRR"] @ 10, names["nDCG"] @ 10, names["Recall"](rel=2) @ 5, names["Judged"] @ 10]
    valid = sorted(m.measures.registry)
    assert "α_nDCG" in valid
    evaluator = m.evaluator(wanted, rows)
    found = []
    for seed in (3, 4):
        docs = [names["Doc"](q, d, 1.0 / (rank + 1)) for q, row in ranking(seed).items() for rank, d in enumerate(row)]
        means, perquery = evaluator.calc(docs)
        perquery = pickle.loads(pickle.dumps(perquery))
        found.append(sorted((x.query_id, str(x.measure), x.value) for x in perquery))
        found.append(sorted((str(key), value) for key, value in means.items()))
        found.append({x.query_id: x.value for x in wanted[1].iter_calc(nested, ranking(seed))})
        found[-1] = dict(sorted(found[-1].items()))
    return [found, valid, [x.NAME for x in wanted], [x.params for x in wanted]]


@pytest.mark.needs("ir_measures", "pandas")
@pytest.mark.conformance
@pytest.mark.parametrize("program", [experiment, own_measures, command_line, research_code])
def test_a_program_of_ir_measures(program, compared):
    both(program, "ir_measures", "judged.compat.ir_measures", compared)


# ── pytrec_eval ──────────────────────────────────────────────────────────────────────────────────


def embedding_benchmark(name: str) -> Any:
    """Names with lists of cutoffs, one dictionary per query, columns by the order of queries."""
    m = import_module(name)
    cutoffs = [1, 3, 5, 10, 20, 100, 1000]
    families = ("map_cut", "ndcg_cut", "recall", "P", "success")
    names = {f"{family}.{','.join(map(str, cutoffs))}" for family in families}
    scores = m.RelevanceEvaluator(judgments(), names).evaluate(ranking(1))
    columns: dict[str, list[float]] = defaultdict(list)
    for query in scores:
        for family in families:
            for k in cutoffs:
                columns[f"{family}@{k}"].append(scores[query][f"{family}_{k}"])
    assert all(type(x) is float for row in scores.values() for x in row.values())
    means = {name: round(sum(column) / len(scores), 5) for name, column in columns.items()}
    return [columns, means, json.loads(json.dumps(scores))]


def from_files(name: str) -> Any:
    """Open files, every measure, a table of sorted names, and summaries by measure."""
    m = import_module(name)
    with sample_path("qrels.txt").open() as qrels, sample_path("runs/dense.run").open() as run:
        evaluator = m.RelevanceEvaluator(m.parse_qrel(qrels), m.supported_measures)
        results = evaluator.evaluate(m.parse_run(run))
    measures = sorted(next(iter(results.values())))
    table = {query: {measure: row[measure] for measure in measures} for query, row in sorted(results.items())}
    means = {x: m.compute_aggregated_measure(x, [row[x] for row in results.values()]) for x in measures}
    return [table, means]


def reranker(name: str) -> Any:
    """Scores of a model, numpy numbers in plain dicts, a mean over queries; and a reciprocal rank at 10 from a cut run."""
    import numpy as np

    m = import_module(name)
    qrels = {query: {doc: int(grade) for doc, grade in row.items()} for query, row in judgments().items()}
    run = {q: {d: float(np.float32(s) * np.float32(1.7)) for d, s in row.items()} for q, row in ranking(5).items()}
    scores = m.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
    cut = {q: dict(sorted(row.items(), key=lambda x: (x[1], x[0]), reverse=True)[:10]) for q, row in run.items()}
    values = [row["recip_rank"] for row in m.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut).values()]
    return [float(np.mean([x["ndcg_cut_10"] for x in scores.values()]) * 100), sum(values) / max(1, len(values))]


@pytest.mark.needs("pytrec_eval")
@pytest.mark.conformance
@pytest.mark.parametrize("program", [embedding_benchmark, from_files, reranker])
def test_a_program_of_pytrec_eval(program, compared):
    both(program, "pytrec_eval", "judged.compat.pytrec_eval", compared)


# ── scikit-learn ─────────────────────────────────────────────────────────────────────────────────


def rerankers(name: str) -> Any:
    """Lists with relevant documents first, one call per query, means of numpy; labels of pairs."""
    import numpy as np

    m = import_module(name)
    rng = np.random.RandomState(3)
    ndcg, ap = [], []
    for i in range(25):
        labels = [1] * (1 + i % 3) + [0] * (5 + i % 7)
        scores = np.round(rng.rand(len(labels)), 1).astype(np.float32)
        ndcg.append(m.ndcg_score([labels], [scores.tolist()], k=4))
        ndcg.append(m.ndcg_score([labels], [scores], k=10))
        ap.append(m.average_precision_score(labels, scores))
        ap.append(m.average_precision_score([bool(x) for x in labels], scores.tolist()))
    pairs = rng.randint(0, 2, 60)
    distances = np.round(rng.rand(60), 2)
    last = [m.average_precision_score(pairs, distances * sign) for sign in (1, -1)]
    last += [m.roc_auc_score(pairs.tolist(), distances), m.label_ranking_average_precision_score([pairs], [distances])]
    assert all(isinstance(x, float) for x in [*ndcg, *ap, *last])
    return [[float(x) for x in [*ndcg, *ap, *last]], float(np.mean(ndcg)), float(np.mean(ap))]


@pytest.mark.needs("sklearn")
@pytest.mark.conformance
def test_a_program_of_scikit_learn(compared):
    both(rerankers, "sklearn.metrics", "judged.compat.sklearn", compared)


# ── BEIR ─────────────────────────────────────────────────────────────────────────────────────────


def zero_shot(module: Any) -> Any:
    """A retriever with a search function, tables at the cutoffs of the evaluator, and further metrics."""

    class Search:
        def search(self, corpus: Any, queries: Any, top_k: int, score_function: str, **kwargs: Any) -> Any:
            return {query: row for query, row in ranking(6).items() if query in judgments()}

    retriever = module.EvaluateRetrieval(Search(), score_function="dot")
    results = retriever.retrieve({}, {})
    ndcg, _map, recall, precision = retriever.evaluate(judgments(), results, retriever.k_values)
    custom = [
        retriever.evaluate_custom(judgments(), results, retriever.k_values, metric=metric)
        for metric in ("mrr", "recall_cap", "hole", "top_k_accuracy")
    ]
    static = module.EvaluateRetrieval.evaluate(judgments(), ranking(6), [1, 10], ignore_identical_ids=False)
    return [ndcg, _map, recall, precision, *custom, *static]


# What BEIR 2.2.0 wrote with this program.
BEIR = json.loads("""
[{"NDCG@1": 0.2, "NDCG@3": 0.16128, "NDCG@5": 0.1851, "NDCG@10": 0.22839, "NDCG@100": 0.33885, "NDCG@1000": 0.33885},
{"MAP@1": 0.03095, "MAP@3": 0.0631, "MAP@5": 0.08014, "MAP@10": 0.1047, "MAP@100": 0.17422, "MAP@1000": 0.17422},
{"Recall@1": 0.03095, "Recall@3": 0.07857, "Recall@5": 0.13647, "Recall@10": 0.23226, "Recall@100": 0.55048, "Recall@1000": 0.55048},
{"P@1": 0.2, "P@3": 0.16667, "P@5": 0.18, "P@10": 0.16, "P@100": 0.036, "P@1000": 0.0036},
{"MRR@1": 0.18182, "MRR@3": 0.25758, "MRR@5": 0.29848, "MRR@10": 0.33193, "MRR@100": 0.33842, "MRR@1000": 0.33842},
{"R_cap@1": 0.18182, "R_cap@3": 0.12121, "R_cap@5": 0.12727, "R_cap@10": 0.24232, "R_cap@100": 0.50043, "R_cap@1000": 0.50043},
{"Hole@1": 0.09091, "Hole@3": 0.0303, "Hole@5": 0.01818, "Hole@10": 0.03636, "Hole@100": 0.00545, "Hole@1000": 0.00055},
{"Accuracy@1": 0.18182, "Accuracy@3": 0.36364, "Accuracy@5": 0.54545, "Accuracy@10": 0.81818, "Accuracy@100": 0.90909, "Accuracy@1000": 0.90909},
{"NDCG@1": 0.1, "NDCG@10": 0.20677},
{"MAP@1": 0.01667, "MAP@10": 0.09296},
{"Recall@1": 0.01667, "Recall@10": 0.21798},
{"P@1": 0.1, "P@10": 0.15}]
""")


def test_a_program_of_beir(compared):
    found = zero_shot(beir)
    assert found == BEIR
    compared("programs of beir", numbers(found))


def test_the_functions_of_custom_metrics_are_those_of_evaluate_custom():
    results = {query: row for query, row in ranking(6).items() if query in judgments()}
    for name in ("mrr", "recall_cap", "hole", "top_k_accuracy"):
        found = getattr(beir, name)(judgments(), results, [1, 5])
        assert found == beir.EvaluateRetrieval.evaluate_custom(judgments(), results, [1, 5], name)


# ── ranx ─────────────────────────────────────────────────────────────────────────────────────────


def short(seed: int) -> dict[str, dict[str, float]]:
    """Rankings of nine documents with ties: ranx has no order of equal scores in rankings of more than 15."""
    rng = random.Random(seed)
    return {query: {doc: float(rng.randint(1, 6)) for doc in rng.sample(DOCS[:14], 9)} for query in QUERIES[:-1]}


def hybrid_search(name: str) -> Any:
    """Runs of two retrievers, fused, also for a query that neither answers; weights chosen on other queries; files."""
    m = import_module(name)
    qrels = m.Qrels(judgments(), name="test")
    lexical, dense = ({**short(seed), "q3": {}} for seed in (1, 2))
    found = []
    for method, norm, params in (
        ("rrf", None, {"k": 60}), ("wsum", "min-max", {"weights": (0.3, 0.7)}), ("sum", "max", None), ("mnz", "rank", None), ("max", "sum", None), ("isr", None, None),
    ):  # fmt: skip
        runs = [m.Run(lexical, name="bm25"), m.Run(dense, name="dense")]
        fused = m.fuse(runs=runs, norm=norm, method=method, params=params)
        means = m.evaluate(qrels, fused, ["ndcg@5", "map", "mrr", "hit_rate@3"])
        top = {query: list(fused.run[query].items())[:4] for query in fused.keys()}  # noqa: SIM118 - as programs write it
        found.append([top, {key: float(x) for key, x in means.items()}, len(fused)])
    train = [m.Run(short(seed)) for seed in (3, 4)]
    best = m.optimize_fusion(qrels=m.Qrels(judgments()), runs=train, norm="min-max", method="rrf", metric="ndcg@5")
    found.append(sorted(best))
    return found


def reports(name: str) -> Any:
    """Frames with columns of their own, a comparison, values of queries, and what a run keeps."""
    import pandas as pd

    m = import_module(name)
    rows = [(q, d, g, "x") for q, row in judgments().items() for d, g in row.items()]
    qrels = m.Qrels.from_df(pd.DataFrame(rows, columns=["query", "doc_id", "grade", "more"]).astype({"query": object, "doc_id": object}), q_id_col="query", doc_id_col="doc_id", score_col="grade")  # fmt: skip
    runs = []
    for seed in (1, 2, 5):
        lines = [(q, d, s) for q, row in short(seed).items() for d, s in row.items() if q != "q4"]
        frame = pd.DataFrame(lines, columns=["query", "doc_id", "score"]).astype({"query": object, "doc_id": object})
        runs.append(m.Run.from_df(frame, q_id_col="query", doc_id_col="doc_id", score_col="score", name=f"run {seed}"))
    report = m.compare(qrels=qrels, runs=runs, metrics=["map@10", "mrr", "ndcg@10"], max_p=0.05, make_comparable=True)
    values = m.evaluate(qrels, runs[0], "ndcg@5", return_mean=False)
    kept = [{key: float(x) for key, x in sorted(runs[1].mean_scores.items())}, {q: float(x) for q, x in sorted(runs[1].scores["mrr"].items())}]  # fmt: skip
    table = runs[0].to_dataframe()
    return [report.to_dict(), [float(x) for x in values], kept, sorted(table.columns), len(table), runs[2].name]


def files(name: str) -> Any:
    """TREC files, a measure and several."""
    m = import_module(name)
    qrels = m.Qrels.from_file(str(sample_path("qrels.txt")), kind="trec")
    run = m.Run.from_file(str(sample_path("runs/dense.run")), kind="trec")
    single = m.evaluate(qrels, run, "recall@100", make_comparable=True)
    several = m.evaluate(qrels=qrels, run=run, metrics=["precision@5", "hits@10", "rbp.95"], make_comparable=True)
    return [float(single), {key: float(x) for key, x in several.items()}]


@pytest.mark.needs("ranx", "pandas")
@pytest.mark.conformance
@pytest.mark.slow
@pytest.mark.parametrize("program", [hybrid_search, reports, files])
def test_a_program_of_ranx(program, compared):
    both(program, "ranx", "judged.compat.ranx", compared)


def test_a_query_that_no_run_answers_is_in_the_fused_run():
    m = import_module("judged.compat.ranx")
    fused = m.fuse([m.Run({"p": {"a": 2.0, "c": 1.0}, "q": {}}), m.Run({"p": {"b": 1.0}, "q": {}})], method="sum", norm=None)  # fmt: skip
    assert fused.to_dict() == {"p": {"a": 2.0, "c": 1.0, "b": 1.0}, "q": {}}
    assert list(fused["p"]) == ["a", "c", "b"]  # equal ones in the order of the runs
    assert m.evaluate({"p": {"b": 1}, "q": {"a": 1}}, fused, "mrr") == 1 / 6


# ── what is left out ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ImportError, "from judged.compat.ir_measures import CwlMetric"),
        (ImportError, "from judged.compat.ir_measures.providers import register"),
        (ImportError, "from judged.compat.sklearn import average_precision_score, f1_score"),
        (ImportError, "from judged.compat.ranx import Run, normalize"),
        (RuntimeError, "from judged.compat.ir_measures import gdeval, AP; gdeval.calc_aggregate([AP], {'q': {'a': 1}}, {'q': {'a': 1}})"),
        (RuntimeError, "from judged.compat.ir_measures import providers as p; p.registry['ranx'].evaluator([], {})"),
        (TypeError, "from judged.compat.ir_measures.measures import Measure\nclass Own(Measure): NAME = 'Own'"),
        (TypeError, "from judged.compat.ir_measures.providers import Provider\nclass Own(Provider): pass"),
        (AttributeError, "from judged.compat.beir import EvaluateRetrieval; EvaluateRetrieval().encode_and_retrieve({}, {})"),
        (AttributeError, "from judged.compat.beir import EvaluateRetrieval; EvaluateRetrieval().rerank({}, {})"),
        (ImportError, "from judged.compat.ranx import plot"),
        (ImportError, "from judged.compat.ranx import metrics"),
        (AttributeError, "from judged.compat.ranx import Run; Run.from_ranxhub('bm25')"),
        (AttributeError, "from judged.compat.ranx import Run; Run({}).to_typed_list()"),
        (AttributeError, "from judged.compat.ranx import Qrels; Qrels({}).to_typed_list()"),
        (AttributeError, "from judged.compat.ranx import Qrels, Run, compare; compare(Qrels({'q': {'a': 1}}), [Run({'q': {'a': 1}})], 'mrr').print_results()"),
        (AttributeError, "from judged.compat.ir_measures import AP; AP.SUPPORTED_PARAMS"),
        (AttributeError, "from judged.compat.ir_measures import pytrec_eval; pytrec_eval.is_available()"),
        (AttributeError, "from judged.compat.ir_measures.util import RunConverter; RunConverter({}).as_sorteddict()"),
        *((ImportError, f"from judged.compat.ir_measures import {name}") for name in ("ParamInfo", "MeanAgg", "SumAgg", "calc_ctxt", "qrel_inputs", "lazylibs", "PytrecEvalProvider")),
        *((ImportError, f"from judged.compat.sklearn import {name}") for name in ("accuracy_score", "roc_curve", "auc", "top_k_accuracy_score")),
    ],
)  # fmt: skip
def test_what_a_drop_in_leaves_out_raises_an_error_that_says_so(error, code):
    with pytest.raises(error, match=r"leaves out .* \[left-out\]"):
        exec(code, {"__name__": "a_program"})


def test_other_names_are_attributes_that_modules_lack():
    assert not hasattr(import_module("judged.compat.ir_measures"), "nothing")
    assert not hasattr(import_module("judged.compat.ir_measures.measures"), "nothing")
    assert not hasattr(sklearn, "__path__")
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from judged.compat.ir_measures.util import nothing")


@pytest.mark.needs("ir_measures")
def test_every_public_name_of_ir_measures_is_there_or_left_out():
    ours, theirs = import_module("judged.compat.ir_measures"), import_module("ir_measures")
    lacks = set(theirs.__all__) - set(ours.__all__) - {"__version__"}
    assert lacks == {"CwlMetric", "MeanAgg", "ParamInfo", "SumAgg", "calc_ctxt", "lazylibs"}
    for name in lacks:
        with pytest.raises(ImportError, match=r"\[left-out\]"):
            getattr(ours, name)
    assert set(ours.providers.registry) == set(theirs.providers.registry)
    assert set(ours.measures.registry) == set(theirs.measures.registry)


@pytest.mark.needs("ir_measures", "ranx")
def test_every_public_attribute_of_a_class_is_there_or_left_out():
    qrels, runs = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"a": 1.0}}
    for name, objects in (
        ("ir_measures", lambda m: (m.AP, m.AP @ 5, m.providers.registry["judged"], m.util.QrelsConverter(qrels))),
        ("ranx", lambda m: (m.Qrels(qrels), m.Run(runs), m.compare(m.Qrels(qrels), [m.Run(runs)], ["mrr"]))),
    ):
        theirs, ours = import_module(name), import_module(f"judged.compat.{name}")
        for one, other in zip(objects(theirs), objects(ours), strict=True):
            for lacked in {public for public in dir(one) if not public.startswith("_")} - set(dir(other)):
                with pytest.raises(AttributeError, match=r"\[left-out\]"):
                    getattr(other, lacked)


@pytest.mark.needs("pandas")
def test_measures_of_functions_without_a_name_are_different_measures():
    m = import_module("judged.compat.ir_measures")
    one, two = m.define(lambda qrels, run: [("q", 1.0)]), m.define(lambda qrels, run: [("q", 2.0)])
    assert m.calc_aggregate([one, two], {"q": {"a": 1}}, {"q": {"a": 1.0}}) == {one: 1.0, two: 2.0}
