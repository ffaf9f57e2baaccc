"""The page in a notebook, and the text to be pasted."""

from html import unescape

import pytest

import judged as jd
from judged.comparison.tables import ComparisonReport
from judged.page import inline

QRELS = {f"q{i}": {"a": 1} for i in range(20)}
RUNS = {"good": {q: ["a"] for q in QRELS}, "bad": {q: ["b", "a"] for q in QRELS}}


@pytest.fixture(scope="module")
def board():
    return jd.compare(QRELS, RUNS, "RR AP")


def test_without_a_path_the_page_is_returned_and_shown_in_a_frame_of_its_own(board, tmp_path):
    page = jd.report(board)
    jd.report(board, tmp_path / "report.html")
    assert page.html == (tmp_path / "report.html").read_text("utf-8")
    shown = page._repr_html_()
    assert shown.count("<iframe ") == 1
    assert unescape(shown.split('srcdoc="')[1].split('" sandbox')[0]) == page.html
    assert 'sandbox="allow-scripts allow-downloads allow-popups"' in shown  # no allow-same-origin
    page.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text("utf-8") == page.html
    assert "MB" in repr(page)


def test_a_page_that_is_too_large_for_a_notebook_is_shown_by_its_result(board, monkeypatch):
    monkeypatch.setattr(inline, "_MOST", 1000)
    shown = jd.report(board)._repr_html_()
    assert "<iframe" not in shown
    assert "good is clearly better than bad on RR." in shown
    assert "page.save(" in shown


def test_the_text_to_be_pasted_is_the_answer_and_the_table_of_runs(board):
    text = ComparisonReport(board, "systems", answer=True).to_markdown()
    assert text.startswith(
        "**good is clearly better than bad on RR.**\n\n- *By how much?* +0.500 RR: bad 0.500 → good 1.000 (+100%)"
    )
    assert text.count("| run |") == 1
    assert "against" not in text
