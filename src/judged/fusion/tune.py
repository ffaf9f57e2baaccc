"""Tune a fusion method on judged queries, and estimate its value on others by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.policy import PolicyOptions
from judged.core.resample import whole_seed
from judged.core.tables import Id, Qrels, Run, decoded
from judged.errors import Hint, UsageError, Warned, shown
from judged.evaluation.evaluate import evaluate, parse_measures
from judged.evaluation.options import check_options
from judged.evaluation.values import Values, mean_intervals
from judged.fusion.aligned import AlignedRuns
from judged.fusion.fuse import FusionRequest, Missing, open_fused
from judged.fusion.method import Fusion, FusionSettings, Training, call_of, training_of
from judged.io.read import read_qrels
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.stats.checks import check_count
from judged.stats.summary import summarise
from judged.steps import step as named_step
from judged.tables.result import Result
from judged.tables.table import Span, Table
from judged.tables.text import counted, number


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

    request: FusionRequest
    runs: Mapping[str, Run]
    measure: str
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
        return call_of(self.request.method, self.settings.values)

    @property
    def weights(self) -> dict[str, float] | None:
        """The weights that were chosen on all queries; None if the method has none."""
        return self._weights(self.settings)

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
        opened = open_fused(runs)
        if len(opened) != len(self.runs):
            raise UsageError("runs", f"the fusion was tuned for {counted(len(self.runs), 'run')}, got {len(opened)}")
        return self.request.fuse(opened, self.request.align(opened), self.settings, name)

    def headline(self) -> tuple[str, ...]:
        """Sentences: the value to expect, and the best single run."""
        honest, same, *singles = self.values
        low, high = number(honest.low), number(honest.high)
        lower = self._lower_is_better
        setting = self._setting(self.settings)
        named = setting if self.weights is None else f"{self.method} with {setting}"
        best = (min if lower else max)(singles, key=lambda single: single.value)
        optimistic = ", which is optimistic" if number(same.value) != number(honest.value) else ""
        return (
            f"{named}: {self.measure} {number(honest.value)} on queries it was not tuned on (95% interval {low} to {high}).",
            f"On the queries it was tuned on it is {number(same.value)}{optimistic}. The best single run, {best.name}, has {number(best.value)}.",
        )

    def tables(self, *, places: int = 4) -> list[Table]:
        """Values, and the setting of each fold."""
        rows = tuple(
            (
                v.name,
                number(v.value, places),
                "–" if v.low != v.low else f"{number(v.low, places)} to {number(v.high, places)}",
            )
            for v in self.values
        )
        spans = tuple(None if v.low != v.low else Span(v.low, v.value, v.high, scale=self.measure) for v in self.values)
        notes = (
            f"{counted(len(self.queries), 'query')}, {counted(len(self.folds), 'fold')}, {counted(self.trials, 'setting')} tried",
            *(f"warning: {warning}" for warning in self.warnings),
        )
        values = Table(("", self.measure, "95% interval"), rows, notes=notes, spans=spans)
        folds = tuple(
            (
                str(i),
                str(fold.queries),
                self._setting(fold.settings),
                number(fold.tuned_on, places),
                number(fold.held_out, places),
            )
            for i, fold in enumerate(self.folds, 1)
        )
        headers = ("fold", "queries", "chosen on the others", "on the others", "on the fold")
        return [values, Table(headers, folds, title="Settings by fold", words=(0, 2), optional=(1,))]

    def records(self) -> list[dict[str, Any]]:
        """One mapping per value."""
        return [{"measure": self.measure, **value._asdict()} for value in self.values]

    def to_data(self) -> dict[str, Any]:
        """Values, the setting, and the folds."""
        folds = [
            {"queries": f.queries, **self._plain(f.settings), "tuned_on": f.tuned_on, "held_out": f.held_out}
            for f in self.folds
        ]
        return {
            "judged-fusion": 1,
            "norm": self.request.norm.name,
            "missing": self.request.missing,
            **self._plain(self.settings),
            "trained": self.trained,
            "values": self.records(),
            "folds": folds,
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def _plain(self, settings: FusionSettings) -> dict[str, Any]:
        return {"method": call_of(self.request.method, settings.values), "weights": self._weights(settings)}

    def _weights(self, settings: FusionSettings) -> dict[str, float] | None:
        return None if settings.weights is None else dict(zip(self.runs, settings.weights.tolist(), strict=True))

    def _setting(self, settings: FusionSettings) -> str:
        """A setting in words: the weights, or the method with its parameters."""
        weights = self._weights(settings)
        if weights is None:
            return call_of(self.request.method, settings.values)
        return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())

    @property
    def _lower_is_better(self) -> bool:
        from judged.measures.grammar import parse

        return bool(parse(self.measure).definition.lower_is_better)


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
    for parameter in method.parameters:
        tried = sorted(parameter.trials, key=lambda value: (abs(value - values[parameter.name]), value))
        trials = [
            FusionSettings({**values, parameter.name: value})
            for value in dict.fromkeys((values[parameter.name], *tried))
        ]
    if len(trials) == 1 and method.train is None:
        problem = f"{method.name} has no weights, parameters or training to tune"
        raise UsageError("parameter", problem, hint="fuse with it as it is, or tune wsum", value=method.name)
    return trials


def _weights(runs: int, step: float) -> list[Floats]:
    parts = round(1 / step) if isinstance(step, int | float) and 1e-9 < step <= 1 else 0
    if parts < 1 or abs(parts * step - 1) > 1e-9:
        raise UsageError("parameter", f"step must be 1 divided by an integer, got {shown(step)}", value=step)
    if _compositions(parts, runs) > _MOST:
        problem = f"weights of {runs} runs in steps of {step:g} are {_compositions(parts, runs):,} trials, more than {_MOST:,}"
        raise UsageError("parameter", problem, hint=Hint("use larger steps: {step}", step=0.25), value=step)
    cuts = np.array(list(combinations(range(parts + runs - 1), runs - 1)), np.int64).reshape(-1, runs - 1)
    ends = np.pad(cuts, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, parts + runs - 1)))
    weights = (np.diff(ends, axis=1) - 1) / parts
    even = np.lexsort((*weights.T[::-1], np.round(np.square(weights).sum(axis=1), 12)))
    return list(weights[even])


def _compositions(parts: int, runs: int) -> int:
    from math import comb

    return comb(parts + runs - 1, runs - 1)


def tune_fusion(
    qrels: Any,
    runs: Any,
    method: str = "wsum",
    measure: str | Measure = "nDCG@10",
    *,
    norm: str | None = None,
    missing: Missing = "skip",
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
        missing: score of a document that a run lacks, as in `fuse`.
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
    check_count(folds, "folds")
    check_options(policy, PolicyOptions.__annotations__, ("measure", "norm", "folds", "step", "level", "profile"))
    given: dict[str, Any] = dict(policy)
    ranking = {name: given[name] for name in ("depth", "ties", "duplicates", "order") if name in given}
    request = FusionRequest.of(method, norm, missing, **ranking)
    parsed = _single(measure, profile, level)
    judgments = read_qrels(qrels)
    opened = open_fused(runs)
    trials = trials_of(request.method, request.values, len(opened), step)
    work = _Work(request, opened, request.align(opened), judgments, parsed, level, {"profile": profile, **given})
    with named_step("tuning"):
        return _tune(work, trials, folds, seed)


@dataclass(frozen=True)
class _Work:
    """Runs and judgments, and how a setting is measured."""

    request: FusionRequest
    runs: Mapping[str, Run]
    aligned: AlignedRuns
    qrels: Qrels
    measure: Measure
    level: float | None
    options: Mapping[str, Any]

    def evaluate(self, run: Run, *, fused: bool = False) -> Values:
        own = ("depth", "duplicates", "order") if fused else ()  # of the rankings that are fused
        options = {name: value for name, value in self.options.items() if name not in own}
        return evaluate(self.qrels, run, self.measure, level=self.level, **options)

    @cached_property
    def training(self) -> Training:
        """Relevant documents of all judged queries."""
        return training_of(self.aligned, self.qrels, 1.0 if self.level is None else self.level)

    def learn(self, settings: FusionSettings, queries: Bools | None = None) -> FusionSettings:
        """The settings with what a trained method learns from some queries; of all judged ones by default."""
        train = self.request.method.train
        if train is None:
            return settings
        known = self.training.queries
        training = replace(self.training, queries=known if queries is None else known & queries)
        return replace(settings, trained=tuple(train(training, settings)))

    def fused(self, settings: FusionSettings) -> Values:
        """The fused run, evaluated."""
        score = self.request.score(self.aligned, settings)
        return self.evaluate(self.aligned.to_run(score, self.request.method.name), fused=True)

    def column(self, settings: FusionSettings) -> Floats:
        """The value of each query that counts."""
        return np.asarray(self.fused(settings)[str(self.measure)], float)

    def best(self, columns: Floats, queries: Bools) -> int:
        """The trial with the best mean over some queries; the first of equal ones."""
        means = np.array([summarise(column[queries], "mean") for column in columns])
        means = np.where(np.isnan(means), -np.inf, -means if self.measure.definition.lower_is_better else means)
        return int(np.argmax(means >= means.max() - 1e-12))


def _tune(work: _Work, trials: list[FusionSettings], folds: int, seed: int) -> FusionTuning:
    singles = {name: work.evaluate(run) for name, run in work.runs.items()}
    trained = work.request.method.train is not None
    on_all = [work.learn(trial) for trial in trials]
    queries = work.fused(on_all[0]).queries
    if len(queries) < max(folds, 2) or folds < 2:
        problem = f"{folds} folds need {max(folds, 2)} judged queries or more, got {len(queries)}"
        if folds < 2:
            problem = f"folds must be an integer ≥ 2, got {folds}"
        raise UsageError("parameter", problem, hint="use fewer folds" if folds > 2 else None, value=folds)
    fold = _folds(len(queries), folds, seed)
    ids = {str(query): i for i, query in enumerate(decoded(work.aligned.queries, work.aligned.query_kind))}
    place = np.array([ids.get(str(query), -1) for query in queries])
    columns = np.stack([work.column(setting) for setting in on_all])
    held_out, chosen = np.empty(len(queries)), []
    for k in range(folds):
        rest, other = fold != k, columns
        settings = on_all
        if trained:
            known = np.zeros(len(ids), bool)
            known[place[rest & (place >= 0)]] = True
            settings = [work.learn(trial, known) for trial in trials]
            other = np.stack([work.column(setting) for setting in settings])
        at = work.best(other, rest)
        held_out[~rest] = other[at][~rest]
        means = [summarise(other[at][where], "mean") for where in (rest, ~rest)]
        chosen.append(Fold(int((~rest).sum()), settings[at], means[0], means[1]))
    best = work.best(columns, np.ones(len(queries), bool))
    rows = {"cross-validated": held_out, "tuned on the same queries": columns[best]}
    rows |= {name: np.asarray(values[str(work.measure)], float) for name, values in singles.items()}
    warnings: tuple[Warned, ...] = tuple(dict.fromkeys(w for values in singles.values() for w in values.warnings))
    return FusionTuning(
        request=work.request,
        runs=work.runs,
        measure=str(work.measure),
        settings=on_all[best],
        trials=len(trials),
        values=tuple(_value(name, column, work.measure) for name, column in rows.items()),
        folds=tuple(chosen),
        queries=queries,
        held_out=held_out,
        warnings=warnings,
    )


def _folds(queries: int, folds: int, seed: int) -> Ints:
    """A fold for each query: random, of equal sizes up to one query."""
    fold = np.arange(queries) % folds
    return np.random.default_rng(whole_seed(seed)).permutation(fold)


def _value(name: str, column: Floats, measure: Measure) -> TunedValue:
    ends = mean_intervals({str(measure): column}, [measure], level=0.95, method="t", clusters=None, seed=0)[
        str(measure)
    ]
    return TunedValue(name, summarise(column, "mean"), *(ends or (float("nan"),) * 2))


def _single(measure: Any, profile: str, level: float | None) -> Measure:
    parsed = parse_measures([measure] if isinstance(measure, Measure) else measure, find_profile(profile), level)
    if len(parsed) != 1 or parsed[0].definition.summary != "mean" or parsed[0].definition.text:
        names = " ".join(map(str, parsed))
        problem = f"fusion is tuned by one measure with a mean over queries, got {names}"
        raise UsageError("measure", problem, hint="name one, such as nDCG@10", value=names)
    return parsed[0]
