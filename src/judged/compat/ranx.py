"""The names of ranx: `from judged.compat.ranx import Qrels, Run, evaluate, compare`.

Values are those of the profile `ranx`; nothing is compiled, and equal scores keep the order of the input in rankings of any length.
See `docs/migration/ranx.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judged.comparison.compare import compare as compare_values
from judged.compat._errors import as_type, left_out
from judged.compat._ranx import ByPair, RanxQrels, RanxReport, RanxRun, fuse, optimize_fusion, rows_of
from judged.errors import DataError, UsageError, shown
from judged.evaluation.evaluate import evaluate as evaluate_run
from judged.evaluation.values import Values

__all__ = ["Qrels", "Run", "compare", "evaluate", "fuse", "optimize_fusion"]
Qrels, Run = RanxQrels, RanxRun


def __getattr__(name: str) -> Any:
    modules = (
        "data_structures downloader fusion fusion_optimization io meta metrics normalization statistical_tests utils"
    )
    left_out(__name__, name, f"normalize plot ranxhub {modules}", "import it from ranx")


_TESTS = {"student": "t", "fisher": "permutation"}
_TableOf = RanxQrels | Mapping[str, Mapping[str, float]]


def evaluate(
    qrels: _TableOf,
    run: RanxRun | Mapping[str, Mapping[str, float]],
    metrics: list[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Evaluate a run: a number for one measure, {measure: number} for several.

    Args:
        qrels: judgments; or a list of arrays with (document, grade) in each row, one per query.
        run: a run, whose queries must be those of the judgments unless `make_comparable` is set.
        metrics: names such as `ndcg@10`, `map@100-l2` or `rbp.95`; those of `judged` are known too.
        return_mean: return means; otherwise arrays with one value per query, in the order of ids.
        return_std: return {"mean", "std"} instead of the mean.
        threads: has no effect; the native core uses all cores for large runs.
        save_results_in_run: keep the values in `run.scores`, `run.mean_scores` and `run.std_scores`.
        make_comparable: count judged queries that the run lacks as 0, and ignore queries without judgments.

    Raises:
        AssertionError: judgments and run have different queries.
        ValueError: an unknown measure.

    >>> evaluate({"q_1": {"d_1": 1}}, {"q_1": {"d_1": 0.1, "d_2": 0.9}}, "mrr")
    0.5
    """
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    values = _evaluate(qrels, run, names, make_comparable, std=return_std and return_mean, keep=save_results_in_run)
    columns = {name: values[name] for name in names}
    found: dict[str, Any] = dict(columns)
    if return_mean:
        found = {name: float(np.mean(column)) for name, column in columns.items()}
    if return_mean and return_std:
        found = {name: {"mean": mean, "std": float(np.std(columns[name]))} for name, mean in found.items()}
    return found[names[0]] if len(names) == 1 else found


def _evaluate(
    qrels: Any, run: Any, names: Sequence[str], comparable: bool, *, std: bool = False, keep: bool = True
) -> Values:
    """Evaluate a run, and keep the values in it."""
    if comparable and isinstance(qrels, RanxQrels) and isinstance(run, RanxRun):
        run.make_comparable(qrels)
    judged, ranked = rows_of(qrels), rows_of(run)
    if judged.keys() != ranked.keys():
        lost = len(judged.keys() ^ ranked.keys())
        problem = f"judgments and run have different queries: {lost} {'is' if lost == 1 else 'are'} in one of them only"
        raise as_type(DataError("query-missing", problem, hint="pass make_comparable=True"), AssertionError)
    values = evaluate_run(judged, ranked, tuple(names), profile="ranx", keep_names=True)
    for name in names if keep and isinstance(run, RanxRun) else ():
        column = values[name]
        run.mean_scores[name] = float(np.mean(column))
        run.scores[name].update(zip(values.queries, column.tolist(), strict=True))
        if std:
            run.std_scores[name] = float(np.std(column))
    return values


def compare(
    qrels: RanxQrels,
    runs: Sequence[RanxRun],
    metrics: list[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> RanxReport:
    """Evaluate several runs, and test the differences of all pairs, without a correction.

    Args:
        qrels: judgments.
        runs: runs; those without a name are called run_1, run_2 ….
        metrics: as in `evaluate`.
        stat_test: `student`, `fisher` (the permutation test, whose p is never 0), or `tukey`.
        n_permutations: number of resamples of `fisher`.
        max_p: significance level.
        random_seed: random seed of `fisher`.
        threads: has no effect.
        rounding_digits: decimals of the table.
        show_percentages: print means as percentages.
        make_comparable: as in `evaluate`.

    Raises:
        NotImplementedError: an unknown test.
    """
    if stat_test not in (*_TESTS, "tukey"):
        error = UsageError(
            "unknown-name", f"unknown test {shown(stat_test)}", hint="choose student, fisher or tukey", value=stat_test
        )
        raise as_type(error, NotImplementedError)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    labels = [run.name if run.name is not None else f"run_{i + 1}" for i, run in enumerate(runs)]
    values = {label: _evaluate(qrels, run, names, make_comparable) for label, run in zip(labels, runs, strict=True)}
    comparisons, records = _differences(values, names, stat_test, n_permutations, max_p, random_seed)
    results = {label: {name: float(np.mean(found[name])) for name in names} for label, found in values.items()}
    return RanxReport(labels, results, comparisons, names, max_p, records, rounding_digits, show_percentages, stat_test)


def _differences(
    values: dict[str, Values], names: list[str], test: str, resamples: int, level: float, seed: int
) -> tuple[ByPair, dict[tuple[str, str], dict[str, dict[str, int]]]]:
    """p-values of all pairs, and the queries that each run won, tied and lost."""
    comparisons, records = ByPair(), dict[tuple[str, str], dict[str, dict[str, int]]]()
    if len(values) < 2:
        return comparisons, records
    options: dict[str, Any] = {"resamples": resamples, "seed": seed} if test == "fisher" else {}
    compared = compare_values(values, test=_TESTS.get(test, "t"), correction="none", **options)
    joint: dict[str, Any] = {}
    if test == "tukey":
        from scipy.stats import tukey_hsd  # slow to import

        joint = {name: tukey_hsd(*compared.matrix(name).T).pvalue for name in names}
    for i, a in enumerate(compared.names):
        for j, b in enumerate(compared.names[i + 1 :], i + 1):
            rows = {name: compared.of(name, a, b) for name in names}
            p = {name: float(joint[name][i, j]) if joint else row.p for name, row in rows.items()}
            comparisons[frozenset((a, b))] = {n: {"p_value": p[n], "significant": p[n] <= level} for n in names}
            records[a, b] = {n: {"W": row.losses, "T": row.ties, "L": row.wins} for n, row in rows.items()}
            records[b, a] = {n: {"W": row.wins, "T": row.ties, "L": row.losses} for n, row in rows.items()}
    return comparisons, records
