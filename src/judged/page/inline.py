"""`Page`: the HTML report as an object that notebooks show."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from html import escape

from judged.io.atomic import write_atomically
from judged.tables.result import Result

_MOST = 5_000_000  # bytes: a notebook stores what it shows, and becomes slow with more
_HEIGHT = 720  # pixels
# The frame has an origin of its own: scripts of the page reach neither the notebook nor its server.
_FRAME = (
    '<iframe title="{title}" srcdoc="{page}" sandbox="allow-scripts allow-downloads allow-popups" width="100%" height="{height}"'
    ' style="border:1px solid rgba(128,128,128,.35);border-radius:6px"></iframe>'
)


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """The page that `report` makes without a path: shown by notebooks, and saved with `save`.

    `html` is the whole document, `result` what it shows.
    """

    html: str
    result: Result = field(compare=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with write_atomically(path) as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"Page of {len(self.html.encode()) / 1e6:.1f} MB; page.save('report.html') writes it to a file"

    def _repr_html_(self) -> str:
        """The page in a sandboxed frame; the result and a note if the page is too large for a notebook."""
        size = len(self.html.encode())
        if size <= _MOST:
            return _FRAME.format(title="Report", page=escape(self.html), height=_HEIGHT)
        note = f"The page has {size / 1e6:.1f} MB, too much for a notebook: write it with page.save('report.html')."
        return f"{self.result._repr_html_()}<p>{escape(note)}</p>"
