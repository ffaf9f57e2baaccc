"""Runs and judgments into files: whole or not at all, and exact when they are read again."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from judged.core.tables import Qrels, Run
from judged.errors import DataError, UsageError
from judged.io.export import FORMATS, Export
from judged.io.files.atomic import ENDINGS, write_atomically
from judged.io.files.source import PAD, read_bytes, source_name
from judged.io.rag.questions import is_questions, read_questions
from judged.io.read import read_qrels, read_requested_qrels, read_requested_run, read_run
from judged.io.tables.named_columns import NamedColumns

__all__ = ["convert", "write_qrels", "write_run"]

_FORMAT = {
    **dict.fromkeys(("", ".txt", ".run", ".trec", ".res", ".qrels", ".qrel"), "trec"),
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def write_run(run: Any, path: str | os.PathLike[str], *, format: str | None = None, guard: bool = True) -> None:
    """Write a run; the ending of the name decides the format, and a second one the compression.

    `.run`, `.trec`, `.txt` and no ending at all are TREC; `.json`, `.jsonl`, `.csv`, `.tsv`, `.parquet`;
    `.gz`, `.bz2`, `.xz` and `.zst` behind any of them. The file appears whole or not at all; scores are
    written so that they read back as the same number. Types of ids survive in Parquet alone, tags in TREC.

    Args:
        run: a `Run`, or anything that `read_run` takes.
        path: the file to write; what it held before is replaced.
        format: trec, json, jsonl, csv, tsv or parquet, whatever the ending says.
        guard: in CSV and TSV, put `'` before ids that begin with =, +, - or @, which a spreadsheet would
            compute. Such ids read back with the quote; switch it off where the file is read by programs.

    Raises:
        DataError: what the format cannot hold: a blank in an id of a TREC file, an infinite score in JSON.
        FileError: a file that cannot be written; an old one is left as it was.
    """
    _write(Export(read_run(run), guard), path, format)


def write_qrels(qrels: Any, path: str | os.PathLike[str], *, format: str | None = None, guard: bool = True) -> None:
    """Write judgments; everything else is as in `write_run`."""
    _write(Export(read_qrels(qrels), guard), path, format)


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    kind: str | None = None,
    format: str | None = None,
    guard: bool = True,
    grade_map: Mapping[str, float] | None = None,
    **names: str | None,
) -> int:
    """Write what `source` holds to `target`, and say how many rows that were.

    Args:
        source: anything that `read_run` or `read_qrels` takes; or questions, which contain both.
        target: the file to write, see `write_run`.
        kind: run or qrels; may be left out where the name of the target says it (`.run`, `qrels`), or the content can
            only be one of them, as in TREC files.
        format: see `write_run`.
        guard: see `write_run`.
        grade_map: grades of words, see `read_qrels`.
        names: columns (`query_col`, `doc_col`, …), see `read_run`; or fields of questions, see `read_questions`.
    """
    if kind not in (None, "run", "qrels"):
        raise UsageError("kind", "run or qrels", got=repr(kind), value=kind, hint="leave it out where TREC files tell")
    kind = kind or _kind_of(target)
    named = {name: value for name, value in names.items() if value is not None}
    fields = {name: value for name, value in named.items() if not name.endswith("_col")}
    columns = NamedColumns({n.removesuffix("_col"): c for n, c in named.items() if n.endswith("_col")}, grade_map)
    table = _read(source, kind, columns, fields)
    columns.check_used()
    _write(Export(table, guard), target, format)
    return len(table)


def _kind_of(target: str | os.PathLike[str]) -> str | None:
    """What the name of the file to be written says it will hold."""
    name = Path(target).name.lower()
    return "qrels" if "qrels" in name else "run" if ".run" in name else None


def _write(export: Export, path: str | os.PathLike[str], format: str | None) -> None:
    if path == "-":
        raise UsageError("format", "the name of a file", got="'-'", hint="name a file", value=path, where=path)
    mode, write = FORMATS[_format(Path(path), format)]
    with write_atomically(path, mode) as file:
        write(export, file)


def _format(path: Path, format: str | None) -> str:
    if format is not None:
        if format not in FORMATS:
            raise UsageError(
                "format",
                f"format to be one of {', '.join(FORMATS)}",
                got=repr(format),
                value=format,
                hint="or leave it out",
            )
        return format
    inner = path.with_suffix("") if path.suffix in ENDINGS else path
    found = _FORMAT.get(inner.suffix.lower())
    if found is None:
        endings = ", ".join(ending for ending in _FORMAT if ending)
        raise UsageError(
            "format", f"a name that ends in {endings}", got=repr(path.name), value=str(path),
            hint="or say the format: format='trec'",
        )  # fmt: skip
    return found


def _read(source: Any, kind: str | None, columns: NamedColumns, fields: dict[str, str]) -> Run | Qrels:
    """Read a run or judgments, whichever the content can be."""
    if is_questions(source, **fields):
        questions = read_questions(source, **fields)  # type: ignore[arg-type]  # fields are text
        if kind is None:
            raise UsageError("kind", "questions contain a run and judgments", hint="choose one of them")  # fmt: skip
        return questions.run if kind == "run" else questions.qrels
    readers: dict[str, Callable[[Any], Run | Qrels]] = {
        "run": partial(read_requested_run, request=columns.request("run")),
        "qrels": partial(read_requested_qrels, request=columns.request("qrels")),
    }
    if kind is not None:
        return readers[kind](source)
    if isinstance(source, (Run, Qrels)):
        return source
    errors: list[DataError] = []
    tables: list[Run | Qrels] = []
    data = read_bytes(source)[: -len(PAD)] if isinstance(source, (str, bytes, os.PathLike)) else None
    for read in readers.values():
        stream: Any = source if data is None else _Named(data, source_name(source))
        try:
            tables.append(read(stream))
        except DataError as error:
            errors.append(error)
    if len(tables) == 2:
        raise UsageError(
            "kind", "a run or judgments", got="content that can be either", hint="say which: kind='run' or kind='qrels'"
        )
    if not tables:
        raise next((error for error in errors if error.slug not in ("columns", "swapped")), errors[0])
    return tables[0]


class _Named(io.BytesIO):
    """Bytes with the name of the file they came from, to be read twice."""

    def __init__(self, data: bytes | bytearray, name: str) -> None:
        super().__init__(data)
        self.name = name
