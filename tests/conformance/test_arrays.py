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


@pytest.mark.needs("sklearn")
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [None, *CUTOFFS])
def test_dcg_and_ndcg_are_those_of_scikit_learn(tied, k, compared):
    from sklearn import metrics

    labels, scores = lists(1, tied=tied)
    ties = "expected" if tied else "input"
    ours, gains = jd.metrics.ndcg(labels, scores, k=k, ties=ties), jd.metrics.dcg(labels, scores, k=k, ties=ties)
    for i in range(len(labels)):
        theirs = (
            metrics.ndcg_score(labels[i : i + 1], scores[i : i + 1], k=k),
            metrics.dcg_score(labels[i : i + 1], scores[i : i + 1], k=k),
        )
        assert (ours[i], gains[i]) == pytest.approx(theirs, rel=1e-12, abs=1e-14)
        compared("scikit-learn, arrays", 2)


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
        (rax.ndcg_metric, graded, jd.metrics.ndcg(graded, scores, k=k, mask=mask, gain="exp")),
        (rax.dcg_metric, graded, jd.metrics.dcg(graded, scores, k=k, mask=mask, gain="exp")),
        (rax.mrr_metric, binary, jd.metrics.reciprocal_rank(binary, scores, k=k, mask=mask)),
        (rax.precision_metric, binary, jd.metrics.precision(binary, scores, k=k, mask=mask, short="shrink")),
        (rax.recall_metric, binary, jd.metrics.recall(binary, scores, k=k, mask=mask)),
        (rax.ap_metric, binary, jd.metrics.average_precision(binary, scores, k=k, mask=mask)),
    ):
        wanted = np.asarray(
            theirs(
                jnp.asarray(scores, jnp.float32), jnp.asarray(labels, jnp.float32), where=where, topn=k, reduce_fn=None
            )
        )
        known = (np.where(mask, labels, 0) > 0).any(axis=1)
        np.testing.assert_allclose(ours[known], wanted[known], rtol=2e-5, atol=1e-6, err_msg=f"{theirs.__name__}@{k}")
        compared("rax", int(known.sum()))
