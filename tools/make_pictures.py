"""Draw the pictures of the documentation, light and dark: `python tools/make_pictures.py [PAGE...]`.

The code is that of the pages: a block that writes `NAME.svg` draws `docs/pictures/NAME.svg` and `NAME-dark.svg`. Only size, font and colours come from here.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from run_page import ROOT, pages, run_page

from judged.plots.style import COLOURS, DARK_COLOURS, FONT

PICTURES = ROOT / "docs" / "pictures"
_WRITES = re.compile(r"(?:savefig|save)\(\"([\w-]+\.svg)\"")
_STYLE = {
    "font.size": FONT,
    "figure.figsize": (5.6, 3.2),
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.1,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text stays text: small files, and readers can search them
    "svg.hashsalt": "judged",
    "figure.facecolor": "none",  # the paper is that of the page
    "axes.facecolor": "none",
    "savefig.facecolor": "auto",
}


@contextlib.contextmanager
def paper(*, dark: bool) -> Iterator[None]:
    """Draw for white paper, or for dark paper; the same code gives the same bytes."""
    import matplotlib as mpl
    from cycler import cycler
    from matplotlib import style

    colours = cycler(color=DARK_COLOURS if dark else COLOURS)
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with style.context(["dark_background"] if dark else []), mpl.rc_context({**_STYLE, "axes.prop_cycle": colours, "grid.color": "#ffffff" if dark else "#000000"}):  # fmt: skip
        yield


def written(page: Path) -> list[str]:
    """Return the names of the pictures that the code of a page writes."""
    text = page.read_text(encoding="utf-8")
    return _WRITES.findall(text) if PICTURES.parent in page.parents and ".svg#only-light" in text else []


def drawn(page: Path, *, dark: bool) -> dict[str, str]:
    """Run a page and return its pictures by name."""
    import matplotlib.pyplot as plt

    with tempfile.TemporaryDirectory() as folder, paper(dark=dark):
        result = run_page(page, Path(folder).resolve())
        plt.close("all")
        if result.problems:
            raise SystemExit("\n".join(result.problems))
        return {
            name: (Path(folder) / name).read_text(encoding="utf-8")
            for name in written(page)
            if (Path(folder) / name).exists()
        }  # some code is not run


def picture_path(name: str, ending: str, *, dark: bool) -> Path:
    """Return the place of a picture."""
    return PICTURES / f"{name}{'-dark' if dark else ''}.{ending}"


def main() -> None:
    """Draw the pictures of the pages that are named, or of all."""
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else pages():
        for dark in (False, True) if written(page.resolve()) else ():
            for name, text in drawn(page.resolve(), dark=dark).items():
                path = picture_path(Path(name).stem, "svg", dark=dark)
                path.write_text(text, encoding="utf-8")
                print(path.relative_to(ROOT))


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    main()
