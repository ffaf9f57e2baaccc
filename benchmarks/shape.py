"""The collections: their sizes, and where their files lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["SHAPES", "Shape"]


@dataclass(frozen=True)
class Shape:
    """Runs of `queries` × `depth` lines, and about `judgments` per query, `found` of them retrieved.

    `format` is the ending of the run's file; `parts` is a directory with the run in eight files, `runs` one with several runs.
    """

    queries: int
    depth: int
    judgments: float
    found: float
    grades: tuple[int, ...] = (1,)
    letters: bool = False
    format: str = "run"
    runs: int = 1

    @property
    def rows(self) -> int:
        return self.queries * self.depth

    def small(self) -> Shape:
        """About a fiftieth of the rows: shorter rankings if there are few of them, fewer rankings otherwise."""
        if self.depth > 10_000:
            return replace(self, depth=self.depth // 50)
        return replace(self, queries=max(10, self.queries // 50), runs=min(self.runs, 10))

    def files(self, folder: Path, name: str) -> tuple[Path, Path]:
        """The judgments and the run. The size is part of the name, so a file of another size is never taken."""
        stem = f"{base(name).replace(', ', '-').replace(' ', '-')}.{self.queries}x{self.depth}"
        return folder / f"{stem}.qrels", folder / f"{stem}.{self.format}"

    def run_files(self, folder: Path, name: str) -> list[Path]:
        """The files of a collection of several runs."""
        return [self.files(folder, name)[1] / f"system{i:03}.run" for i in range(self.runs)]


def base(name: str) -> str:
    """The collection whose lines a collection in another format has."""
    return name.partition(" as ")[0]


MARCO = Shape(6_980, 1_000, judgments=1.07, found=0.85)
COVID = Shape(50, 1_000, judgments=400, found=0.5, grades=(0, 0, 0, 1, 2), letters=True)
DEEP = Shape(20, 500_000, judgments=500, found=0.8, grades=(0, 0, 0, 1, 2))
WIDE = Shape(500_000, 10, judgments=1.07, found=0.6)
MILLION = Shape(1_000, 1_000, judgments=50, found=0.6, grades=(0, 0, 0, 1, 2), letters=True)
SMALL = Shape(40, 6, judgments=5.35, found=0.5, grades=(0, 1, 2), letters=True)
FORMATS = ("run.gz", "parquet", "json", "csv", "jsonl", "parts")

SHAPES = {
    "marco": MARCO,
    "covid": COVID,
    "deep": DEEP,
    "deep, half the depth": replace(DEEP, depth=DEEP.depth // 2),
    "deep, half the queries": replace(DEEP, queries=DEEP.queries // 2),
    "wide": WIDE,
    "wide, half the depth": replace(WIDE, depth=WIDE.depth // 2),
    "wide, half the queries": replace(WIDE, queries=WIDE.queries // 2),
    "million": MILLION,
    **{f"million as {kind}": replace(MILLION, format=kind) for kind in FORMATS},
    "small": SMALL,
    "sixty": Shape(50, 300, judgments=250, found=0.4, grades=(0, 0, 0, 1, 2), letters=True, format="runs", runs=60),
    "track": Shape(250, 100, judgments=60, found=0.4, grades=(0, 0, 0, 1, 2), letters=True, format="runs", runs=300),
}
