"""Files as they were when they were listed: listings, folders, compressed streams."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal, TypeVar

import numpy as np

from judged._types import Bytes
from judged.core.native import native
from judged.errors import DataError
from judged.io.files import CHANGED, PATH, file_path, limit_text, raise_file_error
from judged.io.text import Begin

# ── A file as it was when it was listed; small, so that it can be sent to workers ─────────────────────

_BLOCK = 1 << 24


@dataclass(frozen=True, slots=True)
class Stored:
    """A file, with its size and the time of its last change."""

    path: str
    stamp: tuple[int, int]

    @property
    def size(self) -> int:
        return self.stamp[0]

    def check(self) -> None:
        """Raise if the file is gone, or was written to since it was listed."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise_file_error(self.path, error)
        if (status.st_size, status.st_mtime_ns) != self.stamp:
            raise_file_error(self.path, CHANGED, "read it when it is complete")

    @contextmanager
    def open(self, arrow: str | None = None) -> Iterator[Any]:
        """Open the file, and check before and after that it is the one listed. `arrow` names the class of pyarrow that opens it."""
        self.check()
        try:
            if arrow is not None:
                opened: Any = getattr(import_module("pyarrow"), arrow)(os.fsencode(self.path))
            else:
                opened = open(self.path, "rb")  # noqa: SIM115 - closed below
        except OSError as error:
            raise_file_error(self.path, error)
        with opened as raw:
            yield raw
        self.check()

    def between(self, begin: int, end: int) -> bytes:
        """Return the bytes from `begin` to `end`."""
        with self.open() as raw:
            raw.seek(begin)
            return bytes(raw.read(end - begin))

    def pieces(self, size: int, packing: str | None = None) -> Iterator[bytes]:
        """Iterate over the text, about so many bytes at a time; with `packing` it is decompressed, within the limits of text."""
        with self.open() as raw:
            if packing is None:
                yield from iter(partial(raw.read, size), b"")
            else:
                from judged.io.decompress import decompress

                yield from limit_text(decompress(raw, packing, self.path, size), self.path, raw.tell)

    def begin(self, offset: int, packing: str | None = None) -> Begin:
        """Return a place in the text, with the number of lines before it."""
        lines, left = 0, offset
        for piece in self.pieces(_BLOCK, packing):
            lines += piece.count(b"\n", 0, left)
            left -= len(piece)
            if left <= 0:
                break
        return Begin(offset, lines)


# ── Text as a stream: one thread decompresses, while another uses what is ready ─────────────────────

Item = TypeVar("Item")

STRETCH = 8 << 20  # bytes of text that are scanned at a time


def stream_queries(file: Stored, packing: str) -> Iterator[tuple[Bytes, int]]:
    """Iterate over stretches of a compressed file of TREC lines, each with its offset in the text.

    A stretch ends where the lines of a query do: no query is in two stretches, if all of its lines are together.
    """
    held: list[bytes] = []
    kept = size = offset = 0
    for piece in file.pieces(STRETCH, packing):
        held.append(piece)
        size += len(piece)
        if size < max(STRETCH, kept):
            continue
        data = b"".join(held)
        text, end = np.frombuffer(data, np.uint8), data.rfind(b"\n") + 1
        cut = native.query_edges(text, 0, end, {"source": "trec"})[1] if end else 0  # where the last query begins
        if cut:
            yield text[:cut], offset
        held, kept, size = [data[cut:]], len(data) - cut, 0
        offset += cut
        del data, text
    if rest := b"".join(held):
        yield np.frombuffer(rest, np.uint8), offset


def read_ahead(items: Iterator[Item]) -> Generator[Item]:
    """Iterate over items that another thread makes, one ahead of the one in use."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(lambda: next(items, None))
        while (item := ahead.result()) is not None:
            ahead = pool.submit(lambda: next(items, None))
            yield item


# ── BEIR folders ────────────────────────────────────────────────────────────────────────────────────

TextKind = Literal["docs", "queries"]
TEXTS: dict[TextKind, str] = {"docs": "corpus.jsonl", "queries": "queries.jsonl"}
QRELS = "qrels"


def is_beir_folder(source: Any) -> bool:
    """Return whether this is the path of a BEIR folder: it has a folder of judgments, or texts by their usual names."""
    if not isinstance(source, PATH) or not os.path.isdir(os.fsdecode(source)):
        return False
    names = list_folder(os.fsdecode(source))
    return QRELS in names or any(names_like(names, name) for name in TEXTS.values())


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


# ── The files of a run that is a directory, a pattern or a list of paths ──────────────────────────────

_TRIED = 100  # entries of a list that are looked up: it may hold a million ids
_HIDDEN = ("_", ".")  # _SUCCESS, .part-0.crc: files that writers add to the data


def is_listable(source: Any) -> bool:
    """Return whether this names several files: a directory, a pattern, a list of paths."""
    if isinstance(source, list | tuple):
        some = (
            source[:_TRIED] if all(isinstance(one, PATH) for one in source) else ()
        )  # any text could be meant as a path
        return any(isinstance(one, os.PathLike) or os.path.exists(one) or is_listable(one) for one in some)
    if not isinstance(source, PATH) or source == "-":
        return False
    path = os.fsdecode(source)
    return os.path.isdir(path) or (not os.path.exists(path) and _is_pattern(path) and bool(_glob(path)))


def list_files(source: Any) -> tuple[Stored, ...] | None:
    """List the files of a source, in the order of the run; None if it names none."""
    if not is_listable(source) and file_path(source) is None:
        return None  # the reader says why
    entries = source if isinstance(source, list | tuple) else [source]
    return tuple(file for entry in entries for file in _files(entry))


def _files(source: Any) -> Iterator[Stored]:
    """Iterate over the files of one entry."""
    path = os.fsdecode(source)
    try:
        if os.path.exists(path) or not _is_pattern(path):
            yield from _walk(path)
        else:
            for match in _match(path):
                yield from _walk(match)
    except (OSError, ValueError) as error:
        raise_file_error(path, error)


def _is_pattern(path: str) -> bool:
    from glob import has_magic

    return has_magic(path) and "\0" not in path


def _glob(pattern: str) -> list[str]:
    from glob import glob

    return glob(pattern, recursive=True)


def _match(pattern: str) -> list[str]:
    """Expand a pattern, without what is hidden and not named in the pattern."""
    literal, matches = _steps(pattern), sorted(_glob(pattern), key=_steps)
    matches = [path for path in matches if not any(s.startswith(_HIDDEN) and s not in literal for s in _steps(path))]
    if "**" in pattern:  # it matches folders and also the files in them
        matches = [path for path in matches if not os.path.isdir(path)]
    if not matches:
        raise_file_error(pattern, "the pattern matches nothing")
    return matches


def _steps(path: str) -> list[str]:
    return path.replace(os.sep, "/").split("/")


def _walk(path: str, above: tuple[str, ...] = ()) -> Iterator[Stored]:
    """Iterate over a file, or the files of a folder and its subfolders by name; `above` are the folders that contain it."""
    if not os.path.isdir(path):
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            hint = "pass it alone, or write it to a file first"
            raise DataError("form", "a pipe or device cannot be one of several files", where=path, hint=hint)
        yield Stored(path, (status.st_size, status.st_mtime_ns))
        return
    here = os.path.realpath(path)
    for entry in sorted(os.listdir(path)) if here not in above else ():  # not along a link that leads back up
        if not entry.startswith(_HIDDEN):
            yield from _walk(os.path.join(path, entry), (*above, here))
