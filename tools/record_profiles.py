"""Record the answers of tools that the tests do not install, for `tests/conformance/test_profiles.py`.

Run by hand, in an environment that has the tools:

    pip install ranx pyNTCIREVAL "ir-measures[pyndeval]" cwl-eval beir mteb sentence-transformers lenskit mlflow
    python tools/record_profiles.py ranx ntcireval ir_measures gdeval beir mteb sentence-transformers lenskit mlflow

Inputs are generated from fixed seeds (`tests/helpers/profile_inputs.py`), or the sample collection. Each tool gets a file `tests/data/profiles/TOOL.json`: its version,
and {kind: {measure: {query: value}}}; the query `all` is the mean that the tool itself reports.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from profile_inputs import RECORDED, positive_only, recorded_inputs  # noqa: E402

Answers = dict[str, dict[str, float]]
CUTS = (1, 3, 5, 10)


def ranx(kind: str) -> Answers:
    """Rankings of at most 15 documents: beyond, equal scores come in no order one could name."""
    from ranx import Qrels, Run, evaluate

    qrels, run = recorded_inputs(kind, most=15, docs=25)
    theirs = Qrels(
        {q: {d: max(g, 0) for d, g in row.items()} for q, row in qrels.items()}
    )  # bpref alone tells them apart
    ranked = Run(run).make_comparable(theirs)
    names = ["hits", "hits@5", "hit_rate@3", "precision@5", "precision", "recall@5", "recall", "f1@5", "f1", "r-precision", "mrr", "mrr@3",
             "map", "map@5", "dcg@5", "dcg_burges@5", "ndcg@5", "ndcg", "ndcg_burges@5", "rbp.80", "precision@5-l2", "ndcg@5-l2", "map-l2", "rbp.50-l2"]  # fmt: skip
    means = evaluate(theirs, ranked, names)
    return {n: {**{q: float(v) for q, v in ranked.scores[n].items()}, "all": float(means[n])} for n in names}


def ntcireval(kind: str) -> Answers:
    """Queries with a relevant document that the run has; it fails for others."""
    from pyNTCIREVAL import metrics as m
    from pyNTCIREVAL.labeler import Labeler

    qrels, run = recorded_inputs(kind)
    grades = [1, 2, 3]
    answers: Answers = defaultdict(dict)
    for query in positive_only(qrels).keys() & run.keys():
        labels = {doc: max(grade, 0) for doc, grade in qrels[query].items()}
        ranked = [(doc, labels.get(doc)) for doc in sorted(run[query], key=lambda d: (run[query][d], d), reverse=True)]
        levels = Labeler(labels).compute_per_level_doc_num(4)
        known = {"RR": m.RR(), "O": m.OMeasure(levels, grades, 1.0), "P+": m.PPlusMeasure(levels, grades, 1.0), "AP": m.AP(levels, grades),
                 "Q": m.QMeasure(levels, grades, 1.0), "RBP": m.RBP(levels, grades, 0.95), "ERR": m.ERR(levels, grades)}  # fmt: skip
        for k in (2, 5, 10):
            known |= {f"AP@{k}": m.AP(levels, grades, k), f"Q@{k}": m.QMeasure(levels, grades, 1.0, k), f"nDCG@{k}": m.nDCG(levels, grades, 2.0, k),
                      f"MSnDCG@{k}": m.MSnDCG(levels, grades, k), f"P@{k}": m.Precision(k), f"nERR@{k}": m.nERR(levels, grades, k), f"Hit@{k}": m.Hit(k)}  # fmt: skip
        for name, metric in known.items():
            answers[name][query] = float(metric.compute(ranked))
    return answers


def ir_measures(kind: str) -> Answers:
    """The providers that the tests do not install: cwl_eval, pyndeval, gdeval."""
    import ir_measures as irm

    qrels, run = recorded_inputs(kind)
    names = ["RBP(rel=1)", "RBP(rel=1,p=0.5)", "RBP(rel=2)", "BPM(max_rel=3)@10", "SDCG(max_rel=3)@5", "NERR8(max_rel=3)@5", "NERR9(max_rel=3)@5",
             "NERR10(max_rel=3)", "NERR11(max_rel=3)", "INST(max_rel=3)", "INSQ(max_rel=3)", "ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5"]  # fmt: skip
    answers: Answers = {name: {} for name in names}
    for name in names:
        for metric in irm.iter_calc([irm.parse_measure(name)], qrels, run):
            answers[name][metric.query_id] = float(metric.value)
    aspects = [
        irm.Qrel(q, d, max(g, 0) > (a == "2"), a) for q, row in qrels.items() for d, g in row.items() for a in "12"
    ]
    for name in ("ERR_IA@5", "nERR_IA@5", "alpha_nDCG@10", "P_IA@5", "StRecall@10", "NRBP", "AP_IA"):
        answers[name] = {m.query_id: float(m.value) for m in irm.iter_calc([irm.parse_measure(name)], aspects, run)}
    return answers


def gdeval(kind: str) -> Answers:
    """gdeval.pl, five decimals."""
    import ir_measures as irm

    script = Path(irm.__file__).parent / "bin" / "gdeval.pl"
    qrels, run = recorded_inputs(kind, top=4)
    answers: Answers = defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        judgments, ranking = Path(folder, "qrels"), Path(folder, "run")
        judgments.write_text("".join(f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()))
        ranking.write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, row in run.items() for d, s in row.items()))
        for k in CUTS:
            printed = subprocess.run(
                ["perl", script, judgments, ranking, str(k)],
                check=True,
                capture_output=True,
                text=True,
            )
            for line in printed.stdout.splitlines()[1:]:
                _, query, ndcg, err = line.split(",")
                answers[f"nDCG@{k}"][query], answers[f"ERR@{k}"][query] = float(ndcg), float(err)
    return answers


def beir(kind: str) -> Answers:
    """Means of five decimals; the run has every judged query, because some of its measures count missing ones and some do not."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    qrels, run = recorded_inputs(kind)
    relevant = positive_only(qrels)
    qrels = {
        query: row for query, row in qrels.items() if query in run and query in relevant
    }  # R_cap fails without a relevant document
    run = {query: row for query, row in run.items() if query in qrels}
    tables = [*EvaluateRetrieval.evaluate(qrels, run, list(CUTS))]
    tables += [EvaluateRetrieval.evaluate_custom(qrels, run, list(CUTS), name) for name in ("mrr", "r_cap", "accuracy")]
    return {name: {"all": value} for table in tables for name, value in table.items()}


def mteb(kind: str) -> Answers:
    """Means over the queries that both sides have; it fails for queries that are not judged."""
    from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores, recall_cap

    qrels, run = recorded_inputs(kind)
    run = {query: row for query, row in run.items() if query in qrels}
    found = calculate_retrieval_scores(run, qrels, list(CUTS))
    tables: list[dict[str, Any]] = [found.ndcg, found.map, found.recall, found.precision, found.mrr, found.hit_rate]
    answers = {name: {"all": float(value)} for table in tables for name, value in table.items()}
    relevant = positive_only(qrels)
    some = {query: row for query, row in run.items() if query in relevant}
    return answers | {
        n: dict(zip(some, map(float, row), strict=True)) for n, row in recall_cap(qrels, some, list(CUTS)).items()
    }


def sentence_transformers(kind: str) -> Answers:
    """Means over the queries with a relevant document."""
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    qrels, run = recorded_inputs(kind)
    relevant = {query: docs for query, docs in positive_only(qrels).items() if query in run}
    cuts = list(CUTS)
    tool = InformationRetrievalEvaluator({q: q for q in run if q in qrels}, {d: d for row in run.values() for d in row}, relevant, mrr_at_k=cuts, ndcg_at_k=cuts,
                                         accuracy_at_k=cuts, precision_recall_at_k=cuts, map_at_k=cuts)  # fmt: skip
    hits = [[{"corpus_id": doc, "score": score} for doc, score in run[query].items()] for query in tool.queries_ids]
    table = tool.compute_metrics(hits)
    return {f"{name[:-2]}@{k}": {"all": float(value)} for name, values in table.items() for k, value in values.items()}


def lenskit(kind: str) -> Answers:
    """Lists of users with a relevant item; others have no value."""
    from lenskit.data import ItemList
    from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank
    from lenskit.metrics.ranking import AveragePrecision

    qrels, run = recorded_inputs(kind)
    answers: Answers = defaultdict(dict)
    kinds = {
        "nDCG": NDCG,
        "DCG": DCG,
        "P": Precision,
        "R": Recall,
        "RR": RecipRank,
        "Hit": Hit,
        "AP": AveragePrecision,
        "RBP": RBP,
    }
    for query, docs in positive_only(qrels).items():
        if query not in run:
            continue
        ranked = sorted(run[query], key=lambda d: (run[query][d], d), reverse=True)
        recs, test = ItemList(item_ids=ranked, ordered=True), ItemList(item_ids=sorted(docs))
        for name, metric in kinds.items():
            for k in CUTS:
                answers[f"{name}@{k}"][query] = float(metric(k).measure_list(recs, test))
            answers[name][query] = float(metric().measure_list(recs, test))
    return answers


def mlflow(kind: str) -> Answers:
    """Lists of every judged query, in the order of the scores; a query that the run lacks has an empty one."""
    import pandas as pd
    from mlflow.metrics import ndcg_at_k, precision_at_k, recall_at_k

    qrels, run = recorded_inputs(kind)
    relevant = positive_only(qrels)
    ranked = pd.Series([sorted(run.get(q, {}), key=lambda d, q=q: -run[q][d]) for q in qrels])
    targets = pd.Series([sorted(relevant.get(q, ())) for q in qrels])
    answers: Answers = {}
    for name, metric in (("nDCG", ndcg_at_k), ("P", precision_at_k), ("R", recall_at_k)):
        for k in CUTS:
            found = metric(k).eval_fn(ranked, targets)
            row = dict(zip(qrels, map(float, found.scores), strict=True))
            answers[f"{name}@{k}"] = {**row, "all": float(found.aggregate_results["mean"])}
    return answers


TOOLS = {
    "ranx": (ranx, "ranx"), "ntcireval": (ntcireval, "pyNTCIREVAL"), "ir_measures": (ir_measures, "ir_measures"), "gdeval": (gdeval, "ir_measures"),
    "beir": (beir, "beir"), "mteb": (mteb, "mteb"), "sentence-transformers": (sentence_transformers, "sentence-transformers"),
    "lenskit": (lenskit, "lenskit"), "mlflow": (mlflow, "mlflow-skinny"),
}  # fmt: skip


def main(names: list[str]) -> None:
    """Record the answers of some tools."""
    for name in names:
        record, package = TOOLS[name]
        answers = {kind: record(kind) for kind in RECORDED}
        wrong = [
            (kind, m, q)
            for kind, table in answers.items()
            for m, row in table.items()
            for q, v in row.items()
            if math.isnan(v)
        ]
        print(
            name,
            version(package),
            sum(len(row) for table in answers.values() for row in table.values()),
            "values",
            wrong[:5],
        )
        path = ROOT / "tests" / "data" / "profiles" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps({"version": version(package), "answers": answers}, sort_keys=True, separators=(",", ":")) + "\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:] or list(TOOLS))
