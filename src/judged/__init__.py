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
        Classification,
        ClickBoard,
        ClickFit,
        ClickGrades,
        Comparison,
        Correlation,
        Counterfactuals,
        Curves,
        Explanation,
        Gate,
        InterleavedLists,
        InterleavingOutcome,
        Power,
        Values,
        agreement,
        baseline,
        best_threshold,
        classify,
        compare,
        compare_click_models,
        correlate,
        curve,
        evaluate,
        evaluate_from_clicks,
        explain,
        fit_clicks,
        gate,
        interleave,
        judge,
        load,
        merge_judgments,
        power,
        pr_curve,
        read_clicks,
        roc_curve,
        score_interleaving,
        simulate_clicks,
        write_clicks,
    )
    from judged.errors import DataError, FileError, JudgedError, UsageError, Warned
    from judged.measures import Measure, measure, parse, parse_all
    from judged.measures.profile import PROFILES
    from judged.sources import read_qrels, read_run, sample_path, write_qrels, write_run

__version__ = "0.1.0"

# Nothing heavy is imported until it is used: `judged --help` needs neither NumPy nor the measures.
_ROOMS = {
    "judged.clicks": ("ClickLog", "cascade_clicks"),
    "judged.core": ("Judged", "Policy", "Qrels", "Run"),
    "judged.engine": (
        "Agreement",
        "Baseline",
        "Classification",
        "ClickBoard",
        "ClickFit",
        "ClickGrades",
        "Comparison",
        "Correlation",
        "Counterfactuals",
        "Curves",
        "Explanation",
        "Gate",
        "InterleavedLists",
        "InterleavingOutcome",
        "Power",
        "Values",
        "agreement",
        "baseline",
        "best_threshold",
        "classify",
        "compare",
        "compare_click_models",
        "correlate",
        "curve",
        "evaluate",
        "evaluate_from_clicks",
        "explain",
        "fit_clicks",
        "gate",
        "interleave",
        "judge",
        "load",
        "merge_judgments",
        "power",
        "pr_curve",
        "read_clicks",
        "roc_curve",
        "score_interleaving",
        "simulate_clicks",
        "write_clicks",
    ),
    "judged.errors": ("DataError", "FileError", "JudgedError", "UsageError", "Warned"),
    "judged.measures": ("Measure", "measure", "parse", "parse_all"),
    "judged.measures.profile": ("PROFILES",),
    "judged.sources": ("read_qrels", "read_run", "sample_path", "write_qrels", "write_run"),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if not name.startswith("_"):
        measures = import_module("judged.measures")
        definition = next((d for d in measures.definitions() if name in (d.name, *d.aliases)), None)
        if definition is not None:
            return measures.Measure(definition)
    raise AttributeError(f"module 'judged' has no attribute {name!r}")


def __dir__() -> list[str]:
    measures = import_module("judged.measures")
    return sorted({*__all__, *(d.name for d in measures.definitions() if d.name.isidentifier())})
