"""Measures beyond accuracy: each declared once, with what it needs; names in and out."""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from judged.errors import UsageError, shown
from judged.recommenders.lists import NotGivenError, RecommendedLists

__all__ = ["Beyond", "Declared", "Share", "beyond", "declared", "parse_beyond"]

Of = Literal["user", "run"]
Formula = Callable[..., Any]

_SHAPE = re.compile(r"(?P<name>[A-Za-z]\w*)(?:\((?P<params>.*)\))?(?:@(?P<at>.+))?", re.DOTALL)
_BLANK = re.compile(r"[\s,]+(?![^(]*\))")
_MEANING = {
    "items": "the catalogue: its items, or how many there are",
    "history": "the interactions from before, of users and items",
    "vectors": "a vector for each item, or similarity=",
    "qrels": "what is relevant to whom",
    "categories": "the categories of each item",
}


@dataclass(frozen=True, slots=True)
class Between:
    """The numbers that a parameter takes; the ends are not among them."""

    low: float
    high: float


Share = Annotated[float, Between(0, 1)]
Base = Annotated[float, Between(1, math.inf)]


@dataclass(frozen=True, eq=False)
class Declared:
    """What was declared: the formula and all that is said about it.

    Args:
        name: as the literature has it.
        function: from `RecommendedLists` and parameters to one value per user, or to one of the whole run.
        of: which of the two.
        needs: the arguments without which it cannot be computed, under its default parameters.
        range: the least and the largest value; `inf` where there is no end.
        lower_is_better: where one end is the better one at all.
    """

    name: str
    function: Formula
    of: Of
    needs: tuple[str, ...]
    formula: str
    paper: str
    range: tuple[float, float]
    aliases: tuple[str, ...] = ()
    lower_is_better: bool = False
    whole: bool = False  # a count, printed without decimals

    @cached_property
    def parameters(self) -> dict[str, tuple[Any, Any]]:
        """Name → (type, default)."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = list(inspect.signature(self.function).parameters.items())[1:]
        return {name: (hints[name], p.default) for name, p in signature}

    @property
    def description(self) -> str:
        return inspect.cleandoc(self.function.__doc__ or "")


@dataclass(frozen=True, slots=True)
class Beyond:
    """A measure beyond accuracy with its parameters: `Gini(over='recommended')@5`."""

    declared: Declared
    given: tuple[tuple[str, Any], ...] = ()
    k: int | None = None

    def at(self, k: int) -> Beyond:
        """With this cutoff, unless it has its own."""
        return self if self.k is not None else Beyond(self.declared, self.given, k)

    def on(self, lists: RecommendedLists) -> NDArray[np.float64]:
        """One value per user; or a single one, of the whole run."""
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                value = self.declared.function(lists.cut(self.k or lists.k), **dict(self.given))
        except NotGivenError as missing:
            need = missing.argument
            raise UsageError("argument", f"{need}= for {self}: {_MEANING[need]}", got="none", value=need) from None
        return np.atleast_1d(np.asarray(value, dtype=float))

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.given)
        return self.declared.name + (f"({inside})" if inside else "") + (f"@{self.k}" if self.k else "")

    __repr__ = __str__


_ALL: dict[str, Declared] = {}
_BY_NAME: dict[str, Declared] = {}


def beyond(name: str, *, of: Of, needs: tuple[str, ...] = (), aliases: tuple[str, ...] = (), **said: Any,
           ) -> Callable[[Formula], Formula]:  # fmt: skip
    """Declare a measure: a function from `RecommendedLists` to one value per user, or to one of the run."""

    def declare(function: Formula) -> Formula:
        found = Declared(name, function, of, needs, aliases=aliases, **said)
        assert found.parameters is not None  # a wrong signature fails here, not at the first use
        _ALL[name] = found
        _BY_NAME.update({_plain(known): found for known in (name, *aliases)})
        return function

    return declare


def declared() -> tuple[Declared, ...]:
    """Every measure beyond accuracy: those of the whole run, then those of each user."""
    import_module("judged.recommenders.measures")
    return tuple(sorted(_ALL.values(), key=lambda d: d.of))


def parse_beyond(names: str | Beyond | Iterable[str | Beyond]) -> list[Beyond]:
    """Measures from their names: one, several with blanks between them, or a list.

    >>> parse_beyond("Coverage Gini(over=recommended)@5")
    [Coverage, Gini(over='recommended')@5]
    """
    if isinstance(names, Beyond):
        return [names]
    if isinstance(names, str):
        found = [_parsed(word) for word in _BLANK.split(names.strip()) if word]
    elif isinstance(names, Iterable):
        found = [one for name in names for one in parse_beyond(name)]
    else:
        raise UsageError("measure", "the name of a measure, or a list of them", got=shown(names), value=names)
    if not found:
        raise UsageError("measure", "at least one measure beyond accuracy", got="none", hint="for example Coverage")
    return list(dict.fromkeys(found))


def _parsed(text: str) -> Beyond:
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise UsageError("measure", "Name, Name@k or Name(param=value)@k", got=shown(text), value=text)
    import_module("judged.recommenders.measures")
    found = _BY_NAME.get(_plain(shape["name"]))
    if found is None:
        near = get_close_matches(_plain(shape["name"]), _BY_NAME, 1, 0.6)
        raise UsageError(
            "metric", f"a measure beyond accuracy, one of {', '.join(_ALL)}", got=shown(shape["name"]), value=text,
            hint=f"did you mean {_BY_NAME[near[0]].name}?" if near else "measures of relevance are evaluate's",
        )  # fmt: skip
    if shape["at"] is not None and not re.fullmatch(r"[1-9]\d{0,8}", shape["at"]):
        raise UsageError("cutoff", "a cutoff that is a whole number from 1", got=shown(text), value=text)
    given = _keywords(shape["params"] or "", text)
    return Beyond(found, _checked(found, given, text), int(shape["at"]) if shape["at"] else None)


def _keywords(params: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({params})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError(params)
        return {str(k.arg): k.value.id if isinstance(k.value, ast.Name) else ast.literal_eval(k.value)
                for k in call.keywords}  # fmt: skip
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError("measure", "parameters as name=value", got=shown(text), value=text) from None


def _checked(found: Declared, given: dict[str, Any], text: str) -> tuple[tuple[str, Any], ...]:
    unknown = [name for name in given if name not in found.parameters]
    if unknown:
        known = ", ".join(found.parameters) or "none"
        raise UsageError("parameter", f"a parameter of {found.name} ({known})", got=shown(unknown[0]), value=text)
    checked = {name: _value(name, hint, given[name]) for name, (hint, _) in found.parameters.items() if name in given}
    return tuple((name, value) for name, value in checked.items() if value != found.parameters[name][1])


def _value(name: str, hint: Any, value: Any) -> Any:
    if get_origin(hint) is Annotated:
        low, high = hint.__metadata__[0].low, hint.__metadata__[0].high
        if isinstance(value, int | float) and not isinstance(value, bool) and low < value < high:
            return float(value)
        expected = f"{name} above {low:g}" + (f" and below {high:g}" if high < math.inf else "")
    else:
        choices = (True, False) if hint is bool else get_args(hint)
        value = {"True": True, "False": False}.get(value, value) if hint is bool and isinstance(value, str) else value
        if any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
            return value
        expected = f"{name} to be one of {', '.join(map(repr, choices))}"
    raise UsageError("parameter", expected, got=shown(value), value=value)


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
