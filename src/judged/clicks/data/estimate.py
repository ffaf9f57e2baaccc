"""Estimated probabilities with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, shown

Prior = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ParameterEstimate:
    """Probabilities, each with a standard error and an interval.

    `trials` is the number of Bernoulli trials with the same error: value · (1 - value) / error². The interval is that of
    a Beta distribution with this mean and number of trials. For a probability that is counted directly, this is
    exactly its posterior, Beta(successes + A, failures + B) for the prior (A, B).
    """

    value: Floats
    error: Floats
    low: Floats
    high: Floats
    trials: Floats

    def __len__(self) -> int:
        return len(self.value)

    def part(self, which: slice) -> ParameterEstimate:
        """A slice of them."""
        columns = (self.value, self.error, self.low, self.high, self.trials)
        return ParameterEstimate(*(column[which] for column in columns))


def check_prior(prior: Sequence[float]) -> Prior:
    """Return a prior as two floats; raise unless it is a pair of counts ≥ 0."""
    try:
        a, b = (float(x) for x in prior)
    except (TypeError, ValueError) as error:
        raise UsageError(
            "parameter", f"prior must be two counts, such as (1, 1), got {shown(prior)}", value=prior
        ) from error
    if not (0 <= a < np.inf and 0 <= b < np.inf):
        raise UsageError("parameter", f"prior must be two counts ≥ 0, got {shown(prior)}", value=prior)
    return a, b


def estimate_from_counts(success: Floats, trials: Floats, prior: Prior, level: float) -> ParameterEstimate:
    """Estimate probabilities from counts: (success + A) / (trials + A + B); NaN without trials or prior."""
    a, b = prior
    total = trials + a + b
    value = np.divide(success + a, total, out=np.full(len(total), np.nan), where=total > 0)
    return _with_trials(value, total, success, trials - success, prior, level)


def estimate_with_variance(
    value: Floats, variance: Floats, success: Floats, failure: Floats, prior: Prior, level: float
) -> ParameterEstimate:
    """Estimate probabilities with a variance from the information matrix and their expected successes and failures.

    At 0 and at 1 the likelihood has a slope but no usable curvature; the expected number of trials
    replaces it there. If the variance is NaN (the data do not identify the value), so are the error and the interval.
    """
    spread = value * (1.0 - value)
    edge = spread < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where(edge, success + failure, spread / variance)
    return _with_trials(value, worth, success, failure, prior, level)


def _with_trials(
    value: Floats, trials: Floats, success: Floats, failure: Floats, prior: Prior, level: float
) -> ParameterEstimate:
    """Quantiles of Beta(value · trials, (1 - value) · trials); without a prior, Jeffreys' half is added to each side.

    Without a success the interval begins at 0, and without a failure it ends at 1 (Brown, Cai and DasGupta, Statistical Science 2001).
    """
    from scipy.special import betaincinv

    a = value * trials + max(0.5 - prior[0], 0.0)
    b = (1.0 - value) * trials + max(0.5 - prior[1], 0.0)
    tail = (1.0 - level) / 2.0
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = betaincinv(a, b, tail), betaincinv(a, b, 1.0 - tail)
        error = np.sqrt(value * (1.0 - value) / trials)
    known = trials > 0
    low = np.where((success <= 1e-9) & known, 0.0, np.minimum(low, value))
    high = np.where((failure <= 1e-9) & known, 1.0, np.maximum(high, value))
    error, low, high = (np.where(known, x, np.nan) for x in (error, low, high))
    return ParameterEstimate(value, error, low, high, trials)
