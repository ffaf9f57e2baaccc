"""Evaluation: from what people have to one `Values`."""

from judged.engine.evaluate import DEFAULT, evaluate, judge
from judged.engine.explain import Explanation, at_every_rank, explain
from judged.engine.storage import load
from judged.engine.table import Table, cell, plain, safe
from judged.engine.values import Values

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
