"""Simulated sessions of users who follow a click model."""

from __future__ import annotations

import numpy as np

from judged.clicks.data.grid import ShownLists
from judged.clicks.data.log import ClickLog, Codes
from judged.clicks.models.model import ClickModel
from judged.core.resample import generator
from judged.errors import UsageError


def simulate(
    model: ClickModel, lists: ShownLists, sessions: int, seed: int | np.random.Generator = 0, *, shuffled: float = 0.0
) -> ClickLog:
    """Simulate sessions, each with the clicks of one user; lists are shown in turn.

    The same seed gives the same clicks on every machine.

    Args:
        model: the click model of the users.
        lists: the lists shown.
        sessions: number of sessions.
        seed: random seed, or a generator.
        shuffled: the probability that a session shows its list in random order. With a single order,
            position and attractiveness cannot be distinguished.
    """
    if isinstance(sessions, bool) or not isinstance(sessions, (int, np.integer)) or sessions < 1:
        raise UsageError("parameter", f"sessions must be an integer ≥ 1, got {sessions!r}", value=sessions)
    which = np.arange(sessions) % len(lists)
    if not 0 <= shuffled <= 1:
        raise UsageError("parameter", f"shuffled must be between 0 and 1, got {shuffled!r}", value=shuffled)
    rng = generator(seed)
    shown_lists = ShownLists(lists.pairs, _shuffle(lists.pair[which], shuffled, rng))
    clicked = model.draw(shown_lists, rng)
    session, column = np.nonzero(shown_lists.shown)
    return ClickLog(
        sessions=tuple(range(1, sessions + 1)),
        pairs=lists.pairs,
        session=session.astype(np.int32),
        pair=shown_lists.pair[session, column],
        rank=(column + 1).astype(np.int32),
        clicked=clicked[session, column],
        name="simulated clicks",
    )


def _shuffle(pair: Codes, share: float, rng: np.random.Generator) -> Codes:
    """Shuffle some lists; the padding after the end of a list stays in place."""
    if not share:
        return pair
    chosen = np.flatnonzero(rng.random(len(pair)) < share)
    order = np.argsort(np.where(pair[chosen] < 0, 2.0, rng.random((len(chosen), pair.shape[1]))), axis=1, kind="stable")
    mixed = pair.copy()
    mixed[chosen] = np.take_along_axis(pair[chosen], order, axis=1)
    return mixed
