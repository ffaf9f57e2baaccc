"""The fusion of ranx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judged.compat._errors import as_type
from judged.compat._ranx_tables import RanxQrels, RanxRun
from judged.errors import DataError, UsageError
from judged.evaluation.options import check_options
from judged.fusion.fuse import fuse as fuse_runs
from judged.fusion.method import FUSIONS, FusionSettings
from judged.fusion.tune import tune_fusion

_LEARNT = {"bayesfuse": "log_odds", "mapfuse": "map_scores"}  # other trained methods have `probs`
_KEEPS_RANKS = ("none", "min-max", "max", "sum", "zmuv", "rank")


def fuse(
    runs: Sequence[RanxRun],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, Any] | None = None,
) -> RanxRun:
    """Fuse runs with the same queries.

    Args:
        runs: two or more runs.
        norm: normalisation of the scores, or None; methods that use ranks need none.
        method: a method of ranx, such as `rrf` or `wsum`.
        params: its parameters: `weights`, `k`, `phi`, `gamma`, `sigma`, `w`, and what `optimize_fusion` learnt.

    Raises:
        AssertionError: fewer than two runs, or runs with different queries.

    >>> runs = RanxRun({"q": {"a": 2.0, "b": 1.0}}), RanxRun({"q": {"b": 9.0, "c": 3.0}})
    >>> fuse(runs, method="wsum", params={"weights": (0.25, 0.75)})
    {'q': {'b': 0.75, 'a': 0.25, 'c': 0.0}}
    """
    _check_runs(runs)
    given = dict(params or {})
    weights, learnt = given.pop("weights", None), given.pop(_learnt(method), None)
    if method == "probfuse" and learnt is not None:
        given["segments"] = len(learnt[0])
    call = f"{method}({', '.join(f'{name}={value!r}' for name, value in given.items())})" if given else method
    fused = fuse_runs(
        [run.rows for run in runs],
        call,
        norm=_norm(method, norm),
        weights=weights,
        trained=None if learnt is None else list(learnt),
        ties="input",
    )
    return RanxRun(fused.to_dict(), fused.name)  # type: ignore[arg-type]  # ids of ranx are text


def optimize_fusion(
    qrels: RanxQrels,
    runs: Sequence[RanxRun],
    norm: str | None = "min-max",
    method: str = "wsum",
    metric: str = "ndcg",
    return_optimization_report: bool = False,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    *,
    show_progress: bool = False,
    **options: Any,
) -> Any:
    """Choose the parameters of a method that are best on these queries, or train it: what `fuse` takes as `params`.

    Args:
        qrels: judgments.
        runs: two or more runs with the queries of the judgments.
        norm: as in `fuse`.
        method: a method with weights, a parameter or training.
        metric: the measure to maximise.
        return_optimization_report: also return the result of `jd.tune_fusion`, which has the cross-validated value.
        rounding_digits: has no effect.
        show_percentages: has no effect.
        show_progress: has no effect.
        options: `step`, the distance between the weights that are tried. [default: 0.1]

    Raises:
        AssertionError: runs with different queries.

    >>> qrels = RanxQrels({"p": {"a": 1}, "q": {"b": 1}})
    >>> good, bad = RanxRun({"p": {"a": 2, "b": 1}, "q": {"a": 1, "b": 2}}), RanxRun({"p": {"b": 2, "a": 1}, "q": {"a": 2, "b": 1}})
    >>> optimize_fusion(qrels, [good, bad], metric="mrr")
    {'weights': (0.6, 0.4)}
    """
    check_options(options, ("step",))
    _check_runs([*runs, qrels])
    tuned = tune_fusion(
        qrels.rows,
        [run.rows for run in runs],
        method,
        metric,
        norm=_norm(method, norm),
        folds=2,
        profile="ranx",
        ties="input",
        **options,
    )
    best = _params(method, tuned.settings)
    return (best, tuned) if return_optimization_report else best


def _params(method: str, settings: FusionSettings) -> dict[str, Any]:
    """Settings in the words of ranx."""
    best: dict[str, Any] = {name: value for name, value in settings.values.items() if name != "segments"}
    if settings.weights is not None:
        best["weights"] = tuple(settings.weights.tolist())
    if settings.trained:
        best[_learnt(method)] = list(settings.trained)
    return best


def _learnt(method: str) -> str:
    return _LEARNT.get(method, "probs")


def _norm(method: str, norm: str | None) -> str | None:
    """The normalisation, unless the method uses ranks, which it does not change; `fuse` refuses others for such a method."""
    name = "none" if norm is None else norm.replace("_", "-")
    return None if FUSIONS.find(method).uses == "ranks" and name in _KEEPS_RANKS else name


def _check_runs(tables: Sequence[RanxRun | RanxQrels]) -> None:
    if len(tables) < 2:
        raise as_type(UsageError("runs", f"two or more runs are needed, got {len(tables)}"), AssertionError)
    if any(table.rows.keys() != tables[0].rows.keys() for table in tables):
        error = DataError(
            "query-missing", "judgments and runs have different queries", hint="use make_comparable of each run"
        )
        raise as_type(error, AssertionError)
