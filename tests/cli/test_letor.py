"""LETOR files with files of scores beside them, compressed and from standard input."""

import gzip
from pathlib import Path

from commands import run

LABELS = b"2 qid:1 1:0.5 #docid = a\n0 qid:1 1:0.1 #docid = b\n1 qid:2 1:0.5 #docid = a\n0 qid:2 1:0.5 #docid = d\n"
SCORES = b"0.1\n0.2\n0.3\n0.4\n"


def test_eval_reads_compressed_ones_and_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in (("a.letor", LABELS), ("a.letor.gz", gzip.compress(LABELS)), ("one.txt", SCORES)):
        Path(name).write_bytes(content)
    words = ("-m", "RR", "--format", "trec", "-q")
    wanted = run("eval", "a.letor", "one.txt", *words)
    assert wanted.startswith("RR")
    assert run("eval", "a.letor.gz", "one.txt", *words) == wanted
    assert run("eval", "a.letor", "-", *words, stdin=SCORES) == wanted.replace("one", "<stdin>")
    assert run("eval", "-", "one.txt", *words, stdin=LABELS) == wanted
