"""Options with a fixed set of values. The command line offers the same values, and imports this file without NumPy."""

from __future__ import annotations

from typing import Literal

How = Literal["majority", "mean", "median", "max", "min", "adjudicate"]
Interval = Literal["analytic", "units", "queries"]
MergeTies = Literal["error", "lower", "higher", "first"]
Missing = Literal["keep", "drop", "error"]
WeightsName = Literal["nominal", "linear", "quadratic", "ordinal", "ratio"]
