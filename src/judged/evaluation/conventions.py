"""One measure under the conventions of every tool: `jd.conventions`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged.errors import JudgedError, UsageError, Warned, shown
from judged.evaluation.inputs import read_and_join
from judged.evaluation.options import EvaluateOptions, policies_in, with_level
from judged.evaluation.tool_differences import POLICIES, Outcome, Outcomes, Switch, switches
from judged.measures.grammar import parse_all
from judged.measures.profiles import PROFILES, Profile
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.registry import choose_one
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table
from judged.tables.text import counted, number, signed, title_of

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


class Match(NamedTuple):
    """Conventions that give a published number: a profile, or one or two conventions, whose `text` completes "if the tool …"."""

    profile: str
    conventions: tuple[str, ...]
    text: str
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Conventions(Result):
    """One measure under the conventions of every tool.

    `tools` has a `ToolValue` per profile; `matches` what gives the published number
    `to`, of `tried` sets of conventions, or the nearest value if none does (`found` is then False).
    """

    measure: str
    names: tuple[str, str]
    default: float
    n_queries: int
    tools: tuple[ToolValue, ...]
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
        """The conventions that give a published number, and the values of the tools."""
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
        return [*([self._matches(places)] if self.to else []), tools]

    def _matches(self, places: int) -> Table:
        rows = tuple(
            (m.profile or "–", number(m.value, max(places, 6)), m.text, ", ".join(m.conventions)) for m in self.matches
        )
        notes = (f"{counted(self.tried, 'set')} of conventions tried; with many of them, some match by chance",)
        title = f"gives {self.to}" if self.found else f"nearest to {self.to}"
        return Table(
            ("profile", self.measure, "if the tool", "written"), rows, title=title, notes=notes, words=(0, 2, 3)
        ).head(_MOST_MATCHES)

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


_CHOICES: dict[str, tuple[Any, ...]] = {
    "queries": ("both",),
    "empty": ("skip", "one"),
    "ties": ("id-asc", "input", "best", "worst", "expected"),
    "precision": ("float32",),
    "order": ("rank", "input"),
    "gain": ("linear", "exp", "binary"),
    "discount": ("log2", "jk", "rank"),
    "norm": ("relevant", "capped", "found", "list", "cutoff", "ideal"),
    "short": ("shrink", "zero"),
    "tied": ("together",),
    "which": ("all",),
    "judged_only": (True,),
    "rounding": ("trec9", "up"),
    "squared": (True,),
    "scale": ("none",),
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "max": (1.0, 2.0, 3.0, 4.0, 5.0),
    "cutoff": (1, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000, None),
}
_MOST_LEVELS = 5
_ROUNDING = 1e-14  # of sums in another order, and of percentages: all digits of a number are no decimals


class Published(NamedTuple):
    """A published number, and half a unit of its last decimal."""

    text: str
    value: float
    half: float

    @classmethod
    def of(cls, number: Any, measure: Measure) -> Published:
        """Read a number; above 1 it is a percentage, if the measure is at most 1."""
        text = str(number).strip()
        try:
            exact = Decimal(text.removesuffix("%").strip())
            places = exact.as_tuple().exponent
        except InvalidOperation:
            places = "n"
        if isinstance(number, bool) or not isinstance(places, int) or not np.isfinite(float(exact)):
            raise UsageError(
                "parameter", f"a published value must be a number such as 0.4312, got {shown(number)}", value=number
            )
        percent = text.endswith("%") or (measure.definition.limits is not None and exact > 1)
        scale = 100 if percent else 1
        return cls(text, float(exact) / scale, 0.5 * 10.0 ** min(places, 0) / scale)

    def matches(self, value: float) -> bool:
        """True if the value is this number at its decimals; a value halfway between two numbers matches both."""
        return abs(value - self.value) <= self.half * (1 + 1e-9) + _ROUNDING * abs(value)


@step("trying conventions")
def find_published(result: Conventions, outcomes: Outcomes, to: Any, given: Mapping[str, Any]) -> Conventions:
    """The result with the profiles that give a number; else with the single conventions, else the pairs; else the nearest."""
    wanted = Published.of(to, outcomes.measure)
    tools = [t for t in result.tools if t.value is not None]
    profiles = [Match(t.profile, tuple(c.option for c in t.causes), t.why(), float(t.value or 0)) for t in tools]
    matches = [match for match in profiles if wanted.matches(match.value)]
    seen, tried = list(profiles), len(profiles)
    switches = _single(outcomes, given)
    for size in (1, 2):
        if matches:
            break
        found = list(_values(outcomes, combinations(switches, size)))
        tried += len(found)
        seen += found
        matches = [match for match in found if wanted.matches(match.value)]
    nearest = sorted(seen, key=lambda match: abs(match.value - wanted.value))[:1]
    return replace(result, to=wanted.text, matches=tuple(matches or nearest), tried=tried, found=bool(matches))


def _values(outcomes: Outcomes, sets: Iterable[tuple[Switch, ...]]) -> Iterable[Match]:
    for some in sets:
        if len({switch.name for switch in some}) < len(some):
            continue
        found = outcomes.of(some)
        if isinstance(found, Outcome) and not np.isnan(found.value):
            yield Match("", tuple(s.option for s in some), " and ".join(s.text for s in some), found.value)


def _single(outcomes: Outcomes, given: Mapping[str, Any]) -> list[Switch]:
    """Every convention that is not the present one: policies, parameters of the measure, other measures that tools call the same."""
    measure, judged = outcomes.measure, outcomes.source.judged
    grades = np.unique(judged.pool_grade[judged.pool_grade > 0])
    levels = [float(grade) for grade in grades[:_MOST_LEVELS]]
    choices = {**_CHOICES, "level": tuple(levels)}
    present = {name: getattr(judged.policy, name) for name in POLICIES}
    others = {c.instead for p in PROFILES.values() for c in p.conventions if c.instead and c.fits(measure)}
    found = [Switch("measure", name) for name in sorted(others)]
    for name, values in choices.items():
        free = (
            name not in given
            if name in POLICIES
            else name in measure.definition.parameters and (name == "cutoff" or name not in measure.explicit)
        )
        now = present.get(name) if name in POLICIES else measure.get(name)
        found += [Switch(name, value) for value in values if free and value != now]
    return found


def conventions(
    measure: str | Measure,
    qrels: Any,
    run: Any = None,
    to: str | float | None = None,
    *,
    level: float | None = None,
    **options: Unpack[EvaluateOptions],
) -> Conventions:
    """Show one measure under the conventions of every tool, and which convention causes each difference.

    The values are those of `evaluate` with each profile. A cause is found by switching conventions one at a time: the smallest set of them
    that gives every query the value of the profile.

    Args:
        measure: one measure, such as `"nDCG@10"`; explicit parameters hold for every tool.
        qrels: judgments in any format that `evaluate` takes.
        run: a run in any format that `evaluate` takes.
        to: a published number; find the profiles, else the single conventions, else the pairs of conventions that give it, rounded to its
            decimals. Pass text to keep zeros at the end: `"0.430"`. A number above 1 is read as percent if the measure is at most 1.
        level: lowest relevant grade of a binary measure.
        options: those of `evaluate`; policies that are given hold for every tool.

    >>> found = conventions("P@2", {"q": {"a": 1}}, {"q": {"a": 1.0}})
    >>> print(found["mlflow"].text)
    mlflow differs by +0.5000 because it shrinks the cutoff to the length of a shorter ranking
    """
    given = policies_in(options)
    chosen = _one(measure, level)
    source = read_and_join(qrels, run, find_profile("trec_eval-10"), options)
    outcomes = Outcomes(chosen, source)
    default = outcomes.of(())
    if isinstance(default, JudgedError):
        raise default
    result = _under_profiles(outcomes, default, given)
    if to is None:
        return result

    return find_published(result, outcomes, to, given)


@step("applying conventions")
def _under_profiles(outcomes: Outcomes, default: Outcome, given: Mapping[str, Any]) -> Conventions:
    """The values under every profile, with their causes."""
    measure, judged = outcomes.measure, outcomes.source.judged
    sets = {p.name: switches(measure, p, given) for p in PROFILES.values() if p.has(measure)}
    tools = tuple(_value(outcomes, default, p, sets.get(p.name)) for p in PROFILES.values())
    return Conventions(
        measure=str(measure),
        names=judged.names,
        default=default.value,
        n_queries=len(default.column),
        tools=tools,
        policy=str(judged.policy),
        warnings=judged.warnings,
    )


def _one(measure: str | Measure, level: float | None) -> Measure:
    found = parse_all(measure)
    if len(found) != 1:
        raise UsageError(
            "unsuitable-measure",
            f"conventions are shown for one measure, got {len(found)}",
            hint="name one, such as nDCG@10",
        )
    if found[0].definition.text or found[0].definition.summary == "none":
        raise UsageError(
            "unsuitable-measure",
            f"the values of {shown(str(found[0]))} have no mean",
            hint="name a measure of numbers, such as nDCG@10",
        )
    return with_level(found[0], level)


def _value(outcomes: Outcomes, default: Outcome, profile: Profile, chosen: tuple[Switch, ...] | None) -> ToolValue:
    """The value under a profile, and its causes; `chosen` is None if the tool has no such measure."""
    if chosen is None:
        return ToolValue(profile.name, str(outcomes.measure), known=False)
    theirs = outcomes.of(chosen)
    if isinstance(theirs, JudgedError):
        return ToolValue(profile.name, str(outcomes.measure), problem=theirs.problem)
    causes = []
    for switch in smallest(outcomes, chosen, theirs):
        alone = outcomes.of((switch,))
        change = None if isinstance(alone, JudgedError) else alone.value - default.value
        causes.append(Cause(switch.name, switch.value, switch.text, switch.option, change))
    causes.sort(key=lambda cause: -abs(cause.alone or 0.0))
    apart = ~((theirs.column == default.column) | (np.isnan(theirs.column) & np.isnan(default.column)))
    return ToolValue(
        profile.name,
        str(theirs.measure),
        value=theirs.value,
        difference=theirs.value - default.value,
        n_queries=int(theirs.counts.sum()),
        n_apart=int(apart.sum()),
        causes=tuple(causes),
    )


def smallest(outcomes: Outcomes, chosen: tuple[Switch, ...], wanted: Outcome) -> tuple[Switch, ...]:
    """The smallest set of conventions with the same values for every query; of several, the first."""
    for size in range(len(chosen)):
        for some in combinations(chosen, size):
            found = outcomes.of(some)
            if isinstance(found, Outcome) and found.same(wanted):
                return some
    return chosen
