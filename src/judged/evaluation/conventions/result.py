"""`Conventions`: one measure under the conventions of every tool, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judged.core.tables import Id
from judged.errors import UsageError, Warned
from judged.registry import choose_one
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number, signed, title_of

_MOST_QUERIES = 10
_MOST_MATCHES = 20
_ADDITIVE = 1e-9
_ALONE = "alone: the change by this convention alone; if these do not add up to the difference, only the combination explains it"
_EXCEPTIONS = "where a tool gives another number than its profile: docs/reference/profiles.md"


class Cause(NamedTuple):
    """A convention that makes a difference, and the change of the mean if it is switched alone; None if it cannot be."""

    name: str
    value: Any
    text: str
    option: str
    alone: float | None


class ToolValue(NamedTuple):
    """The measure under one profile.

    Args:
        profile: its name.
        measure: the measure as the tool computes it.
        known: False if judged knows no such measure of the tool.
        problem: the reason why it cannot be computed here.
        value, difference: the mean, and its difference from the default.
        n_queries: queries that count.
        n_apart: queries whose value differs from the default, or that only one of both counts.
        causes: the conventions that give every query its value, switched together.
    """

    profile: str
    measure: str
    known: bool = True
    problem: str = ""
    value: float | None = None
    difference: float | None = None
    n_queries: int = 0
    n_apart: int = 0
    causes: tuple[Cause, ...] = ()

    @property
    def together(self) -> bool:
        """True if only the combination of the causes explains the difference: their changes one by one do not add up to it."""
        changes = [cause.alone for cause in self.causes]
        if len(changes) < 2 or self.difference is None:
            return False
        return any(not c for c in changes) or abs(sum(c or 0 for c in changes) - self.difference) > _ADDITIVE

    def why(self, places: int = 4) -> str:
        """The causes, with the change that each makes alone if there are several."""
        if not self.known:
            return f"judged knows no such measure of {self.profile}"
        if self.problem:
            return f"cannot be computed: {self.problem}"
        if not self.causes:
            return "the same for every query"
        one = len(self.causes) == 1
        words = [c.text if one else f"{c.text} ({_change(c.alone, places)})" for c in self.causes]
        return _listed(words) + ("; only the combination explains it" if self.together else "")

    @property
    def text(self) -> str:
        """One sentence."""
        if not self.known or self.problem:
            return self.why() if not self.known else f"{self.profile} {self.why()}"
        if not self.causes:
            return f"{self.profile} gives the same value"
        what = (
            f"differs by {signed(self.difference)}"
            if self.difference
            else f"gives the same mean, but differs in {counted(self.n_apart, 'query')},"
        )
        return f"{self.profile} {what} because it {self.why()}"


class QueryRange(NamedTuple):
    """The lowest and the highest value of one query over all tools, with their profiles, and the profiles that leave it out."""

    query: Id
    default: float
    spread: float
    low: tuple[float, tuple[str, ...]]
    high: tuple[float, tuple[str, ...]]
    left_out: tuple[str, ...]


class Match(NamedTuple):
    """Conventions that give a published number: a profile, or one or two conventions, whose `text` completes "if the tool …"."""

    profile: str
    conventions: tuple[str, ...]
    text: str
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Conventions(Result):
    """One measure under the conventions of every tool.

    `tools` has a `ToolValue` per profile, `queries` the queries whose values differ, most first; `matches` what gives the published number
    `to`, of `tried` sets of conventions, or the nearest value if none does (`found` is then False).
    """

    measure: str
    names: tuple[str, str]
    default: float
    n_queries: int
    tools: tuple[ToolValue, ...]
    queries: tuple[QueryRange, ...]
    policy: str = ""
    warnings: tuple[Warned, ...] = ()
    to: str = ""
    matches: tuple[Match, ...] = ()
    tried: int = 0
    found: bool = True

    def __getitem__(self, profile: str) -> ToolValue:
        """The value under one profile."""
        for tool in self.tools:
            if tool.profile == profile:
                return tool
        hint = choose_one(profile, (tool.profile for tool in self.tools))
        raise UsageError("profile", f"unknown profile {profile!r}", hint=hint, value=profile)

    def headline(self) -> Sequence[str]:
        """The answer: the published number first, else how many tools differ."""
        known = [tool for tool in self.tools if tool.value is not None]
        apart = [tool for tool in known if tool.causes]
        first = f"{self.measure} is {number(self.default)} by default; {len(apart)} of {counted(len(known), 'tool')} that have it {'differs' if len(apart) == 1 else 'differ'}."
        return (self._answer(), first) if self.to else (first,)

    def _answer(self) -> str:
        if not self.found:
            near = (
                f"; the nearest is {number(self.matches[0].value)}, {_condition(self.matches[0])}"
                if self.matches
                else ""
            )
            return f"No profile, convention or pair of conventions gives {self.to}{near}."
        more = len(self.matches) - 1
        others = f"; {more} more {'match' if more > 1 else 'matches'}" if more else ""
        return f"{self.to} is the value {_condition(self.matches[0])}{others}."

    def tables(self, *, places: int = 4) -> list[Table]:
        """The values of the tools, the queries that differ most, and what gives a published number, which comes first."""
        rows = tuple(row for tool in self.tools for row in _rows(tool, places))
        notes = (f"default: {self.policy}", _EXCEPTIONS, *(f"warning: {w}" for w in self.warnings))
        headers = ("profile", self.measure, "difference", "queries", "reason", "alone")
        title = f"{self.measure} of {title_of(self.names)}"
        tools = Table(
            headers,
            rows,
            title=title,
            notes=notes,
            words=(0, 4),
            optional=(3,),
            key=_ALONE if any(row[5] for row in rows) else "",
        )
        return [*([self._matches(places)] if self.to else []), tools, *([self._ranges(places)] if self.queries else [])]

    def _matches(self, places: int) -> Table:
        rows = tuple(
            (m.profile or "–", number(m.value, max(places, 6)), m.text, ", ".join(m.conventions)) for m in self.matches
        )
        notes = (f"{counted(self.tried, 'set')} of conventions tried; with many of them, some match by chance",)
        title = f"gives {self.to}" if self.found else f"nearest to {self.to}"
        return Table(
            ("profile", self.measure, "if the tool", "written"), rows, title=title, notes=notes, words=(0, 2, 3)
        ).head(_MOST_MATCHES)

    def _ranges(self, places: int) -> Table:
        rows = tuple(
            (
                str(q.query),
                number(q.default, places),
                number(q.spread, places),
                *(f"{number(v, places)} {_some(by)}" for v, by in (q.low, q.high)),
                _some(q.left_out),
            )
            for q in self.queries
        )
        headers = ("query", "default", "difference", "lowest", "highest", "left out by")
        return Table(headers, rows, title="queries that differ most", words=(0, 3, 4, 5)).head(_MOST_QUERIES)

    def records(self) -> list[dict[str, Any]]:
        """One row per profile."""
        return [
            {
                "profile": t.profile,
                "measure": t.measure,
                "value": t.value,
                "difference": t.difference,
                "queries": t.n_queries if t.value is not None else None,
                "queries_that_differ": t.n_apart if t.value is not None else None,
                "causes": "; ".join(c.option for c in t.causes),
                "text": t.text,
            }
            for t in self.tools
        ]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "judged": 1,
            "measure": self.measure,
            "qrels": self.names[0],
            "run": self.names[1],
            "policy": self.policy,
            "default": self.default,
            "n_queries": self.n_queries,
            "warnings": [w.to_dict() for w in self.warnings],
            "tools": [
                {**t._asdict(), "causes": [c._asdict() for c in t.causes], "together": t.together, "text": t.text}
                for t in self.tools
            ],
            "queries": [
                {
                    **q._asdict(),
                    **{end: {"value": v, "profiles": by} for end, (v, by) in (("low", q.low), ("high", q.high))},
                }
                for q in self.queries
            ],
            "to": self.to or None,
            "found": self.found if self.to else None,
            "tried": self.tried,
            "matches": [m._asdict() for m in self.matches],
        }


def _rows(tool: ToolValue, places: int) -> list[tuple[str, ...]]:
    """A row of the table for each cause, with the value in the first."""
    if not tool.causes:
        return [
            (
                tool.profile,
                number(tool.value, places),
                "",
                "" if tool.value is None else str(tool.n_queries),
                tool.why(places),
                "",
            )
        ]
    value = (tool.profile, number(tool.value, places), number(tool.difference, places, sign="+"), str(tool.n_queries))
    alone = [number(c.alone, places, sign="+") if len(tool.causes) > 1 else "" for c in tool.causes]
    ends = [
        (f"{c.text}{',' if c is not tool.causes[-1] else ''}", change)
        for c, change in zip(tool.causes, alone, strict=True)
    ]
    return [(*(value if i == 0 else ("",) * 4), *end) for i, end in enumerate(ends)]


def _condition(match: Match) -> str:
    return f"under the profile {match.profile}" if match.profile else f"if the tool {match.text}"


def _change(change: float | None, places: int) -> str:
    return "not alone" if change is None else signed(change, places)


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _some(profiles: tuple[str, ...], n: int = 2) -> str:
    more = f" and {len(profiles) - n} more" if len(profiles) > n else ""
    return ", ".join(profiles[:n]) + more
