"""Tune a fusion method on judged queries, and estimate its value on others by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged._types import Bools, Floats
from judged.core.policy import PolicyOptions
from judged.core.resample import whole_seed
from judged.core.tables import Id, Run, decoded
from judged.errors import Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import evaluate, parse_measures
from judged.evaluation.options import check_options
from judged.evaluation.values import Values
from judged.fusion.fuse import fuse, fused_scores, prepare
from judged.fusion.method import Fusion, FusionSettings, call_of, training_of
from judged.io.read import read_qrels
from judged.measures.registry import Measure
from judged.stats.checks import check_count
from judged.stats.intervals import interval, summarise
from judged.steps import step as named_step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, number


class TunedValue(NamedTuple):
    """The mean of a measure with its 95% interval; NaN without one."""

    name: str
    value: float
    low: float
    high: float


class Fold(NamedTuple):
    """A fold: the number of its queries, the setting that was chosen on the others, and the means on those and on its own queries."""

    queries: int
    settings: FusionSettings
    tuned_on: float
    held_out: float


@dataclass(frozen=True, eq=False, repr=False)
class FusionTuning(Result):
    """A tuned fusion: its cross-validated value, the setting that was chosen, and the fused run.

    `values` are the cross-validated value, the value on the queries for which the setting was chosen, and the values of the single runs.
    `held_out` has the cross-validated value of each query.
    """

    definition: str
    options: dict[str, Any]  # of `fuse`
    runs: Mapping[str, Run]
    measure: Measure
    settings: FusionSettings
    trials: int
    values: tuple[TunedValue, ...]
    folds: tuple[Fold, ...]
    queries: tuple[Id, ...]
    held_out: Floats
    warnings: tuple[Warned, ...] = ()

    @property
    def value(self) -> float:
        """The cross-validated value: what to expect on new queries."""
        return self.values[0].value

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the cross-validated value."""
        return self.values[0].low, self.values[0].high

    @property
    def optimistic(self) -> float:
        """The value on the queries for which the setting was chosen."""
        return self.values[1].value

    @property
    def method(self) -> str:
        """The method with the parameters that were chosen on all queries, as `fuse` takes it."""
        return call_of(self.definition, self.settings.values)

    @property
    def weights(self) -> dict[str, float] | None:
        """The weights that were chosen on all queries; None if the method has none."""
        weights = self.settings.weights
        return None if weights is None else dict(zip(self.runs, weights.tolist(), strict=True))

    @property
    def trained(self) -> tuple[Floats, ...] | None:
        """An array per run that a trained method learnt from all queries; None for other methods."""
        return self.settings.trained or None

    @cached_property
    def run(self) -> Run:
        """The runs fused with the setting that was chosen on all queries. Its value on these queries is too high."""
        return self.fuse(self.runs)

    def fuse(self, runs: Any, *, name: str | None = None) -> Run:
        """Fuse other runs of the same systems, such as for new queries; in the same order, or with the same names."""
        if isinstance(runs, Mapping) and set(runs) == set(self.runs):
            runs = {system: runs[system] for system in self.runs}
        if len(runs) != len(self.runs):
            raise UsageError("runs", f"the fusion was tuned for {counted(len(self.runs), 'run')}, got {len(runs)}")
        weights = self.settings.weights
        learnt = None if weights is None else weights.tolist()
        return fuse(runs, self.method, weights=learnt, trained=self.trained, name=name, **self.options)

    def headline(self) -> tuple[str, ...]:
        """Sentences: the value to expect, and the best single run."""
        honest, same, *singles = self.values
        best = (min if self.measure.definition.lower_is_better else max)(singles, key=lambda single: single.value)
        setting = self._setting(self.settings)
        named = setting if self.settings.weights is None else f"{self.method} with {setting}"
        interval = f"(95% interval {number(honest.low)} to {number(honest.high)})"
        optimistic = ", which is optimistic" if number(same.value) != number(honest.value) else ""
        return (
            f"{named}: {self.measure} {number(honest.value)} on queries it was not tuned on {interval}.",
            f"On the queries it was tuned on it is {number(same.value)}{optimistic}. The best single run, {best.name}, has {number(best.value)}.",
        )

    def tables(self, *, places: int = 4) -> list[Table]:
        """Values, and the setting of each fold."""
        notes = (
            f"{counted(len(self.queries), 'query')}, {counted(len(self.folds), 'fold')}, {counted(self.trials, 'setting')} tried",
            *(f"warning: {warning}" for warning in self.warnings),
        )
        values = RecordTable.of(self.records(), words=("measure", "name"), notes=notes)
        folds = RecordTable.of(self._fold_records(), words=("settings",), title="Settings by fold")
        return [*values.tables(places=places), *folds.tables(places=places)]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per value."""
        return [{"measure": str(self.measure), **value._asdict()} for value in self.values]

    def to_data(self) -> dict[str, Any]:
        """Values, the setting, and the folds."""
        return {
            "method": self.method,
            **self.options,
            "weights": self.weights,
            "trained": self.trained,
            "values": self.records(),
            "folds": self._fold_records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def _fold_records(self) -> list[dict[str, Any]]:
        return [{**fold._asdict(), "settings": self._setting(fold.settings)} for fold in self.folds]

    def _setting(self, settings: FusionSettings) -> str:
        """A setting in words: the weights, or the method with its parameters."""
        if settings.weights is None:
            return call_of(self.definition, settings.values)
        return ", ".join(f"{name} {weight:g}" for name, weight in zip(self.runs, settings.weights, strict=True))


_MOST = 5_000


def trials_of(method: Fusion, values: dict[str, float], runs: int, step: float) -> list[FusionSettings]:
    """Return the settings to try, those nearest to the default first, so that the first of equally good ones is the least unusual.

    Weights are multiples of `step` with sum 1. A method with a parameter and optional weights is tuned by its parameter.

    Raises:
        UsageError: `parameter`: nothing to tune, or too many trials.
    """
    if method.weights == "needed":
        return [FusionSettings(values, weights) for weights in _weights(runs, step)]
    trials = [FusionSettings(values)]
    for p in method.parameters:
        tried = sorted(p.trials, key=lambda value: (abs(value - values[p.name]), value))
        trials = [FusionSettings({**values, p.name: value}) for value in dict.fromkeys((values[p.name], *tried))]
    if len(trials) == 1 and method.train is None:
        problem = f"{method.name} has no weights, parameters or training to tune"
        raise UsageError("parameter", problem, hint="fuse with it as it is, or tune wsum", value=method.name)
    return trials


def _weights(runs: int, step: float) -> list[Floats]:
    parts = round(1 / step) if isinstance(step, int | float) and 1e-9 < step <= 1 else 0
    if parts < 1 or abs(parts * step - 1) > 1e-9:
        raise UsageError("parameter", f"step must be 1 divided by an integer, got {shown(step)}", value=step)
    trials = comb(parts + runs - 1, runs - 1)
    if trials > _MOST:
        problem = f"weights of {runs} runs in steps of {step:g} are {trials:,} trials, more than {_MOST:,}"
        raise UsageError("parameter", problem, hint=Hint("use larger steps: {step}", step=0.25), value=step)
    cuts = np.array(list(combinations(range(parts + runs - 1), runs - 1)), np.int64).reshape(-1, runs - 1)
    ends = np.pad(cuts, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, parts + runs - 1)))
    weights = (np.diff(ends, axis=1) - 1) / parts
    even = np.lexsort((*weights.T[::-1], np.round(np.square(weights).sum(axis=1), 12)))
    return list(weights[even])


def tune_fusion(
    qrels: Any,
    runs: Any,
    method: str = "wsum",
    measure: str | Measure = "nDCG@10",
    *,
    norm: str | None = None,
    folds: int = 5,
    step: float = 0.1,
    seed: int = 0,
    level: float | None = None,
    profile: str = "trec_eval-10",
    **policy: Unpack[PolicyOptions],
) -> FusionTuning:
    """Choose the weights or the parameter of a fusion method, or train it, and estimate its value on new queries.

    The queries are split at random into folds. For each fold the method is tuned on the queries of the others, and measured on its own:
    the mean of these values is the cross-validated value. The value that the best setting has on the queries for which it was chosen is
    too high; it is shown beside it. The result fuses with the setting that is best on all queries.

    Args:
        qrels: judgments in any format that `read_qrels` takes.
        runs: a list of runs or {name: run}, as in `fuse`.
        method: a weighted method (wsum, wmnz, mixed …), one with a parameter (rrf, rbc, gmnz …) or a trained one (posfuse …).
        measure: a single measure, such as `"nDCG@10"`.
        norm: normalisation of the scores, as in `fuse`.
        folds: number of folds, at most the number of judged queries.
        step: distance between the weights that are tried; their sum is 1.
        seed: random seed of the folds.
        level: lowest relevant grade, of the measure and of trained methods.
        profile: conventions of another tool.
        policy: see `Policy`; `depth`, `ties`, `duplicates` and `order` are those of the single runs, as in `fuse`.

    Raises:
        UsageError: a method without anything to tune, or too few queries.

    >>> qrels = {q: {"x": 1} for q in "abcdef"}
    >>> good, bad = {q: {"x": 2.0, "y": 1.0} for q in "abcdef"}, {q: {"y": 2.0, "x": 1.0} for q in "abcdef"}
    >>> tuned = tune_fusion(qrels, {"good": good, "bad": bad}, "wsum", "RR", folds=3)
    >>> tuned.weights, tuned.value
    ({'good': 0.6, 'bad': 0.4}, 1.0)
    """
    check_options(policy, PolicyOptions.__annotations__, ("measure", "norm", "folds", "step", "level", "profile"))
    given: dict[str, Any] = dict(policy)
    own: dict[str, Any] = {name: given[name] for name in ("depth", "ties", "duplicates", "order") if name in given}
    opened, found, values, aligned = prepare(runs, method, norm, **own)
    chosen, judgments = _single(measure, profile, level), read_qrels(qrels)
    trials = trials_of(found, values, len(opened), step)
    ranked = {name: value for name, value in given.items() if name not in ("depth", "duplicates", "order")}

    def evaluate_settings(settings: FusionSettings) -> Values:
        run = aligned.to_run(fused_scores(found, aligned, settings), found.name)
        return evaluate(judgments, run, chosen, level=level, profile=profile, **ranked)

    def columns_of(settings: list[FusionSettings]) -> Floats:
        return np.stack([np.asarray(evaluate_settings(setting)[str(chosen)], float) for setting in settings])

    def best_of(columns: Floats, queries: Bools) -> int:
        """The trial with the best mean over some queries; the first of equal ones."""
        means = np.array([summarise(column[queries], "mean") for column in columns])
        means = np.where(np.isnan(means), -np.inf, -means if chosen.definition.lower_is_better else means)
        return int(np.argmax(means >= means.max() - 1e-12))

    with named_step("tuning"):
        training = None if found.train is None else training_of(aligned, judgments, 1.0 if level is None else level)
        on_all = trials if training is None else [found.learn(training, trial) for trial in trials]
        queries = evaluate_settings(on_all[0]).queries
        if not 2 <= check_count(folds, "folds") <= len(queries):
            problem = f"folds must be from 2 to the number of judged queries, {len(queries)}, got {folds}"
            raise UsageError("parameter", problem, value=folds)
        fold = np.random.default_rng(whole_seed(seed)).permutation(np.arange(len(queries)) % folds)
        names = list(map(str, decoded(aligned.queries, aligned.query_kind)))
        columns = columns_of(on_all)
        held_out, tuned = np.empty(len(queries)), []
        for k in range(folds):
            rest, others, settings = fold != k, columns, on_all
            if training is not None:  # learn again, from the queries of the other folds
                others_of = {str(query) for query, kept in zip(queries, rest, strict=True) if kept}
                known = np.array([name in others_of for name in names])
                part = training._replace(queries=training.queries & known)
                settings = [found.learn(part, trial) for trial in trials]
                others = columns_of(settings)
            at = best_of(others, rest)
            held_out[~rest] = others[at][~rest]
            means = [summarise(others[at][where], "mean") for where in (rest, ~rest)]
            tuned.append(Fold(int((~rest).sum()), settings[at], means[0], means[1]))
        best = best_of(columns, np.ones(len(queries), bool))
        singles = {
            name: evaluate(judgments, run, chosen, level=level, profile=profile, **policy)
            for name, run in opened.items()
        }
    shown_values = {"cross-validated": held_out, "tuned on the same queries": columns[best]}
    shown_values |= {name: np.asarray(single[str(chosen)], float) for name, single in singles.items()}
    return FusionTuning(
        definition=found.name,
        options={"norm": norm, **own},
        runs=opened,
        measure=chosen,
        settings=on_all[best],
        trials=len(trials),
        values=tuple(_value(name, column, chosen) for name, column in shown_values.items()),
        folds=tuple(tuned),
        queries=queries,
        held_out=held_out,
        warnings=tuple(dict.fromkeys(w for single in singles.values() for w in single.warnings)),
    )


def _value(name: str, column: Floats, measure: Measure) -> TunedValue:
    [ends] = interval([column], limits=[measure.definition.limits])
    return TunedValue(name, summarise(column, "mean"), *(ends or (float("nan"), float("nan"))))


def _single(measure: Any, profile: str, level: float | None) -> Measure:
    parsed = parse_measures([measure] if isinstance(measure, Measure) else measure, profile, level)
    if len(parsed) != 1 or parsed[0].definition.summary != "mean" or parsed[0].definition.text:
        names = " ".join(map(str, parsed))
        problem = f"fusion is tuned by one measure with a mean over queries, got {names}"
        raise UsageError("measure", problem, hint="name one, such as nDCG@10", value=names)
    return parsed[0]
