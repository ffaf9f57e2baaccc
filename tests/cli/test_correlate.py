"""`judged correlate`: its help, its outputs, its errors."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import called

import judged as jd
from judged.cli.main import cli

A = "q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\nq2 Q0 d1 1 2 a\nq2 Q0 d2 2 1 a\n"
B = "q1 Q0 d1 1 9 b\nq1 Q0 d3 2 8 b\nq1 Q0 d2 3 7 b\nq2 Q0 d2 1 2 b\nq2 Q0 d1 2 1 b\nq3 Q0 d1 1 1 b\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(A)
    Path("b.run").write_text(B)
    Path("map.txt").write_text("bm25 0.3\ndense 0.4\ntfidf 0.2\n")
    Path("qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    Path("ndcg.json").write_text('{"dense": 0.7, "bm25": 0.5, "tfidf": 0.6}')
    return tmp_path


def invoke(*words, stdin=None):
    return CliRunner().invoke(cli, ["correlate", *map(str, words)], input=stdin)


def run(*words, stdin=None):
    outcome = invoke(*words, stdin=stdin)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stdout


def shell(*words):
    return called("correlate", *words)


def test_help_shows_examples_and_the_defaults():
    from judged.correlation.correlate import DEFAULT

    text = run("--help")
    assert "judged correlate bm25.run dense.run" in text
    assert DEFAULT in " ".join(text.split())


def test_two_runs_make_a_table():
    assert run("a.run", "b.run", "-m", "tau_a", "overlap@1").splitlines() == [
        "a ~ b",
        "",
        "coefficient     mean       95% interval  queries",
        "───────────  ───────  ─────────────────  ───────",
        "tau_a        -0.3333  [-1.0000, 1.0000]        2",
        "overlap@1     0.5000   [0.0945, 0.9055]        2",
        "",
        "2 queries · pairs of shared documents",
        "warning: 1 query is in b.run only, excluded: 'q3'.  [query-unshared]",
    ]


def test_the_defaults_are_one_for_the_same_run_twice():
    data = json.loads(run("a.run", "a.run", "-m", "tau_b", "tau_ap", "rbo", "overlap@2", "--format", "json"))
    assert data["summary"] == pytest.approx(dict.fromkeys(data["summary"], 1.0), rel=1e-12)
    assert "tau_ap" in run("a.run", "a.run")


def test_coefficients_may_stand_before_the_runs():
    assert run("-m", "tau_a", "overlap@1", "a.run", "b.run") == run("a.run", "b.run", "-m", "tau_a", "-m", "overlap@1")


def test_values_of_each_query_begin_with_what_changed_most():
    text = run("a.run", "b.run", "-m", "tau_a", "-q")
    assert text.splitlines()[:6] == [
        "query  documents    tau_a",
        "─────  ─────────  ───────",
        "q2             2  -1.0000",
        "q1             3   0.3333",
        "",
        "ordered by tau_a, the lowest first",
    ]


def test_json_holds_what_the_library_gives():
    data = json.loads(run("a.run", "b.run", "-q", "--format", "json", "--depth", "2"))
    wanted = jd.correlate("a.run", "b.run", depth=2, names=("a", "b"))
    assert data == json.loads(wanted.to_json())


def test_csv_has_a_row_for_each_query_and_one_for_all():
    outcome = invoke("a.run", "b.run", "-m", "tau_a", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.stdout)))
    assert [(r["query"], float(r["value"])) for r in rows] == [
        ("q1", pytest.approx(1 / 3)),
        ("q2", -1.0),
        ("all", pytest.approx(-1 / 3)),
    ]
    assert "query-unshared" in outcome.stderr


def test_markdown_and_a_file(tmp_path):
    assert run("a.run", "b.run", "--format", "md", "-o", "out.md") == ""
    assert Path("out.md").read_text().count("| coefficient | mean |") == 1
    run("a.run", "b.run", "-o", "out.txt")
    assert Path("out.txt").read_text() == run("a.run", "b.run")


def test_orders_of_systems():
    text = run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "tau_ap")
    assert text.splitlines()[0] == "map ~ ndcg"
    data = json.loads(run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "tau_ap", "--format", "json"))
    assert data["summary"] == pytest.approx({"tau_b": 1 / 3, "tau_ap": 2 * (1 + 1 / 2) / 2 - 1})
    rows = list(csv.DictReader(io.StringIO(run("--systems", "map.txt", "ndcg.json", "-m", "tau_b", "--format", "csv"))))
    assert (rows[0]["query"], rows[0]["items"], float(rows[0]["p_value"])) == ("all", "3", 1.0)


def test_a_run_may_come_from_standard_input():
    assert (
        run("-", "b.run", "-m", "tau_a", stdin=A).splitlines()[4]
        == run("a.run", "b.run", "-m", "tau_a").splitlines()[4]
    )
    assert invoke("-", "-", stdin=A).exit_code == 2


def test_orders_of_systems_have_no_overlap_by_default():
    assert list(json.loads(run("--systems", "map.txt", "ndcg.json", "--format", "json"))["summary"]) == ["tau_b", "tau_ap", "rbo"]  # fmt: skip


def test_more_than_two_runs_make_a_table_of_pairs():
    Path("c.run").write_text(A)
    text = run("a.run", "b.run", "c.run", "-m", "tau_a", "overlap@1")
    assert text.splitlines() == [
        "3 runs, pair by pair",
        "",
        "a  b    tau_a  overlap@1  queries",
        "─  ─  ───────  ─────────  ───────",
        "a  b  -0.3333     0.5000        2",
        "a  c   1.0000     1.0000        2",
        "b  c  -0.3333     0.5000        2",
        "",
        "pairs of shared documents",
        "warning: a ~ b: 1 query is in b only, excluded: 'q3'.  [query-unshared]",
        "warning: b ~ c: 1 query is in b only, excluded: 'q3'.  [query-unshared]",
    ]
    data = json.loads(run("a.run", "b.run", "c.run", "-m", "tau_a", "--format", "json"))
    assert [(p["a"], p["b"]) for p in data["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert run("a.run", "b.run", "c.run", "--format", "md").count("| a | b |") == 2  # the header, and the pair


@pytest.mark.parametrize("form", ["table", "md", "latex", "csv", "json", "html"])
def test_every_format_can_be_written_to_a_file(form):
    assert run("a.run", "b.run", "--format", form, "-o", "out") == ""
    assert Path("out").read_text() == run("a.run", "b.run", "--format", form)


def test_runs_can_be_named():
    assert run("old=a.run", "new=b.run", "-m", "tau_a").splitlines()[0] == "old ~ new"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["a.run", "none.run"], 3, "none.run"),
        (["a.run"], 2, "Missing argument"),
        (["a.run", "b.run", "-m", "tau_q"], 2, "[unknown-name]"),
        (["a.run", "b.run", "-m"], 2, "-m needs the name"),
        (["a.run", "b.run", "--depth", "0"], 2, "[parameter]"),
        (["--systems", "a.run", "map.txt"], 2, "2 columns (system, score)"),
        (["map.txt", "a.run"], 2, "map.txt"),
        (["a.run", "qrels.txt"], 2, "[swapped]"),
        (["qrels.txt", "a.run"], 2, "[swapped]"),
        (["a.run", "b.run", "c.run", "-q"], 2, "-q needs exactly two runs"),
        (["a.run", "b.run", "-m", "rbo(p=2)"], 2, "[parameter]"),
    ],
)
def test_errors_say_what_is_wrong(words, code, said):
    done = shell(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_runs_without_a_common_query_are_an_error_that_names_both():
    Path("c.run").write_text("other Q0 d1 1 3 c\n")
    outcome = invoke("a.run", "c.run")
    assert "[no-common-query]" in outcome.stderr
    assert "a.run" in outcome.stderr
    assert "c.run" in outcome.stderr


def test_a_query_with_one_shared_document_is_counted_aloud():
    Path("c.run").write_text("q1 Q0 d1 1 3 c\nq2 Q0 d1 1 2 c\nq2 Q0 d2 2 1 c\n")
    text = run("a.run", "c.run", "-m", "tau_b")
    assert "warning: tau_b is undefined for 1 query" in text
    assert "1.0000" in text


def test_control_characters_do_not_reach_the_terminal():
    Path("c.run").write_bytes(A.replace("q2", "q\x1b[2J").encode())
    text = (
        run("c.run", "c.run", "-q")
        + run("c.run", "c.run", "-q", "--format", "csv")
        + run("c.run", "c.run", "-q", "--format", "md")
    )
    assert "\x1b" not in text
