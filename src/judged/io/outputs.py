"""Paths to write: none may be a file that is read, by any name or link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from judged.core.tables import HasName
from judged.errors import JudgedError, UsageError, safe
from judged.io.files import PATH, OpenFile, file_path, is_file_like

Table = TypeVar("Table", bound=HasName)


def located(table: Table, source: object) -> Table:
    """Return a table with the path and the files of the source that it was read from."""
    if isinstance(source, OpenFile):
        return replace(table, path=source.path, files=(os.path.abspath(source.path),), opened=source.keep())
    path, files = file_path(source), tuple(_absolute_paths(source))
    return table if (path, files) == (table.path, table.files) else replace(table, path=path, files=files, opened=path)


def _absolute_paths(source: object) -> Iterator[str]:
    """Return the paths of a source: a path, a directory, a pattern, an open file, or a list of them."""
    if isinstance(source, list | tuple):
        from judged.io.stored import is_listable

        for entry in source if is_listable(source) else ():
            yield from _absolute_paths(entry)
    elif is_file_like(source) or (isinstance(source, PATH) and source == "-"):
        name: Any = getattr(source, "name", 0)  # the number of a file that was opened by its number
        path = os.path.realpath(name if isinstance(name, str) else f"/dev/fd/{name}")
        if _identity(source) is not None and _identity(source) == _identity(path):
            yield path
    elif isinstance(source, PATH):
        yield os.path.abspath(os.fsdecode(source))


def check_output(output: object, inputs: Iterable[object]) -> None:
    """Raise if a file to write is one of the inputs: the same file by whatever name, or one of a directory or pattern.

    Args:
        output: the path of the file to write, or an open file; other objects, and files that do not exist yet, replace nothing.
        inputs: paths, `-` for standard input, open files; objects in memory are skipped.
    """
    if isinstance(output, PATH) and output == "-":
        return
    target = _identity(output)
    for file in _files(inputs) if target is not None else ():
        if _identity(file) == target:
            name = os.fsdecode(output) if isinstance(output, PATH) else "<stdout>"
            source = file if isinstance(file, PATH) else getattr(file, "name", "")
            shown = "<stdin>" if file == "-" else safe(str(source))
            problem = f"the output is the input {shown}"
            raise UsageError("output-is-input", problem, where=name, value=name, hint="write to another file")


def _files(sources: Iterable[object]) -> Iterator[Any]:
    """Return the files on disk that sources name."""
    for source in sources:
        if is_file_like(source) or isinstance(source, PATH):
            yield source
        if isinstance(source, PATH) and source != "-" and file_path(source) is None:
            from judged.io.stored import list_files

            try:
                yield from (file.path for file in list_files(source) or ())
            except JudgedError:
                continue  # the reader says why


def _identity(file: Any) -> tuple[int, int] | None:
    """Return device and inode of a path or an open file; None if it is no regular file: devices and pipes lose nothing."""
    try:
        named: Any = (0 if file == "-" else file) if isinstance(file, PATH) else file.fileno()
        status = os.stat(named)
    except (OSError, ValueError, AttributeError, TypeError):  # closed, or in memory
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
