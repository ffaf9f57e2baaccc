"""Curves: from `Judged` to points, and points to pictures."""

from judged.curves.curve import Curve, Kind, Picture
from judged.curves.mean import mean_curve, pooled_band
from judged.curves.threshold import found_by, group_ends, per_query, pooled, roc_heights, roc_points

__all__ = [
    "Curve",
    "Kind",
    "Picture",
    "found_by",
    "group_ends",
    "mean_curve",
    "per_query",
    "pooled",
    "pooled_band",
    "roc_heights",
    "roc_points",
]
