"""Random seeds: a non-negative integer, or a NumPy `Generator`."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.errors import UsageError, shown

__all__ = ["generator", "whole_seed"]


def whole_seed(seed: Any) -> int:
    """Return the seed as an `int`; raise unless it is an integer ≥ 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError("parameter", f"seed must be an integer ≥ 0, got {shown(seed)}", value=seed)
    return int(seed)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return NumPy's default generator of a seed, which is the same on every machine; a generator is returned as is."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole_seed(seed))
