"""Single conventions in which a tool differs from the defaults, their words, and the names of a measure in other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from judged._types import Bools, Column
from judged.core.judged_views import without_missed
from judged.core.policy import POLICY_OPTIONS
from judged.errors import JudgedError
from judged.evaluation.inputs import Provenance
from judged.evaluation.measuring import Views
from judged.measures.other_tools import NAMES, SPELLINGS
from judged.measures.parameters import literal
from judged.measures.profiles import PROFILES, Profile
from judged.measures.registry import MEASURES, Definition, Measure, parse
from judged.stats.intervals import summarise

POLICIES = frozenset(policy.name for policy in POLICY_OPTIONS)
_WORDS: dict[tuple[str, Any], str] = {  # each completes the sentence "it differs because it …"
    ("queries", "both"): "leaves out queries missing from the run",
    ("queries", "judged"): "counts queries missing from the run as 0",
    ("empty", "skip"): "leaves out queries without a relevant document",
    ("empty", "one"): "counts queries without a relevant document as 1",
    ("empty", "zero"): "counts queries without a relevant document as 0",
    ("ties", "input"): "keeps equal scores in the order of the input",
    ("ties", "id-asc"): "orders equal scores by ascending id",
    ("ties", "id-desc"): "orders equal scores by descending id",
    ("ties", "expected"): "averages over all orders of equal scores",
    ("ties", "worst"): "puts the lowest grade first among equal scores",
    ("ties", "best"): "puts the highest grade first among equal scores",
    ("precision", "float32"): "compares scores in float32",
    ("precision", "float64"): "compares scores in float64",
    ("order", "rank"): "follows the rank column",
    ("order", "input"): "follows the order of the input",
    ("gain", "exp"): "has the gain 2^grade − 1",
    ("gain", "linear"): "has the grade as the gain",
    ("gain", "binary"): "has the same gain for every relevant document",
    ("discount", "log2"): "discounts by log2(rank + 1)",
    ("discount", "jk"): "discounts by log2(rank), from rank 2 on",
    ("discount", "rank"): "discounts by the rank",
    ("norm", "relevant"): "divides by the number of relevant documents",
    ("norm", "capped"): "divides by min(k, relevant)",
    ("norm", "found"): "divides by the number of relevant documents found",
    ("norm", "list"): "divides by min(retrieved, relevant)",
    ("norm", "cutoff"): "divides by the cutoff",
    ("norm", "ideal"): "divides by the sum of the ideal grades",
    ("short", "shrink"): "shrinks the cutoff to the length of a shorter ranking",
    ("short", "zero"): "gives 0 to rankings shorter than the cutoff",
    ("tied", "together"): "ranks equal scores together",
    ("which", "all"): "averages over all relevant documents found",
    ("judged_only", True): "removes unjudged documents first",
    ("scale", "none"): "multiplies by the grades themselves",
    ("rounding", "trec9"): "rounds recall levels by adding 0.9",
    ("squared", True): "takes beta for its square",
    ("cutoff", None): "has no cutoff",
    ("ideal_from", "retrieved"): "takes the ideal ranking from the retrieved documents only (a mistake)",
    ("ideal_from", "cutoff"): "takes the ideal ranking from the documents down to the cutoff only (a mistake)",
}


class Switch(NamedTuple):
    """One convention: a policy, a parameter of the measure, or another measure of the same name (`measure`).

    As the cause of a difference it has the change of the mean if it is switched alone; None if it cannot be.

    >>> Switch("queries", "both").text
    'leaves out queries missing from the run'
    """

    name: str
    value: Any
    alone: float | None = None

    @property
    def text(self) -> str:
        """Words that complete "it differs because it …"."""
        if self.name == "measure":
            return f"computes {self.value} by this name"
        if self.name == "level":
            return f"counts grades from {self.value:g} on as relevant"
        if self.name == "cutoff" and self.value is not None:
            return f"has the cutoff {self.value}"
        return _WORDS.get((self.name, self.value)) or f"has {self.name} = {literal(self.value)}"

    @property
    def option(self) -> str:
        """The switch as it is written: an option of `evaluate`, or a parameter of the measure; nothing for a mistake."""
        if self.name == "ideal_from":
            return "no option"
        return str(self.value) if self.name == "measure" else f"{self.name}={literal(self.value)}"


class Outcome(NamedTuple):
    """Values of a measure with some conventions: one per judged query, NaN if it has none; which queries count; their summary."""

    measure: Measure
    column: Column
    counts: Bools
    value: float

    def same(self, other: Outcome) -> bool:
        """True if the values of every query and their summary are the same bits, and the same queries count."""
        pairs: Any = zip(self[1:], other[1:], strict=True)
        return all(np.array_equal(ours, theirs, equal_nan=True) for ours, theirs in pairs)


def switches(measure: Measure, profile: Profile, given: Mapping[str, Any]) -> tuple[Switch, ...]:
    """The conventions in which a profile differs from the defaults; explicit parameters and `given` policies stay."""
    theirs, ours = profile.apply(measure, given), measure
    found = []
    if theirs.name != measure.name:
        found.append(Switch("measure", theirs.name))
        ours = with_switches(measure, found)
    found += [Switch(n, theirs.get(n)) for n in theirs.definition.parameters if theirs.get(n) != ours.get(n)]
    policy = {**{n: v for n, v in profile.policy.items() if n not in given}, **dict(theirs.policy)}
    default = {option.name: option.default for option in POLICY_OPTIONS}
    return (*found, *(Switch(name, value) for name, value in policy.items() if value != default[name]))


def with_switches(measure: Measure, chosen: Iterable[Switch]) -> Measure:
    """The measure with some conventions; policies become those of this measure alone."""
    params = {switch.name: switch.value for switch in chosen}
    other = params.pop("measure", None)
    policy = {name: params.pop(name) for name in POLICIES & params.keys()}
    if other is not None:
        written = {name: measure.get(name) for name in measure.explicit}
        measure = Measure(MEASURES.find(other))(**written)
    return replace(measure(**params), explicit=measure.explicit, policy=tuple(sorted(policy.items())))


class Outcomes:
    """Values of one measure on one run under any set of conventions, each computed once."""

    def __init__(self, measure: Measure, source: Provenance) -> None:
        self.measure, self.source = measure, source
        self.answered: Bools = source.judged.answered
        self._views = Views(source)
        self._known: dict[frozenset[Switch], Outcome | JudgedError] = {}

    def of(self, chosen: Iterable[Switch]) -> Outcome | JudgedError:
        """The values with these conventions; an error if they do not go together, such as a divisor that needs a cutoff."""
        key = frozenset(chosen)
        if key not in self._known:
            try:
                self._known[key] = self._compute(key)
            except JudgedError as error:
                self._known[key] = error
        return self._known[key]

    def _compute(self, chosen: frozenset[Switch]) -> Outcome:
        own = [switch for switch in chosen if switch.name not in ("queries", "ideal_from")]
        measure = with_switches(self.measure, own)
        strict = replace(measure, explicit=frozenset(name for name, _ in measure.given))  # refuses what has no effect
        if len(own) + (Switch("queries", "both") in chosen) == len(chosen):
            column = self._views.column(strict)
        else:
            depth = measure.get("cutoff") if Switch("ideal_from", "cutoff") in chosen else None
            judged = without_missed(self._views.of(strict).judged, depth)
            column = Views(Provenance(judged)).column(replace(strict, policy=()))
        counts = self.answered if Switch("queries", "both") in chosen else np.ones(len(column), bool)
        value = summarise(column[counts], measure.definition.summary)
        return Outcome(measure, np.where(counts, column, np.nan), counts, value)


_CUTOFF = 10  # stands for the k of a name
_TREC = ("trec_eval-10", "trec_eval-9", "pytrec_eval")


class Peer(NamedTuple):
    """A tool, its name of a measure, and what it does differently in words that complete "it …"; empty if nothing."""

    tool: str
    name: str
    difference: str


def peers_of(definition: Definition) -> list[Peer]:
    """Return the tools that have a measure, in the order of the profiles; tools without one are last.

    >>> from judged.measures.registry import MEASURES
    >>> [peer for peer in peers_of(MEASURES.find("nDCG")) if peer.tool == "lightgbm"][0].name
    'ndcg@k'
    """
    peers = [
        Peer(tool, name, "; ".join(s.text for s in found))
        for tool in dict.fromkeys([*PROFILES, *NAMES])
        for name, measure in _names(tool, definition)
        if (found := _differences(tool, measure, definition)) is not None
    ]
    return list({(p.tool, p.name.removesuffix("@k"), p.difference): p for p in reversed(peers)}.values())[::-1]


def _names(tool: str, definition: Definition) -> Iterator[tuple[str, Measure]]:
    """The names of a tool that may be meant, each with the measure by our conventions."""
    plain = Measure(definition)
    deep = plain @ _CUTOFF if definition.at == "cutoff" else plain
    if tool in _TREC:
        for word in definition.trec:
            at = word.endswith(".") and definition.at == "cutoff"
            yield (f"{word}k", deep) if at else (word.rstrip(".=:"), plain)
    elif tool == "ir_measures":
        yield definition.name, plain
        if deep is not plain:
            yield f"{definition.name}@k", deep
    else:
        yield from _spelt(tool)


@cache
def _spelt(tool: str) -> list[tuple[str, Measure]]:
    names = SPELLINGS.get(tool, "").split()
    names += [name for name in NAMES.get(tool, {}) if f"{name}@k" not in names]
    return [(name, parse(_with_number(name))) for name in names]


def _with_number(name: str) -> str:
    return f"{name[:-1]}{_CUTOFF}" if name.endswith(("@k", "_at_k", "=k")) else name


def _differences(tool: str, measure: Measure, definition: Definition) -> tuple[Switch, ...] | None:
    """The conventions in which a tool differs from the defaults; None if the name means another measure there."""
    profile, given = PROFILES.get(tool), dict(measure.given)
    own = tuple(Switch(name, value) for name, value in given.items() if name != "cutoff")
    if profile is None or not profile.has(measure):
        known = profile is None or tool not in (*_TREC, "ir_measures")
        return own if known and measure.definition is definition else None
    if profile.apply(measure).definition is not definition:
        return None
    plain = Measure(definition)
    return switches(plain @ given["cutoff"] if "cutoff" in given else plain, profile, {})
