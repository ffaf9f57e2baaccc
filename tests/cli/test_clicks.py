"""`judged clicks`: help, golden outputs, errors."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import judged as jd
from judged.cli.main import cli

QRELS = "q1 0 a 0\nq1 0 b 3\nq1 0 c 4\nq2 0 x 2\nq2 0 y 4\n"
RUN = "q1 Q0 a 1 3 r\nq1 Q0 b 2 2 r\nq1 Q0 c 3 1 r\nq2 Q0 x 1 2 r\nq2 Q0 y 2 1 r\n"
BETTER = "q1 Q0 c 1 3 s\nq1 Q0 b 2 2 s\nq1 Q0 a 3 1 s\nq2 Q0 y 1 2 s\nq2 Q0 x 2 1 s\n"
LOG = """session,query,doc,rank,click
s1,q,a,1,0
s1,q,b,2,1
s2,q,a,1,1
s2,q,b,2,0
s3,q,a,1,0
s3,q,b,2,0
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.txt", QRELS), ("a.run", RUN), ("b.run", BETTER), ("log.csv", LOG)):
        Path(name).write_text(content)
    return tmp_path


def run(*words, stdin=None):
    return CliRunner().invoke(cli, ["clicks", *map(str, words)], input=stdin, catch_exceptions=False).stdout


def refused(*words):
    """The slug and the exit code of a command that fails."""
    outcome = CliRunner().invoke(cli, ["clicks", *map(str, words)])
    assert outcome.stdout == ""
    return re.findall(r"\[([a-z-]+)\]$", outcome.stderr.strip())[0], outcome.exit_code


@pytest.mark.parametrize("name", ["", "fit", "simulate", "interleave", "score"])
def test_help_says_what_a_command_does_with_an_example(name):
    text = run(*([name] if name else []), "--help")
    assert "judged clicks" in text
    assert "Usage" in text


def test_help_names_every_model():
    from judged.clicks.fitting.fit import MODELS

    assert all(name in run("fit", "--help").replace("\n", "") for name in MODELS.names)


# ── fit ──────────────────────────────────────────────────────────────────────────────────────────


def test_fit_prints_the_parameters_of_a_model():
    assert (
        run("fit", "log.csv", "--model", "rank-ctr")
        == """\
rank-ctr fitted to log.csv

parameter    at       value      95% interval
───────────  ──────  ──────  ────────────────
examination  rank 1  0.4000  [0.0676, 0.8059]
examination  rank 2  0.4000  [0.0676, 0.8059]

3 sessions · log-likelihood per session -1.2920 · closed form
prior: 1 and 1 added to the counts of every probability
"""
    )


def test_fit_prints_grades_as_csv():
    rows = list(csv.DictReader(io.StringIO(run("fit", "log.csv", "--model", "cascade", "--grades", "--format", "csv"))))
    assert [(r["doc"], r["impressions"], r["clicks"], float(r["relevance"]), r["grade"]) for r in rows] == [
        ("a", "3", "1", 2 / 5, "3"),
        ("b", "3", "1", 2 / 4, "3"),
    ]


def test_fit_writes_judgments():
    outcome = CliRunner().invoke(
        cli, ["clicks", "fit", "log.csv", "--model", "cascade", "--levels", "2", "-o", "out.txt"]
    )
    assert "2 grades written to out.txt" in outcome.stderr
    assert Path("out.txt").read_text() == "q 0 a 1\nq 0 b 2\n"


def test_fit_prints_json():
    data = json.loads(run("fit", "log.csv", "--model", "ctr", "--format", "json", "--prior", "0", "0"))
    assert data["prior"] == [0, 0]
    assert [row["value"] for row in data["parameters"]] == [1 / 3, 1 / 3]


def test_fit_compares_all_models_on_held_out_sessions():
    run("simulate", "qrels.txt", "a.run", "--sessions", 600, "--shuffled", 1, "-o", "many.csv")
    text = run("fit", "many.csv", "--model", "all")
    assert [line.split()[0] for line in text.splitlines()[4:11]] == [
        "dcm",
        "sdbn",
        "dbn",
        "pbm",
        "ubm",
        "ctr",
        "rank-ctr",
    ]
    assert len(json.loads(run("fit", "many.csv", "--model", "all", "--format", "json"))["models"]) == 7
    assert run("fit", "many.csv", "--model", "all", "--format", "csv").startswith("model,parameters,log-likelihood")


def test_fit_reads_standard_input():
    assert "3 sessions" in run("fit", "-", "--model", "pbm", stdin=LOG)


def test_fit_says_what_is_wrong_with_a_log():
    Path("bad.csv").write_text(LOG.replace("s3,q,a,1,0", "s3,q,a,1,7"))
    outcome = CliRunner().invoke(cli, ["clicks", "fit", "bad.csv", "--format", "json"])
    error = json.loads(outcome.stderr)["error"]
    assert (error["code"], error["path"], error["line"], error["column"]) == ("click-type", "bad.csv", 6, 5)
    assert refused("fit", "none.csv") == ("io", 3)
    Path("two.csv").write_text("session,query,doc,rank,click\n1,q,a,1,1\n1,q,b,2,1\n")
    assert refused("fit", "two.csv", "--model", "cascade") == ("several-clicks", 2)
    assert refused("fit", "log.csv", "--model", "rank-ctr", "--grades") == ("click-model", 2)


def test_fit_writes_every_format_to_a_file():
    for format in ("md", "latex", "csv", "json", "html", "table"):
        run("fit", "log.csv", "--model", "ctr", "--format", format, "-o", f"out.{format}")
        assert "attractiveness" in Path(f"out.{format}").read_text()


def test_fit_all_takes_no_options_of_one_model():
    outcome = CliRunner().invoke(cli, ["clicks", "fit", "log.csv", "--model", "all", "-o", "x.txt"])
    assert outcome.exit_code == 2
    assert not Path("x.txt").exists()


# ── simulate ─────────────────────────────────────────────────────────────────────────────────────


def test_simulate_prints_a_log_that_is_the_same_for_the_same_seed():
    one = run("simulate", "qrels.txt", "a.run", "--sessions", 4, "--model", "cascade", "--seed", 1)
    assert one == run("simulate", "qrels.txt", "a.run", "--sessions", 4, "--model", "cascade", "--seed", 1)
    rows = list(csv.DictReader(io.StringIO(one)))
    assert [(r["session"], r["query"], r["doc"], r["rank"]) for r in rows[:5]] == [
        ("1", "q1", "a", "1"), ("1", "q1", "b", "2"), ("1", "q1", "c", "3"), ("2", "q2", "x", "1"), ("2", "q2", "y", "2"),
    ]  # fmt: skip
    assert all(r["click"] == "0" for r in rows if r["doc"] == "a")  # not relevant, and no noise


def test_simulate_prints_other_formats():
    rows = json.loads(run("simulate", "qrels.txt", "a.run", "--sessions", 1, "--format", "json"))
    assert [row["doc"] for row in rows] == ["a", "b", "c"]
    run("simulate", "qrels.txt", "a.run", "--sessions", 1, "--format", "md", "-o", "log.md")
    assert "| session" in Path("log.md").read_text()


@pytest.mark.parametrize("name", ["log.tsv", "log.jsonl.gz", "log.parquet"])
def test_simulate_writes_every_form(name):
    run("simulate", "qrels.txt", "a.run", "--sessions", 10, "-o", name)
    assert len(jd.clicks.read_clicks(name).sessions) == 10


def test_simulate_refuses_a_grade_above_the_top_and_an_unknown_ending():
    assert refused("simulate", "qrels.txt", "a.run", "--top", 3, "-o", "x.csv") == ("label-above-max", 2)
    assert refused("simulate", "qrels.txt", "a.run", "-o", "x.doc") == ("format", 2)


# ── interleave and score ─────────────────────────────────────────────────────────────────────────


def test_interleave_prints_lists_with_teams():
    assert (
        run("interleave", "a.run", "b.run", "-k", 2, "--seed", 1)
        == """\
team-draft: A = a, B = b

query  rank  doc  team  rank_a  rank_b
─────  ────  ───  ────  ──────  ──────
q1        1  a    A          1       3
q1        2  c    B          3       1
q2        1  y    B          2       1
q2        2  x    A          1       2
"""
    )


def test_interleave_names_runs_and_prints_a_trec_run():
    assert "A = old, B = new" in run("interleave", "old=a.run", "new=b.run")
    assert run("interleave", "a.run", "b.run", "-k", 2, "--seed", 1, "--format", "trec").splitlines()[:2] == [
        "q1 Q0 a 1 1.0 A",
        "q1 Q0 c 2 0.5 B",
    ]


@pytest.mark.parametrize(
    ("name", "method"), [("lists.csv", "team-draft"), ("lists.jsonl", "balanced"), ("lists.run", "team-draft")]
)
def test_score_says_who_wins(name, method):
    run("interleave", "a.run", "b.run", "--method", method, "-k", 3, "-o", name)
    rows = [
        ("s1", "q1", "c", 1),
        ("s1", "q1", "a", 0),
        ("s2", "q2", "y", 1),
        ("s2", "q2", "x", 0),
        ("s3", "q1", "c", 1),
    ]
    Path("clicks.csv").write_text("session,query,doc,click\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    data = json.loads(run("score", "clicks.csv", "--lists", name, "--method", method, "--format", "json"))
    assert (data["outcomes"][0]["wins_a"], data["outcomes"][0]["wins_b"], data["outcomes"][0]["p_value"]) == (
        0,
        3,
        0.5,  # two queries: 2 / 2²
    )
    assert data["outcomes"][1]["wins_b"] == 2


def test_score_estimates_a_run_from_clicks_on_another():
    run("simulate", "qrels.txt", "a.run", "--model", "pbm", "--sessions", 3000, "-o", "many.csv")
    text = run("score", "many.csv", "--run", "b.run", "-m", "DCG@2", "--propensity", "1,0.5,0.3333")
    assert "ips" in text
    assert "snips" in text
    assert "supported" in text
    data = json.loads(run("score", "many.csv", "--run", "new=b.run", "--run", "a.run", "-m", "P@1", "--format", "json"))
    assert [row["measure"] for row in data["estimates"]] == ["P@1"] * 8
    assert data["estimates"][0]["run"] == "new"


def test_score_writes_to_a_file_and_needs_one_question():
    run("simulate", "qrels.txt", "a.run", "--model", "pbm", "--sessions", 300, "-o", "many.csv")
    run("score", "many.csv", "--run", "b.run", "--format", "csv", "-o", "out.csv")
    assert Path("out.csv").read_text().startswith("run,measure,estimator,value")
    for words in (
        ["many.csv"],
        ["many.csv", "--run", "b.run", "--lists", "x"],
        ["many.csv", "--run", "b.run", "--propensity", "x"],
    ):
        assert CliRunner().invoke(cli, ["clicks", "score", *words]).exit_code == 2
    assert refused("score", "many.csv", "--run", "b.run", "-m", "AP") == ("measure", 2)


def test_control_characters_of_ids_do_not_reach_the_terminal():
    Path("evil.csv").write_text("session,query,doc,click\n1,q,\x1b[31mred,1\n")
    assert "\x1b" not in run("fit", "evil.csv", "--model", "ctr", "--grades")
