"""Training loops: what LightGBM, XGBoost, CatBoost and torchmetrics reported, and what they report beside us, round by round."""

import csv
import gzip
from functools import cache

import numpy as np
import pytest
from recorded import DATA

import judged as jd

pytestmark = pytest.mark.conformance

FOLDER = DATA / "ltr_lightgbm"
MODELS = ("lambdarank", "regression", "xendcg", "feature_sum")


@cache
def columns() -> dict[str, np.ndarray]:
    """LightGBM's ranking example: queries, labels, and the scores of four models."""
    with gzip.open(FOLDER / "scores.tsv.gz", "rt") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {name: np.array([float(r[name]) for r in rows]) for name in ("qid", "label", *MODELS)}


def recorded(name: str) -> list[tuple[str, str, float]]:
    with (FOLDER / name).open() as file:
        return [(r["model"], r["measure"], float(r["value"])) for r in csv.DictReader(file, delimiter="\t")]


def streamed(labels: np.ndarray, scores: np.ndarray, measure: str, total: np.ndarray | None = None, **options) -> float:
    """The mean, by an evaluator that is fed seven queries at a time."""
    queries = columns()["qid"]
    evaluator = jd.Evaluator(measure, **options)
    names = np.unique(queries)
    for some in np.array_split(names, 7):
        rows = np.isin(queries, some)
        evaluator.update(labels[rows], scores[rows], qid=queries[rows],
                         total_relevant=None if total is None else total[np.isin(names, some)])  # fmt: skip
    return next(iter(evaluator.result().mean().values()))


@pytest.mark.needs("collections")
def test_what_lightgbm_reported_is_met(compared):
    for model, name, value in recorded("lightgbm_reported.tsv"):
        kind, _, k = name.removeprefix("lightgbm.").partition("@")
        measure = f"{ {'ndcg': 'nDCG', 'map': 'AP'}[kind] }@{k}"
        found = streamed(columns()["label"], columns()[model], measure, profile="lightgbm")
        assert found == pytest.approx(value, rel=1e-14), name
        compared("LightGBM, reported", 1)


# The options with a label of 4 divided by 4 have another border between relevant and not: above 0.5. Ties stand at their worst.
CATBOOST = {
    "NDCG": "nDCG",
    "NDCG:top=10": "nDCG@10",
    "NDCG:top=5": "nDCG@5",
    "NDCG:type=Exp": "nDCG(gain='exp')",
    "NDCG:top=10;type=Exp": "nDCG(gain='exp')@10",
    "NDCG:denominator=Position": "nDCG(discount='rank')",
    "DCG": "DCG",
    "DCG:top=10": "DCG@10",
    "DCG:top=10;type=Exp": "DCG(gain='exp')@10",
    "MRR": "RR",
    "MRR:top=10": "RR@10",
    "MRR:border=0": "RR",
    "MAP": "AP",
    "MAP:top=10": "AP(norm='capped')@10",
    "MAP:top=10;border=0": "AP(norm='capped')@10",
    "PrecisionAt": "P",
    "PrecisionAt:top=10": "P(short='shrink')@10",
    "PrecisionAt:top=10;border=0": "P(short='shrink')@10",
    "RecallAt:top=10": "R@10",
    "RecallAt:top=10;border=0": "R@10",
    "PFound": "PFound(max=1, chance='grade')",
    "PFound:top=10;decay=0.9": "PFound(max=1, chance='grade', decay=0.9)@10",
}
# ERR takes the label for the chance of stopping; AUC and PairAccuracy are no measures of a ranking's lists.
OTHERS = ("ERR", "QueryAUC", "AUC", "PairAccuracy")


@pytest.mark.needs("collections")
def test_what_catboost_reported_is_met_with_ties_at_their_worst(compared):
    left = set()
    for model, name, value in recorded("aggregate.tsv"):
        if not name.startswith("catboost."):
            continue
        metric, _, form = name.removeprefix("catboost.").partition(" ")
        if metric.partition(":")[0] in OTHERS or (
            metric.startswith("PFound") and form == "[labels]"
        ):  # chances above 1
            left.add(metric)
            continue
        labels = columns()["label"] / (4 if form == "[labels/max]" else 1)
        level = {} if "NDCG" in metric or "DCG" in metric else {"level": 1e-9 if "border=0" in metric else 0.5 + 1e-9}
        if metric == "RecallAt:top=10" and form == "[labels/max]":
            level["empty"] = "one"  # a list without a relevant item, which only this border leaves
        found = streamed(labels, columns()[model], CATBOOST[metric], ties="worst", **level)
        assert found == pytest.approx(value, rel=1e-13), (model, name)
        compared("CatBoost, reported", 1)
    assert {metric.partition(":")[0] for metric in left} <= {*OTHERS, "PFound"}


_CLASSES = {"RetrievalMAP": "AP", "RetrievalMRR": "RR", "RetrievalPrecision": "P", "RetrievalRecall": "R", "RetrievalHitRate": "Success",
            "RetrievalNormalizedDCG": "nDCG", "RetrievalRPrecision": "Rprec"}  # fmt: skip


@pytest.mark.needs("collections")
def test_what_classes_of_torchmetrics_reported_is_met(compared):
    """Four of its classes take an item whose score is not positive for not relevant; the profile has its AP."""
    labels, queries = columns()["label"], columns()["qid"]
    relevant = np.array([(labels[queries == q] > 0).sum() for q in np.unique(queries)])
    for model, name, value in recorded("aggregate.tsv"):
        if not name.startswith("torchmetrics."):
            continue
        cls, _, options = name.removeprefix("torchmetrics.").rstrip(")").partition("(")
        said = dict(pair.split("=") for pair in options.split(","))
        cutoff = "" if said.get("top_k", "None") == "None" else f"@{said['top_k']}"
        scores = columns()[model]
        positive = cls in ("RetrievalMAP", "RetrievalMRR", "RetrievalPrecision", "RetrievalRecall")
        total = relevant if cls == "RetrievalRecall" else None
        # every group has a relevant item, so its three actions agree; a group that has none left counts 0 there
        found = streamed(labels * (scores > 0) if positive else labels, scores, f"{_CLASSES[cls]}{cutoff}", total, profile="torchmetrics")  # fmt: skip
        assert found == pytest.approx(value, rel=3e-7), (model, name)
        compared("torchmetrics, reported", 1)


@cache
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features made of the scores, labels, queries, and which rows are held out; one query has nothing relevant."""
    scores = np.column_stack([columns()[model] for model in MODELS])
    features = np.column_stack([scores, scores[:, 0] * scores[:, 1], np.sin(scores[:, 3]), np.round(scores[:, 2], 1)])
    queries, labels = columns()["qid"].astype(int), columns()["label"].copy()
    held = queries > np.quantile(np.unique(queries), 0.6)
    labels[queries == queries[held][0]] = 0
    return features, labels, queries, held


def sizes(queries: np.ndarray) -> np.ndarray:
    return np.unique(queries, return_counts=True)[1]


@pytest.mark.needs("collections", "lightgbm")
def test_lightgbm_and_we_report_the_same_in_every_round(compared):
    import lightgbm as lgb

    features, labels, queries, held = data()
    train = lgb.Dataset(features[~held], labels[~held], group=sizes(queries[~held]))
    valid = lgb.Dataset(features[held], labels[held], group=sizes(queries[held]), reference=train)
    params = {"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": [1, 3, 5, 10], "num_leaves": 7, "min_data_in_leaf": 5,
              "verbose": -1, "num_threads": 1}  # fmt: skip
    found: dict = {}
    metric = jd.integrations.lightgbm.metric("nDCG@{1,3,5,10} AP@{1,3,5,10}", profile="lightgbm")
    lgb.train(params, train, 15, valid_sets=[train, valid], valid_names=["train", "valid"], feval=metric,
              callbacks=[lgb.record_evaluation(found)])  # fmt: skip
    for name in ("train", "valid"):
        for k in (1, 3, 5, 10):
            for theirs, ours in ((f"ndcg@{k}", f"nDCG(gain='exp')@{k}"), (f"map@{k}", f"AP(norm='capped')@{k}")):
                assert found[name][ours] == pytest.approx(found[name][theirs], rel=1e-12), (name, ours)
                compared("LightGBM, live", 15)


@pytest.mark.needs("collections", "xgboost")
def test_xgboost_and_we_report_the_same_in_every_round(compared):
    import xgboost as xgb

    features, labels, queries, held = data()
    train = xgb.DMatrix(features[~held], labels[~held], qid=queries[~held])
    valid = xgb.DMatrix(features[held], labels[held], qid=queries[held])
    for options, names, measures in (
        ({"ndcg_exp_gain": True}, ["ndcg@3", "ndcg@10"], "nDCG(gain='exp')@3 nDCG(gain='exp')@10"),
        ({"ndcg_exp_gain": False}, ["ndcg@3", "ndcg@10"], "nDCG(gain='linear')@3 nDCG(gain='linear')@10"),
    ):
        found: dict = {}
        metric = jd.integrations.xgboost.metric(measures, profile="xgboost")
        params = {"objective": "rank:ndcg", "eval_metric": names, "nthread": 1, "max_depth": 3, **options}
        xgb.train(params, train, 10, evals=[(train, "train"), (valid, "valid")], custom_metric=metric, evals_result=found, verbose_eval=False)  # fmt: skip
        for name in ("train", "valid"):
            ours = [values for key, values in found[name].items() if key not in names]
            for theirs, values in zip(names, ours, strict=True):
                assert values == pytest.approx(found[name][theirs], abs=6e-7), (name, theirs)  # it writes six decimals
                compared("XGBoost, live", 10)


@pytest.mark.needs("collections", "xgboost")
def test_xgboost_and_we_agree_on_binary_labels(compared):
    import xgboost as xgb

    features, labels, queries, held = data()
    labels = (labels > 1).astype(float)
    train, valid = (xgb.DMatrix(features[rows], labels[rows], qid=queries[rows]) for rows in (~held, held))
    for theirs, measure, options in (
        ("map@5", "AP@5", {}),
        ("pre@3", "P@3", {}),
    ):  # a list without a relevant item has pre 0, map 1
        found: dict = {}
        metric = jd.integrations.xgboost.metric(measure, profile="xgboost", **options)
        xgb.train({"objective": "rank:map", "eval_metric": theirs, "nthread": 1, "max_depth": 3}, train, 10,
                  evals=[(valid, "valid")], custom_metric=metric, evals_result=found, verbose_eval=False)  # fmt: skip
        assert found["valid"][metric.__name__] == pytest.approx(found["valid"][theirs], abs=6e-7), theirs
        compared("XGBoost, live", 10)


@pytest.mark.needs("catboost", "collections")
@pytest.mark.filterwarnings("ignore:Failed to import numba")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("NDCG:top=5;type=Base", "nDCG@5"),
        ("NDCG:top=10;type=Exp", "nDCG(gain='exp')@10"),
        ("DCG:top=10;type=Base", "DCG@10"),
        ("MRR:top=5;border=0.5", "RR@5"),
        ("MAP:top=5;border=0.5", "AP(norm='capped')@5"),
        ("PrecisionAt:top=5;border=0.5", "P(short='shrink')@5"),
        ("RecallAt:top=5;border=0.5", "R@5"),
    ],
)
def test_catboost_and_we_report_the_same_in_every_round(theirs, ours, compared):
    import catboost

    features, labels, queries, held = data()
    labels = columns()["label"]
    train, valid = (catboost.Pool(features[rows], labels[rows], group_id=queries[rows]) for rows in (~held, held))
    metric = jd.integrations.catboost.metric(ours, train, valid, ties="worst")
    model = catboost.CatBoost({"loss_function": "YetiRank", "eval_metric": metric, "custom_metric": [theirs], "iterations": 8, "depth": 3,
                               "verbose": False, "thread_count": 1, "random_seed": 1, "allow_writing_files": False})  # fmt: skip
    model.fit(train, eval_set=valid)
    found = model.get_evals_result()["validation"]
    assert found[type(metric).__name__] == pytest.approx(found[theirs], rel=1e-12)
    compared("CatBoost, live", 8)


@pytest.fixture
def batches():
    """Twelve batches of lists with distinct positive scores; some lists have nothing relevant."""
    import torch

    make = torch.Generator().manual_seed(9)
    scores = (torch.argsort(torch.rand((96, 25), generator=make), dim=1) + 1) / 26
    labels = (torch.rand((96, 25), generator=make) < 0.12).long()
    labels[::17] = 0
    indexes = torch.arange(96)[:, None].expand(96, 25)
    return [(scores[i : i + 8], labels[i : i + 8], indexes[i : i + 8]) for i in range(0, 96, 8)]


@pytest.mark.needs("torch", "torchmetrics")
@pytest.mark.parametrize(
    ("cls", "options", "measure"),
    [
        ("RetrievalMAP", {}, "AP"),
        ("RetrievalMAP", {"top_k": 5}, "AP@5"),
        ("RetrievalMRR", {}, "RR"),
        ("RetrievalMRR", {"top_k": 3}, "RR@3"),
        ("RetrievalNormalizedDCG", {}, "nDCG"),
        ("RetrievalNormalizedDCG", {"top_k": 7}, "nDCG@7"),
        ("RetrievalPrecision", {"top_k": 5}, "P@5"),
        ("RetrievalPrecision", {"top_k": 40}, "P@40"),
        ("RetrievalPrecision", {"top_k": 40, "adaptive_k": True}, "P(short='shrink')@40"),
        ("RetrievalRecall", {"top_k": 5}, "R@5"),
        ("RetrievalHitRate", {"top_k": 5}, "Success@5"),
        ("RetrievalRPrecision", {}, "Rprec"),
        ("RetrievalFallOut", {"top_k": 5}, "FallOut@5"),
        ("RetrievalAUROC", {}, "AUC"),
    ],
)
@pytest.mark.parametrize(("action", "empty"), [("neg", "zero"), ("pos", "one"), ("skip", "skip")])
def test_classes_of_torchmetrics_and_the_wrapper_come_to_the_same(batches, cls, options, measure, action, empty, compared):  # fmt: skip
    from torchmetrics import retrieval

    if cls == "RetrievalFallOut":  # its empty lists are those without an irrelevant item, and there is none here
        action, empty = "pos", "zero"
    theirs = getattr(retrieval, cls)(empty_target_action=action, **options)
    ours = jd.integrations.torchmetrics.RankingMetric(measure, profile="torchmetrics", empty=empty)
    for batch in batches:
        theirs.update(batch[0], batch[1], indexes=batch[2])
        ours.update(*batch)
    assert ours.compute().item() == pytest.approx(theirs.compute().item(), rel=1e-6)
    compared("torchmetrics, live", 1)


@pytest.mark.needs("torch", "torchmetrics")
def test_the_curve_of_torchmetrics_is_precision_and_recall_at_each_cutoff(batches, compared):
    from torchmetrics import retrieval

    curve, fixed = retrieval.RetrievalPrecisionRecallCurve(max_k=10), retrieval.RetrievalRecallAtFixedPrecision(min_precision=0.1, max_k=10)  # fmt: skip
    ours = jd.integrations.torchmetrics.RankingMetric([f"{m}@{k}" for m in "PR" for k in range(1, 11)])  # fmt: skip
    for scores, labels, indexes in batches:
        for metric in (curve, fixed, ours):
            metric.update(scores, labels, indexes=indexes)
    found = {name: value.item() for name, value in ours.compute().items()}
    precision, recall, _ = curve.compute()
    assert [found[f"P@{k}"] for k in range(1, 11)] == pytest.approx(precision.tolist(), rel=1e-6)
    assert [found[f"R@{k}"] for k in range(1, 11)] == pytest.approx(recall.tolist(), rel=1e-6)
    best, k = fixed.compute()
    assert best.item() == pytest.approx(max(found[f"R@{i}"] for i in range(1, 11) if found[f"P@{i}"] >= 0.1), rel=1e-6)
    assert found[f"R@{int(k)}"] == pytest.approx(best.item(), rel=1e-6)
    compared("torchmetrics, live", 22)
