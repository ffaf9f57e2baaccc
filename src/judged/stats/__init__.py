"""Statistics over the per-query table: pure functions of columns."""

from judged.stats.bayes import Posterior, bayesian_signed_rank, bayesian_t
from judged.stats.board import RankIntervals, Standings, rank_intervals, standings
from judged.stats.correction import CORRECTIONS, Correction, adjusted, correction
from judged.stats.difference import Alternative, Outcome
from judged.stats.effect import (
    EFFECTS,
    Effect,
    Record,
    cliff,
    effect,
    hedges,
    mean_difference,
    record,
    standardised,
    superiority,
)
from judged.stats.equivalence import Equivalence, tost
from judged.stats.grouping import bars, letters
from judged.stats.interval import bootstrap, bootstraps, interval
from judged.stats.paired import bootstrap_test, sign, student
from judged.stats.permutation import permutation, permutation_of
from judged.stats.posthoc import Pairwise, nemenyi, randomised_tukey, tukey
from judged.stats.power import achieved_power, detectable_difference, little_chance, queries_needed, simulated_power
from judged.stats.several import Anova, AnovaLine, Friedman, anova, friedman, mean_ranks
from judged.stats.studentised import range_quantile, range_tail
from judged.stats.summary import SUMMARIES, geometric_mean, mean, summarise
from judged.stats.test import TESTS, PairTest, outcome, outcome_of_pairs, pair_test
from judged.stats.wilcoxon import wilcoxon

__all__ = [
    "CORRECTIONS",
    "EFFECTS",
    "SUMMARIES",
    "TESTS",
    "Alternative",
    "Anova",
    "AnovaLine",
    "Correction",
    "Effect",
    "Equivalence",
    "Friedman",
    "Outcome",
    "PairTest",
    "Pairwise",
    "Posterior",
    "RankIntervals",
    "Record",
    "Standings",
    "achieved_power",
    "adjusted",
    "anova",
    "bars",
    "bayesian_signed_rank",
    "bayesian_t",
    "bootstrap",
    "bootstrap_test",
    "bootstraps",
    "cliff",
    "correction",
    "detectable_difference",
    "effect",
    "friedman",
    "geometric_mean",
    "hedges",
    "interval",
    "letters",
    "little_chance",
    "mean",
    "mean_difference",
    "mean_ranks",
    "nemenyi",
    "outcome",
    "outcome_of_pairs",
    "pair_test",
    "permutation",
    "permutation_of",
    "queries_needed",
    "randomised_tukey",
    "range_quantile",
    "range_tail",
    "rank_intervals",
    "record",
    "sign",
    "simulated_power",
    "standardised",
    "standings",
    "student",
    "summarise",
    "superiority",
    "tost",
    "tukey",
    "wilcoxon",
]
