"""Find the conventions that give a published number: profiles, then single conventions, then pairs of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from judged.errors import UsageError, shown
from judged.evaluation.conventions.result import Conventions, Match
from judged.evaluation.conventions.switches import POLICIES, Outcome, Outcomes, Switch
from judged.measures.profiles import PROFILES
from judged.measures.registry import Measure
from judged.steps import step

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
                "published", f"a published value must be a number such as 0.4312, got {shown(number)}", value=number
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
