"""`judged report`, and the page that `judged demo` writes."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import judged as jd
from judged.cli.main import cli

QRELS = str(jd.sample_path("qrels.txt"))
BM25, DENSE = (str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "dense"))
TEXT, QUERIES = (str(jd.sample_path(f"{name}.jsonl")) for name in ("documents", "queries"))


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words: str):
        return CliRunner().invoke(cli, list(words))

    return invoke


def test_a_page_of_two_runs(run):
    done = run("report", QRELS, BM25, DENSE, "-m", "nDCG@10", "AP", "--doc-texts", TEXT, "--query-texts", QUERIES)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("report.html (0.")
    assert "warning: 1 judged query is missing from bm25 and counted as 0" in done.stderr
    page = Path("report.html").read_text()
    assert "<bdi>dense</bdi> is clearly better than <bdi>bm25</bdi> on nDCG@10." in page


def test_names_baselines_and_slices(run):
    done = run("report", QRELS, f"old={BM25}", f"new={DENSE}", "-o", "page.html", "--baseline", "old",
               "--slices", QUERIES, "--by", "kind")  # fmt: skip
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text()
    assert "<bdi>new</bdi> is clearly better than <bdi>old</bdi>" in page


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((QRELS, BM25, "--baseline", "x"), 2, "needs two or more runs"),
        ((QRELS, BM25, DENSE, "--queries", "all"), 2, "--queries"),
        ((QRELS, BM25, DENSE, "--by", "kind"), 2, "--slices"),
        ((QRELS, BM25, DENSE, "--baseline", "none"), 2, "[baseline]"),
        ((QRELS, BM25, DENSE, "-m", "nDGC"), 2, "nDCG"),
        ((QRELS, "none.run"), 3, "No such file"),
        ((QRELS, BM25, "--doc-texts", "none.jsonl"), 3, "No such file"),
        ((QRELS, BM25, "--doc-texts", QRELS), 2, "column"),
        ((QRELS, BM25, "-o", "no/where.html"), 3, "[io]"),
        ((QRELS,), 2, "[questions]"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(run, words, code, said):
    done = run("report", *words)
    assert said in done.output
    assert done.exit_code == code
    assert list(Path().iterdir()) == []


def test_the_demo_ends_with_a_page(run):
    done = run("demo")
    assert done.exit_code == 0, done.output
    assert "Open report.html in a browser" in done.output
    page = Path("report.html").read_text()
    assert "<bdi>dense</bdi> is clearly best on nDCG@10." in page
    assert run("demo").exit_code == 0  # its own page may be written again


def test_the_demo_does_not_write_over_a_page_of_others(run):
    Path("report.html").write_text("mine")
    done = run("demo")
    assert done.exit_code == 2
    assert "was not written by judged" in done.output
    assert Path("report.html").read_text() == "mine"
    assert run("demo", "-o", "other.html").exit_code == 0
