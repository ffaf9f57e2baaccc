"""Text that no file has is refused before it fills the memory: every compression, every text format; and pipes lose no byte."""

import bz2
import gzip
import io
import lzma
import os
import threading

import pytest
import zstd
from for_each import for_each

import judged as jd
from judged.errors import JudgedError
from judged.io import files as limits
from judged.io.files import _MAGIC

pytestmark = pytest.mark.slow

PACK = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd.compress}
RUN, QRELS = b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4 t\n", b"q1 0 d1 1\nq1 0 d2 0\n"
READERS = {
    "TREC run": (jd.read_run, RUN),
    "TREC judgments": (jd.read_qrels, QRELS),
    "CSV": (jd.read_run, b"query_id,doc_id,score\nq1,d1,1\n"),
    "JSON Lines": (jd.read_run, b'{"query_id":"q1","doc_id":"d1","score":1}\n' * 2),
    "JSON": (jd.read_run, b'{"q1":\n{"d1":1}}\n'),
    "LETOR": (jd.read_qrels, b"1 qid:q1 1:0.5\n"),
    "questions": (
        jd.rag.read_questions,
        b'{"question":"a","retrieved":["d"],"relevant":["d"]}\n{"question":"b","retrieved":["d"],"relevant":["d"]}\n',
    ),
    "clicks": (jd.clicks.read_clicks, b"session,query,doc,rank,click\ns,q,d,1,1\n"),
    "evaluation": (lambda run: jd.evaluate({"q1": {"d1": 1}}, run, "AP"), RUN),
}
BOMBS = {"newlines": b"\n", "returns": b"\r\n", "blanks": b" \t\n", "comments": b"#\n", "letters": b"x"}
BLANK = {"newlines", "returns", "blanks"}


def test_every_compression_is_tested():
    assert set(PACK) == {"plain", *_MAGIC.values()}


@for_each("packing", PACK)
@for_each("format", READERS)
def test_what_no_text_has_is_refused(format, packing, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_LINE", 1 << 14)
    read, good = READERS[format]
    path = tmp_path / "f"
    path.write_bytes(PACK[packing](good))
    whole = repr(read(path))
    for name, unit in BOMBS.items():
        content = good + unit * ((1 << 17) // len(unit))
        path.write_bytes(PACK[packing](content))
        if (packing, name) == ("plain", "comments") and format in ("TREC run", "TREC judgments", "evaluation", "LETOR"):
            read(path)  # as large as it looks
            continue
        cells = name == "blanks" and format in ("CSV", "clicks")  # a line of blanks is a cell
        if packing == "plain" and name in BLANK and not cells:
            assert repr(read(path)) == whole, name  # as large as it looks, too
            assert repr(read(io.BytesIO(content))).count("\n") == whole.count("\n"), name
            continue
        with pytest.raises(JudgedError) as caught:
            read(path)
        assert caught.value.slug in ("too-large", "columns", "json", "score-type"), name


@pytest.mark.needs("unix")  # /dev/zero
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(device, monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_LINE", 1 << 20)
    for read in (jd.read_run, jd.read_qrels, jd.clicks.read_clicks, jd.rag.read_questions):
        with pytest.raises(JudgedError):
            read(device)


@pytest.mark.parametrize("format", READERS)
def test_a_pipe_is_read_once_and_whole(format, tmp_path):
    read, good = READERS[format]
    path = tmp_path / "pipe" / "f"
    path.parent.mkdir()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(good,))
    writer.start()
    found = read(path)
    writer.join(timeout=10)
    assert not writer.is_alive()
    data = tmp_path / "f"
    data.write_bytes(good)
    assert repr(found).replace(str(path), "") == repr(read(data)).replace(str(data), "")
    assert repr(read(io.BytesIO(good))).count("\n") == repr(found).count("\n")
