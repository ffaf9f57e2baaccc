"""Generated inputs on which profiles are compared with their tools; `tools/record_profiles.py` records answers on the same ones."""

import random
from pathlib import Path

KINDS = ("distinct", "tied", "near", "negative")
RECORDED = (*KINDS, "sample")
SAMPLE = Path(__file__).parents[2] / "src" / "judged" / "sample"
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def generated(kind: str, seed: int, *, most: int = 40, top: int = 3, docs: int = 60) -> tuple[Qrels, Run]:
    """Judgments and a run: 18 judged queries, two of them not in the run, and two queries that are not judged.

    Grades are -1 to `top`; one query has no relevant document, one has nothing else; rankings have 1 to `most` documents. Scores are distinct,
    tied in groups, apart by less than float32 can tell, or negative.
    """
    rng = random.Random(f"{kind}-{seed}")
    qrels: Qrels = {}
    run: Run = {}
    for number in range(1, 21):
        query = str(number)
        ranking = rng.sample(range(docs), rng.randint(1, most))
        places = rng.sample(range(len(ranking)), len(ranking))
        scores = {
            "distinct": [1 + place * 0.37 for place in places],
            "tied": [1 + place % 3 for place in places],
            "near": [20 + place * 1e-7 for place in places],
            "negative": [-1.5 - place for place in places],
        }[kind]
        if number % 9:
            run[query] = {f"d{doc}": float(score) for doc, score in zip(ranking, scores, strict=True)}
        if number > 18:
            continue
        pool = rng.sample(range(docs), rng.randint(2, docs // 2))
        grades = [rng.choice((-1, 0, 0, 0, 1, 1, 2, top)) for _ in pool]
        grades[0] = {1: 0, 2: top}.get(number, rng.randint(1, top))
        if number == 1:
            grades = [min(grade, 0) for grade in grades]
        if number == 2:
            grades = [max(grade, 1) for grade in grades]
        qrels[query] = {f"d{doc}": grade for doc, grade in zip(pool, grades, strict=True)}
    return qrels, run


def recorded_inputs(kind: str, *, most: int = 40, **inputs: int) -> tuple[Qrels, Run]:
    """The inputs of recorded answers: generated ones, or the real judgments and BM25 run of the sample collection, which has ties."""
    if kind != "sample":
        return generated(kind, 1, most=most, **inputs)
    qrels: Qrels = {}
    run: Run = {}
    for line in (SAMPLE / "qrels.txt").read_text().splitlines():
        query, _, doc, grade = line.split()
        qrels.setdefault(query.lstrip("q0"), {})[doc] = int(grade)
    for line in (SAMPLE / "runs" / "bm25.run").read_text().splitlines():
        query, _, doc, rank, score, _ = line.split()
        if int(rank) <= most:
            run.setdefault(query.lstrip("q0"), {})[doc] = float(score)
    return qrels, run


def generated_lists(kind: str, seed: int, *, top: int = 3) -> tuple[list[list[int]], list[list[float]]]:
    """Labels and scores of 20 lists; the first has no relevant item, the second no other, the third a single item."""
    rng = random.Random(f"lists-{kind}-{seed}")
    labels: list[list[int]] = []
    scores: list[list[float]] = []
    for number in range(20):
        size = 1 if number == 2 else rng.randint(2, 14)
        places = rng.sample(range(size), size)
        scores.append({
            "distinct": [0.1 + place * 0.37 for place in places],
            "tied": [1.0 + place % 3 for place in places],
            "near": [20 + place * 1e-7 for place in places],
            "negative": [-1.5 - place for place in places],
        }[kind])  # fmt: skip
        grades = [rng.choice((0, 0, 0, 1, 2, top)) for _ in range(size)]
        grades = [0] * size if number == 0 else [1] * size if number in (1, 2) else grades
        labels.append(grades)
    return labels, scores


def positive_only(qrels: Qrels) -> dict[str, set[str]]:
    """The relevant documents of each query that has any."""
    relevant = {query: {doc for doc, grade in row.items() if grade > 0} for query, row in qrels.items()}
    return {query: docs for query, docs in relevant.items() if docs}
