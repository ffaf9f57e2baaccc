"""Files that try to be read as something they are not."""

import bz2
import io
import lzma

import pytest
from refusals import refusal

import judged as jd

A, B = b"q Q0 a 1 0.5 t\n" * 1, b"q Q0 b 2 0.4 t\n"


@pytest.mark.parametrize("line", [b"q1\tQ0\tdoc 9\t1\t0.5\t\n", b"q1\tQ0\ta\t1\t0.9\tt\nq1\tQ0\tdoc 9\t1\t0.5\t\n"])
def test_an_empty_cell_is_never_made_up_from_a_blank_in_another(line):
    refusal("columns", jd.read_run, io.BytesIO(line))


def test_an_empty_cell_in_judgments_too():
    with pytest.raises(jd.DataError):
        jd.read_qrels(io.BytesIO(b"q1\t\tdoc one\t1\nq1\t\tdoc two\t0\n"))


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_a_damaged_later_stream_of_a_compressed_file_is_not_dropped(compress):
    whole = jd.read_run(io.BytesIO(compress(A) + compress(B)))
    assert whole.doc.tolist() == [b"a", b"b"]
    damaged = bytearray(compress(B))
    damaged[0] ^= 1
    for tail in (bytes(damaged), b"garbage", compress(B)[:-4]):
        refusal("damaged", jd.read_run, io.BytesIO(compress(A) + tail))
