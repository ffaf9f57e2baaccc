"""Bytes in and out of files: compression by content, limits against bombs, atomic writing."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from judged.errors import DataError, FileError

__all__ = ["Source", "read_bytes", "source_name", "write_atomically"]

Source = str | bytes | os.PathLike[Any]

_LONGEST_LINE = 64 << 20
_STEP = 8 << 20
_ZSTD = b"\x28\xb5\x2f\xfd"
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", _ZSTD: "zstd"}
PAD = bytes(8)


def source_name(source: Source) -> str:
    return "<stdin>" if source == "-" else os.fsdecode(os.fspath(source))


def read_bytes(source: Source) -> bytes | bytearray:
    """The whole content, decompressed, with eight zero bytes behind it (see `core.text`)."""
    name = source_name(source)
    try:
        with contextlib.ExitStack() as stack:
            raw: IO[bytes] = sys.stdin.buffer if source == "-" else stack.enter_context(open(source, "rb"))
            head = raw.peek(8)[:8] if hasattr(raw, "peek") else b""
            kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
            if kind is None:
                return _plain(raw)
            return _expanded(stack.enter_context(_opened(raw, kind)), name) + PAD
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _damaged(name, error) from error
    except OSError as error:
        if "Invalid data stream" in str(error):  # bz2 has no exception of its own
            raise _damaged(name, error) from error
        reason = error.strerror or str(error)
        raise FileError("io", "a file that can be read", got=reason, where=name, hint="check the path") from error


def _plain(raw: IO[bytes]) -> bytes | bytearray:
    """A regular file goes into one allocation; a stream's length is not known beforehand."""
    status = os.fstat(raw.fileno())
    if not stat.S_ISREG(status.st_mode):
        return raw.read() + PAD
    content = bytearray(status.st_size + len(PAD))
    with memoryview(content) as view:
        size = raw.readinto(view[: -len(PAD)])  # type: ignore[attr-defined]
    if size != status.st_size or raw.read(1):
        raise OSError("the file changed while it was read")
    return content


def _opened(raw: IO[bytes], kind: str) -> IO[bytes]:
    if kind == "gzip":
        return gzip.GzipFile(fileobj=raw)
    if kind == "bzip2":
        return bz2.BZ2File(raw)
    if kind == "xz":
        return lzma.LZMAFile(raw)
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)  # type: ignore[return-value]


def _expanded(stream: IO[bytes], name: str) -> bytes:
    parts: list[bytes] = []
    since_newline = 0
    for part in iter(lambda: stream.read(_STEP), b""):
        parts.append(part)
        at = max(part.rfind(b"\n"), part.rfind(b"\r"))
        since_newline = len(part) - at - 1 if at >= 0 else since_newline + len(part)
        if since_newline > _LONGEST_LINE:
            raise DataError(
                "too-large", f"lines below {_LONGEST_LINE >> 20} MB after decompression", got="a longer one",
                hint="is this file what it claims to be?", where=name,
            )  # fmt: skip
    return b"".join(parts)


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(
        "compressed", "a whole compressed file", got=f"a damaged one ({error})",
        hint="nothing of it was used; copy or download it again", where=name,
    )  # fmt: skip


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str], mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is whole and on disk."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent or ".")
    except OSError as error:
        raise FileError("io", "a place to write to", got=error.strerror, where=str(target)) from error
    try:
        encoding = None if "b" in mode else "utf-8"
        with open(handle, mode, encoding=encoding, newline=None if "b" in mode else "") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as error:
        _remove(temporary)
        raise FileError("io", "a file that can be written", got=error.strerror, where=str(target)) from error
    except BaseException:
        _remove(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
