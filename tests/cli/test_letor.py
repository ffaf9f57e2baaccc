"""LETOR files with files of scores beside them, in every command that takes judgments and a run."""

import gzip
import json
from math import log2

import commands
import pytest
from click.testing import CliRunner

from judged.cli.main import cli

LABELS = """\
# a test set
2 qid:1 1:0.5 2:1 #docid = a inc = 1
0 qid:1 1:0.1 2:0 #docid = b inc = 1
1 qid:1 1:0.7 2:1 #docid = c inc = 1

1 qid:2 1:0.5 2:1 #docid = a inc = 1
0 qid:2 1:0.5 2:0 #docid = d inc = 1
"""


@pytest.fixture
def files(tmp_path) -> list[str]:
    """Labels, and two models: the first ranks c b a, d a; the second all that is relevant first."""
    texts = {"test.letor": LABELS, "one.txt": "0.1\n0.2\n0.3\n0.4\n0.5\n", "two.txt": "9\n0\n8\n7\n6\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [str(tmp_path / name) for name in texts]


def run(*words: str):
    with commands.raised():
        return CliRunner().invoke(cli, words)


def test_eval_reads_labels_and_scores(files):
    done = run("eval", *files, "-m", "nDCG@10", "RR", "--format", "json")
    assert done.exit_code == 0, done.output
    found = dict(zip(("one.txt", "two.txt"), json.loads(done.output), strict=True))
    ideal = 2 + 1 / log2(3)
    assert found["one.txt"]["summary"]["nDCG@10"] == pytest.approx(((1 + 2 / log2(4)) / ideal + 1 / log2(3)) / 2)
    assert found["one.txt"]["summary"]["RR"] == 3 / 4
    assert found["two.txt"]["summary"]["nDCG@10"] == 1


def test_eval_reads_compressed_ones_and_standard_input(files, tmp_path):
    packed = tmp_path / "test.letor.gz"
    packed.write_bytes(gzip.compress(LABELS.encode()))
    wanted = run("eval", *files[:2], "-m", "RR", "--format", "trec", "-q").output
    assert wanted.startswith("RR")
    assert run("eval", str(packed), files[1], "-m", "RR", "--format", "trec", "-q").output == wanted
    scores = (tmp_path / "one.txt").read_text()
    piped = CliRunner().invoke(cli, ["eval", files[0], "-", "-m", "RR", "--format", "trec", "-q"], input=scores)
    assert piped.output == wanted.replace("one", "<stdin>")
    piped = CliRunner().invoke(cli, ["eval", "-", files[1], "-m", "RR", "--format", "trec", "-q"], input=LABELS)
    assert piped.output == wanted


def test_compare_curve_report_and_gate_take_them(files, tmp_path):
    for words in (
        ("compare", *files, "-m", "RR"),
        ("curve", "pr", *files),
        ("report", *files, "-o", str(tmp_path / "page.html")),
        ("gate", files[0], files[2], "--min", "RR=0.9"),
    ):
        done = run(*words)
        assert done.exit_code == 0, (words, done.output, done.exception)
    assert (tmp_path / "page.html").stat().st_size > 10_000
