"""Draw curves in fixed-width text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from judged.errors import safe

if TYPE_CHECKING:
    from judged.curves.result import Curve, Curves

_WIDE, _HIGH = 61, 17
_SIGNS = "●○▲△■□◆◇+x*#@%&abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draw_text(curves: Curves) -> str:
    """Draw axes and curves, one sign per curve, with a legend below."""
    x, y = _limits(curves, "x"), _limits(curves, "y")
    cells = [[" "] * _WIDE for _ in range(_HIGH)]
    for i in reversed(range(len(curves))):  # the first curve is on top
        for column, row in _cells(curves[i], x, y, curves.log_x):
            cells[row][column] = _SIGNS[i % len(_SIGNS)]
    ticks = {0: y[1], (_HIGH - 1) // 2: (y[0] + y[1]) / 2, _HIGH - 1: y[0]}
    lines = [f"{_number(ticks[r]) if r in ticks else '':>7} {'┤' if r in ticks else '│'}{''.join(row).rstrip()}"
             for r, row in enumerate(cells)]  # fmt: skip
    rule = f"{'':>7} └{'─' * _WIDE}"
    names = [
        f"{'':>9}{_SIGNS[i % len(_SIGNS)]} {safe(curve.name)}{f' {curves.marks[i]}' if curves.marks else ''}"
        for i, curve in enumerate(curves)
    ]
    head = [safe(curves.title), ""] if curves.title else []
    notes = ["", *map(safe, curves.notes), *(f"warning: {safe(str(w))}" for w in curves.warnings)]
    body = [f"{'':>7} {curves.y_label}", *lines, rule, _axis(curves, x), "", *names]
    return "\n".join([*head, *body, *(notes if len(notes) > 1 else [])])


def _limits(curves: Curves, axis: str) -> tuple[float, float]:
    if axis in curves.limits:
        return curves.limits[axis]
    values = np.concatenate([getattr(curve, axis) for curve in curves] or [np.zeros(1)])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    low = min(low, 0.0) if axis == "y" else low
    return (low, high) if high > low else (low, low + 1.0)


def _cells(curve: Curve, x: tuple[float, float], y: tuple[float, float], log: bool) -> list[tuple[int, int]]:
    """Return the cells of a curve, one per column, by linear interpolation between points."""
    fine = np.isfinite(curve.x) & np.isfinite(curve.y)
    if not fine.any():
        return []
    across = np.array([_share(v, x, log) for v in curve.x[fine].tolist()]) * (_WIDE - 1)
    columns = np.arange(math.ceil(across[0] - 0.5), math.floor(across[-1] + 0.5) + 1)
    heights = np.interp(columns, across, curve.y[fine])
    rows = np.rint((1 - (heights - y[0]) / (y[1] - y[0])) * (_HIGH - 1)).astype(int)
    return [(int(c), int(r)) for c, r in zip(columns, rows, strict=True) if 0 <= c < _WIDE and 0 <= r < _HIGH]


def _share(value: float, limits: tuple[float, float], log: bool) -> float:
    low, high = limits
    if log:
        return math.log(value / low) / math.log(high / low)
    return (value - low) / (high - low)


def _axis(curves: Curves, x: tuple[float, float]) -> str:
    low, high = _number(x[0]), _number(x[1])
    middle = curves.x_label.center(_WIDE - len(low) - len(high))
    return f"{'':>9}{low}{middle}{high}"


def _number(value: float) -> str:
    return f"{value:g}" if value == int(value) else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
