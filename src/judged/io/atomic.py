"""Atomic writing: a file appears under its name only when it is complete."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from judged.errors import FileError
from judged.io.outputs import check_output
from judged.steps import step

ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


@contextlib.contextmanager
def write_atomically(
    path: str | os.PathLike[str], mode: str = "w", *, inputs: Iterable[object] = ()
) -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete and on disk.

    A name that ends in .gz, .bz2, .xz or .zst is compressed. A device or a pipe is written to directly. `inputs` are the sources of
    the content, which must not be replaced.
    """
    check_output(path, inputs)
    device = _is_device(Path(path))
    target = Path(path if device else os.path.realpath(path))  # through a link, to the file itself
    temporary = target if device else target.parent / f".judged-{secrets.token_hex(8)}"
    try:
        with step(f"writing {os.fspath(path)}"), temporary.open("wb" if device else "xb") as raw:
            with contextlib.ExitStack() as stack:
                yield _wrap_text(stack, stack.enter_context(_compress(raw, target.suffix)), mode)
            raw.flush()
            if not device:
                os.fsync(raw.fileno())
        if not device:
            _move(temporary, target)
    except BaseException as error:
        if not device:
            _remove(temporary)
        if isinstance(error, OSError) and not isinstance(error, FileError):
            reason = error.strerror or str(error)
            hint = "check the folder and the disk space; an existing file is left unchanged"
            raise FileError("io", f"cannot write the file: {reason}", where=os.fspath(path), hint=hint) from error
        raise


def _is_device(path: Path) -> bool:
    """Return whether the target cannot be replaced: a pipe, a terminal, an open output."""
    other = os.path.exists(path) and not os.path.isfile(path)
    return other or str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))


def _wrap_text(stack: contextlib.ExitStack, stream: IO[bytes], mode: str) -> IO[Any]:
    if "b" in mode:
        return stream
    text = io.TextIOWrapper(stream, "utf-8", "surrogateescape", newline="", write_through=False)
    stack.callback(text.detach)  # flushes without closing the stream
    return text


@contextlib.contextmanager
def _compress(raw: IO[bytes], ending: str) -> Iterator[IO[bytes]]:
    """Compress in the format given by the file extension; equal content gives equal bytes."""
    kind = ENDINGS.get(ending)
    if kind is None:
        yield raw
    elif kind == "gzip":
        with gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
            yield stream  # type: ignore[misc]
    elif kind == "zstd":
        with _compress_zstd(raw) as writer:
            yield writer
    else:
        with (bz2 if kind == "bzip2" else lzma).open(raw, "wb") as other:
            yield other


def _compress_zstd(raw: IO[bytes]) -> Any:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile

        return ZstdFile(raw, "wb")
    from zstandard import ZstdCompressor

    return ZstdCompressor().stream_writer(raw, closefd=False)


def _move(temporary: Path, target: Path) -> None:
    """Move a finished file to its name, with the permissions of the file it replaces."""
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
