"""The names of a measure in other tools, and in which conventions each tool differs, by its profile."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from judged.evaluation.conventions.switches import Switch, switches
from judged.measures.grammar import parse
from judged.measures.other_tools import NAMES, SPELLINGS
from judged.measures.profiles import PROFILES
from judged.measures.registry import Definition, Measure

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
            name = f"{word}k" if at else word.rstrip(".=:")
            yield name, deep if at else plain
    elif tool == "ir_measures":
        yield definition.name, plain
        yield from [] if deep is plain else [(f"{definition.name}@k", deep)]
    else:
        yield from _spelt(tool)


@cache
def _spelt(tool: str) -> list[tuple[str, Measure]]:
    names = SPELLINGS.get(tool, "").split()
    names += [name for name in NAMES.get(tool, {}) if f"{name}@k" not in names]
    return [(name, parse(_with_number(name))) for name in names]


@cache
def _parsed(name: str) -> Measure:
    """The measure that a name of another tool means; the names are the same for every measure that asks."""
    return parse(_with_number(name))


def _with_number(name: str) -> str:
    for end in ("@k", "_at_k", "=k"):
        if name.endswith(end):
            return f"{name[:-1]}{_CUTOFF}"
    return name


def _differences(tool: str, measure: Measure, definition: Definition) -> tuple[Switch, ...] | None:
    """The conventions in which a tool differs from the defaults; None if the name means another measure there."""
    profile, given = PROFILES.get(tool), dict(measure.given)
    own = tuple(Switch(name, value) for name, value in given.items() if name != "cutoff")
    if profile is None or not profile.has(measure):
        known = profile is None or tool not in (*_TREC, "ir_measures")
        return own if known and measure.definition is definition else None
    if profile.apply(measure).definition is not definition:
        return None
    cutoff = given.get("cutoff")
    plain = Measure(definition)
    return switches(plain if cutoff is None else plain @ cutoff, profile, {})
