"""A `Difference` between two runs by one measure, with its verdict; and the answer of a comparison in words.

The answer is a headline of at most twelve words per measure, and the size, certainty and place of the difference. Terminal,
Markdown, notebooks and the page take their words from here. Words are lists of texts and of runs by number, because names
are shortened and isolated where they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from judged._types import Floats
from judged.evaluation.model_judgments import worth_of_model
from judged.evaluation.values import Values
from judged.measures.registry import Measure, parse
from judged.stats.corrections import CORRECTIONS
from judged.stats.decisions import OPPOSITE, Verdict
from judged.stats.paired.registry import TESTS
from judged.tables.result import with_ends
from judged.tables.table import Detail, Span, counted, number, p_text, signed

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison

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
    def deciding_p(self) -> str:
        """The name of the p that decides over all queries."""
        return "p" if self.correction == "none" or self.tests <= 1 else "corrected p"

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
        if self.verdict in ("too few queries", "identical", "not comparable"):
            return f"{claim}: {self.note}" if self.verdict == "not comparable" else claim
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
    if verdict == "not comparable":
        return [b, " is not comparable with ", a, f" on {m}."]
    return ["No clear winner between ", b, " and ", a, f" on {m}."]


def p_clause(p: float) -> str:
    """A p-value in a sentence: "p = 0.0123", "p < 0.0001" or "p = 1"."""
    text = p_text(p) if p < 0.99995 else "1"
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def skewness(d: Floats) -> Floats:
    """Return the third standardised moment of each column of units × pairs, if the t test then rejects too often; else 0.

    The excess of its error over 5% is about 0.25 γ²/n for the skewness γ (Hall, The Bootstrap and Edgeworth Expansion,
    1992, 2.6). In simulations with |γ|/√n = 0.25, as of 65 exponential differences, it was one point.
    """
    if len(d) < _SKEWNESS_KNOWN:
        return np.zeros(d.shape[1])
    rest = np.ascontiguousarray(d.T)
    rest = rest - rest.mean(axis=1, keepdims=True)
    largest = np.abs(rest).max(axis=1, keepdims=True)
    rest = rest / np.where(largest > 0, largest, 1.0)
    spread = (rest**2).mean(axis=1) ** 1.5
    skew = np.divide((rest**3).mean(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)
    return np.where(np.abs(skew) > SKEWED * math.sqrt(len(d)), skew, 0.0)


def tracked_differences(rows: Iterable[Difference]) -> dict[str, float]:
    """Differences and their intervals, by the names under which they are logged: `b-a/measure`."""
    named = {f"{row.b}-{row.a}/{row.measure}": row for row in rows}
    return with_ends({n: r.difference for n, r in named.items()}, {n: (r.low, r.high) for n, r in named.items()})


# ── headlines ────────────────────────────────────────────────────────────────────────────────────

PLACES = 3
_VERY_SURE = 0.001  # corrected p below which the answer says so
_WON: tuple[Verdict, ...] = ("better", "wins more queries")
_TONES = {"better": "better", "wins more queries": "better", "worse": "worse", "loses more queries": "worse"}


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline on one measure, the runs (a, b) that it compares, and the lines below it."""

    words: Words  # empty if fewer than two runs are comparable
    pair: tuple[int, int]
    more: tuple[Words, ...] = ()
    first: tuple[Words, ...] = ()  # sentences on the runs that are not comparable, to be said first


def best_first(measure: Measure, means: Sequence[float]) -> list[int]:
    """Return the runs by mean, best first; runs without a mean come last."""
    sign = 1 if measure.definition.lower_is_better else -1
    keys = [math.inf if math.isnan(mean) else sign * mean for mean in means]
    return sorted(range(len(keys)), key=keys.__getitem__)


def words_text(words: Words, names: Sequence[str]) -> str:
    """Return words as plain text."""
    return "".join(word if isinstance(word, str) else names[word] for word in words)


def answer(comparison: Comparison, measure: str) -> Headline:
    """Return the answer on one measure."""
    means, order, base = comparison.mean_of(measure).tolist(), comparison.order(measure), comparison.baseline
    names, bad = comparison.names, comparison.incomparable
    kept = [run for run in order if names[run] not in bad]
    if len(kept) < 2 or base in bad:
        a = order[1] if base is None else names.index(base)
        found = Headline([], pair=(a, next(run for run in order if run != a)))
    elif base is not None:
        found = _against_baseline(names, base, comparison.by_measure[measure], kept)
    elif len(kept) == 2:
        a, b = sorted(kept) if means[kept[0]] == means[kept[1]] else (kept[1], kept[0])
        found = Headline(pair_headline(between(comparison, measure, a, b), a, b), pair=(a, b))
    else:
        found = _several(comparison, measure, means, kept)
    return replace(found, first=tuple(why.words for why in bad.values()))


def between(comparison: Comparison, measure: str, a: int, b: int) -> Difference:
    """Return the difference b - a, in whichever direction it was computed."""
    first, second = comparison.names[a], comparison.names[b]
    row = comparison.by_pair.get((measure, first, second))
    return comparison.by_pair[measure, second, first].turned() if row is None else row


def _against_baseline(
    names: Sequence[str], baseline: str, rows: Sequence[Difference], order: Sequence[int]
) -> Headline:
    base = names.index(baseline)
    of = {names.index(row.b): row for row in rows}
    others = [run for run in order if run != base]
    better = [run for run in others if of[run].verdict in _WON]
    pair = (base, (better or others)[0])
    if len(others) == 1:
        return Headline(pair_headline(of[pair[1]], *pair), pair=pair)
    m = rows[0].measure
    if better:
        told = _BEATS[of[better[0]].verdict][len(better) > 1]
        who: Words = [better[0]] if len(better) == 1 else [f"{len(better)} of {len(others)} runs"]
        words: Words = [*who, told, base, f" on {m}."]
    elif {of[run].verdict for run in others} == {"too few queries"}:
        words = ["Too few queries to compare the runs with ", base, f" on {m}."]
    else:
        words = ["No run is clearly better than ", base, f" on {m}."]
    rest = [run for run in others if [run] != better]  # a single better run is in the headline
    return Headline(words, pair, _by_verdict([(of[run], run) for run in rest], base))


_BEATS: dict[Verdict, tuple[str, str]] = {  # one run, and several
    "better": (" is clearly better than ", " are clearly better than "),
    "wins more queries": (" clearly wins more queries than ", " clearly win more queries than "),
}


def _several(comparison: Comparison, m: str, means: Sequence[float], order: Sequence[int]) -> Headline:
    first, pair, top = order[0], (order[1], order[0]), means[order[0]]
    if math.isnan(top):
        return Headline([f"No run has a value of {m}."], pair=pair)
    leaders = [run for run in order if means[run] == top]
    if len(leaders) == len(order):
        return Headline([f"All {len(leaders)} runs have the same {m}."], pair=pair)
    against = [(between(comparison, m, run, first), run) for run in order[1:]]
    verdicts = {row.verdict for row, _ in against}
    if verdicts <= {"better"}:
        return Headline([first, f" is clearly best on {m}."], pair=pair)
    if verdicts <= {"wins more queries", "better"}:
        return Headline([first, f" clearly wins the most queries on {m}."], pair=pair)
    if len(leaders) > 1:
        words: Words = [f"{len(leaders)} runs share the best {m}."]
    elif verdicts == {"too few queries"}:
        words = [f"Too few queries to compare the runs on {m}."]
    elif verdicts <= {*_WON, "equal"}:
        words = [first, f" has the best {m}; others equal it."]
    else:
        words = [f"No clear winner on {m}: ", first, " is ahead."]
    return Headline(words, pair, _by_verdict(against))


_PHRASES: dict[Verdict, str] = {
    "better": "Clearly better than ",
    "wins more queries": "Clearly wins more queries than ",
    "equal": "Equal to ",
    "identical": "Identical to ",
    "no clear difference": "No clear difference from ",
    "worse": "Clearly worse than ",
    "loses more queries": "Clearly loses more queries than ",
    "too few queries": "Too few queries to compare with ",
}


def _by_verdict(rows: Sequence[tuple[Difference, int]], base: int | None = None) -> tuple[Words, ...]:
    """Return a line per verdict: of the best run compared with the others, or of the others compared with the baseline."""
    lines: list[Words] = []
    for verdict, phrase in _PHRASES.items():
        others = [other for row, other in rows if row.verdict == verdict]
        if others:
            against: Words = [] if base is None else [base, ": "]
            lines.append([phrase, *against, *_list(others), "."])
    return tuple(lines)


def _list(runs: Sequence[int]) -> Words:
    """Return names as "a, b and c"; beyond four, as "a, b, c and 2 more"."""
    shown: list[str | int] = [*runs[:3], f"{len(runs) - 3} more"] if len(runs) > 4 else list(runs)
    words: Words = []
    for k, word in enumerate(shown):
        words += ["" if k == 0 else " and " if k == len(shown) - 1 else ", ", word]
    return words


# ── size, certainty and queries ──────────────────────────────────────────────────────────────────


def pair_details(row: Difference, comparison: Comparison) -> list[Detail]:
    """Return the size of the difference b - a, its certainty, and the number of queries on which b is better, same and worse."""
    (sure, *why), model = certainty(row, comparison.settings.tests), comparison.settings.model
    m = parse(row.measure)
    share = relative(row, m)[0]
    more = ""
    if share is not None:  # one decimal below 10%
        more = f" ({100 * share:+z.{0 if abs(share) >= 0.0995 else 1}f}%)".replace("-", "−")
    means = f"{row.a} {number(row.mean_a, PLACES)} → {row.b} {number(row.mean_b, PLACES)}{more}"
    ends = f"; {signed(row.low, PLACES)} to {signed(row.high, PLACES)} ({comparison.settings.interval_name()})"
    ends = "" if math.isnan(row.low) else ends
    lower = "; lower is better" if m.definition.lower_is_better else ""
    size = f"{signed(row.difference, PLACES)} {row.measure}: {means}{ends}{lower}."
    return [
        Detail("By how much?", size, span_of(row)),
        Detail("How certain?", " ".join([f"{sure}.", *why])),
        Detail("Where?", f"{counted(row.wins, 'query')} better, {row.ties:,} same, {row.losses:,} worse."),
        *([Detail("Who judged?", f"{judges_of(row, comparison.names, comparison.results)}.")] if model else []),
    ]


def span_of(row: Difference) -> Span | None:
    """Return the interval of a difference, to be drawn; measures with the same range share an axis."""
    if not math.isfinite(row.high - row.low):
        return None
    limits = parse(row.measure).definition.limits
    return Span(row.low, row.difference, row.high, _TONES.get(row.verdict, ""), str(limits or row.measure))


def relative(row: Difference, m: Measure) -> tuple[float | None, float | None]:
    """Return the difference as a share of the mean of a, and turned, of b; None if a share means nothing."""
    if row.verdict == "not comparable" or (m.definition.limits is None and not m.definition.whole):
        return None, None
    d = row.difference
    return d / row.mean_a if row.mean_a > 0 else None, -d / row.mean_b if row.mean_b > 0 else None


def certainty(row: Difference, tests: int) -> list[str]:
    """Return the certainty of the verdict on a pair, as one of `tests` that were corrected together: in a few words, then in sentences.

    A p in doubt is less sure than any other.
    """
    if row.verdict == "identical":
        return ["Nothing to test", f"The runs have the same value on {these_queries(row.queries)}."]
    if row.verdict == "too few queries":
        return ["Cannot say", _sentence(row.note or "no query has a value in both runs")]
    if row.verdict == "not comparable":
        return ["Cannot say", row.note]
    if row.verdict == "equal":
        return ["Sure", "The difference is too small to matter: its interval is within the margin."]
    corrected = row.adjusted != row.p
    where, clause = (f" in any of {tests:,} tests", "corrected ") if corrected else ("", "")
    chance = f"Chance alone gives such a difference{where} {odds(row.adjusted)} ({clause}{p_clause(row.adjusted)})."
    note, needs = ([_sentence(text)] if text else [] for text in (row.note, row.needs))
    if row.verdict == "no clear difference":
        return ["Not sure", chance, *note, *needs]
    short = "Fairly sure" if note else "Very sure" if row.adjusted < _VERY_SURE else "Sure"
    return [short, chance, *note]


def odds(p: float) -> str:
    """Return a probability in words.

    >>> odds(0.00001), odds(0.013), odds(0.34), odds(0.97)
    ('less than once in 10,000 times', 'once in 77 times', 'in 3 of 10 cases', 'in more than 9 of 10 cases')
    """
    if p < 0.0001:
        return "less than once in 10,000 times"
    if p >= 0.95:
        return "in more than 9 of 10 cases"
    if p >= 0.15:
        return f"in {round(10 * p)} of 10 cases"
    return f"once in {float(f'{1 / p:.2g}'):,.0f} times"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}.".replace("(-", "(−")


def judges_of(row: Difference, names: Sequence[str], results: Sequence[Values]) -> str:
    """Say who judged the queries, and what the judgments of the model are worth for a difference."""
    a, b = (results[names.index(name)] for name in (row.a, row.b))
    return worth_of_model(b[row.measure] - a[row.measure], (b.model or {})[row.measure] - (a.model or {})[row.measure])
