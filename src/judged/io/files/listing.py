"""The files of a run that is a directory, a pattern, a list of paths or an address."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

from judged.errors import DataError
from judged.io.files.source import is_path, is_store, raise_file_error
from judged.io.files.stored import Stored, open_store, show_address

_TRIED = 100  # entries of a list that are looked up: it may hold a million ids
_HIDDEN = ("_", ".")  # _SUCCESS, .part-0.crc: files that writers add to the data


class FileListing(NamedTuple):
    """Files in the order of the run. `alone`: the source is the path of one file."""

    name: str
    files: tuple[Stored, ...]
    alone: bool = False


def is_listable(source: Any) -> bool:
    """Return whether this names several files (a directory, a pattern, a list of paths), or an address in a store."""
    if isinstance(source, list | tuple):
        return bool(source) and all(map(is_path, source)) and any(map(_may_be_file, source[:_TRIED]))
    if not is_path(source) or source == "-":
        return False
    if is_store(source):
        return True
    try:
        path = os.fsdecode(source)
        if not path or os.path.exists(path):
            return os.path.isdir(path)
        return _is_pattern(path) and bool(_glob(path))
    except (OSError, ValueError):
        return False


def list_files(source: Any) -> FileListing | None:
    """List the files of a source; None if it names none on disk or in a store."""
    if isinstance(source, list | tuple):
        if not is_listable(source):
            return None
        files = tuple(file for entry in source for file in _files(entry))
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        return FileListing(f"{files[0].name}{more}" if files else "run", files)
    if not is_path(source) or source == "-":
        return None
    if is_listable(source):
        name = show_address(source) if is_store(source) else os.fsdecode(source)
        files = tuple(_files(source))
        return FileListing(name, files, alone=is_store(source) and [file.name for file in files] == [name])
    try:
        regular = stat.S_ISREG(os.stat(source).st_mode)
    except (OSError, ValueError):
        return None  # the reader says why
    return FileListing(os.fsdecode(source), tuple(_files(source)), alone=True) if regular else None


def _may_be_file(entry: Any) -> bool:
    """Return whether an entry of a list exists as a file: any string could be meant as a path."""
    if is_store(entry) or isinstance(entry, os.PathLike):
        return True
    try:
        return os.path.exists(entry) or is_listable(entry)
    except (OSError, ValueError):
        return False


def _files(source: Any) -> Iterator[Stored]:
    """Iterate over the files of one entry."""
    if is_store(source):
        yield from _list_store(source)
        return
    path = os.fsdecode(source)
    try:
        if os.path.isdir(path):
            yield from _walk(path)
        elif os.path.exists(path) or not _is_pattern(path):
            yield _stat(path)
        else:
            for match in _match(path):
                yield from _walk(match) if os.path.isdir(match) else [_stat(match)]
    except (OSError, ValueError) as error:
        raise_file_error(path, error)


def _is_pattern(path: str) -> bool:
    from glob import has_magic

    return has_magic(path)


def _glob(pattern: str) -> list[str]:
    from glob import glob

    return glob(pattern, recursive=True)


def _match(pattern: str) -> list[str]:
    """Expand a pattern, without hidden files, unless the pattern itself names them."""
    hidden = os.path.basename(pattern).startswith(_HIDDEN)
    matches = sorted(_glob(pattern), key=_steps)
    kept = [path for path in matches if hidden or not _is_hidden(path, pattern)]
    if "**" in pattern:  # it matches folders and also the files in them
        kept = [path for path in kept if not os.path.isdir(path)]
    if not kept:
        raise_file_error(pattern, "the pattern matches nothing")
    return kept


def _is_hidden(path: str, pattern: str) -> bool:
    """Return whether a pattern's wildcards matched a hidden name."""
    literal = set(_steps(pattern))
    return any(step.startswith(_HIDDEN) and step not in literal for step in _steps(path))


def _steps(path: str) -> tuple[str, ...]:
    from pathlib import PurePath  # importing it takes 3 ms

    return PurePath(path).parts


def _walk(folder: str, above: tuple[str, ...] = ()) -> Iterator[Stored]:
    """Iterate over the files of a folder and its subfolders by name; `above` are the folders that contain it."""
    here = os.path.realpath(folder)
    if here in above:
        return  # a link that leads back up
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if not entry.startswith(_HIDDEN):
            yield from _walk(path, (*above, here)) if os.path.isdir(path) else [_stat(path)]


def _stat(path: str) -> Stored:
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        hint = "pass it alone, or write it to a file first"
        raise DataError("form", "a pipe or device cannot be one of several files", where=path, hint=hint)
    return Stored(path, path, status.st_size, status.st_mtime_ns)


def _list_store(uri: str) -> Iterator[Stored]:
    """List the files at an address."""
    system, path = open_store(uri)
    name = show_address(uri).rstrip("/")
    try:
        info = system.get_file_info(path)
        if info.is_file:
            yield Stored(name, path, info.size, info.mtime_ns, uri)
            return
        infos = system.get_file_info(import_module("pyarrow.fs").FileSelector(path, recursive=True))
    except Exception as error:  # each store has exceptions of its own
        raise_file_error(name, error)
    yield from _below(infos, path.rstrip("/"), name, uri)


def _below(infos: Iterable[Any], path: str, name: str, uri: str) -> Iterator[Stored]:
    for info in sorted(infos, key=lambda info: info.path.split("/")):
        inside = info.path.removeprefix(path).strip("/")
        if info.is_file and not any(step.startswith(_HIDDEN) for step in inside.split("/")):
            yield Stored(f"{name}/{inside}", info.path, info.size, info.mtime_ns, uri)
