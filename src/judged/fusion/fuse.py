"""Fuse several runs into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.core.policy import Duplicates, Order, Policy
from judged.core.tables import Run
from judged.errors import DataError, Hint, UsageError, Warned, Wording, shown
from judged.fusion.aligned import NORMALISATIONS, AlignedRuns, align
from judged.fusion.method import Fusion, FusionSettings, parse_method, training_of
from judged.judging.pool import open_runs
from judged.stats.checks import check_choice, check_number
from judged.steps import step
from judged.tables.table import counted

FusedTies = Literal["id-desc", "id-asc", "input"]
Weights = Mapping[str, float] | Sequence[float]


def prepare(
    runs: Any,
    method: str,
    norm: str | None,
    *,
    depth: int | None = None,
    ties: FusedTies = "id-desc",
    duplicates: Duplicates = "error",
    order: Order = "score",
) -> tuple[dict[str, Run], Fusion, dict[str, float], AlignedRuns]:
    """Return the runs by name, the method with its parameters, and the numbered, ranked and normalised rows of the runs."""
    found, values = parse_method(method)
    chosen = NORMALISATIONS.find(("min-max" if found.uses == "scores" else "none") if norm is None else norm)
    if found.uses == "ranks" and not (chosen.name == "none" or chosen.lower_is_better):
        problem = f"{found.name} uses ranks, which {chosen.name} does not change"
        raise UsageError("option", problem, hint=Hint("leave out {norm}", norm=norm), value=norm)
    check_choice(ties, FusedTies, "ties", slug="policy")
    policy = Policy(depth=depth, ties=ties, duplicates=duplicates, order=order)
    opened = open_runs(runs)
    if len(opened) < 2:
        raise UsageError("runs", f"two or more runs are needed, got {len(opened)}", hint="pass [run, run]")
    for run in opened.values():
        if not len(run):
            raise DataError("empty-run", "the run contains no rankings", hint="check the path", where=run.name)
    signs = {name: replace(run, score=-run.score) for name, run in opened.items()} if chosen.lower_is_better else opened
    with np.errstate(over="ignore", invalid="ignore"):  # a score that is not a number is an error of `fused_scores`
        return opened, found, values, chosen.apply(align(signs, policy))


def fused_scores(method: Fusion, aligned: AlignedRuns, settings: FusionSettings) -> Floats:
    """Return the fused score of each document.

    Raises:
        DataError: a score that is not a number, which infinite scores of the runs can cause.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        score = method.score(aligned, settings)
    wrong = np.flatnonzero(np.isnan(score))
    if len(wrong):
        doc, query = aligned.doc[int(wrong[0])], aligned.queries[int(aligned.query[wrong[0]])]
        problem = f"the fused score of document {shown(doc)} of query {shown(query)} is not a number: a run has infinite scores"
        raise DataError("score-inf", problem, hint="use a method of ranks, such as rrf", value=doc)
    return score


def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Weights | None = None,
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
    opened, found, values, aligned = prepare(
        runs, method, norm, depth=depth, ties=ties, duplicates=duplicates, order=order
    )
    settings = FusionSettings(values, check_weights(found, weights, tuple(opened)))
    if (qrels is not None) + (trained is not None) != (found.train is not None):
        problem = "learns nothing from judgments" if found.train is None else "needs judgments to learn from"
        hint = Hint("leave out {qrels}" if found.train is None else "name them with {qrels}", qrels=None)
        raise UsageError("option", f"{found.name} {problem}", hint=hint)
    with step("fusing"):
        if trained is not None:
            arrays = tuple(trained) if np.iterable(trained) else ()
            if len(arrays) != len(opened):
                problem = f"trained must have an array for each of {counted(len(opened), 'run')}"
                raise UsageError("option", problem, hint="pass FusionTuning.trained", value=trained)
            settings = replace(settings, trained=tuple(_numbers(known, "trained") for known in arrays))
        elif found.train is not None:
            settings = found.learn(training_of(aligned, qrels, check_number(level, "level", zero=True)), settings)
        fused = aligned.to_run(fused_scores(found, aligned, settings), name or found.name, ascending=ties == "id-asc")
    warnings = dict.fromkeys(warning for run in opened.values() for warning in run.warnings)
    if lacking := int((aligned.size == 0).any(axis=0).sum()):
        text = (
            f"{lacking} of {counted(len(aligned.queries), 'query')} not in every run, fused from the runs that have it"
        )
        warnings[Warned("queries-differ", lacking, text)] = None
    return replace(fused, warnings=tuple(warnings), files=tuple(file for run in opened.values() for file in run.files))


def _numbers(values: Any, what: Literal["trained", "weights"]) -> Floats:
    try:
        column = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        column = np.array(np.nan)
    if column.ndim != 1 or not np.isfinite(column).all():
        slug = "weights" if what == "weights" else "option"
        raise UsageError(slug, f"{what} must be lists of finite numbers, got {shown(values)}", value=values)
    return column


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
    column = _numbers(weights, "weights")
    if len(column) != len(names) or (column < 0).any() or not (column > 0).any():
        problem = f"a number ≥ 0 for each of {', '.join(map(shown, names))}, not all 0"
        raise UsageError("weights", problem, got=shown(weights), value=weights)
    return column
