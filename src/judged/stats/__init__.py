"""Statistics over the per-query table: pure functions of columns."""

from judged.stats.interval import bootstrap
from judged.stats.summary import SUMMARIES, geometric_mean, mean, summarise

__all__ = ["SUMMARIES", "bootstrap", "geometric_mean", "mean", "summarise"]
