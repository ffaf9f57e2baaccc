"""A file that was cut anywhere is an error, or a value with a warning; at a line's end nobody can tell."""

import bz2
import contextlib
import gzip
import lzma

import pytest
import zstd
from for_each import for_each
from refusals import refusal
from small_collection import QRELS, RUN

from judged.errors import DataError
from judged.io.read import read_qrels, read_run

JSONL = b'{"query_id": "q1", "doc_id": "d1", "score": 0.5}\n{"query_id": "q1", "doc_id": "d2", "score": 12.25}\n'
CSV = b"query_id,doc_id,score\nq1,d1,0.5\nq1,d2,12.25\n"
JSON = b'{"q1": {"d1": 0.5, "d2": 12.25}, "q2": {"d1": 0.125}}'


@pytest.mark.parametrize(
    ("read", "content"), [(read_run, RUN), (read_qrels, QRELS), (read_run, JSONL), (read_run, CSV)], ids=["run", "qrels", "jsonl", "csv"]
)  # fmt: skip
def test_a_text_file_cut_at_any_byte_is_an_error_or_a_warning(read, content, save):
    silent = []
    for size in range(len(content)):
        try:
            table = read(save("cut", content[:size]))
        except DataError:
            continue
        if not table.warnings:
            silent.append(size)
    ends = {i + 1 for i, byte in enumerate(content) if byte == ord("\n")}
    if content is JSONL:
        ends.add(min(ends) - 1)  # one record without its newline is a JSON document
    assert set(silent) <= ends


@for_each("size", range(len(JSON)))
def test_a_json_document_cut_at_any_byte_is_an_error(size, save):
    with pytest.raises(DataError):
        read_run(save("cut", JSON[:size]))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_a_compressed_file_cut_at_any_byte_is_an_error(compress, save):
    content = compress(RUN * 20)
    for size in range(8, len(content)):
        assert "none of it was used" in str(refusal("damaged", read_run, save("cut", content[:size])))
    for size in range(8):
        with pytest.raises(DataError):
            read_run(save("cut", content[:size]))


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd.compress_with_checksum])
def test_a_compressed_file_with_a_wrong_byte_is_an_error_or_the_same(compress, save, rows):
    content = compress(RUN * 20)
    whole = rows(read_run(save("whole", content)))
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 0xFF
        with contextlib.suppress(DataError):
            assert rows(read_run(save("damaged", bytes(damaged)))) == whole


def test_a_file_without_a_last_newline_says_so(save):
    run = read_run(save("cut", RUN[:-1]))
    assert [(warning.slug, warning.count) for warning in run.warnings] == [("no-final-newline", 1)]
    assert "truncated" in run.warnings[0].text
