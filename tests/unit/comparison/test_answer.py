"""The answer of a comparison: a short headline per measure, and its size, certainty and queries."""

from dataclasses import replace
from typing import get_args

import pytest

import judged as jd
from judged.comparison.difference import (
    certainty,
    odds,
    pair_details,
    pair_headline,
    relative,
    span_of,
    words_text,
)
from judged.comparison.tables import TableName
from judged.measures.registry import parse
from judged.stats.decisions import OPPOSITE, Verdict
from judged.tables.formats.table import table_text
from judged.tables.table import number, signed

FILES = [str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "tfidf", "dense")]


@pytest.fixture(scope="module")
def board():
    return jd.compare(jd.sample_path("qrels.txt"), FILES, "nDCG@10 AP P@10")


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_a_headline_has_at_most_twelve_words(board, verdict):
    row = replace(board.rows[0], verdict=verdict)
    text = words_text(pair_headline(row, 0, 1), board.names)
    assert len(text.split()) <= 12
    assert text.endswith(".")
    assert certainty(row, 9)[0]


def test_the_answer_of_the_sample(board):
    assert board.headline() == [f"dense is clearly best on {m}." for m in ("nDCG@10", "AP", "P@10")]
    row = board.of("nDCG@10", "tfidf", "dense")
    much, sure, where = board.details()
    assert much.title == "By how much?"
    share = row.difference / row.mean_a
    assert much.text.startswith(
        f"{signed(row.difference, 3)} nDCG@10: tfidf {number(row.mean_a, 3)} → dense {number(row.mean_b, 3)} ({share:+.0%});"
    )
    assert f"{signed(row.low, 3)} to {signed(row.high, 3)} (simultaneous 95% interval)" in much.text
    assert (much.span.low, much.span.value, much.span.high) == (row.low, row.difference, row.high)
    assert sure.text.startswith("Very sure.")
    assert where.text == f"{row.wins} queries better, {row.ties} same, {row.losses} worse."


def test_no_clear_winner_is_an_answer_too():
    board = jd.compare(jd.sample_path("qrels.txt"), FILES[:2], "nDCG@10")
    assert board.headline() == ["No clear winner between tfidf and bm25 on nDCG@10."]
    row = board.rows[0]
    sure = board.details()[1]
    assert sure.text.startswith("Not sure. Chance alone gives such a difference")
    assert f"A difference of {row.material:.2g} (10% of the mean) needs about {row.needed:,} queries." in sure.text
    assert span_of(row).tone == ""


def test_a_turned_pair_gives_the_opposite_answer(board):
    row = board.of("AP", "bm25", "dense")
    turned = row.turned()
    much, back = (pair_details(one, board) for one in (row, turned))
    assert much[0].text.startswith("+")
    assert back[0].text.startswith("−")
    assert (much[0].span.tone, back[0].span.tone) == ("better", "worse")
    assert OPPOSITE[row.verdict] == turned.verdict
    assert back[2].text == f"{row.losses} queries better, {row.ties} same, {row.wins} worse."


def test_a_share_of_a_measure_without_limits_is_not_given(board):
    row = board.rows[0]
    assert relative(row, parse("nDCG@10")) == (row.difference / row.mean_a, -row.difference / row.mean_b)
    assert relative(replace(row, mean_a=0.0), parse("nDCG@10"))[0] is None


def test_odds_never_promise_more_than_p():
    assert odds(0.00009) == "less than once in 10,000 times"
    assert odds(0.05) == "once in 20 times"
    assert odds(1.0) == "in more than 9 of 10 cases"


def test_markdown_begins_with_the_answer(board):
    lines = board.to_markdown().splitlines()
    assert lines[0] == "**dense is clearly best on nDCG@10.**"
    assert [line[:5] for line in lines[2:6]] == ["- *By", "- *Ho", "- *Wh", "- *Al"]


def test_a_notebook_begins_with_the_answer_and_draws_intervals(board):
    html = board._repr_html_()
    assert html.index('<p class="answer">dense is clearly best') < html.index("<dl>") < html.index("<table")
    assert html.count("<svg ") == 1 + len(board.rows)


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_p_is_shown_before_bars_and_no_note_is_about_a_dropped_column(columns):
    files = {name: str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "tfidf", "dense")}
    table = jd.compare(str(jd.sample_path("qrels.txt")), files, "nDCG@10 AP").tables()[1]
    head, _, below = table_text(table, columns=columns).partition("queries needed: ")
    assert "queries needed" in table.headers
    assert [head.splitlines()[1].split().count("p"), "├" in head] == ([2, False] if columns < 120 else [2, True])
    assert bool(below) == ("columns that need a wider terminal: d_z\n" in head or columns > 120)


@pytest.mark.parametrize("table", [None, *get_args(TableName)])
def test_warnings_are_below_every_table(board, table):
    assert "no-relevant" in {warning.slug for warning in board.warnings}
    text = board.report(table=table).to_text()
    assert all(f"warning: {warning}" in text for warning in board.warnings)
