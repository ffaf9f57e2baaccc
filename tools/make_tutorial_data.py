"""Make the data of the tutorials in `src/judged/sample`: `python tools/make_tutorial_data.py [FOLDER]`.

Products, queries, chunks and questions are written by hand and only read here. Everything else is derived from them, from the sample
collection, or drawn with fixed seeds; the bytes are the same on every machine.
"""

from __future__ import annotations

import csv
import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "src" / "judged" / "sample"
SYNONYMS = {
    "pad": "mat", "knapsack": "backpack", "anorak": "rain jacket", "raincoat": "rain jacket", "children": "kids", "canister": "cartridge",
    "flashlight": "torch", "thermos": "vacuum flask", "sticks": "poles", "walking": "trekking", "people": "person", "2": "two",
}  # fmt: skip
Ranking = list[tuple[str, float]]


def main(target: Path) -> None:
    for make in (shop, rag, recommender, lightgbm, assessors):
        folder = target / make.__name__
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)


def shop(folder: Path) -> None:
    """Rank products for the queries of a shop: plain BM25, with best sellers boosted, and with synonyms."""
    products, queries = rows("shop/products.csv"), rows("shop/queries.csv")
    titles = {p["product_id"]: p["title"] for p in products}
    index = BM25({p["product_id"]: words(f"{p['title']} {p['title']} {p['description']}") for p in products})
    sold = {p["product_id"]: int(p["sold"]) for p in products}
    versions: dict[str, dict[str, Ranking]] = {"main": {}, "boosted": {}, "synonyms": {}}
    for query in (q["query"] for q in queries):
        plain = index.scores(words(query))
        versions["main"][query] = best(plain, 10)
        versions["boosted"][query] = best({doc: score * sold[doc] for doc, score in plain.items()}, 10)
        more = [word for token in words(query) for word in (token, *SYNONYMS.get(token, "").split())]
        versions["synonyms"][query] = best(index.scores(more), 10)
    for name, rankings in versions.items():
        write(folder / f"{name}.jsonl", [json.dumps(response(q, found, titles)) for q, found in rankings.items()])
    lines = ["query,product_id,rating"]
    for query in queries:
        pool = {doc for rankings in versions.values() for doc, _ in rankings[query["query"]]}
        pool |= {p["product_id"] for p in products if p["category"] == query["category"]}
        by_id = {p["product_id"]: p for p in products}
        lines += [f"{query['query']},{doc},{rating(query, by_id[doc])}" for doc in sorted(pool)]
    write(folder / "ratings.csv", lines)


def rating(query: dict[str, str], product: dict[str, str]) -> str:
    """Return the rating of a product as an assessor of the shop gives it, in the words of Amazon's ESCI data."""
    wanted, has = set(query["tags"].split()), set(product["tags"].split())
    if product["category"] == query["category"]:
        return "Exact" if wanted <= has else "Substitute"
    if product["category"] in query["substitutes"].split("|"):
        return "Substitute"
    return "Complement" if product["category"] in query["complements"].split("|") else "Irrelevant"


def response(query: str, ranking: Ranking, titles: dict[str, str]) -> dict[str, object]:
    """Return a ranking as Elasticsearch sends it."""
    hits = [{"_id": doc, "_score": score, "_source": {"title": titles[doc]}} for doc, score in ranking]
    total = {"value": len(hits), "relation": "eq"}
    return {"query": query, "response": {"took": 3, "timed_out": False, "hits": {"total": total, "hits": hits}}}


def rag(folder: Path) -> None:
    """Retrieve chunks for questions from two indices: of whole chunks, and of their first sentences."""
    chunks, questions = records("rag/chunks.jsonl"), records("rag/questions.jsonl")
    size = {c["id"]: len(re.findall(r"\w+|[^\w\s]", c["text"])) for c in chunks}
    for name, part in (("full", r".*"), ("lead", r".*?[.:;](?=\s)|.*")):
        index = BM25({c["id"]: words(re.match(part, c["text"])[0]) for c in chunks})
        lines = []
        for question in questions:
            found = best(index.scores(words(question["question"])), 8)
            retrieved = [{"id": doc, "tokens": size[doc], "score": score} for doc, score in found]
            lines.append(json.dumps({**question, "retrieved": retrieved}))
        write(folder / f"{name}.jsonl", lines)


def recommender(folder: Path) -> None:
    """Draw the loans of a library: readers who prefer some genres, and books of very different popularity."""
    draw = random.Random(4)
    books = rows("recommender/books.csv")
    fame = {b["item"]: 1 / (1 + rank) ** 0.6 for rank, b in enumerate(draw.sample(books, len(books)))}
    genres = sorted({b["genre"] for b in books})
    train, test = ["user,item"], ["user,item"]
    for number in range(1, 201):
        taste = dict.fromkeys(genres, 0.15)
        for liked in draw.sample(genres, 2):
            taste[liked] = 1.5
        weight = {b["item"]: fame[b["item"]] * taste[b["genre"]] for b in books}
        # Efraimidis and Spirakis: the largest keys are a weighted sample without replacement
        order = sorted(weight, key=lambda item: math.log(draw.random()) / weight[item], reverse=True)
        loans = order[: draw.randint(9, 16)]
        held = set(draw.sample(loans, 3))
        train += [f"u{number:03},{item}" for item in sorted(loans) if item not in held]
        test += [f"u{number:03},{item}" for item in sorted(held)]
    write(folder / "train.csv", train)
    write(folder / "test.csv", test)


def lightgbm(folder: Path) -> None:
    """Draw search results with five features, and grades that depend on them in a way that no single feature shows."""
    draw = random.Random(7)
    first = 1
    for name, queries in (("train", 110), ("valid", 40), ("test", 60)):
        lines = []
        for number in range(first, first + queries):
            for _ in range(10):
                title, text, stars, sold, price = (draw.random() for _ in range(5))
                fit = 1.1 * title + 1.1 * text * stars + 0.9 * sold * (title > 0.35) - 0.8 * abs(price - 0.4)
                grade = sum(fit + draw.gauss(0, 0.2) > step for step in (1.2, 1.6, 2.0))
                features = " ".join(f"{i}:{v:.4f}" for i, v in enumerate((title, text, stars, sold, price), 1))
                lines.append(f"{grade} qid:{number} {features}")
        first += queries
        write(folder / f"{name}.letor", lines)


def assessors(folder: Path) -> None:
    """Take 24 queries of the sample collection with the grades of judge a, and draw those of a stricter second judge."""
    draw = random.Random(9)
    texts = records(SAMPLE / "queries.jsonl")[:24]
    kept = {q["id"] for q in texts}
    runs = {name: trec_rows(f"runs/{name}.run", kept) for name in ("bm25", "dense")}
    shown: set[str] = set()
    for name, lines in runs.items():
        top = [line for line in lines if int(line[3]) <= 12]
        shown |= {line[2] for line in top}
        write(folder / f"{name}.run", [" ".join(line) for line in top])
    pool = {(line[0], line[2]) for lines in runs.values() for line in lines if int(line[3]) <= 6}
    ann = [line for line in trec_rows("qrels.a.txt", kept) if (line[0], line[2]) in pool]
    misread = set(draw.sample(sorted(kept), 5))
    ben = [[*line[:3], str(second_opinion(draw, int(line[3]), line[0] in misread))] for line in ann]
    write(folder / "ann.txt", [" ".join(line) for line in ann])
    write(folder / "ben.txt", [" ".join(line) for line in ben])
    third = {(line[0], line[2]): line[3] for line in trec_rows("qrels.txt", kept)}
    split = [(a[0], a[2], a[3], b[3], abs(int(a[3]) - int(b[3]))) for a, b in zip(ann, ben, strict=True) if a != b]
    split.sort(key=lambda row: -row[4])
    lines = [",".join(map(str, (*row, settled(draw, row, third[row[0], row[1]])))) for row in split]
    write(folder / "cleo.csv", ["query_id,doc_id,ann.txt,ben.txt,difference,relevance", *lines])
    write(folder / "queries.jsonl", [json.dumps({"id": q["id"], "text": q["text"]}) for q in texts])
    documents = [d for d in records(SAMPLE / "documents.jsonl") if d["id"] in shown]
    write(folder / "documents.jsonl", [json.dumps(d, ensure_ascii=False) for d in documents])
    scale = {0: "Not relevant", 1: "Answers a small part", 2: "Answers most of it", 3: "Answers the question"}
    write(folder / "scale.json", [json.dumps(scale)])


def second_opinion(draw: random.Random, grade: int, misread: bool) -> int:
    """Return the grade of a stricter judge, who has understood some queries differently."""
    if misread and draw.random() < 0.75:
        return draw.choice((0, 0, 1, 2))
    chance = draw.random()
    if grade == 0:
        return int(chance < 0.04)
    return grade - (chance < (0.6, 0.4, 0.25)[grade - 1])


def settled(draw: random.Random, row: tuple[str, str, str, str, int], merged: str) -> str:
    """Return the grade of the adjudicator: near grades are a matter of taste, others of reading the document again."""
    return min(row[2], row[3]) if row[4] == 1 and draw.random() < 0.5 else merged


class BM25:
    """Okapi's BM25 with k1 = 1.2 and b = 0.75, as in Lucene."""

    def __init__(self, texts: dict[str, list[str]]) -> None:
        self.counts = {doc: Counter(tokens) for doc, tokens in texts.items()}
        self.length = {doc: len(tokens) for doc, tokens in texts.items()}
        self.mean = sum(self.length.values()) / len(texts)
        self.frequency = Counter(token for tokens in texts.values() for token in set(tokens))

    def scores(self, query: Iterable[str]) -> dict[str, float]:
        found: dict[str, float] = {}
        for token in query:
            rarity = math.log(1 + (len(self.counts) - self.frequency[token] + 0.5) / (self.frequency[token] + 0.5))
            for doc, counts in self.counts.items():
                if token in counts:
                    norm = 1.2 * (0.25 + 0.75 * self.length[doc] / self.mean)
                    found[doc] = found.get(doc, 0.0) + rarity * counts[token] / (counts[token] + norm)
        return found


def best(scores: dict[str, float], k: int) -> Ranking:
    ranked = sorted(((doc, round(score, 3)) for doc, score in scores.items()), key=lambda pair: (-pair[1], pair[0]))
    return ranked[:k]


def words(text: str) -> list[str]:
    ignored = "a an and are as at by do does for from i if in is it my of on or that the them to what with"
    return [word for word in re.findall(r"\w+", text.lower()) if word not in ignored.split()]


def rows(name: str) -> list[dict[str, str]]:
    with (SAMPLE / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def records(name: str | Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


def trec_rows(name: str, queries: set[str]) -> list[list[str]]:
    lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
    return [cells for cells in map(str.split, lines) if cells[0] in queries]


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else SAMPLE)
