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
    # A pipe, a terminal or an open output cannot be replaced.
    other = os.path.exists(path) and not os.path.isfile(path)
    device = other or os.fspath(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))
    target = Path(path if device else os.path.realpath(path))  # through a link, to the file itself
    temporary = target if device else target.parent / f".judged-{secrets.token_hex(8)}"
    try:
        with step(f"writing {os.fspath(path)}"), temporary.open("wb" if device else "xb") as raw:
            with _compress(raw, target.suffix) as stream:
                if "b" in mode:
                    yield stream
                else:
                    text = io.TextIOWrapper(stream, "utf-8", "surrogateescape", newline="")
                    try:
                        yield text
                    finally:
                        text.detach()  # flushes without closing the stream
            raw.flush()
            if not device:
                os.fsync(raw.fileno())
        if not device:
            with contextlib.suppress(FileNotFoundError):  # the permissions of the file that it replaces
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            temporary.replace(target)
    except BaseException as error:
        if not device:
            with contextlib.suppress(OSError):
                temporary.unlink()
        if isinstance(error, OSError) and not isinstance(error, FileError):
            reason = error.strerror or str(error)
            hint = "check the folder and the disk space; an existing file is left unchanged"
            raise FileError("io", f"cannot write the file: {reason}", where=os.fspath(path), hint=hint) from error
        raise


def _compress(raw: IO[bytes], ending: str) -> Any:
    """Return a file that compresses in the format given by the file extension; equal content gives equal bytes."""
    kind = ENDINGS.get(ending)
    if kind is None:
        return contextlib.nullcontext(raw)
    if kind == "gzip":
        return gzip.GzipFile("", "wb", 6, raw, mtime=0)
    if kind != "zstd":
        return (bz2 if kind == "bzip2" else lzma).open(raw, "wb")
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile

        return ZstdFile(raw, "wb")
    from zstandard import ZstdCompressor

    return ZstdCompressor().stream_writer(raw, closefd=False)
