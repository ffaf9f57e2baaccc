"""The verdict on each measure as one sentence, with the conclusions of the other measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judged.comparison.difference import Difference, p_clause
from judged.comparison.result import Comparison
from judged.comparison.tables import PHRASES, predicate
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.tables.text import number

_UNCLEAR = "no clear difference"


@dataclass(frozen=True, slots=True)
class Headline:
    """One sentence and the lines below it."""

    words: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Conclusion:
    """The conclusion from one measure: `words` has numbers, `claim` has none so that measures can be compared."""

    words: str
    claim: str
    more: tuple[str, ...] = ()


def headlines(subject: Subject) -> list[Headline]:
    """Return one headline per measure."""
    if subject.comparison is None:
        return [_single(subject, i) for i in range(len(subject.measures))]
    conclusions = [_conclude(subject, subject.comparison, i) for i in range(len(subject.measures))]
    return [Headline(c.words, (*c.more, *_other_measures(subject, conclusions, i))) for i, c in enumerate(conclusions)]


def _single(subject: Subject, i: int) -> Headline:
    m, value, ends = subject.measures[i], subject.means[i][0], subject.intervals[i][0]
    interval = f", 95% interval [{number(ends[0], 3)}, {number(ends[1], 3)}]" if ends else ""
    kind = {"sum": "total", "geometric": "geometric mean"}.get(m.definition.summary, "mean")
    queries = _queries(int(subject.known(m).sum()))
    shown = number(value, 0 if m.definition.whole else 3)
    return Headline(f"{subject.runs[0]} has a {kind} {m} of {shown} over {queries}{interval}.")


def _conclude(subject: Subject, comparison: Comparison, i: int) -> _Conclusion:
    m = subject.measures[i]
    rows = comparison.by_measure.get(str(m), [])
    if len(subject.runs) == 2:
        return _two(m, rows[0], best_first=comparison.baseline is None)
    if comparison.baseline is not None:
        return _against_baseline(m, comparison.baseline, rows)
    return _several(subject, m, rows, i)


def _two(m: Measure, row: Difference, *, best_first: bool) -> _Conclusion:
    if row.verdict in ("worse", "loses more queries") and best_first:
        row = row.turned()
    means = f"{number(row.mean_b, 3)} vs {number(row.mean_a, 3)}"
    size = f"{means}, {_size(row)}"
    more = tuple(f"{text[:1].upper()}{text[1:]}." for text in (row.note, row.needs) if text)
    if row.verdict == "too few queries":
        few = f"{_queries(row.queries)} {_is(row.queries)} too few"
        return _Conclusion(f"{few} to compare {row.b} with {row.a} on {m} ({means}).", "too few queries", more)
    if row.verdict == "identical":
        return _Conclusion(f"{row.claim} ({number(row.mean_a, 3)}).", f"{row.b} and {row.a} are identical")
    if row.verdict == "equal":
        return _Conclusion(f"{row.b} and {row.a} are equal on {m}: {size}.", f"{row.b} and {row.a} are equal", more)
    if row.verdict == "no clear difference":
        words = f"{row.claim}: {row.size(3)}, {_queries(row.queries)} ({means})."
        return _Conclusion(words, _UNCLEAR, more)
    if row.verdict in ("wins more queries", "loses more queries"):
        return _Conclusion(f"{row.claim}: {size}.", f"{row.b} {row.verdict}", more)
    return _Conclusion(f"{row.b} is {row.verdict} than {row.a} on {m}: {size}.", f"{row.b} is {row.verdict}", more)


def _size(row: Difference) -> str:
    interval = "" if row.low != row.low else f" [{_format_difference(row.low)}, {_format_difference(row.high)}]"
    return f"difference {_format_difference(row.difference)}{interval}, {p_clause(row)}, {_queries(row.queries)}"


def _against_baseline(m: Measure, baseline: str, rows: Sequence[Difference]) -> _Conclusion:
    parts, claims = [], []
    for verdict, phrase in PHRASES.items():
        matching = [row for row in rows if row.verdict == verdict]
        if matching and verdict != "no clear difference":
            names = [row.b for row in matching]
            parts.append(f"{_list(map(_with_difference, matching))} {predicate(phrase, len(names))} {baseline}")
            claims.append(f"{_list(names)} {predicate(verdict, len(names))}")
    if unclear := [_with_difference(row) for row in rows if row.verdict in ("no clear difference", "too few queries")]:
        parts.append(f"{_UNCLEAR} between {_list(unclear)} and {baseline}")
    more = f"Over {_queries(rows[0].queries)}; the baseline is {baseline}."
    return _Conclusion(f"On {m}, {'; '.join(parts)}.", "; ".join(claims) or _UNCLEAR, (more,))


def _several(subject: Subject, m: Measure, rows: Sequence[Difference], i: int) -> _Conclusion:
    order = _order(subject, i)
    top = subject.means[i][order[0]] if order else float("nan")
    over = (f"Over {_queries(rows[0].queries)}.",)
    if top != top:
        return _Conclusion(f"No run has a value of {m}.", "no values")
    leaders = [subject.runs[k] for k in order if subject.means[i][k] == top]
    if len(leaders) == len(subject.runs):
        return _Conclusion(
            f"All {len(leaders)} runs have the same {m}: {number(top, 3)}.", "no difference at all", over
        )
    others = [name for name in (subject.runs[k] for k in order) if name not in leaders]
    against = [row if row.b == leaders[0] else row.turned() for row in rows if leaders[0] in (row.a, row.b)]
    verdicts = {row.a: row.verdict for row in against}
    equal = [name for name in others if verdicts.get(name) == "equal"]
    beaten = [name for name in others if verdicts.get(name) in ("better", "wins more queries")]
    lost = [name for name in others if verdicts.get(name) == "loses more queries"]
    unclear = [name for name in others if name not in equal + beaten + lost]
    verb, pronoun, are = ("has", "It", "is") if len(leaders) == 1 else ("have", "They", "are")
    extreme = "lowest" if m.definition.lower_is_better else "highest"
    lead = f"{_list(leaders)} {verb} the {extreme} {m}"
    won = PHRASES["wins more queries" if "wins more queries" in verdicts.values() else "better"]
    predicates = [f"{predicate(won, len(leaders))} {_beaten(beaten, others)}"] if beaten else []
    predicates += [f"{predicate(PHRASES['loses more queries'], len(leaders))} {_list(lost)}"] if lost else []
    predicates += [f"{are} equal to {_list(equal)}"] if equal else []
    known = f"{pronoun} {' and '.join(predicates)}" if predicates else ""
    unsure = f"{_UNCLEAR} from {_list(unclear)}" if unclear else ""
    tail = f"{known}; {unsure}" if known and unsure else known or unsure[:1].upper() + unsure[1:]
    reservations = [f"equal to {_list(equal)}" if equal else "", unsure]
    return _Conclusion(f"{lead}: {number(top, 3)}. {tail}.", ", ".join(filter(None, [lead.replace(f" {m}", " value"), *reservations])), over)  # fmt: skip


def _beaten(beaten: Sequence[str], others: Sequence[str]) -> str:
    if len(beaten) == 1:
        return beaten[0]
    if len(beaten) < len(others):
        return f"{len(beaten)} other runs"
    return "the other two" if len(beaten) == 2 else f"all {len(beaten)} others"


def _other_measures(subject: Subject, conclusions: Sequence[_Conclusion], i: int) -> tuple[str, ...]:
    """Return lines on the measures that agree and on those that do not."""
    measures_of: dict[str, list[str]] = {}
    for k, conclusion in enumerate(conclusions):
        if k != i and conclusion.claim != "no difference at all":
            measures_of.setdefault(conclusion.claim, []).append(str(subject.measures[k]))
    lines = []
    if agreeing := measures_of.pop(conclusions[i].claim, []):
        unclear = conclusions[i].claim == _UNCLEAR
        lines.append(
            f"No clear difference on {_list(agreeing)} either." if unclear else f"Same conclusion on {_list(agreeing)}."
        )
    for claim, measures in measures_of.items():
        lines.append(
            f"No clear difference on {_list(measures)}." if claim == _UNCLEAR else f"On {_list(measures)}: {claim}."
        )
    return tuple(lines)


def _order(subject: Subject, i: int) -> list[int]:
    """Return the runs by mean, best first; runs without a mean come last."""
    sign = 1 if subject.measures[i].definition.lower_is_better else -1
    keys = [sign * v if v == v else float("inf") for v in subject.means[i]]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _with_difference(row: Difference) -> str:
    return f"{row.b} ({_format_difference(row.difference)})"


def _format_difference(value: float) -> str:
    """Format a difference with three decimals, or with four if three would show zero."""
    return f"{value:+.4f}" if 0 < abs(value) < 0.0005 else f"{value:+.3f}"


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"


def _list(names: Iterable[str]) -> str:
    """Join names as "a, b and c"; beyond four, as "a, b, c and 2 more"."""
    names = list(names)
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
