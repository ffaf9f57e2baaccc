"""Files that appear under their names only when they are whole; compressed by the ending of the name."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from judged.errors import FileError

__all__ = ["ENDINGS", "write_atomically"]

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is whole and on disk.

    A name that ends in .gz, .bz2, .xz or .zst is compressed. A device or a pipe is written to directly.
    """
    device = _is_device(Path(path))
    target = Path(path if device else os.path.realpath(path))  # through a link, to the file itself
    temporary = target if device else target.parent / f".judged-{secrets.token_hex(8)}"
    try:
        with temporary.open("wb" if device else "xb") as raw:
            with contextlib.ExitStack() as stack:
                yield _text_or_bytes(stack, stack.enter_context(_compressed(raw, target.suffix)), mode)
            raw.flush()
            if not device:
                os.fsync(raw.fileno())
        if not device:
            _put(temporary, target)
    except BaseException as error:
        if not device:
            _remove(temporary)
        if isinstance(error, OSError) and not isinstance(error, FileError):
            reason = error.strerror or str(error)
            hint = "is there such a folder, and room on the disk? an older file is left as it was"
            raise FileError("io", "a file that can be written", got=reason, where=os.fspath(path), hint=hint) from error
        raise


def _is_device(path: Path) -> bool:
    """Whether this is no file that could be replaced: a pipe, a terminal, an output that is open already."""
    return (path.exists() and not path.is_file()) or str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _text_or_bytes(stack: contextlib.ExitStack, stream: IO[bytes], mode: str) -> IO[Any]:
    if "b" in mode:
        return stream
    text = io.TextIOWrapper(stream, "utf-8", "surrogateescape", newline="", write_through=False)
    stack.callback(text.detach)  # flushes, and leaves closing to the one who opened
    return text


@contextlib.contextmanager
def _compressed(raw: IO[bytes], ending: str) -> Iterator[IO[bytes]]:
    """A stream that compresses by the ending of the name; equal content gives equal bytes."""
    kind = ENDINGS.get(ending)
    if kind is None:
        yield raw
    elif kind == "gzip":
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield stream  # type: ignore[misc]
    elif kind == "zstd":
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(raw, closefd=False) as writer:
            yield writer
    else:
        with (bz2 if kind == "bzip2" else lzma).open(raw, "wb") as other:
            yield other


def _put(temporary: Path, target: Path) -> None:
    """Give a finished file its name, with the permissions of the file it replaces."""
    with contextlib.suppress(FileNotFoundError):
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))
    temporary.replace(target)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
