"""Click models and what can be done with clicks: pure functions of columns."""

from judged.clicks.data.estimate import Estimate
from judged.clicks.data.grid import Lists
from judged.clicks.data.log import ClickLog, Pairs, generator
from judged.clicks.fitting.fit import MODELS, fit, model_named
from judged.clicks.interleaving.methods import (
    Interleaved,
    Outcome,
    balanced,
    balanced_credit,
    outcome,
    team_credit,
    team_draft,
)
from judged.clicks.models.cascade import CascadeClicks, attractiveness_of_grades, cascade_clicks
from judged.clicks.models.chain import Chain
from judged.clicks.models.evaluation import ClickEvaluation, evaluate_clicks
from judged.clicks.models.examination import Examination
from judged.clicks.models.grades import Grades, grade_bounds, grades_from_clicks
from judged.clicks.models.model import ClickModel, Fit, Settings, click_probabilities
from judged.clicks.models.simulation import simulate
from judged.clicks.off_policy.estimators import Counterfactual, counterfactual

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
