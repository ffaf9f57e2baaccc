"""Evaluation: from what people have to one `Values`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.engine._baseline import Baseline
    from judged.engine._compared import Comparison, Critical
    from judged.engine._difference import Difference
    from judged.engine._gated import Gate
    from judged.engine._listing import number, p_text
    from judged.engine._recommend_auc import GroupedAUC, gauc
    from judged.engine._recommend_result import BeyondAccuracy
    from judged.engine._recommend_samples import SampledEstimates, evaluate_from_samples
    from judged.engine._rule import Rules
    from judged.engine._spark_frame import evaluate_frame
    from judged.engine._spark_values import FrameValues
    from judged.engine.classification import Classification, best_threshold, classify, pr_curve, roc_curve
    from judged.engine.click_fit import ClickBoard, ClickFit, ClickGrades
    from judged.engine.clicks import compare_click_models, fit_clicks, read_clicks, simulate_clicks, write_clicks
    from judged.engine.comparison import compare
    from judged.engine.correlation import Correlation, correlate
    from judged.engine.counterfactual import Counterfactuals, evaluate_from_clicks
    from judged.engine.evaluation import DEFAULT, evaluate, judge
    from judged.engine.executor import Executor, Processes, Threads
    from judged.engine.explanation import Explanation, at_every_rank, explain
    from judged.engine.gating import baseline, gate
    from judged.engine.interleaving import InterleavedLists, InterleavingOutcome, interleave, score_interleaving
    from judged.engine.jury import Agreement, agreement
    from judged.engine.merging import merge_judgments
    from judged.engine.pairwise import Correlations, correlate_all
    from judged.engine.picture import Curves, curve
    from judged.engine.powering import MeasurePower, Power, power
    from judged.engine.recommendation import beyond_accuracy, top_k
    from judged.engine.rolling import roll_up
    from judged.engine.scoring import score
    from judged.engine.spark import Spark
    from judged.engine.standing import Leaderboard, leaderboard
    from judged.engine.storage import curves_csv, load
    from judged.engine.streaming import Evaluator, Means
    from judged.engine.table import Table, cell, plain, safe
    from judged.engine.values import Values

_HOME = {
    "Agreement": "judged.engine.jury",
    "Baseline": "judged.engine._baseline",
    "BeyondAccuracy": "judged.engine._recommend_result",
    "Classification": "judged.engine.classification",
    "ClickBoard": "judged.engine.click_fit",
    "ClickFit": "judged.engine.click_fit",
    "ClickGrades": "judged.engine.click_fit",
    "Comparison": "judged.engine._compared",
    "Correlation": "judged.engine.correlation",
    "Correlations": "judged.engine.pairwise",
    "Counterfactuals": "judged.engine.counterfactual",
    "Critical": "judged.engine._compared",
    "Curves": "judged.engine.picture",
    "DEFAULT": "judged.engine.evaluation",
    "Difference": "judged.engine._difference",
    "Evaluator": "judged.engine.streaming",
    "Executor": "judged.engine.executor",
    "Explanation": "judged.engine.explanation",
    "FrameValues": "judged.engine._spark_values",
    "Gate": "judged.engine._gated",
    "GroupedAUC": "judged.engine._recommend_auc",
    "InterleavedLists": "judged.engine.interleaving",
    "InterleavingOutcome": "judged.engine.interleaving",
    "Leaderboard": "judged.engine.standing",
    "Means": "judged.engine.streaming",
    "MeasurePower": "judged.engine.powering",
    "Power": "judged.engine.powering",
    "Processes": "judged.engine.executor",
    "Rules": "judged.engine._rule",
    "SampledEstimates": "judged.engine._recommend_samples",
    "Spark": "judged.engine.spark",
    "Table": "judged.engine.table",
    "Threads": "judged.engine.executor",
    "Values": "judged.engine.values",
    "agreement": "judged.engine.jury",
    "at_every_rank": "judged.engine.explanation",
    "baseline": "judged.engine.gating",
    "best_threshold": "judged.engine.classification",
    "beyond_accuracy": "judged.engine.recommendation",
    "cell": "judged.engine.table",
    "classify": "judged.engine.classification",
    "compare": "judged.engine.comparison",
    "compare_click_models": "judged.engine.clicks",
    "correlate": "judged.engine.correlation",
    "correlate_all": "judged.engine.pairwise",
    "curve": "judged.engine.picture",
    "curves_csv": "judged.engine.storage",
    "evaluate": "judged.engine.evaluation",
    "evaluate_frame": "judged.engine._spark_frame",
    "evaluate_from_clicks": "judged.engine.counterfactual",
    "evaluate_from_samples": "judged.engine._recommend_samples",
    "explain": "judged.engine.explanation",
    "fit_clicks": "judged.engine.clicks",
    "gate": "judged.engine.gating",
    "gauc": "judged.engine._recommend_auc",
    "interleave": "judged.engine.interleaving",
    "judge": "judged.engine.evaluation",
    "leaderboard": "judged.engine.standing",
    "load": "judged.engine.storage",
    "merge_judgments": "judged.engine.merging",
    "number": "judged.engine._listing",
    "p_text": "judged.engine._listing",
    "plain": "judged.engine.table",
    "power": "judged.engine.powering",
    "pr_curve": "judged.engine.classification",
    "read_clicks": "judged.engine.clicks",
    "roc_curve": "judged.engine.classification",
    "roll_up": "judged.engine.rolling",
    "safe": "judged.engine.table",
    "score": "judged.engine.scoring",
    "score_interleaving": "judged.engine.interleaving",
    "simulate_clicks": "judged.engine.clicks",
    "top_k": "judged.engine.recommendation",
    "write_clicks": "judged.engine.clicks",
}

__all__ = [
    "DEFAULT",
    "Agreement",
    "Baseline",
    "BeyondAccuracy",
    "Classification",
    "ClickBoard",
    "ClickFit",
    "ClickGrades",
    "Comparison",
    "Correlation",
    "Correlations",
    "Counterfactuals",
    "Critical",
    "Curves",
    "Difference",
    "Evaluator",
    "Executor",
    "Explanation",
    "FrameValues",
    "Gate",
    "GroupedAUC",
    "InterleavedLists",
    "InterleavingOutcome",
    "Leaderboard",
    "Means",
    "MeasurePower",
    "Power",
    "Processes",
    "Rules",
    "SampledEstimates",
    "Spark",
    "Table",
    "Threads",
    "Values",
    "agreement",
    "at_every_rank",
    "baseline",
    "best_threshold",
    "beyond_accuracy",
    "cell",
    "classify",
    "compare",
    "compare_click_models",
    "correlate",
    "correlate_all",
    "curve",
    "curves_csv",
    "evaluate",
    "evaluate_frame",
    "evaluate_from_clicks",
    "evaluate_from_samples",
    "explain",
    "fit_clicks",
    "gate",
    "gauc",
    "interleave",
    "judge",
    "leaderboard",
    "load",
    "merge_judgments",
    "number",
    "p_text",
    "plain",
    "power",
    "pr_curve",
    "read_clicks",
    "roc_curve",
    "roll_up",
    "safe",
    "score",
    "score_interleaving",
    "simulate_clicks",
    "top_k",
    "write_clicks",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
