"""Recommenders against the values that implicit and RecBole give, on MovieLens lists."""

import csv
import gzip
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from recorded import DATA

import judged as jd

pytestmark = [pytest.mark.conformance, pytest.mark.needs("collections")]

FOLDER = DATA / "recsys_ml_latest_small"
LIKED = FOLDER / "qrels_liked.txt.gz"
TRAIN = FOLDER / "train_pairs.tsv.gz"
CUTOFFS = (5, 10, 20, 50)
MODELS = ("als", "itemknn_cosine", "itemknn_bm25")


def run(model):
    return FOLDER / "runs" / f"{model}.run.gz"


@lru_cache(maxsize=1)
def reported():
    with (FOLDER / "implicit_reported.tsv").open() as file:
        return {(row["model"], row["measure"]): float(row["value"]) for row in csv.DictReader(file, delimiter="\t")}


@lru_cache(maxsize=1)
def catalogue():
    with gzip.open(TRAIN, "rt") as file:
        items = {row["item"] for row in csv.DictReader(file, delimiter="\t")}
    with gzip.open(FOLDER / "qrels_graded.txt.gz", "rt") as file:
        return sorted(items | {line.split()[2] for line in file})


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize("model", MODELS)
def test_map_and_ndcg_of_implicit_are_those_of_users_with_a_liked_item(model, k):
    """AP divided by what k items allow (`norm="capped"`), nDCG of binary relevance; users without a liked item do not count."""
    means = jd.evaluate(LIKED, run(model), [f"AP(norm='capped')@{k}", f"nDCG@{k}"], empty="skip").mean()
    for value, name in zip(means.values(), ("map", "ndcg"), strict=True):
        # two equal scores of itemknn_cosine stand the other way round in implicit's lists
        assert value == pytest.approx(reported()[model, f"implicit.{name}@{k}"], abs=2e-7)


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize("model", MODELS)
def test_precision_of_implicit_is_pooled_over_users_and_divided_by_what_k_items_allow(model, k):
    """Not a mean over users: Σ liked items found / Σ min(k, liked items)."""
    found = jd.evaluate(LIKED, run(model), [f"P@{k}", "NumRel"])
    precision = (found[f"P@{k}"] * k).sum() / np.minimum(found["NumRel"], k).sum()
    assert precision == pytest.approx(reported()[model, f"implicit.precision@{k}"], abs=1e-12)


@pytest.mark.parametrize(("model", "k"), [("als", 10), ("itemknn_cosine", 5), ("itemknn_bm25", 20)])
def test_auc_of_implicit_is_that_of_all_items_with_those_behind_k_tied(model, k):
    scored = jd.read_run(run(model))
    order = np.lexsort((-scored.score, scored.query))
    users = [raw.decode() for raw in scored.queries.tolist()]
    best = {user: [] for user in users}
    for row in order.tolist():
        if len(best[users[scored.query[row]]]) < k:
            best[users[scored.query[row]]].append(scored.doc[row].decode())
    full = {
        user: {**dict.fromkeys(catalogue(), 0.0), **{item: 1.0 + k - n for n, item in enumerate(items)}}
        for user, items in best.items()
    }
    value = jd.evaluate(LIKED, full, "AUC", empty="skip").mean()["AUC"]
    assert value == pytest.approx(reported()[model, f"implicit.auc@{k}"], abs=1e-12)


@pytest.mark.parametrize("model", [*MODELS, "popularity"])
def test_coverage_gini_entropy_and_popularity_are_recboles(model):
    """RecBole 1.2.1: ItemCoverage, GiniIndex (over all items), AveragePopularity; its ShannonEntropy is in nats (ours in bits), divided by the items recommended."""
    names = "Coverage Gini Entropy Popularity Distinct"
    coverage, gini, entropy, popularity, distinct = (
        jd.recommenders.beyond_accuracy(run(model), names, items=catalogue(), history=TRAIN).summary().values()
    )
    scored = jd.read_run(run(model))
    docs = [raw.decode() for raw in scored.doc.tolist()]
    by_id = np.argsort(np.argsort(docs, kind="stable"), kind="stable")
    order = np.lexsort((-by_id, -scored.score, scored.query))
    matrix = np.array(docs)[order].reshape(len(scored.queries), 50)[:, :10]
    counts = np.array(sorted(Counter(matrix.ravel()).values()))
    n, total = len(catalogue()), matrix.size
    place = np.arange(n - len(counts) + 1, n + 1)
    assert coverage == len(counts) / n
    assert gini == pytest.approx(((2 * place - n - 1) * counts).sum() / total / n)
    nats = -sum(c / total * np.log(c / total) for c in counts)
    assert entropy * np.log(2.0) / distinct == pytest.approx(nats / len(counts), rel=1e-12)
    with gzip.open(TRAIN, "rt") as file:
        seen = Counter(row["item"] for row in csv.DictReader(file, delimiter="\t"))
    assert popularity == pytest.approx(np.mean([[seen[item] for item in row] for row in matrix]))
