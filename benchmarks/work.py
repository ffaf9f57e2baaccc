"""The works, each with what `judged` is to reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tool import Task, Tools

__all__ = ["Work", "works"]


@dataclass(frozen=True)
class Work:
    """One thing that several tools do; the first of them is what the others are compared with.

    `clock` is the time that counts; `memory` asks for a further process of each, of which memory is looked at.
    """

    name: str
    title: str
    tasks: tuple[Task, ...]
    clock: Literal["cpu", "wall"] = "cpu"
    memory: bool = False


def works(tools: Tools) -> list[Work]:
    """All of them, in the order of the page."""
    halves = ("deep, half the depth", "deep, half the queries", "wide, half the depth", "wide, half the queries")
    yardsticks = (
        tools.inside("polars, join and rank only", "columns_polars", "marco", "polars", limit=1 / 3),
        tools.inside("polars, the same, streaming", "columns_streaming", "marco", "polars", limit=1 / 3),
    )
    return [
        Work(
            "file",
            "From the file to nDCG@10, AP, RR@10, R@1000, P@10 (marco, whole process)",
            (
                tools.judged("marco"),
                tools.judged_eval("marco"),
                tools.trec_eval("marco", limit=1 / 15),
                tools.pytrec_eval("marco", limit=1 / 15),
                tools.ir_measures("marco", limit=1 / 40),
                tools.ir_measures("marco", cut=False, limit=1 / 40),
                tools.ranx("marco", limit=1 / 60),
                tools.polars("marco"),
                tools.wc("marco"),
            ),
            memory=True,
        ),
        Work(
            "scan",
            "The scan alone, judgments read before (marco, in process, all cores)",
            (tools.inside("judged", "scan", "marco", times=5), tools.wc("marco", limit=4)),
            clock="wall",
        ),
        Work(
            "dicts",
            "From dicts of dicts to the five (marco, in process)",
            (
                tools.inside("judged", "dicts", "marco"),
                tools.inside("pytrec_eval", "dicts_pytrec_eval", "marco", "pytrec_eval", limit=1 / 15),
            ),
        ),
        Work(
            "polars",
            "From polars columns to the five (marco, in process)",
            (tools.inside("judged", "columns", "marco", "polars"), *yardsticks),
        ),
        Work(
            "arrow",
            "From pyarrow columns to the five (marco, in process)",
            (tools.inside("judged", "columns_arrow", "marco", "polars", "pyarrow"), *yardsticks),
        ),
        Work(
            "again",
            "A second evaluation: twenty measures by judged, five by ranx (marco, in process)",
            (
                tools.inside("judged, 20 measures", "again", "marco", times=10),
                tools.inside("ranx, 5 measures", "again_ranx", "marco", "ranx", limit=1 / 50),
            ),
        ),
        Work(
            "compare",
            "The permutation test of 45 pairs over 6,980 queries, 1,000 resamples (in process)",
            (
                tools.inside("judged", "compare", "marco"),
                tools.inside("ranx, fisher", "compare_ranx", "marco", "ranx", times=1, limit=1 / 20),
            ),
        ),
        Work(
            "arrays",
            "Labels and scores: 10,000 lists × 200 items, five measures at three cutoffs (in process)",
            (
                tools.inside("judged, NumPy", "arrays", "marco"),
                tools.inside("judged, PyTorch", "arrays_torch", "marco", "torch"),
                tools.inside("judged, JAX", "arrays_jax", "marco", "jax"),
                tools.inside("torchmetrics", "arrays_torchmetrics", "marco", "torchmetrics", times=1, limit=1 / 50),
                tools.inside("rax, compiled", "arrays_rax", "marco", "rax", limit=1),
            ),
        ),
        Work(
            "ndcg",
            "nDCG@10 of 10,000 lists × 200 items (in process)",
            (
                tools.inside("judged", "ndcg", "marco"),
                tools.inside("scikit-learn", "ndcg_sklearn", "marco", "sklearn", times=1, limit=1 / 5),
            ),
        ),
        Work(
            "import",
            "Imports (the statement alone, byte code compiled before)",
            (
                tools.importing("import judged", "judged"),
                tools.importing("from judged import evaluate", "judged"),
                tools.importing("import numpy", "numpy", limit=1.3),
            ),
        ),
        Work(
            "covid",
            "judged eval on a small collection (covid, whole process)",
            (
                tools.judged_eval("covid"),
                tools.judged("covid"),
                tools.trec_eval("covid", limit=3),
                tools.pytrec_eval("covid"),
                tools.ir_measures("covid", limit=1 / 3),
                tools.ir_measures_script("covid", limit=1 / 3),
                tools.ir_measures("covid", cut=False, limit=1 / 3),
                tools.ranx("covid"),
            ),
        ),
        Work(
            "growth",
            "Long and many rankings: how time and memory grow (from files to the five, imports left out)",
            (
                *(tools.inside("judged", "files", data, times=1) for data in ("deep", "wide", *halves)),
                tools.pytrec_eval("deep"),
                tools.pytrec_eval("wide"),  # trec_eval looks for each query among all: minutes for so many
            ),
            memory=True,
        ),
    ]
