"""The answer of a comparison as a picture card."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from judged.comparison.answer import PLACES, answers, between, certainty, relative, signed_percent, span_of, words_text
from judged.errors import UsageError, safe, shown
from judged.io.atomic import write_atomically
from judged.io.run_names import short_names
from judged.measures.grammar import parse
from judged.plots.card import Card, card_picture
from judged.steps import step
from judged.tables.text import counted, number, signed

if TYPE_CHECKING:
    from judged.comparison.comparison import Comparison

_ENDINGS = (".png", ".svg", ".pdf")
_LONGEST = 22  # letters of a name


def card_of(comparison: Comparison, measure: str) -> Card:
    """Return the card of a measure."""
    answer = answers(comparison)[comparison.measures.index(measure)]
    names = [_short(name) for name in short_names(comparison.names)]
    a, b = answer.pair
    row = between(comparison, measure, a, b)
    sure, share, span = certainty(row, comparison.settings.tests), relative(row, parse(measure))[0], span_of(row)
    means = f"{names[a]} {number(row.mean_a, PLACES)} → {names[b]} {number(row.mean_b, PLACES)}"
    footer = (
        f"{measure}, {counted(row.queries, 'query')}, {counted(len(names), 'run')} · {comparison.settings.test} test"
    )
    return Card(
        headline=words_text(answer.words, names),
        tone="" if span is None else span.tone,
        size=signed(row.difference, PLACES) + ("" if share is None else f"  ({signed_percent(share)})"),
        unit=measure,
        means=means,
        difference=row.difference,
        ends=None if math.isnan(row.low) else (row.low, row.high),
        ends_text=(signed(row.low, PLACES), signed(row.high, PLACES)),
        interval=comparison.settings.interval_name(),
        sure=sure.short,
        odds=sure.long[0] if sure.long else "",
        counts=(row.wins, row.ties, row.losses),
        footer=footer,
    )


def write_card(comparison: Comparison, path: str | os.PathLike[str], measure: str | None, *, dark: bool) -> None:
    """Write the card of a measure, the first if none is named, in the format given by the file extension."""
    measure = measure or comparison.measures[0]
    if measure not in comparison.measures:
        hint = f"choose one of {', '.join(comparison.measures)}"
        raise UsageError("not-asked", f"{measure} was not evaluated", hint=hint, value=measure)
    ending = Path(path).suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError(
            "ending",
            f"{shown(str(path))} has an unknown extension",
            hint=f"use one of {', '.join(_ENDINGS)}",
            value=str(path),
        )
    with step("drawing the card"):
        picture = card_picture(card_of(comparison, measure), ending[1:], dark=dark)
    files = [file for result in comparison.results for file in result.input_files]
    with write_atomically(path, "wb", inputs=files) as file:
        file.write(picture)


def _short(name: str) -> str:
    name = safe(name)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 + 1 :]}"
