"""Recommendations: pure functions of arrays, beyond the relevance of each item."""

from judged.recommend import calibration, concentration, diversity, novelty  # each declares its measures
from judged.recommend.concentration import gini_of
from judged.recommend.lists import History, Lists, NotGivenError
from judged.recommend.registry import Beyond, Declared, declared, parse_beyond
from judged.recommend.sampling import by_estimated_rank, corrected, expected, naive
from judged.recommend.top import top_of_dense, top_of_sparse

__all__ = [
    "Beyond",
    "Declared",
    "History",
    "Lists",
    "NotGivenError",
    "by_estimated_rank",
    "calibration",
    "concentration",
    "corrected",
    "declared",
    "diversity",
    "expected",
    "gini_of",
    "naive",
    "novelty",
    "parse_beyond",
    "top_of_dense",
    "top_of_sparse",
]
