"""Arrays beside the libraries that take arrays: scikit-learn, torchmetrics and rax, live, on generated lists."""

import numpy as np
import pytest

import judged as jd

pytestmark = pytest.mark.conformance

LISTS, ITEMS = 200, 25
CUTOFFS = (1, 3, 10, 25, 40)


def lists(seed: int, *, tied: bool = False, top: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores; some lists have nothing relevant, some nothing else."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, top + 1, (LISTS, ITEMS)) * (rng.random((LISTS, ITEMS)) < rng.random((LISTS, 1)))
    labels[0], labels[1] = 0, top
    scores = (
        rng.integers(0, 6, (LISTS, ITEMS)) / 4 if tied else rng.permutation(LISTS * ITEMS).reshape(LISTS, ITEMS) / 64
    )
    return labels, scores


# ── scikit-learn ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [None, *CUTOFFS])
def test_dcg_and_ndcg_are_those_of_scikit_learn(tied, k, compared):
    from sklearn import metrics

    labels, scores = lists(1, tied=tied)
    ties = "expected" if tied else "input"
    ours, gains = jd.ndcg(labels, scores, k=k, ties=ties), jd.dcg(labels, scores, k=k, ties=ties)
    for i in range(len(labels)):
        theirs = (
            metrics.ndcg_score(labels[i : i + 1], scores[i : i + 1], k=k),
            metrics.dcg_score(labels[i : i + 1], scores[i : i + 1], k=k),
        )
        assert (ours[i], gains[i]) == pytest.approx(theirs, rel=1e-12, abs=1e-14)
        compared("scikit-learn, arrays", 2)


@pytest.mark.needs("sklearn")
def test_the_mean_under_the_profile_is_the_number_of_scikit_learn(compared):
    from sklearn import metrics

    labels, scores = lists(2)
    for k in CUTOFFS:
        found = jd.score(labels, scores, f"nDCG@{k}", profile="sklearn").mean()[f"nDCG@{k}"]
        assert found == pytest.approx(metrics.ndcg_score(labels, scores, k=k), rel=1e-12)
        assert jd.ndcg(labels, scores, k=k).mean() == pytest.approx(
            metrics.ndcg_score(labels, scores, k=k, ignore_ties=True), rel=1e-12
        )
        compared("scikit-learn, arrays", 2)


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("tied", [False, True])
def test_average_precision_and_label_ranking_measures_are_those_of_scikit_learn(tied, compared):
    from sklearn import metrics

    labels, scores = lists(3, tied=tied, top=1)
    rows = np.flatnonzero((labels.sum(axis=1) > 0) & (labels.sum(axis=1) < ITEMS))
    labels, scores = labels[rows], scores[rows]
    ap = jd.average_precision(labels, scores, tied="together")
    loss, last, auc = jd.ranking_loss(labels, scores), jd.last_hit(labels, scores), jd.roc_auc(labels, scores)
    for i, (y, s) in enumerate(zip(labels, scores, strict=True)):
        assert ap[i] == pytest.approx(metrics.average_precision_score(y, s), rel=1e-12)
        assert ap[i] == pytest.approx(metrics.label_ranking_average_precision_score([y], [s]), rel=1e-12)
        assert loss[i] == pytest.approx(metrics.label_ranking_loss([y], [s]), rel=1e-12, abs=1e-15)
        assert last[i] == metrics.coverage_error([y], [s])
        assert auc[i] == pytest.approx(metrics.roc_auc_score(y, s), rel=1e-12)
        compared("scikit-learn, arrays", 5)


# ── torchmetrics ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.needs("torch", "torchmetrics")
@pytest.mark.parametrize(
    ("theirs", "ours", "top"),
    [
        ("retrieval_normalized_dcg", lambda y, s, k: jd.ndcg(y, s, k=k), 4),
        ("retrieval_precision", lambda y, s, k: jd.precision(y, s, k=k), 1),
        ("retrieval_recall", lambda y, s, k: jd.recall(y, s, k=k), 1),
        ("retrieval_hit_rate", lambda y, s, k: jd.success(y, s, k=k), 1),
        ("retrieval_reciprocal_rank", lambda y, s, k: jd.reciprocal_rank(y, s, k=k), 1),
        ("retrieval_average_precision", lambda y, s, k: jd.average_precision(y, s, k=k, norm="found"), 1),
        ("retrieval_fall_out", lambda y, s, k: jd.fall_out(y, s, k=k), 1),
    ],
)
def test_functions_are_those_of_torchmetrics(theirs, ours, top, compared):
    import torch
    from torchmetrics.functional import retrieval as functional

    labels, scores = lists(4, top=top)
    for k in (1, 3, 10, 25):
        found = ours(labels, scores, k)
        for i in range(0, LISTS, 4):
            wanted = getattr(functional, theirs)(torch.tensor(scores[i]), torch.tensor(labels[i]), top_k=k)
            assert found[i] == pytest.approx(float(wanted), rel=2e-6, abs=1e-7), (
                theirs,
                k,
                i,
            )  # it computes in float32
            compared("torchmetrics, arrays", 1)


# ── rax ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.needs("jax", "rax")
@pytest.mark.parametrize("k", CUTOFFS)
def test_metrics_are_those_of_rax(k, compared):
    import rax
    from jax import numpy as jnp

    graded, scores = lists(6)
    binary = (graded > 0).astype(float)
    mask = np.random.default_rng(1).random(graded.shape) < 0.8
    mask[:, 0] = True
    where = jnp.asarray(mask)
    for theirs, labels, ours in (
        (rax.ndcg_metric, graded, jd.ndcg(graded, scores, k=k, mask=mask, gain="exp")),
        (rax.dcg_metric, graded, jd.dcg(graded, scores, k=k, mask=mask, gain="exp")),
        (rax.mrr_metric, binary, jd.reciprocal_rank(binary, scores, k=k, mask=mask)),
        (rax.precision_metric, binary, jd.precision(binary, scores, k=k, mask=mask, short="shrink")),
        (rax.recall_metric, binary, jd.recall(binary, scores, k=k, mask=mask)),
        (rax.ap_metric, binary, jd.average_precision(binary, scores, k=k, mask=mask)),
    ):
        wanted = np.asarray(
            theirs(
                jnp.asarray(scores, jnp.float32), jnp.asarray(labels, jnp.float32), where=where, topn=k, reduce_fn=None
            )
        )
        known = (np.where(mask, labels, 0) > 0).any(axis=1)
        np.testing.assert_allclose(ours[known], wanted[known], rtol=2e-5, atol=1e-6, err_msg=f"{theirs.__name__}@{k}")
        compared("rax", int(known.sum()))
