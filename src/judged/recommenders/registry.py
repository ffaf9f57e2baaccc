"""Measures beyond accuracy: declared once by `@beyond`, found in `BEYOND`, read from names by `parse_beyond`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_type_hints

import numpy as np

from judged._types import Floats
from judged.core.judged import Judged
from judged.errors import Hint, UsageError, Wording, shown
from judged.measures.parameters import Cutoff, Spec, number
from judged.measures.registry import Measure, find, measure
from judged.recommenders.lists import MissingArgumentError, RecommendedLists
from judged.registry import Registry, expand_at, parse_call, split_calls

Unit = Literal["user", "run"]
Formula = Callable[..., Any]

Alpha = Annotated[float, Spec("a number above 0 and below 1", number(0, 1, open_low=True, open_high=True))]
LogBase = Annotated[float, Spec("the base of the logarithm", number(1, open_low=True))]

_ARGUMENTS = {
    "items": "the catalogue (its items, or their number)",
    "history": "past interactions of users and items",
    "vectors": "a vector for each item, or a similarity of items",
    "qrels": "the relevant items of each user",
    "categories": "the categories of each item",
}


_RELEVANCE = Hint("use {evaluate} for measures of relevance", evaluate=Wording("jd.evaluate", "judged eval"))


@dataclass(frozen=True, eq=False)
class BeyondDefinition:
    """A declared measure.

    Args:
        name: its name in the literature.
        function: the formula, from `RecommendedLists` and parameters to one value per user, or to one of the whole run.
        of: "user" or "run": which of the two.
        needs: the arguments that it needs with its default parameters.
        formula: in plain mathematics.
        latex: the same, typeset.
        paper: keys of `judged.references`, separated by blanks.
        intuition: two sentences for readers who have never seen the measure.
        range: the smallest and the largest value.
        lower_is_better: for measures with a better end.
        whole: a count, printed without decimals.
    """

    name: str
    function: Formula
    of: Unit
    needs: tuple[str, ...]
    formula: str
    paper: str
    range: tuple[float, float]
    intuition: str = ""
    latex: str = ""
    aliases: tuple[str, ...] = ()
    lower_is_better: bool = False
    whole: bool = False

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The type of each parameter."""
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hints[name] for name in list(inspect.signature(self.function).parameters)[1:]}

    @cached_property
    def parameters(self) -> dict[str, tuple[Spec, Any]]:
        """Name → (description, default), in the order of the signature."""
        defaults = inspect.signature(self.function).parameters
        return {name: (Spec.of(name, hint), defaults[name].default) for name, hint in self.hints.items()}

    @property
    def description(self) -> str:
        """The docstring of the formula."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return self.description.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class BeyondMeasure:
    """A measure beyond accuracy with its parameters: `Gini(over='recommended')@5`."""

    definition: BeyondDefinition
    params: tuple[tuple[str, Any], ...] = ()  # those that differ from the defaults
    k: int | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.definition.name, self.params, self.k)  # a definition contains functions

    def at(self, k: int) -> BeyondMeasure:
        """The measure with this cutoff, unless it has its own."""
        return self if self.k is not None else BeyondMeasure(self.definition, self.params, k)

    def on(self, lists: RecommendedLists) -> Floats:
        """One value per user, or a single one of the whole run."""
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                value = self.definition.function(lists.cut(self.k or lists.k), **dict(self.params))
        except MissingArgumentError as missing:
            need = missing.argument
            action = (
                Hint("pass vectors= or similarity= in Python")
                if need == "vectors"
                else Hint(f"pass {{{need}}}", **{need: None})
            )
            raise UsageError("argument", f"{self} needs {_ARGUMENTS[need]}", hint=action, value=need) from None
        return np.atleast_1d(np.asarray(value, dtype=float))

    def as_measure(self) -> Measure:
        """The measure as `compare` knows measures: by a name that can be read again, and with its better end."""
        if find(self.definition.name) is None:
            _declare_name(self.definition)
        definition = find(self.definition.name)
        assert definition is not None
        return Measure(definition)(**dict(self.params), cutoff=self.k)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.params)
        return self.definition.name + (f"({inside})" if inside else "") + (f"@{self.k}" if self.k else "")

    __repr__ = __str__


BEYOND: Registry[BeyondDefinition] = Registry("measure", package="judged.recommenders.measures")


def beyond(name: str, *, of: Unit, needs: tuple[str, ...] = (), **options: Any) -> Callable[[Formula], Formula]:
    """Declare the function below it as a measure: from `RecommendedLists` to one value per user, or to one of the run."""

    def declare(function: Formula) -> Formula:
        definition = BeyondDefinition(name, function, of, needs, **options)
        assert definition.parameters is not None  # a wrong signature fails here, not at the first use
        BEYOND.add(definition)
        return function

    return declare


def parse_beyond(names: str | BeyondMeasure | Iterable[str | BeyondMeasure]) -> list[BeyondMeasure]:
    """Parse names of measures: one, several separated by blanks, or a list.

    >>> parse_beyond("Coverage Gini(over=recommended)@5")
    [Coverage, Gini(over='recommended')@5]
    """
    if isinstance(names, BeyondMeasure):
        return [names]
    if isinstance(names, str):
        parsed = [one for word in split_calls(names) for one in _parse(word)]
    elif isinstance(names, Iterable):
        parsed = [one for name in names for one in parse_beyond(name)]
    else:
        raise UsageError("measure", "the name of a measure, or a list of them", got=shown(names), value=names)
    if not parsed:
        raise UsageError("measure", "no beyond-accuracy measure given", hint="name one, such as Coverage")
    return list(dict.fromkeys(parsed))


def _parse(text: str) -> list[BeyondMeasure]:
    call = parse_call(text)
    definition = BEYOND.find(call.name, hint=_RELEVANCE)
    known = definition.parameters
    unknown = next((name for name in call.params if name not in known), None)
    if unknown is not None:
        action = f"its parameters are {', '.join(known)}" if known else "omit it"
        raise UsageError("parameter", f"{definition.name} has no parameter {unknown!r}", hint=action, value=text)
    checked = {name: spec.check(call.params[name]) for name, (spec, _) in known.items() if name in call.params}
    params = tuple((name, value) for name, value in checked.items() if value != known[name][1])
    cutoffs = [None] if call.at is None else expand_at(call.at)
    return [BeyondMeasure(definition, params, None if at is None else _cutoff(at)) for at in cutoffs]


def _cutoff(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) < 10**9:
        raise UsageError("cutoff", f"cutoff must be an integer ≥ 1, got {shown(text)}", value=text)
    return int(text)


def _declare_name(d: BeyondDefinition) -> None:
    """Declare the name and parameters among the measures of relevance, without a formula from judgments."""

    def function(j: Judged, **_: Any) -> Floats:
        raise UsageError(
            "measure",
            f"{d.name} needs recommendations, not judgments",
            hint=Hint("use {beyond}", beyond=Wording("jd.recommenders.beyond_accuracy", "judged recommend")),
            value=d.name,
        )

    hints = {"cutoff": Cutoff, **d.hints}
    defaults = {"cutoff": None, **{name: default for name, (_, default) in d.parameters.items()}}
    first = inspect.Parameter("j", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    others = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name]) for name in hints]
    function.__signature__ = inspect.Signature([first, *others])  # type: ignore[attr-defined]
    function.__annotations__ = {**hints, "return": Floats}
    function.__doc__ = d.description
    measure(
        d.name,
        lower_is_better=d.lower_is_better,
        paper=d.paper,
        formula=d.formula,
        latex=d.latex,
        intuition=d.intuition,
    )(function)


def _restore(name: str, params: tuple[tuple[str, Any], ...], k: int | None) -> BeyondMeasure:
    return BeyondMeasure(BEYOND.find(name), params, k)
