"""TREC lines, CSV, TSV and JSON in parts: the rows, places and errors of whole files, plain and compressed."""

import bz2
import gzip
import json
import lzma
import os

import pytest
import zstd
from for_each import for_each
from small_partitions import batches_of, described, error_in_parts, error_of, open_partitions, rows_of, small

from judged.core.join import join
from judged.core.policy import Policy
from judged.core.unread_runs import TextRun
from judged.io import files as limits
from judged.io.read import read_qrels, read_run

TREC = (
    b"\xef\xbb\xbf# a comment\n\nq1 Q0 d1 1 3.5 tag\nq1 Q0 a\"b 2 1e-3 tag\n  q1\tQ0  #x 3   -7.25 tag  \r\n# another\nq2 Q0 007 1 inf tag\n"
    b"\xef\xbb\xbfq2 Q0 NaN 2 1 tag\n\xff\xfeq Q0 d\xff 1 2 t\xe9\n" + b"# long" * 20 + b"\nq\t0\tan id\t1\t7\tt g\n" + b"q3 Q0 \xc3\xbc 1 2 x\n" * 3
    + b"\n\n\n\nq3 Q0 last 9 1 end\n"
)  # fmt: skip
NAMED = {"qid": "q", "doc": "d", "score": 0.5, "rank": 1}
CSV = (
    "\ufeffqid,text,docno,score,rank\r\nq1,x,d1,3.5,1\r\n\r\nq1,y,'a b',1e-3,2\nq2,,ü,-7.25,1\rq2,z,NaN,inf,2\n".encode()
    + b"q2,z,d\xff,1,3\n" * 5 + b"q3,,last,1,1\n"
)  # fmt: skip
QUOTED = CSV + b'q3,"a\nb","d ""x""",2,4\n"q4","\n\n\n","d1",1,5\nq4,,d2,1,6'
RECORDS = [{"qid": f"q{i // 4}", "text": "x" * i, "doc": i if i % 3 else f"d{i}", "score": i / 3} for i in range(12)]
JSONL = "\n".join(json.dumps(record) for record in RECORDS).encode() + b"\n\n \n"
PACK = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "members": lambda data: b"".join(gzip.compress(data[i : i + 50]) for i in range(0, len(data), 50)),
    "zstd": zstd.compress,
    "frames": lambda data: b"".join(zstd.compress(data[i : i + 50]) for i in range(0, len(data), 50)),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
CONTENT = {"TREC": TREC, "CSV": CSV, "quoted CSV": QUOTED, "TSV": CSV.replace(b",", b"\t"), "JSON Lines": JSONL}


@for_each("packing", PACK)
@for_each("form", CONTENT)
@for_each("size", [1, 150, 10**6])
def test_rows_and_places_are_those_of_the_whole_file(form, packing, size, save, monkeypatch):
    path = save("a.run", PACK[packing](CONTENT[form]))
    expected = described(read_run(path))
    small(monkeypatch, size=size)
    scattered = open_partitions(path)
    assert rows_of(scattered) == expected
    cut = packing == "plain" and size < 10**6 and form == "TREC"
    assert (len(scattered.partitions.parts) > 1) == cut or size == 150
    assert (scattered.name, scattered.path) == (str(path), str(path))
    assert sum(part.size for part in scattered.partitions.parts) == path.stat().st_size


@pytest.mark.parametrize("packing", ["plain", "gzip"])
@pytest.mark.parametrize("kind", ["records of rankings", "a document", "one line", "returns", "csv with returns"])
def test_what_cannot_be_cut_is_read_whole(kind, packing, save, monkeypatch):
    ranking = {f"q{i}": {"d1": 2, "d2": i} for i in range(9)}
    content = {
        "records of rankings": "\n".join(json.dumps({"qid": q, "docs": list(docs)}) for q, docs in ranking.items()),
        "a document": json.dumps(ranking, indent=1),
        "one line": json.dumps(RECORDS),
        "returns": TREC[3:].replace(b"\n", b"\r"),
        "csv with returns": b"qid,doc,score\rq,d,1\rq,e,2\r",
    }[kind]
    path = save("a", PACK[packing](content if isinstance(content, bytes) else content.encode()))
    expected = described(read_run(path))
    small(monkeypatch)
    scattered = open_partitions(path)
    assert scattered is None if kind == "returns" else rows_of(scattered) == expected
    folder = open_partitions([path, path])
    assert [row for run in batches_of(folder) for row in described(run)] == expected * 2


BROKEN = {
    "columns": TREC + b"q1 Q0 d9 1\n" + TREC[3:],
    "score": TREC + b"q1 Q0 d9 1 nan tag\n" + TREC[3:],
    "text": TREC + b"q1 Q0 d9 1 x tag\n",
    "nul": TREC + b"q1 Q0 d\x009 1 5 tag\n",
    "csv columns": CSV + b"q,d\n" + CSV,
    "csv score": CSV + b"q4,x,d,abc,1\n",
    "csv nul": CSV.replace(b"\r", b"\n") + b"q4,x,d\0,1,1\n",
    "csv empty": CSV + b"q4,x,,1,1\n",
    "csv quote": QUOTED + b'\nq5,x,"d"1,1,1\n',
    "csv break": QUOTED + b'\nq5,x,"d\n1",1,1\n',
    "csv open": CSV + b'q5,x,"d1,1,1\nq6,d,d,1,1\n',
    "json": JSONL + b'{"qid": "q1", \n' + JSONL,
    "json key": JSONL + b'{"qid": "q1", "score": 1}\n',
    "json twice": JSONL + b'{"qid": "q1", "qid": "q1", "score": 1}\n',
    "json score": JSONL + b'{"qid": "q1", "doc": "a", "score": null}\n',
    "json names": JSONL + b'{"query": "q1", "docno": "a", "score": 7}\n' * 5,
    "json encoding": JSONL + b'{"qid": "q1", "doc": "\xff", "score": 1}\n',
    "json nul": JSONL + b'{"qid": "q1", "doc": "\0", "score": 1}\n',
}


@for_each("packing", ["plain", "gzip"])
@for_each("kind", BROKEN)
@for_each("size", [1, 60])
def test_what_is_wrong_is_said_as_of_the_whole_file(kind, packing, size, save, monkeypatch):
    path = save("a", PACK[packing](BROKEN[kind]))
    expected = error_of(read_run, path)
    small(monkeypatch, size=size)
    error = error_in_parts(path)
    assert str(error) == str(expected)
    assert (error.fields(), error.where) == (expected.fields(), expected.where)


@pytest.mark.parametrize("packing", ["plain", "gzip"])
@pytest.mark.parametrize("kind", ["columns", "score", "text", "nul"])
def test_the_native_core_says_the_same_of_lines(kind, packing, save, monkeypatch):
    path = save("a", PACK[packing](BROKEN[kind]))
    expected = error_of(read_run, path)
    small(monkeypatch)
    qrels = read_qrels({"q1": {"d1": 1}})

    def look():
        for part in open_partitions(path).partitions.parts:
            for lines in part.batches():
                assert isinstance(lines, TextRun)
                with lines.open() as (data, start):
                    begins = [start, *(i + 1 for i in range(start, len(data)) if data[i] == 10 and i + 1 < len(data))]
                    for first, begin in enumerate(begins):
                        text = data[begin:].tobytes().partition(b"\n")[0]
                        if text.strip() and not text.startswith(b"#"):
                            try_line(lines, data, begin, first == 0)

    def try_line(lines, data, begin, first):
        try:
            lines.raise_row(data, begin, first)
        except AssertionError:
            assert lines.place(data, begin).line

    assert str(error_of(look)) == str(expected)
    assert str(error_of(join, qrels, open_partitions(path), Policy())) == str(expected)


@pytest.mark.parametrize("packing", ["gzip", "zstd", "bzip2", "xz"])
def test_cut_and_damaged_compressed_files_are_refused_as_ever(packing, save, monkeypatch):
    lines = b"".join(b"q%d Q0 d%d 1 %d t\n" % (i, i * 7919 % 1000, i) for i in range(3000))
    content = PACK[packing](lines)
    small(monkeypatch, size=500)
    for cut in (len(content) // 3, len(content) - 5):
        path = save("cut", content[:cut])
        assert str(error_in_parts(path)) == str(error_of(read_run, path))
        damaged = bytearray(content)
        damaged[cut] ^= 0x55
        path = save("damaged", bytes(damaged))
        assert error_of(read_run, path).slug == error_in_parts(path).slug == "damaged"


def test_a_bomb_is_refused_in_bounded_memory(save, monkeypatch):

    monkeypatch.setattr(limits, "LONGEST_LINE", 1000)
    path = save("bomb", gzip.compress(TREC + b"x" * 100_000))
    assert str(error_in_parts(path)) == str(error_of(read_run, path))


def test_a_file_that_changes_between_two_looks_is_refused(save, monkeypatch):
    small(monkeypatch)
    for content in (TREC, gzip.compress(TREC), JSONL, CSV):
        path = save("a", content)
        scattered = open_partitions(path)
        batches_of(scattered)
        os.utime(path, ns=(1, 1))
        error = error_of(batches_of, scattered)
        assert (error.slug, error.exit_code, "changed" in str(error)) == ("io", 3, True)


def test_lines_of_a_stretch_are_neither_copied_nor_read_before_they_are_asked_for(save, monkeypatch):
    small(monkeypatch)
    path = save("a.run", TREC)
    stretches = [lines for part in open_partitions(path).partitions.parts for lines in part.batches()]
    assert len(stretches) > 3
    content = b""
    for lines in stretches:
        with lines.open() as (data, _):
            assert not data.flags.owndata
            content += data.tobytes()
    assert content == TREC


def test_only_the_last_line_may_lack_its_end(save, monkeypatch):
    small(monkeypatch)
    for content in (TREC[:-1], gzip.compress(TREC[:-1])):
        warned = [
            batch.warnings for part in open_partitions(save("a", content)).partitions.parts for batch in part.batches()
        ]
        assert ["no-final-newline" in {one.slug for one in w} for w in warned] == [False] * (len(warned) - 1) + [True]


def test_small_files_are_one_part_and_large_ones_several(tmp_path, monkeypatch):
    small(monkeypatch, size=400)
    line = b"q Q0 doc%05d 1 2 tag\n"
    for number in range(12):
        (tmp_path / f"{number:02}.run").write_bytes(line % number)
    (tmp_path / "12.run").write_bytes(b"".join(line % i for i in range(60)))
    scattered = open_partitions(tmp_path)
    sizes = [part.size for part in scattered.partitions.parts]
    assert sizes[0] == 10 * len(line % 0)
    assert len(sizes) > 3
    files = [described(read_run(tmp_path / f"{number:02}.run")) for number in range(13)]
    assert rows_of(scattered) == [row for rows in files for row in rows]


def test_named_columns_are_for_tables_alone(save, monkeypatch):
    small(monkeypatch)
    path = save("a.csv", CSV)
    for options in ({"score_col": "rank"}, {"query_col": "docno", "doc_col": "qid"}):
        assert rows_of(open_partitions(path, **options)) == described(read_run(path, **options))
    for options in ({"doc_col": "text"}, {"rank_col": "text"}, {"score_col": "none"}):
        assert str(error_in_parts(path, **options)) == str(error_of(read_run, path, **options))
    assert open_partitions(save("a.run", TREC), doc_col="d") is None


@pytest.mark.needs("native")
def test_partitions_of_csv_are_counted_by_the_core(save, monkeypatch):
    lines = [f"q{i % 7},d{i * 7919 % 1000},{i / 4}\n" for i in range(2000)]
    path = save("a.csv", ("qid,docno,score\n" + "".join(lines)).encode())
    qrels = read_qrels({f"q{i}": {f"d{k}": k % 3 for k in range(0, 1000, 37)} for i in range(7)})
    expected = join(qrels, read_run(path), Policy())
    small(monkeypatch, size=5000)
    scattered = open_partitions(path)
    batches = [batch for part in scattered.partitions.parts for batch in part.batches()]
    assert all(isinstance(batch, TextRun) for batch in batches)
    found = join(qrels, scattered, Policy())
    assert (found.rank.tolist(), found.retrieved.tolist()) == (expected.rank.tolist(), expected.retrieved.tolist())
