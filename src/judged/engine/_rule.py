"""`Rules`: what a candidate is held to. The keys are the same in Python, in `judged.toml` and on the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from judged.core import Policy
from judged.errors import DataError, UsageError, shown
from judged.measures import Measure, parse_all
from judged.sources import read_text

__all__ = ["Mode", "Rules", "read_rules"]

Mode = Literal["significant", "mean", "sure"]
Allowed = Mapping[str, float]

DEFAULT_KEY = "default"  # in `max_drop`: of the measures that are not named


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What may get worse, by how much, and how sure that must be.

    Args:
        measures: compared with the baseline; none: those of a saved baseline, else those of `evaluate`.
        max_drop: how much worse a mean may get: a number, or {measure: number} (`default` for the others).
        mode: when a drop counts: `significant`, `mean` or `sure`, see `broken_by` in `_decision`.
        alpha: the chance of a false alarm that is accepted, over all drops that are looked at.
        min: {measure: the least value}, over all queries.
        max: {measure: the largest value}.
        max_query_drop: (drop, queries): so many queries may get worse by more than this.
        slices: groups of queries that must pass too.
        min_queries: a slice of fewer is not held to anything.
        baseline: what the candidate is compared with.
        qrels: the judgments.
        allow_changed_judgments: warn, rather than refuse, where a saved baseline was made with other judgments.
        test, interval, resamples, seed: as in `compare`.
        correction: of p-values over measures and slices together.
        level, profile, policy: as in `evaluate`.
    """

    measures: tuple[str, ...] = ()
    max_drop: Allowed = field(default_factory=lambda: {DEFAULT_KEY: 0.0})
    mode: Mode = "significant"
    alpha: float = 0.05
    min: Allowed = field(default_factory=dict)
    max: Allowed = field(default_factory=dict)
    max_query_drop: tuple[float, int] | None = None
    slices: tuple[Any, ...] = ()
    min_queries: int = 10
    baseline: Any = None
    qrels: Any = None
    allow_changed_judgments: bool = False
    test: str = "permutation"
    interval: str = "bca"
    correction: str = "holm"
    resamples: int | None = None
    seed: int = 0
    level: float | None = None
    profile: str = "trec_eval-10"
    policy: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rules: Any = None, **given: Any) -> Rules:
        """Rules from a `judged.toml`, a mapping or other rules; what is given by name wins, unless it is None.

        >>> Rules.of({"max_drop": 0.01, "alpha": 0.1}, alpha=0.05).max_drop
        {'default': 0.01}
        """
        base, folder, where = _based(rules)
        keys = {**base, **{name: value for name, value in given.items() if value is not None}}
        known = {**_KEYS, **dict.fromkeys(Policy.__dataclass_fields__, _as_it_is)}
        for key in keys:
            if key not in known:
                raise UsageError(
                    "rule", f"no rule is called {shown(key)}", hint=_nearest(key, list(known)), where=where, value=key
                )
        found: dict[str, Any] = {}
        for key, value in keys.items():
            value = _from(folder, key, value) if key in base and folder else value
            found[key] = known[key](key, value)
        policy = {key: found.pop(key) for key in list(found) if key in Policy.__dataclass_fields__}
        return cls(**found, policy=policy)

    def allowed(self, measure: str) -> float:
        """How much worse this measure may get."""
        return self.max_drop.get(measure, self.max_drop.get(DEFAULT_KEY, 0.0))

    def plain(self) -> dict[str, Any]:
        """The rules as plain data; what lies in memory is only named."""
        data = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        data |= {key: _told(data[key]) for key in ("baseline", "qrels")}
        return {
            **data,
            "measures": list(self.measures),
            "slices": [f"{_told(s[0])}:{s[1]}" if isinstance(s, tuple) else _told(s) for s in self.slices],
            "max_query_drop": None if self.max_query_drop is None else list(self.max_query_drop),
            "policy": dict(self.policy),
        }


def read_rules(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The table [gate] of a `judged.toml`, as it stands there."""
    import tomllib

    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError("rules-file", "TOML", got=str(error), where=str(path)) from error
    for key in data:
        if key != "gate":
            raise DataError(
                "rules-file", "a table [gate]", got=shown(key), hint=_nearest(key, ["gate"]), where=str(path), value=key
            )
    table = data.get("gate", {})
    if not isinstance(table, dict):
        raise DataError("rules-file", "a table [gate]", got=f"gate = {shown(table)}", where=str(path))
    return table


def _based(rules: Any) -> tuple[dict[str, Any], Path | None, str | None]:
    """The keys of given rules; the folder that their paths start from, and the file they stand in, where they do."""
    if rules is None:
        return {}, None, None
    if isinstance(rules, Rules):
        own = {spec.name: getattr(rules, spec.name) for spec in fields(rules) if spec.name != "policy"}
        own["slices"] = list(rules.slices)
        return {**{k: v for k, v in own.items() if v is not None}, **rules.policy}, None, None
    if isinstance(rules, str | os.PathLike):
        return read_rules(rules), Path(rules).parent, str(rules)
    if isinstance(rules, Mapping):
        return {str(k): v for k, v in rules.items() if v is not None}, None, None
    raise UsageError("rule", "rules as a mapping, or the path of a judged.toml", got=shown(rules), value=rules)


def _from(folder: Path, key: str, value: Any) -> Any:
    """Paths in a file of rules start from its folder."""
    if key in ("baseline", "qrels") and isinstance(value, str):
        return str(folder / value)
    if key == "slices":
        each = [value] if isinstance(value, str) else value
        if isinstance(each, list) and all(isinstance(one, str) for one in each):
            return [one if one == "relevant" else str(folder / one) for one in each]
    return value


def _nearest(key: Any, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(key).replace("-", "_"), known, 1, 0.5)
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"


def _told(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else f"<{type(value).__name__}>"


# ── what each key takes ──────────────────────────────────────────────────────────────────────────


def _refuse(key: str, expected: str, value: Any) -> UsageError:
    return UsageError("rule", f"{key}: {expected}", got=shown(value), value=value)


def _as_it_is(key: str, value: Any) -> Any:
    return value


def _number(key: str, value: Any, *, least: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        raise _refuse(key, "a number" + (f" from {least:g}" if math.isfinite(least) else ""), value)
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
        found |= dict.fromkeys(names, _number(f"{key} of {name}", number, least=least))
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


_KEYS: dict[str, Callable[[str, Any], Any]] = {
    "measures": _measures,
    "max_drop": _max_drop,
    "mode": _mode,
    "alpha": _number,
    "min": _by_measure,
    "max": _by_measure,
    "max_query_drop": _query_drop,
    "slices": _slices,
    "min_queries": _whole,
    "baseline": _as_it_is,
    "qrels": _as_it_is,
    "allow_changed_judgments": _truth,
    "test": _word,
    "interval": _word,
    "correction": _word,
    "resamples": _whole,
    "seed": lambda key, value: _whole(key, value, least=0),
    "level": _number,
    "profile": _word,
}
