"""One comparison of two runs by one measure, and what it comes to in a word."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from judged._types import Floats
from judged.stats.multiple.omnibus import mean_ranks
from judged.stats.power import MATERIAL, achieved_power, little_chance
from judged.tables.text import p_text

__all__ = ["Difference", "Verdict", "chance_of", "tilt_of", "verdict_of"]

Verdict = Literal["better", "worse", "equal", "cannot tell", "too few"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What `b` has over `a`. Positive is more of the measure, which is worse where lower is better."""

    measure: str
    a: str
    b: str
    part: str | None = None  # the slice of queries; None for all of them
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    wins: int  # queries on which b is better
    ties: int
    losses: int
    p: float
    adjusted: float
    d_z: float
    superiority: float
    cliff: float
    verdict: Verdict
    note: str = ""

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        what = f"{self.b} against {self.a} by {self.measure}"
        between = "" if math.isnan(self.low) else f" [{self.low:+.4f}, {self.high:+.4f}]"
        size = f"{self.difference:+.4f}{between}, p = {p_text(self.adjusted).replace('<', 'below ')}"
        if self.verdict == "too few":
            return f"{what}: too few queries to say ({self.queries})"
        return f"{what}: {self.verdict}, {size}" + (f"; {self.note}" if self.note else "")


def verdict_of(
    gain: float, adjusted: float, inner: tuple[float, float] | None, *, alpha: float, margin: float, tilt: float | None = None,
    identical: bool = False,
) -> Verdict:  # fmt: skip
    """The verdict on a gain (the difference, positive where b is better).

    Equal: the 1 - 2·alpha interval of the gain lies within the margin (the interval form of two one-sided tests, Schuirmann 1987),
    even where the difference is significant: it is then too small to matter. Better or worse: the corrected p is at most alpha, and what the
    test counts (`tilt`: won queries, ranks) points the same way as the mean. Cannot tell: neither. Without a margin only runs that
    never differ are equal.
    """
    if identical:
        return "equal"
    if margin > 0 and inner is not None and -margin < inner[0] and inner[1] < margin:
        return "equal"
    if adjusted <= alpha and gain * (gain if tilt is None else tilt) > 0:
        return "better" if gain > 0 else "worse"
    return "cannot tell"


def tilt_of(test: str, d: Floats) -> float | None:
    """Which way a test points that does not look at the mean: queries won less lost, or their ranks; None for the others."""
    if test == "sign":
        return float(np.sign(d).sum())
    return float((np.sign(d) * mean_ranks(-np.abs(d))).sum()) if test == "wilcoxon" else None


def chance_of(d: Floats, matters: float, alpha: float, margin: bool = False) -> str:
    """Words for a comparison that had little chance of finding a difference that would matter; none where it had."""
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    if matters == 0 or spread == 0 or not little_chance(spread, len(d), matters, alpha=alpha):
        return ""
    chance = achieved_power(matters, spread, len(d), alpha=alpha)
    what = "the margin" if margin else f"{MATERIAL:.0%} of the mean of the run compared with"
    return f"{len(d)} queries had a chance of {chance:.0%} to show a difference of {matters:.4f}, {what}"
