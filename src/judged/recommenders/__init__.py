"""Recommendations: pure functions of arrays, beyond the relevance of each item."""

from judged.recommenders.lists import History, Lists, NotGivenError
from judged.recommenders.measures import calibration, concentration, diversity, novelty
from judged.recommenders.measures.concentration import gini_of
from judged.recommenders.registry import Beyond, Declared, declared, parse_beyond
from judged.recommenders.sampled_estimates import by_estimated_rank, corrected, expected, naive
from judged.recommenders.top_k import top_of_dense, top_of_sparse

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
