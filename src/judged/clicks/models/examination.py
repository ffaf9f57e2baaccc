"""Examination models: a document is clicked if it is examined and attractive, and examination depends on its position.

- position-based (`pbm`): on the rank (Richardson, Dominowska and Ragno, WWW 2007; Craswell et al., WSDM 2008);
- user browsing (`ubm`): on the rank and on the rank of the nearest click above (Dupret and Piwowarski, SIGIR 2008);
- the baselines `ctr`, equal for all ranks, and `rank-ctr`, equal for all documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judged._types import Bools, Floats
from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import Pairs


@dataclass(frozen=True, slots=True)
class Examination:
    """P(click) = attractiveness(query, doc) · examination(rank, nearest click above).

    `examination[k, j]` belongs to rank k + 1 with the nearest click above at rank j, 0 for none; with one column
    the clicks above do not matter. Ranks beyond the last row are examined like it.
    """

    name: str
    pairs: Pairs
    attractiveness: Floats  # by pair
    examination: Floats
    unseen: float = 0.5

    def marginal(self, lists: ShownLists) -> Floats:
        attraction = self._attraction(lists)
        if self.examination.shape[1] == 1:
            return attraction * self._row(np.arange(attraction.shape[1]))[:, 0]
        depth = attraction.shape[1]
        last = np.zeros((len(attraction), depth + 1))  # the probability that the nearest click above is at each rank
        last[:, 0] = 1.0
        chance = np.empty_like(attraction)
        for k in range(depth):
            click = attraction[:, k, None] * self._wide(k)
            chance[:, k] = (last[:, : k + 1] * click).sum(axis=1)
            last[:, : k + 1] *= 1.0 - click
            last[:, k + 1] = chance[:, k]
        return chance

    def conditional(self, lists: ShownLists, clicked: Bools) -> Floats:
        attraction = self._attraction(lists)
        if self.examination.shape[1] == 1:
            return attraction * self._row(np.arange(attraction.shape[1]))[:, 0]
        chance = np.empty_like(attraction)
        last = np.zeros(len(attraction), np.int64)
        for k in range(attraction.shape[1]):
            chance[:, k] = attraction[:, k] * self._wide(k)[last]
            last = np.where(clicked[:, k], k + 1, last)
        return chance

    def draw(self, lists: ShownLists, rng: np.random.Generator) -> Bools:
        attraction, shown = self._attraction(lists), lists.shown
        clicked = np.zeros(attraction.shape, bool)
        last = np.zeros(len(attraction), np.int64)
        for k in range(attraction.shape[1]):
            chance = attraction[:, k] * self._wide(k)[last]
            clicked[:, k] = (rng.random(len(attraction)) < chance) & shown[:, k]
            last = np.where(clicked[:, k], k + 1, last)
        return clicked

    def _attraction(self, lists: ShownLists) -> Floats:
        return lists.at(self.attractiveness, self.unseen, self.pairs)

    def _row(self, k: Any) -> Floats:
        return self.examination[np.minimum(k, len(self.examination) - 1)]

    def _wide(self, k: int) -> Floats:
        """The examination at rank k + 1 for each rank of the nearest click above, from none (0) to k."""
        row = self._row(k)
        return row[np.minimum(np.arange(k + 1), len(row) - 1)]
