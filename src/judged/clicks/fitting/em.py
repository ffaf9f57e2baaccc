"""Expectation–maximisation with acceleration far from the maximum, Newton steps near it, and a test of convergence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judged._types import Floats
from judged.errors import UsageError

Step = Callable[[Floats], tuple[Floats, float]]
Newton = Callable[[Floats], tuple[Floats, float]]

_NEAR = 1e-4  # squared distance to the maximum, in standard errors, that counts as converged
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Climb:
    """Result of a maximisation: the parameters, and the objective at each accepted point, which never falls.

    The objective is the log-likelihood plus the log prior, up to a constant. `steps` counts EM and Newton steps.
    `converged` is true if every parameter is within a hundredth of its standard error of the maximum.
    """

    parameters: Floats
    trace: tuple[float, ...]
    steps: int
    converged: bool


def climb(start: Floats, step: Step, newton: Newton, *, tolerance: float = 1e-10, max_steps: int = 2000) -> Climb:
    """Repeat EM steps until the objective hardly rises, then verify that this is the maximum.

    EM alone is slow along flat ridges, where a small rise does not imply convergence. When it slows down, Newton's
    method continues with the observed information, which the intervals need anyway. Newton steps are accepted only if
    they raise the objective; otherwise EM continues.

    Args:
        start: all parameters, each strictly between 0 and 1.
        step: returns the parameters after one EM step, and the objective before it.
        newton: returns Newton's direction at a point, and its squared length in standard errors.
        tolerance: relative rise of the objective below which EM pauses.
        max_steps: maximum number of steps of both kinds.
    """
    if not 0 < tolerance < 1 or max_steps < 1:
        problem = f"tolerance must be between 0 and 1 and max_steps ≥ 1, got {tolerance!r} and {max_steps!r}"
        raise UsageError("parameter", problem)
    here, trace, steps = start, [step(start)[1]], 1
    for _ in range(_ROUNDS):
        here, steps = accelerate(here, step, trace, steps, tolerance, max_steps)
        before = steps
        here, steps, arrived = _exact(here, step, newton, trace, steps, max_steps)
        if arrived or steps >= max_steps:
            return Climb(here, tuple(trace), steps, arrived)
        tolerance = tolerance if steps > before else tolerance / 10.0
    return Climb(here, tuple(trace), steps, False)


def accelerate(
    here: Floats, step: Step, trace: list[float], steps: int, tolerance: float, max_steps: int
) -> tuple[Floats, int]:
    """Run EM with an extrapolation after every two steps (SQUAREM, scheme S3: Varadhan and Roland, Scandinavian Journal
    of Statistics 2008).

    An extrapolation that would lower the objective is rejected, so the trace is monotone as in plain EM.
    """
    first = step(here)[0]
    while steps < max_steps:
        second, middle = step(first)
        jump = _jump(here, first, second)
        third, value = step(jump)
        steps += 2
        if not value >= middle:  # also if it is NaN
            jump = second
            third, value = step(second)
            steps += 1
        rise = value - trace[-1]
        here, first = jump, third
        trace.append(value)
        if rise <= tolerance * max(abs(value), 1.0):
            break
    return here, steps


def _jump(a: Floats, b: Floats, c: Floats) -> Floats:
    """Extrapolate from three EM iterates, strictly between 0 and 1."""
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
    """Take Newton steps while they raise the objective; return the point, the number of steps, and whether it is the
    maximum.
    """
    for _ in range(_ROUNDS):
        direction, distance = newton(here)
        if 0.0 <= distance <= _NEAR:
            return here, steps, True
        better = _search_line(here, direction, step, trace[-1]) if distance > 0.0 and steps < max_steps else None
        if better is None:
            return here, steps, False
        here, value = better
        trace.append(value)
        steps += 1
    return here, steps, False


def _search_line(here: Floats, direction: Floats, step: Step, value: float) -> tuple[Floats, float] | None:
    """Return the first of ever shorter steps that raises the objective; none goes beyond 9/10 of the distance to 0 or
    1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(direction > 0, (1.0 - here) / direction, np.where(direction < 0, -here / direction, np.inf))
    reach = min(1.0, 0.9 * float(np.nanmin(room)))
    for _ in range(12):
        point = here + reach * direction
        raised = step(point)[1]
        if raised > value:
            return point, raised
        reach /= 3.0
    return None
