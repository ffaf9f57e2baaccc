"""Expectation–maximisation: quick steps far from the top, exact ones near it, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judged.clicks.data.log import Floats
from judged.errors import UsageError

__all__ = ["Climb", "climb"]

Step = Callable[[Floats], tuple[Floats, float]]
Newton = Callable[[Floats], tuple[Floats, float]]

_NEAR = 1e-4  # squared distance to the top, in standard errors, at which it ends
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Climb:
    """Where it ended: the parameters, the objective at each accepted point (it never falls), and how it got there.

    The objective is the log-likelihood plus the log of the prior, up to a constant. `steps` counts those of EM and of Newton. `converged`
    says that no parameter is further from the top than a hundredth of its standard error.
    """

    parameters: Floats
    trace: tuple[float, ...]
    steps: int
    converged: bool


def climb(start: Floats, step: Step, newton: Newton, *, tolerance: float = 1e-10, max_steps: int = 2000) -> Climb:
    """Repeat an EM step until the objective hardly rises, then make sure that this is the top.

    EM on its own creeps along flat ridges, and a small rise does not mean that it has arrived. So where it slows
    down, Newton's method takes over, with the observed information that the intervals need anyway; its steps are taken only
    where they raise the objective, and EM goes on where they do not.

    Args:
        start: all parameters, each strictly between 0 and 1.
        step: gives the parameters after one EM step, and the objective before it.
        newton: gives Newton's direction at a point, and the squared length of that way in standard errors.
        tolerance: the relative rise of the objective below which EM pauses.
        max_steps: steps of both kinds after which it stops anyway, unconverged.
    """
    if not 0 < tolerance < 1 or max_steps < 1:
        got = f"{tolerance!r} and {max_steps!r}"
        raise UsageError("parameter", "a tolerance between 0 and 1, and steps from 1", got=got)
    here, trace, steps = start, [step(start)[1]], 1
    for _ in range(_ROUNDS):
        here, steps = _accelerated(here, step, trace, steps, tolerance, max_steps)
        before = steps
        here, steps, arrived = _exact(here, step, newton, trace, steps, max_steps)
        if arrived or steps >= max_steps:
            return Climb(here, tuple(trace), steps, arrived)
        tolerance = tolerance if steps > before else tolerance / 10.0
    return Climb(here, tuple(trace), steps, False)


def _accelerated(
    here: Floats, step: Step, trace: list[float], steps: int, tolerance: float, max_steps: int
) -> tuple[Floats, int]:
    """EM with a jump after every two steps (SQUAREM: Varadhan and Roland, Scandinavian Journal of Statistics 2008, scheme S3).

    A jump that would lower the objective is not taken, so the trace rises as plain EM's does.
    """
    first = step(here)[0]
    while steps < max_steps:
        second, middle = step(first)
        jump = _jump(here, first, second)
        third, there = step(jump)
        steps += 2
        if not there >= middle:  # also where it is no number
            jump = second
            third, there = step(second)
            steps += 1
        rise = there - trace[-1]
        here, first = jump, third
        trace.append(there)
        if rise <= tolerance * max(abs(there), 1.0):
            break
    return here, steps


def _jump(a: Floats, b: Floats, c: Floats) -> Floats:
    """The point that three EM iterates lead to, kept strictly between 0 and 1."""
    step, bend = b - a, c - 2.0 * b + a
    length = float(np.sqrt(bend @ bend))
    if length == 0.0:
        return c
    reach = -max(float(np.sqrt(step @ step)) / length, 1.0)
    moved = a - 2.0 * reach * step + reach * reach * bend
    return np.where((moved > 0.0) & (moved < 1.0), moved, c)


def _exact(
    here: Floats, step: Step, newton: Newton, trace: list[float], steps: int, max_steps: int
) -> tuple[Floats, int, bool]:
    """Newton's steps while they raise the objective: the point, the steps so far, and whether this is the top."""
    for _ in range(_ROUNDS):
        direction, distance = newton(here)
        if 0.0 <= distance <= _NEAR:
            return here, steps, True
        better = _searched(here, direction, step, trace[-1]) if distance > 0.0 and steps < max_steps else None
        if better is None:
            return here, steps, False
        here, value = better
        trace.append(value)
        steps += 1
    return here, steps, False


def _searched(here: Floats, direction: Floats, step: Step, value: float) -> tuple[Floats, float] | None:
    """The first of ever shorter steps that raises the objective; none goes further than 9/10 of the way to 0 or 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(direction > 0, (1.0 - here) / direction, np.where(direction < 0, -here / direction, np.inf))
    reach = min(1.0, 0.9 * float(np.nanmin(room)))
    for _ in range(12):
        there = here + reach * direction
        found = step(there)[1]
        if found > value:
            return there, found
        reach /= 3.0
    return None
