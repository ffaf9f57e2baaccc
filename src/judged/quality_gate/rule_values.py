"""What each key of the rules takes: from what a person wrote to a value, or an error that names the key."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from judged.core.policy import Policy
from judged.errors import UsageError, shown
from judged.measures.grammar import parse_all
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.stats.intervals import Method
from judged.stats.multiple.corrections import correction
from judged.stats.paired.registry import pair_test

__all__ = ["DEFAULT_KEY", "KEYS", "Mode"]

Mode = Literal["significant", "mean", "sure"]

DEFAULT_KEY = "default"  # in `max_drop`: of the measures that are not named


def _refuse(key: str, expected: str, value: Any) -> UsageError:
    return UsageError("rule", f"{key}: {expected}", got=shown(value), value=value)


def _as_it_is(key: str, value: Any) -> Any:
    return value


def _number(key: str, value: Any, *, least: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        raise _refuse(key, "a number" + (f" from {least:g}" if math.isfinite(least) else ""), value)
    return float(value)


def _alpha(key: str, value: Any) -> float:
    if not 0 < _number(key, value) < 0.5:
        raise UsageError("parameter", "alpha above 0 and below 0.5", got=shown(value), value=value)
    return float(value)


def _measures(key: str, value: Any) -> tuple[str, ...]:
    return tuple(map(str, parse_all(value))) if value != () else ()


def _by_measure(key: str, value: Any, *, least: float = -math.inf) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise _refuse(key, "a value for each measure, such as {'nDCG@10': 0.5}", value)
    found: dict[str, float] = {}
    for name, number in value.items():
        names = (
            [name] if name == DEFAULT_KEY else map(str, parse_all(name if isinstance(name, str | Measure) else [name]))
        )
        value_of = key if name == DEFAULT_KEY else f"{key} of {name}"
        for one in names:
            if one in found:  # two spellings of one measure
                raise _refuse(key, f"one value for {one}", value)
            found[one] = _number(value_of, number, least=least)
    return found


def _max_drop(key: str, value: Any) -> dict[str, float]:
    if isinstance(value, Mapping):
        return _by_measure(key, value, least=0)
    return {DEFAULT_KEY: _number(key, value, least=0)}


def _query_drop(key: str, value: Any) -> tuple[float, int]:
    parts: Any = value
    if isinstance(value, str):
        try:
            drop, _, count = value.partition(":")
            parts = (float(drop), int(count or 0))
        except ValueError:
            parts = None
    elif not isinstance(value, tuple | list):
        parts = (value, 0)
    if not isinstance(parts, tuple | list) or len(parts) != 2:
        raise _refuse(key, "a drop, or a drop and how many queries may exceed it, such as 0.3:2", value)
    return _number(key, parts[0], least=0), _whole(key, parts[1], least=0)


def _slices(key: str, value: Any) -> tuple[Any, ...]:
    """Each a mapping, (table of queries, name of a column), "FILE:COLUMN" or "relevant"; several in a list."""
    return tuple(_slice(key, one) for one in (value if isinstance(value, list) else [value]))


def _slice(key: str, value: Any) -> Any:
    if isinstance(value, str) and value != "relevant":
        file, colon, column = value.rpartition(":")
        if not (file and colon and column):
            raise UsageError(
                "slice",
                "FILE:COLUMN, a table of queries and one of its columns; or relevant",
                got=shown(value),
                value=value,
            )
        return file, column
    return value


def _whole(key: str, value: Any, *, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _refuse(key, f"a whole number from {least}", value)
    return value


def _mode(key: str, value: Any) -> Mode:
    if value not in get_args(Mode):
        raise _refuse(key, f"one of {', '.join(get_args(Mode))}", value)
    return value


def _truth(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _refuse(key, "true or false", value)
    return value


def _word(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _refuse(key, "a name", value)
    return value


def _test(key: str, value: Any) -> str:
    return pair_test(_word(key, value)).name


def _interval(key: str, value: Any) -> str:
    if value not in get_args(Method):
        raise UsageError("interval", f"{key}: one of {', '.join(get_args(Method))}", got=shown(value), value=value)
    return str(value)


def _correction(key: str, value: Any) -> str:
    """Any but `max`, which draws the signs of all tests together: slices and measures do not have the same queries."""
    chosen = correction(_word(key, value))
    if chosen.function is None:
        raise UsageError(
            "correction", "a correction over measures and slices, whose queries differ",
            got=f"{chosen.name}, which needs tests of the same queries", hint="holm works with any tests", value=value,
        )  # fmt: skip
    return chosen.name


def _profile(key: str, value: Any) -> str:
    profile_named(_word(key, value))
    return str(value)


def _policy(key: str, value: Any) -> Any:
    Policy(**{key: value})
    return value


KEYS: dict[str, Callable[[str, Any], Any]] = {
    "measures": _measures,
    "max_drop": _max_drop,
    "mode": _mode,
    "alpha": _alpha,
    "min": _by_measure,
    "max": _by_measure,
    "max_query_drop": _query_drop,
    "slices": _slices,
    "min_queries": _whole,
    "baseline": _as_it_is,
    "qrels": _as_it_is,
    "allow_changed_judgments": _truth,
    "allow_missing_queries": _truth,
    "test": _test,
    "interval": _interval,
    "correction": _correction,
    "resamples": _whole,
    "seed": lambda key, value: _whole(key, value, least=0),
    "level": _number,
    "profile": _profile,
    **dict.fromkeys((name for name in Policy.__dataclass_fields__ if name != "prepared"), _policy),
}
