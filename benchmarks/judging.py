"""Simulations for docs/explanations/judging.md: coverage with human and model judgments, estimates from samples, and judgments saved by strategies.

Run it with the collections beside the project: `python benchmarks/judging.py [repetitions]`; it prints Markdown tables.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import numpy as np

import judged as jd
from judged.evaluation.evaluate import evaluate
from judged.judging.next_documents import Strategy, next_documents
from judged.measures.registry import parse
from judged.stats.intervals import interval
from judged.stats.two_phase import CheapValues, two_phase_means

DATA = Path(__file__).parents[2] / "shared" / "data"
MEASURE = "nDCG@10"
STRATEGIES = get_args(Strategy)
Grades = dict[str, dict[str, int]]


def main(repetitions: int) -> None:
    """Print all tables."""
    sys.stdout.write("## Coverage of 95% intervals: human, model, both (TREC DL 2020, NIST and GPT-4)\n\n")
    table(
        coverage(repetitions),
        ("ranker", "human queries", "model only", "human only", "both", "width, human only", "width, both"),
    )
    sys.stdout.write("\n## Judgments until the order of systems is that of the full pool (tau ≥ 0.9)\n\n")
    table(replay(), ("collection", *STRATEGIES, "whole pool"))
    sys.stdout.write("\n## Error of the difference between two runs when half of their pool is judged\n\n")
    table(half_judged(), ("collection", "pairs", *STRATEGIES))


def table(rows: Iterator[tuple[Any, ...]], headers: tuple[str, ...]) -> None:
    """Print rows as Markdown."""
    sys.stdout.write("| " + " | ".join(headers) + " |\n|" + "---|" * len(headers) + "\n")
    for row in rows:
        sys.stdout.write("| " + " | ".join(map(str, row)) + " |\n")
        sys.stdout.flush()


# ── human and model judgments ────────────────────────────────────────────────────────────────────


def dl20() -> tuple[Grades, Grades]:
    """Return the grades of people and of GPT-4 for the passages that both judged."""
    human: Grades = {}
    model: Grades = {}
    with gzip.open(DATA / "agreement_dl20" / "judgements.tsv.gz", "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            query, doc, by_people, by_model, *_ = line.rstrip("\n").split("\t")
            if by_people and by_model:
                human.setdefault(query, {})[doc] = int(by_people)
                model.setdefault(query, {})[doc] = int(by_model)
    return human, model


def rankers(human: Grades, model: Grades) -> dict[str, Any]:
    """Return rankings of the judged passages: by what people like, by what the model likes, and by both, with noise."""
    random = np.random.default_rng(0)
    weights = {
        "human taste": (1.0, 0.0, 1.2),
        "good": (1.0, 0.0, 0.6),
        "mixed": (0.5, 0.5, 1.0),
        "model's taste": (0.2, 1.0, 0.8),
    }
    return {
        name: {q: {d: a * g + b * model[q][d] + noise * random.standard_normal() for d, g in docs.items()} for q, docs in human.items()}
        for name, (a, b, noise) in weights.items()
    }  # fmt: skip


def coverage(repetitions: int) -> Iterator[tuple[Any, ...]]:
    """Redraw queries, and count how often each interval contains the mean of human judgments."""
    human, model = dl20()
    values = {
        name: tuple(np.asarray(evaluate(q, run, MEASURE)[MEASURE], float) for q in (human, model))
        for name, run in rankers(human, model).items()
    }
    first, last = values["mixed"], values["model's taste"]
    values["model's taste - mixed"] = (last[0] - first[0], last[1] - first[1])
    for name, (y, f) in values.items():
        for n, more in ((30, 450), (50, 450), (100, 900)):
            random = np.random.default_rng(1)
            inside, width = np.zeros(3), np.zeros(3)
            for _ in range(repetitions):
                rows = random.integers(len(y), size=n + more)
                known = np.arange(n + more) < n
                both = two_phase_means(y[rows[:n], None], CheapValues(f[rows][:, None], known)).interval()
                ends = [interval([f[rows]])[0], interval([y[rows[:n]]])[0], (both[0][0], both[1][0])]
                inside += [low <= y.mean() <= high for low, high in ends]
                width += [high - low for low, high in ends]
            shares, widths = inside / repetitions, width / repetitions
            yield (name, n, *(f"{share:.1%}" for share in shares), f"{widths[1]:.3f}", f"{widths[2]:.3f}")


# ── strategies ───────────────────────────────────────────────────────────────────────


def collection(name: str) -> tuple[Any, dict[str, Any]]:
    """Return the judgments and the runs of a collection."""
    folder = DATA / name
    return jd.read_qrels(folder / "qrels.txt.gz"), {path.name.split(".")[0]: jd.read_run(path) for path in sorted((folder / "runs").glob("*.run.gz"))}  # fmt: skip


def replay() -> Iterator[tuple[Any, ...]]:
    """Hide all judgments but those of the first ranks, and reveal them in the order of each strategy."""
    for name in ("robust03", "cast21", "cranfield"):
        qrels, runs = collection(name)
        grades = qrels.to_dict()
        pool = jd.pool(runs, depth=10)
        wanted = {(str(i.query), str(i.doc)) for i in pool if i.query in grades}
        full = {q: {d: g for d, g in docs.items() if (q, d) in wanted} or {"-": 0} for q, docs in grades.items()}
        goal = [evaluate(full, run, MEASURE).mean()[MEASURE] for run in runs.values()]
        yield name, *(_needed(s, runs, grades, wanted, goal) for s in STRATEGIES), f"{len(wanted):,}"


def half_judged() -> Iterator[tuple[Any, ...]]:
    """Judge half of the pool of two runs in the order of each strategy; compare the difference with that of the whole pool."""
    for name in ("robust03", "cast21", "cranfield", "dl21_passage", "cacm", "med"):
        qrels, runs = collection(name)
        pairs = list(combinations(runs, 2))
        pairs = pairs[:: max(1, len(pairs) // 6)][:6]
        errors = [[_error(s, {a: runs[a], b: runs[b]}, qrels.to_dict()) for a, b in pairs] for s in STRATEGIES]
        yield name, len(pairs), *(f"{np.mean(one):.4f}" for one in errors)


def _error(strategy: Strategy, runs: dict[str, Any], grades: Any) -> float:
    """Return the absolute error of the difference when half of the pool is judged."""
    wanted = {(str(i.query), str(i.doc)) for i in jd.pool(runs, depth=10) if i.query in grades}
    known: dict[str, dict[str, float]] = {q: {"-": 0.0} for q in grades}
    full = {q: {d: g for d, g in docs.items() if (q, d) in wanted} or {"-": 0} for q, docs in grades.items()}
    todo, count, measure, batch = jd.pool(runs, depth=1).items, 0, parse(MEASURE), max(10, len(wanted) // 20)
    while True:
        count += _judge(todo, wanted, grades, known)
        results = [evaluate(known, run, MEASURE) for run in runs.values()]
        rest = min(batch, len(wanted) // 2 - count)
        if rest <= 0:
            break
        todo = next_documents(list(runs), [r.source for r in results], measure, rest, strategy=strategy).items  # type: ignore[misc]
    first, second = (np.mean(r[MEASURE]) for r in results)
    whole = [evaluate(full, run, MEASURE).mean()[MEASURE] for run in runs.values()]
    return abs(float(second - first) - (whole[1] - whole[0]))


def _judge(todo: Any, wanted: set[tuple[str, str]], grades: Any, known: dict[str, dict[str, float]]) -> int:
    """Add the grades of the documents of the pool to those that are known, and return their number."""
    items = [item for item in todo if (str(item.query), str(item.doc)) in wanted]
    for item in items:
        known[str(item.query)][str(item.doc)] = grades[item.query].get(item.doc, 0)
    return len(items)


def _needed(
    strategy: Strategy, runs: dict[str, Any], grades: Any, wanted: set[tuple[str, str]], goal: list[float]
) -> str:
    """Return the number of judgments until the order of systems agrees with the goal, and stays so for one more batch."""
    known: dict[str, dict[str, float]] = {q: {"-": 0.0} for q in grades}
    count, batch, measure = 0, max(50, len(wanted) // 40), parse(MEASURE)
    todo = jd.pool(runs, depth=1).items
    agreed = ""
    while True:
        count += _judge(todo, wanted, grades, known)
        results = [evaluate(known, run, MEASURE) for run in runs.values()]
        tau = jd.stats.kendall([r.mean()[MEASURE] for r in results], goal)
        if tau >= 0.9 and agreed:
            return agreed
        agreed = f"{count:,}" if tau >= 0.9 else ""
        todo = next_documents(list(runs), [r.source for r in results], measure, batch, strategy=strategy).items  # type: ignore[misc]
        if not todo:
            return agreed or f"{count:,}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
