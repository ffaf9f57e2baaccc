"""The verdict in a sentence: who is better by a measure, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judged.engine import Comparison, Difference, number, p_text
from judged.measures import Measure
from judged.render.page.subject import Subject

__all__ = ["Verdict", "verdicts"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One sentence, and what goes with it."""

    words: str
    more: tuple[str, ...] = ()


def verdicts(subject: Subject) -> list[Verdict]:
    """One a measure, in the order of the measures."""
    if subject.comparison is None:
        return [_alone(subject, i) for i in range(len(subject.measures))]
    said = [_compared(subject, subject.comparison, i) for i in range(len(subject.measures))]
    leaders = [_order(subject, i)[0] for i in range(len(subject.measures))]
    return [Verdict(v.words, (*v.more, *_elsewhere(subject, leaders, i))) for i, v in enumerate(said)]


def _alone(subject: Subject, i: int) -> Verdict:
    m, value, ends = subject.measures[i], subject.means[i][0], subject.intervals[i][0]
    counted = int(subject.known(m).sum())
    sure = f", with a 95% interval of {number(ends[0])} to {number(ends[1])}" if ends else ""
    what = "in all" if m.definition.summary == "sum" else "on average"
    return Verdict(f"{subject.runs[0]} has {m} {_value(m, value)} {what} over {_queries(counted)}{sure}.")


def _compared(subject: Subject, comparison: Comparison, i: int) -> Verdict:
    m = subject.measures[i]
    rows = [row for row in comparison.rows if row.measure == str(m)]
    if len(subject.runs) == 2:
        return _two(m, rows[0], turned=comparison.baseline is None)
    if comparison.baseline is not None:
        return _against(m, comparison.baseline, rows)
    return _several(subject, m, rows, _order(subject, i), i)


def _two(m: Measure, row: Difference, *, turned: bool) -> Verdict:
    """Of two runs the better one is named first, unless the other is the baseline."""
    if row.verdict == "worse" and turned:
        row = replace(row, a=row.b, b=row.a, mean_a=row.mean_b, mean_b=row.mean_a, difference=-row.difference, low=-row.high,
                      high=-row.low, verdict="better")  # fmt: skip
    means = f"{_value(m, row.mean_b)} against {_value(m, row.mean_a)}"
    more = (row.note[:1].upper() + row.note[1:] + ".",) if row.note else ()
    said = {
        "too few": f"{_queries(row.queries)} are too few to compare {row.b} with {row.a} by {m} ({means})",
        "equal": f"{row.b} and {row.a} are equal by {m}: {means}{_size(row)}",
        "cannot tell": f"It cannot be told whether {row.b} is better or worse than {row.a} by {m}: {means}{_size(row)}",
    }
    return Verdict(
        said.get(row.verdict, f"{row.b} is {row.verdict} than {row.a} by {m}: {means}{_size(row)}") + ".", more
    )


def _size(row: Difference) -> str:
    between = "" if row.low != row.low else f" [{row.low:+.4f}, {row.high:+.4f}]"
    p = p_text(row.adjusted)
    return f", a difference of {row.difference:+.4f}{between}, p {p.replace('<', '< ') if p.startswith('<') else f'= {p}'}, over {_queries(row.queries)}"


def _against(m: Measure, baseline: str, rows: Sequence[Difference]) -> Verdict:
    groups = {
        verdict: [f"{row.b} ({row.difference:+.4f})" for row in rows if row.verdict == verdict]
        for verdict in ("better", "worse", "equal", "cannot tell", "too few")
    }
    parts = [
        f"{_names(groups[verdict])} {'is' if len(groups[verdict]) == 1 else 'are'} {words} {baseline}"
        for verdict, words in (("better", "better than"), ("worse", "worse than"), ("equal", "equal to"))
        if groups[verdict]
    ]
    if unsure := groups["cannot tell"] + groups["too few"]:
        parts.append(
            f"it cannot be told whether {_names(unsure)} {'differs' if len(unsure) == 1 else 'differ'} from {baseline}"
        )
    return Verdict(
        f"By {m}, {'; '.join(parts)}.", (f"Over {_queries(rows[0].queries)}, {baseline} being the baseline.",)
    )


def _several(subject: Subject, m: Measure, rows: Sequence[Difference], order: list[int], i: int) -> Verdict:
    best = subject.runs[order[0]]
    others = [subject.runs[k] for k in order[1:]]
    with_best = {row.a if row.b == best else row.b: row.verdict for row in rows if best in (row.a, row.b)}
    unsure = [name for name in others if with_best.get(name) not in ("better", "worse")]
    lead = f"{best} leads by {m} ({_value(m, subject.means[i][order[0]])})"
    if not unsure:
        return Verdict(
            f"{lead} and is better than {'both others' if len(others) == 2 else f'all {len(others)} others'}.",
            (f"Over {_queries(rows[0].queries)}.",),
        )
    sure = len(others) - len(unsure)
    tail = f"; it is better than the {'other' if sure == 1 else f'{sure} others'}" if sure else ""
    return Verdict(
        f"{lead}, but it cannot be told from {_names(unsure)}{tail}.", (f"Over {_queries(rows[0].queries)}.",)
    )


def _elsewhere(subject: Subject, leaders: list[int], i: int) -> tuple[str, ...]:
    """Whether the other measures put the same run first."""
    others = [k for k in range(len(leaders)) if k != i]
    if not others:
        return ()
    differ = [k for k in others if leaders[k] != leaders[i]]
    if not differ:
        return (
            f"{_names([str(subject.measures[k]) for k in others])} {'puts' if len(others) == 1 else 'put'} the same run first.",
        )
    by_run: dict[str, list[str]] = {}
    for k in differ:
        by_run.setdefault(subject.runs[leaders[k]], []).append(str(subject.measures[k]))
    return tuple(f"By {_names(measures)}, {run} comes first." for run, measures in by_run.items())


def _order(subject: Subject, i: int) -> list[int]:
    """The runs from the best mean on."""
    sign = 1 if subject.measures[i].definition.lower_is_better else -1
    known = [sign * v if v == v else float("inf") for v in subject.means[i]]
    return sorted(range(len(known)), key=known.__getitem__)


def _value(m: Measure, value: float) -> str:
    return number(value, 0 if m.definition.whole and m.definition.summary == "sum" else 4)


def _queries(n: int) -> str:
    return f"{n:,} {'query' if n == 1 else 'queries'}"


def _names(names: Sequence[str]) -> str:
    """a, b and c; of many, the first and how many more."""
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
