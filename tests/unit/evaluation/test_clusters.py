"""Clusters of queries: intervals that count them as units, in evaluations, comparisons, gates and saved results."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refusal

import judged as jd

N, SIZE = 40, 5
RNG = np.random.default_rng(8)
QRELS = {f"q{i:02}": {"a": 1} for i in range(N)}
CLUSTERS = {q: f"u{i // SIZE}" for i, q in enumerate(QRELS)}


def run_of(ranks):
    return {q: [*(f"x{r}" for r in range(rank - 1)), "a"] for q, rank in zip(QRELS, ranks, strict=True)}


BASE = run_of(np.repeat(RNG.integers(1, 6, N // SIZE), SIZE))
NEW = run_of(np.repeat(RNG.integers(1, 6, N // SIZE), SIZE))


def result(run=BASE, clusters=CLUSTERS, **options):
    return jd.evaluate(QRELS, run, "RR", clusters=clusters, **options)


def test_copies_in_a_cluster_are_no_evidence():
    one_each = dict(list(QRELS.items())[::SIZE])
    small = jd.evaluate(one_each, {q: BASE[q] for q in one_each}, "RR")
    assert result().interval("RR") == pytest.approx(small.interval("RR"))
    low, high = result(clusters=None).interval("RR")
    assert high - low < 0.6 * np.diff(small.interval("RR"))[0]
    assert result().mean() == result(clusters=None).mean()


def test_clusters_come_from_a_column_of_a_table_of_queries():
    table = [{"query_id": query, "user": user} for query, user in CLUSTERS.items()]
    assert result(clusters=table, cluster_col="user").clusters.tolist() == result().clusters.tolist()


def test_every_output_says_and_keeps_that_queries_are_clustered(tmp_path):
    found = result()
    assert "8 clusters of queries" in str(found)
    assert "clusters" not in str(result(clusters=None))
    found.save(tmp_path / "v.json")
    loaded = jd.load(tmp_path / "v.json")
    assert loaded.clusters.tolist() == found.clusters.tolist()
    assert loaded.interval("RR") == found.interval("RR")
    jd.report(found, tmp_path / "page.html")
    assert "8 clusters, which count as units" in (tmp_path / "page.html").read_text()


def test_a_query_without_a_cluster_and_weights_beside_clusters_are_refused():
    refusal("query-clusters", result, clusters={"q00": 1})
    refusal("query-weights", result, weights=dict.fromkeys(QRELS, 1))


def test_results_bring_their_clusters_along_to_a_comparison():
    results = {"base": result(), "new": result(NEW)}
    found, given = jd.compare(results), jd.compare(QRELS, {"base": BASE, "new": NEW}, "RR", clusters=CLUSTERS)
    assert found.settings.clusters == given.settings.clusters == N // SIZE
    assert (found.rows[0].p, found.rows[0].low) == (given.rows[0].p, given.rows[0].low)
    refusal("incomparable", jd.compare, {**results, "new": replace(results["new"], clusters=None)})
    refusal("incomparable", jd.compare, {**results, "new": result(NEW, clusters=dict.fromkeys(QRELS, 1))})


def test_runs_without_some_queries_keep_the_clusters_of_the_others():
    fewer = {q: docs for q, docs in NEW.items() if q >= "q10"}
    found = jd.compare(QRELS, {"base": BASE, "new": fewer}, "RR", clusters=CLUSTERS, queries="both")
    assert (found.rows[0].queries, found.settings.clusters) == (N - 10, (N - 10) // SIZE)


@pytest.mark.parametrize(
    "call",
    [
        lambda c: jd.power(QRELS, c.results[0], c.results[1]),
        lambda c: jd.leaderboard({"c": dict(zip(c.names, c.results, strict=True))}),
    ],
)
def test_statistics_that_would_ignore_clusters_refuse_them(call):
    refusal("query-clusters", call, jd.compare(QRELS, {"base": BASE, "new": NEW}, "RR", clusters=CLUSTERS))
