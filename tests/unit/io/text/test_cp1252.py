"""Ids in the encoding of Excel: read so if more of them match then, and never counted as 0 without a word."""

import gzip
import io
import re

import pytest
from native_rows import only_reference
from refusals import refusal

import judged as jd

QRELS = "query;doc;grade\nhülle;schön;1\nrot;b;1\n"
LONG = b"".join(b"z%d Q0 %d%d 1 1 x\n" % (i, i**9, i**7) for i in range(9999))  # read in stretches, and not judged
RUN = "query;doc;score\nhülle;schön;2\nhülle;x;1\nrot;b;1\n"


@pytest.fixture(params=["native", "reference", "trec", "trec, reference", "trec, gz", "trec, bytes"])
def values(request, save):
    def evaluate(qrels: bytes, run: bytes):
        if "trec" in request.param:
            qrels = re.sub(rb"(.*);(.*);(.*)\n", rb"\1 0 \2 \3\n", qrels.partition(b"\n")[2])
            run = re.sub(rb"(.*);(.*);(.*)\n", rb"\1 Q0 \2 1 \3 x\n", run.partition(b"\n")[2])
        paths = save("qrels.csv", qrels), save("run.csv", gzip.compress(run + LONG) if "gz" in request.param else run)
        if "bytes" in request.param:
            paths = io.BytesIO(qrels), io.BytesIO(run)
        if "reference" not in request.param:
            return jd.evaluate(*paths, "RR")
        with only_reference():
            return jd.evaluate(*paths, "RR")

    return evaluate


def encodings(result) -> list[str]:
    return [str(warning) for warning in result.warnings if warning.slug == "encoding"]


@pytest.mark.parametrize(("qrels", "run"), [("cp1252", "utf-8"), ("utf-8", "cp1252")])
def test_ids_are_read_as_cp1252_if_they_match_then(qrels, run, values):
    result = values(QRELS.encode(qrels), RUN.encode(run))
    assert result.queries == ("hülle", "rot")
    assert result["RR"].tolist() == [1, 1]
    name = "qrels" if qrels == "cp1252" else "run"
    [warning] = encodings(result)
    assert "2 ids of" in warning
    assert re.search(rf"{name}(\.csv)? are not UTF-8; read as cp1252", warning)
    assert {w.slug for w in result.warnings} <= {"encoding", "no-final-newline", "query-unjudged"}


def test_documents_alone_are_read_so_too(values):
    result = values(QRELS.replace("hülle", "blau").encode("cp1252"), RUN.replace("hülle", "blau").encode())
    assert result["RR"].tolist() == [1, 1]
    assert len(encodings(result)) == 1


def test_no_query_needs_to_match_before(values):
    one = [text.replace("rot;b;1\n", "") for text in (QRELS, RUN)]
    assert values(one[0].encode("cp1252"), one[1].encode())["RR"].tolist() == [1]
    assert values(one[0].encode(), one[1].encode("cp1252"))["RR"].tolist() == [1]


def test_files_of_one_encoding_match(values):
    for encoding in ("cp1252", "cp850"):
        result = values(QRELS.encode(encoding), RUN.encode(encoding))
        assert result["RR"].tolist() == [1, 1]
        assert ("hülle" in result.queries) == (encoding == "cp1252")


def test_runs_of_both_encodings_are_compared_by_the_same_queries(save):
    qrels, old = save("qrels.csv", QRELS.encode("cp1252")), save("old.csv", RUN.encode("cp1252"))
    one, other = jd.compare(qrels, [old, save("new.csv", RUN.encode())], "RR").results
    assert one.queries == other.queries == ("hülle", "rot")
    assert one["RR"].tolist() == other["RR"].tolist() == [1, 1]


@pytest.mark.parametrize(("qrels", "run", "place"), [("cp850", "utf-8", "qrels"), ("utf-8", "cp850", "run")])
def test_queries_that_match_in_no_way_are_an_error(qrels, run, place, values):
    error = refusal("encoding", values, QRELS.encode(qrels), RUN.encode(run))
    assert error.where.path.removesuffix(".csv").endswith(place)


def test_queries_without_a_match_in_utf_8_are_no_error(values):
    result = values(QRELS.encode(), RUN.replace("hülle", "grün").encode())
    assert {w.slug for w in result.warnings} == {"query-missing", "query-unjudged"}


def test_a_query_that_is_absent_from_files_of_one_encoding_is_no_error(values):
    qrels = QRELS + "grün;a;1\n"
    result = values(qrels.encode("cp1252"), RUN.encode("cp1252"))
    assert result.mean() == {"RR": 2 / 3}
    assert "query-missing" in {w.slug for w in result.warnings}


def test_files_without_a_common_query_keep_their_error(values):
    qrels, run = QRELS.replace("hülle", "a").replace("rot", "b"), RUN.replace("hülle", "x").replace("rot", "y")
    refusal("no-common-query", values, qrels.encode("cp1252"), run.encode())


def test_an_id_that_is_no_text_leaves_the_others_and_is_never_silent(values):
    odd = "hülle;schön;1\nb\udc81;b;1\n"
    text = QRELS.partition("\n")[0] + "\n" + odd
    result = values(text.encode("cp1252", "surrogateescape"), RUN.encode())
    assert result["RR"].tolist() in ([1, 0], [0, 1])
    assert encodings(result)
