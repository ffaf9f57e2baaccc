"""Where chance begins: a seed that is a whole number from 0, or a generator of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from judged.errors import UsageError, shown

__all__ = ["generator", "whole_seed"]


def whole_seed(seed: Any) -> int:
    """The seed as a whole number from 0; anything else is refused."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise UsageError("parameter", "a seed that is a whole number from 0", got=shown(seed), value=seed)
    return int(seed)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """NumPy's generator of a seed, the same on every machine; a generator stays what it is."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(whole_seed(seed))
