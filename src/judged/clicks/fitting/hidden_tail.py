"""Hidden states of a session in a chain model: everything below the last click.

Down to the last click everything was examined, and every earlier click left the user unsatisfied, so nothing is
hidden. Below the last click the user was either satisfied at once, or continued for some ranks without clicking. So
sessions are grouped by their last click and the documents below it; the rest is counted once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.clicks.data.grid import Grid, distinct_rows
from judged.clicks.data.log import sums


@dataclass(frozen=True, slots=True)
class Seen:
    """Counts of observed events."""

    clicked: Floats  # by pair
    skipped: Floats  # by pair: examined and not clicked
    onward: Floats  # clicks that did not satisfy, by pair or by rank
    steps: float  # number of times that an unsatisfied user continued


@dataclass(frozen=True, slots=True)
class Tails:
    """Ends of lists, one per column: `pair[k, g]` is at rank k + 1, and `top[g]` is the rank of the last click, or 1.

    Rows are ranks, so that a step from rank to rank uses contiguous memory.
    """

    pair: Ints  # 0 outside the tail
    below: Bools  # ranks below the top, to the end of the list
    flat: Ints  # flat indices of these cells
    flat_pair: Ints
    top: Ints
    end: Ints
    ended: Bools  # True with a click, at the top
    code: Ints  # pair or rank of that click's satisfaction
    weight: Floats

    def __len__(self) -> int:
        return len(self.top)


def seen_and_tails(grid: Grid, pairs: int, *, by: str) -> tuple[Seen, Tails]:
    """Split a log into its observed counts and its hidden tails. Satisfaction is by pair or by rank."""
    pair, clicked, weight = grid.lists.pair.astype(np.int64), grid.clicked, grid.weight
    last, length, ranks = grid.last, grid.length, np.arange(1, grid.clicked.shape[1] + 1)
    top = np.maximum(last, 1)
    spread = np.broadcast_to(weight[:, None], pair.shape)
    code = pair if by == "pair" else np.broadcast_to(ranks - 1, pair.shape)
    size = pairs if by == "pair" else len(ranks)
    skipped = (pair >= 0) & ~clicked & (ranks <= top[:, None])
    onward = clicked & (ranks < last[:, None])
    seen = Seen(
        sums(pair[clicked], spread[clicked], pairs),
        sums(pair[skipped], spread[skipped], pairs),
        sums(code[onward], spread[onward], size),
        float((weight * (top - 1)).sum()),
    )
    return seen, _tails(pair, code, last, top, length, weight)


def _tails(pair: Ints, code: Ints, last: Ints, top: Ints, length: Ints, weight: Floats) -> Tails:
    """Group the sessions whose list continues below the last click by equal tails."""
    rows = np.flatnonzero(top < length)
    ranks = np.arange(1, pair.shape[1] + 1)
    state = np.where(ranks >= top[rows, None], pair[rows], -2)
    first, place = distinct_rows(np.column_stack([state, last[rows] > 0]))
    chosen = rows[first]
    top, end = top[chosen], length[chosen]
    below = (ranks > top[:, None]) & (ranks <= end[:, None])
    shown = np.ascontiguousarray(np.where(below, pair[chosen], 0).T)
    below = np.ascontiguousarray(below.T)
    flat = np.flatnonzero(below)
    return Tails(
        pair=shown,
        below=below,
        flat=flat,
        flat_pair=shown.ravel()[flat],
        top=top,
        end=end,
        ended=last[chosen] > 0,
        code=code[chosen, top - 1],
        weight=sums(place, weight[rows], len(first)),
    )


@dataclass(frozen=True, slots=True)
class Hidden:
    """Expectations of the E-step for each tail.

    `reached[k, g]` is the probability that the user examined rank k + 1; at the top, that the click there did not
    satisfy. It is 0, and not used, above the top and below the end.
    """

    reached: Floats
    unsatisfied: Floats
    likelihood: Floats  # of a tail without clicks


def hidden(tails: Tails, attraction: Floats, satisfaction: Floats, persistence: float) -> Hidden:
    """Compute the probabilities of the hidden states, given that nothing below the top was clicked.

    Backward over ranks: the probability T_k that an unsatisfied user at rank k clicks nothing below it is T_k = (1 -
    γ) + γ·(1 - a_(k+1))·T_(k+1), and 1 at the end. Forward: the probability that the user reached each rank.
    """
    depth, size = tails.pair.shape
    onward = np.zeros((depth, size))  # γ·(1 - a_k)·T_k: continue to rank k and click nothing from there
    quiet = np.ones((depth, size))
    for k in range(depth - 1, 0, -1):
        np.multiply(persistence * (1.0 - attraction[tails.pair[k]]), quiet[k], out=onward[k], where=tails.below[k])
        np.add(1.0 - persistence, onward[k], out=quiet[k - 1], where=tails.below[k])
    at_top = quiet[tails.top - 1, np.arange(size)]
    satisfied = np.where(tails.ended, satisfaction[tails.code], 0.0)
    likelihood = satisfied + (1.0 - satisfied) * at_top
    unsatisfied = _ratio((1.0 - satisfied) * at_top, likelihood)
    reached = np.zeros((depth, size))
    reached[tails.top - 1, np.arange(size)] = unsatisfied
    for k in range(1, depth):
        reached[k] += reached[k - 1] * _ratio(onward[k], quiet[k - 1])
    return Hidden(reached, unsatisfied, likelihood)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
