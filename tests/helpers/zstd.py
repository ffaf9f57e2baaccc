"""Compression by Zstandard, with the library that this version of Python has."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import CompressionParameter
    from compression.zstd import compress as compress

    def compress_with_checksum(data: bytes) -> bytes:
        return compress(data, options={CompressionParameter.checksum_flag: 1})
else:
    import zstandard
    from zstandard import compress as compress

    def compress_with_checksum(data: bytes) -> bytes:
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)
