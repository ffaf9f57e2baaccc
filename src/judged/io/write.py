"""Write runs and judgments to files; `WRITERS` has every format. What a format cannot represent is an error."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np

from judged.core.tables import Qrels, Run
from judged.errors import DataError, Hint, UsageError, shown
from judged.io.atomic import ENDINGS, write_atomically
from judged.io.columns import ColumnRequest, Split
from judged.io.files import PATH
from judged.io.formats.columnar import import_pyarrow
from judged.io.open_table import read_requested_qrels
from judged.io.outputs import check_output
from judged.io.questions import read_questions
from judged.io.read import read_qrels, read_requested_run, read_run
from judged.io.recognise import recognise
from judged.io.text import is_text
from judged.registry import choose_one

_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def write_run(run: Any, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a run; the extension determines the format, and a second extension the compression.

    `.run`, `.trec`, `.txt` and no extension are TREC; others are `.json`, `.jsonl`, `.csv`, `.tsv` and `.parquet`. Each can be
    followed by `.gz`, `.bz2`, `.xz` or `.zst`. The file is written atomically. Ids and scores are read back exactly; only
    Parquet keeps the types of ids, and only TREC keeps tags.

    Args:
        run: a `Run`, or anything that `read_run` takes.
        path: the file to write; an existing file is replaced.
        format: trec, json, jsonl, csv, tsv or parquet (default: from the extension); or the format of another program, see
            `docs/reference/formats.md`: quepid or beir for judgments.

    Raises:
        DataError: a value that the format cannot represent: a blank in an id of a TREC file, an infinite score in JSON.
        FileError: the file cannot be written; an existing file is unchanged.
    """
    check_output(path, [run])
    _write(read_run(run), path, format)


def write_qrels(qrels: Any, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write judgments; see `write_run`."""
    check_output(path, [qrels])
    _write(read_qrels(qrels), path, format)


def trec_lines(run: Run) -> str:
    """Return a run as the lines of a TREC file."""
    lines = io.StringIO()
    _trec(_export(run, WRITERS["trec"]), lines)
    return lines.getvalue()


# ── converting ───────────────────────────────────────────────────────────────────────────────────


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    kind: str | None = None,
    format: str | None = None,
    grade_map: Mapping[str, float] | None = None,
    split: str | None = None,
    tag: str | None = None,
    **names: str | Sequence[str] | None,
) -> int:
    """Write a run or judgments in another format, and return the number of rows.

    Args:
        source: anything that `read_run` or `read_qrels` takes; or questions, which contain both.
        target: the file to write, see `write_run`.
        kind: run or qrels (default: by the format, or by the name of the target, else of the source: `.run` or `qrels`).
        format: see `write_run`.
        grade_map: grades for words, see `read_qrels`.
        split: the split to read, see `read_qrels`.
        tag: the run to read, see `read_run`.
        names: columns (`query_col`, `doc_col`, …), see `read_run`; or fields of questions, see `read_questions`.
    """
    if kind not in (None, "run", "qrels"):
        raise UsageError("kind", f"kind must be run or qrels, got {kind!r}", value=kind)
    check_output(target, [source])
    kind = kind or (WRITERS[format].kind if format and format in WRITERS else "") or _kind_by_name(target, source)
    if not kind:
        raise UsageError("kind", "the source can be a run or judgments", hint=Hint("set {kind} (or qrels)", kind="run"))
    given = {name: value for name, value in names.items() if value is not None}
    fields: Any = {name: value for name, value in given.items() if not name.endswith("_col")}
    roles = {name.removesuffix("_col"): column for name, column in given.items() if name.endswith("_col")}
    columns = ColumnRequest("", roles, grade_map=grade_map, split=Split.of(split), tag=Split.of(tag, "tag"), used={})
    table: Run | Qrels
    if recognise(source, **fields).kind == "questions":
        questions = read_questions(source, **fields, grade_map=grade_map)
        table = questions.run if kind == "run" else questions.qrels
    elif kind == "run":
        table = read_requested_run(source, columns.request("run"))
    else:
        table = read_requested_qrels(source, columns.request("qrels"))
    columns.check_used()
    _write(table, target, format)
    return len(table.query)


def _kind_by_name(target: str | os.PathLike[str], source: Any) -> str:
    """Return what the name of the target, else of the source, says; a table in memory is what it is."""
    if isinstance(source, Run | Qrels):
        return "run" if isinstance(source, Run) else "qrels"
    for path in (target, source):
        name = Path(os.fsdecode(path)).name.lower() if isinstance(path, PATH) else ""
        if "qrels" in name or ".run" in name:
            return "qrels" if "qrels" in name else "run"
    return ""


# ── tables to write ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Export:
    """A table to write, with its ids as text that the format can hold, and scores; or grades, as integers if they are."""

    table: Run | Qrels
    queries: list[str]
    docs: list[str]
    aspects: list[str] | None
    numbers: list[float]

    def columns(self) -> dict[str, list[Any]]:
        """Return every column by its name; a query without rows cannot be written."""
        table = self.table
        bare = np.flatnonzero(np.bincount(table.query, minlength=len(table.queries)) == 0)
        if len(bare):
            self.refuse(f"query {shown(self.queries[bare[0]])} has no documents", "write JSON, which allows that")
        columns: dict[str, list[Any]] = {"query_id": [self.queries[code] for code in table.query.tolist()]}
        if self.aspects is not None:
            columns["subtopic"] = self.aspects
        columns |= {"doc_id": self.docs, "score" if isinstance(table, Run) else "relevance": self.numbers}
        if isinstance(table, Run) and table.rank is not None:
            columns["rank"] = table.rank.tolist()
        return columns

    def rankings(self) -> dict[str, dict[str, float]]:
        """Return {query: {doc: number}}; a duplicate document cannot be written."""
        rankings: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        for code, doc, number in zip(self.table.query.tolist(), self.docs, self.numbers, strict=True):
            ranking = rankings[self.queries[code]]
            if doc in ranking:
                self.refuse(f"duplicate document {shown(doc)} in query {shown(self.queries[code])}", "write JSON Lines")
            ranking[doc] = number
        return rankings

    def refuse(self, problem: str, hint: str) -> NoReturn:
        raise DataError("format", problem, hint=hint, where=self.table.name)


class Writer(NamedTuple):
    """A format of files.

    Args:
        write: writes a table to an open file.
        endings: extensions of files by which it is chosen.
        refused: characters that an id cannot have in it.
        utf8: ids must be UTF-8.
        kind: run or qrels, if it has no place for the other, nor for subtopics.
        whole: grades must be integers.
        target: the program that reads it, for the docs.
        inside: the file to write if the target is a folder.
        mode: of the open file.
    """

    write: Callable[[Export, IO[Any]], None]
    endings: tuple[str, ...] = ()
    refused: str = ""
    utf8: bool = True
    kind: str = ""
    whole: bool = False
    target: str = ""
    inside: str = ""
    mode: str = "w"


def _export(table: Run | Qrels, writer: Writer) -> Export:
    """Return a table with the ids that a format can hold."""
    kind = "run" if isinstance(table, Run) else "qrels"
    aspect = table.aspect if isinstance(table, Qrels) else None
    aspects = None if aspect is None else aspect.texts()
    if isinstance(table, Run):
        numbers = table.score.tolist()
    else:
        numbers = [int(grade) if grade == int(grade) else grade for grade in table.grade.tolist()]
    export = Export(table, table.queries.texts(), table.doc.texts(), aspects, numbers)
    preferences = isinstance(table, Qrels) and table.sub is not None
    if writer.kind not in ("", kind) or preferences or (writer.kind and aspects is not None):
        contents = {"run": "a run", "qrels": "judgments"}[kind]
        export.refuse(f"{contents} of this kind cannot be written in this format", "choose another format")
    fraction = next((number for number in numbers if not isinstance(number, int)), None) if writer.whole else None
    if fraction is not None:
        export.refuse(f"the grade {fraction:g} is no integer", "scale the grades first, or write TREC or CSV")
    for words in (export.queries, export.docs, export.aspects or []):
        joined = "".join(words)
        if any(mark in joined for mark in writer.refused):
            word = next(word for word in words if any(mark in word for mark in writer.refused))
            export.refuse(f"the id {shown(word)} contains a blank, a line break or a quote", "write JSON or Parquet")
        if writer.utf8 and not is_text(words):
            raw = next(word for word in words if not is_text([word])).encode("utf-8", "surrogateescape")
            export.refuse(f"the id {shown(raw)} is not UTF-8", "write TREC, CSV or TSV")
    return export


def _write(table: Run | Qrels, path: str | os.PathLike[str], format: str | None) -> None:
    if path == "-":
        raise UsageError("format", "cannot write to standard output", hint="name a file", value=path)
    writer = _find_writer(Path(path), format)
    if writer.inside and (Path(path).is_dir() or not Path(path).suffix):
        path = Path(path, writer.inside)
        with suppress(OSError):  # writing fails too, and says why
            path.parent.mkdir(parents=True, exist_ok=True)
    export = _export(table, writer)
    with write_atomically(path, writer.mode, inputs=table.files) as file:
        writer.write(export, file)


def _find_writer(path: Path, format: str | None) -> Writer:
    if format is not None:
        if format not in WRITERS:
            raise UsageError("format", f"unknown format {format!r}", value=format, hint=choose_one(format, WRITERS))
        return WRITERS[format]
    inner = path.with_suffix("") if path.suffix in ENDINGS else path
    found = next((writer for writer in WRITERS.values() if inner.suffix.lower() in writer.endings), None)
    if found is None:
        endings = ", ".join(ending for writer in WRITERS.values() for ending in writer.endings if ending)
        hint = Hint(f"use one of {endings}, or set {{format}}", format="trec")
        raise UsageError("format", f"{path.name!r} has an unknown extension", value=str(path), hint=hint)
    return found


# ── formats ──────────────────────────────────────────────────────────────────────────────────────


def _trec(export: Export, file: IO[str]) -> None:
    table, columns = export.table, export.columns()
    if "#" in export.queries or any(query.startswith("\ufeff") for query in export.queries):
        export.refuse("a query id begins like a comment", "write JSON, CSV or Parquet")
    if isinstance(table, Run):
        tag = table.tag or "judged"
        if any(mark in tag for mark in WRITERS["trec"].refused):
            export.refuse(f"the tag {shown(tag)} contains a blank", "write JSON, CSV or Parquet")
        rank = columns.get("rank") or _ranks(table).tolist()
        rows = zip(columns["query_id"], export.docs, rank, columns["score"], strict=True)
        file.writelines(f"{q} Q0 {d} {r} {s!r} {tag}\n" for q, d, r, s in rows)
    else:
        aspects = export.aspects or ["0"] * len(export.docs)
        rows = zip(columns["query_id"], aspects, export.docs, columns["relevance"], strict=True)
        file.writelines(f"{q} {a} {d} {g!r}\n" for q, a, d, g in rows)


def _ranks(run: Run) -> Any:
    """Return the ranks of trec_eval: by score, then by id, both descending."""
    by_id = run.doc.order()[::-1]
    order = by_id[np.lexsort((-run.score[by_id], run.query[by_id]))]
    query = run.query[order]
    first = np.searchsorted(query, query)
    rank = np.empty(len(run.query), np.int64)
    rank[order] = np.arange(len(run.query)) - first + 1
    return rank


def _json(export: Export, file: IO[str]) -> None:
    _write_json(export.rankings() if export.aspects is None else list(_records(export)), export, file)


def _jsonl(export: Export, file: IO[str]) -> None:
    for record in _records(export):
        _write_json(record, export, file)


def _records(export: Export) -> Iterator[dict[str, Any]]:
    columns = export.columns()
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def _write_json(value: Any, export: Export, file: IO[str]) -> None:
    try:
        file.write(_ENCODE(value) + "\n")
    except ValueError:
        export.refuse("JSON has no infinite scores", "write TREC, CSV or Parquet")


def _csv(export: Export, file: IO[str], delimiter: str = ",", names: Sequence[str] = ()) -> None:
    columns = export.columns()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    if names:
        export.rankings()  # refuses duplicates, of which other programs take the last
    writer.writerow(names or columns)
    writer.writerows(zip(*columns.values(), strict=True))


def _parquet(export: Export, file: IO[bytes]) -> None:
    columns, table = export.columns(), export.table
    for name, kind, ids in (("query_id", table.query_kind, table.queries), ("doc_id", table.doc_kind, table.doc)):
        if kind == "integer" and ids.length.max(initial=0) < 19:
            columns[name] = [int(word) for word in columns[name]]
    if "relevance" in columns:
        columns["relevance"] = [float(grade) for grade in columns["relevance"]]
    pyarrow = import_pyarrow("Parquet", table.name)
    import_module("pyarrow.parquet").write_table(pyarrow.table(columns), file, compression="zstd")


_LINES = "\n\r"
WRITERS: Mapping[str, Writer] = {
    "trec": Writer(_trec, ("", ".txt", ".run", ".trec", ".res", ".qrels", ".qrel"), refused=" \t\n\r\v\f", utf8=False),
    "json": Writer(_json, (".json",)),
    "jsonl": Writer(_jsonl, (".jsonl", ".ndjson")),
    "csv": Writer(_csv, (".csv",), refused=_LINES, utf8=False),
    "tsv": Writer(partial(_csv, delimiter="\t"), (".tsv",), refused=_LINES, utf8=False),
    "parquet": Writer(_parquet, (".parquet", ".pq"), mode="wb"),
    "quepid": Writer(
        partial(_csv, names=("query", "docid", "rating")),
        refused=_LINES,
        utf8=False,
        kind="qrels",
        target="the import of ratings of Quepid (CSV)",
    ),
    "beir": Writer(
        partial(_csv, delimiter="\t", names=("query-id", "corpus-id", "score")),
        refused='\t\n\r"',  # BEIR reads quotes as letters
        kind="qrels",
        whole=True,
        target="BEIR, as `qrels/test.tsv` of a folder",
        inside="qrels/test.tsv",
    ),
}
