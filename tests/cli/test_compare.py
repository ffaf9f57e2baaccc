"""`judged compare` and `judged board`: one golden answer each, every format, and what is told when something is wrong."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import judged as jd
from judged.cli.main import cli


def sample(*runs: str) -> list[str]:
    return [str(jd.sample_path("qrels.txt")), *(str(jd.sample_path(f"runs/{name}.run")) for name in runs)]


def run(*words: str):
    return CliRunner().invoke(cli, list(words))


def test_the_verdict_of_the_sample():
    done = run("compare", *sample("bm25", "dense"), "-m", "nDCG@10", "--where", "1")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert ["bm25.run", "0.5196", "b"] in lines
    assert ["dense.run", "0.7853", "a"] in lines
    row = next(line for line in lines if line[:3] == ["nDCG@10", "dense.run", "bm25.run"])
    assert row[3] == "+0.2657"
    assert row[-1] == "better"
    assert "the queries that changed most" in done.output


@pytest.mark.parametrize("form", ["table", "json", "csv", "md", "latex"])
def test_every_format(form, tmp_path):
    target = tmp_path / "out"
    done = run("compare", *sample("bm25", "tfidf", "dense"), "--format", form, "-o", str(target))
    assert done.exit_code == 0, done.output
    assert "dense.run" in target.read_text().replace("\\_", "_")


def test_a_baseline_is_named_as_the_table_has_it_or_by_its_file():
    files = sample("bm25", "dense")
    for word in ("bm25.run", files[1]):
        data = json.loads(run("compare", *files, "--baseline", word, "--format", "json").output)
        assert data["baseline"] == "bm25.run"
    named = json.loads(
        run("compare", files[0], f"old={files[1]}", f"new={files[2]}", "-b", "old", "--format", "json").output
    )
    assert named["runs"] == ["old", "new"]


def test_slices_need_a_file_and_a_column(tmp_path):
    table = tmp_path / "queries.csv"
    table.write_text("query_id,half\n" + "".join(f"q{i:02},{'first' if i <= 20 else 'second'}\n" for i in range(1, 41)))
    done = run("compare", *sample("bm25", "dense"), "--slices", str(table), "--by", "half")
    assert "half=first" in done.output
    assert "half=second" in done.output
    assert "needs a column of it" in run("compare", *sample("bm25", "dense"), "--slices", str(table)).output
    assert "relevant=" in run("compare", *sample("bm25", "dense"), "--by", "relevant").output


def test_all_runs_at_once_and_clusters(tmp_path):
    table = tmp_path / "queries.csv"
    table.write_text("query_id,user\n" + "".join(f"q{i:02},u{i // 8}\n" for i in range(1, 41)))
    words = [*sample("bm25", "tfidf", "dense"), "-m", "AP", "--slices", str(table), "--clusters", "user", "--overall"]
    done = run("compare", *words, "--jointly", "randomised-tukey")
    assert done.exit_code == 0, done.output
    for word in ("Friedman", "ANOVA", "randomised-tukey over all runs", "critical difference"):
        assert word in done.output
    assert "in the terminal only" in run("compare", *words, "--format", "json").output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--test", "tt"], "test"),
        (["--correction", "holmes"], "holm"),
        (["--baseline", "x"], "bm25.run"),
        (["--alpha", "2"], "alpha"),
    ],
)
def test_wrong_words_are_told(words, said):
    done = run("compare", *sample("bm25", "dense"), *words)
    assert said in str(done.exception)
    assert done.exception.exit_code == 2


def test_a_board_of_saved_results(tmp_path):
    for name in ("bm25", "dense"):
        jd.evaluate(*sample(name), "nDCG@10 AP").save(tmp_path / f"{name}.json")
    files = [str(tmp_path / "bm25.json"), str(tmp_path / "dense.json")]
    lines = [line.split() for line in run("board", *files, "-m", "AP").output.splitlines()]
    assert [line[0] for line in lines[2:4]] == ["dense.run", "bm25.run"]
    for form in ("json", "csv", "md", "latex"):
        assert "dense" in run("board", *files, "--format", form).output
    assert "values saved by judged" in str(run("board", sample("bm25")[1]).exception)
