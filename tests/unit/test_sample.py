"""The embedded sample collection is what its README says."""

import json

import judged as jd
from judged.io.sample import sample_path


def rows(name: str) -> list[list[str]]:
    return [line.split() for line in sample_path(name).read_text().splitlines()]


def test_it_is_small_and_complete():
    folder = sample_path("qrels.txt").parent
    files = [*folder.glob("*.*"), *folder.glob("runs/*")]
    assert sum(p.stat().st_size for p in files) < 300_000
    documents = [json.loads(line) for line in sample_path("documents.jsonl").read_text(encoding="utf-8").splitlines()]
    queries = [json.loads(line) for line in sample_path("queries.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(queries) == 40
    known = {d["id"] for d in documents}
    for run in ("bm25", "tfidf", "dense"):
        assert {row[2] for row in rows(f"runs/{run}.run")} <= known


def test_the_merged_judgments_are_the_mean_of_the_two_judges_rounded_down():
    for a, b, merged in zip(rows("qrels.a.txt"), rows("qrels.b.txt"), rows("qrels.txt"), strict=True):
        assert a[:3] == b[:3] == merged[:3]
        assert int(merged[3]) == (int(a[3]) + int(b[3])) // 2


def test_some_queries_have_no_relevant_document_and_some_documents_are_unjudged():
    result = jd.evaluate(sample_path("qrels.txt"), sample_path("runs/bm25.run"), "Judged NumRel")
    assert (result["NumRel"] == 0).sum() == 3
    assert result.mean()["Judged"] < 1


def test_the_two_judges_worked_independently_and_do_not_always_agree():
    pairs = [(int(a[3]), int(b[3])) for a, b in zip(rows("qrels.a.txt"), rows("qrels.b.txt"), strict=True)]
    agree = sum(a == b for a, b in pairs) / len(pairs)
    assert 0.7 < agree < 1
