"""Record what ranx fuses from generated runs, for `tests/conformance/test_fusion.py`.

    pip install ranx
    python tools/record_fusion.py

Rankings have at most 15 documents wherever scores are equal, which ranx then keeps in the order of the input; the input is in the order that
`judged` gives equal scores. Runs are written as they were generated.
"""

from __future__ import annotations

import json
import random
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "tests" / "data" / "fusion" / "ranx.json"
Ranking = dict[str, dict[str, float]]
PLAIN = ("sum", "mnz", "max", "min", "med", "anz", "isr", "log_isr", "bordafuse", "condorcet")
WEIGHTED = ("wsum", "wmnz", "mixed", "w_bordafuse", "w_condorcet")
TRIED: dict[str, list[dict[str, Any]]] = {
    "gmnz": [{"gamma": 0.5}, {"gamma": 2.0}], "rrf": [{"k": 60}, {"k": 1}], "rbc": [{"phi": 0.8}, {"phi": 0.3}], "logn_isr": [{"sigma": 0.01}, {"sigma": 1.0}],
}  # fmt: skip
NORMS = ("min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda", None)
BY_SCORE = ("sum", "mnz", "max", "min", "med", "anz")


def case(seed: int) -> dict[str, Any]:
    """Runs and judgments: with ties, missing documents, rankings of one document, and constant scores."""
    draw = random.Random(seed)
    kind = ("distinct", "ties", "constant", "full", "long")[seed % 5]
    docs = [f"d{i:02d}" for i in range(60 if kind == "long" else 12)]
    most = 45 if kind == "long" else 12
    queries = [f"q{i}" for i in range(draw.randint(1, 5))]
    runs: list[Ranking] = []
    for _ in range(3 if kind == "full" else draw.randint(2, 5)):
        run: Ranking = {}
        for query in queries:
            n = len(docs) if kind == "full" else 1 if draw.random() < 0.15 else draw.randint(1, most)
            chosen = sorted(draw.sample(docs, n), reverse=True)
            score = {"ties": lambda: float(draw.randint(0, 3)), "constant": lambda: 2.5}.get(
                kind, lambda: draw.uniform(0.1, 20)
            )
            run[query] = {doc: score() for doc in chosen}
        runs.append(run)
    qrels = {query: dict.fromkeys(draw.sample(docs, 4), 1) for query in queries}
    weights = [draw.randint(1, 9) / 10 for _ in runs]
    return {"kind": kind, "runs": runs, "qrels": qrels, "weights": weights}


def answers(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Every method with its parameters and normalisations, and what ranx fuses."""
    from ranx import Qrels, Run
    from ranx.fusion import fusion_switch
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
            str(query): {str(doc): float(score) for doc, score in docs.items()} for query, docs in fused.run.items()
        }
        assert fusion_switch(name)
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
    made = [case(seed) for seed in range(25)]
    data = {"ranx": release, "cases": [{**one, "answers": answers(one)} for one in made]}
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
