"""Estimated probabilities with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judged.clicks.data.log import Floats
from judged.errors import UsageError, shown

__all__ = ["ParameterEstimate", "Prior", "checked_level", "checked_prior", "counted", "estimated"]

Prior = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ParameterEstimate:
    """Probabilities, each with a standard error and an interval.

    `trials` says how many plain yes-or-no trials would tell as much: value · (1 - value) / error². The interval is that of
    a Beta distribution with this mean and so many trials. For a probability that is counted directly, this is
    exactly its posterior, Beta(successes + A, failures + B), A and B being the prior.
    """

    value: Floats
    error: Floats
    low: Floats
    high: Floats
    trials: Floats

    def __len__(self) -> int:
        return len(self.value)

    def part(self, which: slice) -> ParameterEstimate:
        """Some of them."""
        return ParameterEstimate(
            self.value[which], self.error[which], self.low[which], self.high[which], self.trials[which]
        )


def checked_prior(prior: Sequence[float]) -> Prior:
    """A pair of counts from 0, or an error."""
    try:
        a, b = (float(x) for x in prior)
    except (TypeError, ValueError) as error:
        raise UsageError("parameter", "a prior of two counts, such as (1, 1)", got=shown(prior), value=prior) from error
    if not (0 <= a < np.inf and 0 <= b < np.inf):
        raise UsageError("parameter", "a prior of two counts from 0", got=shown(prior), value=prior)
    return a, b


def checked_level(level: float) -> float:
    """The share of a confidence interval, or an error."""
    if not 0 < level < 1:
        raise UsageError("parameter", "an interval's level between 0 and 1", got=repr(level), value=level)
    return float(level)


def counted(success: Floats, trials: Floats, prior: Prior, level: float) -> ParameterEstimate:
    """Probabilities that are counted directly: (success + A) / (trials + A + B); NaN where there is nothing to count."""
    a, b = prior
    total = trials + a + b
    value = np.divide(success + a, total, out=np.full(len(total), np.nan), where=total > 0)
    return _with_trials(value, total, success, trials - success, prior, level)


def estimated(
    value: Floats, variance: Floats, success: Floats, failure: Floats, prior: Prior, level: float
) -> ParameterEstimate:
    """Probabilities with a variance from the information matrix, and their expected successes and failures.

    At 0 and at 1 the likelihood has a slope but no curvature that could serve; there the expected number of trials
    stands in. A variance of NaN says that the data do not tell the value, and leaves the error and the interval NaN.
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
    told = trials > 0
    low = np.where((success <= 1e-9) & told, 0.0, np.minimum(low, value))
    high = np.where((failure <= 1e-9) & told, 1.0, np.maximum(high, value))
    error, low, high = (np.where(told, x, np.nan) for x in (error, low, high))
    return ParameterEstimate(value, error, low, high, trials)
