"""Statistics over the per-query table: pure functions of columns."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.stats.bayes import Posterior, bayesian_signed_rank, bayesian_t
    from judged.stats.board import RankIntervals, Standings, rank_intervals, standings
    from judged.stats.difference import Alternative, Outcome
    from judged.stats.equivalence import Equivalence, tost
    from judged.stats.estimate import bootstrap, bootstraps, interval
    from judged.stats.family import CORRECTIONS, Correction, adjusted, correction
    from judged.stats.grouping import bars, letters
    from judged.stats.paired import bootstrap_test, sign, student
    from judged.stats.posthoc import Pairwise, nemenyi, randomised_tukey, tukey
    from judged.stats.power import achieved_power, detectable_difference, little_chance, queries_needed, simulated_power
    from judged.stats.randomisation import permutation, permutation_of
    from judged.stats.several import Anova, AnovaLine, Friedman, anova, friedman, mean_ranks
    from judged.stats.signed_rank import wilcoxon
    from judged.stats.size import (
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
    from judged.stats.studentised import range_quantile, range_tail
    from judged.stats.summary import SUMMARIES, geometric_mean, mean, summarise
    from judged.stats.test import TESTS, PairTest, outcome, outcome_of_pairs, pair_test

# An evaluation needs summaries and intervals: the rest of the room is opened when it is asked for.
_HOME = {
    "Alternative": "judged.stats.difference",
    "Anova": "judged.stats.several",
    "AnovaLine": "judged.stats.several",
    "CORRECTIONS": "judged.stats.family",
    "Correction": "judged.stats.family",
    "EFFECTS": "judged.stats.size",
    "Effect": "judged.stats.size",
    "Equivalence": "judged.stats.equivalence",
    "Friedman": "judged.stats.several",
    "Outcome": "judged.stats.difference",
    "PairTest": "judged.stats.test",
    "Pairwise": "judged.stats.posthoc",
    "Posterior": "judged.stats.bayes",
    "RankIntervals": "judged.stats.board",
    "Record": "judged.stats.size",
    "SUMMARIES": "judged.stats.summary",
    "Standings": "judged.stats.board",
    "TESTS": "judged.stats.test",
    "achieved_power": "judged.stats.power",
    "adjusted": "judged.stats.family",
    "anova": "judged.stats.several",
    "bars": "judged.stats.grouping",
    "bayesian_signed_rank": "judged.stats.bayes",
    "bayesian_t": "judged.stats.bayes",
    "bootstrap": "judged.stats.estimate",
    "bootstrap_test": "judged.stats.paired",
    "bootstraps": "judged.stats.estimate",
    "cliff": "judged.stats.size",
    "correction": "judged.stats.family",
    "detectable_difference": "judged.stats.power",
    "effect": "judged.stats.size",
    "friedman": "judged.stats.several",
    "geometric_mean": "judged.stats.summary",
    "hedges": "judged.stats.size",
    "interval": "judged.stats.estimate",
    "letters": "judged.stats.grouping",
    "little_chance": "judged.stats.power",
    "mean": "judged.stats.summary",
    "mean_difference": "judged.stats.size",
    "mean_ranks": "judged.stats.several",
    "nemenyi": "judged.stats.posthoc",
    "outcome": "judged.stats.test",
    "outcome_of_pairs": "judged.stats.test",
    "pair_test": "judged.stats.test",
    "permutation": "judged.stats.randomisation",
    "permutation_of": "judged.stats.randomisation",
    "queries_needed": "judged.stats.power",
    "randomised_tukey": "judged.stats.posthoc",
    "range_quantile": "judged.stats.studentised",
    "range_tail": "judged.stats.studentised",
    "rank_intervals": "judged.stats.board",
    "record": "judged.stats.size",
    "sign": "judged.stats.paired",
    "simulated_power": "judged.stats.power",
    "standardised": "judged.stats.size",
    "standings": "judged.stats.board",
    "student": "judged.stats.paired",
    "summarise": "judged.stats.summary",
    "superiority": "judged.stats.size",
    "tost": "judged.stats.equivalence",
    "tukey": "judged.stats.posthoc",
    "wilcoxon": "judged.stats.signed_rank",
}

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


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
