"""BEIR folders: `corpus.jsonl`, `queries.jsonl`, and judgments in `qrels/test.tsv`."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any, NoReturn

from judged.errors import DataError, Place, shown
from judged.io.columns import Split, choose_split
from judged.io.formats.shapes import WRITERS, ToolWriter
from judged.io.stored import QRELS, TEXTS, TextKind, is_beir_folder, list_folder, names_like

if TYPE_CHECKING:
    from judged.io.export import Export


def qrels_file(source: Any, split: Split | None) -> Any:
    """Return the file of judgments in a BEIR folder; another source is returned unchanged."""
    if not is_beir_folder(source):
        return source
    folder = os.path.join(os.fsdecode(source), QRELS)  # noqa: PTH118 - of text, as the caller wrote it
    by_split: dict[str, str] = {}
    for name in list_folder(folder):
        stem, dot, _ = name.partition(".tsv")
        if dot:
            by_split.setdefault(stem, name)
    if not by_split:
        _raise_missing(os.fsdecode(source), f"{QRELS}/test.tsv")
    return os.path.join(folder, by_split[choose_split(list(by_split), split, Place(os.fsdecode(source)))])  # noqa: PTH118


def texts_file(source: Any, kind: TextKind) -> Any:
    """Return the file of texts in a BEIR folder; another source is returned unchanged."""
    if not is_beir_folder(source):
        return source
    folder = os.fsdecode(source)
    found = names_like(list_folder(folder), TEXTS[kind])
    return os.path.join(folder, found[0]) if found else _raise_missing(folder, TEXTS[kind])  # noqa: PTH118


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


WRITERS.add(ToolWriter("beir", _write, "BEIR, as `qrels/test.tsv` of a folder", inside=f"{QRELS}/test.tsv"))
