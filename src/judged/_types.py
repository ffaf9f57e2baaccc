"""Array types that annotations use everywhere, and the test for masked arrays."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint64]
Column: TypeAlias = NDArray[Any]


def is_masked_array(values: Any) -> bool:
    """True for a masked array; `numpy.ma` is not imported, since whoever has one has imported it."""
    return "numpy.ma" in sys.modules and np.ma.isMaskedArray(values)
