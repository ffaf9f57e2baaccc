"""Bayesian tests: the posterior probabilities that a system is worse, practically equal, or better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from judged.errors import UsageError, shown
from judged.stats.checks import check_count, check_number, check_share, column, deviation
from judged.stats.random_stream import exponentials

_SAMPLES = 50_000
_DRAWS = 20_000_000
_BLOCK = 1 << 19


@dataclass(frozen=True, slots=True)
class Posterior:
    """Probabilities that b is worse than a, practically equal (within the rope), and better; they add up to 1."""

    test: str
    worse: float
    equal: float
    better: float
    rope: float
    queries: int
    interval: tuple[float, float] | None = None  # credible interval of the mean difference
    note: str = ""


def bayesian_t(d: Any, *, rope: float = 0.0, correlation: float = 0.0, confidence: float = 0.95) -> Posterior:
    """Return the posterior of the mean difference under a normal model with a flat prior: Student's t around the mean.

    The scale is s √(1/n + ρ/(1-ρ)), with n - 1 degrees of freedom (Benavoli, Corani, Demšar and Zaffalon, JMLR 2017).
    `correlation` is ρ: 0 for queries, or the share of held-out data if the differences come from repeated
    cross-validation (the correlated Bayesian t test). `rope` is the largest difference that is practically irrelevant.
    For one query all three probabilities are NaN; if all differences are equal, one of them is 1.

    >>> posterior = bayesian_t([0.1, 0.2, 0.3, 0.2], rope=0.01)
    >>> round(posterior.worse + posterior.equal + posterior.better, 12), posterior.better > 0.98
    (1.0, True)
    """
    differences, region, level = column(d), check_number(rope, "rope", zero=True), check_share(confidence, "confidence")
    if not isinstance(correlation, int | float) or not 0 <= correlation < 1:
        raise UsageError("parameter", f"correlation must be ≥ 0 and < 1, got {shown(correlation)}", value=correlation)
    n, mean = len(differences), float(differences.mean())
    if n == 1:
        return Posterior("t", math.nan, math.nan, math.nan, region, n, None, "one query says nothing about others")
    spread = deviation(differences)
    if spread == 0:
        worse, better = float(mean < -region), float(mean > region)
        return Posterior("t", worse, 1 - worse - better, better, region, n, (mean, mean), "all differences are equal")
    from scipy.special import stdtr, stdtrit

    scale = spread * math.sqrt(1 / n + correlation / (1 - correlation))
    worse, better = (float(stdtr(n - 1, (side * mean - region) / scale)) for side in (-1, 1))
    reach = float(stdtrit(n - 1, (1 + level) / 2)) * scale
    return Posterior("t", worse, max(0.0, 1 - worse - better), better, region, n, (mean - reach, mean + reach))


def bayesian_signed_rank(
    d: Any, *, rope: float = 0.0, prior: float = 0.5, samples: int | None = None, seed: int = 0
) -> Posterior:
    """Run the Bayesian signed-rank test, which assumes no distribution (Benavoli et al., ICML 2014; JMLR 2017).

    Under a Dirichlet process with a pseudo-query of difference 0 and weight `prior`, each draw from the posterior
    weights the queries and gives the probability that the mean of two differences is below, within (ends included) or
    above the rope. The result is the share of draws in which each of the three is the largest; ties are divided. There
    are 50,000 draws, or fewer for a total of 20 million weights, and at least 2,000; the error is about 1/√draws.
    Pairs of queries are counted by cumulative sums over the sorted differences, in O(n) per draw.
    """
    differences, region = column(d), check_number(rope, "rope", zero=True)
    pseudo = check_number(prior, "prior", zero=True)
    z = np.concatenate([[0.0], np.sort(differences)]) if pseudo else np.sort(differences)
    order = np.argsort(z, kind="stable")
    z = z[order]
    draws = max(2_000, min(_SAMPLES, _DRAWS // len(z))) if samples is None else samples
    check_count(draws, "samples")
    if len(differences) == 1:
        return Posterior(
            "signed-rank", math.nan, math.nan, math.nan, region, 1, None, "one query says nothing about others"
        )
    fuzz = 1e-12 * float(np.abs(z).max())  # a mean at the edge of the rope is within it
    below = np.searchsorted(z, -2 * region - fuzz - z, side="left")
    within = np.searchsorted(z, 2 * region + fuzz - z, side="right")
    from scipy.special import gammaincinv

    won = np.zeros(3)
    step = max(1, _BLOCK // len(z))
    for first in range(0, draws, step):
        weight = exponentials(seed, range(first, min(first + step, draws)), len(z))
        if pseudo:
            weight[:, 0] = gammaincinv(pseudo, np.exp(-weight[:, 0]))
        weight = weight[:, order]
        weight /= weight.sum(axis=1, keepdims=True)
        running = np.concatenate([np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1)
        worse = (weight * running[:, below]).sum(axis=1)
        up_to = (weight * running[:, within]).sum(axis=1)
        chances = np.stack([worse, up_to - worse, 1 - up_to], axis=1)
        largest = chances >= chances.max(axis=1, keepdims=True) - 1e-12
        won += (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    worse_, equal, better = (won / draws).tolist()
    return Posterior("signed-rank", worse_, equal, better, region, len(differences))
