"""Masked arrays of NumPy."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def is_masked_array(values: Any) -> bool:
    """True for a masked array; `numpy.ma` is not imported, since whoever has one has imported it."""
    return "numpy.ma" in sys.modules and np.ma.isMaskedArray(values)
