"""Tables that call a column differently: several names, of which the first that a table has counts."""

import pytest
from refusals import refusal

import judged as jd

RATINGS = "Suchbegriff;Artikel-Nr.;Sterne\nschuhe;p1;3\nschuhe;p7;1\nmantel;p4;3\n"
RUN = "Query;Position;Produkt;Punkte\nschuhe;1;p7;12.5\nschuhe;2;p1;9.5\nmantel;1;p4;7.5\n"
OWN = {
    "ratings.csv": {"query_col": "Suchbegriff", "doc_col": "Artikel-Nr.", "grade_col": "Sterne"},
    "run.csv": {"query_col": "Query", "doc_col": "Produkt", "score_col": "Punkte"},
}
NAMES = {"query_col": ["Suchbegriff", "Query"], "doc_col": ("Artikel-Nr.", "Produkt"), "grade_col": "Sterne"}
MEASURE = "RR(level=3)"
MEAN = {MEASURE: (1 / 2 + 1) / 2}


@pytest.fixture
def files(save):
    return save("ratings.csv", RATINGS), save("run.csv", RUN)


def test_each_file_is_read_by_the_first_name_that_it_has(files):
    assert jd.evaluate(*files, MEASURE, **NAMES).mean() == MEAN
    assert jd.evaluate(*files, MEASURE, score_col=["Punkte", "Position"], **NAMES).mean() == MEAN


def test_of_two_columns_in_one_table_the_first_name_counts(rows):
    table = {"a": ["1"], "b": ["2"], "docno": ["d"], "score": [0.5]}
    assert rows(jd.read_run(table, query_col=["b", "a"])) == [(b"2", b"d", 0.5)]
    assert rows(jd.read_run(table, query_col=["c", "a", "b"])) == [(b"1", b"d", 0.5)]


def test_a_click_log_takes_several_names():
    log = [{"visit": "s", "query": "q", "doc": "d", "rank": 1, "click": 1}]
    assert jd.clicks.read_clicks(log, session_col=["besuch", "visit"]).sessions == ("s",)


def test_no_hint_leads_back_to_a_name_that_another_file_has(files):
    names = {}
    for _ in OWN:  # a user who does what the hint says, for the file that it names
        error = refusal("columns", jd.evaluate, *files, MEASURE, **names)
        own = OWN[error.where.path.rpartition("/")[2]]
        for option, value in dict(error.hint.options).items():
            told = getattr(value, "command", f"--{option}")
            assert all(f"{name!r}" in value.python and f" {name} " in told for name in names.get(option, ()))
            names[option] = [*names.get(option, ()), own[option]]
    assert jd.evaluate(*files, MEASURE, **names).mean() == MEAN


def test_a_near_name_of_another_file_is_added_not_exchanged(save):
    ratings = save("ratings.csv", "query,product_nr,grade\nq,p1,1\n")
    run = save("run.csv", "query,product_no,score\nq,p1,1\n")
    error = refusal("columns", jd.evaluate, ratings, run, "RR", doc_col="product_nr")
    assert error.where.path == str(run)
    assert dict(error.hint.options) == {"doc_col": ["product_nr", "product_no"]}
    assert "--doc-col product_nr --doc-col product_no" in error.hint.render(flags=True)
    error = refusal("columns", jd.evaluate, ratings, run, "RR", doc_col="product_no")  # read first: it may be a slip
    assert dict(error.hint.options) == {"doc_col": "product_nr"}


def test_each_name_is_of_some_input(files):
    names = {**NAMES, "query_col": ["Query", "Suchbegriff", "Topik"]}
    assert refusal("columns", jd.evaluate, *files, "RR", **names).value == "Topik"
    error = refusal("columns", jd.read_run, files[1], query_col=["Frage", "Topik"], doc_col="Produkt")
    assert "'Frage' or 'Topik'" in str(error)
