"""A file as it was when it was listed, on disk or in an object store that pyarrow opens; small, so that it can be sent to workers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import IO, Any, TypeVar

from judged.errors import DataError, FileError
from judged.io.files.source import CHANGED, raise_file_error

Result = TypeVar("Result")

_BLOCK = 1 << 24
_AT_ONCE = 16
_SPARK = re.compile(r"^s3[an]://")  # Spark's names for what is s3:// elsewhere


@dataclass(frozen=True, slots=True)
class Stored:
    """A file. `store` is the address by which pyarrow finds its file system; None for a file on disk."""

    name: str
    path: str
    size: int
    time: int | None
    store: str | None = None

    @property
    def stamp(self) -> tuple[int, int]:
        """Size and time, by which a changed file is noticed."""
        return self.size, self.time or 0

    def check(self) -> None:
        """Raise if the file is gone, or was written to since it was listed."""
        try:
            if self.store is None:
                status = os.stat(self.path)
                now: tuple[int, int | None] = (status.st_size, status.st_mtime_ns)
            else:
                info = open_store(self.store)[0].get_file_info(self.path)
                now = (info.size, info.mtime_ns)
        except OSError as error:
            raise_file_error(self.name, error)
        if now != (self.size, self.time):
            raise_file_error(self.name, CHANGED, "read it when it is complete")

    @contextmanager
    def open(self, arrow: str | None = None) -> Iterator[Any]:
        """Open the file, and check before and after that it is the one listed. `arrow` names the class of pyarrow that opens a file on disk."""
        self.check()
        with self._open(arrow) as raw:
            yield raw
        self.check()

    def _open(self, arrow: str | None) -> Any:
        try:
            if self.store is not None:
                return open_store(self.store)[0].open_input_file(self.path)
            if arrow is not None:
                return getattr(import_module("pyarrow"), arrow)(os.fsencode(self.path))
            return open(self.path, "rb")
        except OSError as error:
            raise_file_error(self.name, error)

    def between(self, begin: int, end: int) -> bytes:
        """Return the bytes from `begin` to `end`."""
        with self.open() as raw:
            raw.seek(begin)
            return _exactly(raw, end - begin)

    def newlines(self, end: int, *, returns: bool = False) -> int:
        """Count the lines that end before a byte; with `returns` a carriage return alone ends one too."""
        count, last = 0, b""
        with self.open() as raw:
            for at in range(0, end, _BLOCK):
                piece = _exactly(raw, min(_BLOCK, end - at))
                count += piece.count(b"\n")
                if returns:
                    split = last == b"\r" and piece[:1] == b"\n"
                    count += piece.count(b"\r") - piece.count(b"\r\n") - split
                last = piece[-1:]
        return count

    def holds(self, mark: bytes) -> bool:
        """Return whether a byte is anywhere in the file."""
        with self.open() as raw:
            return any(mark in piece for piece in iter(lambda: raw.read(_BLOCK), b""))


def map_files(task: Callable[[Stored], Result], files: Sequence[Stored]) -> list[Result]:
    """Call a task for each file; in a store, where each request takes its time, several at once."""
    if not any(file.store for file in files):
        return list(map(task, files))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(task, files))


def _exactly(raw: IO[bytes], size: int) -> bytes:
    pieces = []
    while size and (piece := raw.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def show_address(uri: str) -> str:
    """Return an address without the credentials that it may hold."""
    from urllib.parse import urlsplit

    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@lru_cache(maxsize=64)
def open_store(uri: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    name = show_address(uri)
    try:
        system = import_module("pyarrow.fs").FileSystem
    except ImportError as error:
        problem = f"{name.partition('://')[0]}:// addresses need pyarrow"
        raise DataError("needs", problem, hint="install it with pip install judged[parquet]", where=name) from error
    try:
        store: tuple[Any, str] = system.from_uri(_SPARK.sub("s3://", uri))
    except Exception as error:  # each store has exceptions of its own
        problem = f"pyarrow cannot open the address: {error}".replace("\n", " ")
        hint = "check the address and the credentials, or copy the files to this machine first"
        raise FileError("io", problem, where=name, hint=hint) from error
    return store
