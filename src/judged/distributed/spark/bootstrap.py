"""The first step on a Spark worker: import judged, or report that it is missing.

The function is pickled by value, as nested functions always are, and imports what it needs when it runs. So it can be
unpickled where judged is not installed, and adds the copy that was shipped (`Spark(ship=True)`) to the import path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def worker_function(
    entry: str, token: str, packed: bytes, version: str, folder: str | None, missing: str
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return a function for `mapInArrow`.

    Args:
        entry: dotted name of the function that does the work, such as `judged.distributed.spark.worker.run_on_items`.
        token: identifies the argument, so that a process unpacks it once.
        packed: the argument of that function.
        version: version of judged on the driver.
        folder: folder of the shipped copy among the files of the session.
        missing: message if a worker has no judged.
    """

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        import importlib
        import sys

        if folder is not None and "judged" not in sys.modules:
            sys.path.insert(0, importlib.import_module("pyspark").SparkFiles.get(folder))
            importlib.invalidate_caches()
        try:
            installed = importlib.import_module("judged").__version__
            module, _, name = entry.rpartition(".")
            work = getattr(importlib.import_module(module), name)
        except ImportError as error:
            raise RuntimeError(f"{missing}: {error} ({sys.executable})") from error
        if installed != version:
            raise RuntimeError(f"{missing}: worker has judged {installed} ({sys.executable}), driver {version}")
        yield from work(batches, token, packed)

    return run
