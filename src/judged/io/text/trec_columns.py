"""The columns of TREC files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from judged.errors import DataError, Place, shown
from judged.io.text.decimals import What

__all__ = ["PREFS", "QRELS", "RUN", "SCORES", "TrecColumns", "refuse_alone", "refuse_line"]


@dataclass(frozen=True, slots=True)
class TrecColumns:
    """The columns of a kind of file."""

    what: str
    columns: tuple[str, ...]
    number: int  # the column that holds the score or grade
    whole: bool = False  # whether a lenient reader takes that number as a whole one (C's `atol`)

    @property
    def number_name(self) -> What:
        return "score" if self.columns[self.number] == "score" else "grade"


RUN = TrecColumns("run", ("query", "Q0", "doc", "rank", "score", "tag"), 4)
QRELS = TrecColumns("qrels", ("query", "0", "doc", "grade"), 3, whole=True)
PREFS = TrecColumns("preferences", ("query", "group", "subgroup", "doc", "grade"), 4)
SCORES = TrecColumns("scores", ("score",), 0)


def refuse_line(text: bytes, where: Place, count: int, layout: TrecColumns, *, other_kind: bool) -> NoReturn:
    plural = "s" if len(layout.columns) > 1 else ""
    wanted = f"{len(layout.columns)} column{plural} ({' '.join(layout.columns)})"
    slug, hint = "columns", "was the file cut off, or is it of another kind?"
    if other_kind and (layout.what, count) in (("run", 4), ("qrels", 6)):
        slug = "swapped"
        looks = "judgments" if layout is RUN else "a run"
        hint = f"this looks like {looks}; the judgments come first, then the run"
    elif layout is RUN and count == 5:
        hint = "is the tag missing? add any word as sixth column"
    raise DataError(slug, f"expected {wanted}", got=f"{count}: {shown(text)}", hint=hint, where=where, value=text)


def refuse_alone(name: str) -> NoReturn:
    """Scores do not say whose they are."""
    raise DataError(
        "scores-alone", "a run: queries, documents and scores", got="a column of scores", where=name,
        hint="evaluate it beside the labels, in the same order: evaluate('test.letor', 'scores.txt'); or read_run(…, labels='test.letor')",
    )  # fmt: skip
