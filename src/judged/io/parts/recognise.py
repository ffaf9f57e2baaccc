"""Recognise runs in several partitions, without importing what reads them."""

from __future__ import annotations

from typing import Any

from judged.io.files.source import PATH, file_path


def is_partitioned(source: Any) -> bool:
    """Return whether a run is in several partitions: several files, an address in a store, a dataset of pyarrow, a lazy frame of polars.

    >>> is_partitioned({"q1": ["d1"]})
    False
    """
    if isinstance(source, PATH):  # nearly always a file
        if source == "-" or file_path(source):
            return False
    elif isinstance(source, list | tuple):
        if not source or not isinstance(source[0], PATH):
            return False
    else:
        return is_dataset(source) or is_lazy(source)
    from judged.io.files.listing import is_listable

    return is_listable(source)


def is_dataset(source: Any) -> bool:
    """Return whether this is a dataset of pyarrow, without importing it."""
    return "pyarrow" in _packages(source) and hasattr(source, "get_fragments")


def is_lazy(source: Any) -> bool:
    """Return whether this is a lazy frame of polars, without importing it."""
    kind = type(source)
    return "polars" in _packages(source) and hasattr(kind, "collect_schema") and hasattr(kind, "collect")


def is_spark(source: Any) -> bool:
    """Return whether this is a Spark DataFrame, of a classic session or of Spark Connect, without importing PySpark."""
    return type(source).__module__.startswith("pyspark.sql.") and hasattr(source, "mapInArrow")


def _packages(source: Any) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(source).__mro__}
