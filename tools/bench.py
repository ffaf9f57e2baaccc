"""Speed as ratios to other tools, measured in the same run: `make bench`.

Each tool evaluates the same files in a fresh process, imports included; CPU seconds are user and system
time of that process, the best of a few. Ratios are what counts: machines differ and are shared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

JUDGED = "import judged as jd; jd.evaluate({qrels!r}, {run!r}, 'nDCG@10 AP RR')"
PYTREC_EVAL = """
import pytrec_eval
with open({qrels!r}) as q, open({run!r}) as r:
    qrels, run = pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r)
pytrec_eval.RelevanceEvaluator(qrels, {{'ndcg_cut.10', 'map', 'recip_rank'}}).evaluate(run)
"""
IR_MEASURES = """
import ir_measures
from ir_measures import nDCG, AP, RR
ir_measures.calc_aggregate([nDCG@10, AP, RR], ir_measures.read_trec_qrels({qrels!r}), ir_measures.read_trec_run({run!r}))
"""


def write_sample(folder: Path, queries: int, depth: int) -> dict[str, str]:
    """A run of queries × depth lines in score order, and three judgments a query."""
    rng = np.random.default_rng(1)
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    with run.open("w") as r, qrels.open("w") as q:
        for query in range(queries):
            docs = rng.choice(8_841_823, depth, replace=False)
            scores = np.sort(rng.normal(20, 4, depth))[::-1]
            r.writelines(
                f"{query} Q0 {d} {i + 1} {s:.6f} tag\n" for i, (d, s) in enumerate(zip(docs, scores, strict=True))
            )
            judged = {*rng.choice(docs, 2, replace=False).tolist(), int(rng.integers(8_841_823))}
            q.writelines(f"{query} 0 {d} {rng.integers(0, 3)}\n" for d in sorted(judged))
    return {"qrels": str(qrels), "run": str(run)}


def cpu_seconds(command: list[str], repeat: int) -> tuple[float, float]:
    """The least CPU and wall seconds of a few runs."""
    best = (float("inf"), float("inf"))
    for _ in range(repeat):
        before, start = os.times(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own commands
        after, wall = os.times(), time.perf_counter() - start
        used = after.children_user + after.children_system - before.children_user - before.children_system
        best = min(best[0], used), min(best[1], wall)
    return best


def main() -> None:
    """Print one row a tool: CPU and wall seconds, and the ratio to judged."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = write_sample(Path(folder), args.queries, args.depth)
        tools = {name: [sys.executable, "-c", code.format(**files)] for name, code in
                 (("judged", JUDGED), ("pytrec_eval", PYTREC_EVAL), ("ir_measures", IR_MEASURES))}  # fmt: skip
        binary = shutil.which("trec_eval")
        if binary:
            tools["trec_eval"] = [binary, "-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", *files.values()]
        print(f"{args.queries:,} queries × {args.depth:,} documents, nDCG@10 AP RR, from files, imports included")
        print(f"{'tool':<14}{'CPU s':>8}{'wall s':>8}{'× judged':>10}")
        base = None
        for name, command in tools.items():
            cpu, wall = cpu_seconds(command, args.repeat)
            base = base or cpu
            print(f"{name:<14}{cpu:>8.2f}{wall:>8.2f}{cpu / base:>10.2f}")


if __name__ == "__main__":
    main()
