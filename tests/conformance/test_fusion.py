"""Fused scores are those of ranx: recorded by `tools/record_fusion.py`.

`ranx.json.gz` was written by ranx 0.3.21. Every difference has its reason in `EXCEPTIONS`.
"""

import gzip
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import judged as jd
from judged.fusion.method import FUSIONS

pytestmark = pytest.mark.conformance

ROOT = Path(__file__).parents[2]
CASES = json.loads(gzip.decompress((ROOT / "tests" / "data" / "fusion" / "ranx.json.gz").read_bytes()))["cases"]
EXCEPTIONS = {  # the kinds of cases in which values are equal all the same
    "condorcet": (("agree",), "ranx counts a run that has neither document as a vote for the second, and takes documents in the order of a set"),
    "w_condorcet": (("agree",), "the same"),
    "segfuse": (("short",), "ranx ends segments at ranks 5, 15, 35 …; in the paper these are their sizes"),
}  # fmt: skip


def ours(case: dict[str, Any], answer: dict[str, Any]) -> dict[str, dict[str, float]]:
    method = FUSIONS.find(answer["method"])
    params = ", ".join(f"{name}={value}" for name, value in answer["params"].items())
    options: dict[str, Any] = {}
    if method.uses == "scores" or answer["norm"] == "min-max-inverted":
        options["norm"] = answer["norm"] or "none"
    if answer["weighted"]:
        options["weights"] = case["weights"]
    if method.train is not None:
        options["qrels"] = case["qrels"]
    return jd.fuse(case["runs"], f"{method.name}({params})", **options).to_dict()


def check(cases: list[dict[str, Any]]) -> Counter[str]:
    """Compare all answers; return how many scores each method has."""
    count: Counter[str] = Counter()
    for case in cases:
        for answer in case["answers"]:
            name = answer["method"]
            if name in EXCEPTIONS and case["kind"] not in EXCEPTIONS[name][0]:
                continue
            fused = ours(case, answer)
            assert fused.keys() == answer["scores"].keys()
            for query, scores in answer["scores"].items():
                assert fused[query] == pytest.approx(scores, rel=1e-12, abs=1e-12), (name, answer["norm"], case["kind"])
                count[name] += len(scores)
    return count


def test_fused_scores_are_those_of_ranx(compared):
    count = check(CASES)
    assert count.keys() == set(FUSIONS.names)
    compared("ranx, fusion (recorded)", count.total())


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_every_exception_is_needed(name):
    kinds = EXCEPTIONS[name][0]
    others = [(c, a) for c in CASES for a in c["answers"] if a["method"] == name and c["kind"] not in kinds]
    assert any(ours(c, a)[q] != pytest.approx(s, rel=1e-9) for c, a in others for q, s in a["scores"].items())


def votes(case: dict[str, Any], query: str, weights: list[float], x: str, y: str) -> float:
    """The weight of the runs that rank x higher, less that of the runs that rank y higher."""
    lead = 0.0
    for run, weight in zip(case["runs"], weights, strict=True):
        order = sorted(run[query], key=lambda doc: (run[query][doc], doc), reverse=True)
        a, b = (order.index(doc) if doc in order else len(order) for doc in (x, y))
        lead += weight * ((a < b) - (b < a))
    return lead


@pytest.mark.parametrize("name", ["condorcet", "w_condorcet"])
def test_no_document_is_beaten_by_its_successor_as_in_ranx(name):
    beaten = Counter()
    for case in CASES:
        answer = next(a for a in case["answers"] if a["method"] == name)
        weights = case["weights"] if answer["weighted"] else [1.0] * len(case["runs"])
        for tool, fused in (("judged", ours(case, answer)), ("ranx", answer["scores"])):
            for query, scores in fused.items():
                ranking = sorted(scores, key=scores.get, reverse=True)
                beaten[tool] += sum(votes(case, query, weights, x, y) < -1e-9 for x, y in pairwise(ranking))
    assert beaten["judged"] == 0
    assert beaten["ranx"] > 0  # how many depends on the order of Python's sets
