"""Parameters of trec_eval's measures, and the names that it prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from judged.errors import UsageError
from judged.measures.other_tools import CUTOFFS, NICKNAMES, ORDER
from judged.measures.registry import Definition, Measure, parse


@dataclass(frozen=True, slots=True)
class Printed:
    """One value that trec_eval prints: the measure it was asked for, the name it prints, and the formula."""

    asked: str
    label: str
    measure: Measure

    @property
    def definition(self) -> Definition:
        return self.measure.definition


def parse_requests(words: Iterable[str]) -> dict[str, str]:
    """Return the measures in the order in which they are printed, with their parameters; of several lists the first counts.

    >>> parse_requests(["P.5,10", "map", "P.20"])
    {'map': '', 'P': '5,10'}
    """
    wanted: set[str] = set()
    given: dict[str, str] = {}
    for word in words:
        name, dot, text = word.partition(".")
        names = NICKNAMES.get(name) or ((name,) if name in ORDER else ())
        if not names or (dot and not text):
            raise UsageError("unknown-name", f"trec_eval: illegal measure '{name}'", value=word)
        wanted.update(names)
        if dot:
            given.setdefault(name, text)
    return {name: given.get(name, "") for name in ORDER if name in wanted}


def printed_values(name: str, text: str = "", *, level: int = 1, collection: int = 0) -> list[Printed]:
    """The values of a measure with the parameters written behind its dot.

    >>> [p.label for p in printed_values("P", "10,5")]
    ['P_5', 'P_10']
    """
    base = parse(name)
    own = {"collection": collection} if "collection" in base.definition.parameters else {}
    if base.get("level") == 1:  # where the usual level is another, or none, trec_eval's -l changes nothing
        own["level"] = max(level, 0)
    if name in CUTOFFS:
        return [
            Printed(name, label, _with(base, own, **{str(base.definition.at): value}))
            for label, value in _cuts(name, text)
        ]
    form = next(word for word in base.definition.trec if word.rstrip(".=:") == name)[len(name) :]
    if not (form and text):
        return [Printed(name, name, _with(base, own))]
    return [Printed(name, f"{name}_{text}", _with(base, own, **_FORMS[form](base, text)))]


def _with(base: Measure, own: dict[str, Any], **params: Any) -> Measure:
    """A measure with parameters as they come: trec_eval does not check them either."""
    return Measure(base.definition, (*own.items(), *params.items()))


# ── parameters ───────────────────────────────────────────────────────────────────────────────────


def _cuts(name: str, text: str) -> list[tuple[str, float]]:
    """Labels and cutoffs, ascending."""
    ranks = all(isinstance(usual, int) for usual in CUTOFFS[name])
    read: Callable[[str], float] = leading_int if ranks else leading_float
    cuts = sorted(map(read, text.split(","))) if text else list(CUTOFFS[name])
    if ranks and cuts[0] <= 0:
        raise UsageError("cutoff", "trec_eval: Negative cutoff detected", value=text)
    if len(set(cuts)) < len(cuts):
        raise UsageError("cutoff", "trec_eval: duplicate cutoffs detected", value=text)
    written = [f"{name}_{cut}" if ranks else f"{name}_{cut:3.2f}"[: len(name) + 9] for cut in cuts]
    return [(label, max(cut, 0)) for label, cut in zip(written, cuts, strict=True)]


def _number(base: Measure, text: str) -> dict[str, Any]:
    return {str(base.definition.at): max(int(leading_float(text.split(",")[0])), 0)}


def _numbers(base: Measure, text: str) -> dict[str, Any]:
    values = tuple(leading_float(word) for word in text.split(","))
    if "beta" in base.definition.parameters:  # trec_eval's x is beta squared
        return {"beta": max(values[0], 0.0) ** 0.5}
    return {next(name for name in ("weights", "points") if name in base.definition.parameters): values}


def _pairs(base: Measure, text: str) -> dict[str, Any]:
    """`1=3,2=9` gives gains to grades, `p=0.5` a persistence; other names mean nothing."""
    if not re.fullmatch(r"[^,=]*=[^,=]*(,[^,=]*=[^,=]*)*", text):
        raise UsageError("measure", f"trec_eval: malformed pair parameters in '{text}'", value=text)
    pairs = [(key, leading_float(value)) for key, value in (word.split("=") for word in text.split(","))]
    gains = {float(key): value for key, value in reversed(pairs) if re.fullmatch(r"[+-]?\d+", key) and int(key) >= 0}
    params: dict[str, Any] = {"gains": tuple(sorted(gains.items()))} if gains else {}
    if "p" in base.definition.parameters:
        params.update((key, value) for key, value in pairs if key == "p")
    return {name: value for name, value in params.items() if name in base.definition.parameters}


_FORMS: dict[str, Callable[[Measure, str], dict[str, Any]]] = {".": _number, ":": _numbers, "=": _pairs}


# ── numbers as C reads them ──────────────────────────────────────────────────────────────────────

_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def leading_int(text: str) -> int:
    """The integer at the beginning of a text, or 0 (`atol` in C)."""
    found = _WHOLE.match(text)
    return int(found[1]) if found else 0


def leading_float(text: str) -> float:
    """The decimal number at the beginning of a text, else 0 (`atof`)."""
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0
