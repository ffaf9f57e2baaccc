"""What has no ranking or no judgment in it, or none that can be understood."""

import gzip
import os
import random
import stat

import pytest
import zstd
from refusals import refusal
from small_collection import QRELS, RUN

import judged as jd
from judged.io import decompress as _expand
from judged.io import files as _file
from judged.io import files as limits
from judged.io.formats import trec
from judged.io.read import read_qrels, read_run


@pytest.mark.parametrize("empty", [{}, [], (), {"qid": [], "docno": [], "score": []}])
def test_an_empty_source_is_refused(empty):
    assert refusal("empty-run", read_run, empty).where.path == "run"
    refusal(
        "empty-qrels",
        read_qrels,
        empty if not isinstance(empty, dict) or not empty else {"qid": [], "docno": [], "rel": []},
    )


@pytest.mark.parametrize(
    "content", ["", "\n\n", "  \t\n", "# only a comment\n", "{}", "[]", "qid,docno,score\n", "\ufeff"]
)
def test_an_empty_file_is_refused(content, save):
    path = save("empty", content)
    assert refusal("empty-run", read_run, path).where.path == str(path)
    refusal("empty-qrels", read_qrels, save("empty", content.replace("score", "rel")))


def test_judgments_of_no_document_at_all_are_refused():
    refusal("empty-qrels", read_qrels, {"q1": {}, "q2": []})


@pytest.mark.parametrize("ranking", ["d1", None, 5, b"d1", 0.5])
def test_a_ranking_is_a_mapping_or_a_list(ranking):
    error = refusal("form", read_run, {"q1": {"d1": 1}, "q2": ranking})
    assert str(error.where) == "run['q2']"
    assert type(ranking).__name__ in str(error)


def test_a_ranking_has_an_order():
    assert str(refusal("form", read_run, {"q1": {"d1", "d2"}}).where) == "run['q1']"


def test_rankings_have_one_form():
    assert "mapping and list" in str(refusal("form", read_run, {"q1": {"d1": 1}, "q2": ["d1"]}))


@pytest.mark.parametrize("source", [5, None, object, 0.5, dict])
def test_what_is_no_source_is_refused(source):
    assert "{query: {doc: number}}" in str(refusal("form", read_run, source))


def test_a_csv_file_in_utf_16_is_refused_as_other_text_is(save):
    for content in ("query,doc,score\nqü,a,0.5\n", "Suchwort\tArtikel\tNote\nqü\ta\t1\n"):
        for codec in ("utf-16-le", "utf-16-be"):
            assert "iconv" in str(refusal("encoding", read_qrels, save("f.csv", ("\ufeff" + content).encode(codec))))


@pytest.mark.parametrize(
    "change",
    [
        lambda c: b"\xef\xbb\xbf" + c,
        lambda c: c.replace(b"\n", b"\r\n"),
        lambda c: c.replace(b"\n", b"\r"),
        lambda c: b"# comment\n" + c + b"# the end\n",
        lambda c: c.replace(b" ", b"\t"),
        lambda c: c.replace(b" ", b" \t  "),
        lambda c: b"  " + c.replace(b"\n", b"   \n  ") + b"\t \n",
        lambda c: c.replace(b"\n", b"\n\n"),
    ],
)
def test_blanks_comments_and_line_ends_do_not_matter(change, save, rows, run_rows, qrels_rows):
    assert rows(read_run(save("f", change(RUN)))) == run_rows
    assert rows(read_qrels(save("f", change(QRELS)))) == qrels_rows


def test_a_comment_with_as_many_words_as_columns_is_a_comment(save, rows, run_rows, qrels_rows):
    assert rows(read_qrels(save("f", b"# version of 2\n" + QRELS))) == qrels_rows
    assert rows(read_run(save("f", RUN + b"# a b c 5 d\n#a b c d e f\n#a b c 5\n"))) == run_rows
    read = read_qrels(save("f", b"# version of 2\n#q 0 d 1\n" + QRELS))
    warned = {w.text.partition(" (")[2]: w.count for w in read.warnings}
    assert warned == {"skipped as comments)": 1, "read as data)": 1}


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "change", [bytes, lambda c: c.replace(b" ", b"\t"), lambda c: c.replace(b" ", b"  "), lambda c: b"\xef\xbb\xbf" + c]
)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_query_that_begins_with_a_hash_is_no_comment(native, change, ending, save, tmp_path):
    qrels, run = b"q 0 d 1\n#q 0 d 1\n", b"q Q0 d 1 0.5 t\n#q Q0 x 1 0.5 t\n"
    pack = gzip.compress if ending else bytes
    qrels, run = save(f"q{ending}", pack(change(qrels))), save(f"r{ending}", pack(change(run)))
    values = jd.evaluate(qrels, run if native else read_run(run), "AP")
    assert values.to_dict() == {"q": {"AP": 1}, "#q": {"AP": 0}}
    assert ("hash-lines", 1) in [(w.slug, w.count) for w in values.warnings]
    whole = tmp_path / "runs"
    whole.mkdir()
    (whole / "a").write_bytes(change(b"#q Q0 x 1 0.5 t\n#q Q0 d 2 0.4 t\n"))
    assert jd.evaluate(qrels, whole, "RR").to_dict() == {"q": {"RR": 0}, "#q": {"RR": 0.5}}


def test_a_score_that_is_not_a_number_is_no_comment(save):
    line = b"#q Q0 d 1 nan t\n"
    refusal("score-nan", read_run, save("f", RUN + line))
    refusal("score-nan", jd.evaluate, save("q", QRELS), save("f", RUN + line))


def test_a_file_that_cannot_be_opened_is_an_error_of_its_own(tmp_path):
    error = refusal("io", read_run, tmp_path / "none.run")
    assert (error.exit_code, error.where.path) == (3, str(tmp_path / "none.run"))
    assert "No such file" in str(error)
    assert "directory" in str(refusal("io", read_run, tmp_path))
    assert "StringIO" in str(refusal("io", read_run, RUN.decode()))
    assert "ownload" in str(refusal("io", read_run, "https://example.org/a.run"))
    refusal("io", read_run, "a\0b")
    refusal("io", read_run, "")


def test_a_file_is_read_in_parts_that_do_not_show(save, rows, run_rows, monkeypatch):
    for size in (1, 2, 4):
        monkeypatch.setattr(trec, "_BATCH", size)
        run = read_run(save("f", b"# comment\n" + RUN))
        assert rows(run) == run_rows
        assert [run.where(row).line for row in range(5)] == [2, 3, 4, 5, 6]
        assert refusal("score-type", read_run, save("f", RUN.replace(b"0.3", b"x"))).where.line == 4


def test_a_file_that_grows_while_it_is_read_is_refused(save, monkeypatch):
    path = save("f", RUN)
    small = os.stat_result([stat.S_IFREG, 0, 0, 0, 0, 0, 10, 0, 0, 0])
    monkeypatch.setattr(_file.os, "fstat", lambda number: small)
    assert "changed" in str(refusal("io", read_run, path))


def test_a_very_long_id_is_an_id(save):
    content = RUN + b"q1 Q0 " + b"x" * 10_000_000 + b" 9 -5.0 tag\n"
    assert len(read_run(save("long", content)).doc[5]) == 10_000_000


@pytest.fixture
def short_lines(monkeypatch):
    """The longest line after decompression is 64 KB here, not 64 MB."""
    monkeypatch.setattr(limits, "LONGEST_LINE", 1 << 16)
    monkeypatch.setattr(_expand, "_STEP", 1 << 12)


def test_a_long_json_document_is_no_bomb(save, short_lines):
    source = random.Random(1)
    docs = ",".join(f'"{source.randbytes(400).hex()}": 1' for _ in range(500))
    content = f'{{"q": {{{docs}}}}}'.encode()
    for compress in (gzip.compress, zstd.compress):
        assert len(read_run(save("large.json", compress(content))).query) == 500
