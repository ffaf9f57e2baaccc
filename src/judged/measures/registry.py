"""A measure is declared once: one decorator, one function. Everything else is derived from here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_type_hints

import numpy as np

from judged._types import Column
from judged.core.judged import Judged
from judged.core.passages import cut_to_budget
from judged.errors import UsageError
from judged.measures.parameters import Budget, Flag, Spec, budget_in, frozen

__all__ = ["Definition", "Law", "Measure", "definitions", "find", "measure"]

Formula = Callable[..., Column]
Summary = Literal["mean", "sum", "geometric", "none"]
Law = Literal["unit", "perfect", "capped", "swap", "cutoff", "tail", "additive"]
Needs = Literal["grades", "subtopics", "groups", "preferences", "spans"]

_JUDGED_ONLY = Spec("leave unjudged documents out of the ranking first", Spec.of("judged_only", Flag).check)


@dataclass(frozen=True, eq=False)
class Definition:
    """What was declared: the formula and all that is said about it.

    Args:
        name: as researchers spell it.
        function: from `Judged` and parameters to one value per query.
        family: the chapter it belongs to.
        aliases: names that other people and tools use.
        trec: trec_eval's names; a trailing `.` says that a cutoff follows, `=` that pairs do, `:` a list.
        laws: unit (0 to 1), perfect (the ideal ranking scores 1), capped (at every cutoff), swap (moving a better document up never
            lowers), cutoff (nothing below it matters), tail (unjudged documents at the end never raise), additive (a sum over documents, each by its rank alone).
        example: grades of a ranking, best first, and the value; the pool is the ranking itself.
        summary: how queries are summed up.
        needs: what the judgments must hold.
        paper: who proposed it.
        formula: in plain mathematics.
    """

    name: str
    function: Formula
    family: str
    aliases: tuple[str, ...] = ()
    trec: tuple[str, ...] = ()
    laws: frozenset[Law] = frozenset()
    example: tuple[list[float], float] | None = None
    example_params: dict[str, Any] = field(default_factory=dict)
    summary: Summary = "mean"
    needs: Needs = "grades"
    whole: bool = False  # counts, printed without decimals
    text: bool = False  # a string per query
    lower_is_better: bool = False
    paper: str = ""
    formula: str = ""

    @cached_property
    def parameters(self) -> dict[str, tuple[Spec, Any]]:
        """Name → (description, default), in the order of the signature."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function).parameters
        found = {n: (Spec.of(n, hints[n]), frozen(p.default)) for n, p in list(signature.items())[1:]}
        return {**found, "judged_only": (_JUDGED_ONLY, False), "tokens": (Spec.of("tokens", Budget), None)}

    @property
    def binary(self) -> bool:
        """Whether it sees relevant and not relevant only, told apart by a level."""
        return self.parameters.get("level", (None, None))[1] == 1

    @property
    def at(self) -> str | None:
        """The parameter that is written behind the @."""
        return next((name for name, (spec, _) in self.parameters.items() if spec.at), None)

    @property
    def description(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with its parameters: `nDCG @ 10`, `AP(level=2)`. Printing and parsing are inverse."""

    definition: Definition
    given: tuple[tuple[str, Any], ...] = ()  # what differs from the defaults, in signature order
    said: frozenset[str] = field(default=frozenset(), compare=False)  # what was written, default or not

    def __reduce__(self) -> tuple[Any, ...]:
        """By its name, which says all of it; a measure of one's own must be declared where it is unpickled."""
        return _named, (self.definition.name, self.given, self.said)

    def __call__(self, /, **params: Any) -> Measure:
        """The same measure with other parameters."""
        known = self.definition.parameters
        values: dict[str, Any] = dict(self.given)
        resolved: dict[str, str] = {}
        for name, value in params.items():
            key = name if name in known else next((k for k, (s, _) in known.items() if name in s.aliases), None)
            if key is None:
                close = _close(name, known, 0.6)
                raise UsageError(
                    "parameter",
                    f"one of the parameters of {self.definition.name}, {', '.join(known)}",
                    got=repr(name),
                    hint=f"did you mean {close[0]}?" if close else None,
                    value=name,
                )
            if key in resolved.values():
                raise UsageError("parameter", f"{key} once", got="twice, under two names", value=name)
            values[key] = known[key][0].check(value)
            resolved[name] = key
        kept = tuple((k, values[k]) for k, (_, default) in known.items() if k in values and values[k] != default)
        return Measure(self.definition, kept, self.said | {resolved[name] for name in params})

    def __matmul__(self, at: float | str) -> Measure:
        """`P @ 10`: the cutoff, or whatever this measure writes behind its @; `P @ "2000tok"`: a budget of tokens instead."""
        if isinstance(at, str):
            return self(tokens=budget_in(at), **({"cutoff": None} if self.definition.at == "cutoff" else {}))
        if self.definition.at is None:
            raise UsageError("cutoff", f"{self.definition.name} without @", got=f"@{at}", value=at)
        return self(**{self.definition.at: at})

    @property
    def name(self) -> str:
        return self.definition.name

    def get(self, name: str) -> Any:
        """The value of a parameter, given or default; None where the measure has no such parameter."""
        return dict(self.given).get(name, self.definition.parameters.get(name, (None, None))[1])

    def on(self, judged: Judged) -> Column:
        """One value per query."""
        judged = self.seen(judged)
        params = {name: value for name, value in self.given if name not in ("judged_only", "tokens")}
        _check_needs(self, judged)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.definition.function(judged, **params)
        return values if self.definition.text else np.asarray(values, dtype=np.float64)

    def seen(self, judged: Judged) -> Judged:
        """The part of the rankings that is looked at: judged documents only, or what fits into a budget of tokens, if so asked."""
        seen = judged.condensed() if self.get("judged_only") else judged
        return seen if self.get("tokens") is None else cut_to_budget(seen, self.get("tokens"))

    def __str__(self) -> str:
        at, given = self.definition.at, dict(self.given)
        behind = _written(given.pop(at)) if at and given.get(at) is not None else None
        if behind is None and given.get("tokens") is not None and (at != "cutoff" or self.get("cutoff") is None):
            behind = f"{given.pop('tokens')}tok"  # which stands where the cutoff would
            given.pop("cutoff", None)
        inside = ", ".join(f"{name}={_written(value)}" for name, value in given.items())
        return self.name + (f"({inside})" if inside else "") + (f"@{behind}" if behind is not None else "")

    __repr__ = __str__


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "{" + ", ".join(f"{_written(k)}: {_written(v)}" for k, v in value) + "}"
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _check_needs(measure: Measure, judged: Judged) -> None:
    if measure.definition.needs == "spans":
        if judged.reading is None or judged.reading.gold is None:
            raise UsageError(
                "no-spans", f"judgments and chunks that are spans of documents, for {measure}", got="ids", where=judged.names[0],
                hint="write both as {'doc': id, 'start': a, 'end': b}",
            )  # fmt: skip
    elif measure.definition.needs != "grades" and judged.aspects is None:
        raise UsageError(
            "no-subtopics",
            f"judgments with {measure.definition.needs} for {measure}",
            got="a second column that never varies",
            hint="use the diversity (or preference) judgments of the collection",
            where=judged.names[0],
        )


# ── the registry ─────────────────────────────────────────────────────────────────────────────────

_BY_NAME: dict[str, Definition] = {}
_ALL: list[Definition] = []


def measure(
    name: str,
    *,
    family: str = "own",
    aliases: tuple[str, ...] = (),
    trec: str = "",
    laws: set[Law] | frozenset[Law] = frozenset(),
    **said: Any,
) -> Callable[[Formula], Formula]:
    """Declare a measure: a function from `Judged` to one value per query.

    >>> @measure("Depth", aliases=("list_length",))
    ... def depth(j):
    ...     '''How many documents the ranking holds.'''
    ...     return j.retrieved
    """

    def declare(function: Formula) -> Formula:
        definition = Definition(
            name, function, family, aliases=aliases, trec=tuple(trec.split()), laws=frozenset(laws), **said
        )
        assert definition.parameters is not None  # a wrong signature fails here, not at the first use
        names = [name, *aliases, *(t.rstrip(".=:") for t in definition.trec)]
        for known in names:
            other = _BY_NAME.get(known)
            if other is not None and other.name != name:
                raise UsageError("name-taken", f"a new name for {name}", got=f"{known}, which is {other.name}")
        _ALL[:] = [d for d in _ALL if d.name != name] + [definition]
        _BY_NAME.update(dict.fromkeys(names, definition))
        return function

    return declare


def definitions() -> Iterator[Definition]:
    """Every declared measure, in the order of declaration."""
    return iter(tuple(_ALL))


def find(name: str) -> Definition | None:
    """The definition behind a name or alias: exactly, or else without regard to case, - and _."""
    if name in _BY_NAME or not (name[:1].isalnum() and name[-1:].isalnum()):
        return _BY_NAME.get(name)
    plain = _plain(name)
    found = {d.name: d for known, d in _BY_NAME.items() if _plain(known) == plain}
    return next(iter(found.values())) if len(found) == 1 else None


def nearest(name: str) -> str | None:
    """The known name that a wrong one most resembles."""
    plain = {_plain(known): known for known in reversed(_BY_NAME)}
    close = _close(_plain(name), plain, 0.7)
    return _BY_NAME[plain[close[0]]].name if close else None


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def _named(name: str, given: tuple[tuple[str, Any], ...], said: frozenset[str]) -> Measure:
    definition = find(name)
    if definition is None:
        raise UsageError("measure", f"a measure called {name!r} to be declared here", got="none")
    return Measure(definition, given, said)


def _close(name: str, known: Iterable[str], cutoff: float) -> list[str]:
    from difflib import get_close_matches  # only a wrong name needs it

    return get_close_matches(name, list(known), 1, cutoff)
