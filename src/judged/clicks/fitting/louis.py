"""Observed information of a chain model by Louis' formula: complete information less the variance of the complete score.

I = E[complete information] - Var[complete score] (Louis, Journal of the Royal Statistical Society B 1982)

The hidden state is the last rank examined below the last click. Let X_k indicate that rank k was reached unsatisfied.
These events are nested, so Cov(X_j, X_k) = x_k·(1 - x_j) for j above k, where x are their probabilities; and every
score is linear in them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.clicks.data.log import Pairs, sums
from judged.clicks.fitting.hidden_tail import Hidden, Tails
from judged.clicks.fitting.information import BlockArrow, Blocks, block_arrow

_CELLS = 1 << 21  # numbers in memory at a time
_EDGE = 1e-9


@dataclass(frozen=True, slots=True)
class ParameterLayout:
    """Positions of the parameters in blocks: one per query, or one per parameter if those are too large.

    Parameters are one vector: attractiveness by pair, then satisfaction, then persistence if it is free. Shared
    parameters follow the local ones: satisfaction, if it is by rank, and persistence.
    """

    blocks: Blocks
    local: Ints  # position among the local parameters of attractiveness and, by pair, of satisfaction
    block: Ints  # of each local parameter
    query: Ints  # of each pair
    pairs: int
    own_stop: bool
    full: bool

    @classmethod
    def of(cls, pairs: Pairs, *, own_stop: bool) -> ParameterLayout:
        docs = np.bincount(pairs.query, minlength=len(pairs.queries))
        blocks = Blocks(docs * (2 if own_stop else 1))
        query = pairs.query.astype(np.int64)
        place = blocks.first[query] + np.arange(len(pairs)) - (np.cumsum(docs) - docs)[query]
        local = np.append(place, place + docs[query]) if own_stop else place
        full = blocks.feasible()
        if not full:
            blocks = Blocks(np.ones(int(blocks.first[-1]), np.int64))
        owner = np.repeat(np.arange(len(blocks.size)), blocks.size)
        return cls(blocks, local, owner, query, len(pairs), own_stop, full)

    def split(self, values: Floats) -> tuple[Floats, Floats]:
        """Split a vector of all parameters into local ones by position, and shared ones."""
        local = np.zeros(len(self.local))
        local[self.local] = values[: len(self.local)]
        return local, values[len(self.local) :]

    def join(self, local: Floats, shared: Floats) -> Floats:
        """Join local and shared parameters into one vector."""
        return np.append(local[self.local], shared)

    def diagonal(self) -> Ints:
        """Return the index of each local parameter's diagonal cell in the buffer of blocks."""
        place = np.arange(len(self.local))
        inside = place - self.blocks.first[self.block]
        return self.blocks.start[self.block] + inside * (self.blocks.size[self.block] + 1)


def chain_information(
    layout: ParameterLayout,
    tails: Tails,
    state: Hidden,
    parameters: Floats,
    success: Floats,
    failure: Floats,
    *,
    going: bool,
) -> BlockArrow:
    """Compute the inverse information at `parameters`; `success` and `failure` are expected counts with the prior.

    Parameters at 0 or 1 count as known. `going` is true if the last parameter is the persistence.
    """
    live = parameters * (1.0 - parameters) > _EDGE
    safe = np.where(live, parameters, 0.5)
    complete = np.where(live, success / safe**2 + failure / (1.0 - safe) ** 2, 0.0)
    own, beyond = layout.split(complete)
    local = np.zeros(int(layout.blocks.start[-1]))
    mixed = np.zeros((len(layout.local), len(beyond)))
    centre = np.zeros((len(beyond), len(beyond)))
    for part in _parts(tails, layout):
        scores = _scores(layout, tails, state, part, safe, live)
        _subtract_local(local, layout, scores)
        if not layout.own_stop:
            _subtract_stop(mixed, centre, scores, part, tails, safe, live, layout)
        if going and live[-1]:
            _subtract_going(mixed, centre, scores, safe[-1], stops=0 if layout.own_stop else len(beyond) - 1)
    local[layout.diagonal()] += own / 2.0
    centre[np.diag_indices(len(beyond))] += beyond
    return block_arrow(layout.blocks, local, mixed, centre)


def _parts(tails: Tails, layout: ParameterLayout) -> list[Ints]:
    """Split the tails, sorted by query, so that each part uses a small range of the matrix."""
    if not len(tails):
        return []
    first_below = tails.pair[tails.top, np.arange(len(tails))]
    order = np.argsort(layout.query[first_below], kind="stable")
    return np.array_split(order, max(1, -(-len(tails) * tails.pair.shape[0] // _CELLS)))


@dataclass(frozen=True, slots=True)
class _Scores:
    """Complete scores of some tails: by rank (rows), the coefficient of X_k in the score of the local parameter at
    `place`.
    """

    reached: Floats  # probability of each X
    slope: Floats  # 0 without a local parameter
    place: Ints
    below: Bools
    at_top: Bools
    at_end: Bools
    weight: Floats


def _scores(layout: ParameterLayout, tails: Tails, state: Hidden, part: Ints, safe: Floats, live: Bools) -> _Scores:
    below, pair, top = tails.below[:, part], tails.pair[:, part], tails.top[part] - 1
    ranks = np.arange(len(pair))[:, None]
    slope = np.where(below & live[pair], -1.0 / (1.0 - safe[pair]), 0.0)
    place = layout.local[pair]
    if layout.own_stop:
        stop, columns = layout.pairs + tails.code[part], np.arange(len(part))
        known = tails.ended[part] & live[stop]
        slope[top, columns] = np.where(known, -1.0 / (safe[stop] * (1.0 - safe[stop])), 0.0)
        place[top, columns] = layout.local[np.where(known, stop, 0)]
    return _Scores(
        state.reached[:, part], slope, place, below, ranks == top, ranks == tails.end[part] - 1, tails.weight[part]
    )


def _subtract_local(half: Floats, layout: ParameterLayout, s: _Scores) -> None:
    """Subtract the covariances of local scores, Cov(X_j, X_k) = x_k·(1 - x_j) for ranks j above k, from the blocks.

    Each covariance is subtracted once, and half of each variance, so that a block plus its transpose is complete.
    """
    if not layout.full:
        values = (s.weight * s.slope**2 * s.reached * (1.0 - s.reached)).ravel() / 2.0
        half -= sums(s.place.ravel(), values, len(half))
        return
    blocks, some = layout.blocks, s.slope != 0
    last = s.place[s.at_end.argmax(axis=0), np.arange(s.place.shape[1])]
    owner = layout.block[last]  # the last document belongs to the query of the tail
    size, start = blocks.size[owner], blocks.start[owner]
    low, high = int(start.min()), int((start + size**2).max())
    inside = np.where(some, s.place - blocks.first[owner], 0)
    line = start - low + inside * size
    lacking, having = s.weight * s.slope * (1.0 - s.reached), s.slope * s.reached
    for j in range(len(some)):
        if not some[j].any():
            continue
        for k in range(j, len(some)):
            values = lacking[j] * having[k]
            half[low:high] -= sums(line[j] + inside[k], values / 2.0 if j == k else values, high - low)


def _subtract_stop(
    mixed: Floats,
    centre: Floats,
    s: _Scores,
    part: Ints,
    tails: Tails,
    safe: Floats,
    live: Bools,
    layout: ParameterLayout,
) -> None:
    """Subtract the covariances of satisfaction by rank, whose score has only the X at the top."""
    code = tails.code[part]
    stop = layout.pairs + code
    slope = np.where(tails.ended[part] & live[stop], -1.0 / (safe[stop] * (1.0 - safe[stop])), 0.0)
    at_top = (s.reached * s.at_top).sum(axis=0)
    lacking = s.weight * slope * (1.0 - at_top)
    across = np.where(s.below, lacking * s.reached * s.slope, 0.0)
    wide = mixed.shape[1]
    mixed -= sums((s.place * wide + code).ravel(), across.ravel(), mixed.size).reshape(mixed.shape)
    stops = sums(code, lacking * at_top * slope, wide)
    centre[np.diag_indices(wide)] -= stops


def _subtract_going(mixed: Floats, centre: Floats, s: _Scores, going: float, *, stops: int) -> None:
    """Subtract the covariances of persistence, whose score has every X of a tail, by cumulative sums over ranks."""
    slope = s.below / going + s.at_end / (1.0 - going) - s.at_top / (1.0 - going)
    lacking, having = np.cumsum((1.0 - s.reached) * slope, axis=0), s.reached * slope
    after = having.sum(axis=0) - np.cumsum(having, axis=0)
    across = s.weight * (s.reached * lacking + (1.0 - s.reached) * after)
    mixed[:, stops] -= sums(s.place.ravel(), (across * s.slope).ravel(), len(mixed))
    centre[stops, stops] -= float((across * slope).sum())
