"""Statistics over the per-query table: pure functions of columns."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.stats.differences import Alternative, Outcome
    from judged.stats.effect_sizes import (
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
    from judged.stats.intervals import bootstrap, bootstraps, interval
    from judged.stats.multiple.corrections import CORRECTIONS, Correction, adjusted, correction
    from judged.stats.multiple.leaderboard import RankIntervals, Standings, rank_intervals, standings
    from judged.stats.multiple.letters import bars, letters
    from judged.stats.multiple.omnibus import Anova, AnovaLine, Friedman, anova, friedman, mean_ranks
    from judged.stats.multiple.posthoc import Pairwise, nemenyi, randomised_tukey, tukey
    from judged.stats.multiple.studentised_range import range_quantile, range_tail
    from judged.stats.paired.bayes import Posterior, bayesian_signed_rank, bayesian_t
    from judged.stats.paired.equivalence import Equivalence, tost
    from judged.stats.paired.parametric import bootstrap_test, sign, student
    from judged.stats.paired.permutation import permutation, permutation_of
    from judged.stats.paired.registry import TESTS, PairTest, outcome, outcome_of_pairs, pair_test
    from judged.stats.paired.wilcoxon import wilcoxon
    from judged.stats.power import achieved_power, detectable_difference, little_chance, queries_needed, simulated_power
    from judged.stats.summary import SUMMARIES, geometric_mean, mean, summarise

# An evaluation needs summaries and intervals: the rest of the room is opened when it is asked for.
_HOME = {
    "Alternative": "judged.stats.differences",
    "Anova": "judged.stats.multiple.omnibus",
    "AnovaLine": "judged.stats.multiple.omnibus",
    "CORRECTIONS": "judged.stats.multiple.corrections",
    "Correction": "judged.stats.multiple.corrections",
    "EFFECTS": "judged.stats.effect_sizes",
    "Effect": "judged.stats.effect_sizes",
    "Equivalence": "judged.stats.paired.equivalence",
    "Friedman": "judged.stats.multiple.omnibus",
    "Outcome": "judged.stats.differences",
    "PairTest": "judged.stats.paired.registry",
    "Pairwise": "judged.stats.multiple.posthoc",
    "Posterior": "judged.stats.paired.bayes",
    "RankIntervals": "judged.stats.multiple.leaderboard",
    "Record": "judged.stats.effect_sizes",
    "SUMMARIES": "judged.stats.summary",
    "Standings": "judged.stats.multiple.leaderboard",
    "TESTS": "judged.stats.paired.registry",
    "achieved_power": "judged.stats.power",
    "adjusted": "judged.stats.multiple.corrections",
    "anova": "judged.stats.multiple.omnibus",
    "bars": "judged.stats.multiple.letters",
    "bayesian_signed_rank": "judged.stats.paired.bayes",
    "bayesian_t": "judged.stats.paired.bayes",
    "bootstrap": "judged.stats.intervals",
    "bootstrap_test": "judged.stats.paired.parametric",
    "bootstraps": "judged.stats.intervals",
    "cliff": "judged.stats.effect_sizes",
    "correction": "judged.stats.multiple.corrections",
    "detectable_difference": "judged.stats.power",
    "effect": "judged.stats.effect_sizes",
    "friedman": "judged.stats.multiple.omnibus",
    "geometric_mean": "judged.stats.summary",
    "hedges": "judged.stats.effect_sizes",
    "interval": "judged.stats.intervals",
    "letters": "judged.stats.multiple.letters",
    "little_chance": "judged.stats.power",
    "mean": "judged.stats.summary",
    "mean_difference": "judged.stats.effect_sizes",
    "mean_ranks": "judged.stats.multiple.omnibus",
    "nemenyi": "judged.stats.multiple.posthoc",
    "outcome": "judged.stats.paired.registry",
    "outcome_of_pairs": "judged.stats.paired.registry",
    "pair_test": "judged.stats.paired.registry",
    "permutation": "judged.stats.paired.permutation",
    "permutation_of": "judged.stats.paired.permutation",
    "queries_needed": "judged.stats.power",
    "randomised_tukey": "judged.stats.multiple.posthoc",
    "range_quantile": "judged.stats.multiple.studentised_range",
    "range_tail": "judged.stats.multiple.studentised_range",
    "rank_intervals": "judged.stats.multiple.leaderboard",
    "record": "judged.stats.effect_sizes",
    "sign": "judged.stats.paired.parametric",
    "simulated_power": "judged.stats.power",
    "standardised": "judged.stats.effect_sizes",
    "standings": "judged.stats.multiple.leaderboard",
    "student": "judged.stats.paired.parametric",
    "summarise": "judged.stats.summary",
    "superiority": "judged.stats.effect_sizes",
    "tost": "judged.stats.paired.equivalence",
    "tukey": "judged.stats.multiple.posthoc",
    "wilcoxon": "judged.stats.paired.wilcoxon",
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
