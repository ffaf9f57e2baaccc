"""`judged agree` and `judged merge`: output, adjudication files, what is written, and errors."""

import re
from pathlib import Path

import pytest
from commands import called
from commands import run as command

import judged as jd

A = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 0\nq2 0 b 1\nq2 0 x 3\n"
B = "q1 0 a 2\nq1 0 b 1\nq1 0 c 1\nq2 0 a 0\nq2 0 b 3\nq3 0 a 1\n"
SAMPLE = [str(jd.sample_path(f"qrels.{judge}.txt")) for judge in "ab"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text(A)
    Path("b.txt").write_text(B)
    return tmp_path


def merge(*words):
    return command("merge", *words)


def run(*words, **options):
    return command("agree", *words, **options)


def refused(*words):
    found = called(*words)
    assert (found.stdout, found.returncode) == ("", 2)
    return " ".join(found.stderr.split())


def test_two_small_files():
    assert run("a.txt", "b.txt").split("\n\nconfusion")[1] == (
        " matrix\n\n"
        "a.txt ↓ b.txt →  0  1  2  3  total\n"
        "───────────────  ─  ─  ─  ─  ─────\n"
        "0                1  1  0  0      2\n"
        "1                0  1  0  1      2\n"
        "2                0  0  1  0      1\n"
        "3                0  0  0  0      0\n"
        "total            1  2  1  1      5\n"
        "\n"
        "2 of 2 disagreements\n\n"
        "query  doc  a.txt  b.txt  difference\n"
        "─────  ───  ─────  ─────  ──────────\n"
        "q2     b        1      3           2\n"
        "q1     b        0      1           1\n"
    )


def test_by_query():
    text = run("a.txt", "b.txt", "--per-query", "--level", 1)
    table = text.split("agreement by query\n\n")[1].splitlines()
    assert table[0].split() == ["query", "n", "raw", "kappa", "reason"]
    assert table[2].split() == ["q1", "3", "0.6667", "0.0000"]
    assert "grades ≥ 1 count as 1, others as 0" in text


RUNS = [str(jd.sample_path(f"runs/{name}.run")) for name in ("bm25", "dense", "tfidf")]


@pytest.mark.parametrize(
    "words",
    [
        [*SAMPLE, "--run", *RUNS, "-m", "AP"],
        [*SAMPLE, "-m", "AP", "-r", *RUNS],
        [*SAMPLE, "--run", RUNS[0], RUNS[1], "-m", "AP", "--run", RUNS[2]],
    ],
)
def test_run_takes_several_files_behind_the_judgments(words):
    text = run(*words)
    assert "By AP, no two of the 3 systems swap between judges" in text
    assert [line.split()[0] for line in text.splitlines()[-5:-2]] == ["dense", "tfidf", "bm25"]


def test_one_table_with_all_judges():
    Path("sheet.csv").write_text("qid,docno,human,gpt4\nq1,a,2,1\nq1,b,0,\nq1,c,1,1\nq2,a,0,0\n")
    text = run("sheet.csv", "--judges", "human,gpt4")
    assert "3 documents judged by both, 1 by one only, 2 queries" in text
    assert run("-", "--judges", "human,gpt4", stdin=Path("sheet.csv").read_text()) == text
    Path("rows.csv").write_text(
        "qid,docno,who,label\nq1,a,human,2\nq1,a,gpt4,1\nq1,b,human,0\nq1,c,human,1\nq1,c,gpt4,1\nq2,a,human,0\nq2,a,gpt4,0\n"
    )
    assert run("rows.csv", "--judge-col", "who") == text
    Path("x.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    Path("y.run").write_text("q1 Q0 b 1 2 y\nq1 Q0 a 2 1 y\n")
    assert "no two of the 2 systems swap" in run("sheet.csv", "--judges", "human,gpt4", "--run", "x.run", "y.run")
    merge("sheet.csv", "--judges", "human,gpt4", "--how", "max", "-o", "m.txt")
    assert Path("m.txt").read_text() == "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 0\n"


def test_disagreements_are_printed_alone():
    found = called("agree", "a.txt", "b.txt", "--disagreements", "-")
    assert found.stdout == ("query_id,doc_id,a.txt,b.txt,difference,relevance\nq2,b,1,3,2,\nq1,b,0,1,1,\n")
    assert "2 documents to adjudicate" in found.stderr


def test_ids_and_names_that_mean_something_else_come_back():
    """Ids that a spreadsheet would compute; judges called as columns, or with blanks as TREC files have them."""
    ids, judges = ("-d1", "=b", "@c", "+d", "'-e"), ("query", "difference", "relevance", "my doc", "my own id")
    for grade, judge in enumerate(judges):
        Path(judge).write_text("".join(f"-q 0 {i} {grade}\n" for i in ids))
    run(*judges, "--disagreements", "todo.csv")
    todo = jd.agree(*judges).adjudication_list().records()
    assert [row["judge_query"] for row in todo] == [0] * 5
    Path("todo.csv").write_text(re.sub(r"(?<=,)$", "3", Path("todo.csv").read_text(), flags=re.MULTILINE))
    merge(*judges, "--how", "adjudicate", "--adjudicator", "todo.csv", "-o", "m.txt")
    assert sorted(Path("m.txt").read_text().splitlines()) == sorted(f"-q 0 {i} 3" for i in ids)


def test_an_adjudicator_who_has_not_decided_all_is_told_how_many_are_left():
    run("a.txt", "b.txt", "--disagreements", "todo.csv")
    words = ["merge", "a.txt", "b.txt", "--how", "adjudicate", "--adjudicator", "todo.csv", "-o", "m.txt"]
    assert "2 of 2 rows of todo.csv have no relevance" in refused(*words)
    Path("todo.csv").write_text(f"{Path('todo.csv').read_text()[:-1]}1\n")
    assert "1 of 2 rows of todo.csv has no relevance." in refused(*words)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["agree", "a.txt"], "two or more judges"),
        (["agree", "a.txt", "b.txt", "-l", "high"], "is not a list such as 2 or human=2,llm=1"),
        (["agree", "a.txt", "b.txt", "-l", "a.txt=high"], "is not a list such as 2 or human=2,llm=1"),
        (["agree"], "Missing argument"),
        (["agree", "a.txt", "b.txt", "--run", "x.run"], "two or more runs"),
        (["agree", "a.txt", "b.txt", "--ties", "error"], "No such option"),
        (["agree", "a.txt", "b.txt", "-d", "d.txt"], "'d.txt' does not end in .csv"),
        (["agree", "-", "-"], "only once"),
        (["agree", "a.txt", "b.txt", "--weights", "cubic"], "Invalid value"),
        (["merge", "a.txt", "b.txt", "--how", "mean"], "'-o'"),
        (["merge", "a.txt", "-o", "m.txt"], "two or more judges"),
        (["merge", "a.txt", "b.txt", "--how", "adjudicate", "-o", "m.txt"], "[merge-how]"),
        (["merge", "a.txt", "b.txt", "--adjudicator", "a.txt", "-o", "m.txt"], "[merge-how]"),
        (["merge", "a.txt", "b.txt", "--missing", "error", "-o", "m.txt"], "[merge-how]"),
        (["merge", "-", "-", "-o", "m.txt"], "only once"),
    ],
)
def test_wrong_calls(words, part):
    assert part in refused(*words)
    assert sorted(path.name for path in Path().iterdir()) == ["a.txt", "b.txt"]  # nothing was written


def test_a_judge_can_be_named():
    text = run("human=a.txt", "llm=b.txt", "--level", "human=1,llm=2")
    assert "agreement of human and llm" in text
    assert "1 (human), 2 (llm)" in text


def test_merging_by_mean_keeps_halves():
    found = called("merge", "a.txt", "b.txt", "--how", "mean", "--missing", "drop", "-o", "m.txt")
    assert Path("m.txt").read_text() == "q1 0 a 2\nq1 0 b 0.5\nq1 0 c 1\nq2 0 a 0\nq2 0 b 2\n"
    assert "5 judgments of 2 queries written to m.txt" in found.stderr
