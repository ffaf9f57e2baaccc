"""Evaluation: from what people have to one `Values`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged.engine.evaluation import DEFAULT, evaluate, judge
    from judged.engine.explanation import Explanation, at_every_rank, explain
    from judged.engine.storage import load
    from judged.engine.table import Table, cell, plain, safe
    from judged.engine.values import Values

_HOME = {
    "DEFAULT": "judged.engine.evaluation",
    "Explanation": "judged.engine.explanation",
    "Table": "judged.engine.table",
    "Values": "judged.engine.values",
    "at_every_rank": "judged.engine.explanation",
    "cell": "judged.engine.table",
    "evaluate": "judged.engine.evaluation",
    "explain": "judged.engine.explanation",
    "judge": "judged.engine.evaluation",
    "load": "judged.engine.storage",
    "plain": "judged.engine.table",
    "safe": "judged.engine.table",
}

__all__ = [
    "DEFAULT",
    "Explanation",
    "Table",
    "Values",
    "at_every_rank",
    "cell",
    "evaluate",
    "explain",
    "judge",
    "load",
    "plain",
    "safe",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
