"""The native core, if it was built and is not disabled (`JUDGED_NATIVE=0`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from judged._types import Column, Floats, Ints

native: Any = None
if os.environ.get("JUDGED_NATIVE") != "0":
    try:
        native = import_module("judged.core._native")
    except ImportError:
        native = None

NATIVE = native is not None
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1  # of this process


def end_on_bus_error(message: str, code: int) -> None:
    """End the process with a message and an exit code if a mapped file is truncated, instead of without a word."""
    if native is not None:
        native.end_on_bus_error(message, code)


def return_memory() -> None:
    """Return freed memory to the system. The C library of Linux and Arrow keep the columns of one step, which the next can hardly use."""
    if (arrow := sys.modules.get("pyarrow")) is not None:
        arrow.default_memory_pool().release_unused()
    if sys.platform == "linux":
        import ctypes

        getattr(ctypes.CDLL(None), "malloc_trim", bool)(0)


# A column as the native core takes integers, and as it takes numbers.
as_ints: Callable[[Column], Ints] = partial(np.ascontiguousarray, dtype=np.int64)
as_floats: Callable[[Column], Floats] = partial(np.ascontiguousarray, dtype=np.float64)
