"""`Curve`: points with a confidence band. `Curves`: several of them over the same axes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, Warned, shown
from judged.io.atomic import write_atomically
from judged.steps import step
from judged.tables.formats import FORMATS
from judged.tables.result import Result
from judged.tables.table import Table, number

Kind = Literal["pr", "ipr", "roc", "at-k"]

UNIT_SQUARE: Mapping[str, tuple[float, float]] = {"x": (0.0, 1.0), "y": (0.0, 1.0)}  # limits of rates

_COLUMNS = ("at", "x", "y", "low", "high")
_PICTURES = (".svg", ".png", ".pdf")


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve. `low` and `high` are the confidence band of `y`; `at` is the rank, cutoff or score of each point."""

    name: str
    x: Floats
    y: Floats
    at: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    rule: Literal["step", "line"] = "line"  # how points are joined, which determines the area

    def __len__(self) -> int:
        return len(self.x)

    def area(self) -> float:
        """Return the area under the curve from x = 0 to 1.

        Precision-recall curves have steps: the area is Σ (recall gained) · precision, which is average precision; trapezoids
        would overestimate it. ROC curves and means over queries have straight lines, so equal scores get half credit; means keep
        the height of their first point down to x = 0, and of their last up to 1.

        >>> Curve("roc", np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0])).area()
        0.75
        """
        if not len(self.x) or self.x[0] < 0 or self.x[-1] > 1:
            raise UsageError("shape", f"{self.name!r} has no such area, because its x values are not in [0, 1]")
        if self.rule == "step":
            return float(np.sum(np.diff(self.x, prepend=0.0) * self.y))
        x = np.concatenate([[0.0], self.x, [1.0]])
        y = np.concatenate([self.y[:1], self.y, self.y[-1:]])
        return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))

    def records(self) -> list[dict[str, Any]]:
        """One row per point."""
        values = [getattr(self, name) for name in _COLUMNS]
        columns = [[None] * len(self) if column is None else column.tolist() for column in values]
        return [{"curve": self.name, **dict(zip(_COLUMNS, point, strict=True))} for point in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class Curves(Result):
    """Curves over the same axes, with labels, notes and warnings.

    `for curve in curves`, `curves["bm25"]`; `print(curves)` draws in the terminal, `curves.plot(ax=…)` on matplotlib axes.
    """

    kind: Kind
    curves: tuple[Curve, ...]
    x_label: str
    y_label: str
    at_label: str
    marks: tuple[str, ...] = ()  # text after each name in a legend
    notes: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    log_x: bool = False
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of "x" and "y", if they are known
    files: tuple[str, ...] = ()  # that the judgments and the runs were read from

    def __len__(self) -> int:
        return len(self.curves)

    def __iter__(self) -> Iterator[Curve]:
        return iter(self.curves)

    def __getitem__(self, name: str | int) -> Curve:
        if isinstance(name, int):
            return self.curves[name]
        for curve in self.curves:
            if curve.name == name:
                return curve
        hint = f"choose one of {', '.join(curve.name for curve in self.curves)}"
        raise UsageError("not-asked", f"no curve {shown(name)}", hint=hint, value=name)

    # ── output ───────────────────────────────────────────────────────────────────────────────────

    def records(self) -> list[dict[str, Any]]:
        """One row per point: curve, at, x, y, low, high."""
        return [record for curve in self.curves for record in curve.records()]

    def tables(self, *, places: int = 4) -> list[Table]:
        """One row per point."""
        headers = ("curve", self.at_label, self.x_label, self.y_label, "low", "high")
        rows = [
            (
                row["curve"],
                f"{row['at']:g}" if row["at"] is not None else "–",
                *(number(row[name], places) for name in _COLUMNS[1:]),
            )
            for row in self.records()
        ]
        notes = (*self.notes, *(f"warning: {w}" for w in self.warnings))
        return [Table(headers, tuple(rows), notes=notes, optional=(5, 4))]

    def to_data(self) -> dict[str, Any]:
        """Points, labels and notes as plain data."""
        columns = [{name: getattr(c, name) for name in _COLUMNS if getattr(c, name) is not None} for c in self.curves]
        return {
            "judged-curves": 1,
            "kind": self.kind,
            "x": self.x_label,
            "y": self.y_label,
            "at": self.at_label,
            "notes": self.notes,
            "warnings": [w.to_dict() for w in self.warnings],
            "curves": [{"name": c.name, **points} for c, points in zip(self.curves, columns, strict=True)],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a plot (.svg, .png, .pdf) or the points, in the format given by the file extension."""
        ending = Path(path).suffix.lower()
        format = next((f.name for f in FORMATS if f.ending == ending), None)
        if ending in _PICTURES:
            content: str | bytes = self.picture(ending[1:])
        elif format is not None:
            content = self.render(format)
        else:
            endings = ", ".join((*_PICTURES, *(f.ending for f in FORMATS)))
            raise UsageError(
                "format", f"{shown(str(path))} has an unknown extension", hint=f"use one of {endings}", value=str(path)
            )
        with write_atomically(path, "wb" if isinstance(content, bytes) else "w", inputs=self.files) as file:
            file.write(content)

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────

    def plot(self, ax: Any = None) -> Any:
        """Draw on the given matplotlib axes, or on new ones; return them."""
        from judged.curves.draw import draw

        return draw(self, ax)

    def picture(self, format: str) -> bytes:
        """Draw as SVG, PNG or PDF; the same points give the same bytes."""
        from judged.curves.draw import picture

        if f".{format}" not in _PICTURES:
            raise UsageError("format", f"format must be svg, png or pdf, got {shown(format)}", value=format)
        with step("drawing"):
            return picture(self, format)

    def to_drawing(self, *, columns: int | None = None) -> str:
        """Draw in fixed-width text, within a number of columns."""
        from judged.curves.draw import draw_text

        return f"{draw_text(self, columns)}\n"

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook; None without matplotlib."""
        try:
            return self.picture("svg").decode()
        except UsageError:
            return None

    def _repr_html_(self) -> str:
        svg = self._repr_svg_()
        return super()._repr_html_() if svg is None else svg[svg.index("<svg") :]

    def __str__(self) -> str:
        return self.to_drawing().rstrip("\n")
