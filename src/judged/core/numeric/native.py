"""The native core; None if it was not built, or if `JUDGED_NATIVE=0` disables it."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["NATIVE", "native", "usable_cores"]

native: Any = None
if os.environ.get("JUDGED_NATIVE") != "0":
    try:
        from judged.core import _native as native
    except ImportError:
        native = None

NATIVE = native is not None


def usable_cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
