"""Decompression by fast libraries, with limits against decompression bombs; a file is read completely or not at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import IO, Any

from judged.errors import DataError

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from zstandard import ZstdError

    def ZstdDecompressor() -> Any:  # noqa: N802
        from zstandard import ZstdDecompressor as Frames

        return Frames().decompressobj()


_gzip: Any = gzip
_gzip_error: Any = zlib.error
with suppress(ImportError):  # isal has no wheels for some platforms
    from isal import igzip, isal_zlib

    _gzip, _gzip_error = igzip, isal_zlib.error

_STEP = 8 << 20
_FIRST = 1 << 16  # as much as shows the format
_PIECE = 1 << 10
_XZ_MEMORY = 256 << 20  # four times what xz -9 needs; a header may ask for 4 GB
_BEGIN: dict[str, Callable[[], Any]] = {
    "zstd": ZstdDecompressor,
    "bzip2": bz2.BZ2Decompressor,
    "xz": partial(lzma.LZMADecompressor, memlimit=_XZ_MEMORY),
}
# bz2 has none of its own.
_DAMAGE: tuple[Any, ...] = (EOFError, OSError, zlib.error, _gzip_error, lzma.LZMAError, ZstdError)


def decompress(raw: IO[bytes], kind: str, name: str, step: int = _STEP) -> Iterator[bytes]:
    """Decompress a file piece by piece; damage shows when its piece is reached. The first piece is small: it shows the format."""
    try:
        if kind != "gzip":
            yield from _stream_parts(raw, _BEGIN[kind], step)
            return
        with _gzip.open(raw) as stream:
            yield stream.read(min(step, _FIRST))
            yield from iter(lambda: stream.read(step), b"")
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = f"the compressed file is damaged ({error}); none of it was used"
        raise DataError("damaged", problem, hint="copy or download it again", where=name) from error


def _stream_parts(raw: IO[bytes], begin: Callable[[], Any], step: int) -> Iterator[bytes]:
    """Decompress stream by stream: the libraries' own readers take a cut or damaged stream for the end of the file.

    The file is read in small pieces, because four bytes of zstd can hold 128 KB.
    """
    stream, held, most = None, bytearray(), min(step, _FIRST)
    for piece in iter(lambda: raw.read(_PIECE), b""):
        left = piece
        while left := left if stream else left.lstrip(b"\0"):  # .xz files may be padded with zeros
            stream = stream or begin()
            held += stream.decompress(left)
            left = stream.unused_data if stream.eof else b""
            stream = None if stream.eof else stream
        if len(held) >= most:
            yield bytes(held)
            held, most = bytearray(), step
    if stream is not None:
        raise EOFError("the last stream is not complete")
    yield bytes(held)
