"""Paths to write: none may be a file that is read, by any name or link."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from judged.core.tables import HasName
from judged.errors import JudgedError, UsageError, safe
from judged.io.files import OpenFile, file_path, is_file_like, is_path, is_store

Identity = tuple[int, int]  # device and inode
Table = TypeVar("Table", bound=HasName)


def located(table: Table, source: object) -> Table:
    """Return a table with the path and the files of the source that it was read from."""
    if type(source) is dict:
        return table
    path, files = file_path(source), tuple(_names(source))
    if (path, files) == (table.path, table.files):
        return table
    return replace(table, path=path, files=files, opened=source.keep() if isinstance(source, OpenFile) else path)


def _names(source: object) -> Iterator[str]:
    """Return absolute paths of a source: a path, a directory, a pattern, an open file, or a list of them."""
    if isinstance(source, list | tuple):
        from judged.io.stored import is_listable

        for entry in source if is_listable(source) else ():
            yield from _names(entry)
    elif is_file_like(source) or (is_path(source) and source == "-"):
        number = 0 if is_path(source) else _descriptor(source)
        name = getattr(source, "name", None)
        path = os.path.realpath(name if isinstance(name, str) else f"/dev/fd/{number}")
        if number is not None and _identity(number) is not None and _identity(path) == _identity(number):
            yield path
    elif is_path(source) and not is_store(source):
        yield os.path.abspath(os.fsdecode(source))  # type: ignore[arg-type]


def _descriptor(file: Any) -> int | None:
    try:
        return int(file.fileno())
    except (OSError, ValueError, AttributeError, TypeError):  # closed, or in memory
        return None


def check_output(path: object, inputs: Iterable[object]) -> None:
    """Raise if a file to write is one of the inputs: the same file by whatever name, or one of a directory or pattern.

    Args:
        path: the file to write; other objects, and files that do not exist yet, replace nothing.
        inputs: paths, `-` for standard input, open files; objects in memory are skipped.
    """
    target = _identity(path) if is_path(path) and path != "-" else None
    if target is not None:
        _check(target, inputs, os.fsdecode(path))  # type: ignore[arg-type]  # a path


def check_stdout(inputs: Iterable[object]) -> None:
    """Raise if standard output is redirected to one of the inputs."""
    number = _descriptor(sys.stdout)
    target = None if number is None else _identity(number)
    if target is not None:
        _check(target, inputs, "<stdout>")


def _check(target: Identity, inputs: Iterable[object], name: str) -> None:
    for source in inputs:
        for file in _files(source):
            if _identity(file) == target:
                shown = "<stdin>" if isinstance(file, int) else safe(os.fsdecode(file))
                problem = f"the output is the input {shown}"
                raise UsageError("output-is-input", problem, where=name, value=name, hint="write to another file")


def _files(source: object) -> Iterator[str | bytes | os.PathLike[str] | int]:
    """Return the files on disk that a source names."""
    if is_path(source) and source == "-":
        yield 0
    elif is_file_like(source):
        yield from _names(source)
    elif is_path(source) and not is_store(source):
        yield source  # type: ignore[misc]  # a path
        if file_path(source):
            return
        from judged.io.stored import list_files

        try:
            listing = list_files(source)
        except JudgedError:
            return  # the reader says why
        yield from (file.path for file in listing.files if file.store is None) if listing is not None else ()


def _identity(file: str | bytes | os.PathLike[str] | int | object) -> Identity | None:
    """Return device and inode of a regular file; None if there is none: devices and pipes lose nothing."""
    try:
        status = os.stat(file)  # type: ignore[arg-type]
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
