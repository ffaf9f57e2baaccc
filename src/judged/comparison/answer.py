"""The answer of a comparison: a headline of at most twelve words per measure, and the size, certainty and place of the difference.

Terminal, Markdown, notebooks and the page take their words from here. Words are lists of texts and of
runs by number, because names are shortened and isolated where they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judged.comparison.difference import Difference, Words, p_clause, pair_headline, these_queries
from judged.comparison.evaluated_runs import judges_of
from judged.measures.registry import Measure, parse
from judged.stats.decisions import Verdict
from judged.tables.table import Detail, Span, number, signed

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison

PLACES = 3
_VERY_SURE = 0.001  # corrected p below which the answer says so
_WON: tuple[Verdict, ...] = ("better", "wins more queries")
_TONES = {"better": "better", "wins more queries": "better", "worse": "worse", "loses more queries": "worse"}


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline on one measure, the runs (a, b) that it compares, and the lines below it."""

    words: Words
    pair: tuple[int, int]
    more: tuple[Words, ...] = ()


def best_first(measure: Measure, means: Sequence[float]) -> list[int]:
    """Return the runs by mean, best first; runs without a mean come last."""
    sign = 1 if measure.definition.lower_is_better else -1
    keys = [math.inf if math.isnan(mean) else sign * mean for mean in means]
    return sorted(range(len(keys)), key=keys.__getitem__)


def words_text(words: Words, names: Sequence[str]) -> str:
    """Return words as plain text."""
    return "".join(word if isinstance(word, str) else names[word] for word in words)


# ── headlines ────────────────────────────────────────────────────────────────────────────────────


def answer(comparison: Comparison, measure: str) -> Headline:
    """Return the answer on one measure."""
    means = comparison.mean_of(measure).tolist()
    order = best_first(parse(measure), means)
    rows = comparison.by_measure[measure]
    if comparison.baseline is not None:
        return _against_baseline(comparison.names, comparison.baseline, rows, order)
    if len(comparison.names) == 2:
        a, b = (0, 1) if means[0] == means[1] else (order[1], order[0])
        return Headline(pair_headline(between(comparison, measure, a, b), a, b), pair=(a, b))
    return _several(comparison, measure, means, order)


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
    return [
        Detail("By how much?", size_text(row, comparison.settings.interval_name()), span_of(row)),
        Detail("How certain?", " ".join([f"{sure}.", *why])),
        Detail("Where?", f"{row.wins:,} queries better, {row.ties:,} same, {row.losses:,} worse."),
        *([Detail("Who judged?", f"{judges_of(row, comparison.names, comparison.results)}.")] if model else []),
    ]


def size_text(row: Difference, interval: str) -> str:
    """Return the difference, both means, the relative difference and the interval, in a sentence."""
    m = parse(row.measure)
    share = relative(row, m)[0]
    more = ""
    if share is not None:  # one decimal below 10%
        more = f" ({100 * share:+z.{0 if abs(share) >= 0.0995 else 1}f}%)".replace("-", "−")
    ends = "" if math.isnan(row.low) else f"; {signed(row.low, PLACES)} to {signed(row.high, PLACES)} ({interval})"
    lower = "; lower is better" if m.definition.lower_is_better else ""
    means = f"{row.a} {number(row.mean_a, PLACES)} → {row.b} {number(row.mean_b, PLACES)}{more}"
    return f"{signed(row.difference, PLACES)} {row.measure}: {means}{ends}{lower}."


def span_of(row: Difference) -> Span | None:
    """Return the interval of a difference, to be drawn; measures with the same range share an axis."""
    if not math.isfinite(row.high - row.low):
        return None
    limits = parse(row.measure).definition.limits
    return Span(row.low, row.difference, row.high, _TONES.get(row.verdict, ""), str(limits or row.measure))


def relative(row: Difference, m: Measure) -> tuple[float | None, float | None]:
    """Return the difference as a share of the mean of a, and turned, of b; None if a share means nothing."""
    if m.definition.limits is None and not m.definition.whole:
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
