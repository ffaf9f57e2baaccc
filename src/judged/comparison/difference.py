"""`Difference`: two runs compared by one measure, with a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from judged._types import Floats
from judged.stats.power import MATERIAL, achieved_power, little_chance
from judged.tables.text import counted, p_text

Verdict = Literal["better", "worse", "equal", "cannot tell", "too few"]
VERDICT_WORDS: dict[Verdict, str] = {
    "better": "better", "worse": "worse", "equal": "equal", "cannot tell": "no clear difference", "too few": "too few queries",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference b - a of two runs by one measure. A positive one is worse if lower values are better."""

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
    def claim(self) -> str:
        """The verdict as a clause, without numbers."""
        if self.verdict == "too few":
            return f"Too few queries ({self.queries}) to compare {self.b} with {self.a} on {self.measure}"
        if self.verdict == "cannot tell":
            return f"No clear difference between {self.b} and {self.a} on {self.measure}"
        if self.verdict == "equal":
            return f"{self.b} and {self.a} are equal on {self.measure}"
        return f"{self.b} is {self.verdict} than {self.a} on {self.measure}"

    @property
    def words(self) -> str:
        """The verdict as a sentence, with the difference, its interval and p."""
        if self.verdict == "too few":
            return self.claim
        between = "" if math.isnan(self.low) else f" [{self.low:+.4f}, {self.high:+.4f}]"
        size = f"{self.difference:+.4f}{between}, {p_clause(self.adjusted)}"
        return f"{self.claim}: {size}" + (f"; {self.note}" if self.note else "")


def p_clause(p: float) -> str:
    """A p-value in a sentence: "p = 0.0123" or "p < 0.0001"."""
    text = p_text(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def verdict_of(
    gain: float, adjusted: float, inner: tuple[float, float] | None, *, alpha: float, margin: float, direction: float | None = None,
    identical: bool = False,
) -> Verdict:  # fmt: skip
    """Return the verdict on a gain: the difference, positive if b is better.

    Equal: the 1 - 2·alpha interval of the gain is within the margin (two one-sided tests, Schuirmann 1987), even if the difference is
    significant: it is then too small to matter. Better or worse: the corrected p is at most alpha, and the direction of what the test counts
    (queries won, ranks) is that of the mean. Otherwise there is no clear difference. Without a margin only runs that never differ are equal.
    """
    if identical:
        return "equal"
    if margin > 0 and inner is not None and -margin < inner[0] and inner[1] < margin:
        return "equal"
    if adjusted <= alpha and gain * (gain if direction is None else direction) > 0:
        return "better" if gain > 0 else "worse"
    return "cannot tell"


def power_note(d: Floats, mean: float, alpha: float, margin: float) -> tuple[float, str] | None:
    """Return the power to find a material difference and a sentence about it; None if the power is sufficient or unknown.

    Material is the margin, or without one a tenth of the mean of the run compared with.
    """
    material = margin or MATERIAL * abs(mean)
    spread = float(d.std(ddof=1)) if len(d) > 1 else 0.0
    if material == 0 or spread == 0 or not little_chance(spread, len(d), material, alpha=alpha):
        return None
    power = achieved_power(material, spread, len(d), alpha=alpha)
    what = "the margin" if margin else f"{MATERIAL:.0%} of the mean of the run compared with"
    return (
        power,
        f"{counted(len(d), 'query')} had a chance of {power:.0%} to show a difference of {material:.4f}, {what}",
    )
