"""Correlation: how alike two orders of the same items are, or two rankings."""

from judged.stats.rank_correlation.concordance import Columns, columns, numbers
from judged.stats.rank_correlation.intervals import Estimate, correlation, intervals, p_value
from judged.stats.rank_correlation.rankings import Ranked, Rankings, ranked, rankings, with_scores
from judged.stats.rank_correlation.rbo_and_overlap import RBO, average_overlap, jaccard, overlap, rbo
from judged.stats.rank_correlation.registry import COEFFICIENTS, Asked, Coefficient, asked
from judged.stats.rank_correlation.tau_and_rho import gamma, kendall, pearson, somers_d, spearman, tau_ap, weighted_tau

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
