"""`Rules`: the conditions that a candidate must meet. The keys are the same in Python, in the table [gate] of `judged.toml` and on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from judged.core.policy import Policy, PolicyOptions
from judged.errors import DataError, Hint, JudgedError, UsageError, shown
from judged.evaluation.options import INPUT_OPTIONS, InputOptions
from judged.io.settings import read_settings
from judged.measures.parameters import number, one_of
from judged.measures.profiles import profile as profile_named
from judged.measures.registry import Measure, parse_all
from judged.registry import choose_one
from judged.stats.checks import check_count
from judged.stats.corrections import CORRECTIONS
from judged.stats.paired.registry import TESTS

Mode = Literal["significant", "mean", "sure"]
Bounds = Mapping[str, float]

DEFAULT_KEY = "default"  # in `max_drop`: for measures that are not named
BY_MEASURE = ("min", "max", "max_drop", "max_total_drop")
_PATHS = ("baseline", "qrels", "slices", "history")
_WITHOUT_BASELINE = ("measures", "min", "max", "qrels", "level", "profile", "policy", "inputs", "sources")


class GateOptions(PolicyOptions, InputOptions, total=False):
    """Keyword options of `gate` besides the rules themselves: statistics, conventions and policies.

    Args:
        allow_changed_judgments: only warn if the judgments of a saved baseline are different.
        allow_missing_queries: accept a candidate that lacks queries of the baseline.
    """

    test: str
    correction: str
    resamples: int
    seed: int
    level: float
    profile: str
    allow_changed_judgments: bool
    allow_missing_queries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The drops and values that are allowed, and the certainty that is needed.

    Args:
        measures: measures that are compared. [default: those of a saved baseline, else those of `evaluate`]
        max_drop: largest drop of a mean: a number, or {measure: number} (`default` for the others).
        max_total_drop: the same for the drop since the first baseline of the history. [default: `max_drop`]
        mode: which drops count: `significant`, `mean` or `sure`, see `breaks_rule` in `reasons`.
        alpha: significance level of all tests of a measure together.
        min: {measure: lowest value}, over all queries.
        max: {measure: highest allowed mean}.
        max_query_drop: (drop, n): at most n queries may drop by more.
        slices: table of queries, or {query: group}; each group must pass too.
        by: columns of the table; `relevant` is the number of relevant documents.
        min_queries: fewest queries that mode `significant` may decide by, and smallest slice that is tested.
        baseline: the run or saved result that the candidate is compared with.
        history: file of earlier builds, to which this one is added; its first baseline is the anchor.
        qrels: the judgments.
        allow_changed_judgments: warn instead of raising if a saved baseline has other judgments.
        allow_missing_queries: accept a candidate that lacks queries of the baseline, if only queries in both count.
        test: as in `compare`. [default: t; in mode `sure` bootstrap]
        correction: correction over the tests of a measure: all queries, each slice, and the drop since the anchor.
        resamples: as in `compare`.
        seed: random seed.
        level: lowest relevant grade.
        profile: conventions of another tool.
        policy: policies, as in `evaluate`.
        inputs: names of columns and fields of the inputs, and grades of words, as in `evaluate`.
        sources: the keys that were set, each with its file, if it came from one.
    """

    measures: tuple[str, ...] = ()
    max_drop: Bounds = field(default_factory=lambda: {DEFAULT_KEY: 0.0})
    max_total_drop: Bounds = field(default_factory=dict)
    mode: Mode = "significant"
    alpha: float = 0.05
    min: Bounds = field(default_factory=dict)
    max: Bounds = field(default_factory=dict)
    max_query_drop: tuple[float, int] | None = None
    slices: Any = None
    by: tuple[str, ...] = ()
    min_queries: int = 10
    baseline: Any = None
    history: Any = None
    qrels: Any = None
    allow_changed_judgments: bool = False
    allow_missing_queries: bool = False
    test: str | None = None
    correction: str = "bonferroni"
    resamples: int | None = None
    seed: int = 0
    level: float | None = None
    profile: str = "trec_eval-10"
    policy: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, rules: Any = None, **options: Any) -> Rules:
        """Rules from a `judged.toml` or a mapping. Options that are not None win; measure by measure in `min`, `max` and `max_drop`.

        >>> Rules.of({"max_drop": 0.01, "alpha": 0.1}, alpha=0.05).max_drop
        {'default': 0.01}
        """
        where: str | None = None
        if isinstance(rules, str | os.PathLike):
            where, rules = str(rules), read_rules(rules)
        elif rules is not None and not isinstance(rules, Mapping):
            raise UsageError("rule", "a mapping of rules, or the path of a judged.toml", got=shown(rules), value=rules)
        values: dict[str, Any] = {}
        sources: dict[str, str | None] = {}
        for file, keys in ((where, rules or {}), (None, options)):
            for key, value in keys.items():
                if value is None:
                    continue
                if file is not None and key in _PATHS and isinstance(value, str):
                    value = str(Path(file).parent / value)
                read = _read(key, value, file)
                values[key] = {**values.get(key, {}), **read} if key in BY_MEASURE else read
                sources[key] = file
        policy = {key: values.pop(key) for key in list(values) if key in Policy.__dataclass_fields__}
        inputs = {key: values.pop(key) for key in list(values) if key in INPUT_OPTIONS}
        return cls(**values, policy=policy, inputs=inputs, sources=sources)

    def check_baseline_is_needed(self) -> None:
        """Raise if a rule was set that needs a baseline: it must not be mistaken for one that holds."""
        names = [spec.name for spec in fields(self) if spec.name not in _WITHOUT_BASELINE]
        idle = [name for name in names if name in self.sources]
        if idle:
            hint = Hint("name one with {baseline}", baseline=None)
            problem = f"these rules need a baseline: {', '.join(idle)}"
            raise UsageError("rule", problem, hint=hint, where=self.sources[idle[0]], value=idle[0])

    def allowed(self, measure: str, rule: str = "max_drop") -> float:
        """The largest drop that this measure may have by the rule `max_drop` or `max_total_drop`."""
        total = self.max_total_drop if rule == "max_total_drop" else {}
        for bounds, key in ((total, measure), (total, DEFAULT_KEY), (self.max_drop, measure)):
            if key in bounds:
                return bounds[key]
        return self.max_drop.get(DEFAULT_KEY, 0.0)

    @property
    def paired_test(self) -> str:
        """The test that was chosen, or that of the mode: t is too certain that a loss is small if losses are rare."""
        return self.test or ("bootstrap" if self.mode == "sure" else "t")

    def plain(self) -> dict[str, Any]:
        """The rules as plain data; inputs that are not files are named by their type."""
        data = {spec.name: getattr(self, spec.name) for spec in fields(self) if spec.name != "sources"}
        for key in _PATHS:
            if data[key] is not None:
                path = isinstance(data[key], str | os.PathLike)
                data[key] = os.fspath(data[key]) if path else f"<{type(data[key]).__name__}>"
        return {**data, "test": self.paired_test}


def _read(key: str, value: Any, where: str | None) -> Any:
    """Check and convert the value of a key; an error names the key and its file."""
    policies = [name for name in Policy.__dataclass_fields__ if name != "prepared"]
    known = [spec.name for spec in fields(Rules) if spec.name not in ("policy", "inputs", "sources")]
    try:
        if key in policies:
            Policy(**{key: value})
        elif key not in known and key not in INPUT_OPTIONS:
            hint = choose_one(key, [*known, *policies, *INPUT_OPTIONS])
            raise UsageError("rule", f"no rule is called {shown(key)}", hint=hint, value=key)
        return _READERS[key](value) if key in _READERS else value
    except JudgedError as error:
        problem = error.problem if key in error.problem else f"{key}: {error.problem}"
        raise error.changed(problem=problem, where=where or error.where) from error


_VALUE, _DROP = number(), number(0)


def _bounds(value: Any, check: Callable[[Any], float] = _VALUE) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise UsageError("rule", f"name measures, such as {{'nDCG@10': 0.5}}, got {shown(value)}", value=value)
    bounds: dict[str, float] = {}
    for name, bound in value.items():
        named = [name] if name == DEFAULT_KEY else parse_all(name if isinstance(name, str | Measure) else [name])
        for measure in map(str, named):
            if measure in bounds:
                raise UsageError("rule", f"two values for {measure}", value=value)
            bounds[measure] = check(bound)
    return bounds


def _max_drop(value: Any) -> dict[str, float]:
    return _bounds(value if isinstance(value, Mapping) else {DEFAULT_KEY: value}, _DROP)


def _query_drop(value: Any) -> tuple[float, int]:
    parts: Any = value if isinstance(value, tuple | list | str) else (value, 0)
    if isinstance(value, str):
        drop, _, count = value.partition(":")
        try:
            parts = (float(drop), int(count or 0))
        except ValueError:
            parts = ()
    if len(parts) != 2:
        problem = f"a drop, or a drop and a number of queries, such as 0.3:2, is needed, got {shown(value)}"
        raise UsageError("rule", problem, value=value)
    return _DROP(parts[0]), check_count(parts[1], "the number of queries", least=0)


def _columns(value: Any) -> tuple[str, ...]:
    columns = [value] if isinstance(value, str) else value
    if not isinstance(columns, list | tuple) or not all(isinstance(column, str) for column in columns):
        raise UsageError("slice", f"by must be names of columns, got {shown(value)}", value=value)
    return tuple(columns)


def _correction(value: Any) -> str:
    """The name of a correction; not `max`, which needs tests of the same queries."""
    correction = CORRECTIONS.find(value)
    if correction.function is None:
        problem = f"the correction {correction.name} needs tests on the same queries, not measures and slices"
        raise UsageError("correction", problem, hint=Hint("use {correction}", correction="bonferroni"), value=value)
    return correction.name


_READERS: dict[str, Callable[[Any], Any]] = {  # the values of other keys are read where they are used
    "measures": lambda value: tuple(map(str, parse_all(value))),
    "max_drop": _max_drop,
    "max_total_drop": _max_drop,
    "mode": one_of("mode", get_args(Mode)),
    "alpha": number(0, 0.5, open_low=True, open_high=True),
    "min": _bounds,
    "max": _bounds,
    "max_query_drop": _query_drop,
    "by": _columns,
    "min_queries": partial(check_count, name="min_queries"),
    "allow_changed_judgments": one_of("allow_changed_judgments", (True, False)),
    "allow_missing_queries": one_of("allow_missing_queries", (True, False)),
    "test": lambda value: TESTS.find(value).name,
    "correction": _correction,
    "resamples": partial(check_count, name="resamples"),
    "seed": partial(check_count, name="seed", least=0),
    "level": _VALUE,
    "profile": lambda value: profile_named(value).name,
}


def read_rules(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the table [gate] of a `judged.toml`, or [tool.judged.gate] of a `pyproject.toml`."""
    table = read_settings(path).get("gate")
    if not isinstance(table, dict):
        raise DataError("rule", "a file of rules has a table [gate]", where=str(path))
    return table
