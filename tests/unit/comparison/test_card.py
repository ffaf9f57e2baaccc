"""The answer as a picture card."""

from __future__ import annotations

import struct

import pytest

import judged as jd
from judged.comparison.card import card_of

NAMES = ("bm25", "tfidf", "dense")


@pytest.fixture(scope="module")
def board():
    return jd.compare(jd.sample_path("qrels.txt"), {n: jd.sample_path(f"runs/{n}.run") for n in NAMES}, "nDCG@10 AP")


def test_a_card_has_the_words_and_numbers_of_the_answer(board):
    card = card_of(board, "AP")
    row = board.of("AP", "tfidf", "dense")
    assert card.headline == board.headline()[1]
    assert (card.difference, card.ends) == (row.difference, (row.low, row.high))
    assert card.counts == (row.wins, row.ties, row.losses)
    assert card.tone == "better"
    assert "AP, 40 queries, 3 runs" in card.footer


@pytest.mark.needs("matplotlib")
@pytest.mark.parametrize("dark", [False, True])
def test_a_card_is_a_picture_of_1200_by_630_pixels(board, dark, tmp_path):
    path = tmp_path / "card.png"
    board.card(path, dark=dark)
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1200, 630)
    board.card(tmp_path / "again.png", dark=dark)
    assert (tmp_path / "again.png").read_bytes() == content


@pytest.mark.needs("matplotlib")
def test_hostile_and_long_names_and_unclear_answers_can_be_drawn(tmp_path):
    runs = {"$x^2$ " + "a" * 300: jd.sample_path("runs/bm25.run"), "新システム <b>": jd.sample_path("runs/tfidf.run")}
    board = jd.compare(jd.sample_path("qrels.txt"), runs, "nDCG@10")
    board.card(tmp_path / "card.svg")
    assert "<svg" in (tmp_path / "card.svg").read_text("utf-8")
    one = jd.compare({"q": {"a": 1}}, {"x": {"q": ["a"]}, "y": {"q": ["b", "a"]}}, "RR")
    assert card_of(one, "RR").ends is None
    one.card(tmp_path / "one.png")


def test_wrong_files_and_measures_are_refused(board, tmp_path):
    with pytest.raises(jd.UsageError) as raised:
        board.card(tmp_path / "card.gif")
    assert raised.value.slug == "ending"
    with pytest.raises(jd.UsageError) as raised:
        board.card(tmp_path / "card.png", measure="RR")
    assert raised.value.slug == "not-asked"
    with pytest.raises(jd.JudgedError):
        board.card(jd.sample_path("runs/bm25.run"))
