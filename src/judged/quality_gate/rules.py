"""`Rules`: the conditions that a candidate must meet. The keys are the same in Python, in the table [gate] of `judged.toml` and on the command line."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from judged.core.policy import Policy, PolicyOptions
from judged.errors import DataError, Hint, JudgedError, UsageError, shown
from judged.evaluation.options import INPUT_OPTIONS, InputOptions
from judged.io.files import read_text
from judged.measures.grammar import parse_all
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure
from judged.stats.checks import check_choice, check_count
from judged.stats.corrections import CORRECTIONS
from judged.stats.paired.registry import TESTS

Mode = Literal["significant", "mean", "sure"]
Bounds = Mapping[str, float]

DEFAULT_KEY = "default"  # in `max_drop`: for measures that are not named
_BY_MEASURE = ("min", "max", "max_drop", "max_total_drop")
_PATHS = ("baseline", "qrels", "model", "slices", "clusters", "anchor", "history")


class GateOptions(PolicyOptions, InputOptions, total=False):
    """Keyword options of `gate` besides the rules themselves: statistics, conventions and policies.

    Args:
        allow_changed_judgments: only warn if the judgments of a saved baseline are different.
        allow_missing_queries: accept a candidate that lacks queries of the baseline.
    """

    clusters: Any
    cluster_col: str
    model: Any
    test: str
    correction: str
    resamples: int
    seed: int
    level: float
    profile: str
    allow_changed_judgments: bool
    allow_missing_queries: bool


def _number(key: str, value: Any, *, least: float = -math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        bound = f" ≥ {least:g}" if math.isfinite(least) else ""
        raise UsageError("rule", f"{key} must be a finite number{bound}, got {shown(value)}", value=value)
    return float(value)


def _alpha(key: str, value: Any) -> float:
    if not 0 < _number(key, value) < 0.5:
        raise UsageError("parameter", f"{key} must be above 0 and below 0.5, got {shown(value)}", value=value)
    return float(value)


def _measures(key: str, value: Any) -> tuple[str, ...]:
    return tuple(map(str, parse_all(value))) if value != () else ()


def _bounds(key: str, value: Any, *, least: float = -math.inf) -> dict[str, float]:
    if not isinstance(value, Mapping):
        problem = f"{key} must name measures, such as {{'nDCG@10': 0.5}}, got {shown(value)}"
        raise UsageError("rule", problem, value=value)
    bounds: dict[str, float] = {}
    for name, number in value.items():
        default = name == DEFAULT_KEY
        for measure in [name] if default else map(str, parse_all(name if isinstance(name, str | Measure) else [name])):
            if measure in bounds:
                raise UsageError("rule", f"{key} has two values for {measure}", value=value)
            bounds[measure] = _number(key if default else f"{key} of {name}", number, least=least)
    return bounds


def _max_drop(key: str, value: Any) -> dict[str, float]:
    return _bounds(key, value if isinstance(value, Mapping) else {DEFAULT_KEY: value}, least=0)


def _query_drop(key: str, value: Any) -> tuple[float, int]:
    parts: Any = value if isinstance(value, tuple | list | str) else (value, 0)
    if isinstance(value, str):
        drop, _, count = value.partition(":")
        try:
            parts = (float(drop), int(count or 0))
        except ValueError:
            parts = ()
    if len(parts) != 2:
        problem = f"{key} must be a drop, or a drop and a number of queries, such as 0.3:2, got {shown(value)}"
        raise UsageError("rule", problem, value=value)
    return _number(key, parts[0], least=0), check_count(parts[1], key, least=0)


def _columns(key: str, value: Any) -> tuple[str, ...]:
    columns = [value] if isinstance(value, str) else value
    if not isinstance(columns, list | tuple) or not all(isinstance(column, str) for column in columns):
        raise UsageError("slice", f"{key} must be names of columns, got {shown(value)}", value=value)
    return tuple(columns)


def _correction(key: str, value: Any) -> str:
    """The name of a correction; not `max`, which needs tests of the same queries."""
    correction = CORRECTIONS.find(value)
    if correction.function is None:
        problem = f"the {key} {correction.name} needs tests on the same queries, not measures and slices"
        raise UsageError("correction", problem, hint=Hint("use {correction}", correction="bonferroni"), value=value)
    return correction.name


def _rule(default: Any, read: Callable[[str, Any], Any]) -> Any:
    """A field whose values `read` checks and converts; other fields are checked by their type."""
    return field(default_factory=lambda: default, metadata={"read": read})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The drops and values that are allowed, and the certainty that is needed.

    Args:
        measures: measures that are compared. [default: those of a saved baseline, else those of `evaluate`]
        max_drop: largest drop of a mean: a number, or {measure: number} (`default` for the others).
        max_total_drop: the same for the drop since the anchor. [default: `max_drop`]
        mode: which drops count: `significant`, `mean` or `sure`, see `breaks_rule` in `reasons`.
        alpha: significance level over all measures and slices.
        min: {measure: lowest value}, over all queries.
        max: {measure: highest allowed mean}.
        max_query_drop: (drop, n): at most n queries may drop by more.
        slices: table of queries, or {query: group}; each group must pass too.
        by: columns of the table; `relevant` is the number of relevant documents.
        clusters, cluster_col: clusters of queries, as in `evaluate`, which tests and intervals count as units.
        min_queries: fewest queries that mode `significant` may decide by, and smallest slice that is tested.
        baseline: the run or saved result that the candidate is compared with.
        anchor: an earlier baseline, from which drops must not add up. [default: the first baseline of the history]
        history: file of earlier builds, to which this one is added.
        qrels, model: the judgments, and those of a model, of more queries, as in `evaluate`.
        allow_changed_judgments: warn instead of raising if a saved baseline has other judgments.
        allow_missing_queries: accept a candidate that lacks queries of the baseline, if only queries in both count.
        test: as in `compare`. [default: t; in mode `sure` bootstrap]
        correction: correction over measures and slices together.
        resamples: as in `compare`.
        seed: random seed.
        level: lowest relevant grade.
        profile: conventions of another tool.
        policy: policies, as in `evaluate`.
        inputs: names of columns and fields of the inputs, and grades of words, as in `evaluate`.
        sources: the keys that were set, each with its file, if it came from one.
    """

    measures: tuple[str, ...] = _rule((), _measures)
    max_drop: Bounds = _rule({DEFAULT_KEY: 0.0}, _max_drop)  # noqa: RUF009
    max_total_drop: Bounds = _rule({}, _max_drop)  # noqa: RUF009
    mode: Mode = "significant"
    alpha: float = _rule(0.05, _alpha)
    min: Bounds = _rule({}, _bounds)  # noqa: RUF009
    max: Bounds = _rule({}, _bounds)  # noqa: RUF009
    max_query_drop: tuple[float, int] | None = _rule(None, _query_drop)
    slices: Any = None
    by: tuple[str, ...] = _rule((), _columns)
    clusters: Any = None
    cluster_col: str | None = _rule(None, lambda key, value: _columns(key, value)[0])
    min_queries: int = 10
    baseline: Any = None
    anchor: Any = None
    history: Any = None
    qrels: Any = None
    model: Any = None
    allow_changed_judgments: bool = False
    allow_missing_queries: bool = False
    test: str | None = _rule(None, lambda key, value: TESTS.find(value).name)
    correction: str = _rule("bonferroni", _correction)
    resamples: int | None = None
    seed: int = field(default=0, metadata={"least": 0})
    level: float | None = None
    profile: str = _rule("trec_eval-10", lambda key, value: profile_named(value).name)
    policy: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, rules: Any = None, **options: Any) -> Rules:
        """Rules from a `judged.toml`, a mapping or other rules. Options that are not None win; measure by measure in `min`, `max` and `max_drop`.

        >>> Rules.of({"max_drop": 0.01, "alpha": 0.1}, alpha=0.05).max_drop
        {'default': 0.01}
        """
        base, folder, where = _base(rules)
        own = {name: value for name, value in options.items() if value is not None}
        values: dict[str, Any] = {}
        for keys, file in ((base, where), (own, None)):
            for key, value in keys.items():
                read = _read(key, _in_folder(folder, key, value) if keys is base else value, file)
                values[key] = {**values.get(key, {}), **read} if key in _BY_MEASURE else read
        sources = rules.sources if isinstance(rules, Rules) else dict.fromkeys(base, where)
        policy = {key: values.pop(key) for key in list(values) if key in Policy.__dataclass_fields__}
        inputs = {key: values.pop(key) for key in list(values) if key in INPUT_OPTIONS}
        return cls(**values, policy=policy, inputs=inputs, sources={**sources, **dict.fromkeys(own)})

    def check_baseline_is_needed(self) -> None:
        """Raise if a rule was set that needs a baseline: it must not be mistaken for one that holds."""
        default = Rules()
        single = (
            "measures",
            "min",
            "max",
            "baseline",
            "qrels",
            "model",
            "level",
            "profile",
            "policy",
            "inputs",
            "sources",
        )
        names = [spec.name for spec in fields(self) if spec.name not in single]
        idle = [k for k in names if k in self.sources or getattr(self, k) != getattr(default, k)]
        if idle:
            several = f"{', '.join(idle[:-1])} and {idle[-1]} need" if len(idle) > 1 else f"{idle[0]} needs"
            hint = Hint("name one with {baseline}", baseline=None)
            raise UsageError("rule", f"{several} a baseline", hint=hint, where=self.sources.get(idle[0]), value=idle[0])

    def allowed(self, measure: str, rule: str = "max_drop") -> float:
        """The largest drop that this measure may have by the rule `max_drop` or `max_total_drop`."""
        total = self.max_total_drop if rule == "max_total_drop" else {}
        for bounds, key in ((total, measure), (total, DEFAULT_KEY), (self.max_drop, measure)):
            if key in bounds:
                return bounds[key]
        return self.max_drop.get(DEFAULT_KEY, 0.0)

    @property
    def paired_test(self) -> str:
        """The test that was chosen, or that of the mode: t, the only one with a model, is too certain that a loss is small if losses are rare."""
        return self.test or ("bootstrap" if self.mode == "sure" and self.model is None else "t")

    def plain(self) -> dict[str, Any]:
        """The rules as plain data; inputs that are not files are named by their type."""
        dropped = ("sources",) if self.inputs else ("sources", "inputs")
        data = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.name not in dropped}
        data["test"] = self.paired_test
        return data | {key: _name(data[key]) for key in _PATHS}


@cache
def _types() -> dict[str, Any]:
    """The type of each key, without None."""
    hints = get_type_hints(Rules)
    return {
        spec.name: next((t for t in get_args(hints[spec.name]) if t in (int, float)), hints[spec.name])
        for spec in fields(Rules)
        if spec.name not in ("policy", "inputs", "sources")
    }


def _read(key: str, value: Any, where: str | None) -> Any:
    """Check and convert the value of a key; an error names the key and its file."""
    policies = [name for name in Policy.__dataclass_fields__ if name != "prepared"]
    known = [*_types(), *policies, *INPUT_OPTIONS]
    if key not in known:
        raise UsageError("rule", f"no rule is called {shown(key)}", hint=_nearest(key, known), where=where, value=key)
    try:
        if key in policies:
            Policy(**{key: value})
        return _by_type(key, value) if key in _types() else value
    except JudgedError as error:
        if where is None:
            raise
        problem = error.problem if key in error.problem else f"{key}: {error.problem}"
        raise error.changed(problem=problem, where=where) from error


def _by_type(key: str, value: Any) -> Any:
    spec, kind = Rules.__dataclass_fields__[key], _types()[key]
    if "read" in spec.metadata:
        return spec.metadata["read"](key, value)
    if kind is bool and not isinstance(value, bool):
        raise UsageError("rule", f"{key} must be true or false, got {shown(value)}", value=value)
    if kind is int:
        return check_count(value, key, least=spec.metadata.get("least", 1))
    if kind is float:
        return _number(key, value)
    if get_args(kind):
        check_choice(value, kind, key, slug="rule")
    return value


def _base(rules: Any) -> tuple[dict[str, Any], Path | None, str | None]:
    """The keys of rules, the folder that their paths start from, and their file."""
    if rules is None:
        return {}, None, None
    if isinstance(rules, Rules):
        own = {key: getattr(rules, key) for key in _types()}
        return {**{k: v for k, v in own.items() if v is not None}, **rules.policy, **rules.inputs}, None, None
    if isinstance(rules, str | os.PathLike):
        return read_rules(rules), Path(rules).parent, str(rules)
    if isinstance(rules, Mapping):
        return {str(k): v for k, v in rules.items() if v is not None}, None, None
    raise UsageError("rule", "a mapping of rules, or the path of a judged.toml", got=shown(rules), value=rules)


def _in_folder(folder: Path | None, key: str, value: Any) -> Any:
    """A path of a file of rules, which starts from the folder of the file."""
    return str(folder / value) if folder is not None and key in _PATHS and isinstance(value, str) else value


def _nearest(key: Any, known: Sequence[str]) -> str:
    near = get_close_matches(str(key).replace("-", "_"), known, 1, 0.5)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"


def _name(value: Any) -> str | None:
    plain = value is None or isinstance(value, str | os.PathLike)
    return (value and os.fspath(value)) if plain else f"<{type(value).__name__}>"


def read_rules(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the table [gate] of a `judged.toml`."""
    import tomllib

    try:
        data = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError("rule", f"not TOML: {error}", where=str(path)) from error
    for key in data:
        if key != "gate":
            raise DataError(
                "rule", f"unknown table {shown(key)}", hint="name the table [gate]", where=str(path), value=key
            )
    table = data.get("gate", {})
    if not isinstance(table, dict):
        raise DataError("rule", f"gate must be a table, got {shown(table)}", where=str(path))
    return table
