"""The protocol of click models, and the result of fitting one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from judged.clicks.data.estimate import ParameterEstimate, Prior
from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import Bools, Floats, Pairs
from judged.errors import UsageError, Warned

__all__ = ["ClickModel", "Fit", "FitSettings", "click_probabilities"]


class ClickModel(Protocol):
    """Chances of clicks on lists. Ranks at which a list shows nothing get NaN.

    A document that the model has never seen gets the prior's mean.
    """

    @property
    def name(self) -> str: ...

    @property
    def pairs(self) -> Pairs: ...

    def marginal(self, lists: ShownLists) -> Floats:
        """The chance of a click at each rank, whatever happens above."""

    def conditional(self, lists: ShownLists, clicked: Bools) -> Floats:
        """The chance of a click at each rank, given the clicks above it."""

    def draw(self, lists: ShownLists, rng: np.random.Generator) -> Bools:
        """Clicks of one user for each list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """How a model is fitted.

    Args:
        prior: (A, B), counts that are added to every probability: its estimate is (successes + A) / (trials + A + B).
            Where successes and trials are counted, this is the mean of the posterior under a Beta(A, B) prior;
            where EM expects them, it is the mode under Beta(A + 1, B + 1). (0, 0) is maximum likelihood.
        level: the share of the intervals.
        tolerance: EM ends when the objective rises by less than this, relatively.
        max_steps: EM steps after which it ends in any case.
    """

    prior: Prior = (1.0, 1.0)
    level: float = 0.95
    tolerance: float = 1e-10
    max_steps: int = 2000

    @property
    def unseen(self) -> float:
        """What is expected of something that was never seen: the prior's mean, or a half without one."""
        a, b = self.prior
        return a / (a + b) if a + b else 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model, its parameters with their uncertainty, and how EM went.

    Attributes:
        parameters: attractiveness and satisfaction by pair; examination and stopping by rank (and by the rank of the click
            above, for the user browsing model); persistence alone.
        labels: what each entry of a parameter that does not go by pair belongs to.
        relevance: what the model takes for the relevance of each pair; None where it has no such thing.
        log_likelihood: of all sessions that were fitted, natural logarithm.
        trace: the objective (log-likelihood plus log prior) after each round of EM; it never falls.
        information: whether errors come from counts, from the full observed information, or from its diagonal.
    """

    model: ClickModel
    settings: FitSettings
    parameters: Mapping[str, ParameterEstimate]
    labels: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    relevance: ParameterEstimate | None
    impressions: Floats
    clicks: Floats
    sessions: int
    log_likelihood: float
    trace: tuple[float, ...] = ()
    steps: int = 0
    converged: bool = True
    information: Literal["counts", "full", "diagonal"] = "counts"
    warnings: tuple[Warned, ...] = ()

    @property
    def pairs(self) -> Pairs:
        return self.model.pairs

    def of(self, parameter: str) -> ParameterEstimate:
        """One parameter's estimates."""
        if parameter not in self.parameters:
            known = ", ".join(self.parameters)
            raise UsageError("parameter", f"one of {known}", got=repr(parameter), value=parameter)
        return self.parameters[parameter]


def click_probabilities(model: ClickModel, lists: ShownLists) -> Floats:
    """The chance of a click at each rank of each list; NaN behind a list's end."""
    return np.where(lists.shown, model.marginal(lists), np.nan)
