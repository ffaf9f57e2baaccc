"""Result classes, for annotations."""

from judged.clicks import ClickFit, Counterfactuals, InterleavedLists, InterleavingOutcome
from judged.comparison.comparison import Comparison
from judged.comparison.leaderboard import Leaderboard
from judged.comparison.power import Power
from judged.core.parts.run import Executor
from judged.correlation.correlate import Correlation, Correlations
from judged.curves import Classification, Curves
from judged.errors import Warned
from judged.evaluation.explain import Explanation
from judged.evaluation.values import Evaluations, Values
from judged.judging.agreement import Agreement
from judged.quality_gate.baseline import Baseline
from judged.quality_gate.decision import Gate
from judged.recommenders import BeyondAccuracy, GroupedAUC

__all__ = [
    "Agreement",
    "Baseline",
    "BeyondAccuracy",
    "Classification",
    "ClickFit",
    "Comparison",
    "Correlation",
    "Correlations",
    "Counterfactuals",
    "Curves",
    "Evaluations",
    "Executor",
    "Explanation",
    "Gate",
    "GroupedAUC",
    "InterleavedLists",
    "InterleavingOutcome",
    "Leaderboard",
    "Power",
    "Values",
    "Warned",
]
