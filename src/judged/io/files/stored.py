"""A file as it was when it was listed, on disk or in a store that pyarrow can open; small, so that it can be sent to where the work is done."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from judged.errors import DataError, FileError, JudgedError

__all__ = ["Stored", "each", "is_store", "refuse_file", "store_of", "store_word"]

Found = TypeVar("Found")

_SCHEMES = {"s3", "s3a", "s3n", "gs", "gcs", "hdfs", "viewfs", "abfs", "abfss", "file"}
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
        """What tells whether a file on disk is still the same."""
        return self.size, self.time or 0

    def check(self) -> None:
        """Refuse a file that is gone, or was written to since it was listed."""
        try:
            if self.store is None:
                status = Path(self.path).stat()
                now: tuple[int, int | None] = (status.st_size, status.st_mtime_ns)
            else:
                info = store_of(self.store)[0].get_file_info(self.path)
                now = (info.size, info.mtime_ns)
        except OSError as error:
            refuse_file(self.name, error)
        if now != (self.size, self.time):
            reason = "the file changed while it was read"
            raise FileError(
                "io", "a file that can be read", got=reason, where=self.name, hint="read it when it is complete"
            )

    @contextmanager
    def opened(self, arrow: str | None = None) -> Iterator[Any]:
        """The open file, the same from the first byte to the last; `arrow`: what of pyarrow opens it, where it lies on disk."""
        self.check()
        with self._open(arrow) as raw:
            yield raw
        self.check()

    def _open(self, arrow: str | None) -> Any:
        try:
            if self.store is not None:
                return store_of(self.store)[0].open_input_file(self.path)
            if arrow is not None:
                return getattr(import_module("pyarrow"), arrow)(os.fsencode(self.path))
            return Path(self.path).open("rb")
        except OSError as error:
            refuse_file(self.name, error)

    def between(self, begin: int, end: int) -> bytes:
        """Some of its bytes."""
        with self.opened() as raw:
            raw.seek(begin)
            return _exactly(raw, end - begin)

    def newlines(self, end: int, *, returns: bool = False) -> int:
        """How many lines end before a byte; `returns`: a carriage return alone ends one too."""
        count, last = 0, b""
        with self.opened() as raw:
            for at in range(0, end, _BLOCK):
                piece = _exactly(raw, min(_BLOCK, end - at))
                count += piece.count(b"\n")
                if returns:
                    split = last == b"\r" and piece[:1] == b"\n"
                    count += piece.count(b"\r") - piece.count(b"\r\n") - split
                last = piece[-1:]
        return count

    def holds(self, mark: bytes) -> bool:
        """Whether a byte is anywhere in it."""
        with self.opened() as raw:
            return any(mark in piece for piece in iter(lambda: raw.read(_BLOCK), b""))


def each(task: Callable[[Stored], Found], files: Sequence[Stored]) -> list[Found]:
    """What a task gives for each file; in a store, where every look takes its time, many are looked at together."""
    if not any(file.store for file in files):
        return list(map(task, files))
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(task, files))


def _exactly(raw: IO[bytes], size: int) -> bytes:
    pieces = []
    while size and (piece := raw.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def is_store(source: object) -> bool:
    """Whether this is an address that pyarrow may open."""
    return isinstance(source, str) and "://" in source and source.partition("://")[0].lower() in _SCHEMES


def store_word(uri: str) -> str:
    """An address as it may be shown: without the keys that it may hold."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


@lru_cache(maxsize=64)
def store_of(uri: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    name = store_word(uri)
    try:
        system = import_module("pyarrow.fs").FileSystem
    except ImportError as error:
        raise DataError(
            "needs", f"pyarrow, to open {name.partition('://')[0]}:// addresses", got="none",
            hint="pip install judged[parquet]", where=name,
        ) from error  # fmt: skip
    try:
        found: tuple[Any, str] = system.from_uri(_SPARK.sub("s3://", uri))
    except Exception as error:  # each store has exceptions of its own
        raise FileError(
            "io", "an address that pyarrow can open", got=str(error).replace("\n", " "), where=name,
            hint="check it and the credentials, or copy the files here first",
        ) from error  # fmt: skip
    return found


def refuse_file(name: str, error: Exception) -> NoReturn:
    if isinstance(error, JudgedError):
        raise error
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    raise FileError("io", "a file that can be read", got=reason, where=name, hint="check the path") from error
