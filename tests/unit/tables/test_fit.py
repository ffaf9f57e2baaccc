"""Tables that are wider than the terminal lose no value."""

import re

import pytest

import judged as jd
from judged.evaluation.values import Evaluations
from judged.tables.formats.table import PLAIN, table_text
from judged.tables.table import Table

MEASURES = ("nDCG@10", "AP", "RR", "P@5", "R@100", "Bpref")
TABLE = Table(
    ("run", *MEASURES),
    tuple((run, *(f"0.{r}{c}00" for c in range(6))) for r, run in enumerate(("bm25", "dense"), 1)),
    notes=("AP: over all ranks", "a note"),
    strong=frozenset({(1, 1), (1, 6)}),
)


def marked(text: str) -> str:
    return f"*{text.strip()}*"


@pytest.mark.parametrize("columns", [20, 30, 40, 50])
def test_each_row_is_a_block_of_lines_where_the_columns_do_not_fit(columns):
    text = table_text(TABLE, columns=columns)
    assert all(len(line) <= columns for line in text.splitlines())
    cells = [line.split() for line in text.splitlines()[:-3] if line]
    assert cells == [list(pair) for row in TABLE.rows for pair in zip(TABLE.headers, row, strict=True)]
    assert text.splitlines()[-2:] == list(TABLE.notes)


def test_the_best_values_stay_marked_in_blocks():
    text = table_text(TABLE, columns=30, style={**PLAIN, "best": marked})
    assert re.findall(r"\*(\S+)\*", text) == ["0.2000", "0.2500"]


def test_a_table_that_fits_is_one_table():
    assert table_text(TABLE, columns=60) == table_text(TABLE)
    assert table_text(TABLE).count("run ") == 1


def test_an_optional_column_is_dropped_if_the_others_then_fit():
    text = table_text(TABLE._replace(optional=(6,)), columns=50)
    assert "columns that need a wider terminal: Bpref" in text
    assert text.count("run ") == 1


def test_rows_are_stacked_where_no_column_fits_beside_the_first():
    table = Table(("run", "nDCG@10", "AP"), (("a" * 20, "0.1", "0.2"),))
    assert table_text(table, columns=24).splitlines() == [f"run      {'a' * 20}", "nDCG@10  0.1", "AP       0.2"]


def test_no_requested_measure_is_dropped_from_a_table_of_runs():
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}
    runs = {"first": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, "second": {"q1": {"b": 1.0}, "q2": {"a": 1.0}}}
    measures = [f"P@{k}" for k in range(1, 15)]
    values = tuple(jd.evaluate(qrels, run, measures) for run in runs.values())
    for table in (Evaluations(values).tables()[0], jd.compare(qrels, runs, measures).tables()[0]):
        assert re.findall(r"P@\d+", table_text(table._replace(notes=()), columns=60)) == 2 * measures


def test_headers_and_words_do_not_widen_a_table_that_is_too_wide_for_a_log():
    headers = tuple(f"a very long header {i}" for i in range(9))
    table = Table(headers, (("1",) * 9,))
    assert max(map(len, table_text(table).splitlines())) == 9 * len("header") + 8 * 2
    assert "header" in table_text(Table(headers, ()))
    assert table_text(Table(headers[:6], (("1",) * 6,))).splitlines()[0].count("a very long header") == 6
    wordy = Table(("query", "words"), (("q1", "word " * 40),), words=(0, 1))
    assert max(map(len, table_text(wordy).splitlines())) == 132
