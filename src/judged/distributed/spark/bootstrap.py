"""What a worker of Spark does first: it finds judged, or says that there is none.

The function is sent by value, as one that stands inside another always is, and imports what it needs when it runs: so it can be
unpacked where judged is not installed, and puts the one that was sent along (`Spark(ship=True)`) where it is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["worker"]


def worker(
    entry: str, token: str, packed: bytes, version: str, folder: str | None, missing: str
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for `mapInArrow`.

    Args:
        entry: the function of `_spark_worker` that does the work.
        token: names what is packed, so that a process unpacks it once.
        packed: what that function needs.
        version: of judged here.
        folder: where the one that was sent along lies, among the files of the session.
        missing: what to say where there is no judged.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib
        import sys

        if folder is not None and "judged" not in sys.modules:
            sys.path.insert(0, importlib.import_module("pyspark").SparkFiles.get(folder))
            importlib.invalidate_caches()
        try:
            found = importlib.import_module("judged").__version__
            work = importlib.import_module("judged.distributed.spark.worker")
        except ImportError as error:
            raise RuntimeError(f"{missing}: {error}") from error
        if found != version:
            raise RuntimeError(f"{missing}: judged {found} there, {version} here")
        yield from getattr(work, entry)(batches, token, packed)

    return run
