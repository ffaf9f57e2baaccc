"""Judgments and runs as ranx has them: tables that can grow, in mappings {query: {document: number}}."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, KeysView, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from judged.compat._errors import as_type
from judged.compat._trec_rows import whole
from judged.core.find.ranking import ranked_rows
from judged.core.policy import Policy
from judged.core.tables import Qrels, Run, decoded
from judged.errors import DataError, UsageError, shown
from judged.io.read import read_qrels, read_run
from judged.io.write import write_qrels, write_run

Rows = dict[str, dict[str, float]]
_FORMATS = {"json": "json", "trec": "trec", "txt": "trec", "gz": "trec", "parquet": "parquet", "parq": "parquet"}


class RanxTable:
    """The common base of judgments and runs of ranx.

    Queries are in the order of their ids, documents from the highest number down, equal ones in the order of the input.
    """

    _number: ClassVar[type] = float

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
        if any(self._rows.values()):
            table, found = read_run(self._rows), {query: dict[str, float]() for query in sorted(self._rows)}
            queries: Any = decoded(table.queries, table.query_kind)
            docs: Any = decoded(table.doc, table.doc_kind)
            for at, row in zip(*(part.tolist() for part in ranked_rows(table, Policy(ties="input"))), strict=True):
                found[queries[at]][docs[row]] = self._rows[queries[at]][docs[row]]
            self._rows = found
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

    @property
    def size(self) -> int:
        """Number of queries."""
        return len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

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
    def from_dict(d: Mapping[str, Mapping[str, float]]) -> RanxQrels:
        """The judgments of a mapping."""
        return RanxQrels(d)

    @staticmethod
    def from_file(path: str, kind: str | None = None) -> RanxQrels:
        """Read a file; the content determines its format."""
        _format(path, kind)
        return RanxQrels._of(read_qrels(path))

    @staticmethod
    def from_df(df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score") -> RanxQrels:
        """The judgments of a frame."""
        return RanxQrels._of(read_qrels(df, query_col=q_id_col, doc_col=doc_id_col, grade_col=score_col))

    @staticmethod
    def from_parquet(
        path: str, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score", pd_kwargs: Any = None
    ) -> RanxQrels:
        """Read a Parquet file; `pd_kwargs` are not needed."""
        return RanxQrels.from_df(path, q_id_col, doc_id_col, score_col)

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

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> RanxRun:
        """The run of a mapping."""
        return RanxRun(d, name)

    @staticmethod
    def from_file(path: str, kind: str | None = None, name: str | None = None) -> RanxRun:
        """Read a file; the content determines its format. The name is the tag of a TREC file, unless it is given."""
        _format(path, kind)
        table = read_run(path)
        return RanxRun._of(table, name or table.tag or None)

    @staticmethod
    def from_df(
        df: Any, q_id_col: str = "q_id", doc_id_col: str = "doc_id", score_col: str = "score", name: str | None = None
    ) -> RanxRun:
        """The run of a frame."""
        return RanxRun._of(read_run(df, query_col=q_id_col, doc_col=doc_id_col, score_col=score_col), name)

    @staticmethod
    def from_parquet(
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Any = None,
        name: str | None = None,
    ) -> RanxRun:
        """Read a Parquet file; `pd_kwargs` are not needed."""
        return RanxRun.from_df(path, q_id_col, doc_id_col, score_col, name)
