"""Tune a fusion method on judged queries, and estimate its value on others by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from judged._types import Bools, Floats, Ints
from judged.core.policy import PolicyOptions
from judged.core.resample import whole_seed
from judged.core.tables import Qrels, Run, decoded
from judged.errors import UsageError, Warned
from judged.evaluation.evaluate import evaluate, parse_measures
from judged.evaluation.options import check_options
from judged.evaluation.values import Values, mean_intervals
from judged.fusion.aligned import AlignedRuns
from judged.fusion.fuse import FusionRequest, Missing, open_fused
from judged.fusion.registry import FusionSettings, Training
from judged.fusion.training import training_of
from judged.fusion.trials import trials_of
from judged.fusion.tuning_result import Fold, FusionTuning, TunedValue
from judged.io.read import read_qrels
from judged.measures.profiles import profile as find_profile
from judged.measures.registry import Measure
from judged.stats.checks import check_count
from judged.stats.summary import summarise
from judged.steps import step as named_step


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
        raise UsageError("fusion-folds", problem, hint="use fewer folds" if folds > 2 else None, value=folds)
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
        raise UsageError("fusion-measure", problem, hint="name one, such as nDCG@10", value=names)
    return parsed[0]
