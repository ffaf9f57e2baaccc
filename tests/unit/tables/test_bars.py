"""Intervals as bars: text and SVG."""

import re
from xml.etree import ElementTree

import pytest
from contrast import contrast

from judged.tables.formats.html import table_html
from judged.tables.formats.table import table_text
from judged.tables.table import TONES, Span, Table, axes_of, svg_bar, text_bar, zero_place

SPANS = (Span(0.1, 0.2, 0.3, "better"), Span(-0.3, -0.2, -0.1, "worse"), Span(-0.1, 0.05, 0.1))
ROWS = tuple((f"run {i}", f"{span.value:+.4f}", "12/3/4") for i, span in enumerate(SPANS))
TABLE = Table(("run", "difference", "won/tied/lost"), ROWS, optional=(2,), spans=SPANS)


@pytest.mark.parametrize("columns", [15, 22, 31])
def test_a_bar_shows_the_value_within_its_interval_against_0(columns):
    (axis,) = axes_of(SPANS).values()
    assert axis == (-0.3, 0.3)
    for span in SPANS:
        bar = text_bar(span, axis, columns)
        assert len(bar) == columns
        low, value, high = bar.index("├"), re.search("[●○]", bar).start(), bar.index("┤")
        assert low < value < high
        assert ("●" in bar) == (span.tone != "")
        zero = zero_place(axis, columns)
        assert (low <= zero <= high) == (not span.tone)
        assert bar[zero] in ("│" if span.tone else "┼├┤○●")


def test_0_is_at_an_end_of_the_axis_of_intervals_on_one_side():
    assert axes_of([SPANS[0], None]) == {"": (0.0, 0.3)}
    assert zero_place((0.0, 0.3), 20) == 0
    assert zero_place((-0.3, 0.0), 20) == 19


def test_an_interval_without_width_is_a_dot():
    span = Span(0.0, 0.0, 0.0)
    assert text_bar(span, axes_of([span])[""], 15).strip() == "○"
    ElementTree.fromstring(svg_bar(span, axes_of([span])[""]))


def test_svg_draws_the_interval_in_the_colour_of_its_verdict():
    (axis,) = axes_of(SPANS).values()
    for span in SPANS:
        root = ElementTree.fromstring(svg_bar(span, axis, 100))
        zero, *lines = [path.get("d") for path in root.iter("path")]
        assert zero.startswith("M50.0 ")
        assert len(lines) == (1 if span.tone else 2)
        (dot,) = root.iter("circle")
        assert dot.get("fill") == TONES.get(span.tone, "none")


@pytest.mark.parametrize("paper", ["#ffffff", "#111111", "#1e1e1e"])
def test_colours_are_visible_on_light_and_dark_notebooks(paper):
    assert all(contrast(colour, paper) >= 3 for colour in TONES.values())


def test_a_terminal_with_room_gets_bars_and_a_narrow_one_does_not():
    wide, narrow = (table_text(TABLE, columns=columns) for columns in (60, 30))
    assert wide.count("●") == 2
    assert wide.splitlines()[0].rstrip().endswith("0")
    assert "●" not in narrow
    assert all(len(line) <= 30 for line in narrow.splitlines())
    assert "●" not in table_text(TABLE)


def test_bars_are_more_important_than_optional_columns():
    text = table_text(TABLE, columns=38)
    assert "●" in text
    assert "12/3/4" not in text
    assert "columns that need a wider terminal: won/tied/lost" in " ".join(text.split())


def test_html_has_a_bar_per_row_without_style():
    html = table_html(TABLE)
    assert html.count("<svg ") == len(SPANS)
    assert "style" not in html
    assert table_html(TABLE.head(1)).count("<svg ") == 1


def test_groups_are_written_above_their_rows():
    rows = (("AP", "x", "0.1"), ("AP", "y", "0.2"), ("RR", "x", "0.3"))
    table = Table(("measure", "run", "value"), rows, words=(0, 1), grouped=True)
    assert table_text(table, columns=40).splitlines() == [
        "run  value", "───  ─────", "AP", "x      0.1", "y      0.2", "RR", "x      0.3",
    ]  # fmt: skip
    assert table_text(table).splitlines()[0].split() == ["measure", "run", "value"]
