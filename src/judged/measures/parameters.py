"""The shelf of parameters: each described and checked once; a measure's signature picks from it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args, get_origin

from judged.errors import UsageError, shown


@dataclass(frozen=True, slots=True)
class Spec:
    """What a parameter means, what it accepts, and what other tools call it."""

    text: str
    check: Callable[[Any], Any]
    aliases: tuple[str, ...] = ()
    at: bool = False  # written behind the @

    @staticmethod
    def of(name: str, hint: Any) -> Spec:
        """The description behind an annotated type; a plain `Literal` describes itself."""
        if get_origin(hint) is Annotated:
            return next(extra for extra in hint.__metadata__ if isinstance(extra, Spec))
        if get_origin(hint) is Literal:
            return Spec(" or ".join(map(str, get_args(hint))), _one_of(name, get_args(hint)))
        raise TypeError(f"parameter {name} needs a type from the shelf, or a Literal")


def frozen(value: Any) -> Any:
    """A hashable equivalent: tables of gains become sorted pairs."""
    if isinstance(value, Mapping):
        return tuple(sorted((float(k), float(v)) for k, v in value.items()))
    return tuple(value) if isinstance(value, list) else value


def _bad(slug: str, expected: str, value: Any, hint: str | None = None) -> UsageError:
    return UsageError(slug, expected, got=shown(value), hint=hint, value=value)


def _one_of(name: str, choices: tuple[Any, ...]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in choices:
            raise _bad("parameter", f"{name} to be one of {', '.join(map(repr, choices))}", value)
        return value

    return check


_DEEPEST = 10**9
_LARGEST = 1e9


def _cutoff(value: Any) -> Any:
    if value is None:
        return None
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 1 <= value <= _DEEPEST
        and value == int(value)
    ):
        return int(value)
    raise _bad(
        "cutoff", "a cutoff that is a whole number from 1 to a billion", value, "write @10 for the first ten documents"
    )


def _budget(value: Any) -> Any:
    try:
        return _cutoff(value)
    except UsageError:
        raise _bad(
            "cutoff", "a budget of tokens that is a whole number from 1 to a billion", value, "write @2000tok"
        ) from None


_TOKENS = re.compile(r"([1-9]\d{0,9})tok(?:ens?)?", re.IGNORECASE)


def budget_in(text: str) -> int:
    """The tokens of `2000tok`, as it is written behind an @."""
    found = _TOKENS.fullmatch(text)
    if found is None:
        raise _bad("cutoff", "a budget such as 2000tok", text, "write @2000tok for what fits into 2000 tokens")
    return int(found[1])


def number(low: float = -math.inf, high: float = math.inf, *, open_low: bool = False, open_high: bool = False,
            optional: bool = False) -> Callable[[Any], Any]:  # fmt: skip
    below, above = ("above" if open_low else "from"), ("below" if open_high else "to")

    def check(value: Any) -> Any:
        if value is None and optional:
            return None
        good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        good = good and (low < value if open_low else low <= value)
        good = good and (value < high if open_high else value <= high)
        if not good:
            limits = f" {below} {low:g}" * (low > -math.inf) + f" {above} {high:g}" * (high < math.inf)
            raise _bad("parameter", f"a number{limits}", value)
        return float(value)

    return check


def _gains(value: Any) -> Any:
    if value is None:
        return None
    try:
        return frozen(dict(value))
    except (TypeError, ValueError) as error:
        raise _bad("parameter", "gains as a table {grade: gain}", value) from error


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _bad("parameter", "True or False", value)
    return value


def _weights(value: Any) -> Any:
    weights = frozen(value)
    if not isinstance(weights, tuple) or not weights:
        raise _bad("parameter", "a list of numbers", value)
    return tuple(number(-_LARGEST, _LARGEST)(weight) for weight in weights)


def _base(value: Any) -> Any:
    return number(1, open_low=True)(value)


Cutoff = Annotated[
    int | None, Spec("the last rank that counts; none for the whole ranking", _cutoff, ("k", "topk", "top_k"), at=True)
]
Budget = Annotated[
    int | None,
    Spec("a budget of tokens, written @2000tok: each ranking ends where the next document no longer fits", _budget),
]
Level = Annotated[float, Spec("the lowest grade that counts as relevant", number(0), ("rel", "min_rel_level"))]
OptionalLevel = Annotated[
    float | None,
    Spec(
        "the lowest grade that counts as relevant; none to use the grades themselves",
        number(0, optional=True),
        ("rel",),
    ),
]
Recall = Annotated[float, Spec("the share of the relevant documents that must be found", number(0, 1), at=True)]
Multiple = Annotated[
    float, Spec("the cutoff as a multiple of the number of relevant documents", number(0, open_low=True), at=True)
]
Gain = Annotated[
    str,
    Spec(
        "how a grade becomes a gain: linear (the grade), exp (base**grade - 1) or binary",
        _one_of("gain", ("linear", "exp", "binary")),
    ),
]
Gains = Annotated[
    tuple[tuple[float, float], ...] | None,
    Spec("a table {grade: gain}; grades that are not in it keep the gain above", _gains),
]
Base = Annotated[float, Spec("the base of the exponential gain", _base)]
Discount = Annotated[
    str,
    Spec(
        "what a gain at rank r is divided by: log2 (log2(r + 1)), log (log_b(r + 1)), jk (1 up to rank b, then log_b(r)) or rank (r)",
        _one_of("discount", ("log2", "log", "jk", "rank")),
    ),
]
LogBase = Annotated[float, Spec("the base b of the log and jk discounts", _base, ("logb",))]
MaxGrade = Annotated[float, Spec("the top of the grade scale", number(0, open_low=True), ("max_rel", "max_grade"))]
OptionalMax = Annotated[
    float | None,
    Spec(
        "the top of the grade scale; none for the query's own highest grade, if above 1",
        number(0, open_low=True, optional=True),
        ("max_rel",),
    ),
]
Persistence = Annotated[
    float, Spec("the probability of going on to the next document", number(0, 1, open_low=True, open_high=True))
]
Beta = Annotated[float, Spec("how much more recall counts than precision", number(0, _LARGEST))]
Positive = Annotated[float, Spec("a positive number", number(0, open_low=True))]
Number = Annotated[float, Spec("a number", number())]
Share = Annotated[float, Spec("a number between 0 and 1", number(0, 1))]
Flag = Annotated[bool, Spec("True or False", _flag)]
Weights = Annotated[tuple[float, ...], Spec("a list of numbers", _weights)]
Norm = Annotated[
    str,
    Spec(
        "what the sum is divided by: relevant (all relevant documents), capped (at most the cutoff), found (those retrieved), cutoff, or ideal (the sum of the ideal grades)",
        _one_of("norm", ("relevant", "capped", "found", "cutoff", "ideal")),
    ),
]
Goal = Annotated[
    float, Spec("the gain that the user hopes for, a document of the top grade being worth 1", number(1e-6, _LARGEST))
]
MinGrade = Annotated[
    float, Spec("the bottom of the grade scale: this grade and those below gain nothing", number(), ("min_rel",))
]
Depth = Annotated[int | None, Spec("how many ranks are looked at, retrieved or not; none for no end", _cutoff)]
