"""Bytes in and out of files: compression by content, limits against bombs, atomic writing."""

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
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from judged.errors import DataError, FileError, Place

__all__ = [
    "ENDINGS",
    "LONGEST_LINE",
    "PAD",
    "Source",
    "is_compressed",
    "read_bytes",
    "read_stream",
    "read_text",
    "refuse_long_line",
    "source_name",
    "write_atomically",
]

Source = str | bytes | os.PathLike[Any]

PAD = bytes(8)
LONGEST_LINE = 64 << 20
_LARGEST_RATIO = 200  # text expands 3 to 20 times, a bomb 1,000 times
_STEP = 8 << 20
_PIECE = 1 << 10
_ZSTD = b"\x28\xb5\x2f\xfd"
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", _ZSTD: "zstd"}
ENDINGS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def source_name(source: Source) -> str:
    return "<stdin>" if source == "-" else os.fsdecode(os.fspath(source))


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
            if _compression(raw.peek(8)):
                return _padded_expansion(raw, name)
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
    return "download it first" if "://" in name else "check the path"


def is_compressed(head: bytes) -> bool:
    return _compression(head) is not None


def _compression(head: bytes) -> str | None:
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
    return _padded_expansion(io.BytesIO(content), name) if _compression(content[:8]) else content + PAD


def _padded_expansion(raw: IO[bytes], name: str) -> bytes:
    head = raw.read(8)
    raw.seek(0)
    kind = _compression(head)
    try:
        if kind == "zstd":
            return _expanded(_zstd_parts(raw), raw, name) + PAD
        if kind in ("bzip2", "xz"):
            parts = _stream_parts(raw, bz2.BZ2Decompressor if kind == "bzip2" else lzma.LZMADecompressor)
            return _expanded(parts, raw, name) + PAD
        with gzip.open(raw) as stream:
            return _expanded(iter(lambda: stream.read(_STEP), b""), raw, name) + PAD
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:  # bz2 has no exception of its own
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise _damaged(name, error) from error


def _stream_parts(raw: IO[bytes], begin: Callable[[], Any]) -> Iterator[bytes]:
    """Stream by stream: the modules' own readers take whatever follows a damaged stream for the end of the file."""
    stream, left = None, b""
    while True:
        if not left and (stream is None or stream.needs_input):
            left = raw.read(_STEP)
            if not left:
                break
        stream = stream or begin()
        yield stream.decompress(left, _STEP)
        left = b""
        if stream.eof:
            left, stream = stream.unused_data.lstrip(b"\0"), None  # .xz files may be padded with zeros
    if stream is not None:
        raise EOFError("the last stream is not complete")


def _zstd_parts(raw: IO[bytes]) -> Iterator[bytes]:
    """Frame by frame: the library's own stream reader takes a cut frame for the end of the file.

    Little goes in at a time, because four bytes can hold 128 KB.
    """
    import zstandard

    frame = None
    try:
        for piece in iter(lambda: raw.read(_PIECE), b""):
            left = piece
            while left:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(left)
                left = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from error
    if frame is not None:
        raise EOFError("the last frame is not complete")


def _expanded(stream: Iterator[bytes], raw: IO[bytes], name: str) -> bytes:
    """All parts. A line may be long in JSON alone, and there only at a ratio that text can have."""
    parts: list[bytes] = []
    total = since_newline = 0
    for part in filter(None, stream):
        parts.append(part)
        total += len(part)
        at = max(part.rfind(b"\n"), part.rfind(b"\r"))
        since_newline = len(part) - at - 1 if at >= 0 else since_newline + len(part)
        json = parts[0][:64].lstrip()[:1] in (b"{", b"[")
        if since_newline > LONGEST_LINE and not (json and total < _LARGEST_RATIO * raw.tell()):
            refuse_long_line(Place(name))
    return b"".join(parts)


def refuse_long_line(where: Place) -> NoReturn:
    raise DataError(
        "too-large", f"lines below {LONGEST_LINE >> 20} MB", got="a longer one", where=where,
        hint="is this file what it claims to be?",
    )  # fmt: skip


def _damaged(name: str, error: Exception) -> DataError:
    return DataError(
        "compressed", "a whole compressed file", got=f"a damaged one ({error})",
        hint="nothing of it was used; copy or download it again", where=name,
    )  # fmt: skip


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


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
