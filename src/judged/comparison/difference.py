"""`Difference`: two runs compared by one measure, with a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judged._types import Floats
from judged.measures.registry import Measure
from judged.stats.decisions import OPPOSITE, Verdict
from judged.stats.power import MATERIAL, queries_needed_about
from judged.tables.result import with_ends
from judged.tables.text import counted, number, p_text

POWER = 0.8  # with which `needed` queries find a material difference

_SIGNS: dict[Verdict, str] = {
    "better": "▲",
    "worse": "▼",
    "wins more queries": "▲",
    "loses more queries": "▼",
    "equal": "=",
    "identical": "≡",
}
_SPARSE = 10  # queries that changed; with fewer, a few other queries may turn the result
SKEWED = 0.25  # |skewness| / √n above which the t test rejects in more than about 6% instead of 5%
_SKEWNESS_KNOWN = 25  # queries; from fewer, skewness cannot be estimated


def ends_text(low: float, high: float, places: int) -> str:
    """The interval of a difference, as a cell of a table."""
    return "–" if math.isnan(low) else f"[{number(low, places, sign='+')}, {number(high, places, sign='+')}]"


def largest_difference(m: Measure) -> float:
    """The largest possible difference of two values of a measure: the width of its range."""
    limits = m.definition.limits
    return math.inf if limits is None else limits[1] - limits[0]


def these_queries(n: int) -> str:
    """The queries of a comparison, in words."""
    return "this query" if n == 1 else f"these {n:,} queries"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The difference b - a of two runs by one measure. A positive one is worse if lower values are better.

    `low` and `high` are the interval of the test at the level of its correction, with confidence 1 - `level`: a run is better or
    worse exactly if it excludes 0 (and is not within the margin). `needed` is the number of queries that would find a
    material difference, if there is no clear difference and more queries are needed than there are: `material` is the
    margin, or without one a tenth of the mean of a.
    """

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
    level: float  # at which the pair was tested
    wins: int  # queries on which b is better
    ties: int
    losses: int
    p: float
    adjusted: float
    d_z: float
    superiority: float
    cliff: float
    verdict: Verdict
    material: float | None = None
    needed: int | None = None
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields by name; all are plain values."""
        return {name: getattr(self, name) for name in self.__slots__}

    def turned(self) -> Difference:
        """The same difference as a - b."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            mean_a=self.mean_b,
            mean_b=self.mean_a,
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            wins=self.losses,
            losses=self.wins,
            d_z=-self.d_z,
            superiority=1 - self.superiority,
            cliff=-self.cliff,
            verdict=OPPOSITE.get(self.verdict, self.verdict),
        )

    @property
    def claim(self) -> str:
        """The verdict as a clause, without numbers."""
        a, b, m = self.a, self.b, self.measure
        if self.verdict == "too few queries":
            return f"Too few queries ({self.queries}) to compare {b} with {a} on {m}"
        if self.verdict == "no clear difference":
            return f"No clear difference between {b} and {a} on {m}"
        if self.verdict == "identical":
            return f"{b} and {a} are identical on {m} on {these_queries(self.queries)}"
        if self.verdict == "equal":
            return f"{b} and {a} are equal on {m}"
        if self.verdict in ("wins more queries", "loses more queries"):
            return f"{b} {self.verdict} than {a} on {m}"
        return f"{b} is {self.verdict} than {a} on {m}"

    @property
    def words(self) -> str:
        """The verdict as a sentence, with the difference, its interval and p."""
        if self.verdict in ("too few queries", "identical"):
            return self.claim
        more = [text for text in (self.note, self.needs) if text]
        return "; ".join([f"{self.claim}: {self.size(4)}", *more])

    def size(self, places: int) -> str:
        """The difference, its interval and p; if there is no clear difference, the range of those that are possible first."""
        ends = [number(end, places, sign="+") for end in (self.low, self.high)]
        mean = number(self.difference, places, sign="+")
        if self.verdict == "no clear difference":
            return f"between {ends[0]} and {ends[1]} (measured {mean}), {p_clause(self)}"
        return f"{mean} [{ends[0]}, {ends[1]}], {p_clause(self)}"

    @property
    def sign(self) -> str:
        """The verdict as a sign: ▲ better, ▼ worse, = equal, ≡ identical; empty if there is no clear difference."""
        return _SIGNS.get(self.verdict, "")

    def columns(self, places: int) -> tuple[str, str, str]:
        """The difference, its interval and the verdict, as cells of a table."""
        return (
            number(self.difference, places, sign="+"),
            ends_text(self.low, self.high, places),
            self.verdict,
        )

    def brief(self, places: int = 4) -> str:
        """The same in one cell."""
        return " ".join(text for text in self.columns(places) if text != "–")

    @property
    def needs(self) -> str:
        """The number of queries that would find a material difference, as a clause; empty if there are enough."""
        if self.needed is None or self.material is None:
            return ""
        return f"a difference of {self.material:.2g} needs about {self.needed:,} queries"


def p_clause(row: Difference) -> str:
    """A p-value in a sentence: "p = 0.0123", or "corrected p < 0.0001"."""
    text, name = p_text(row.adjusted), "p" if row.adjusted == row.p else "corrected p"
    return f"{name} < {text[1:]}" if text.startswith("<") else f"{name} = {text}"


def notes_on(
    row: Difference, units: int, skew: float, spread: float, test: str, margin: float, least: float = 0.0
) -> Difference:
    """Add the notes on a difference: few queries that changed, skewness that makes a verdict doubtful, queries needed.

    Args:
        row: the difference.
        units: number of independent units: queries, or clusters of them. Queries needed are in clusters of the same size.
        skew: skewness of the differences of units.
        spread: their standard deviation.
        test: the test that was used.
        margin: largest difference that does not matter.
        least: smallest p that the units that changed can have.
    """
    notes = [row.note] if row.note else []
    changed = row.wins + row.losses
    if row.verdict not in ("identical", "too few queries"):
        never = f"p is never below {least:.3g}{f', and {row.level:.2g} is needed' if least > row.level else ''}"
        if changed < _SPARSE and row.ties:
            notes.append(f"only {changed} of {counted(row.queries, 'query')} changed{f': {never}' if least else ''}")
        elif least > row.level:
            notes.append(never)
        elif row.verdict != "no clear difference" and test in ("t", "permutation") and skewed(skew, units):
            notes.append(f"differences are skewed ({skew:+.1f}): the {test} test may reject too often, use bootstrap")
    material = margin or MATERIAL * abs(row.mean_a)
    needed = None
    if row.verdict == "no clear difference" and material > 0 and spread > 0:
        more = queries_needed_about(material, spread, power=POWER, alpha=row.level)
        needed = None if more is None else math.ceil(more * (row.queries / units))
    if needed is None or needed <= row.queries:
        return replace(row, note="; ".join(notes)) if notes else row
    return replace(row, note="; ".join(notes), material=material, needed=needed)


def skewed(skew: float, units: int) -> bool:
    """Return whether differences are so skewed that the t test rejects too often.

    The excess of its error over 5% is about 0.25 γ²/n for the skewness γ (Hall, The Bootstrap and Edgeworth Expansion,
    1992, 2.6). In simulations with |γ|/√n = 0.25, as of 65 exponential differences, it was one point.
    """
    return units >= _SKEWNESS_KNOWN and abs(skew) > SKEWED * math.sqrt(units)


def skewness(d: Floats) -> float:
    """Return the third standardised moment of a column; 0 if it does not vary."""
    return float(skewness_of(d[:, None])[0])


def skewness_of(d: Floats) -> Floats:
    """Return `skewness` of each column of units × pairs."""
    rest = np.ascontiguousarray(d.T)
    rest = rest - rest.mean(axis=1, keepdims=True)
    largest = np.abs(rest).max(axis=1, keepdims=True)
    rest = rest / np.where(largest > 0, largest, 1.0)
    spread = (rest**2).mean(axis=1) ** 1.5
    return np.divide((rest**3).mean(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)


def tracked_differences(rows: Iterable[Difference]) -> dict[str, float]:
    """Differences and their intervals, by the names under which they are logged: `b-a/measure`."""
    named = {f"{row.b}-{row.a}/{row.measure}": row for row in rows}
    return with_ends({n: r.difference for n, r in named.items()}, {n: (r.low, r.high) for n, r in named.items()})
