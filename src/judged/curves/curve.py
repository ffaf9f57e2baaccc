"""A curve as plain data: points, what they were found at, and a band."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from judged._types import Floats
from judged.errors import UsageError, Warned, shown

__all__ = ["Curve", "CurveSet", "Kind"]

Kind = Literal["pr", "ipr", "roc", "at-k"]


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a picture. `low` and `high` bound `y` at each point; `at` is the rank, cutoff or score it was found at."""

    name: str
    x: Floats
    y: Floats
    at: Floats | None = None
    low: Floats | None = None
    high: Floats | None = None
    rule: Literal["step", "line"] = "line"  # how points are joined, and so what the area is

    def __len__(self) -> int:
        return len(self.x)

    def area(self, upto: float = 1.0, *, standardised: bool = False) -> float:
        """The area under the curve, from x = 0 to `upto`.

        By steps for precision and recall: Σ (recall gained) · precision, which is average precision, and not what a
        trapezoid would give. By straight lines for ROC, so that equal scores get half credit, and for means over queries, which keep
        the height of their first point down to 0. `standardised` rescales
        a partial area so that chance gives ½ and perfection 1 (McClish 1989).

        >>> Curve("roc", np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0])).area()
        0.75
        """
        if not isinstance(upto, int | float) or not 0 < upto <= 1:
            raise UsageError("parameter", "upto above 0, at most 1", got=shown(upto), value=upto)
        if not len(self.x) or self.x[0] < 0 or self.x[-1] > 1:
            raise UsageError("curve", "a curve over shares from 0 to 1", got=f"{self.name!r}, which has no such area")
        if self.rule == "step":
            widths = np.diff(np.minimum(self.x, upto), prepend=0.0)
            area = float(np.sum(widths * self.y))
        else:
            inside = self.x <= upto
            x = np.concatenate([[0.0], self.x[inside], [upto]])
            y = np.concatenate([[self.y[0]], self.y[inside], [self.height(upto)]])
            area = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))
        if not standardised:
            return area
        least = upto * upto / 2
        return 0.5 * (1 + (area - least) / (upto - least))

    def height(self, x: float) -> float:
        """The value at any x, on the straight line between points: the highest, where the curve is upright."""
        later = int(np.searchsorted(self.x, x, "right"))
        if later == 0 or later == len(self.x):
            return float(self.y[max(later - 1, 0)])
        share = (x - self.x[later - 1]) / (self.x[later] - self.x[later - 1])
        return float(self.y[later - 1] + share * (self.y[later] - self.y[later - 1]))

    def rows(self) -> Iterator[dict[str, Any]]:
        """One mapping a point."""
        columns = [(name, getattr(self, name)) for name in ("at", "x", "y", "low", "high")]
        present = [(name, column.tolist()) for name, column in columns if column is not None]
        for point in zip(*(column for _, column in present), strict=True):
            yield {"curve": self.name, **{name: value for (name, _), value in zip(present, point, strict=True)}}


@dataclass(frozen=True, eq=False)
class CurveSet:
    """Several curves over the same axes, with what must be said about them.

    `for curve in picture`, `picture["bm25"]`; `print(picture)` draws in the terminal, `picture.plot(ax=…)` on matplotlib axes.
    """

    kind: Kind
    curves: tuple[Curve, ...]
    x_label: str
    y_label: str
    at_label: str
    title: str = ""
    marks: tuple[str, ...] = ()  # what stands behind each name in a legend
    notes: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    log_x: bool = False
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # of "x" and "y", where they are known

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
        raise UsageError("no-curve", f"one of {', '.join(c.name for c in self.curves)}", got=shown(name), value=name)

    # ── as other things ──────────────────────────────────────────────────────────────────────────

    def rows(self) -> list[dict[str, Any]]:
        """One mapping a point: curve, at, x, y and, where there is a band, low and high."""
        return [row for curve in self.curves for row in curve.rows()]

    def to_pandas(self) -> Any:
        """A pandas frame, one row a point."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """A polars frame, one row a point."""
        import polars as pl

        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def to_json(self) -> str:
        """Points, labels and notes as strict JSON: what is not finite is null."""
        columns = ("at", "x", "y", "low", "high")
        curves = [
            {"name": c.name, **{n: _finite(getattr(c, n)) for n in columns if getattr(c, n) is not None}}
            for c in self.curves
        ]
        data = {
            "judged-curves": 1,
            "kind": self.kind,
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "at": self.at_label,
            "notes": list(self.notes),
            "warnings": [w.to_dict() for w in self.warnings],
            "curves": curves,
        }
        return json.dumps(data, allow_nan=False)

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────

    def plot(self, ax: Any = None) -> Any:
        """Draw on matplotlib axes (new ones unless given), and give them back."""
        from judged.curves.draw import draw

        return draw(self, ax)

    def picture(self, form: str, *, size: tuple[float, float] | None = None, dpi: int | None = None) -> bytes:
        """The picture as SVG, PNG or PDF, of a size in inches: the same bytes for the same points."""
        from judged.curves.draw import picture

        if form not in ("svg", "png", "pdf"):
            raise UsageError("format", "svg, png or pdf", got=shown(form), value=form)
        return picture(self, form, size, dpi)

    def _repr_svg_(self) -> str | None:
        """The picture in a notebook, where matplotlib is installed."""
        try:
            return self.picture("svg").decode()
        except UsageError:
            return None

    def __str__(self) -> str:
        from judged.curves.draw_terminal import drawn

        return drawn(self)

    __repr__ = __str__


def _finite(column: Floats) -> list[float | None]:
    return [v if math.isfinite(v) else None for v in column.tolist()]
