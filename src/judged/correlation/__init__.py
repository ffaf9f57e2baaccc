"""Correlation: how alike two orders of the same items are, or two rankings."""

from judged.correlation.coefficient import COEFFICIENTS, Asked, Coefficient, asked
from judged.correlation.estimate import Estimate, correlation, intervals, p_value
from judged.correlation.order import gamma, kendall, pearson, somers_d, spearman, tau_ap, weighted_tau
from judged.correlation.overlap import RBO, average_overlap, jaccard, overlap, rbo
from judged.correlation.pair import Columns, columns, numbers
from judged.correlation.ranking import Ranked, Rankings, ranked, rankings, with_scores

__all__ = [
    "COEFFICIENTS",
    "RBO",
    "Asked",
    "Coefficient",
    "Columns",
    "Estimate",
    "Ranked",
    "Rankings",
    "asked",
    "average_overlap",
    "columns",
    "correlation",
    "gamma",
    "intervals",
    "jaccard",
    "kendall",
    "numbers",
    "overlap",
    "p_value",
    "pearson",
    "ranked",
    "rankings",
    "rbo",
    "somers_d",
    "spearman",
    "tau_ap",
    "weighted_tau",
    "with_scores",
]
