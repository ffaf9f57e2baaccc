"""Paths, pipes, standard input and open files, plain or compressed."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading

import pytest
import zstd
from small_collection import RUN

from judged.io.read import read_run

JSONL = b"".join(b'{"qid": "q", "doc": "d%d", "score": 1}\n' % i for i in range(5))
COMPRESSED = {
    "gz": gzip.compress(RUN),
    "bz2": bz2.compress(RUN),
    "xz": lzma.compress(RUN),
    "zst": zstd.compress(RUN),
    "two frames": zstd.compress(RUN[:19]) + zstd.compress(RUN[19:]),
    "two members": gzip.compress(RUN[:19]) + gzip.compress(RUN[19:]),
}


@pytest.mark.parametrize("kind", COMPRESSED)
def test_compression_is_found_by_content_not_by_name(kind, save, rows, run_rows):
    assert rows(read_run(save("r.txt", COMPRESSED[kind]))) == run_rows


@pytest.mark.slow
@pytest.mark.parametrize("content", [RUN, gzip.compress(RUN), JSONL], ids=["plain", "gzip", "jsonl"])
def test_standard_input_is_a_file_called_minus(content, save):
    code = "from judged.io.read import read_run; r = read_run('-'); print(r.name, len(r.doc))"
    piped = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True, check=True)
    assert piped.stdout == b"<stdin> 5\n"
    with save("r.txt", content).open("rb") as file:
        assert subprocess.run([sys.executable, "-c", code], stdin=file, capture_output=True).stdout == b"<stdin> 5\n"


@pytest.mark.parametrize("content", [RUN, zstd.compress(RUN)], ids=["plain", "zstd"])
def test_a_fifo_is_read_once_however_slowly_it_comes(content, tmp_path, rows, run_rows):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def write():
        with fifo.open("wb", buffering=0) as file:
            for byte in content:
                file.write(bytes([byte]))

    writer = threading.Thread(target=write)
    writer.start()
    run = read_run(fifo)
    writer.join()
    assert rows(run) == run_rows


def test_open_files_are_read(save, rows, run_rows):
    path = save("a.run", RUN)
    with path.open() as text, path.open("rb") as binary:
        for source in (text, binary, io.StringIO(RUN.decode()), io.BytesIO(gzip.compress(RUN))):
            assert rows(read_run(source)) == run_rows
