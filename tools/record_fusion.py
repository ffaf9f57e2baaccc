"""Record what ranx fuses from generated runs, for `tests/conformance/test_fusion.py`.

    pip install ranx
    python tools/record_fusion.py

Rankings have at most 15 documents wherever scores are equal, which ranx then keeps in the order of the input; the input is in the order that
`judged` gives equal scores. Runs are written as they were generated.
"""

from __future__ import annotations

import gzip
import json
import random
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "tests" / "data" / "fusion" / "ranx.json.gz"
Ranking = dict[str, dict[str, float]]
PLAIN = ("sum", "mnz", "max", "min", "med", "anz", "isr", "log_isr", "bordafuse", "condorcet")
WEIGHTED = ("wsum", "wmnz", "mixed", "w_bordafuse", "w_condorcet")
TRIED: dict[str, list[dict[str, Any]]] = {
    "gmnz": [{"gamma": 0.5}, {"gamma": 2.0}], "rrf": [{"k": 60}, {"k": 1}], "rbc": [{"phi": 0.8}, {"phi": 0.3}], "logn_isr": [{"sigma": 0.01}, {"sigma": 1.0}],
}  # fmt: skip
NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", None)
BY_SCORE = ("sum", "mnz", "med")


KINDS = ("distinct", "ties", "constant", "short", "agree", "long")


def case(seed: int) -> dict[str, Any]:
    """Runs and judgments: with ties, missing documents, rankings of one document, and constant scores.

    `short` has at most 5 documents per ranking. In `agree` three runs rank all documents and differ in one pair of neighbours each.
    """
    draw = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    docs = [f"d{i:02d}" for i in range(40 if kind == "long" else 12)]
    queries = [f"q{i}" for i in range(draw.randint(1, 3))]
    agreed = {query: draw.sample(docs, len(docs)) for query in queries}
    runs: list[Ranking] = []
    for i in range(3 if kind == "agree" else draw.randint(2, 4)):
        run: Ranking = {}
        for query in queries:
            most = {"long": 30, "short": 5}.get(kind, 12)
            chosen = draw.sample(docs, 1 if draw.random() < 0.15 else draw.randint(1, most))
            if kind == "agree":
                at, chosen = 3 * i, list(agreed[query])
                chosen[at], chosen[at + 1] = chosen[at + 1], chosen[at]
                run[query] = {doc: 20.0 - r for r, doc in enumerate(chosen)}
                continue
            score = {"ties": lambda: float(draw.randint(0, 3)), "constant": lambda: 2.5}.get(
                kind, lambda: round(draw.uniform(0.1, 20), 3)
            )
            run[query] = {doc: score() for doc in sorted(chosen, reverse=True)}
        runs.append(run)
    qrels = {query: dict.fromkeys(draw.sample(docs, 4), 1) for query in queries}
    return {"kind": kind, "runs": runs, "qrels": qrels, "weights": [draw.randint(1, 9) / 10 for _ in runs]}


def answers(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Every method with its parameters and normalisations, and what ranx fuses."""
    from ranx import Qrels, Run
    from ranx.fusion.bayesfuse import bayesfuse_train
    from ranx.fusion.mapfuse import mapfuse_train
    from ranx.fusion.posfuse import posfuse_train
    from ranx.fusion.probfuse import probfuse_train
    from ranx.fusion.segfuse import segfuse_train
    from ranx.meta import fuse

    runs, qrels = [Run(run) for run in made["runs"]], Qrels(made["qrels"])
    asked: list[tuple[str, str | None, dict[str, Any], dict[str, Any]]] = []
    asked += [(name, "min-max", {}, {}) for name in PLAIN]
    asked += [(name, "min-max", {"weights": made["weights"]}, {}) for name in WEIGHTED]
    asked += [(name, "min-max", params, params) for name, tried in TRIED.items() for params in tried]
    asked += [(name, norm, {}, {}) for name in BY_SCORE for norm in NORMS if norm != "min-max"]
    asked += [("rrf", "min-max-inverted", {"k": 60}, {"k": 60})]
    asked += [("mapfuse", None, {"map_scores": mapfuse_train(qrels, runs)}, {})]
    asked += [("posfuse", None, {"probs": posfuse_train(qrels, runs)}, {})]
    asked += [("slidefuse", None, {"probs": posfuse_train(qrels, runs), "w": w}, {"w": w}) for w in (1, 4)]
    asked += [("probfuse", None, {"probs": probfuse_train(qrels, runs, n)}, {"segments": n}) for n in (1, 3, 25)]
    asked += [("segfuse", "min-max", {"probs": segfuse_train(qrels, runs)}, {})]
    asked += [("bayesfuse", None, {"log_odds": bayesfuse_train(qrels, runs)}, {})]
    recorded = []
    for name, norm, params, shown in asked:
        fused = fuse(runs, norm, name, params)
        scores = {
            str(query): {str(doc): float(f"{score:.14g}") for doc, score in docs.items()}
            for query, docs in fused.run.items()
        }
        recorded.append(
            {"method": name, "norm": norm, "params": shown, "weighted": "weights" in params, "scores": scores}
        )
    return recorded


def main() -> None:
    """Write the cases with their answers."""
    try:
        release = version("ranx")
    except PackageNotFoundError:
        release = "0.3.20, its source run without a compiler"
    made = [case(seed) for seed in range(18)]
    data = {"ranx": release, "cases": [{**one, "answers": answers(one)} for one in made]}
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))


if __name__ == "__main__":
    main()
