"""Statistics over the per-query table: pure functions of columns."""

from judged.stats.interval import bootstrap, bootstraps
from judged.stats.summary import SUMMARIES, geometric_mean, mean, summarise

__all__ = ["SUMMARIES", "bootstrap", "bootstraps", "geometric_mean", "mean", "summarise"]
