"""Decompression by fast libraries, with limits against decompression bombs; a file is read completely or not at all."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

import zstandard
from isal import igzip, isal_zlib

from judged.errors import DataError

_STEP = 8 << 20
_PIECE = 1 << 10
_XZ_MEMORY = 256 << 20  # four times what xz -9 needs; a header may ask for 4 GB
_DAMAGE: tuple[Any, ...] = (EOFError, OSError, isal_zlib.error, lzma.LZMAError)  # bz2 has none of its own


def decompress(raw: IO[bytes], kind: str, name: str, step: int = _STEP) -> Iterator[bytes]:
    """Decompress a file piece by piece; damage shows when its piece is reached."""
    try:
        if kind == "zstd":
            yield from _zstd_parts(raw)
        elif kind in ("bzip2", "xz"):
            begin = bz2.BZ2Decompressor if kind == "bzip2" else partial(lzma.LZMADecompressor, memlimit=_XZ_MEMORY)
            yield from _stream_parts(raw, begin, step)
        else:
            with igzip.open(raw) as stream:
                yield from iter(lambda: stream.read(step), b"")
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = f"the compressed file is damaged ({error}); none of it was used"
        raise DataError("compressed", problem, hint="copy or download it again", where=name) from error


def _stream_parts(raw: IO[bytes], begin: Callable[[], Any], step: int) -> Iterator[bytes]:
    """Decompress stream by stream: the modules' own readers take anything after a damaged stream for the end of the file."""
    stream, left = None, b""
    while True:
        if not left and (stream is None or stream.needs_input):
            left = raw.read(step)
            if not left:
                break
        stream = stream or begin()
        yield stream.decompress(left, step)
        left = b""
        if stream.eof:
            left, stream = stream.unused_data.lstrip(b"\0"), None  # .xz files may be padded with zeros
    if stream is not None:
        raise EOFError("the last stream is not complete")


def _zstd_parts(raw: IO[bytes]) -> Iterator[bytes]:
    """Decompress frame by frame: the library's own stream reader takes a cut frame for the end of the file.

    Small pieces, because four bytes can hold 128 KB.
    """
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
