"""Your rankings, judged.

    import judged as jd
    from judged import nDCG, AP

    result = jd.evaluate("qrels.txt", "bm25.run", [nDCG @ 10, AP, "RR@10"])
    print(result)

Every measure is an attribute of this module under its own name; `judged measures` lists them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.clicks import ClickLog, cascade_clicks
    from judged.clicks.api import compare_click_models, fit_clicks, read_clicks, simulate_clicks, write_clicks
    from judged.clicks.interleaving.interleave import (
        InterleavedLists,
        InterleavingOutcome,
        interleave,
        score_interleaving,
    )
    from judged.clicks.off_policy.evaluate import Counterfactuals, evaluate_from_clicks
    from judged.clicks.results import ClickBoard, ClickFit, ClickGrades
    from judged.comparison.compare import compare
    from judged.comparison.leaderboard import Leaderboard, leaderboard
    from judged.comparison.power import Power, power
    from judged.comparison.result import Comparison
    from judged.core import Judged, Policy, Qrels, Run
    from judged.correlation.correlate import Correlation, correlate
    from judged.correlation.correlate_all import Correlations, correlate_all
    from judged.curves.classify import Classification, best_threshold, classify, pr_curve, roc_curve
    from judged.curves.run_curves import Curves, curve
    from judged.distributed.executors import Executor, Processes, Threads
    from judged.distributed.spark.executor import Spark
    from judged.errors import DataError, EngineError, FileError, JudgedError, UsageError, Warned
    from judged.evaluation.arrays import score
    from judged.evaluation.evaluate import evaluate, judge
    from judged.evaluation.explain.explain import Explanation, explain
    from judged.evaluation.rag.roll_up import roll_up
    from judged.evaluation.result.storage import load
    from judged.evaluation.result.values import Values
    from judged.evaluation.spark.evaluate_frame import evaluate_frame
    from judged.evaluation.spark.frame_values import FrameValues
    from judged.evaluation.stream.evaluator import Evaluator, Means
    from judged.io import (
        any_of,
        count_tokens,
        read_qrels,
        read_questions,
        read_run,
        sample_path,
        write_qrels,
        write_run,
    )
    from judged.judges.agreement import Agreement, agreement
    from judged.judges.merge import merge_judgments
    from judged.measures import Measure, measure, parse, parse_all
    from judged.measures.profiles import PROFILES
    from judged.page.report import report
    from judged.quality_gate.baseline import Baseline
    from judged.quality_gate.gate import baseline, gate
    from judged.quality_gate.result import Gate
    from judged.recommenders.beyond_accuracy import beyond_accuracy, top_k
    from judged.recommenders.evaluate_from_samples import SampledEstimates, evaluate_from_samples
    from judged.recommenders.gauc import GroupedAUC, gauc
    from judged.recommenders.result import BeyondAccuracy

__version__ = "0.1.0"

# Nothing heavy is imported until it is used: `judged --help` needs neither NumPy nor the measures.
_ROOMS = {
    "judged.clicks": (
        "ClickLog",
        "cascade_clicks",
    ),
    "judged.clicks.api": (
        "compare_click_models",
        "fit_clicks",
        "read_clicks",
        "simulate_clicks",
        "write_clicks",
    ),
    "judged.clicks.interleaving.interleave": (
        "InterleavedLists",
        "InterleavingOutcome",
        "interleave",
        "score_interleaving",
    ),
    "judged.clicks.off_policy.evaluate": (
        "Counterfactuals",
        "evaluate_from_clicks",
    ),
    "judged.clicks.results": (
        "ClickBoard",
        "ClickFit",
        "ClickGrades",
    ),
    "judged.comparison.compare": ("compare",),
    "judged.comparison.leaderboard": (
        "Leaderboard",
        "leaderboard",
    ),
    "judged.comparison.power": (
        "Power",
        "power",
    ),
    "judged.comparison.result": ("Comparison",),
    "judged.core": (
        "Judged",
        "Policy",
        "Qrels",
        "Run",
    ),
    "judged.correlation.correlate": (
        "Correlation",
        "correlate",
    ),
    "judged.correlation.correlate_all": (
        "Correlations",
        "correlate_all",
    ),
    "judged.curves.classify": (
        "Classification",
        "best_threshold",
        "classify",
        "pr_curve",
        "roc_curve",
    ),
    "judged.curves.run_curves": (
        "Curves",
        "curve",
    ),
    "judged.distributed.executors": (
        "Executor",
        "Processes",
        "Threads",
    ),
    "judged.distributed.spark.executor": ("Spark",),
    "judged.errors": (
        "DataError",
        "EngineError",
        "FileError",
        "JudgedError",
        "UsageError",
        "Warned",
    ),
    "judged.evaluation.arrays": ("score",),
    "judged.evaluation.evaluate": (
        "evaluate",
        "judge",
    ),
    "judged.evaluation.explain.explain": (
        "Explanation",
        "explain",
    ),
    "judged.evaluation.rag.roll_up": ("roll_up",),
    "judged.evaluation.result.storage": ("load",),
    "judged.evaluation.result.values": ("Values",),
    "judged.evaluation.spark.evaluate_frame": ("evaluate_frame",),
    "judged.evaluation.spark.frame_values": ("FrameValues",),
    "judged.evaluation.stream.evaluator": (
        "Evaluator",
        "Means",
    ),
    "judged.io": (
        "any_of",
        "count_tokens",
        "read_qrels",
        "read_questions",
        "read_run",
        "sample_path",
        "write_qrels",
        "write_run",
    ),
    "judged.judges.agreement": (
        "Agreement",
        "agreement",
    ),
    "judged.judges.merge": ("merge_judgments",),
    "judged.measures": (
        "Measure",
        "measure",
        "parse",
        "parse_all",
    ),
    "judged.measures.profiles": ("PROFILES",),
    "judged.page.report": ("report",),
    "judged.quality_gate.baseline": ("Baseline",),
    "judged.quality_gate.gate": (
        "baseline",
        "gate",
    ),
    "judged.quality_gate.result": ("Gate",),
    "judged.recommenders.beyond_accuracy": (
        "beyond_accuracy",
        "top_k",
    ),
    "judged.recommenders.evaluate_from_samples": (
        "SampledEstimates",
        "evaluate_from_samples",
    ),
    "judged.recommenders.gauc": (
        "GroupedAUC",
        "gauc",
    ),
    "judged.recommenders.result": ("BeyondAccuracy",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [*_HOME, "__version__"]

_ELSEWHERE = {  # what others call it
    "roc_auc_score": "classify", "auc": "classify", "confusion_matrix": "classify", "classification_report": "classify",
    "precision_recall_curve": "pr_curve", "cohen_kappa_score": "agreement", "kappa": "agreement", "rbo": "stats.rank_correlation.rbo",
    "kendalltau": "stats.rank_correlation.kendall", "spearmanr": "stats.rank_correlation.spearman", "ttest_rel": "compare",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "integrations":
        return import_module("judged.integrations")
    if not name.startswith("_"):
        measures = import_module("judged.measures")
        definition = next((d for d in measures.definitions() if name in (d.name, *d.aliases)), None)
        if definition is not None and name == definition.name:
            return measures.Measure(definition)
        function = import_module("judged.evaluation.arrays").array_function(name)  # of labels and scores
        if function is not None:
            return function
        if definition is not None:
            return measures.Measure(definition)
    raise AttributeError(f"module 'judged' has no attribute {name!r}{_near(name)}")


def _near(name: str) -> str:
    from difflib import get_close_matches

    near = _ELSEWHERE.get(name) or next(iter(get_close_matches(name, __all__, 1)), None)
    return f"; did you mean judged.{near}?" if near else ""


def __dir__() -> list[str]:
    measures = import_module("judged.measures")
    return sorted({*__all__, *(d.name for d in measures.definitions() if d.name.isidentifier())})
