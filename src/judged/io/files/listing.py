"""The files of a run: of a directory, of a pattern, of a list, of an address."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import Any

from judged.errors import DataError, FileError
from judged.io.files.stored import Stored, is_store, refuse_file, store_of, store_word

__all__ = ["FileListing", "is_listable", "listing_of"]

_TRIED = 100  # entries of a list; it may be one of a million ids
_PASSED = ("_", ".")  # _SUCCESS, .part-0.crc: what those who write leave beside the data


@dataclass(frozen=True, slots=True)
class FileListing:
    """Files in the order of the run. `alone`: one file that was named itself."""

    name: str
    files: tuple[Stored, ...]
    alone: bool = False


def is_listable(source: Any) -> bool:
    """Whether this names several files: a directory, a pattern, a list of paths; or lies in a store."""
    if isinstance(source, list | tuple):
        return bool(source) and all(map(_is_path, source)) and any(map(_is_there, source[:_TRIED]))
    if not _is_path(source) or source == "-":
        return False
    if is_store(source):
        return True
    try:
        path = os.fsdecode(source)
        if not path or Path(path).exists():
            return bool(path) and Path(path).is_dir()
        return has_magic(path) and bool(_glob(path))
    except (OSError, ValueError):
        return False


def listing_of(source: Any) -> FileListing | None:
    """The files of a source; None where it names none on disk or in a store."""
    if isinstance(source, list | tuple):
        if not is_listable(source):
            return None
        files = tuple(file for entry in source for file in _files(entry))
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        return FileListing(f"{files[0].name}{more}" if files else "run", files)
    if not _is_path(source) or source == "-":
        return None
    if is_listable(source):
        name = store_word(source) if is_store(source) else os.fsdecode(source)
        files = tuple(_files(source))
        return FileListing(name, files, alone=is_store(source) and [file.name for file in files] == [name])
    try:
        regular = stat.S_ISREG(Path(os.fsdecode(source)).stat().st_mode)
    except (OSError, ValueError):
        return None  # whoever reads it says why
    return FileListing(os.fsdecode(source), tuple(_files(source)), alone=True) if regular else None


def _is_path(source: Any) -> bool:
    return isinstance(source, str | bytes | os.PathLike)


def _is_there(entry: Any) -> bool:
    """Whether an entry of a list was meant as a path: any string could be one."""
    if is_store(entry) or isinstance(entry, os.PathLike):
        return True
    try:
        return Path(os.fsdecode(entry)).exists() or is_listable(entry)
    except (OSError, ValueError):
        return False


def _files(source: Any) -> Iterator[Stored]:
    """The files of one entry."""
    if is_store(source):
        yield from _stored(source)
        return
    path = os.fsdecode(source)
    try:
        if Path(path).is_dir():
            yield from _walked(path)
        elif Path(path).exists() or not has_magic(path):
            yield _on_disk(path)
        else:
            for found in _matched(path):
                yield from _walked(found) if Path(found).is_dir() else [_on_disk(found)]
    except (OSError, ValueError) as error:
        refuse_file(path, error)


def _glob(pattern: str) -> list[str]:
    return glob(pattern, recursive=True)  # noqa: PTH207 - `Path.glob` takes no pattern from the root


def _matched(pattern: str) -> list[str]:
    """What a pattern matches, without what is passed over in directories, unless the pattern itself asks for it."""
    asked = os.path.basename(pattern).startswith(_PASSED)  # noqa: PTH119 - `Path` would drop a trailing slash
    found = sorted(_glob(pattern), key=lambda path: Path(path).parts)
    kept = [path for path in found if asked or not _is_passed(path, pattern)]
    if "**" in pattern:  # its folders are matched beside what is in them
        kept = [path for path in kept if not Path(path).is_dir()]
    if not kept:
        raise FileError(
            "io", "a file that can be read", got="a pattern that matches nothing", where=pattern, hint="check the path"
        )
    return kept


def _is_passed(path: str, pattern: str) -> bool:
    """Whether a name that a pattern left open is one that is passed over."""
    given = set(Path(pattern).parts)
    return any(step.startswith(_PASSED) and step not in given for step in Path(path).parts)


def _walked(folder: str, above: tuple[str, ...] = ()) -> Iterator[Stored]:
    """The files of a folder and of those in it, in order of name; `above` are the folders that it lies in."""
    here = os.path.realpath(folder)
    if here in above:
        return  # a link that leads back up
    for entry in sorted(os.listdir(folder)):  # noqa: PTH208 - names are all that is wanted
        path = str(Path(folder, entry))
        if not entry.startswith(_PASSED):
            yield from _walked(path, (*above, here)) if Path(path).is_dir() else [_on_disk(path)]


def _on_disk(path: str) -> Stored:
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode):
        raise DataError(
            "form", "files, each of which can be read again", got="a pipe or a device", where=path,
            hint="give it alone, or write it to a file first",
        )  # fmt: skip
    return Stored(path, path, status.st_size, status.st_mtime_ns)


def _stored(uri: str) -> Iterator[Stored]:
    """The files at an address."""
    system, path = store_of(uri)
    name = store_word(uri).rstrip("/")
    try:
        info = system.get_file_info(path)
        if info.is_file:
            yield Stored(name, path, info.size, info.mtime_ns, uri)
            return
        found = system.get_file_info(import_module("pyarrow.fs").FileSelector(path, recursive=True))
    except Exception as error:  # each store has exceptions of its own
        refuse_file(name, error)
    yield from _below(found, path.rstrip("/"), name, uri)


def _below(found: Iterable[Any], path: str, name: str, uri: str) -> Iterator[Stored]:
    for info in sorted(found, key=lambda info: info.path.split("/")):
        inside = info.path.removeprefix(path).strip("/")
        if info.is_file and not any(step.startswith(_PASSED) for step in inside.split("/")):
            yield Stored(f"{name}/{inside}", info.path, info.size, info.mtime_ns, uri)
