"""Settings of a method that tuning tries: weights of the runs, or values of its parameter."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from judged._types import Floats
from judged.errors import Hint, UsageError, shown
from judged.fusion.registry import Fusion, FusionSettings

_MOST = 5_000


def trials_of(method: Fusion, values: dict[str, float], runs: int, step: float) -> list[FusionSettings]:
    """Return the settings to try, those nearest to the default first, so that the first of equally good ones is the least unusual.

    Weights are multiples of `step` with sum 1. A method with a parameter and optional weights is tuned by its parameter.

    Raises:
        UsageError: `fusion-trials`: nothing to tune, or too many trials.
    """
    if method.weights == "needed":
        return [FusionSettings(values, weights) for weights in _weights(runs, step)]
    trials = [FusionSettings(values)]
    for parameter in method.parameters:
        tried = sorted(parameter.trials, key=lambda value: (abs(value - values[parameter.name]), value))
        trials = [
            FusionSettings({**values, parameter.name: value})
            for value in dict.fromkeys((values[parameter.name], *tried))
        ]
    if len(trials) == 1 and method.train is None:
        problem = f"{method.name} has no weights, parameters or training to tune"
        raise UsageError("fusion-trials", problem, hint="fuse with it as it is, or tune wsum", value=method.name)
    return trials


def _weights(runs: int, step: float) -> list[Floats]:
    parts = round(1 / step) if isinstance(step, int | float) and 1e-9 < step <= 1 else 0
    if parts < 1 or abs(parts * step - 1) > 1e-9:
        raise UsageError("fusion-trials", f"step must be 1 divided by an integer, got {shown(step)}", value=step)
    if _compositions(parts, runs) > _MOST:
        problem = f"weights of {runs} runs in steps of {step:g} are {_compositions(parts, runs):,} trials, more than {_MOST:,}"
        raise UsageError("fusion-trials", problem, hint=Hint("use larger steps: {step}", step=0.25), value=step)
    cuts = np.array(list(combinations(range(parts + runs - 1), runs - 1)), np.int64).reshape(-1, runs - 1)
    ends = np.pad(cuts, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, parts + runs - 1)))
    weights = (np.diff(ends, axis=1) - 1) / parts
    even = np.lexsort((*weights.T[::-1], np.round(np.square(weights).sum(axis=1), 12)))
    return list(weights[even])


def _compositions(parts: int, runs: int) -> int:
    from math import comb

    return comb(parts + runs - 1, runs - 1)
