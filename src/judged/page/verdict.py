"""The verdict in a sentence: who is better by a measure, how sure that is, and whether the other measures say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judged.comparison.difference import Difference
from judged.comparison.result import Comparison
from judged.measures.registry import Measure
from judged.page.subject import Subject
from judged.tables.text import number, p_text

__all__ = ["Verdict", "verdicts"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One sentence, and what goes with it."""

    words: str
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    """What one measure says: with numbers, without them (so that measures can be held against each other), and beside it."""

    words: str
    claim: str
    more: tuple[str, ...] = ()


def verdicts(subject: Subject) -> list[Verdict]:
    """One a measure, in the order of the measures."""
    if subject.comparison is None:
        return [_alone(subject, i) for i in range(len(subject.measures))]
    said = [_compared(subject, subject.comparison, i) for i in range(len(subject.measures))]
    return [Verdict(one.words, (*one.more, *_elsewhere(subject, said, i))) for i, one in enumerate(said)]


def _alone(subject: Subject, i: int) -> Verdict:
    m, value, ends = subject.measures[i], subject.means[i][0], subject.intervals[i][0]
    counted = int(subject.known(m).sum())
    sure = f", with a 95% interval of {number(ends[0])} to {number(ends[1])}" if ends else ""
    what = {"sum": "in all", "geometric": "by the geometric mean"}.get(m.definition.summary, "on average")
    shown = number(value, 0 if m.definition.whole else 4)
    return Verdict(f"{subject.runs[0]} has {m} {shown} {what} over {_queries(counted)}{sure}.")


def _compared(subject: Subject, comparison: Comparison, i: int) -> _Said:
    m = subject.measures[i]
    rows = [row for row in comparison.rows if row.measure == str(m)]
    if len(subject.runs) == 2:
        return _two(m, rows[0], turned=comparison.baseline is None)
    if comparison.baseline is not None:
        return _against(m, comparison.baseline, rows)
    return _several(subject, m, rows, i)


def _two(m: Measure, row: Difference, *, turned: bool) -> _Said:
    """Of two runs the better one is named first, unless the other is the baseline."""
    if row.verdict == "worse" and turned:
        row = replace(row, a=row.b, b=row.a, mean_a=row.mean_b, mean_b=row.mean_a, difference=-row.difference, low=-row.high,
                      high=-row.low, verdict="better")  # fmt: skip
    means = f"{number(row.mean_b)} against {number(row.mean_a)}"
    more = (row.note[:1].upper() + row.note[1:] + ".",) if row.note else ()
    few = f"{_queries(row.queries)} {'is' if row.queries == 1 else 'are'} too few to compare {row.b} with {row.a}"
    claim = {
        "too few": "too few queries",
        "equal": f"{row.b} and {row.a} are equal",
        "cannot tell": "cannot tell",
    }.get(row.verdict, f"{row.b} is {row.verdict}")
    words = {
        "too few": f"{few} by {m} ({means})",
        "equal": f"{row.b} and {row.a} are equal by {m}: {means}{_size(row)}",
        "cannot tell": f"It cannot be told whether {row.b} is better or worse than {row.a} by {m}: {means}{_size(row)}",
    }.get(row.verdict, f"{row.b} is {row.verdict} than {row.a} by {m}: {means}{_size(row)}")
    return _Said(f"{words}.", claim, more)


def _size(row: Difference) -> str:
    between = "" if row.low != row.low else f" [{row.low:+.4f}, {row.high:+.4f}]"
    p = p_text(row.adjusted)
    sure = p.replace("<", "< ") if p.startswith("<") else f"= {p}"
    return f", a difference of {row.difference:+.4f}{between}, p {sure}, over {_queries(row.queries)}"


def _against(m: Measure, baseline: str, rows: Sequence[Difference]) -> _Said:
    kinds = (("better", "better than"), ("worse", "worse than"), ("equal", "equal to"))
    sized = {
        v: [f"{r.b} ({r.difference:+.4f})" for r in rows if r.verdict == v]
        for v in ("better", "worse", "equal", "cannot tell", "too few")
    }
    parts = [f"{_names(sized[v])} {_is(sized[v])} {words} {baseline}" for v, words in kinds if sized[v]]
    if unsure := sized["cannot tell"] + sized["too few"]:
        parts.append(
            f"it cannot be told whether {_names(unsure)} {'differs' if len(unsure) == 1 else 'differ'} from {baseline}"
        )
    claims = [(v, [r.b for r in rows if r.verdict == v]) for v, _ in kinds]
    claim = "; ".join(f"{_names(names)} {_is(names)} {v}" for v, names in claims if names) or "cannot tell"
    more = f"Over {_queries(rows[0].queries)}, {baseline} being the baseline."
    return _Said(f"By {m}, {'; '.join(parts)}.", claim, (more,))


def _several(subject: Subject, m: Measure, rows: Sequence[Difference], i: int) -> _Said:
    order = _order(subject, i)
    first = subject.means[i][order[0]] if order else float("nan")
    over = (f"Over {_queries(rows[0].queries)}.",)
    if first != first:
        return _Said(f"No run has a value of {m}.", "no values")
    leaders = [subject.runs[k] for k in order if subject.means[i][k] == first]
    if len(leaders) == len(subject.runs):
        return _Said(f"All {len(leaders)} runs have the same {m} ({number(first)}).", "all alike", over)
    best = leaders[0]
    others = [run for run in (subject.runs[k] for k in order) if run not in leaders]
    with_best = {row.a if row.b == best else row.b: row.verdict for row in rows if best in (row.a, row.b)}
    equal = [name for name in others if with_best.get(name) == "equal"]
    unsure = [name for name in others if with_best.get(name) in ("cannot tell", "too few")]
    beaten = [name for name in others if name not in equal + unsure]
    lead = f"{_names(leaders)} {'leads' if len(leaders) == 1 else 'lead together'} by {m} ({number(first)})"
    tails = [f"equal to {_names(equal)}" if equal else "", f"it cannot be told from {_names(unsure)}" if unsure else ""]
    said = " and ".join(filter(None, tails))
    if beaten:
        whom = (
            _names(beaten)
            if len(beaten) == 1
            else "both others"
            if len(beaten) == len(others) == 2
            else f"{'all' if len(beaten) == len(others) else 'the'} {len(beaten)} others"
        )
        better = f"is better than {whom}" if len(leaders) == 1 else f"are better than {whom}"
        words = (
            f"{lead}, but {said}; it {better}"
            if said and len(leaders) == 1
            else f"{lead}, but {said}; they {better}"
            if said
            else f"{lead} and {better}"
        )
    else:
        words = f"{lead}, but {said}"
    claim = f"{_names(leaders)} {'leads' if len(leaders) == 1 else 'lead'}" + (f", {said}" if said else "")
    return _Said(f"{words}.".replace("but equal to", "but is equal to"), claim, over)


def _elsewhere(subject: Subject, said: Sequence[_Said], i: int) -> tuple[str, ...]:
    """What the other measures say, where they depend on the runs at all."""
    others = [k for k in range(len(said)) if k != i and said[k].claim != "all alike"]
    same = [str(subject.measures[k]) for k in others if said[k].claim == said[i].claim]
    different: dict[str, list[str]] = {}
    for k in others:
        if said[k].claim != said[i].claim:
            different.setdefault(said[k].claim, []).append(str(subject.measures[k]))
    either = " either" if said[i].claim == "cannot tell" else ""
    agree = []
    if same:
        agree.append(
            f"{_names(same)} {'cannot tell either' if either else 'says the same' if len(same) == 1 else 'say the same'}."
        )
    unlike = [
        f"By {_names(measures)}: {claim if claim != 'cannot tell' else 'it cannot be told'}."
        for claim, measures in different.items()
    ]
    return (*agree, *unlike)


def _order(subject: Subject, i: int) -> list[int]:
    """The runs from the best mean on; what has none comes last."""
    sign = 1 if subject.measures[i].definition.lower_is_better else -1
    known = [sign * v if v == v else float("inf") for v in subject.means[i]]
    return sorted(range(len(known)), key=known.__getitem__)


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _names(names: Sequence[str]) -> str:
    """a, b and c; of many, the first and how many more."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
