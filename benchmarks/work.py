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
                tools.trec_eval("marco", limit=1 / 25),
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
            (tools.inside("judged", "scan", "marco", times=5), tools.wc("marco", limit=2.5)),
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
        *_fusion(tools),
        *_formats(tools),
        *_many_runs(tools),
        *_small_calls(tools),
        *_drop_ins(tools),
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


def _fusion(tools: Tools) -> list[Work]:
    """Fusion of two runs; ranx is compiled before."""
    pairs = (
        ("fuse", "CombSUM of min-max scores and RRF of two runs of a million rows (in process)", "million", 1 / 10),
        ("condorcet", "Condorcet fusion of the same, 100 documents per ranking (in process)", "million", 1 / 10),
        ("fuse_files", "RRF of two TREC files of a million lines (in process)", "million", 1 / 10),
        ("tune", "Weights of two runs tuned by nDCG@10: by judged with five folds, by ranx without (in process)", "covid", None),
    )  # fmt: skip
    return [
        Work(
            name,
            title,
            (tools.inside("judged", name, data), tools.inside("ranx", f"{name}_ranx", data, "ranx", limit=limit)),
        )
        for name, title, data, limit in pairs
    ]


def _formats(tools: Tools) -> list[Work]:
    """A run of a million lines in each format, against a library that only reads the file."""
    peers = {
        "run.gz": tools.zcat("million as run.gz", limit=1.3),
        "parquet": tools.reading("polars.read_parquet", "million as parquet"),
        "json": tools.reading("orjson.loads", "million as json", limit=1),
        "csv": tools.reading("polars.read_csv", "million as csv", limit=1.2),
        "jsonl": tools.reading("polars.read_ndjson", "million as jsonl", limit=1.2),
        "parts": tools.judged_eval("million", tool="judged eval, one file", limit=1.2),
    }
    names = {"run.gz": "gzip", "jsonl": "json lines", "parts": "a directory of TREC files"}
    return [
        Work("trec", "From a TREC file of a million lines to the five (whole process)", (tools.judged_eval("million"), tools.trec_eval("million"), tools.wc("million"))),
        *(
            Work(kind.removeprefix("run."), f"The same from {names.get(kind, kind)} (whole process)", (tools.judged_eval(f"million as {kind}"), peer))
            for kind, peer in peers.items()
        ),
        Work(
            "trec_eval", "judged trec_eval and trec_eval (marco, whole process)",
            (tools.judged_trec_eval("marco"), tools.trec_eval("marco", limit=1 / 8, lean=1)),
        ),
    ]  # fmt: skip


def _many_runs(tools: Tools) -> list[Work]:
    shape = tools.shape("sixty")
    sixty, bounds = f"{shape.runs} runs of {shape.rows:,} lines", (("cpu", 2.0), ("peak", 200.0))
    maximum = ("--test", "permutation", "--correction", "max", "-m", "nDCG@10")
    return [
        Work(
            "runs", f"judged eval of {sixty} (whole process)",
            (tools.judged_runs("eval", "sixty"), tools.judged_runs("eval", "sixty", first=1, tool="judged eval, one run"), tools.trec_eval_each("sixty", limit=1)),
        ),
        Work(
            "pairs", f"judged compare and report of {sixty}, all pairs (whole process)",
            (
                tools.judged_runs("compare", "sixty", most=bounds),
                tools.judged_runs("compare", "sixty", *maximum, tool="judged compare, permutation", most=bounds),
                tools.judged_runs("report", "sixty", "-o", "report.html", tool="judged report", most=(("cpu", 4.0), ("peak", 400.0))),
            ),
        ),
        Work(
            "track", f"judged compare of {tools.shape('track').runs} runs × {tools.shape('track').queries} queries (whole process)",
            (tools.judged_runs("compare", "track", "-m", "nDCG@10", tool="judged compare"), tools.judged_runs("compare", "track", "-m", "nDCG@10", "-b", "system000", tool="judged compare, baseline")),
        ),
    ]  # fmt: skip


def _small_calls(tools: Tools) -> list[Work]:
    return [
        Work(
            "small", "judged eval of 40 queries (whole process)",
            (tools.judged_eval("small"), tools.whole_import("numpy", limit=1.4), tools.ir_measures_script("small", limit=1), tools.trec_eval("small")),
        ),
        Work(
            "calls", "evaluate of 5 queries × 20 documents in dicts, 1,000 calls (in process)",
            (
                tools.inside("judged", "calls", "small", most=(("cpu", 0.3),)),
                tools.inside("pytrec_eval", "calls_pytrec_eval", "small", "pytrec_eval"),
            ),
        ),
        Work(
            "batches", "nDCG of 32 lists × 100 items, 1,000 calls (in process)",
            (
                tools.inside("judged", "batches", "small", most=(("cpu", 0.2),)),
                tools.inside("scikit-learn", "batches_sklearn", "small", "sklearn"),
            ),
        ),
        Work(
            "cutoff", "nDCG@10 of 4,000 lists × 200 items (in process)",
            (
                tools.inside("judged", "cutoff", "small", times=10),
                tools.inside("scikit-learn, ignore_ties", "cutoff_sklearn", "small", "sklearn", limit=1 / 3),
            ),
            clock="wall",
        ),
    ]  # fmt: skip


def _drop_ins(tools: Tools) -> list[Work]:
    """The same program with a tool and with the module of `judged.compat` that replaces it."""

    def work(name: str, title: str, job: str, module: str, data: str, ours: str = "", limit: float | None = 1) -> Work:
        tool, module_of_ours = module.partition(".")[0], f"judged.compat.{ours or module}"
        return Work(
            f"drop-in-{name}", title,
            (tools.inside("judged.compat", f"{job}:{module_of_ours}", data), tools.inside(tool, f"{job}:{module}", data, tool, limit=limit)),
        )  # fmt: skip

    return [
        work("pytrec_eval", "The drop-in of pytrec_eval: dicts of a million rows to the five", "drop_in_pytrec_eval", "pytrec_eval", "million", limit=1 / 5),
        work("calls", "The drop-in of pytrec_eval: 5 queries × 20 documents, one evaluator, 1,000 calls", "drop_in_calls", "pytrec_eval", "small", limit=None),
        work("ir_measures", "The drop-in of ir_measures: files of a million lines to four measures", "drop_in_ir_measures", "ir_measures", "million", limit=1 / 20),
        work("ranx", "The drop-in of ranx: dicts of a million rows to the five", "drop_in_ranx", "ranx", "million"),
        work("ranx-compare", "The drop-in of ranx: five runs of 500 queries compared by three measures", "drop_in_ranx_compare", "ranx", "small"),
        work("sklearn", "The drop-in of scikit-learn: two measures of 2,000 lists × 100 items", "drop_in_sklearn", "sklearn.metrics", "small", "sklearn"),
        work("beir", "The drop-in of BEIR: dicts of a million rows to four measures at six cutoffs", "drop_in_beir", "beir.retrieval.evaluation", "million", "beir"),
    ]  # fmt: skip
