"""Columns of a run or of judgments in each format; values that a format cannot represent are errors."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any, NoReturn

import numpy as np

from judged.core.ids import IdColumn
from judged.core.tables import IdKind, Qrels, Run
from judged.errors import DataError, shown
from judged.io.formats.shapes import all_writers

_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@dataclass(frozen=True, slots=True)
class Export:
    """A table to write; ids are written exactly as they are, because the files are read again."""

    table: Run | Qrels

    @property
    def numbers(self) -> list[float]:
        """Scores; or grades, as integers if they are."""
        if isinstance(self.table, Run):
            scores: list[float] = self.table.score.tolist()
            return scores
        return [int(grade) if grade == int(grade) else grade for grade in self.table.grade.tolist()]

    @property
    def number_name(self) -> str:
        return "score" if isinstance(self.table, Run) else "relevance"

    def columns(self, queries: list[Any], docs: list[Any], aspects: list[Any] | None) -> dict[str, list[Any]]:
        """Return every column by its name; a query without rows cannot be written."""
        table = self.table
        bare = np.flatnonzero(np.bincount(table.query, minlength=len(table.queries)) == 0)
        if len(bare):
            problem, hint = (
                f"query {shown(queries[bare[0]])} has no documents",
                "write JSON, which can have empty rankings",
            )
            raise DataError("query-empty", problem, hint=hint, where=table.name)
        columns = {"query_id": [queries[code] for code in table.query.tolist()]}
        if aspects is not None:
            columns["subtopic"] = aspects
        columns |= {"doc_id": docs, self.number_name: self.numbers}
        if isinstance(table, Run) and table.rank is not None:
            columns["rank"] = table.rank.tolist()
        return columns

    def each(self, convert: Callable[[IdColumn, IdKind], list[Any]]) -> tuple[list[Any], list[Any], list[Any] | None]:
        """Return the ids of queries, documents and subtopics, converted."""
        table = self.table
        aspect = table.aspect if isinstance(table, Qrels) else None
        aspects = None if aspect is None else convert(aspect, "text")
        return convert(table.queries, table.query_kind), convert(table.doc, table.doc_kind), aspects

    def judgments(self, convert: Callable[[IdColumn, IdKind], list[Any]]) -> dict[str, dict[str, float]]:
        """Return {query: {doc: grade}}, for formats of other programs, which have judgments without subtopics."""
        table = self.table
        if not isinstance(table, Qrels):
            raise DataError(
                "swapped",
                "only judgments can be written in this format",
                where=table.name,
                hint="write a run as TREC, CSV or JSON",
            )
        queries, docs, aspects = self.each(convert)
        if aspects is not None or table.sub is not None:
            raise DataError(
                "form",
                "judgments with subtopics cannot be written in this format",
                where=table.name,
                hint="write TREC or CSV",
            )
        self.columns(queries, docs, aspects)  # refuses a query without judgments
        return self.rankings(queries, docs)

    def rankings(self, queries: list[Any], docs: list[Any]) -> dict[str, dict[str, float]]:
        """Return {query: {doc: number}}; a duplicate document cannot be written."""
        rankings: dict[str, dict[str, float]] = {query: {} for query in queries}
        for code, doc, number in zip(self.table.query.tolist(), docs, self.numbers, strict=True):
            ranking = rankings[queries[code]]
            if doc in ranking:
                problem = f"duplicate document {shown(doc)} in query {shown(queries[code])}"
                raise DataError("duplicate-doc", problem, where=self.table.name, value=doc, hint="write JSON Lines")
            ranking[doc] = number
        return rankings

    def raise_id(self, slug: str, word: str, problem: str, hint: str) -> NoReturn:
        id_shown = shown(word.encode("utf-8", "surrogateescape"))
        raise DataError(slug, problem.format(id_shown), hint=hint, where=self.table.name, value=word)

    def strict(self, ids: IdColumn, kind: IdKind) -> list[Any]:
        """Return ids as text, for formats that are UTF-8."""
        words = ids.texts()
        if not "".join(words).isprintable():  # escaped bytes are not, and few other ids
            for word in words:
                if any("\udc80" <= letter <= "\udcff" for letter in word):
                    self.raise_id("id-encoding", word, "the id {} is not UTF-8", "write TREC, CSV or TSV")
        return words

    def unblank(self, ids: IdColumn, kind: IdKind) -> list[str]:
        """Return ids as text, for formats whose columns are separated by blanks."""
        words = ids.texts()
        self._check_none(words, " \t\n\r\v\f", "the id {} contains a space", "write JSON, CSV or Parquet")
        return words

    def one_line(self, ids: IdColumn, kind: IdKind) -> list[str]:
        """Return ids as cells of one line."""
        cells = ids.texts()
        self._check_none(cells, "\n\r", "the id {} contains a line break", "write JSON or Parquet")
        return cells

    def one_cell(self, ids: IdColumn, kind: IdKind) -> list[str]:
        """Return ids as cells of a line of tab-separated text without quotes."""
        cells = self.strict(ids, kind)
        self._check_none(cells, '\t\n\r"', "the id {} contains a tab, a line break or a quote", "write JSON or Parquet")
        return cells

    def _check_none(self, words: list[str], marks: str, problem: str, hint: str) -> None:
        joined = "".join(words)
        if any(mark in joined for mark in marks):
            self.raise_id("id-blank", next(w for w in words if any(mark in w for mark in marks)), problem, hint)


# ── formats ──────────────────────────────────────────────────────────────────────────────────────


def _trec(export: Export, file: IO[str]) -> None:
    table = export.table
    queries, docs, aspects = export.each(export.unblank)
    columns = export.columns(queries, docs, aspects)
    if "#" in queries or queries[0].startswith("\ufeff"):
        word = "#" if "#" in queries else queries[0]
        export.raise_id("id-comment", word, "the query id {} begins like a comment", "write JSON, CSV or Parquet")
    rows: Iterable[tuple[Any, ...]]
    if isinstance(table, Run):
        tag = export.unblank(IdColumn.of([(table.tag or "judged").encode("utf-8", "surrogateescape")]), "text")[0]
        rank = columns.get("rank") or _ranks(table).tolist()
        rows = zip(columns["query_id"], docs, rank, columns["score"], strict=True)
        file.writelines(f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows)
    else:
        if table.sub is not None:
            hint = "evaluate the file directly: preferences can be read but not written"
            export.raise_id("form", table.sub.texts()[0], "judgments with sub-groups cannot be written", hint)
        rows = zip(columns["query_id"], aspects or ["0"] * len(docs), docs, columns["relevance"], strict=True)
        file.writelines(f"{q} {a} {d} {g!r}\n" for q, a, d, g in rows)


def _ranks(run: Run) -> Any:
    """Return the ranks of trec_eval: by score, then by id, both descending."""
    by_id = run.doc.order()[::-1]
    order = by_id[np.lexsort((-run.score[by_id], run.query[by_id]))]
    query = run.query[order]
    first = np.searchsorted(query, query)
    rank = np.empty(len(run), np.int64)
    rank[order] = np.arange(len(run)) - first + 1
    return rank


def _json(export: Export, file: IO[str]) -> None:
    queries, docs, aspects = export.each(export.strict)
    if aspects is not None:
        write_json(list(_records(export.columns(queries, docs, aspects))), export, file)
        return
    write_json(export.rankings(queries, docs), export, file)


def _jsonl(export: Export, file: IO[str]) -> None:
    for record in _records(export.columns(*export.each(export.strict))):
        write_json(record, export, file)


def _records(columns: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def write_json(value: Any, export: Export, file: IO[str]) -> None:
    """Write a value on one line."""
    try:
        file.write(_ENCODE(value) + "\n")
    except ValueError as error:
        problem, hint = "JSON has no infinite scores", "write TREC, CSV or Parquet"
        raise DataError("score-inf", problem, where=export.table.name, hint=hint) from error


def _csv(export: Export, file: IO[str], delimiter: str = ",") -> None:
    columns = export.columns(*export.each(export.one_line))
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _tsv(export: Export, file: IO[str]) -> None:
    _csv(export, file, "\t")


def _parquet(export: Export, file: IO[bytes]) -> None:
    def typed(ids: IdColumn, kind: IdKind) -> list[Any]:
        words = export.strict(ids, kind)
        small = kind == "integer" and ids.length.max(initial=0) < 19
        return [int(word) for word in words] if small else words

    columns = export.columns(*export.each(typed))
    if export.number_name == "relevance":
        columns["relevance"] = [float(grade) for grade in columns["relevance"]]
    with suppress(ImportError):
        pyarrow = import_module("pyarrow")
        import_module("pyarrow.parquet").write_table(pyarrow.table(columns), file, compression="zstd")
        return
    with suppress(ImportError):
        import_module("polars").DataFrame(columns).write_parquet(file, compression="zstd")
        return
    hint = "install it with pip install judged[parquet]"
    raise DataError("needs", "writing Parquet needs pyarrow or polars", hint=hint, where=export.table.name)


def find_writer(name: str) -> tuple[str, Callable[[Export, IO[Any]], None]] | None:
    """Return the mode and the function of a format; None if there is none of this name."""
    if name in FORMATS:
        return FORMATS[name]
    other = next((writer for writer in all_writers() if writer.name == name), None)
    return None if other is None else ("w", other.write)


FORMATS: dict[str, tuple[str, Callable[[Export, IO[Any]], None]]] = {
    "trec": ("w", _trec),
    "json": ("w", _json),
    "jsonl": ("w", _jsonl),
    "csv": ("w", _csv),
    "tsv": ("w", _tsv),
    "parquet": ("wb", _parquet),
}
