"""Random seeds: non-negative integers or NumPy generators."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.errors import UsageError, shown


def whole_seed(seed: Any) -> int:
    """Return the seed; raise an error if it is not a non-negative integer."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError("parameter", f"seed must be an integer ≥ 0, got {shown(seed)}", value=seed)
    return int(seed)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return the NumPy generator of a seed, the same on every machine; a generator is returned unchanged."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole_seed(seed))
