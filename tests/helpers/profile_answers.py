"""Answers of the tools that have a profile: recorded, or computed by the tool itself, beside ours."""

import contextlib
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import trec_eval_cases
from profile_inputs import KINDS, Qrels, Run, generated, generated_lists, positive_only, recorded_inputs

import judged as jd

FOLDER = Path(__file__).parents[1] / "data" / "profiles"
EXACT = 1e-12
PRINTED = 5.1e-6  # five decimals
SINGLE = 3e-6  # float32


@dataclass(frozen=True)
class Compared:
    """One value of ours and of a tool."""

    where: str
    name: str
    query: str
    ours: float
    theirs: float
    tolerance: float = EXACT

    @property
    def equal(self) -> bool:
        """True if the two values are the same, within what the tool prints."""
        if math.isnan(self.theirs) or math.isnan(self.ours):
            return math.isnan(self.theirs) and math.isnan(self.ours)
        return abs(self.ours - self.theirs) <= self.tolerance * max(1.0, abs(self.theirs))


SPELT = {"P+": "P_plus", "O": "O_measure", "HitRate": "Success", "Hit": "Success"}


@cache
def table(tool: str) -> dict[str, dict[str, dict[str, float]]]:
    """{kind: {measure: {query: value}}}; the query `all` is the mean that the tool reports."""
    answers: dict[str, dict[str, dict[str, float]]] = json.loads((FOLDER / f"{tool}.json").read_text())["answers"]
    return answers


def answered_and_relevant(qrels: Qrels, run: Run) -> tuple[Qrels, Run]:
    """Queries that the run answers and that have a relevant document."""
    kept = positive_only(qrels).keys() & run.keys()
    return {q: row for q, row in qrels.items() if q in kept}, {q: row for q, row in run.items() if q in kept}


def spelt(name: str) -> str:
    """The name of a measure here."""
    word, at, k = name.partition("@")
    return SPELT.get(word, word) + at + k


def ours_of(profile: str, name: str) -> str:
    """The name of a measure here, of one that a check yields."""
    return CATBOOST.get(name) or (ntcir(name) if profile == "ntcireval" else spelt(name))


def recorded(profile: str, *, only: Callable[[Qrels, Run], tuple[Qrels, Run]] | None = None, **inputs: Any) -> Iterator[Compared]:  # fmt: skip
    """The recorded values on the inputs from which they were computed."""
    tolerance = PRINTED if profile in ("gdeval", "beir", "mteb") else SINGLE if profile == "mlflow" else EXACT
    for kind, answers in table(profile).items():
        qrels, run = recorded_inputs(kind, **inputs)
        qrels, run = only(qrels, run) if only else (qrels, run)
        values = jd.evaluate(qrels, run, [spelt(name) for name in answers], profile=profile)
        yield from beside(kind, values, {name: spelt(name) for name in answers}, answers, tolerance)


def beside(where: str, values: jd.Values, names: dict[str, str], answers: dict[str, dict[str, float]], tolerance: float = EXACT) -> Iterator[Compared]:  # fmt: skip
    """Ours beside theirs, measure by measure and query by query."""
    means, rows = values.mean(), {str(query): row for row, query in enumerate(values.queries)}
    for name, row in answers.items():
        column = values[names[name]]
        key = next(key for key, known in values.columns.items() if known is column)
        for query, value in row.items():
            ours = means[key] if query == "all" else column[rows[query]] if query in rows else math.nan
            yield Compared(where, name, query, float(ours), value, tolerance)


def ntcir(name: str) -> str:
    """A measure of the recorded answers of NTCIREVAL, whose parameters are those of the profile: `RBP(0.95)`, `nDCG(logb=2)@10`."""
    word, at, k = name.partition("@")
    return f"RBP(p={word[4:]}" if word.startswith("RBP(") else spelt(word.partition("(")[0] + at + k)


POLICIES = re.compile(r"ties|float|missing|extra|negative|topic_without|fewer|recall_points_R3|fractional|rank_column")


def trec_eval_edge_cases() -> Iterator[Compared]:
    """What trec_eval 10 printed with -c, by `evaluate`: four decimals; the cases in which policies matter."""
    for case in filter(lambda case: POLICIES.search(case.name), trec_eval_cases.edge_cases()):
        files = [str(trec_eval_cases.present(case / name)) for name in ("qrels", "run")]
        for call in trec_eval_cases.recorded_calls(case):
            if call["args"] != "-q -c -m all_trec" or call["exit"] or call["stderr"]:
                continue
            answers: dict[str, dict[str, float]] = {}
            for line in call["stdout"].splitlines():
                name, query, value = (part.strip() for part in line.split("\t"))
                if not name.startswith(("runid", "relstring")):
                    answers.setdefault(name, {})[query] = float(value)
            values = jd.evaluate(*files, list(answers))
            yield from beside(case.name, values, {n: n for n in answers}, answers, 0.5e-4 + 1e-12)


def rankings(seeds: int) -> Iterator[tuple[str, Qrels, Run]]:
    """Generated judgments and runs, and the sample collection."""
    for kind in KINDS:
        for seed in range(seeds):
            yield f"{kind}-{seed}", *generated(kind, seed)
    yield "sample", *recorded_inputs("sample")


CUTS = "5,10,15,20,30,100,200,500,1000"
PYTREC = {
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "gm_bpref",
    "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "set_P", "set_recall", "set_relative_P", "set_map",
    "set_F", "num_nonrel_judged_ret", "iprec_at_recall", "Rprec_mult", f"P.{CUTS}", f"recall.{CUTS}", f"ndcg_cut.{CUTS}",
    f"map_cut.{CUTS}", f"relative_P.{CUTS}", "success.1,5,10",
}  # fmt: skip


def pytrec_eval(profile: str) -> Iterator[Compared]:
    """pytrec_eval is trec_eval 9.0.8 itself."""
    import pytrec_eval as tool

    for where, qrels, run in rankings(6):
        theirs = tool.RelevanceEvaluator(qrels, PYTREC).evaluate(run)
        names = list(next(iter(theirs.values())))
        values = jd.evaluate(qrels, run, names, profile=profile)
        assert {str(q) for q in values.queries} == set(theirs)
        answers = {name: {query: row[name] for query, row in theirs.items()} for name in names}
        yield from beside(where, values, {n: n for n in names}, answers)


IR_MEASURES = ["AP", "AP@5", "AP(rel=2)@10", "P@5", "P(rel=2)@3", "R@10", "RR", "RR(rel=2)", "RR@5", "RR(rel=2)@10", "nDCG", "nDCG@10", "nDCG(judged_only=True)@5", "R(rel=3)@20", "P(judged_only=True)@10", "Rprec(rel=2)", "Bpref(rel=2)", "SetRelP", "Judged@3",
               "Rprec", "Bpref", "infAP", "IPrec@0.2", "IPrec@0.7", "IPrec(judged_only=True)@0.5", "SetP", "SetR", "SetAP", "SetF", "SetF(beta=2.0)", "SetF(beta=0.5,rel=2)", "Success@3",
               "Judged@10", "Compat", "Compat(p=0.8)", "Accuracy", "Accuracy@5", "nDCG(gains={1:2,2:5})@10"]  # fmt: skip


def ir_measures(profile: str = "ir_measures") -> Iterator[Compared]:
    """The providers that ir_measures brings itself, one measure at a time: together, measures with gains overwrite each other there."""
    import ir_measures as tool

    for where, qrels, run in rankings(2):
        values = jd.evaluate(qrels, run, IR_MEASURES, profile=profile)
        answers = {name: asked(tool, name, qrels, run) for name in IR_MEASURES}
        yield from beside(where, values, {n: n for n in IR_MEASURES}, answers)


def asked(tool: Any, name: str, qrels: Qrels, run: Run) -> dict[str, float]:
    """The values of ir_measures by query; its Accuracy divides by zero if only relevant documents are retrieved."""
    measure = tool.parse_measure(name)
    if not name.startswith("Accuracy"):
        return {m.query_id: m.value for m in tool.iter_calc([measure], qrels, run)}
    found = {}
    for query in qrels.keys() & run.keys():
        with contextlib.suppress(ZeroDivisionError):
            found |= {m.query_id: m.value for m in tool.iter_calc([measure], qrels, {query: run[query]})}
    return found


def recorded_ir_measures() -> Iterator[Compared]:
    """The providers that the tests do not install; measures of subtopics have two: grades above 0, and above 1."""
    for kind, answers in table("ir_measures").items():
        qrels, run = recorded_inputs(kind)
        plain = {name: row for name, row in answers.items() if not is_diverse(name)}
        values = jd.evaluate(qrels, run, list(plain), profile="ir_measures")
        exact = {name: row for name, row in plain.items() if not name.startswith(("ERR@", "nDCG("))}
        yield from beside(kind, values, {n: n for n in exact}, exact)
        rounded = {name: row for name, row in plain.items() if name not in exact}
        yield from beside(kind, values, {n: n for n in rounded}, rounded, PRINTED)
        aspects = [
            (q, a, d, int(max(g, 0) > (a == "2"))) for q, row in qrels.items() for d, g in row.items() for a in "12"
        ]
        diverse = {name: row for name, row in answers.items() if is_diverse(name)}
        values = jd.evaluate(aspects, run, list(diverse), profile="ir_measures")
        yield from beside(kind, values, {n: n for n in diverse}, diverse)


def is_diverse(name: str) -> bool:
    """True for measures of subtopics."""
    return name.startswith(("ERR_IA", "nERR_IA", "alpha", "P_IA", "StRecall", "NRBP", "AP_IA"))


def msmarco() -> Iterator[Compared]:
    """The script that ir_measures ships: rankings in order, relevant passages by query; the mean is over the latter."""
    from ir_measures.bin import msmarco_eval as tool

    for where, qrels, run in rankings(2):
        relevant = positive_only(qrels)
        order = {q: sorted(row, key=lambda d, row=row: (row[d], d), reverse=True) for q, row in run.items()}
        for k in (10, 100):
            found = tool.compute_metrics({q: dict.fromkeys(docs, 1) for q, docs in relevant.items()}, order, max_rank=k)
            row = dict(found[f"MRR @{k} by query"])
            row["all"] = sum(row.values()) / len(relevant)
            values = jd.evaluate(qrels, run, f"RR@{k}", profile="msmarco")
            yield from beside(where, values, {f"RR@{k}": f"RR@{k}"}, {f"RR@{k}": row})


def scored(
    profile: str, labels: list[list[int]], scores: list[list[float]], names: list[str], **options: Any
) -> jd.Values:
    """Our values of lists, named by their numbers."""
    flat = [x for row in labels for x in row], [x for row in scores for x in row]
    return jd.score(*flat, names, group=[len(row) for row in labels], profile=profile, **options)


def lists(seeds: int) -> Iterator[tuple[str, list[list[int]], list[list[float]]]]:
    """Generated lists."""
    for kind in KINDS:
        for seed in range(seeds):
            yield f"{kind}-{seed}", *generated_lists(kind, seed)


TORCH = {"RetrievalMAP": "AP", "RetrievalMRR": "RR", "RetrievalPrecision": "P", "RetrievalRecall": "R", "RetrievalHitRate": "Success", "RetrievalFallOut": "FallOut",
         "RetrievalNormalizedDCG": "nDCG", "RetrievalRPrecision": "Rprec", "RetrievalAUROC": "AUC"}  # fmt: skip


def torchmetrics() -> Iterator[Compared]:
    """Each class on each generated list."""
    import torch
    from torchmetrics import retrieval

    for where, labels, scores in lists(1):
        binary = [[int(grade > 0) for grade in row] for row in labels]
        for cls, ours in TORCH.items():
            for k in (None, 3) if cls != "RetrievalRPrecision" else (None,):
                form = labels if ours == "nDCG" else binary
                name = ours if k is None else f"{ours}@{k}"
                row = {}
                for query, (score, label) in enumerate(zip(scores, form, strict=True)):
                    metric = getattr(retrieval, cls)(**({} if k is None else {"top_k": k}))
                    metric.update(torch.tensor(score), torch.tensor(label), indexes=torch.zeros(len(label)).long())
                    row[str(query)] = metric.compute().item()
                yield from beside(
                    where, scored("torchmetrics", form, scores, [name]), {name: name}, {name: row}, SINGLE
                )


def sklearn() -> Iterator[Compared]:
    """Every function of rankings, list by list; one item is not a ranking for ndcg_score, and one class has no ROC curve."""
    from sklearn import metrics as tool

    for where, labels, scores in lists(1):
        binary = [[int(grade > 0) for grade in row] for row in labels]
        answers: dict[str, dict[str, float]] = {
            n: {} for n in ("nDCG", "nDCG@3", "DCG", "DCG@3", "AP", "AUC", "LastHit", "RankingLoss")
        }
        for number, (row, found, score) in enumerate(zip(labels, binary, scores, strict=True)):
            q = str(number)
            for name, k in (("", None), ("@3", 3)):
                if len(row) > 1:
                    answers[f"nDCG{name}"][q] = tool.ndcg_score([row], [score], k=k)
                    answers[f"DCG{name}"][q] = tool.dcg_score([row], [score], k=k)
            if any(found):
                answers["AP"][q] = tool.average_precision_score(found, score)
            if any(found) and len(row) > 1:
                answers["LastHit"][q] = tool.coverage_error([found], [score])
            if any(found) and not all(found):
                answers["AUC"][q] = tool.roc_auc_score(found, score)
                answers["RankingLoss"][q] = tool.label_ranking_loss([found], [score])
        values = scored("sklearn", labels, scores, list(answers))
        yield from beside(where, values, {n: n for n in answers}, answers)


def lightgbm() -> Iterator[Compared]:
    """A model that adds nothing to the scores that it starts with."""
    import lightgbm as tool

    cuts = [1, 3, 5, 10]
    for where, labels, scores in lists(3):
        start = np.array([x for row in scores for x in row])
        features = np.arange(len(start), dtype=float)[:, None]
        data = tool.Dataset(
            features, [x for row in labels for x in row], group=[len(row) for row in labels], init_score=start
        )
        found: dict[str, Any] = {}
        params = {
            "objective": "lambdarank",
            "metric": ["ndcg", "map"],
            "eval_at": cuts,
            "learning_rate": 1e-300,
            "verbose": -1,
            "num_threads": 1,
        }
        tool.train(params, data, 1, valid_sets=[data], valid_names=["d"], callbacks=[tool.record_evaluation(found)])
        names = {f"{theirs}@{k}": f"{ours}@{k}" for theirs, ours in (("ndcg", "nDCG"), ("map", "AP")) for k in cuts}
        answers = {theirs: {"all": found["d"][theirs][0]} for theirs in names}
        yield from beside(where, scored("lightgbm", labels, scores, list(names.values())), names, answers)


def xgboost() -> Iterator[Compared]:
    """A model without trees: the scores are its base margin. Six decimals; map and pre take binary labels only."""
    import xgboost as tool

    for where, labels, scores in lists(3):
        binary = [[int(grade > 0) for grade in row] for row in labels]
        for form, names in (
            (labels, {f"ndcg@{k}": f"nDCG@{k}" for k in (1, 3, 10)}),
            (binary, {f"map@{k}": f"AP@{k}" for k in (1, 3, 10)} | {f"pre@{k}": f"P@{k}" for k in (1, 3, 10)}),
        ):
            flat = np.array([x for row in form for x in row], dtype=float)
            data = tool.DMatrix(
                np.zeros((len(flat), 1)), flat, base_margin=np.array([x for row in scores for x in row])
            )
            data.set_group([len(row) for row in form])
            objective = "rank:ndcg" if form is labels else "rank:map"
            model = tool.train({"objective": objective, "eval_metric": list(names), "nthread": 1}, data, 0)
            printed = dict(part.removeprefix("d-").rsplit(":", 1) for part in model.eval(data, "d").split("\t")[1:])
            answers = {theirs: {"all": float(printed[theirs])} for theirs in names}
            yield from beside(where, scored("xgboost", form, scores, list(names.values())), names, answers, 1e-6)


CATBOOST = {"NDCG:top=5;type=Base": "nDCG@5", "DCG:top=10;type=Base": "DCG@10", "MRR:top=5": "RR@5", "MAP:top=5": "AP@5", "PrecisionAt:top=5": "P@5",
            "RecallAt:top=5": "R@5", "MAP": "AP", "NDCG:top=3;type=Exp": "nDCG(gain='exp')@3"}  # fmt: skip


def catboost() -> Iterator[Compared]:
    """Its own metrics of labels and scores."""
    from catboost import utils as tool

    for where, labels, scores in lists(3):
        groups = [number for number, row in enumerate(labels) for _ in row]
        flat = [x for row in labels for x in row], [x for row in scores for x in row]
        answers = {theirs: {"all": float(tool.eval_metric(*flat, theirs, group_id=groups)[0])} for theirs in CATBOOST}
        yield from beside(where, scored("catboost", labels, scores, list(CATBOOST.values())), CATBOOST, answers, EXACT)


def notes() -> Iterator[Compared]:
    """The functions of the notes, list by list, on labels in the order of the scores; DCG fails there beyond the list."""
    import notes_code as code
    import torch

    cuts = [1, 3, 5, 10]
    for where, labels, scores in lists(1):
        answers: dict[str, dict[str, float]] = {f"{n}@{k}": {} for n in ("P", "AP", "ERR", "DCG", "nDCG") for k in cuts}
        for number, (row, score) in enumerate(zip(labels, scores, strict=True)):
            ranked = torch.tensor([float(row[i]) for i in np.argsort(-np.array(score), kind="stable")])
            best, q = torch.sort(ranked, descending=True).values, str(number)
            found = {"P": code.tor_p_at_ks(ranked, cuts), "AP": code.tor_ap_at_ks(ranked, cuts),
                     "ERR": code.tor_err_at_ks(ranked, cuts, max_rele_level=4)}  # fmt: skip
            for name, values in found.items():
                for k, value in zip(cuts, values.tolist(), strict=True):
                    answers[f"{name}@{k}"][q] = value
            for k in (k for k in cuts if k <= len(row)):
                dcg, ideal = (code.tor_discounted_cumu_gain_at_ks(x, k)[-1].item() for x in (ranked, best))
                answers[f"DCG@{k}"][q] = dcg
                if ideal:
                    answers[f"nDCG@{k}"][q] = dcg / ideal
        yield from beside(
            where, scored("notes", labels, scores, list(answers)), {n: n for n in answers}, answers, SINGLE
        )
