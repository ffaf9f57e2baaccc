"""BEIR folders: `corpus.jsonl`, `queries.jsonl`, and judgments in `qrels/test.tsv`."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any, Literal, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.files.source import is_path, raise_file_error
from judged.io.formats.shapes import WRITERS, ToolWriter
from judged.io.tables.splits import Split, choose_split

if TYPE_CHECKING:
    from judged.io.export import Export

TextKind = Literal["docs", "queries"]
_TEXTS: dict[TextKind, str] = {"docs": "corpus.jsonl", "queries": "queries.jsonl"}
_QRELS = "qrels"


def is_folder(source: Any) -> bool:
    """Return whether this is the path of a BEIR folder: it has a folder of judgments, or texts by their usual names."""
    if not is_path(source) or not os.path.isdir(os.fsdecode(source)):  # noqa: PTH112 - `Path` raises for long texts
        return False
    names = _list(os.fsdecode(source))
    return _QRELS in names or any(_named(names, name) for name in _TEXTS.values())


def qrels_file(source: Any, split: Split | None) -> Any:
    """Return the file of judgments in a BEIR folder; another source is returned unchanged."""
    if not is_folder(source):
        return source
    folder = os.path.join(os.fsdecode(source), _QRELS)  # noqa: PTH118 - of text, as the caller wrote it
    by_split: dict[str, str] = {}
    for name in _list(folder):
        stem, dot, _ = name.partition(".tsv")
        if dot:
            by_split.setdefault(stem, name)
    if not by_split:
        _raise_missing(os.fsdecode(source), f"{_QRELS}/test.tsv")
    return os.path.join(folder, by_split[choose_split(list(by_split), split, Place(os.fsdecode(source)))])  # noqa: PTH118


def texts_file(source: Any, kind: TextKind) -> Any:
    """Return the file of texts in a BEIR folder; another source is returned unchanged."""
    if not is_folder(source):
        return source
    folder = os.fsdecode(source)
    found = _named(_list(folder), _TEXTS[kind])
    return os.path.join(folder, found[0]) if found else _raise_missing(folder, _TEXTS[kind])  # noqa: PTH118


def check_no_run(source: Any) -> None:
    """Raise if a folder that is expected to contain a run is a BEIR folder."""
    if is_folder(source):
        problem, hint = (
            "a BEIR folder has judgments and texts, but no run",
            "pass it as the judgments, which come first",
        )
        raise DataError("swapped", problem, where=os.fsdecode(source), hint=hint)


def _named(names: list[str], name: str) -> list[str]:
    """Return the files of a name, plain or compressed."""
    return [other for other in names if other == name or other.startswith(f"{name}.")]


def _list(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise_file_error(folder, error)


def _raise_missing(folder: str, name: str) -> NoReturn:
    raise DataError("beir", f"the BEIR folder has no {name}", where=folder, hint="name the file itself")


def _write(export: Export, file: IO[str]) -> None:
    """Write judgments as BEIR reads them: grades are integers, and nothing is quoted."""
    file.write("query-id\tcorpus-id\tscore\n")
    for query, grades in export.judgments(export.one_cell).items():
        for doc, grade in grades.items():
            if grade != int(grade):
                problem, hint = f"the grade {grade:g} of document {shown(doc)} is no integer", "write TREC or CSV"
                raise DataError("grade-text", problem, where=export.table.name, value=grade, hint=hint)
            file.write(f"{query}\t{doc}\t{int(grade)}\n")


WRITERS.add(ToolWriter("beir", _write, "BEIR, as `qrels/test.tsv` of a folder", inside=f"{_QRELS}/test.tsv"))
