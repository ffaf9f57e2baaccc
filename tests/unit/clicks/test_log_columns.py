"""Click logs in every form, and what is wrong with them, with its place."""

import io
import json

import numpy as np
import pytest
from needs import optional
from refusals import refusal

from judged.clicks.log_columns import CLICKS, LISTS
from judged.io.open_table import open_role_table

pd = optional("pandas")
pl = optional("polars")
pa = optional("pyarrow")
pq = optional("pyarrow.parquet")

COLUMNS = {
    "session": ["s1", "s1", "s2", "s2"],
    "query": ["q", "q", "p", "p"],
    "doc": ["a", "b", "a", "c"],
    "rank": [1, 2, 1, 2],
    "click": [0, 1, 0, 0],
}
HEADER = "session,query,doc,rank,click\n"


def lines(columns, separator=","):
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "\n".join(separator.join(map(str, row)) for row in rows) + "\n"


def records(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def read(source, named=None):
    return open_role_table(source, "clicks", CLICKS, named)


def parquet():
    buffer = io.BytesIO()
    pq.write_table(pa.table(COLUMNS), buffer)
    return io.BytesIO(buffer.getvalue())


FORMS = {
    "csv": lambda: io.StringIO(lines(COLUMNS)),
    "tsv": lambda: io.StringIO(lines(COLUMNS, "\t")),
    "semicolons": lambda: io.StringIO(lines(COLUMNS, ";")),
    "json lines": lambda: io.StringIO("\n".join(map(json.dumps, records(COLUMNS)))),
    "json records": lambda: io.StringIO(json.dumps(records(COLUMNS), indent=1)),
    "json columns": lambda: io.StringIO(json.dumps(COLUMNS, indent=1)),
    "parquet": parquet,
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
    "columns": lambda: COLUMNS,
    "arrays": lambda: {name: np.array(column) for name, column in COLUMNS.items()},
    "records": lambda: records(COLUMNS),
    "tuples": lambda: list(zip(*COLUMNS.values(), strict=True)),
    "booleans": lambda: {**COLUMNS, "click": [False, True, False, False]},
    "words": lambda: io.StringIO(lines({**COLUMNS, "click": ["false", "True", "no", "0.0"]})),
    "other names": lambda: io.StringIO(lines(dict(zip(["Session-ID", "query_id", "URL", "Position", "clicked"], COLUMNS.values(), strict=True)))),
    "more columns": lambda: pd.DataFrame({"x": 1, **COLUMNS, "time": 3.5}),
}  # fmt: skip


@pytest.mark.needs("pandas", "polars", "pyarrow")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_rows(form):
    table = read(FORMS[form]())
    told = {role: [coded.ids[c] for c in coded.code] for role, coded in table.ids.items()}
    assert told == {role: COLUMNS[role] for role in ("session", "query", "doc")}
    assert table.numbers["rank"].tolist() == COLUMNS["rank"]
    assert table.numbers["click"].tolist() == [False, True, False, False]


def test_columns_can_be_named():
    renamed = dict(zip(["a", "b", "c", "d", "e"], COLUMNS.values(), strict=True))
    named = {"session": "a", "query": "b", "doc": "c", "rank": "d", "click": "e"}
    assert read(renamed, named).numbers["rank"].tolist() == COLUMNS["rank"]
    refusal("columns", read, renamed, {**named, "doc": "z"})


def test_ranks_may_be_missing():
    assert "rank" not in read({name: column for name, column in COLUMNS.items() if name != "rank"}).numbers


@pytest.mark.needs("pandas")
def test_ids_are_text_in_text_files_and_keep_their_type_elsewhere():
    numbers = {**COLUMNS, "query": [7, 7, 8, 8]}
    assert read(io.StringIO(lines(numbers))).ids["query"].ids == ("7", "8")
    assert read(pd.DataFrame(numbers)).ids["query"].ids == (7, 8)
    mixed = "\n".join(map(json.dumps, records({**COLUMNS, "query": [7, "7", 8, "8"]})))
    assert read(io.StringIO(mixed)).ids["query"].ids == ("7", "8")


def test_many_batches_are_one_log():
    many = {name: column * 3000 for name, column in COLUMNS.items()}
    table = read(io.StringIO(lines(many)))
    assert len(table.numbers["click"]) == 12_000
    assert table.ids["doc"].ids == ("a", "b", "c")
    assert (table.ids["doc"].code == np.tile([0, 1, 0, 2], 3000)).all()


@pytest.mark.parametrize(
    ("text", "slug", "where"),
    [
        ("", "columns", "clicks"),
        (HEADER, "columns", "clicks"),
        ("a,b,c\n1,2,3\n", "columns", "clicks:1"),
        ("session,query,doc,rank\n1,q,a,1\n", "columns", "clicks:1"),
        ("session,query,doc,rank,click,click\n1,q,a,1,0,0\n", "columns", "clicks:1"),
        (HEADER + "1,q,a,1,0\n1,q,b\n", "columns", "clicks:3"),
        (HEADER + "1,q,a,one,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,0,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,1.5,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,1,0\n1,q,b,2,2\n", "clicks", "clicks:3: column 5 (click)"),
        (HEADER + "1,q,a,1,\n", "clicks", "clicks:2: column 5 (click)"),
        (HEADER + "1,q,,1,0\n", "id-type", "clicks:2: column 3 (doc)"),
        (HEADER + '1,q,"a,1,0\n', "csv", "clicks:2"),
        ('{"session": 1}\n{"session": 2}\n', "columns", "clicks"),
        ('{"session": 1, "query": 1, "doc": 1, "click": 1}\n{"session": 1}\n', "columns", "clicks:2"),
        ('{"session": 1, "query": 1, "doc": 1, "click": 1}\n{"session"\n', "json", "clicks:2"),
        ("[1, 2]\n[3, 4]\n", "columns", "clicks:1"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, slug, where):
    error = refusal(slug, read, io.StringIO(text))
    assert str(error.where) == where


@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ({**COLUMNS, "doc": ["a", None, "b", "c"]}, "id-type"),
        ({**COLUMNS, "doc": ["a", ["b"], "b", "c"]}, "id-type"),
        ({**COLUMNS, "rank": [1, 2, 1]}, "columns"),
        ({**COLUMNS, "click": [0, 1, None, 0]}, "clicks"),
        ({**COLUMNS, "click": [0, 1, float("nan"), 0]}, "clicks"),
        ({**COLUMNS, "rank": [1, float("nan"), 1, 2]}, "rank-type"),
        ([(1, 2, 3)], "columns"),
        ([], "columns"),
        (7, "form"),
    ],
)
def test_what_is_wrong_in_memory_is_told_too(source, slug):
    refusal(slug, read, source)


def test_interleaved_lists_have_teams():
    table = open_role_table(io.StringIO("query,rank,doc,team\nq,1,a,A\nq,2,b,b\n"), "lists", LISTS)
    assert table.numbers["team"].tolist() == [0, 1]
    assert "session" not in table.ids


def test_another_team_is_refused():
    error = refusal("clicks", open_role_table, io.StringIO("query,doc,team\nq,a,A\nq,b,bm25\n"), "lists", LISTS)
    assert error.where.line == 3
