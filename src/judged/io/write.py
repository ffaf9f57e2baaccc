"""Write runs and judgments to files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

from judged.core.tables import Qrels, Run
from judged.errors import DataError, FileError, Hint, UsageError
from judged.io.atomic import ENDINGS, write_atomically
from judged.io.columns import NamedColumns
from judged.io.export import FORMATS, Export, find_writer
from judged.io.files import PAD, read_bytes, source_name
from judged.io.formats.shapes import all_writers
from judged.io.outputs import check_output
from judged.io.questions import read_questions
from judged.io.read import read_qrels, read_requested_qrels, read_requested_run, read_run, split_of
from judged.io.recognise import is_questions
from judged.registry import choose_one

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


def write_run(run: Any, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a run; the extension determines the format, and a second extension the compression.

    `.run`, `.trec`, `.txt` and no extension are TREC; others are `.json`, `.jsonl`, `.csv`, `.tsv` and `.parquet`. Each can be
    followed by `.gz`, `.bz2`, `.xz` or `.zst`. The file is written atomically. Ids and scores are read back exactly; only
    Parquet keeps the types of ids, only TREC keeps tags.

    Args:
        run: a `Run`, or anything that `read_run` takes.
        path: the file to write; an existing file is replaced.
        format: trec, json, jsonl, csv, tsv or parquet (default: from the extension); for judgments also rank-eval, judgment-ratings, quepid or
            rre, see `docs/reference/formats.md`.

    Raises:
        DataError: a value that the format cannot represent: a blank in an id of a TREC file, an infinite score in JSON.
        FileError: the file cannot be written; an existing file is unchanged.
    """
    check_output(path, [run])
    _write(Export(read_run(run)), path, format)


def write_qrels(qrels: Any, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write judgments; see `write_run`."""
    check_output(path, [qrels])
    _write(Export(read_qrels(qrels)), path, format)


def convert(
    source: Any,
    target: str | os.PathLike[str],
    *,
    kind: str | None = None,
    format: str | None = None,
    grade_map: Mapping[str, float] | None = None,
    split: str | None = None,
    **names: str | None,
) -> int:
    """Write a run or judgments in another format, and return the number of rows.

    Args:
        source: anything that `read_run` or `read_qrels` takes; or questions, which contain both.
        target: the file to write, see `write_run`.
        kind: run or qrels (default: by the name of the target, `.run` or `qrels`, or by the content of the source).
        format: see `write_run`.
        grade_map: grades of words, see `read_qrels`.
        split: the split to read, see `read_qrels`.
        names: columns (`query_col`, `doc_col`, …), see `read_run`; or fields of questions, see `read_questions`.
    """
    if kind not in (None, "run", "qrels"):
        raise UsageError("kind", f"kind must be run or qrels, got {kind!r}", value=kind)
    check_output(target, [source])
    written = next((writer.kind for writer in all_writers() if writer.name == format), None)
    kind = kind or written or _kind_of(target)
    named = {name: value for name, value in names.items() if value is not None}
    fields = {name: value for name, value in named.items() if not name.endswith("_col")}
    roles = {name.removesuffix("_col"): column for name, column in named.items() if name.endswith("_col")}
    columns = NamedColumns(roles, grade_map, split_of(split))
    try:
        table = _read(source, kind, columns, fields)
    except DataError as error:
        if error.slug != "swapped" or written is None or kind != written:
            raise
        problem = f"{format} is a format of {'runs' if kind == 'run' else 'judgments'}, and the source has none"
        raise DataError("swapped", problem, where=error.where, hint="choose another format") from error
    columns.check_used()
    _write(Export(table), target, format)
    return len(table)


def _kind_of(target: str | os.PathLike[str]) -> str | None:
    """Return the kind of table by the name of the target."""
    name = Path(target).name.lower()
    return "qrels" if "qrels" in name else "run" if ".run" in name else None


def _write(export: Export, path: str | os.PathLike[str], format: str | None) -> None:
    if path == "-":
        raise UsageError("format", "cannot write to standard output", hint="name a file", value=path)
    mode, write = _find_writer(Path(path), format)
    inside = next((writer.inside for writer in all_writers() if writer.name == format), "")
    if inside and (Path(path).is_dir() or not Path(path).suffix):
        path = Path(path, inside)
        _make_folder(path.parent)
    with write_atomically(path, mode, inputs=export.table.files) as file:
        write(export, file)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem, hint = f"cannot make the folder: {error.strerror or error}", "check the path"
        raise FileError("io", problem, where=str(folder), hint=hint) from error


def _find_writer(path: Path, format: str | None) -> tuple[str, Callable[[Export, IO[Any]], None]]:
    if format is not None:
        found = find_writer(format)
        if found is None:
            known = (*FORMATS, *(writer.name for writer in all_writers()))
            raise UsageError("format", f"unknown format {format!r}", value=format, hint=choose_one(format, known))
        return found
    inner = path.with_suffix("") if path.suffix in ENDINGS else path
    suffix = inner.suffix.lower()
    if suffix not in _FORMAT:
        hint = Hint(f"use one of {', '.join(filter(None, _FORMAT))}, or set {{format}}", format="trec")
        raise UsageError("format", f"{path.name!r} has an unknown extension", value=str(path), hint=hint)
    return FORMATS[_FORMAT[suffix]]


def _read(source: Any, kind: str | None, columns: NamedColumns, fields: dict[str, str]) -> Run | Qrels:
    """Read a run or judgments, whichever the content can be."""
    if is_questions(source, **fields):
        questions = read_questions(source, **fields)  # type: ignore[arg-type]  # fields are text
        if kind is None:
            raise UsageError(
                "kind", "questions contain a run and judgments", hint=Hint("choose with {kind}", kind="run")
            )
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
        hint = Hint("set {kind} (or qrels)", kind="run")
        raise UsageError("kind", "the source can be a run or judgments", hint=hint)
    if not tables:
        raise next((error for error in errors if error.slug not in ("columns", "swapped")), errors[0])
    return tables[0]


class _Named(io.BytesIO):
    """The bytes of a file with its name, to read them twice."""

    def __init__(self, data: bytes | bytearray, name: str) -> None:
        super().__init__(data)
        self.name = name
