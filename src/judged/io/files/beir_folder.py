"""Recognise BEIR folders: texts in `corpus.jsonl` and `queries.jsonl`, judgments in the folder `qrels`."""

from __future__ import annotations

import os
from typing import Any, Literal

from judged.errors import DataError
from judged.io.files.source import is_path, raise_file_error

TextKind = Literal["docs", "queries"]
TEXTS: dict[TextKind, str] = {"docs": "corpus.jsonl", "queries": "queries.jsonl"}
QRELS = "qrels"


def is_beir_folder(source: Any) -> bool:
    """Return whether this is the path of a BEIR folder: it has a folder of judgments, or texts by their usual names."""
    if not is_path(source) or not os.path.isdir(os.fsdecode(source)):
        return False
    names = list_folder(os.fsdecode(source))
    return QRELS in names or any(names_like(names, name) for name in TEXTS.values())


def check_no_run(source: Any) -> None:
    """Raise if a folder that is expected to contain a run is a BEIR folder."""
    if is_beir_folder(source):
        problem, hint = (
            "a BEIR folder has judgments and texts, but no run",
            "pass it as the judgments, which come first",
        )
        raise DataError("swapped", problem, where=os.fsdecode(source), hint=hint)


def names_like(names: list[str], name: str) -> list[str]:
    """Return the files of a name, plain or compressed."""
    return [other for other in names if other == name or other.startswith(f"{name}.")]


def list_folder(folder: str) -> list[str]:
    """Return the names in a folder, in order; none if it does not exist."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise_file_error(folder, error)
