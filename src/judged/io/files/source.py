"""Bytes out of files: plain ones as they are, compressed ones by their content."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path
from typing import IO, Any, NoReturn

from judged.errors import DataError, FileError, Place

__all__ = [
    "LONGEST_LINE",
    "PAD",
    "Source",
    "compression",
    "read_bytes",
    "read_stream",
    "read_text",
    "refuse_long_line",
    "source_name",
]

Source = str | bytes | os.PathLike[Any]

PAD = bytes(8)
LONGEST_LINE = 64 << 20
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def source_name(source: Source) -> str:
    return "<stdin>" if source == "-" else os.fsdecode(os.fspath(source))


def file_path(source: object) -> str | None:
    """The path of a source that lies in a file on disk; None for pipes, standard input and what is in memory."""
    if not isinstance(source, str | bytes | os.PathLike) or source == "-" or not Path(os.fsdecode(source)).is_file():
        return None
    return os.fsdecode(source)


def read_bytes(source: Source) -> bytes | bytearray:
    """The whole content, decompressed, with eight zero bytes behind it (see `core.text`)."""
    name = source_name(source)
    try:
        if source == "-":
            return _padded(sys.stdin.buffer.read(), name)
        with Path(os.fsdecode(source)).open("rb") as raw:
            status = os.fstat(raw.fileno())
            if not stat.S_ISREG(status.st_mode):
                return _padded(raw.read(), name)
            if (kind := compression(raw.peek(8))) is not None:
                return _expanded(raw, kind, name)
            return _plain(raw, status.st_size)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):  # a ValueError too
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError("io", "a file that can be read", got=reason, where=name, hint=_path_hint(name)) from error


def read_stream(stream: Any, name: str) -> bytes | bytearray:
    """What is left in an open file, text or binary."""
    content = stream.read()
    if isinstance(content, str):
        try:
            content = content.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            hint = "open the file in binary mode"
            raise DataError("encoding", "text that can be UTF-8", got=error.reason, where=name, hint=hint) from error
    return _padded(bytes(content), name)


def read_text(source: Source) -> str:
    """The whole content as text."""
    name = source_name(source)
    try:
        return read_bytes(source)[: -len(PAD)].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"another byte at offset {error.start}"
        raise DataError("encoding", "UTF-8 text", got=got, where=name, hint="convert the file to UTF-8") from error


def _path_hint(name: str) -> str:
    if "\n" in name:
        return "a str is a path; pass io.StringIO(text) to read the text itself"
    if Path(name).is_dir():
        return "judgments are one file and come first; a run may be a directory"
    return "download it first" if "://" in name else "check the path"


def compression(head: bytes) -> str | None:
    """The kind of compressed file that begins so."""
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _plain(raw: IO[bytes], expected: int) -> bytearray:
    """A regular file goes into one allocation."""
    content = bytearray(expected + len(PAD))
    with memoryview(content) as view:
        size = raw.readinto(view[: -len(PAD)])  # type: ignore[attr-defined]
    if size != expected or raw.read(1):
        raise OSError("the file changed while it was read")
    return content


def _padded(content: bytes, name: str) -> bytes:
    kind = compression(content[:8])
    return content + PAD if kind is None else _expanded(io.BytesIO(content), kind, name)


def _expanded(raw: IO[bytes], kind: str, name: str) -> bytes:
    from judged.io.files.decompress import expanded

    return expanded(raw, kind, name) + PAD


def refuse_long_line(where: Place) -> NoReturn:
    raise DataError(
        "too-large", f"lines below {LONGEST_LINE >> 20} MB", got="a longer one", where=where,
        hint="is this file what it claims to be?",
    )  # fmt: skip
