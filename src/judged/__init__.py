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
    from judged.core import Judged, Policy, Qrels, Run
    from judged.engine import (
        Agreement,
        Baseline,
        BeyondAccuracy,
        Classification,
        ClickBoard,
        ClickFit,
        ClickGrades,
        Comparison,
        Correlation,
        Correlations,
        Counterfactuals,
        Curves,
        Evaluator,
        Executor,
        Explanation,
        FrameValues,
        Gate,
        GroupedAUC,
        InterleavedLists,
        InterleavingOutcome,
        Leaderboard,
        Means,
        Power,
        Processes,
        SampledEstimates,
        Spark,
        Threads,
        Values,
        agreement,
        baseline,
        best_threshold,
        beyond_accuracy,
        classify,
        compare,
        compare_click_models,
        correlate,
        correlate_all,
        curve,
        evaluate,
        evaluate_frame,
        evaluate_from_clicks,
        evaluate_from_samples,
        explain,
        fit_clicks,
        gate,
        gauc,
        interleave,
        judge,
        leaderboard,
        load,
        merge_judgments,
        power,
        pr_curve,
        read_clicks,
        roc_curve,
        roll_up,
        score,
        score_interleaving,
        simulate_clicks,
        top_k,
        write_clicks,
    )
    from judged.errors import DataError, EngineError, FileError, JudgedError, UsageError, Warned
    from judged.measures import Measure, measure, parse, parse_all
    from judged.measures.profile import PROFILES
    from judged.render import report
    from judged.sources import (
        any_of,
        count_tokens,
        read_qrels,
        read_questions,
        read_run,
        sample_path,
        write_qrels,
        write_run,
    )

__version__ = "0.1.0"

# Nothing heavy is imported until it is used: `judged --help` needs neither NumPy nor the measures.
_ROOMS = {
    "judged.clicks": ("ClickLog", "cascade_clicks"),
    "judged.core": ("Judged", "Policy", "Qrels", "Run"),
    "judged.engine": (
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
        "Curves",
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
        "Power",
        "Processes",
        "SampledEstimates",
        "Spark",
        "Threads",
        "Values",
        "agreement",
        "baseline",
        "best_threshold",
        "beyond_accuracy",
        "classify",
        "compare",
        "compare_click_models",
        "correlate",
        "correlate_all",
        "curve",
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
        "power",
        "pr_curve",
        "read_clicks",
        "roc_curve",
        "roll_up",
        "score",
        "score_interleaving",
        "simulate_clicks",
        "top_k",
        "write_clicks",
    ),
    "judged.errors": ("DataError", "EngineError", "FileError", "JudgedError", "UsageError", "Warned"),
    "judged.measures": ("Measure", "measure", "parse", "parse_all"),
    "judged.measures.profile": ("PROFILES",),
    "judged.render": ("report",),
    "judged.sources": (
        "any_of",
        "count_tokens",
        "read_qrels",
        "read_questions",
        "read_run",
        "sample_path",
        "write_qrels",
        "write_run",
    ),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [*_HOME, "__version__"]

_ELSEWHERE = {  # what others call it
    "roc_auc_score": "classify", "auc": "classify", "confusion_matrix": "classify", "classification_report": "classify",
    "precision_recall_curve": "pr_curve", "cohen_kappa_score": "agreement", "kappa": "agreement", "rbo": "correlation.rbo",
    "kendalltau": "correlation.kendall", "spearmanr": "correlation.spearman", "ttest_rel": "compare",
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
        function = import_module("judged.engine.scoring").array_function(name)  # of labels and scores
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
