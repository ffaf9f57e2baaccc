"""What is written reads back the same, or is refused."""

import gzip
import json
from dataclasses import replace

import pytest
from needs import each
from refusals import refusal
from small_collection import QRELS, RUN

from judged.core.tables import Qrels
from judged.io.read import read_qrels, read_run
from judged.io.write import convert, write_qrels, write_run

ENDINGS = [
    "",
    ".run",
    ".trec",
    ".txt",
    ".json",
    ".jsonl",
    ".ndjson",
    ".csv",
    ".tsv",
    *each(others={".parquet": "pyarrow", ".pq": "pyarrow"}),
]
PACKED = ["", ".gz", ".bz2", ".xz", ".zst"]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("packed", PACKED)
def test_runs_and_judgments_read_back_the_same(ending, packed, tmp_path, save, rows, run_rows, qrels_rows):
    run, qrels = tmp_path / f"r{ending}{packed}", tmp_path / f"q{ending}{packed}"
    write_run(save("base.run", RUN), run)
    write_qrels(save("base.qrels", QRELS), qrels)
    assert rows(read_run(run)) == run_rows
    assert rows(read_qrels(qrels)) == qrels_rows
    assert read_run(run).warnings == ()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted({run.name, qrels.name, "base.run", "base.qrels"})


def test_a_trec_file_is_written_as_it_was_read(save, tmp_path):
    for content, write in ((RUN, write_run), (QRELS, write_qrels)):
        write(save("a", content), tmp_path / "b")
        assert (tmp_path / "b").read_bytes() == content


@pytest.mark.parametrize("ending", ["txt", "json", "jsonl", "csv", *each(others={"parquet": "pyarrow"})])
def test_subtopics_are_written_too(ending, tmp_path, rows):
    qrels = read_qrels([("q", "1", "d", 1), ("q", "2", "d", 0.5)])
    write_qrels(qrels, tmp_path / f"q.{ending}")
    assert rows(read_qrels(tmp_path / f"q.{ending}")) == rows(qrels)


def test_json_is_strict(tmp_path):
    write_run({"q": {"é": 0.1}}, tmp_path / "a.json")
    assert (tmp_path / "a.json").read_bytes() == '{"q": {"é": 0.1}}\n'.encode()
    write_qrels({"q": {"d": 2.0, "e": 0.5}}, tmp_path / "q.json")
    assert json.loads((tmp_path / "q.json").read_text()) == {"q": {"d": 2, "e": 0.5}}


def test_an_empty_ranking_is_kept_by_json_and_refused_elsewhere(tmp_path):
    run = {"q1": {"d": 1}, "q2": {}}
    write_run(run, tmp_path / "a.json")
    assert read_run(tmp_path / "a.json").queries.tolist() == [b"q1", b"q2"]
    for ending in ("run", "jsonl", "csv"):
        assert "'q2'" in str(refusal("format", write_run, run, tmp_path / f"a.{ending}"))


def test_a_document_twice_cannot_be_a_key_twice(tmp_path):
    refusal("format", write_run, [("q", "d", 1), ("q", "d", 2)], tmp_path / "a.json")


def test_bytes_that_are_not_utf8_are_refused_where_text_must_be(tmp_path, rows):
    run = read_run({b"q": {b"d\xff": 1.0}})
    refusal("format", write_run, run, tmp_path / "a.json")
    for ending in ("run", "csv"):
        write_run(run, tmp_path / f"a.{ending}")
        assert rows(read_run(tmp_path / f"a.{ending}")) == rows(run)


def test_preferences_cannot_be_written(tmp_path):
    base = read_qrels([("q", "1", "d", 1), ("q", "2", "d", 0)])
    refusal("format", write_qrels, replace(base, sub=base.aspect), tmp_path / "a.txt")


def test_ranks_are_computed_where_none_were_given(tmp_path):
    write_run([("q", "a", 1), ("p", "x", 1), ("q", "b", 3), ("q", "c", 1)], tmp_path / "a.run")
    lines = [line.split() for line in (tmp_path / "a.run").read_text().splitlines()]
    assert [(line[2], line[3]) for line in lines] == [("a", "3"), ("x", "1"), ("b", "1"), ("c", "2")]


@pytest.mark.parametrize("name", ["a.xlsx", "a.pkl", "a.json.zip", "-"])
def test_an_unknown_ending_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refusal("format", write_run, {"q": {"d": 1}}, name)
    refusal("format", write_run, {"q": {"d": 1}}, "a", format="excel")
    write_run({"q": {"d": 1}}, "a.xlsx", format="trec")
    assert read_run("a.xlsx").doc[0] == b"d"


def test_equal_content_gives_equal_bytes(tmp_path, save):
    for name in ("a.run.gz", "b.run.gz"):
        write_run(save("base", RUN), tmp_path / name)
    assert (tmp_path / "a.run.gz").read_bytes() == (tmp_path / "b.run.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == RUN


def test_types_of_ids_survive_in_parquet(tmp_path):
    run = read_run({1: {2**53 + 1: 0.5, 10**17: 0.25}})
    write_run(run, tmp_path / "a.parquet")
    again = read_run(tmp_path / "a.parquet")
    assert (again.query_kind, again.doc_kind, again.doc.tolist()) == ("integer", "integer", run.doc.tolist())


def test_convert_goes_by_the_names_and_counts_rows(save, tmp_path, rows, run_rows, qrels_rows):
    assert convert(save("a.run", RUN), tmp_path / "r.json") == 5
    assert convert(save("qrels", QRELS), tmp_path / "q.csv") == 5
    assert rows(read_run(tmp_path / "r.json")) == run_rows
    assert rows(read_qrels(tmp_path / "q.csv")) == qrels_rows
    assert convert(tmp_path / "q.csv", tmp_path / "q.jsonl", kind="qrels") == 5


def test_convert_asks_where_content_can_be_either(save, tmp_path):
    path = save("a.json", '{"q": {"d": 1}}')
    assert [name for name, _ in refusal("kind", convert, path, tmp_path / "b.csv").hint.options] == ["kind"]
    assert convert(path, tmp_path / "c.txt", kind="run") == 1
    assert convert(path, tmp_path / "b.run") == 1  # the name says it
    assert convert(path, tmp_path / "b.qrels") == 1
    assert (tmp_path / "c.txt").read_text() == (tmp_path / "b.run").read_text()
    assert (tmp_path / "b.run").read_text() == "q Q0 d 1 1.0 judged\n"
    assert (tmp_path / "b.qrels").read_text() == "q 0 d 1\n"
    refusal("kind", convert, path, tmp_path / "c", kind="both")


def test_convert_takes_what_was_read(tmp_path):
    assert convert(read_run({"q": {"d": 1}}), tmp_path / "a.run") == 1
    assert isinstance(read_qrels({"q": {"d": 1}}), Qrels)
    assert convert(read_qrels({"q": {"d": 1}}), tmp_path / "a.qrels") == 1
