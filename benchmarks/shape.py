"""The collections: their sizes, and where their files lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

__all__ = ["SHAPES", "Shape"]


@dataclass(frozen=True)
class Shape:
    """A run of `queries` × `depth` lines, and about `judgments` a query, `found` of them retrieved."""

    queries: int
    depth: int
    judgments: float
    found: float
    grades: tuple[int, ...] = (1,)
    letters: bool = False

    @property
    def rows(self) -> int:
        return self.queries * self.depth

    def small(self) -> Shape:
        """About a fiftieth of the rows: shorter rankings if there are few of them, fewer rankings otherwise."""
        if self.depth > 10_000:
            return replace(self, depth=self.depth // 50)
        return replace(self, queries=max(10, self.queries // 50))

    def files(self, folder: Path, name: str) -> tuple[Path, Path]:
        """The judgments and the run. The size is part of the name, so a file of another size is never taken."""
        stem = f"{name.replace(', ', '-').replace(' ', '-')}.{self.queries}x{self.depth}"
        return folder / f"{stem}.qrels", folder / f"{stem}.run"


MARCO = Shape(6_980, 1_000, judgments=1.07, found=0.85)
COVID = Shape(50, 1_000, judgments=400, found=0.5, grades=(0, 0, 0, 1, 2), letters=True)
DEEP = Shape(20, 500_000, judgments=500, found=0.8, grades=(0, 0, 0, 1, 2))
WIDE = Shape(500_000, 10, judgments=1.07, found=0.6)

SHAPES = {
    "marco": MARCO,
    "covid": COVID,
    "deep": DEEP,
    "deep, half the depth": replace(DEEP, depth=DEEP.depth // 2),
    "deep, half the queries": replace(DEEP, queries=DEEP.queries // 2),
    "wide": WIDE,
    "wide, half the depth": replace(WIDE, depth=WIDE.depth // 2),
    "wide, half the queries": replace(WIDE, queries=WIDE.queries // 2),
}
