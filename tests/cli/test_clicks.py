"""`judged clicks`: help, golden outputs, errors."""

import json
import re
from pathlib import Path

import pytest
from commands import called
from commands import run as command

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
    for name, content in (("a.run", RUN), ("b.run", BETTER), ("log.csv", LOG)):
        Path(name).write_text(content)
    return tmp_path


def run(*words):
    return command("clicks", *words)


def refused(*words):
    """The slug and the exit code of a command that fails."""
    outcome = called("clicks", *words)
    assert outcome.stdout == ""
    return re.findall(r"\[([a-z-]+)\]$", outcome.stderr.strip())[0], outcome.returncode


def test_fit_prints_the_parameters_of_a_model():
    assert (
        run("fit", "log.csv", "--model", "cascade")
        == """\
cascade fitted to log.csv

query  doc  impressions  clicks  relevance
─────  ───  ───────────  ──────  ─────────
q      a              3       1     0.4000
q      b              3       1     0.5000

3 sessions · log-likelihood per session -1.1081
prior: 1 and 1 added to the counts of every probability
"""
    )


def test_fit_writes_judgments():
    outcome = called("clicks", "fit", "log.csv", "--model", "cascade", "-o", "out.txt")
    assert "2 grades written to out.txt" in outcome.stderr
    assert Path("out.txt").read_text() == "q 0 a 3\nq 0 b 3\n"  # log2(1 + 2⁴ · 0.4), log2(1 + 2⁴ · 0.5)


def test_fit_says_what_is_wrong_with_a_log():
    Path("bad.csv").write_text(LOG.replace("s3,q,a,1,0", "s3,q,a,1,7"))
    outcome = called("clicks", "fit", "bad.csv", "--format", "json")
    error = json.loads(outcome.stderr)["error"]
    assert (error["code"], error["path"], error["line"], error["column"]) == ("clicks", "bad.csv", 6, 5)
    assert refused("fit", "none.csv") == ("io", 3)
    Path("two.csv").write_text("session,query,doc,rank,click\n1,q,a,1,1\n1,q,b,2,1\n")
    assert refused("fit", "two.csv", "--model", "cascade") == ("clicks", 2)


def test_interleave_prints_lists_with_teams():
    assert (
        run("interleave", "a.run", "b.run", "-k", 2, "--seed", 1)
        == "query,rank,doc,team\nq1,1,a,A\nq1,2,c,B\nq2,1,y,B\nq2,2,x,A\n"
    )
    assert "A = old, B = new" in run("interleave", "old=a.run", "new=b.run", "--format", "table")


def test_score_says_who_wins():
    run("interleave", "a.run", "b.run", "-k", 3, "-o", "lists.csv")
    rows = [
        ("s1", "q1", "c", 1),
        ("s1", "q1", "a", 0),
        ("s2", "q2", "y", 1),
        ("s2", "q2", "x", 0),
        ("s3", "q1", "c", 1),
    ]
    Path("clicks.csv").write_text("session,query,doc,click\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    data = json.loads(run("score", "clicks.csv", "--lists", "lists.csv", "--format", "json"))
    assert (data["wins_a"], data["wins_b"], data["p_value"]) == (0, 2, 0.5)  # two queries: 2 / 2²


MANY = "session,query,doc,click\n" + "".join(
    f"{i},q1,{doc},{int(click)}\n"
    for i in range(300)
    for doc, click in zip("abc", (i % 2, i % 3 == 0, i % 7 == 0), strict=True)
)


def test_score_estimates_a_run_from_clicks_on_another():
    Path("many.csv").write_text(MANY)
    text = run("score", "many.csv", "--run", "b.run", "-m", "DCG@2")
    assert "ips" in text
    assert "snips" in text
    assert "supported" in text
    words = ("--run", "new=b.run", "--run", "a.run", "-m", "P@1", "--resamples", 10, "--format", "json")
    data = json.loads(run("score", "many.csv", *words))
    assert [row["measure"] for row in data["estimates"]] == ["P@1"] * 4
    assert data["estimates"][0]["run"] == "new"


def test_score_writes_to_a_file_and_needs_one_question():
    Path("many.csv").write_text(MANY)
    run("score", "many.csv", "--run", "b.run", "--resamples", 10, "--format", "csv", "-o", "out.csv")
    assert Path("out.csv").read_text().startswith("run,measure,estimator,value")
    for words in (["many.csv"], ["many.csv", "--run", "b.run", "--lists", "x"]):
        assert called("clicks", "score", *words).returncode == 2
    assert refused("score", "many.csv", "--run", "b.run", "-m", "AP") == ("measure", 2)
