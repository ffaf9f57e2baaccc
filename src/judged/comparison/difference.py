"""A `Difference` between two runs by one measure, with its verdict; and all differences of a comparison, under its settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.measures.registry import Measure
from judged.stats.checks import deviations
from judged.stats.corrections import CORRECTIONS
from judged.stats.decisions import OPPOSITE, Decisions, Verdict, decide_family
from judged.stats.differences import known_rows, linearised, sum_by_cluster
from judged.stats.effect_sizes import cliff, record, standardised
from judged.stats.paired.registry import TESTS
from judged.stats.power import MATERIAL, queries_needed_about
from judged.stats.two_phase import FEWEST, CheapValues, two_phase_means
from judged.tables.result import with_ends
from judged.tables.table import counted, number, p_text

Family = Literal["measure", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSettings:
    """The test and the correction of a comparison, from which intervals and verdicts follow.

    `test` is the one that was used, and `remarks` says why if another one was chosen. `tests` and `slice_tests` are the
    numbers of tests that are corrected together: over all queries, and over slices. These families are the pairs of runs
    within one `measure`, or the pairs and measures together (`all`).
    """

    test: str
    correction: str
    alpha: float
    margin: float
    min_queries: int
    resamples: int | None
    seed: int
    clusters: int | None = None  # number of clusters of queries
    weighted: bool = False  # queries have weights
    model: bool = False  # human judgments of some queries, and those of a model of all
    family: Family = "measure"
    tests: int = 0
    slice_tests: int = 0
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        drawn = f", {self.resamples:,} resamples" if self.resamples else ""
        drawn += f", {self.clusters:,} clusters of queries" if self.clusters else ""
        drawn += ", weighted queries" if self.weighted else ""
        drawn += ", human judgments with the help of a model's" if self.model else ""
        over = f"{self.tests:,} tests ({self.pairs_in_words})"
        over += f", slices over {self.slice_tests:,} ({self.slice_family})" if self.slice_tests else ""
        alone = self.correction == "none" or max(self.tests, self.slice_tests) <= 1
        corrected = "no correction" if alone else f"{self.correction} correction over {over}"
        margin = f", margin {self.margin:g}" if self.margin else ""
        seed = f", seed {self.seed}" if "seed" in TESTS.find(self.test).options else ""
        return f"{self.test} test{drawn}, {corrected}, alpha {self.alpha:g}{margin}{seed}"

    def interval_name(self, *, slices: bool = False) -> str:
        """The head of the column of intervals, which says what their confidence level holds for."""
        tests = self.slice_tests if slices else self.tests
        share = f"{round(100 * (1 - self.alpha), 6):g}% interval"
        if self.correction == "none" or tests <= 1:
            return share
        return f"simultaneous {share}" if CORRECTIONS.find(self.correction).level else "interval at its level"

    @property
    def pairs_in_words(self) -> str:
        """The tests over all queries that are corrected together."""
        return "the pairs of a measure" if self.family == "measure" else "pairs × measures"

    @property
    def slice_family(self) -> str:
        """The tests of slices that are corrected together."""
        return "the pairs and slices of a measure" if self.family == "measure" else "pairs, measures and slices"

    @property
    def about_intervals(self) -> str:
        """A sentence on the confidence level of the intervals of differences; empty for a single test."""
        name, share = self.interval_name(), f"{round(100 * (1 - self.alpha), 6):g}%"
        if name.startswith("simultaneous"):
            return f"all {self.tests:,} intervals{' of a measure' if self.family == 'measure' else ''} hold at once with a confidence of {share}"
        if name == f"{share} interval":
            return ""
        return f"intervals are at the level at which {self.correction} tests each pair"


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
    def words(self) -> str:
        """The verdict as a sentence, with the difference, its interval and p."""
        claim = "".join(map(str, pair_headline(self, self.a, self.b))).removesuffix(".")
        if self.verdict in ("too few queries", "identical"):
            return claim
        more = [text for text in (self.note, self.needs) if text]
        return "; ".join([f"{claim}: {self.size(4)}", *more])

    def size(self, places: int) -> str:
        """The difference, its interval and p; if there is no clear difference, the range of those that are possible first."""
        low, mean, high = (number(one, places, sign="+") for one in (self.low, self.difference, self.high))
        p = f"{'' if self.adjusted == self.p else 'corrected '}{p_clause(self.adjusted)}"
        if self.verdict == "no clear difference":
            return f"between {low} and {high} (measured {mean}), {p}"
        return f"{mean} [{low}, {high}], {p}"

    @property
    def sign(self) -> str:
        """The verdict as a sign: ▲ better, ▼ worse, = equal, ≡ identical; empty if there is no clear difference."""
        return _SIGNS.get(self.verdict, "")

    def columns(self, places: int) -> tuple[str, str, str]:
        """The difference, its interval and the verdict, as cells of a table."""
        low, mean, high = (number(one, places, sign="+") for one in (self.low, self.difference, self.high))
        return mean, "–" if math.isnan(self.low) else f"[{low}, {high}]", self.verdict

    @property
    def needs(self) -> str:
        """The number of queries that would find a material difference, as a clause; empty if there are enough."""
        if self.needed is None or self.material is None:
            return ""
        share = f" ({self.material / abs(self.mean_a):.0%} of the mean)" if self.mean_a else ""
        return f"a difference of {self.material:.2g}{share} needs about {self.needed:,} queries"


Words = list[str | int]


def pair_headline(row: Difference, a: str | int, b: str | int, *, turned: bool = False) -> Words:
    """Return the headline of one pair: the verdict on b, compared with a; `turned` if the row has them the other way round.

    Runs are names, or numbers that are replaced where the words are shown.
    """
    m, verdict = row.measure, OPPOSITE.get(row.verdict, row.verdict) if turned else row.verdict
    if verdict in ("better", "worse"):
        return [b, f" is clearly {verdict} than ", a, f" on {m}."]
    if verdict in ("wins more queries", "loses more queries"):
        return [b, f" clearly {verdict} than ", a, f" on {m}."]
    if verdict == "identical":
        return [b, " and ", a, f" are identical on {m} on {these_queries(row.queries)}."]
    if verdict == "equal":
        return [b, " and ", a, f" are equal on {m}, within the margin."]
    if verdict == "too few queries":
        return ["Too few queries to compare ", b, " with ", a, f" on {m}."]
    return ["No clear winner between ", b, " and ", a, f" on {m}."]


def p_clause(p: float) -> str:
    """A p-value in a sentence: "p = 0.0123", "p < 0.0001" or "p = 1"."""
    text = p_text(p) if p < 0.99995 else "1"
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def notes_on(row: Difference, units: int, skew: float, spread: float, test: str, margin: float) -> Difference:
    """Add the notes on a difference: few queries that changed, skewness that makes a verdict doubtful, queries needed.

    Args:
        row: the difference.
        units: number of independent units: queries, or clusters of them. Queries needed are in clusters of the same size.
        skew: skewness of the differences of units.
        spread: their standard deviation.
        test: the test that was used.
        margin: largest difference that does not matter.
    """
    notes = [row.note] if row.note else []
    changed = row.wins + row.losses
    if row.verdict not in ("identical", "too few queries"):
        if changed < _SPARSE and row.ties:
            notes.append(f"only {changed} of {counted(row.queries, 'query')} changed")
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


def skewness(d: Floats) -> Floats:
    """Return the third standardised moment of each column of units × pairs; 0 if it does not vary."""
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


_PAIRS = 4096  # described at a time: their values are columns of all queries


class _Slice(NamedTuple):
    """The values of a measure on the queries of a slice, or on all of them, with the clusters (codes) or weights of the queries."""

    measure: Measure
    label: str | None
    values: Floats
    clusters: Ints | None
    weights: Floats | None
    cheap: CheapValues | None  # values by a model, of more queries


@dataclass(frozen=True, slots=True)
class PairsOfRuns:
    """Pairs (a, b) of runs, the slices of queries and how they are compared."""

    names: Sequence[str]
    pairs: Ints
    slices: Sequence[tuple[str, Bools]]
    clusters: Ints | None
    settings: ComparisonSettings
    weights: Floats | None = None  # of the queries
    model: Mapping[str, Floats] | None = None  # values by a model, queries × runs

    def compare(self, columns: Mapping[Measure, Floats]) -> tuple[list[Difference], ComparisonSettings]:
        """Compare every pair by each measure, values of queries × runs, over all queries and then over each slice.

        The pairs by one measure over all queries are a family of tests, and those over all slices that have enough
        queries another; or the pairs by all measures, if the settings say so. The settings are returned with the
        numbers of tests and what was remarked on them.
        """
        s, families, remarks = self.settings, [columns], dict[str, None]()
        rows, more, tests, slice_tests, used = list[Difference](), list[Difference](), 0, 0, s.test
        if s.family == "measure":
            families = [{m: x} for m, x in columns.items()]
            first, *others = map(str, columns)
            if others:
                rest = "the other one is" if len(others) == 1 else f"the other {len(others)} are"
                remarks[f"the primary measure is {first}; {rest} secondary, each tested on its own"] = None
        for family in families:
            found, count, texts, test = self._family(family, [(None, True)], 1)
            rows, tests = [*rows, *found], max(tests, count)
            remarks |= dict.fromkeys(texts)
            used = test if test != s.test else used
            if self.slices:
                found, count, texts, _ = self._family(family, self.slices, s.min_queries)
                more, slice_tests = [*more, *found], max(slice_tests, count)
                remarks |= dict.fromkeys(f"slices: {text}" for text in texts)
        resamples = s.resamples if used == s.test else None
        told = tuple(remarks)
        settings = replace(s, test=used, resamples=resamples, tests=tests, slice_tests=slice_tests, remarks=told)
        return [*rows, *more], settings

    def _family(
        self, columns: Mapping[Measure, Floats], slices: Sequence[tuple[str | None, Bools | bool]], least: int
    ) -> tuple[list[Difference], int, tuple[str, ...], str]:
        """Differences on each slice by each measure, the number of tests, the remarks on them, and the test that was used."""
        s, parts = self.settings, list[_Slice]()
        for m, x in columns.items():
            known = known_rows(x) if self.weights is None else known_rows(x) & (self.weights > 0)
            by_model = None if self.model is None else self.model[str(m)]
            for label, inside in slices:
                rows, cheap = known & inside, None
                if by_model is not None:  # its values of all queries, or of all of a slice
                    whole = known_rows(by_model) & inside
                    rows &= whole
                    cheap = CheapValues(by_model[whole], rows[whole])
                clusters = None if self.clusters is None else self.clusters[rows]
                weights = None if self.weights is None else self.weights[rows]
                parts.append(_Slice(m, label, x[rows], clusters, weights, cheap))
        tested = [part for part in parts if len(part.values) >= least]
        decided = decide_family(
            [part.values for part in tested],
            self.pairs,
            test=s.test,
            correction=s.correction,
            alpha=s.alpha,
            margin=s.margin,
            limits=[largest_difference(part.measure) for part in tested],
            clusters=[part.clusters for part in tested],
            weights=[part.weights for part in tested],
            cheap=[part.cheap for part in tested],
            resamples=s.resamples,
            seed=s.seed,
        )
        by_part = iter(decided)
        found = [
            row for part in parts for row in self._rows(part, next(by_part) if len(part.values) >= least else None)
        ]
        if not decided:
            return found, 0, (), s.test
        return found, decided[0].tests, decided[0].remarks, decided[0].test

    def _rows(self, part: _Slice, decided: Decisions | None) -> list[Difference]:
        """The differences of all pairs on a slice; undecided if it has too few queries."""
        x, lower, rows = part.values, part.measure.definition.lower_is_better, []
        if part.weights is not None and len(x):
            w = part.weights / part.weights.max()
            x = linearised(w[:, None] * x, w)  # whose plain mean is the weighted one
        if not len(x):
            means = np.full(len(self.names), math.nan)
        elif part.cheap is None or len(x) < FEWEST:
            means = np.asarray(x.mean(axis=0))
        else:  # the estimates for all queries
            means = two_phase_means(part.values, part.cheap).mean
        if decided is None:
            return self._untested(part, means)
        units = x if part.clusters is None else linearised(*sum_by_cluster(part.values, part.clusters))
        for start in range(0, len(self.pairs), _PAIRS):
            pairs = self.pairs[start : start + _PAIRS]
            a, b = part.values[:, pairs[:, 0]], part.values[:, pairs[:, 1]]
            d = units[:, pairs[:, 1]] - units[:, pairs[:, 0]]
            tested = x[:, pairs[:, 0]], x[:, pairs[:, 1]]
            counts = record(a, b)
            sizes = standardised(*tested), counts.superiority, cliff(a, b)
            skew, spread = skewness(d).tolist(), deviations(d).tolist()
            for k, pair in enumerate(pairs.tolist()):
                i = start + k
                verdict = decided.verdict[i]
                row = self._row(
                    part,
                    pair,
                    means,
                    (int(counts.wins[k]), int(counts.losses[k])),
                    difference=float(decided.difference[i]),
                    low=float(decided.low[i]),
                    high=float(decided.high[i]),
                    level=float(decided.level[i]),
                    p=float(decided.p[i]),
                    adjusted=float(decided.adjusted[i]),
                    d_z=float(sizes[0][k]),
                    superiority=1 - float(sizes[1][k]) if lower else float(sizes[1][k]),
                    cliff=float(sizes[2][k]),
                    note=decided.note[i],
                    verdict=OPPOSITE.get(verdict, verdict) if lower else verdict,
                )
                rows.append(notes_on(row, len(d), skew[k], spread[k], decided.test, self.settings.margin))
        return rows

    def _untested(self, part: _Slice, means: Floats) -> list[Difference]:
        """The rows of a slice of too few queries."""
        x, rows = part.values, []
        unknown: dict[str, Any] = dict.fromkeys(
            ("low", "high", "level", "p", "adjusted", "d_z", "superiority", "cliff"), math.nan
        )
        for a, b in self.pairs.tolist():
            sides = int((x[:, b] > x[:, a]).sum()), int((x[:, b] < x[:, a]).sum())
            more = float(means[b] - means[a])
            rows.append(self._row(part, (a, b), means, sides, difference=more, verdict="too few queries", **unknown))
        return rows

    def _row(
        self, part: _Slice, pair: Sequence[int], means: Floats, sides: tuple[int, int], **found: Any
    ) -> Difference:
        """The difference of a pair; `sides` are the numbers of queries on which the second run has the higher and the lower value."""
        wins, losses = reversed(sides) if part.measure.definition.lower_is_better else sides
        a, b = pair
        return Difference(
            measure=str(part.measure),
            a=self.names[a],
            b=self.names[b],
            part=part.label,
            queries=len(part.values),
            mean_a=float(means[a]),
            mean_b=float(means[b]),
            wins=wins,
            ties=len(part.values) - wins - losses,
            losses=losses,
            **found,
        )
