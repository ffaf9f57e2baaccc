"""`judged compare` and `judged board`: one golden answer each, every format, and what is told when something is wrong."""

import json

import pytest
from click.testing import CliRunner

import judged as jd
from judged.cli.main import cli
from judged.tables.formats import FORMATS


def sample(*runs: str) -> list[str]:
    return [str(jd.sample_path("qrels.txt")), *(str(jd.sample_path(f"runs/{name}.run")) for name in runs)]


def run(*words: str):
    return CliRunner().invoke(cli, list(words))


def test_the_verdict_of_the_sample():
    done = run("compare", *sample("bm25", "dense"), "-m", "nDCG@10", "--where", "1")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.output.splitlines()]
    assert ["bm25", "0.5196", "b"] in lines
    assert ["dense", "0.7853", "a"] in lines
    row = next(line for line in lines if line[:3] == ["nDCG@10", "dense", "bm25"])
    assert row[3] == "+0.2657"
    assert row[-1] == "better"
    assert "queries that changed most" in done.output
    assert done.output.startswith(
        "dense is clearly better than bm25 on nDCG@10.\nBy how much?  +0.266 nDCG@10: bm25 0.520 → dense 0.785 (+51%); "
    )


def test_a_baseline_is_named_as_the_table_has_it_or_by_its_file():
    files = sample("bm25", "dense")
    for word in ("bm25.run", files[1]):
        data = json.loads(run("compare", *files, "--baseline", word, "--format", "json").output)
        assert data["baseline"] == "bm25"
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
    assert "[slice]" in run("compare", *sample("bm25", "dense"), "--slices", str(table)).output
    assert "relevant=" in run("compare", *sample("bm25", "dense"), "--by", "relevant").output


def test_one_table_alone():
    latex = run("compare", *sample("bm25", "dense"), "-m", "AP", "--format", "latex", "--table", "pairs")
    assert latex.output.count(r"\begin{tabular}") == 1
    rows = run("compare", *sample("bm25", "dense"), "-m", "AP", "--format", "csv", "--table", "systems").stdout
    assert rows.splitlines()[0] == "run,AP"


@pytest.mark.parametrize("form", FORMATS.names)
def test_warnings_are_shown_in_every_format_of_one_table(form):
    done = run("compare", *sample("bm25", "dense"), "-m", "AP", "--table", "systems", "--format", form)
    assert "[no-relevant]" in done.output.replace("\\", "")


def test_ties_among_the_queries_that_changed_most_are_counted():
    text = run("compare", *sample("bm25", "dense"), "-m", "P@1", "--where", "4").stdout
    assert "13 of 40 queries have a difference of 1.0000 in either direction; the first 4 are shown" in text
    assert "the first" not in run("compare", *sample("bm25", "dense"), "-m", "P@1", "--where", "13").stdout
    assert "the first" not in run("compare", *sample("bm25", "dense"), "-m", "nDCG", "--where", "2").stdout


def test_a_table_in_a_pipe_is_at_most_132_columns_wide_if_its_words_can_be_wrapped():
    text = run("compare", *sample("bm25", "dense"), "-m", "P@1", "--where", "4", "--table", "where").stdout
    assert max(map(len, text.split("\n\n")[1].splitlines())) <= 132


def test_a_board_of_saved_results(tmp_path):
    for name in ("bm25", "dense"):
        jd.evaluate(*sample(name), "nDCG@10 AP").save(tmp_path / f"{name}.json")
    files = [str(tmp_path / "bm25.json"), str(tmp_path / "dense.json")]
    lines = [line.split() for line in run("board", *files, "-m", "AP").output.splitlines()]
    assert [line[0] for line in lines[5:7]] == ["dense", "bm25"]
    for form in FORMATS.names:
        assert "dense" in run("board", *files, "--format", form).output
    assert "[values-file]" in run("board", sample("bm25")[1]).stderr
