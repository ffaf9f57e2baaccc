"""Types of parameters, each described and checked once, and the gains and discounts that they choose; the signature of a measure chooses from them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from keyword import iskeyword
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import numpy as np

from judged._types import Column
from judged.errors import DataError, UsageError, shown


class Only(NamedTuple):
    """Condition under which a parameter has an effect, on the value of another parameter or on the data.

    Args:
        other: the other parameter; `LENGTHS` for whether the lengths of documents are known.
        holds: whether a value of it meets the condition.
        text: when the parameter has no effect, in words.
        implied: the value of the other parameter that meets the condition, chosen if none was given.
        values: the values of the parameter that the condition is about; empty for all.
        late: decided when the measure is computed, because the other may be set later, as a cutoff is.
    """

    other: str
    holds: Callable[[Any], bool]
    text: str
    implied: Any = None
    values: tuple[Any, ...] = ()
    late: bool = False

    def lacks(self, value: Any, known: Mapping[str, Any]) -> bool:
        """True if this value of the parameter has no effect."""
        return (not self.values or value in self.values) and not self.holds(known.get(self.other))


LENGTHS = "lengths of documents"


class Spec(NamedTuple):
    """Meaning of a parameter, the check of its values, its names in other tools, and the condition under which it has an effect."""

    text: str
    check: Callable[[Any], Any]
    aliases: tuple[str, ...] = ()
    at: bool = False  # written after the @
    only: Only | None = None

    @staticmethod
    def of(name: str, hint: Any) -> Spec:
        """The specification in an annotated type; a `Literal` specifies itself, and may be annotated with a condition."""
        extras = hint.__metadata__ if get_origin(hint) is Annotated else ()
        spec = next((extra for extra in extras if isinstance(extra, Spec)), None)
        if spec is not None:
            return spec
        kind = get_args(hint)[0] if extras else hint
        if get_origin(kind) is Literal:
            *others, last = map(str, get_args(kind))
            only = next((extra for extra in extras if isinstance(extra, Only)), None)
            return Spec(f"{', '.join(others)} or {last}" if others else last, one_of(name, get_args(kind)), only=only)
        raise TypeError(f"parameter {name} needs a type of judged.measures.parameters, or a Literal")


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the user as a parameter: printed as `name()`, and called once for each distinct argument.

    A name that was read from text has no function: such a measure can be compared and saved, but not computed. An exception that
    the function raises is passed on unchanged.
    """

    name: str
    function: Callable[[Any], float] | None = None
    _known: dict[Any, float] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(function: Callable[[Any], float]) -> Function:
        """Take the name of the function; one without a name, such as a lambda, is called `function`."""
        name = getattr(function, "__name__", "")
        return Function(name if name.isidentifier() and not iskeyword(name) else "function", function)

    def __call__(self, x: Any) -> float:
        if self.function is None:
            raise UsageError(
                "parameter",
                f"the function {self.name} is not known here",
                hint="pass the function itself, in Python",
                value=self.name,
            )
        if x not in self._known:
            found: Any = self.function(x)
            try:
                self._known[x] = float("" if isinstance(found, str | bytes) else found)
            except (TypeError, ValueError, OverflowError):
                raise _error("parameter", f"the function {self.name} must return a number, for {x:g}", found) from None
        return self._known[x]

    def on(self, x: Column) -> Column:
        """The value of each element."""
        each, place = np.unique(x, return_inverse=True)
        return np.array([self(one) for one in each.tolist()], dtype=float)[place]

    def __repr__(self) -> str:
        return f"{self.name}()"


def _or_function(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Accept a function, or its printed name, besides what `check` accepts."""

    def checked(value: Any) -> Any:
        if isinstance(value, Function) or not callable(value):
            named = isinstance(value, str) and value.endswith("()") and value[:-2].isidentifier()
            return Function(value[:-2]) if named else value if isinstance(value, Function) else check(value)
        return Function.of(value)

    return checked


def frozen(value: Any) -> Any:
    """A hashable equivalent: tables of gains become sorted pairs."""
    if isinstance(value, Mapping):
        return tuple(sorted((float(k), float(v)) for k, v in value.items()))
    return tuple(value) if isinstance(value, list) else value


def literal(value: Any) -> str:
    """A parameter as it is written in the name of a measure."""
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value) + "}"
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def _error(slug: str, problem: str, value: Any, hint: str | None = None) -> UsageError:
    return UsageError(slug, f"{problem}, got {shown(value)}", hint=hint, value=value)


def one_of(name: str, choices: tuple[Any, ...]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in choices:
            raise _error("parameter", f"{name} must be one of {', '.join(map(repr, choices))}", value)
        return value

    return check


DEEPEST = 10**9
_LARGEST = 1e9
_LARGEST_GAIN = 1e100  # sums and squares of larger ones may exceed the range of numbers


def _cutoff(
    value: Any, problem: str = "cutoff must be an integer ≥ 1", hint: str = "write @10 for the first ten documents"
) -> Any:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and 1 <= value <= DEEPEST and value == int(value):
        return int(value)
    raise _error("cutoff", problem, value, hint)


def _budget(value: Any) -> Any:
    return _cutoff(value, "a token budget must be an integer ≥ 1", "write @2000tok")


_TOKENS = re.compile(r"([1-9]\d{0,9})tok(?:ens?)?", re.IGNORECASE)


def budget_in(text: str) -> int:
    """The number of tokens in `2000tok`, as it is written after an @."""
    match = _TOKENS.fullmatch(text)
    if match is None:
        raise _error("cutoff", "the cutoff must be an integer such as 10, or a token budget such as '2000tok'", text)
    return int(match[1])


def number(
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    optional: bool = False,
) -> Callable[[Any], Any]:
    above, below = (">" if open_low else "≥"), ("<" if open_high else "≤")

    def check(value: Any) -> Any:
        if value is None and optional:
            return None
        good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
        good = good and (low < value if open_low else low <= value)
        good = good and (value < high if open_high else value <= high)
        if not good:
            limits = [f" {above} {low:g}"] * (low > -math.inf) + [f" {below} {high:g}"] * (high < math.inf)
            raise _error("parameter", f"the value must be a number{' and'.join(limits)}", value)
        return float(value)

    return check


def _gains(value: Any) -> Any:
    if value is None:
        return None
    try:
        table = dict(frozen(dict(value)))
    except (TypeError, ValueError, OverflowError) as error:
        raise _error("parameter", "gains must be a table {grade: gain}", value) from error
    if not all(abs(number) <= _LARGEST_GAIN for pair in table.items() for number in pair):
        raise _error("parameter", f"grades and gains must be numbers between ±{_LARGEST_GAIN:g}", value)
    return tuple(table.items())


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _error("parameter", "the value must be True or False", value)
    return value


def numbers(low: float = -_LARGEST, high: float = _LARGEST) -> Callable[[Any], Any]:
    each = number(low, high)

    def check(value: Any) -> Any:
        if not isinstance(value, list | tuple) or not value:
            raise _error("parameter", "the value must be a list of numbers", value)
        return tuple(map(each, value))

    return check


def _base(value: Any) -> Any:
    return number(1, open_low=True)(value)


Cutoff = Annotated[
    int | None, Spec("last rank that counts; None for the whole ranking", _cutoff, ("k", "topk", "top_k"), at=True)
]
Budget = Annotated[
    int | None, Spec("token budget, written @2000tok: a ranking ends before the document that exceeds it", _budget)
]
Level = Annotated[float, Spec("lowest relevant grade", number(0), ("rel", "min_rel_level"))]
OptionalLevel = Annotated[
    float | None, Spec("lowest relevant grade; None to use the grades themselves", number(0, optional=True), ("rel",))
]
Recall = Annotated[float, Spec("share of the relevant documents that must be retrieved", number(0, 1), at=True)]
Multiple = Annotated[
    float, Spec("cutoff as a multiple of the number of relevant documents", number(0, _LARGEST, open_low=True), at=True)
]
_GAIN = "gain of a grade: linear (the grade), exp (base**grade - 1) or binary; in Python also a function of the grade"
Gain = Annotated[str | Callable[[float], float], Spec(_GAIN, _or_function(one_of("gain", ("linear", "exp", "binary"))))]
Gains = Annotated[
    tuple[tuple[float, float], ...] | None,
    Spec("table {grade: gain}; grades not listed use `gain`, or the grade itself without that parameter", _gains),
]
Stops = Annotated[
    tuple[tuple[float, float], ...] | None,
    Spec(
        "table {grade: weight}: users stop at a relevant document with a probability proportional to its weight; None for the gains",
        _gains,
    ),
]
_EXPONENTIAL = Only("gain", lambda gain: gain == "exp", "without gain='exp'", implied="exp")
Base = Annotated[float, Spec("base of the exponential gain; setting it implies gain='exp'", _base, only=_EXPONENTIAL)]
_DISCOUNT = "divisor of a gain at rank r: log2 (log2(r + 1)), log (log_b(r + 1)), jk (1 up to rank b, then log_b(r)) or rank (r); in Python also a function of the rank"
Discount = Annotated[
    str | Callable[[int], float], Spec(_DISCOUNT, _or_function(one_of("discount", ("log2", "log", "jk", "rank"))))
]
_LOGARITHM = Only("discount", lambda kind: kind in ("log", "jk"), "without discount='log' or 'jk'", implied="log")
LogBase = Annotated[
    float,
    Spec(
        "base b of the discounts log and jk; setting it implies discount='log', and as logb discount='jk'",
        _base,
        only=_LOGARITHM,
    ),
]
MaxGrade = Annotated[float, Spec("highest grade of the scale", number(0, open_low=True), ("max_rel", "max_grade"))]
_OWN_MAX = "highest grade of the scale; None for the highest grade of the query, at least 1"
OptionalMax = Annotated[float | None, Spec(_OWN_MAX, number(0, open_low=True, optional=True), ("max_rel",))]
Persistence = Annotated[
    float, Spec("probability of continuing to the next document", number(0, 1, open_low=True, open_high=True))
]
Beta = Annotated[float, Spec("weight of recall relative to precision", number(0, _LARGEST))]
Positive = Annotated[float, Spec("a number > 0", number(0, _LARGEST, open_low=True))]
Number = Annotated[float, Spec("a number", number())]
Share = Annotated[float, Spec("a number between 0 and 1", number(0, 1))]
Flag = Annotated[bool, Spec("True or False", _flag)]
OneClass = Annotated[float, Spec("value of a ranking without a non-relevant document", number(0, 1))]
Weights = Annotated[tuple[float, ...], Spec("a list of numbers", numbers())]
_NORM = (
    "divisor of the sum: relevant (all relevant documents), capped (at most the cutoff), found (the retrieved relevant documents), "
    "list (at most the documents retrieved), cutoff, or ideal (the sum of the ideal grades)"
)
WITH_CUTOFF = Only("cutoff", lambda cutoff: cutoff is not None, "without a cutoff", late=True)
Short = Annotated[Literal["pad", "shrink", "zero"], WITH_CUTOFF]  # of rankings that are shorter than the cutoff
PadOrShrink = Annotated[Literal["pad", "shrink"], WITH_CUTOFF]
PadOrZero = Annotated[Literal["pad", "zero"], WITH_CUTOFF]
CAPPED_WITH_CUTOFF = WITH_CUTOFF._replace(values=("capped",))
Norm = Annotated[
    str,
    Spec(_NORM, one_of("norm", ("relevant", "capped", "found", "list", "cutoff", "ideal")), only=CAPPED_WITH_CUTOFF),
]
Goal = Annotated[
    float, Spec("gain that the user hopes for; a document of the top grade gains 1", number(1e-6, _LARGEST))
]
MinGrade = Annotated[
    float,
    Spec("lowest grade of the scale; it gains nothing, as do lower grades", number(-_LARGEST, _LARGEST), ("min_rel",)),
]
Depth = Annotated[int | None, Spec("number of ranks that count, retrieved or not; None for all", _cutoff)]


# ── gains of grades and discounts of ranks ────────────────────────────────────────────────────────

_KEPT = 1 << 12  # ranks whose divisors are computed once for all calls
_LARGEST_EXPONENT = 960  # sums of 2**63 such gains are within the range of numbers


def gain_of(
    grade: Column,
    gain: Gain = "linear",
    base: Base = 2.0,
    gains: Gains = None,
    level: Level = 0,
    name: str = "",
) -> Column:
    """Gain of each grade. A grade of 0 or less, or below the level, gains nothing; a function decides about 0 itself."""
    if gain == "linear" and level <= 0 and not gains and np.minimum.reduce(grade, initial=0.0) >= 0:
        return grade  # nothing to leave out
    worthy = (grade > 0) & (grade >= level)
    if isinstance(gain, Function):
        return _own_gain(grade, gain, (grade >= 0) & (grade >= level), gains)
    value = np.where(worthy, grade, 0.0)
    if gain == "binary":
        value = worthy.astype(float)
    elif gain == "exp":
        top = float(grade.max(initial=0))
        if top * np.log2(base) > _LARGEST_EXPONENT:
            raise DataError(
                "gain-overflow",
                f"the gain {base:g}**{top:g} of grade {top:g} exceeds the range of numbers",
                value=top,
                hint="use the linear gain, or a table of gains",
                where=name or None,
            )
        value = np.where(worthy, np.power(base, value) - 1.0, 0.0)
    return _from_table(grade, value, gains)


def _from_table(grade: Column, value: Column, gains: Gains) -> Column:
    for known, worth in gains or ():
        value = np.where((grade == known) & (grade >= 0), worth, value)  # a negative grade is not a judgment
    return value


def _own_gain(grade: Column, gain: Function, worthy: Column, gains: Gains) -> Column:
    """Gain by a function of the user; the grades that it gets are not negative."""
    value = np.zeros(len(grade))
    value[worthy] = gain.on(grade[worthy])
    wrong = np.flatnonzero(~((value >= 0) & (value <= 2.0**_LARGEST_EXPONENT)))
    if len(wrong):
        at = wrong[0]
        problem = f"gain {gain.name}({grade[at]:g}) must be a finite number ≥ 0, got {value[at]:g}"
        raise UsageError("parameter", problem, value=value[at])
    return _from_table(grade, value, gains)


def _own_discount(rank: Column, function: Function) -> Column:
    """Divisor by a function of the user; it must not fall with the rank, so that the ideal ranking is the best."""
    ranks, place = np.unique(rank, return_inverse=True)
    value = function.on(ranks)
    wrong = np.flatnonzero(~np.isfinite(value) | (value <= 0) | (np.diff(value, prepend=0.0) < 0))
    if len(wrong):
        shown_value = f"{function.name}({ranks[wrong[0]]}) = {value[wrong[0]]:g}"
        raise UsageError(
            "parameter",
            f"a discount must be a finite number > 0 that does not fall with the rank, got {shown_value}",
            value=value[wrong[0]],
        )
    return np.asarray(value[place])


def discount(rank: Column, kind: Discount = "log2", base: LogBase = 2.0) -> Column:
    """The divisor of a gain at this rank."""
    if isinstance(kind, Function):
        return _own_discount(rank, kind)
    if kind == "rank":
        return rank.astype(float)
    try:
        return _discounts(kind, base)[rank]
    except IndexError:  # a rank that is not kept, or no whole number
        last = int(np.maximum.reduce(rank, initial=0))
    if rank.dtype.kind != "i" or last >= max(len(rank) // 2, _KEPT):
        return _discount(rank, kind, base)
    return _discount(np.arange(last + 1), kind, base)[rank]  # the logarithm of each rank once


@lru_cache(maxsize=64)
def _discounts(kind: Discount, base: LogBase) -> Column:
    """The divisors of the first ranks, from 0 on."""
    with np.errstate(divide="ignore"):
        return _discount(np.arange(_KEPT), kind, base)


def _discount(rank: Column, kind: Discount, base: LogBase) -> Column:
    if kind == "log":
        return np.log(rank + 1.0) / np.log(base)
    if kind == "jk":
        return np.maximum(1.0, np.log(rank) / np.log(base))
    return np.log2(rank + 1.0)
