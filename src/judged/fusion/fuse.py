"""Fuse several runs into one; tune a fusion method on judged queries, and estimate its value on others by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from judged._types import Bools, Floats
from judged.core.policy import Duplicates, Order, Policy, PolicyOptions
from judged.core.reference import raise_empty_run
from judged.core.resample import whole_seed
from judged.core.tables import Id, Run
from judged.errors import Hint, UsageError, Warned, Wording, shown
from judged.evaluation.evaluate import evaluate, parse_measures
from judged.evaluation.options import check_options
from judged.fusion.method import NORMALISATIONS, AlignedRuns, Fusion, FusionSettings, align, parse_method, training_of
from judged.io.read import read_qrels
from judged.judging.pool import open_runs
from judged.measures.registry import Measure, parse_averaged
from judged.stats.checks import check_choice, check_count, check_number
from judged.stats.intervals import interval, summarise
from judged.steps import step as named_step
from judged.tables.result import RecordTable, Result
from judged.tables.table import Table, counted, number

FusedTies = Literal["id-desc", "id-asc", "input"]
Weights = Mapping[str, float] | Sequence[float]


def prepare(
    runs: Any, method: str, norm: str | None, *, ties: FusedTies = "id-desc", **policy: Any
) -> tuple[FusionSettings, AlignedRuns]:
    """Return the method with its parameters, and the numbered, ranked and normalised rows of the runs."""
    settings = parse_method(method)
    found = settings.method
    chosen = NORMALISATIONS.find(("min-max" if found.uses == "scores" else "none") if norm is None else norm)
    if found.uses == "ranks" and not (chosen.name == "none" or chosen.lower_is_better):
        problem = f"{found.name} uses ranks, which {chosen.name} does not change"
        raise UsageError("option", problem, hint=Hint("leave out {norm}", norm=norm), value=norm)
    check_choice(ties, FusedTies, "ties", slug="policy")
    ranking, opened = Policy(ties=ties, **policy), open_runs(runs)
    if len(opened) < 2:
        raise UsageError("runs", f"two or more runs are needed, got {len(opened)}", hint="pass [run, run]")
    for run in opened.values():
        if not len(run.query):
            raise_empty_run(run.name)
    if chosen.lower_is_better:
        opened = {name: replace(run, score=-run.score) for name, run in opened.items()}
    with np.errstate(over="ignore", invalid="ignore"):  # `FusionSettings.fuse` raises if a score is not a number
        return settings, chosen.apply(align(opened, ranking))


def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Weights | None = None,
    qrels: Any = None,
    level: float = 1.0,
    depth: int | None = None,
    ties: FusedTies = "id-desc",
    duplicates: Duplicates = "error",
    order: Order = "score",
    name: str | None = None,
) -> Run:
    """Fuse several runs into one run, ordered by fused score.

    The result has the queries of all runs, and for each query the documents of all runs. A run that lacks a query contributes nothing to
    it; the warning `queries-differ` of the result counts such queries. Equal fused scores are ordered by document id.

    Args:
        runs: a list of runs or {name: run}; each in any format that `read_run` takes.
        method: fusion method with its parameters, such as rrf(k=10); see `docs/guides/fusion.md`.
        norm: normalisation of the scores. One of min-max, max, sum, zmuv, rank, borda, min-max-inverted
            or none. [default: min-max; methods that use ranks need none]
        weights: weights of the runs, for methods that use them: {name: weight}, or a list in the order of the runs.
        qrels: judgments that a trained method, such as posfuse, learns from. Fuse other queries than these, because values on the same queries
            are too high, see `tune_fusion`.
        level: lowest relevant grade, for trained methods.
        depth: number of documents per ranking to fuse; None for all.
        ties: order of documents with equal scores, in the runs and in the result, where `input` is `id-desc`.
        duplicates: what to do with duplicate documents in a ranking, see `Policy`.
        order: what rankings are ordered by, see `Policy`.
        name: of the result. [default: the name of the method]

    Raises:
        UsageError: an unknown method or normalisation, an option that the method does not have, fewer than two runs.
        DataError: a duplicate document, or an empty run.

    >>> fused = fuse([{"q1": {"a": 9.0, "b": 8.0}}, {"q1": {"b": 0.7, "c": 0.2}}])
    >>> [doc for doc in fused["q1"]]
    ['b', 'a', 'c']
    >>> fuse([{"q1": {"a": 9.0, "b": 8.0}}, {"q1": {"b": 0.7, "c": 0.2}}], "wsum", weights=[0.25, 0.75])["q1"]
    {'b': 0.75, 'a': 0.25, 'c': 0.0}
    """
    settings, aligned = prepare(runs, method, norm, depth=depth, ties=ties, duplicates=duplicates, order=order)
    found = settings.method
    settings = replace(settings, weights=check_weights(found, weights, tuple(aligned.runs)))
    if (qrels is None) != (found.train is None):
        problem = "learns nothing from judgments" if found.train is None else "needs judgments to learn from"
        hint = Hint("leave out {qrels}" if found.train is None else "name them with {qrels}", qrels=None)
        raise UsageError("option", f"{found.name} {problem}", hint=hint)
    with named_step("fusing"):
        if qrels is not None:
            settings = settings.learn(training_of(aligned, qrels, check_number(level, "level", zero=True)))
        return settings.fuse(aligned, name)


def check_weights(method: Fusion, weights: Weights | None, names: tuple[str, ...]) -> Floats | None:
    """Return a weight per run, in their order.

    Raises:
        UsageError: `weights`: missing or superfluous weights, or one that is not a number ≥ 0.
    """
    if weights is None:
        if method.weights == "needed":
            example = Wording(
                f"weights={dict.fromkeys(names, 1)}", "--weights " + ",".join(f"{name}=1" for name in names)
            )
            hint = Hint("pass {weights}, or tune them with jd.tune_fusion", weights=example)
            raise UsageError("weights", f"{method.name} needs a weight for each run", hint=hint)
        return None
    if method.weights == "none":
        raise UsageError("weights", f"{method.name} takes no weights", hint="use wsum, or another weighted method")
    if isinstance(weights, Mapping) and set(weights) == set(names):
        weights = [weights[name] for name in names]
    try:
        column = np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        column = np.empty(0)
    if column.shape != (len(names),) or not (np.isfinite(column) & (column >= 0)).all() or not column.any():
        problem = f"a number ≥ 0 for each of {', '.join(map(shown, names))}, not all 0"
        raise UsageError("weights", problem, got=shown(weights), value=weights)
    return column


# ── tuning ───────────────────────────────────────────────────────────────────────────────────────


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

    options: dict[str, Any]  # of `fuse`
    names: tuple[str, ...]  # of the runs
    run: Run  # fused with the setting that was chosen on all queries; its value on these queries is too high
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
    def optimistic(self) -> float:
        """The value on the queries for which the setting was chosen."""
        return self.values[1].value

    @property
    def method(self) -> str:
        """The method with the parameters that were chosen on all queries, as `fuse` takes it."""
        return self.settings.call

    @property
    def weights(self) -> dict[str, float] | None:
        """The weights that were chosen on all queries; None if the method has none."""
        weights = self.settings.weights
        return None if weights is None else dict(zip(self.names, weights.tolist(), strict=True))

    def fuse(self, runs: Any, *, name: str | None = None) -> Run:
        """Fuse other runs of the same systems, such as for new queries; in the same order, or with the same names."""
        if isinstance(runs, Mapping) and set(runs) == set(self.names):
            runs = {system: runs[system] for system in self.names}
        if len(runs) != len(self.names):
            raise UsageError("runs", f"the fusion was tuned for {counted(len(self.names), 'run')}, got {len(runs)}")
        with named_step("fusing"):
            return self.settings.fuse(prepare(runs, self.method, **self.options)[1], name)

    def headline(self) -> tuple[str, ...]:
        """Sentences: the value to expect, and the best single run."""
        honest, same, *singles = self.values
        best = (min if self.measure.definition.lower_is_better else max)(singles, key=lambda single: single.value)
        with_weights = f" with {self._setting(self.settings)}" if self.weights else ""
        interval = f"(95% interval {number(honest.low)} to {number(honest.high)})"
        optimistic = ", which is optimistic" if number(same.value) != number(honest.value) else ""
        return (
            f"{self.method}{with_weights}: {self.measure} {number(honest.value)} on queries it was not tuned on {interval}.",
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
            "trained": self.settings.trained or None,
            "values": self.records(),
            "folds": self._fold_records(),
            "warnings": [w.to_dict() for w in self.warnings],
        }

    def _fold_records(self) -> list[dict[str, Any]]:
        return [{**fold._asdict(), "settings": self._setting(fold.settings)} for fold in self.folds]

    def _setting(self, settings: FusionSettings) -> str:
        """A setting in words: the weights, or the method with its parameters."""
        if settings.weights is None:
            return settings.call
        return ", ".join(f"{name} {weight:g}" for name, weight in zip(self.names, settings.weights, strict=True))


_MOST = 5_000


def trials_of(settings: FusionSettings, runs: int, step: float) -> list[FusionSettings]:
    """Return the settings to try, those nearest to the given ones first, so that the first of equally good ones is the least unusual.

    Weights are multiples of `step` with sum 1. A method with a parameter and optional weights is tuned by its parameter.

    Raises:
        UsageError: `parameter`: nothing to tune, or too many trials.
    """
    method = settings.method
    if method.weights == "needed":
        parts = round(1 / max(check_number(step, "step"), 1e-9))
        if abs(parts * step - 1) > 1e-9:
            raise UsageError("parameter", f"step must be 1 divided by an integer, got {shown(step)}", value=step)
        places = parts + runs - 1
        trials = comb(places, parts)
        if trials > _MOST:
            problem = f"weights of {runs} runs in steps of {step:g} are {trials:,} trials, more than {_MOST:,}"
            raise UsageError("parameter", problem, hint=Hint("use larger steps: {step}", step=0.25), value=step)
        ends = [(-1, *cuts, places) for cuts in combinations(range(places), runs - 1)]
        weights = (np.diff(ends, axis=1) - 1) / parts
        even = np.argsort(np.round(np.square(weights).sum(axis=1), 12), kind="stable")
        return [replace(settings, weights=trial) for trial in weights[even]]
    if not (method.parameters or method.train):
        problem = f"{method.name} has no weights, parameters or training to tune"
        raise UsageError("parameter", problem, hint="fuse with it as it is, or tune wsum", value=method.name)
    values = [settings.values]
    for p in method.parameters:
        tried = sorted({settings[p.name], *p.trials}, key=lambda value: (abs(value - settings[p.name]), value))
        values = [{**trial, p.name: value} for trial in values for value in tried]
    return [replace(settings, values=trial) for trial in values]


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

    The queries are split at random into folds. For each fold, the method is tuned on the queries of the other folds and measured on
    its own queries. The mean of these values is the cross-validated value. On the queries for which it was chosen, the best setting has too
    high a value; this is shown as well. The result fuses with the setting that is best on all queries.

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
    of_runs = ("depth", "duplicates", "order")
    own: dict[str, Any] = {name: value for name, value in policy.items() if name in (*of_runs, "ties")}
    ranked: dict[str, Any] = {name: value for name, value in policy.items() if name not in of_runs}
    given, aligned = prepare(runs, method, norm, **own)
    [chosen], judgments = parse_measures(parse_averaged(measure), profile, level), read_qrels(qrels)
    trials = trials_of(given, len(aligned.runs), step)

    def columns_of(settings: list[FusionSettings]) -> tuple[tuple[Id, ...], Floats]:
        """The queries, and their values with each of the settings."""
        columns = []
        for setting in settings:
            values = evaluate(judgments, setting.fuse(aligned), chosen, level=level, profile=profile, **ranked)
            columns.append(values[str(chosen)])
        return values.queries, np.stack(columns)

    def best_of(columns: Floats, queries: Bools) -> int:
        """The trial with the best mean over some queries; the first of equal ones."""
        means = np.array([summarise(column[queries], "mean") for column in columns])
        means = np.where(np.isnan(means), -np.inf, -means if chosen.definition.lower_is_better else means)
        return int(np.argmax(means >= means.max() - 1e-12))

    with named_step("tuning"):
        training = training_of(aligned, judgments, 1.0 if level is None else level) if given.method.train else None
        on_all = [trial.learn(training) for trial in trials]
        queries, columns = columns_of(on_all)
        if not 2 <= check_count(folds, "folds") <= len(queries):
            problem = f"folds must be from 2 to the number of judged queries, {len(queries)}, got {folds}"
            raise UsageError("parameter", problem, value=folds)
        fold = np.random.default_rng(whole_seed(seed)).permutation(np.arange(len(queries)) % folds)
        held_out, tuned = np.empty(len(queries)), []
        for k in range(folds):
            rest, settings, others = fold != k, on_all, columns
            if training is not None:  # learn again, from the queries of the other folds
                known = {query for query, kept in zip(queries, rest, strict=True) if kept}
                part = training._replace(learn=training.learn & [query in known for query in training.queries])
                settings = [trial.learn(part) for trial in trials]
                others = columns_of(settings)[1]
            at = best_of(others, rest)
            held_out[~rest] = others[at][~rest]
            tuned_on, value = (summarise(others[at][where], "mean") for where in (rest, ~rest))
            tuned.append(Fold(int((~rest).sum()), settings[at], tuned_on, value))
        best = best_of(columns, fold >= 0)
        values = [
            _value("cross-validated", held_out, chosen),
            _value("tuned on the same queries", columns[best], chosen),
        ]
        warnings: dict[Warned, None] = {}
        for name, run in aligned.runs.items():
            single = evaluate(judgments, run, chosen, level=level, profile=profile, **policy)
            values.append(_value(name, single[str(chosen)], chosen))
            warnings |= dict.fromkeys(single.warnings)
    return FusionTuning(
        options={"norm": norm, **own},
        names=tuple(aligned.runs),
        run=on_all[best].fuse(aligned),
        measure=chosen,
        settings=on_all[best],
        trials=len(trials),
        values=tuple(values),
        folds=tuple(tuned),
        queries=queries,
        held_out=held_out,
        warnings=tuple(warnings),
    )


def _value(name: str, column: Floats, measure: Measure) -> TunedValue:
    [ends] = interval([column], limits=[measure.definition.limits])
    return TunedValue(name, summarise(column, "mean"), *(ends or (float("nan"), float("nan"))))
