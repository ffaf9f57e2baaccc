"""`judged power`: its help, its outputs, its errors."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import called

import judged as jd
from judged.cli.main import cli


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i:02}" for i in range(12)]
    Path("qrels.txt").write_text("".join(f"{q} 0 x 1\n{q} 0 y 0\n" for q in queries))
    Path("a.run").write_text("".join(f"{q} Q0 x 1 2 a\n{q} Q0 y 2 1 a\n" for q in queries))
    order = [("y", "x") if i % 3 else ("x", "y") for i in range(12)]
    Path("b.run").write_text(
        "".join(f"{q} Q0 {s} 1 2 b\n{q} Q0 {t} 2 1 b\n" for q, (s, t) in zip(queries, order, strict=True))
    )
    return tmp_path


def run(*words, stdin=None):
    outcome = CliRunner().invoke(cli, ["power", *map(str, words)], input=stdin)
    if outcome.exception is not None:
        raise outcome.exception
    return outcome.stdout


def shell(*words):
    return called("power", *words)


def test_help_shows_examples_and_the_number_of_queries():
    text = run("--help")
    assert "judged power qrels.txt bm25.run dense.run" in text
    assert "--queries [judged|both|strict]" in text


def test_a_table_with_a_sentence_above():
    found = jd.power("qrels.txt", "a.run", "b.run", "RR", difference=0.1)
    assert run("qrels.txt", "a.run", "b.run", "-m", "RR", "--difference", "0.1") == f"{found}\n"
    assert run("qrels.txt", "a.run", "b.run", "-m", "RR", "--difference", "0.1").splitlines()[2:8] == [
        "a ~ b",
        "",
        "measure  queries  deviation  detectable at 80%  difference  power  queries needed",
        "───────  ───────  ─────────  ─────────────────  ──────────  ─────  ──────────────",
        f"RR            12     {found['RR'].deviation:.4f}             {found['RR'].smallest:.4f}      0.1000  {found['RR'].chance:.1%}              {found['RR'].needed}",
        "",
    ]


def test_json_holds_what_the_library_gives():
    words = ("--power", "0.9", "--alpha", "0.01", "--format", "json")
    data = json.loads(run("qrels.txt", "a.run", "b.run", "-m", "RR", "AP", *words))
    wanted = jd.power("qrels.txt", "a.run", "b.run", "RR AP", power=0.9, alpha=0.01)
    assert data == json.loads(wanted.to_json())


def test_csv_markdown_and_a_file():
    rows = list(csv.DictReader(io.StringIO(run("qrels.txt", "a.run", "b.run", "-m", "RR", "AP", "--format", "csv"))))
    assert [row["measure"] for row in rows] == ["RR", "AP"]
    assert run("qrels.txt", "a.run", "b.run", "--format", "md", "-o", "out.md") == ""
    assert Path("out.md").read_text().startswith("nDCG@10: 12 queries")
    run("qrels.txt", "a.run", "b.run", "-o", "out.txt")
    assert Path("out.txt").read_text() == run("qrels.txt", "a.run", "b.run")


def test_runs_may_be_named_and_queries_means_which_ones_count():
    data = json.loads(run("qrels.txt", "old=a.run", "new=b.run", "--queries", "both", "--format", "json"))
    assert (data["a"], data["b"]) == ("old", "new")


def test_policies_reach_the_evaluation():
    assert run("qrels.txt", "a.run", "b.run", "-m", "RR", "--depth", "1") != run(
        "qrels.txt", "a.run", "b.run", "-m", "RR"
    )


def test_a_run_may_come_from_standard_input():
    piped = run("qrels.txt", "-", "b.run", "-m", "RR", stdin=Path("a.run").read_text())
    assert piped.splitlines()[6] == run("qrels.txt", "a.run", "b.run", "-m", "RR").splitlines()[6]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["qrels.txt", "a.run", "none.run"], 3, "none.run"),
        (["qrels.txt", "a.run"], 2, "[runs]"),
        (["qrels.txt", "a.run", "b.run", "-m", "NDGC"], 2, "[unknown-name]"),
        (["qrels.txt", "a.run", "b.run", "--difference", "0"], 2, "[parameter]"),
        (["qrels.txt", "a.run", "b.run", "--power", "1"], 2, "[parameter]"),
        (["qrels.txt", "a.run", "b.run", "--power", "0.02"], 2, "[parameter]"),
        (["a.run", "qrels.txt", "b.run"], 2, "[swapped]"),
        (["qrels.txt", "-", "-"], 2, "only once"),
    ],
)
def test_errors_say_what_is_wrong(words, code, said):
    outcome = CliRunner().invoke(cli, ["power", *words])
    assert (outcome.stdout, outcome.exit_code) == ("", code)
    assert said in outcome.stderr


def test_an_error_goes_to_standard_error_with_its_exit_code():
    done = shell("qrels.txt", "a.run", "none.run")
    assert (done.returncode, done.stdout) == (3, "")
    assert "none.run" in done.stderr


def test_equal_runs_and_control_characters():
    assert "power" in run("qrels.txt", "a.run", "a.run")
    name = "c\x1b[2J.run"
    Path(name).write_text(Path("b.run").read_text())
    assert "\x1b" not in run("qrels.txt", "a.run", name)
