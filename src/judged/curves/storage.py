"""Write curves to files: pictures, or points as CSV or JSON."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from judged.errors import UsageError
from judged.io.files.atomic import write_atomically
from judged.tables.formats.csv import cell

if TYPE_CHECKING:
    from judged.curves.run_curves import Curves

__all__ = ["curves_csv", "save_curves"]

_PICTURES = (".svg", ".png", ".pdf")


def save_curves(
    curves: Curves, path: str | os.PathLike[str], size: tuple[float, float] | None = None, dpi: int | None = None
) -> None:
    """Write curves as a picture, or their points; the ending decides, and the file appears whole or not at all."""
    ending = Path(path).suffix.lower()
    if ending in _PICTURES:
        content = curves.picture(ending[1:], size=size, dpi=dpi)
        with write_atomically(path, "wb") as file:
            file.write(content)
    elif ending == ".json":
        with write_atomically(path) as file:
            file.write(curves.to_json())
    elif ending == ".csv":
        with write_atomically(path) as file:
            file.write(curves_csv(curves))
    else:
        raise UsageError(
            "ending", "a name that ends in .svg, .png, .pdf, .csv or .json", got=str(path), value=str(path)
        )


def curves_csv(curves: Curves) -> str:
    """One line a point: curve, at, x, y, low, high."""
    out = io.StringIO()
    writer = csv.DictWriter(out, ("curve", "at", "x", "y", "low", "high"), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in curves.rows())
    return out.getvalue()
