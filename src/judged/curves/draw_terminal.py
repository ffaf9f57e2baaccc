"""Draw curves in fixed-width text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from judged.errors import safe
from judged.tables.formats.table import wrap

if TYPE_CHECKING:
    from judged.curves.result import Curve, Curves

_WIDE, _NARROW, _HIGH, _LEFT = 61, 20, 17, 9  # cells of the picture, and columns to its left
_SIGNS = "●○▲△■□◆◇+x*#@%&abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draw_text(curves: Curves, columns: int | None = None) -> str:
    """Draw axes and curves, one sign per curve, with a legend below; `columns` is the width of the terminal, None for unlimited."""
    x, y = _limits(curves, "x"), _limits(curves, "y")
    wide = _WIDE if columns is None else max(min(_WIDE, columns - _LEFT), _NARROW)
    cells = [[" "] * wide for _ in range(_HIGH)]
    for i in reversed(range(len(curves))):  # the first curve is on top
        for column, row in _cells(curves[i], x, y, wide, curves.log_x):
            cells[row][column] = _SIGNS[i % len(_SIGNS)]
    ticks = {0: y[1], (_HIGH - 1) // 2: (y[0] + y[1]) / 2, _HIGH - 1: y[0]}
    lines = [
        f"{_number(ticks[r]) if r in ticks else '':>7} {'┤' if r in ticks else '│'}{''.join(row).rstrip()}"
        for r, row in enumerate(cells)
    ]
    rule = f"{'':>7} └{'─' * wide}"
    names = [
        f"{'':>{_LEFT}}{_SIGNS[i % len(_SIGNS)]} {safe(curve.name)}{f' {curves.marks[i]}' if curves.marks else ''}"
        for i, curve in enumerate(curves)
    ]
    head = [safe(curves.title), ""] if curves.title else []
    below = [*map(safe, curves.notes), *(f"warning: {safe(str(w))}" for w in curves.warnings)]
    notes = ["", *below] if columns is None else ["", *(line for note in below for line in wrap(note, columns))]
    body = [f"{'':>7} {curves.y_label}", *lines, rule, _axis(curves, x, wide), "", *names]
    return "\n".join([*head, *body, *(notes if len(notes) > 1 else [])])


def _limits(curves: Curves, axis: str) -> tuple[float, float]:
    if axis in curves.limits:
        return curves.limits[axis]
    values = np.concatenate([getattr(curve, axis) for curve in curves] or [np.zeros(1)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    low = min(low, 0.0) if axis == "y" else low
    return (low, high) if high > low else (low, low + 1.0)


def _cells(curve: Curve, x: tuple[float, float], y: tuple[float, float], wide: int, log: bool) -> list[tuple[int, int]]:
    """Return the cells of a curve, one per column, by linear interpolation between points."""
    fine = np.isfinite(curve.x) & np.isfinite(curve.y)
    if not fine.any():
        return []
    across = np.array([_share(v, x, log) for v in curve.x[fine].tolist()]) * (wide - 1)
    columns = np.arange(math.ceil(across[0] - 0.5), math.floor(across[-1] + 0.5) + 1)
    heights = np.interp(columns, across, curve.y[fine])
    rows = np.rint((1 - (heights - y[0]) / (y[1] - y[0])) * (_HIGH - 1)).astype(int)
    return [(int(c), int(r)) for c, r in zip(columns, rows, strict=True) if 0 <= c < wide and 0 <= r < _HIGH]


def _share(value: float, limits: tuple[float, float], log: bool) -> float:
    low, high = limits
    if log:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def _axis(curves: Curves, x: tuple[float, float], wide: int) -> str:
    low, high = _number(x[0]), _number(x[1])
    middle = curves.x_label.center(wide - len(low) - len(high))
    return f"{'':>{_LEFT}}{low}{middle}{high}"


def _number(value: float) -> str:
    return f"{value:g}" if value == int(value) else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
