"""Judgments, runs, reports and fusion as ranx has them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from string import ascii_lowercase
from typing import Any, ClassVar, Self

import numpy as np

from judged.compat._errors import Partial, as_type, left_out, whole
from judged.core.tables import Qrels, Run
from judged.errors import DataError, UsageError, shown
from judged.evaluation.options import check_options
from judged.fusion.fuse import fuse as fuse_runs
from judged.fusion.fuse import prepare, tune_fusion
from judged.fusion.method import FUSIONS, FusionSettings
from judged.io.read import read_qrels, read_run
from judged.io.write import write_qrels, write_run
from judged.tables.result import Result
from judged.tables.table import Table, number

Rows = dict[str, dict[str, float]]
_FORMATS = {"json": "json", "trec": "trec", "txt": "trec", "gz": "trec", "parquet": "parquet", "parq": "parquet"}


class RanxTable(Partial):
    """The common base of judgments and runs of ranx.

    Queries are in the order of their ids, documents from the highest number down, equal ones in the order of the input.
    """

    _lacks = "to_typed_list"
    _instead = "use to_dict"
    _number: ClassVar[type] = float
    _read: ClassVar[Callable[..., Qrels | Run]] = staticmethod(read_run)
    _score_role: ClassVar[str] = "score_col"

    def __init__(self, rows: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        self._rows: Rows = {query: dict(row) for query, row in (rows or {}).items()}
        self.sorted = False
        self.name = name

    # ── growing ──────────────────────────────────────────────────────────────────────────────────

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Add a document to a query, or change its number."""
        self._rows.setdefault(q_id, {})[doc_id] = self._number(score)
        self.sorted = False

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[float]) -> None:
        """Add a query with its documents."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self, q_ids: Iterable[str], doc_ids: Iterable[Iterable[str]], scores: Iterable[Iterable[float]]
    ) -> None:
        """Add several queries with their documents."""
        for query, docs, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self._rows[query] = dict(zip(docs, map(self._number, numbers), strict=True))
        self.sorted = False

    # ── reading ──────────────────────────────────────────────────────────────────────────────────

    @property
    def rows(self) -> Rows:
        """The rows, not necessarily sorted: what an evaluation needs."""
        return self._rows

    def sort(self) -> None:
        """Put queries and documents in order."""
        self._rows = {
            query: dict(sorted(self._rows[query].items(), key=itemgetter(1), reverse=True))
            for query in sorted(self._rows)
        }
        self.sorted = True

    def _in_order(self) -> Rows:
        if not self.sorted:
            self.sort()
        return self._rows

    def keys(self) -> KeysView[str]:
        """The query ids."""
        return self._in_order().keys()

    def get_query_ids(self) -> list[str]:
        """The query ids."""
        return list(self.keys())

    def get_doc_ids_and_scores(self) -> list[dict[str, float]]:
        """{document: number} of each query."""
        return list(self._in_order().values())

    def to_dict(self) -> Rows:
        """{query: {document: number}}."""
        return defaultdict(dict, {query: dict(row) for query, row in self._in_order().items()})

    def to_dataframe(self) -> Any:
        """A pandas frame with the columns q_id, doc_id and score."""
        import pandas as pd

        rows = [(query, doc, number) for query, row in self._in_order().items() for doc, number in row.items()]
        return pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])

    def __len__(self) -> int:
        return len(self._rows)

    size = property(__len__, doc="Number of queries.")

    def __getitem__(self, q_id: str) -> dict[str, float]:
        return dict(self._in_order()[q_id])

    def __repr__(self) -> str:
        return repr(self._in_order())

    # ── files and frames ─────────────────────────────────────────────────────────────────────────

    def _save(self, path: str, kind: str | None, write: Any, table: Any) -> None:
        if _format(path, kind) == "parquet":
            self.to_dataframe().to_parquet(path, index=False)
        else:
            write(table, path, format=_format(path, kind))

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Self:
        """The table of a mapping."""
        return cls(d, name)

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """Read a file; the content determines its format. The name of a run is the tag of a TREC file, unless it is given."""
        _format(path, kind)
        table = cls._read(path)
        return cls._of(table, name or getattr(table, "tag", "") or None)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """The table of a frame."""
        return cls._of(cls._read(df, query_col=q_id_col, doc_col=doc_id_col, **{cls._score_role: score_col}), name)

    @classmethod
    def from_parquet(
        cls,
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Any = None,
        name: str | None = None,
    ) -> Self:
        """Read a Parquet file; `pd_kwargs` are not needed."""
        return cls.from_df(path, q_id_col, doc_id_col, score_col, name)

    @classmethod
    def _of(cls, table: Qrels | Run, name: str | None = None) -> Self:
        rows: Any = table.to_dict()
        if isinstance(table, Qrels):
            rows = {query: {doc: whole(grade) for doc, grade in row.items()} for query, row in rows.items()}
        return cls(rows, name)


def rows_of(table: Any) -> Any:
    """{query: {document: number}} of a table, of a mapping, or of arrays, whose documents are integers."""
    if isinstance(table, RanxTable):
        return table.rows
    if isinstance(table, Mapping):
        return table
    try:
        return {query: {int(doc): float(x) for doc, x in rows} for query, rows in enumerate(table)}
    except (TypeError, ValueError):
        problem = "Qrels, Run, a mapping or arrays of (document, number)"
        raise as_type(DataError("form", problem, got=type(table).__name__), TypeError) from None


def _format(path: str, kind: str | None) -> str:
    """The format of a file by its kind, or by its extension.

    Raises:
        AssertionError: a kind that cannot be read or written here.
    """
    word = kind or Path(path).suffix[1:]
    if word not in _FORMATS:
        error = UsageError(
            "format", f"unknown format {shown(word)}", value=path, hint="choose one of json, trec, gz, parquet"
        )
        raise as_type(error, AssertionError)
    return _FORMATS[word]


class RanxQrels(RanxTable):
    """Judgments: {query: {document: grade}}.

    >>> qrels = RanxQrels({"q_2": {"d_1": 1}, "q_1": {"d_1": 1, "d_2": 3}}, name="sample")
    >>> qrels
    {'q_1': {'d_2': 3, 'd_1': 1}, 'q_2': {'d_1': 1}}
    """

    _number = int
    _read = staticmethod(read_qrels)
    _score_role = "grade_col"

    @property
    def qrels(self) -> Rows:
        """{query: {document: grade}}, in order."""
        return self._in_order()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower all grades, so that those of this level become 1."""
        self._rows = {
            query: {doc: grade - (rel_lvl - 1) for doc, grade in row.items()} for query, row in self._rows.items()
        }

    def save(self, path: str = "qrels.json", kind: str | None = None) -> None:
        """Write JSON, TREC lines or Parquet, by the kind or the extension."""
        self._save(path, kind, write_qrels, self._in_order())

    @staticmethod
    def from_ir_datasets(dataset_id: str) -> RanxQrels:
        """The judgments of a dataset of ir_datasets, which must be installed."""
        import ir_datasets

        return RanxQrels(ir_datasets.load(dataset_id).qrels_dict(), dataset_id)


class RanxRun(RanxTable):
    """A run: {query: {document: score}}. `evaluate` adds `scores`, `mean_scores` and `std_scores`.

    >>> run = RanxRun({"q_1": {"d_1": 0.2, "d_2": 0.9}}, name="bm25")
    >>> run["q_1"]
    {'d_2': 0.9, 'd_1': 0.2}
    """

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @staticmethod
    def from_ranxhub(id: str) -> RanxRun:
        """Left out."""
        left_out("ranx", "from_ranxhub", "from_ranxhub", "save the run with ranx itself", AttributeError)

    @property
    def run(self) -> Rows:
        """{query: {document: score}}, in order."""
        return self._in_order()

    def make_comparable(self, qrels: RanxQrels) -> RanxRun:
        """Add empty rankings for judged queries that the run lacks, and remove queries without judgments."""
        self._rows = {query: self._rows.get(query, {}) for query in qrels.rows}
        self.sorted = False
        return self

    def save(self, path: str = "run.json", kind: str | None = None) -> None:
        """Write JSON, TREC lines or Parquet, by the kind or the extension."""
        self._save(path, kind, write_run, replace(read_run(self._in_order()), tag=self.name or ""))


PairKey = frozenset[str]


class ByPair(dict[PairKey, dict[str, dict[str, Any]]]):
    """{two runs: …}; the two are given in any order, as a set or a tuple.

    >>> ByPair({frozenset({"a", "b"}): {}})["b", "a"]
    {}
    """

    def __getitem__(self, runs: Iterable[str]) -> dict[str, dict[str, Any]]:
        return super().__getitem__(frozenset(runs))


@dataclass(frozen=True, eq=False, repr=False)
class RanxReport(Partial, Result):
    """Means of runs, with the letters of the runs that each is significantly better than.

    Args:
        model_names: names of the runs.
        results: {run: {measure: mean}}.
        comparisons: {two runs: {measure: {"p_value", "significant"}}}.
        metrics: names of the measures.
        max_p: significance level.
        win_tie_loss: {(run, other): {measure: {"W", "T", "L"}}}.
        rounding_digits: decimals of the table.
        show_percentages: print means as percentages.
        stat_test: the paired test.
    """

    _lacks = "format_score get_metric_label get_phantoms_for_latex get_stat_test_label get_superscript_for_latex get_superscript_for_table print_results"
    _instead = "print it, or its results"
    model_names: list[str]
    results: dict[str, dict[str, float]]
    comparisons: ByPair
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    rounding_digits: int = 3
    show_percentages: bool = False
    stat_test: str = "student"

    __repr__ = Result.__str__  # as ranx does

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per run; the number of decimals is that of the report."""
        rows = [
            (_letter(i), name, *(self._cell(name, m) for m in self.metrics)) for i, name in enumerate(self.model_names)
        ]
        best = frozenset(
            (row, column + 2)
            for column, m in enumerate(self.metrics)
            for row, name in enumerate(self.model_names)
            if self.results[name][m] == max(self.results[other][m] for other in self.model_names)
        )
        key = f"letters: runs with a significantly lower mean ({self.stat_test}, p ≤ {self.max_p:g})"
        return [Table(("#", "Model", *self.metrics), tuple(rows), words=(0, 1), strong=best, key=key)]

    def _cell(self, name: str, metric: str) -> str:
        mean, digits = self.results[name][metric], self.rounding_digits
        text = number(mean * 100, max(0, digits - 2)) if self.show_percentages else number(mean, digits)
        lower = [
            _letter(i)
            for i, other in enumerate(self.model_names)
            if other != name
            and self.comparisons[name, other][metric]["significant"]
            and mean > self.results[other][metric]
        ]
        return f"{text} {''.join(lower)}" if lower else text

    def records(self) -> list[dict[str, Any]]:
        """One row per run."""
        return [{"model_names": name, **self.results[name]} for name in self.model_names]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data: means, p-values, wins, ties and losses."""
        data: dict[str, Any] = {"stat_test": self.stat_test, "metrics": self.metrics, "model_names": self.model_names}
        for name in self.model_names:
            others = [other for other in self.model_names if other != name]
            data[name] = {
                "scores": self.results[name],
                "comparisons": {o: {m: self.comparisons[name, o][m]["p_value"] for m in self.metrics} for o in others},
                "win_tie_loss": {o: self.win_tie_loss[name, o] for o in others},
            }
        return data

    to_data, to_table, to_dataframe = to_dict, Result.to_text, Result.to_pandas

    def save(self, path: str) -> None:
        """Write `to_dict` as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=4), encoding="utf-8")


def _letter(position: int) -> str:
    """The letter of a run; from the 27th on it is followed by a number."""
    round_, at = divmod(position, len(ascii_lowercase))
    return ascii_lowercase[at] + (str(round_) if round_ else "")


_LEARNT = {"bayesfuse": "log_odds", "mapfuse": "map_scores"}  # other trained methods have `probs`
_KEEPS_RANKS = ("none", "min-max", "max", "sum", "zmuv", "rank")


def fuse(
    runs: Sequence[RanxRun],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, Any] | None = None,
) -> RanxRun:
    """Fuse runs with the same queries; equal scores are in the order of the runs.

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
    weights = given.pop("weights", None)
    learnt = given.pop(_learnt(method), None) if FUSIONS.find(method).train else None
    call = f"{method}({', '.join(f'{name}={value!r}' for name, value in given.items())})" if given else method
    rows, norm = [run.rows for run in runs], _norm(method, norm)
    if learnt is None:
        fused = fuse_runs(rows, call, norm=norm, weights=weights, ties="input")
    else:
        settings, aligned = prepare(rows, call, norm, ties="input")
        fused = replace(settings, trained=tuple(np.asarray(known, float) for known in learnt)).fuse(aligned)
    found: Any = fused.to_dict()
    # All queries, and equal scores in the order of the runs, as ranx has them.
    return RanxRun({q: {doc: found[q][doc] for run in runs for doc in run.run[q]} for q in runs[0].run}, fused.name)


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
