"""Chain models: a user goes down the list, and after each document continues or leaves.

- cascade: leaves at the first click (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008);
- dependent click (`dcm`): after a click at rank r, leaves with a probability of that rank (Guo, Liu and Wang, WSDM 2009);
- dynamic Bayesian (`dbn`): a click satisfies with a probability of the document, and a user who is not satisfied continues
  with a persistence that is the same at all ranks; simplified (`sdbn`) when that is 1 (Chapelle and Zhang, WWW 2009).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats
from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import Pairs

Stopping = str  # the unit of satisfaction: "pair", "rank" or "always"


@dataclass(frozen=True, slots=True)
class Chain:
    """A user examines rank 1, clicks if the document attracts, may be satisfied by a click, and else continues with `persistence`.

    `satisfaction` is the probability that a click satisfies: one per pair (dbn), one per rank (dcm), or a single 1 (cascade).
    """

    name: str
    pairs: Pairs
    attractiveness: Floats  # by pair
    satisfaction: Floats
    persistence: float = 1.0
    by: Stopping = "pair"
    unseen: float = 0.5

    def marginal(self, lists: ShownLists) -> Floats:
        attraction, after_click = self._chances(lists)
        examined = np.ones(len(attraction))
        chance = np.empty_like(attraction)
        for k in range(attraction.shape[1]):
            click = attraction[:, k]
            chance[:, k] = examined * click
            examined = examined * (click * after_click[:, k] + (1.0 - click) * self.persistence)
        return chance

    def conditional(self, lists: ShownLists, clicked: Bools) -> Floats:
        attraction, after_click = self._chances(lists)
        examined = np.ones(len(attraction))
        chance = np.empty_like(attraction)
        for k in range(attraction.shape[1]):
            chance[:, k] = examined * attraction[:, k]
            left = 1.0 - chance[:, k]
            passed = np.divide(examined - chance[:, k], left, out=np.zeros_like(left), where=left > 0)
            examined = np.where(clicked[:, k], after_click[:, k], passed * self.persistence)
        return chance

    def draw(self, lists: ShownLists, rng: np.random.Generator) -> Bools:
        attraction, after_click = self._chances(lists)
        shown = lists.shown
        clicked = np.zeros(attraction.shape, bool)
        examined = np.ones(len(attraction), bool)
        for k in range(attraction.shape[1]):
            clicked[:, k] = examined & shown[:, k] & (rng.random(len(attraction)) < attraction[:, k])
            onward = np.where(clicked[:, k], after_click[:, k], self.persistence)
            examined &= rng.random(len(attraction)) < onward
        return clicked

    def _chances(self, lists: ShownLists) -> tuple[Floats, Floats]:
        """Return the attractiveness of each document, and the probability of continuing after a click on it."""
        attraction = lists.at(self.attractiveness, self.unseen, self.pairs)
        if self.by == "pair":
            satisfied = lists.at(self.satisfaction, self.unseen, self.pairs)
        else:
            rank = np.minimum(np.arange(attraction.shape[1]), len(self.satisfaction) - 1)
            satisfied = np.broadcast_to(self.satisfaction[rank], attraction.shape)
        return attraction, (1.0 - satisfied) * self.persistence
