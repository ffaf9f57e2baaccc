"""Paths to write: none may be a file that is read, by any name or link."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator

from judged.errors import JudgedError, UsageError, safe
from judged.io.files.listing import list_files
from judged.io.files.source import is_path
from judged.io.files.stored import is_store

Identity = tuple[int, int]  # device and inode


def check_output(path: object, inputs: Iterable[object]) -> None:
    """Raise if a file to write is one of the inputs: the same file by whatever name, or one of a directory or pattern.

    Args:
        path: the file to write; other objects, and files that do not exist yet, replace nothing.
        inputs: paths, `-` for standard input; objects in memory are skipped.
    """
    target = _identity(path) if is_path(path) and path != "-" else None
    if target is not None:
        _check(target, inputs, os.fsdecode(path))  # type: ignore[arg-type]  # a path


def check_stdout(inputs: Iterable[object]) -> None:
    """Raise if standard output is redirected to one of the inputs."""
    try:
        target = _identity(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):  # closed, or not a file
        return
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
    if source == "-":
        yield 0
    elif is_path(source) and not is_store(source):
        yield source  # type: ignore[misc]  # a path
        try:
            listing = list_files(source)
        except JudgedError:
            return  # the reader says why
        yield from (file.path for file in listing.files if file.store is None) if listing is not None else ()


def _identity(file: str | bytes | os.PathLike[str] | int | object) -> Identity | None:
    """Return device and inode of a regular file; None if there is none: devices and pipes lose nothing."""
    try:
        status = os.stat(file)  # type: ignore[arg-type]  # noqa: PTH116 - also an open file
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
