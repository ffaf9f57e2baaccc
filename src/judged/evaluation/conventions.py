"""One measure under the conventions of every tool: `jd.conventions`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged.errors import JudgedError, UsageError, Warned, shown
from judged.evaluation.inputs import read_and_join
from judged.evaluation.measuring import level_warnings
from judged.evaluation.options import EvaluateOptions, policies_in, with_level
from judged.evaluation.tool_differences import POLICIES, Outcome, Outcomes, Switch, switches
from judged.evaluation.values import policy_notes
from judged.measures.profiles import PROFILES, UNCHANGED
from judged.measures.registry import Measure, parse_all
from judged.registry import choose_one
from judged.stats.intervals import within
from judged.steps import step
from judged.tables.result import Result
from judged.tables.table import Table, counted, number, signed, title_of

_MOST_MATCHES = 20
_ADDITIVE = 1e-9
_ALONE = "alone: the change by this convention alone; if these do not add up to the difference, only the combination explains it"
_EXCEPTIONS = "where a tool gives another number than its profile: docs/reference/profiles.md"


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
    causes: tuple[Switch, ...] = ()

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
        if len(self.causes) == 1:
            return self.causes[0].text
        changes = ["not alone" if c.alone is None else signed(c.alone, places) for c in self.causes]
        *words, last = [f"{c.text} ({change})" for c, change in zip(self.causes, changes, strict=True)]
        return f"{', '.join(words)} and {last}{'; only the combination explains it' if self.together else ''}"

    @property
    def text(self) -> str:
        """One sentence."""
        if not self.known:
            return self.why()
        if self.problem:
            return f"{self.profile} {self.why()}"
        if not self.causes:
            return f"{self.profile} gives the same value"
        what = f"gives the same mean, but differs in {counted(self.n_apart, 'query')},"
        if self.difference:
            what = f"differs by {signed(self.difference)}"
        return f"{self.profile} {what} because it {self.why()}"

    def rows(self, places: int) -> list[tuple[str, ...]]:
        """Cells of a table: one row for each cause, with the value in the first."""
        queries = "" if self.value is None else str(self.n_queries)
        value: tuple[str, ...] = (self.profile, number(self.value, places))
        if not self.causes:
            return [(*value, "", queries, self.why(places), "")]
        value = (*value, number(self.difference, places, sign="+"), queries)
        last, alone = self.causes[-1], len(self.causes) > 1
        return [
            (
                *(value if cause is self.causes[0] else ("",) * 4),
                cause.text if cause is last else f"{cause.text},",
                number(cause.alone, places, sign="+") if alone else "",
            )
            for cause in self.causes
        ]


class Match(NamedTuple):
    """Conventions that give a published number: a profile, or one or two conventions, whose `text` completes "if the tool …"."""

    profile: str
    conventions: tuple[str, ...]
    text: str
    value: float

    @property
    def condition(self) -> str:
        """The condition under which a tool has this value, in words."""
        return f"under the profile {self.profile}" if self.profile else f"if the tool {self.text}"


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
        apart = sum(bool(tool.causes) for tool in known)
        differ = f"{apart} of {counted(len(known), 'tool')} that have it {'differs' if apart == 1 else 'differ'}"
        lines = [f"{self.measure} is {number(self.default)} by default; {differ}."]
        if not self.to:
            return lines
        others = len(self.matches) - 1
        if self.found:
            more = f"; {others} more {'match' if others > 1 else 'matches'}" if others else ""
            return [f"{self.to} is the value {self.matches[0].condition}{more}.", *lines]
        nearest = [f"; the nearest is {number(m.value)}, {m.condition}" for m in self.matches]
        return [f"No profile, convention or pair of conventions gives {self.to}{''.join(nearest)}.", *lines]

    def tables(self, *, places: int = 4) -> list[Table]:
        """The conventions that give a published number, and the values of the tools."""
        rows = tuple(row for tool in self.tools for row in tool.rows(places))
        notes = (f"default: {self.policy}", _EXCEPTIONS, *(f"warning: {w}" for w in self.warnings))
        headers: tuple[str, ...] = ("profile", self.measure, "difference", "queries", "reason", "alone")
        title, key = f"{self.measure} of {title_of(self.names)}", _ALONE if any(row[-1] for row in rows) else ""
        tools = Table(headers, rows, title=title, notes=notes, words=(0, 4), optional=(3,), key=key)
        if not self.to:
            return [tools]
        found = tuple(
            (m.profile or "–", number(m.value, max(places, 6)), m.text, ", ".join(m.conventions)) for m in self.matches
        )
        notes = (f"{counted(self.tried, 'set')} of conventions tried; with many of them, some match by chance",)
        title = f"gives {self.to}" if self.found else f"nearest to {self.to}"
        headers = ("profile", self.measure, "if the tool", "written")
        return [Table(headers, found, title=title, notes=notes, words=(0, 2, 3)).head(_MOST_MATCHES), tools]

    def records(self) -> list[dict[str, Any]]:
        """One row per profile."""
        return [
            {
                "profile": t.profile,
                "measure": t.measure,
                "value": t.value,
                "difference": t.difference,
                "queries": None if t.value is None else t.n_queries,
                "queries_that_differ": None if t.value is None else t.n_apart,
                "causes": "; ".join(c.option for c in t.causes),
                "text": t.text,
            }
            for t in self.tools
        ]

    def to_data(self) -> dict[str, Any]:
        """Everything as plain data."""
        same = ("measure", "policy", "default", "n_queries", "tried")
        return {
            "judged": 1,
            **{name: getattr(self, name) for name in same},
            "qrels": self.names[0],
            "run": self.names[1],
            "warnings": [w.to_dict() for w in self.warnings],
            "tools": [
                {
                    **t._asdict(),
                    "causes": [{**c._asdict(), "text": c.text, "option": c.option} for c in t.causes],
                    "together": t.together,
                    "text": t.text,
                }
                for t in self.tools
            ],
            "to": self.to or None,
            "found": self.found if self.to else None,
            "matches": [m._asdict() for m in self.matches],
        }


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
    limits = outcomes.measure.definition.limits
    possible = within((wanted.value, wanted.value), limits, np.array([result.default]))
    if limits and possible and max(possible[0] - wanted.value, wanted.value - possible[1]) > wanted.half:
        problem = f"{result.measure} is between {limits[0]:g} and {limits[1]:g}, so it is never {wanted.text}"
        raise UsageError("parameter", problem, value=to, hint="check the number; above 1 it is read as percent")
    seen = [
        Match(t.profile, tuple(c.option for c in t.causes), t.why(), t.value)
        for t in result.tools
        if t.value is not None
    ]
    matches = [match for match in seen if wanted.matches(match.value)]
    switches = [] if matches else _single(outcomes, given)
    for size in (1, 2):
        if not matches:
            found = [match for chosen in combinations(switches, size) if (match := _match(outcomes, chosen))]
            seen += found
            matches = [match for match in found if wanted.matches(match.value)]
    nearest = sorted(seen, key=lambda match: abs(match.value - wanted.value))[:1]
    return replace(result, to=wanted.text, matches=tuple(matches or nearest), tried=len(seen), found=bool(matches))


def _match(outcomes: Outcomes, chosen: tuple[Switch, ...]) -> Match | None:
    """The value with some conventions; None if two of them exclude each other, or it has none."""
    if len({switch.name for switch in chosen}) < len(chosen):
        return None
    found = outcomes.of(chosen)
    if isinstance(found, JudgedError) or np.isnan(found.value):
        return None
    return Match("", tuple(s.option for s in chosen), " and ".join(s.text for s in chosen), found.value)


def _single(outcomes: Outcomes, given: Mapping[str, Any]) -> list[Switch]:
    """Every convention that is not the present one: policies, parameters of the measure, other measures that tools call the same."""
    measure, judged = outcomes.measure, outcomes.source.judged
    levels = np.unique(judged.pool_grade[judged.pool_grade > 0])[:_MOST_LEVELS].tolist()
    others = {c.instead for p in PROFILES.values() for c in p.conventions if c.instead and c.fits(measure)}
    found = [Switch("measure", name) for name in sorted(others)]
    if measure.definition.ideal:
        found += [
            Switch("ideal_from", part) for part in ("retrieved", "cutoff") if part != "cutoff" or measure.get(part)
        ]
    for name, values in {**_CHOICES, "level": tuple(levels)}.items():
        if name in POLICIES:
            free, now = name not in given, getattr(judged.policy, name)
        else:
            free = name in measure.definition.parameters and (name == "cutoff" or name not in measure.explicit)
            now = measure.get(name)
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

    Each value is that of `evaluate` with the profile. The causes are found by switching conventions one at a time; they are the smallest
    set that gives every query the value of the profile.

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
    given, found = policies_in(options), parse_all(measure)
    if len(found) != 1 or found[0].definition.text or found[0].definition.summary == "none":
        names = ", ".join(map(str, found))
        hint = "name one measure of numbers, such as nDCG@10"
        raise UsageError("unsuitable-measure", f"conventions need one measure that has a mean, got {names}", hint=hint)
    chosen = with_level(found[0], level)
    outcomes = Outcomes(chosen, read_and_join(qrels, run, UNCHANGED, options))
    result = _under_profiles(outcomes, given)
    return result if to is None else find_published(result, outcomes, to, given)


@step("applying conventions")
def _under_profiles(outcomes: Outcomes, given: Mapping[str, Any]) -> Conventions:
    """The values under every profile, with their causes."""
    measure, judged, default = outcomes.measure, outcomes.source.judged, outcomes.of(())
    if isinstance(default, JudgedError):
        raise default
    sets = {p.name: switches(measure, p, given) for p in PROFILES.values() if p.has(measure)}
    return Conventions(
        measure=str(measure),
        names=judged.names,
        default=default.value,
        n_queries=len(default.column),
        tools=tuple(_value(outcomes, default, name, sets.get(name)) for name in PROFILES),
        policy=policy_notes(judged.policy, [measure])[0].removeprefix("policy: "),
        warnings=(*judged.warnings, *level_warnings(judged, [measure])),
    )


def _value(outcomes: Outcomes, default: Outcome, profile: str, chosen: tuple[Switch, ...] | None) -> ToolValue:
    """The value under a profile, and its causes; `chosen` is None if the tool has no such measure."""
    if chosen is None:
        return ToolValue(profile, str(outcomes.measure), known=False)
    theirs = outcomes.of(chosen)
    if isinstance(theirs, JudgedError):
        return ToolValue(profile, str(outcomes.measure), problem=theirs.problem)
    causes = []
    for switch in _smallest(outcomes, chosen, theirs):
        alone = outcomes.of((switch,))
        change = None if isinstance(alone, JudgedError) else alone.value - default.value
        causes.append(switch._replace(alone=change))
    causes.sort(key=lambda cause: -abs(cause.alone or 0.0))
    apart = ~((theirs.column == default.column) | (np.isnan(theirs.column) & np.isnan(default.column)))
    return ToolValue(
        profile,
        str(theirs.measure),
        value=theirs.value,
        difference=theirs.value - default.value,
        n_queries=int(theirs.counts.sum()),
        n_apart=int(apart.sum()),
        causes=tuple(causes),
    )


def _smallest(outcomes: Outcomes, chosen: tuple[Switch, ...], wanted: Outcome) -> tuple[Switch, ...]:
    """The smallest set of conventions with the same values for every query; of several, the first."""
    for size in range(len(chosen)):
        for some in combinations(chosen, size):
            found = outcomes.of(some)
            if isinstance(found, Outcome) and found.same(wanted):
                return some
    return chosen
