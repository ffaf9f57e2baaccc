"""The protocol of click models, and the result of fitting one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from judged._types import Bools, Floats
from judged.clicks.data.estimate import ParameterEstimate, Prior
from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import Pairs
from judged.errors import UsageError, Warned


class ClickModel(Protocol):
    """Probabilities of clicks on lists. A document that the model has never seen has the mean of the prior."""

    @property
    def name(self) -> str: ...

    @property
    def pairs(self) -> Pairs: ...

    def marginal(self, lists: ShownLists) -> Floats:
        """The probability of a click at each rank, over all clicks above."""

    def conditional(self, lists: ShownLists, clicked: Bools) -> Floats:
        """The probability of a click at each rank, given the clicks above it."""

    def draw(self, lists: ShownLists, rng: np.random.Generator) -> Bools:
        """Draw the clicks of one user per list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSettings:
    """Settings of a fit.

    Args:
        prior: (A, B), counts added to every probability: its estimate is (successes + A) / (trials + A + B).
            If successes and trials are counted, this is the mean of the posterior under a Beta(A, B) prior;
            if EM estimates them, it is the mode under Beta(A + 1, B + 1). (0, 0) is maximum likelihood.
        level: confidence level of the intervals.
        tolerance: relative increase of the objective below which EM stops.
        max_steps: maximum number of EM steps.
    """

    prior: Prior = (1.0, 1.0)
    level: float = 0.95
    tolerance: float = 1e-10
    max_steps: int = 2000

    @property
    def unseen(self) -> float:
        """The probability assumed for an unseen document: the mean of the prior, or 1/2 without one."""
        a, b = self.prior
        return a / (a + b) if a + b else 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model, its parameters with their uncertainty, and the course of EM.

    Attributes:
        parameters: attractiveness and satisfaction by pair; examination and stopping by rank (and by the rank of the click
            above, for the user browsing model); persistence alone.
        labels: the rank (and rank of the click above) of each entry of a parameter that is not by pair.
        relevance: the relevance of each pair under the model; None if the model has none.
        log_likelihood: natural logarithm, of all fitted sessions.
        trace: the objective (log-likelihood plus log prior) after each round of EM; it never falls.
        information: the source of errors: counts, the full observed information, or its diagonal.
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
        """The estimates of one parameter."""
        if parameter not in self.parameters:
            known = ", ".join(self.parameters)
            raise UsageError(
                "parameter",
                f"{self.model.name} has no parameter {parameter!r}",
                hint=f"choose one of {known}",
                value=parameter,
            )
        return self.parameters[parameter]


def click_probabilities(model: ClickModel, lists: ShownLists) -> Floats:
    """The probability of a click at each rank of each list; NaN after its end."""
    return np.where(lists.shown, model.marginal(lists), np.nan)
