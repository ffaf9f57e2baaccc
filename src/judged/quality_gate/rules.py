"""`Rules`: what a candidate is held to. The keys are the same in Python, in `judged.toml` and on the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from judged.core.policy import Policy
from judged.errors import DataError, JudgedError, UsageError, shown
from judged.io.files.source import read_text
from judged.quality_gate.rule_values import DEFAULT_KEY, KEYS, Mode

__all__ = ["DEFAULT_KEY", "Mode", "Rules", "read_rules"]

Allowed = Mapping[str, float]

_BY_MEASURE = ("min", "max", "max_drop")
# What says nothing of a candidate alone.
_COMPARING = (
    "max_drop", "mode", "alpha", "max_query_drop", "slices", "min_queries", "allow_changed_judgments", "allow_missing_queries",
    "test", "interval", "correction", "resamples", "seed",
)  # fmt: skip


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
        allow_missing_queries: let queries pass that the baseline answers and the candidate does not, where only queries in both count.
        test, interval, resamples, seed: as in `compare`.
        correction: of p-values over measures and slices together.
        level, profile, policy: as in `evaluate`.
        said: the keys that were given, each with the file it stands in, if it does.
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
    allow_missing_queries: bool = False
    test: str = "permutation"
    interval: str = "bca"
    correction: str = "holm"
    resamples: int | None = None
    seed: int = 0
    level: float | None = None
    profile: str = "trec_eval-10"
    policy: Mapping[str, Any] = field(default_factory=dict)
    said: Mapping[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, rules: Any = None, **given: Any) -> Rules:
        """Rules from a `judged.toml`, a mapping or other rules; what is given by name wins, unless it is None; measure by measure in `min`, `max` and `max_drop`.

        >>> Rules.of({"max_drop": 0.01, "alpha": 0.1}, alpha=0.05).max_drop
        {'default': 0.01}
        """
        base, folder, where = _based(rules)
        named = {name: value for name, value in given.items() if value is not None}
        for key in (*base, *named):
            if key not in KEYS:
                place = where if key in base else None
                raise UsageError(
                    "rule", f"no rule is called {shown(key)}", hint=_nearest(key, list(KEYS)), where=place, value=key
                )
        found = {key: _taken(key, _from(folder, key, value), where) for key, value in base.items()}
        for key, value in named.items():
            taken = _taken(key, value, None)
            found[key] = {**found.get(key, {}), **taken} if key in _BY_MEASURE else taken
        own = rules.said if isinstance(rules, Rules) else dict.fromkeys(base, where)
        policy = {key: found.pop(key) for key in list(found) if key in Policy.__dataclass_fields__}
        return cls(**found, policy=policy, said={**own, **dict.fromkeys(named)})

    def need_baseline(self) -> None:
        """An error where a rule was given that says nothing of a candidate alone: it must not be taken for held."""
        plain = Rules()
        idle = [k for k in _COMPARING if k in self.said or getattr(self, k) != getattr(plain, k)]
        if idle:
            several = f"{', '.join(idle[:-1])} and {idle[-1]} need" if len(idle) > 1 else f"{idle[0]} needs"
            raise UsageError(
                "rule", f"{several} a baseline", hint="for example --baseline main.run", where=self.said.get(idle[0]), value=idle[0]
            )  # fmt: skip

    def allowed(self, measure: str) -> float:
        """How much worse this measure may get."""
        return self.max_drop.get(measure, self.max_drop.get(DEFAULT_KEY, 0.0))

    def plain(self) -> dict[str, Any]:
        """The rules as plain data; what lies in memory is only named."""
        data = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.name != "said"}
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
        own = {spec.name: getattr(rules, spec.name) for spec in fields(rules) if spec.name not in ("policy", "said")}
        own["slices"] = list(rules.slices)
        return {**{k: v for k, v in own.items() if v is not None}, **rules.policy}, None, None
    if isinstance(rules, str | os.PathLike):
        return read_rules(rules), Path(rules).parent, str(rules)
    if isinstance(rules, Mapping):
        return {str(k): v for k, v in rules.items() if v is not None}, None, None
    raise UsageError("rule", "rules as a mapping, or the path of a judged.toml", got=shown(rules), value=rules)


def _taken(key: str, value: Any, where: str | None) -> Any:
    """What a key's value comes to; an error names the key, and the file it stands in."""
    try:
        return KEYS[key](key, value)
    except JudgedError as error:
        if where is None:
            raise
        said = error.problem if error.problem.startswith(key) else f"{key}: {error.problem}"
        raise type(error)(
            error.slug, said, got=error.got, hint=error.hint, where=where, value=error.value
        ) from error  # fmt: skip


def _from(folder: Path | None, key: str, value: Any) -> Any:
    """Paths in a file of rules start from its folder."""
    if folder is None:
        return value
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
