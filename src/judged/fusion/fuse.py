"""Fuse several runs into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.core.policy import Duplicates, Order, Policy
from judged.core.tables import Run
from judged.errors import DataError, Hint, UsageError, Warned, Wording, shown
from judged.fusion.aligned import AlignedRuns, Normalisation, align, find_normalisation
from judged.fusion.method import Fusion, FusionSettings, parse_method, training_of
from judged.judging.pool import open_runs
from judged.stats.checks import check_choice, check_number
from judged.steps import step
from judged.tables.text import counted

Missing = Literal["skip", "lowest"]
FusedTies = Literal["id-desc", "id-asc", "input"]
Weights = Mapping[str, float] | Sequence[float]


@dataclass(frozen=True, slots=True)
class FusionRequest:
    """A method with everything that does not depend on the runs."""

    method: Fusion
    values: dict[str, float]
    norm: Normalisation
    missing: Missing
    policy: Policy

    @classmethod
    def of(
        cls,
        method: Any,
        norm: str | None,
        missing: Missing,
        *,
        depth: int | None = None,
        ties: FusedTies = "id-desc",
        duplicates: Duplicates = "error",
        order: Order = "score",
    ) -> FusionRequest:
        """Check the options of a fusion."""
        found, values = parse_method(method)
        default = "min-max" if found.uses == "scores" else "none"
        chosen = find_normalisation(default if norm is None else norm)
        if found.uses == "ranks" and not (chosen.name == "none" or chosen.lower_is_better):
            problem = f"{found.name} uses ranks, which {chosen.name} does not change"
            raise UsageError("option", problem, hint=Hint("leave out {norm}", norm=norm), value=norm)
        check_choice(missing, Missing, "missing", slug="option")
        if missing != "skip" and not found.fillable:
            problem = f"{found.name} has its own rule for documents that a run lacks: {found.missing}"
            raise UsageError("option", problem, hint=Hint("leave out {missing}", missing=missing), value=missing)
        check_choice(ties, FusedTies, "ties", slug="policy")
        return cls(found, values, chosen, missing, Policy(depth=depth, ties=ties, duplicates=duplicates, order=order))

    def align(self, runs: Mapping[str, Run]) -> AlignedRuns:
        """Number, rank and normalise the rows of the runs."""
        for run in runs.values():
            if not len(run):
                raise DataError("empty-run", "the run contains no rankings", hint="check the path", where=run.name)
        if self.norm.lower_is_better:
            runs = {name: replace(run, score=-run.score) for name, run in runs.items()}
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is not a number is an error below
            aligned = self.norm.apply(align(runs, self.policy))
        return aligned.with_missing() if self.missing == "lowest" else aligned

    def score(self, aligned: AlignedRuns, settings: FusionSettings) -> Floats:
        """Return the fused score of each document.

        Raises:
            DataError: a score that is not a number, which infinite scores of the runs can cause.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            score = self.method.score(aligned, settings)
        wrong = np.flatnonzero(np.isnan(score))
        if len(wrong):
            doc, query = aligned.doc[int(wrong[0])], aligned.queries[int(aligned.query[wrong[0]])]
            problem = f"the fused score of document {shown(doc)} of query {shown(query)} is not a number: a run has infinite scores"
            raise DataError("score-inf", problem, hint="use a method of ranks, such as rrf", value=doc)
        return score

    def fuse(
        self, runs: Mapping[str, Run], aligned: AlignedRuns, settings: FusionSettings, name: str | None = None
    ) -> Run:
        """Return the fused run; its warnings are those of the runs, and one that counts the queries that some run lacks."""
        score = self.score(aligned, settings)
        fused = aligned.to_run(score, name or self.method.name, ascending=self.policy.ties == "id-asc")
        warnings = dict.fromkeys(warning for run in runs.values() for warning in run.warnings)
        lacking = int((aligned.size == 0).any(axis=0).sum())
        if lacking:
            one = lacking == 1
            verb, them = ("is", "it") if one else ("are", "them")
            text = f"{lacking} of {counted(len(aligned.queries), 'query')} {verb} not in every run, and {verb} fused from the runs that have {them}"
            warnings[Warned("queries-differ", lacking, text)] = None
        files = tuple(file for run in runs.values() for file in run.files)
        return replace(fused, warnings=tuple(warnings), files=files)


def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Weights | None = None,
    missing: Missing = "skip",
    qrels: Any = None,
    level: float = 1.0,
    trained: Sequence[Floats] | None = None,
    depth: int | None = None,
    ties: FusedTies = "id-desc",
    duplicates: Duplicates = "error",
    order: Order = "score",
    name: str | None = None,
) -> Run:
    """Fuse several runs into one run, in which documents are in the order of their fused scores.

    The result has the queries of all runs, and for each query the documents of all runs. A run that lacks a query contributes nothing to
    it; the warning `queries-differ` of the result counts such queries. Equal fused scores are ordered by document id.

    Args:
        runs: a list of runs or {name: run}; each in any format that `read_run` takes.
        method: a method with its parameters, such as `"rrf"`, `"rrf(k=10)"` or `"mnz"`; see `docs/guides/fusion.md`.
        norm: normalisation of the scores: min-max, max, sum, zmuv, rank, borda, min-max-inverted or none.
            [default: min-max; methods that use ranks need none]
        weights: of the runs, for the methods that have them: {name: weight}, or a list in the order of the runs.
        missing: score of a document that a run lacks: skip it by the rule of the method, or its lowest score of the query.
        qrels: judgments that a trained method, such as posfuse, learns from. Fuse other queries than these: a value of the same queries is too
            high, see `tune_fusion`.
        level: lowest relevant grade, for trained methods.
        trained: an array per run, as `FusionTuning.trained` has it, in place of judgments.
        depth: number of documents per ranking that are fused; None for all.
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
    request = FusionRequest.of(method, norm, missing, depth=depth, ties=ties, duplicates=duplicates, order=order)
    opened = open_fused(runs)
    settings = FusionSettings(request.values, check_weights(request.method, weights, tuple(opened)))
    train = request.method.train
    if (qrels is not None) + (trained is not None) != (train is not None):
        problem = "learns nothing from judgments" if train is None else "needs judgments to learn from"
        hint = Hint("leave out {qrels}" if train is None else "name them with {qrels}", qrels=None)
        raise UsageError("option", f"{request.method.name} {problem}", hint=hint)
    with step("fusing"):
        aligned = request.align(opened)
        if train is not None and trained is None:
            trained = train(training_of(aligned, qrels, check_number(level, "level", zero=True)), settings)
        learnt = () if trained is None else _arrays(trained, len(opened))
        settings = replace(settings, trained=learnt)
        return request.fuse(opened, aligned, settings, name)


def open_fused(runs: Any) -> dict[str, Run]:
    """Read runs, by name.

    Raises:
        UsageError: fewer than two.
    """
    opened = open_runs(runs)
    if len(opened) < 2:
        raise UsageError("runs", f"two or more runs are needed, got {len(opened)}", hint="pass [run, run]")
    return opened


def _arrays(trained: Any, runs: int) -> tuple[Floats, ...]:
    """Return an array of numbers per run."""
    try:
        arrays = tuple(np.atleast_1d(np.asarray(known, float)) for known in trained)
    except (TypeError, ValueError, OverflowError):
        arrays = ()
    if len(arrays) != runs or not all(known.ndim == 1 and np.isfinite(known).all() for known in arrays):
        problem = f"trained must have an array of numbers for each of {counted(runs, 'run')}, got {shown(trained)}"
        raise UsageError("option", problem, hint="pass FusionTuning.trained", value=trained)
    return arrays


def check_weights(method: Fusion, weights: Weights | None, names: tuple[str, ...]) -> Floats | None:
    """Return a weight per run, in their order.

    Raises:
        UsageError: `weights`: missing or superfluous weights, or one that is not a number ≥ 0.
    """
    if weights is None:
        if method.weights == "needed":
            one, all_ = dict.fromkeys(names, 1), ",".join(f"{name}=1" for name in names)
            hint = Hint(
                "pass {weights}, or tune them with {tune}",
                weights=Wording(f"weights={one}", f"--weights {all_}"),
                tune=Wording("jd.tune_fusion", "--tune"),
            )
            raise UsageError("weights", f"{method.name} needs a weight for each run", hint=hint)
        return None
    if method.weights == "none":
        raise UsageError("weights", f"{method.name} takes no weights", hint="use wsum, or another weighted method")
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            problem = f"weights are for {', '.join(map(shown, weights))}; the runs are {', '.join(map(shown, names))}"
            raise UsageError("weights", problem, hint="give each run a weight", value=weights)
        weights = [weights[name] for name in names]
    if isinstance(weights, str) or not hasattr(weights, "__len__") or len(weights) != len(names):
        problem = f"{counted(len(names), 'weight')}, one per run"
        raise UsageError("weights", problem, got=shown(weights), value=weights)
    try:
        column = np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        column = np.array([np.nan])
    if column.ndim != 1 or not np.isfinite(column).all() or (column < 0).any() or not (column > 0).any():
        problem = f"weights must be numbers ≥ 0, and one of them above 0, got {shown(list(weights))}"
        raise UsageError("weights", problem, value=weights)
    return column
