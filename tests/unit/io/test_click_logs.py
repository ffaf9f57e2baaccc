"""Click logs in every form, and what is wrong with them, with its place."""

from __future__ import annotations

import gzip
import io
import json

import numpy as np
import pytest
from needs import optional

from judged.errors import DataError, FileError, UsageError
from judged.io.click_logs import read_click_rows, read_list_rows, write_columns

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
    rows = read_click_rows(FORMS[form]())
    told = [[coded.ids[c] for c in coded.code] for coded in (rows.session, rows.query, rows.doc)]
    assert told == [COLUMNS["session"], COLUMNS["query"], COLUMNS["doc"]]
    assert rows.rank.tolist() == COLUMNS["rank"]
    assert rows.clicked.tolist() == [False, True, False, False]


def test_a_compressed_file_is_read_by_its_content(tmp_path):
    (tmp_path / "log").write_bytes(gzip.compress(lines(COLUMNS).encode()))
    assert read_click_rows(tmp_path / "log").clicked.sum() == 1


def test_columns_can_be_named():
    renamed = dict(zip(["a", "b", "c", "d", "e"], COLUMNS.values(), strict=True))
    named = {"session": "a", "query": "b", "doc": "c", "rank": "d", "click": "e"}
    assert read_click_rows(renamed, named).rank.tolist() == COLUMNS["rank"]
    with pytest.raises(DataError) as error:
        read_click_rows(renamed, {**named, "doc": "z"})
    assert error.value.slug == "columns"
    with pytest.raises(UsageError):
        read_click_rows(renamed, {"score": "a"})


def test_ranks_may_be_missing():
    assert read_click_rows({name: column for name, column in COLUMNS.items() if name != "rank"}).rank is None


@pytest.mark.needs("pandas")
def test_ids_are_text_in_text_files_and_keep_their_type_elsewhere():
    numbers = {**COLUMNS, "query": [7, 7, 8, 8]}
    assert read_click_rows(io.StringIO(lines(numbers))).query.ids == ("7", "8")
    assert read_click_rows(pd.DataFrame(numbers)).query.ids == (7, 8)
    mixed = "\n".join(map(json.dumps, records({**COLUMNS, "query": [7, "7", 8, "8"]})))
    assert read_click_rows(io.StringIO(mixed)).query.ids == ("7", "8")


def test_many_batches_are_one_log():
    many = {name: column * 3000 for name, column in COLUMNS.items()}
    rows = read_click_rows(io.StringIO(lines(many)))
    assert len(rows.clicked) == 12_000
    assert rows.doc.ids == ("a", "b", "c")
    assert (rows.doc.code == np.tile([0, 1, 0, 2], 3000)).all()


@pytest.mark.parametrize(
    ("text", "slug", "where"),
    [
        ("", "empty-clicks", "clicks"),
        (HEADER, "empty-clicks", "clicks"),
        ("a,b,c\n1,2,3\n", "columns", "clicks:1"),
        ("session,query,doc,rank\n1,q,a,1\n", "columns", "clicks:1"),
        ("session,query,doc,rank,click,click\n1,q,a,1,0,0\n", "columns", "clicks:1"),
        (HEADER + "1,q,a,1,0\n1,q,b\n", "columns", "clicks:3"),
        (HEADER + "1,q,a,one,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,0,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,1.5,0\n", "rank-type", "clicks:2: column 4 (rank)"),
        (HEADER + "1,q,a,1,0\n1,q,b,2,2\n", "click-type", "clicks:3: column 5 (click)"),
        (HEADER + "1,q,a,1,\n", "click-type", "clicks:2: column 5 (click)"),
        (HEADER + "1,q,,1,0\n", "id-empty", "clicks:2: column 3 (doc)"),
        (HEADER + '1,q,"a,1,0\n', "csv", "clicks:2"),
        ('{"session": 1}\n{"session": 2}\n', "columns", "clicks"),
        ('{"session": 1, "query": 1, "doc": 1, "click": 1}\n{"session": 1}\n', "columns", "clicks:2"),
        ('{"session": 1, "query": 1, "doc": 1, "click": 1}\n{"session"\n', "json", "clicks:2"),
        ("[1, 2]\n[3, 4]\n", "columns", "clicks:1"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text, slug, where):
    with pytest.raises(DataError) as error:
        read_click_rows(io.StringIO(text))
    assert (error.value.slug, str(error.value.where)) == (slug, where)


@pytest.mark.parametrize(
    ("source", "slug"),
    [
        ({**COLUMNS, "doc": ["a", None, "b", "c"]}, "id-null"),
        ({**COLUMNS, "doc": ["a", ["b"], "b", "c"]}, "id-type"),
        ({**COLUMNS, "rank": [1, 2, 1]}, "columns"),
        ({**COLUMNS, "click": [0, 1, None, 0]}, "click-type"),
        ({**COLUMNS, "click": [0, 1, float("nan"), 0]}, "click-type"),
        ({**COLUMNS, "rank": [1, float("nan"), 1, 2]}, "rank-type"),
        ([(1, 2, 3)], "columns"),
        ([], "empty-clicks"),
        (7, "form"),
    ],
)
def test_what_is_wrong_in_memory_is_told_too(source, slug):
    with pytest.raises(DataError) as error:
        read_click_rows(source)
    assert error.value.slug == slug


def test_a_file_that_is_not_there_is_no_data_error(tmp_path):
    with pytest.raises(FileError):
        read_click_rows(tmp_path / "none.csv")


def test_a_damaged_parquet_file_is_refused():
    with pytest.raises(DataError) as error:
        read_click_rows(io.BytesIO(b"PAR1" + bytes(100) + b"PAR1"))
    assert error.value.slug == "damaged"


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


def test_interleaved_lists_have_teams_and_ranks_that_may_be_empty():
    rows = read_list_rows(io.StringIO("query,rank,doc,team,rank_a,rank_b\nq,1,a,A,1,\nq,2,b,b,,1\n"))
    assert rows.team.tolist() == [0, 1]
    assert rows.rank_a.tolist() == [1, 0]
    assert rows.rank_b.tolist() == [0, 1]
    assert rows.session is None


def test_a_run_whose_tags_are_teams_is_a_list():
    rows = read_list_rows(io.StringIO("q Q0 a 1 1.0 A\nq Q0 b 2 0.5 B\n"))
    assert (rows.doc.ids, rows.team.tolist(), rows.rank.tolist()) == (("a", "b"), [0, 1], [1, 2])


def test_another_team_is_refused():
    with pytest.raises(DataError) as error:
        read_list_rows(io.StringIO("q Q0 a 1 1.0 A\nq Q0 b 2 0.5 bm25\n"))
    assert (error.value.slug, error.value.where.line) == ("team-type", 2)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["log.csv", "log.tsv", "log.jsonl", "log.parquet", "log.csv.gz", "log.jsonl.zst"])
def test_what_is_written_is_read_again(name, tmp_path):
    write_columns(COLUMNS, tmp_path / name)
    rows = read_click_rows(tmp_path / name)
    assert [rows.doc.ids[c] for c in rows.doc.code] == COLUMNS["doc"]
    assert rows.rank.tolist() == COLUMNS["rank"]


def test_another_ending_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(UsageError) as error:
        write_columns(COLUMNS, tmp_path / "log.xls")
    assert error.value.slug == "format"
    assert not list(tmp_path.iterdir())
