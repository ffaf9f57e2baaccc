"""Click models and what can be done with clicks: pure functions of columns."""

from judged.clicks.cascade import CascadeClicks, attractiveness_of_grades, cascade_clicks
from judged.clicks.chain import Chain
from judged.clicks.counterfactual import Counterfactual, counterfactual
from judged.clicks.estimate import Estimate
from judged.clicks.evaluation import ClickEvaluation, evaluate_clicks
from judged.clicks.examination import Examination
from judged.clicks.fit import MODELS, fit, model_named
from judged.clicks.grade import Grades, grade_bounds, grades_from_clicks
from judged.clicks.grid import Lists
from judged.clicks.interleaving import Interleaved, Outcome, balanced, balanced_credit, outcome, team_credit, team_draft
from judged.clicks.log import ClickLog, Pairs, generator
from judged.clicks.model import ClickModel, Fit, Settings, click_probabilities
from judged.clicks.simulation import simulate

__all__ = [
    "MODELS",
    "CascadeClicks",
    "Chain",
    "ClickEvaluation",
    "ClickLog",
    "ClickModel",
    "Counterfactual",
    "Estimate",
    "Examination",
    "Fit",
    "Grades",
    "Interleaved",
    "Lists",
    "Outcome",
    "Pairs",
    "Settings",
    "attractiveness_of_grades",
    "balanced",
    "balanced_credit",
    "cascade_clicks",
    "click_probabilities",
    "counterfactual",
    "evaluate_clicks",
    "fit",
    "generator",
    "grade_bounds",
    "grades_from_clicks",
    "model_named",
    "outcome",
    "simulate",
    "team_credit",
    "team_draft",
]
