"""The answer of the page: a headline of at most twelve words per measure and per pair of runs, and how certain it is.

Words are lists of texts and of runs by number, because names are shortened and isolated where they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judged.comparison.difference import Difference, these_queries
from judged.comparison.result import Comparison
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.tables.text import number, p_text

Words = list[str | int]

_VERY_SURE = 0.001  # p below which the page says so
_WON = ("better", "wins more queries")


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline on one measure, the lines below it, and the pair (a, b) that it compares; None for a single run."""

    words: Words
    more: tuple[Words, ...] = ()
    pair: tuple[int, int] | None = None


def answers(subject: Subject) -> list[Headline]:
    """Return one answer per measure."""
    if subject.comparison is None:
        return [_single(subject, i) for i in range(len(subject.measures))]
    return [_answer(subject, subject.comparison, i) for i in range(len(subject.measures))]


def best_first(subject: Subject, i: int) -> list[int]:
    """Return the runs by mean, best first; runs without a mean come last."""
    sign = 1 if subject.measures[i].definition.lower_is_better else -1
    keys = [sign * v if v == v else float("inf") for v in subject.means[i]]
    return sorted(range(len(keys)), key=keys.__getitem__)


def words_text(words: Words, names: Sequence[str]) -> str:
    """Return words as plain text."""
    return "".join(word if isinstance(word, str) else names[word] for word in words)


# ── headlines ────────────────────────────────────────────────────────────────────────────────────


def pair_headline(row: Difference, a: int, b: int) -> Words:
    """Return the headline of one pair: the verdict on b, compared with a."""
    m = row.measure
    if row.verdict in ("better", "worse"):
        return [b, f" is clearly {row.verdict} than ", a, f" on {m}."]
    if row.verdict in ("wins more queries", "loses more queries"):
        return [b, f" clearly {row.verdict} than ", a, f" on {m}."]
    if row.verdict == "identical":
        return [b, " and ", a, f" are identical on {m} on {these_queries(row.queries)}."]
    if row.verdict == "equal":
        return [b, " and ", a, f" are equal on {m}, within the margin."]
    if row.verdict == "too few queries":
        return ["Too few queries to compare ", b, " with ", a, f" on {m}."]
    return ["No clear winner between ", b, " and ", a, f" on {m}."]


def _single(subject: Subject, i: int) -> Headline:
    m, value = subject.measures[i], subject.means[i][0]
    kind = {"sum": "total", "geometric": "geometric mean"}.get(m.definition.summary, "mean")
    shown = number(value, 0 if m.definition.whole else 3)
    return Headline([0, f" has a {kind} {m} of {shown}."])


def _answer(subject: Subject, comparison: Comparison, i: int) -> Headline:
    order = best_first(subject, i)
    name = str(subject.measures[i])
    rows = [row for row in comparison.rows if row.measure == name]
    if comparison.baseline is not None:
        return _against_baseline(subject, comparison.baseline, rows, order)
    if len(subject.runs) == 2:
        a, b = (0, 1) if subject.means[i][0] == subject.means[i][1] else (order[1], order[0])
        row = subject.differences[name, subject.runs[a], subject.runs[b]]
        return Headline(pair_headline(row, a, b), pair=(a, b))
    return _several(subject, rows, order, i)


def _against_baseline(subject: Subject, baseline: str, rows: Sequence[Difference], order: Sequence[int]) -> Headline:
    base = subject.runs.index(baseline)
    of = {subject.runs.index(row.b): row for row in rows}
    others = [run for run in order if run != base]
    better = [run for run in others if of[run].verdict in _WON]
    pair = (base, (better or others)[0])
    if len(others) == 1:
        return Headline(pair_headline(of[pair[1]], *pair), pair=pair)
    m = rows[0].measure
    if better:
        wins = of[better[0]].verdict == "wins more queries"
        who: Words = [better[0]] if len(better) == 1 else [f"{len(better)} of {len(others)} runs"]
        told = " clearly win more queries than " if wins else " are clearly better than "
        told = told if len(better) > 1 else told.replace("win ", "wins ").replace(" are ", " is ")
        words: Words = [*who, told, base, f" on {m}."]
    else:
        words = ["No run is clearly better than ", base, f" on {m}."]
    return Headline(words, _by_verdict([(of[run], run) for run in others], "compared with ", base), pair)


def _several(subject: Subject, rows: Sequence[Difference], order: Sequence[int], i: int) -> Headline:
    m, top = rows[0].measure, subject.means[i][order[0]]
    first, pair = order[0], (order[1], order[0])
    if top != top:
        return Headline([f"No run has a value of {m}."], pair=pair)
    leaders = [run for run in order if subject.means[i][run] == top]
    if len(leaders) == len(order):
        return Headline([f"All {len(leaders)} runs have the same {m}."], pair=pair)
    against = [(subject.differences[m, subject.runs[run], subject.runs[first]], run) for run in order[1:]]
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
    return Headline(words, _by_verdict(against, "", first), pair)


_PHRASES = {
    "better": "clearly better than", "wins more queries": "clearly wins more queries than", "equal": "equal to", "identical": "identical to",
    "no clear difference": "no clear difference from", "worse": "clearly worse than", "loses more queries": "clearly loses more queries than",
    "too few queries": "too few queries to compare with",
}  # fmt: skip


def _by_verdict(rows: Sequence[tuple[Difference, int]], before: str, run: int) -> tuple[Words, ...]:
    """Return a line per verdict: of `run` on the others, or of the others `before` the run."""
    lines: list[Words] = []
    for verdict, phrase in _PHRASES.items():
        others = [other for row, other in rows if row.verdict == verdict]
        if others and before:
            told = phrase.rpartition(" ")[0] if verdict != "no clear difference" else "no clear difference"
            lines.append([f"{told[:1].upper()}{told[1:]}: ", *_list(others), f", {before}", run, "."])
        elif others:
            lines.append([f"{phrase[:1].upper()}{phrase[1:]} ", *_list(others), "."])
    return tuple(lines)


def _list(runs: Sequence[int]) -> Words:
    """Return names as "a, b and c"; beyond four, as "a, b, c and 2 more"."""
    shown: list[str | int] = [*runs[:3], f"{len(runs) - 3} more"] if len(runs) > 4 else list(runs)
    words: Words = []
    for k, word in enumerate(shown):
        words += ["" if k == 0 else " and " if k == len(shown) - 1 else ", ", word]
    return words


# ── certainty ────────────────────────────────────────────────────────────────────────────────────


def certainty(row: Difference, tests: int) -> dict[str, object]:
    """Return how certain a verdict is: in a few words, and in sentences."""
    if row.verdict == "identical":
        return {"short": "Nothing to test", "long": [f"The runs have the same value on {these_queries(row.queries)}."]}
    if row.verdict == "too few queries":
        return {"short": "Cannot say", "long": [_sentence(row.note)]}
    chance = f"Chance alone gives such a difference {odds(row.p)} ({_p(row.p)})."
    corrected = row.adjusted != row.p
    if row.verdict == "equal":
        return {"short": "Sure", "long": ["The difference is too small to matter: its interval is within the margin."]}
    if row.verdict == "no clear difference":
        by = f"Not clear after the correction for {tests:,} tests: corrected {_p(row.adjusted)}."
        more = [f"About {row.needed:,} queries would show a difference of {row.material:.2g}."] if row.needed else []
        return {"short": "Not sure", "long": [chance, *([by] if corrected and row.p < 0.05 else []), *more]}
    short = "Very sure" if row.adjusted < _VERY_SURE else "Sure"
    by = f"Corrected for {tests:,} tests: {_p(row.adjusted)}."
    return {
        "short": short,
        "long": [chance, *([by] if corrected else []), *([_sentence(row.note)] if row.note else [])],
    }


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
    times = float(f"{1 / p:.2g}")
    return f"once in {times:,.0f} times"


def _p(p: float) -> str:
    text = p_text(p) if p < 0.99995 else "1"
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def relative(row: Difference, m: Measure) -> list[float | None]:
    """Return the difference as a share of the mean of a, and turned, of b; None if a share means nothing."""
    if m.definition.limits is None and not m.definition.whole:
        return [None, None]
    d = row.difference
    return [d / row.mean_a if row.mean_a > 0 else None, -d / row.mean_b if row.mean_b > 0 else None]
