"""The sample collection that comes with the package."""

from __future__ import annotations

from pathlib import Path

from judged.errors import UsageError


def sample_path(name: str = "qrels.txt") -> Path:
    """Return the path of a file of the sample collection, such as `qrels.txt` or `runs/bm25.run`, or of a tutorial, such as `shop/ratings.csv`.

    >>> sample_path("runs/bm25.run").name
    'bm25.run'
    """
    root = Path(__file__).parents[1] / "sample"  # beside the code, however it was installed
    path = root / name
    if not path.is_file() or not path.resolve().is_relative_to(root.resolve()):
        names = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
        raise UsageError("io", f"no sample file {name!r}", value=name, hint=f"choose one of {', '.join(names)}")
    return path
