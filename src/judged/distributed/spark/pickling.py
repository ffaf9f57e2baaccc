"""Objects as compressed bytes, on their way to the workers of Spark and back."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import Any

__all__ = ["pack", "unpack"]

_HEAD = 8  # bytes: how long it is when it is not compressed


def pack(thing: Any) -> bytes:
    """Anything that can be pickled; functions that no module holds too."""
    import pyarrow as pa

    raw = import_module("pyspark.cloudpickle").dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
    return len(raw).to_bytes(_HEAD, "little") + pa.Codec("zstd").compress(raw, asbytes=True)


def unpack(packed: bytes) -> Any:
    """What was packed. Only ever what this session and its own workers sent to each other."""
    import pyarrow as pa

    size = int.from_bytes(packed[:_HEAD], "little")
    raw = pa.Codec("zstd").decompress(memoryview(packed)[_HEAD:], decompressed_size=size)
    return pickle.loads(raw)  # noqa: S301 - our own bytes
