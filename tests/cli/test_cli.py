"""Each command: its help, one golden output, one error; then what the options of `judged eval` change."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import judged as jd
from judged.cli.main import cli

COMMANDS = [
    "demo",
    "eval",
    "compare",
    "gate",
    "power",
    "board",
    "report",
    "explain",
    "curve",
    "agree",
    "correlate",
    "clicks",
    "recommend",
    "measures",
    "convert",
    "trec_eval",
]

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d4 1\n"
RUN = b"q1 Q0 d2 1 0.9 a\nq1 Q0 d3 2 0.7 a\nq1 Q0 d1 3 0.5 a\nq2 Q0 d1 1 0.8 a\nq2 Q0 d4 2 0.3 a\n"
OTHER = b"q1 Q0 d3 1 0.9 b\nq1 Q0 d1 2 0.7 b\nq1 Q0 x 3 0.5 b\nq2 Q0 d4 1 0.8 b\n"
POLICY = (
    "policy: all judged queries · no relevant document: zero · order by score · ties: id-desc · unjudged: irrelevant"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder in which commands run, with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.txt", QRELS), ("a.run", RUN), ("b.run", OTHER)):
        Path(name).write_bytes(content)
    return tmp_path


def run(*words, stdin=None):
    """What a command prints; its errors come out as they are."""
    return CliRunner().invoke(cli, list(map(str, words)), input=stdin, catch_exceptions=False).stdout


def refused(*words, stdin=None):
    """The error of a command that prints nothing else."""
    outcome = CliRunner().invoke(cli, list(map(str, words)), input=stdin)
    assert outcome.stdout == ""
    assert isinstance(outcome.exception, jd.JudgedError)
    return outcome.exception


def shell(*words, **options):
    """A command in a process of its own, for its exit code."""
    code = "from judged.cli.main import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    options = {"capture_output": True, **options}
    return subprocess.run(
        [sys.executable, "-c", code, *words], text=True, env=environment, timeout=60, check=False, **options
    )


def values(*words, stdin=None):
    """{measure: mean} as `judged eval` prints them in CSV."""
    rows = csv.DictReader(io.StringIO(run("eval", *words, "--format", "csv", stdin=stdin)))
    return {row["measure"]: float(row["value"]) for row in rows}


def lines(text):
    return text.strip("\n").split("\n")


# ── each command ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_how_a_command_is_called(command):
    text = run(command, "--help")
    assert f"judged {command}" in text or f"{command} [OPTIONS]" in text
    assert len(lines(text)) > 5


def test_help_lists_every_command():
    assert [word for word in COMMANDS if re.search(rf"^  {word} ", run("--help"), re.MULTILINE)] == COMMANDS
    assert list(cli.list_commands(None)) == COMMANDS


def test_the_version_is_that_of_the_package():
    assert run("--version") == f"judged, version {jd.__version__}\n"


ERRORS = [
    (["demo", "extra"], 2, "Error: Got unexpected extra argument (extra)"),
    (
        ["eval", "qrels.txt", "none.run"],
        3,
        "error: none.run: expected a file that can be read; got No such file or directory.",
    ),
    (
        ["explain", "AP", "qrels.txt", "a.run", "--query", "q9"],
        2,
        "error: expected a judged query such as 'q1', 'q2'; got 'q9'.",
    ),
    (["measures", "ndgc"], 2, "did you mean nDCG?"),
    (["convert", "a.run", "a.xyz"], 2, "got 'a.xyz'."),
    (["trec_eval", "qrels.txt", "none.run"], 2, "trec_eval: Quit in file 'none.run'"),
]


@pytest.mark.parametrize(("words", "code", "message"), ERRORS, ids=[words[0] for words, _, _ in ERRORS])
def test_an_error_goes_to_standard_error_with_its_exit_code(words, code, message):
    outcome = shell(*words)
    assert (outcome.returncode, outcome.stdout) == (code, "")
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_demo_shows_three_runs_and_explains_one_query():
    text = run("demo")
    assert [re.match(r"(\S+) +(\d\.\d+) ", line).groups() for line in lines(text)[2:5]] == [
        ("bm25.run", "0.5196"),
        ("tfidf.run", "0.5303"),
        ("dense.run", "0.7853"),
    ]
    top, bottom, value = map(float, re.search(r"^([\d.]+) / ([\d.]+) = ([\d.]+)$", text, re.MULTILINE).groups())
    assert top / bottom == pytest.approx(value, rel=1e-5)


def test_eval_prints_a_table():
    wanted = f"""
a.run judged by qrels.txt

measure    mean      95% interval  queries
───────  ──────  ────────────────  ───────
nDCG@10  0.6503  [0.6309, 0.6697]        2
AP       0.5417  [0.5000, 0.5833]        2

2 queries · 100% of the top 10 judged (mean over queries)
{POLICY}
"""
    assert run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP") == wanted[1:]


def test_explain_prints_the_arithmetic():
    wanted = """
AP of query q1

rank  document  grade  relevant  precision    term     sum
────  ────────  ─────  ────────  ─────────  ──────  ──────
   1  d2            0                    0       0       0
   2  d3            2       yes        0.5     0.5     0.5
   3  d1            1       yes     0.6667  0.6667  1.1667

1.16667 / 2 = 0.583333
AP: Σ over relevant ranks r of P@r, / relevant
"""
    assert run("explain", "AP", "qrels.txt", "a.run", "--query", "q1") == wanted[1:]


def test_explain_prints_every_cutoff():
    wanted = """
query q1 at every cutoff

k  document  grade       P       R
─  ────────  ─────  ──────  ──────
1  d2            0  0.0000  0.0000
2  d3            2  0.5000  0.5000
"""
    assert run("explain", "P R", "qrels.txt", "a.run", "--query", "q1", "--all-ranks", "--rows", "2") == wanted[1:]


def test_measures_tells_all_about_one():
    wanted = """
Success
=======

Whether any of the first k documents is relevant.

formula
  1 if any of the first k is relevant

parameters
  cutoff = None (behind the @): the last rank that counts; none for the whole ranking; also called k, topk, top_k
  level = 1: the lowest grade that counts as relevant; also called rel, min_rel_level
  judged_only = False: leave unjudged documents out of the ranking first
"""
    assert run("measures", "hit_rate@5").startswith(wanted[1:])


def test_measures_lists_every_one():
    from judged.measures.registry import definitions

    assert {line.split()[0] for line in lines(run("measures"))[2:-2]} == {d.name for d in definitions()}


def test_convert_writes_the_form_that_the_name_says():
    assert run("convert", "a.run", "a.json") == ""
    assert Path("a.json").read_text() == '{"q1": {"d2": 0.9, "d3": 0.7, "d1": 0.5}, "q2": {"d1": 0.8, "d4": 0.3}}\n'
    run("convert", "qrels.txt", "qrels.csv.gz")
    run("convert", "qrels.csv.gz", "back.txt", "--qrels")
    assert Path("back.txt").read_bytes() == QRELS
    assert values("qrels.csv.gz", "a.json", "-m", "AP") == values("qrels.txt", "a.run", "-m", "AP")


def test_convert_asks_where_the_content_can_be_both():
    Path("x.json").write_text('{"q": {"d": 1}}')
    error = refused("convert", "x.json", "x.txt")
    assert (error.slug, error.exit_code, Path("x.txt").exists()) == ("kind", 2, False)
    for target in (["x.txt", "--run"], ["x.run"]):
        run("convert", "x.json", *target)
        assert Path(target[0]).read_text() == "q Q0 d 1 1.0 judged\n"


def test_trec_eval_prints_its_lines():
    wanted = "map                   \tq1\t0.5833\nP_5                   \tq1\t0.4000\n"
    wanted += "map                   \tq2\t0.5000\nP_5                   \tq2\t0.2000\n"
    wanted += "map                   \tall\t0.5417\nP_5                   \tall\t0.3000\n"
    assert run("trec_eval", "-q", "-m", "map", "-m", "P.5", "qrels.txt", "a.run") == wanted


# ── exit codes ───────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_flag_is_a_wrong_call():
    outcome = shell("eval", "qrels.txt", "a.run", "--depht", "3")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "'--depht'" in outcome.stderr
    assert "--depth" in outcome.stderr


def test_an_error_is_json_where_the_output_would_be():
    outcome = shell("eval", "qrels.txt", "a.run", "-m", "ndgc@10", "--format", "json")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    error = json.loads(outcome.stderr)["error"]
    assert (error["code"], error["hint"]) == ("metric", "did you mean nDCG@10?")


def test_a_closed_pipe_ends_a_command_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        outcome = shell("eval", "qrels.txt", "a.run", "-q", capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (outcome.returncode, outcome.stderr) == (141, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_an_error():
    with Path("/dev/full").open("w") as full:
        outcome = shell("eval", "qrels.txt", "a.run", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (outcome.returncode, outcome.stderr) == (3, "error: No space left on device  [io]\n")
    with pytest.raises(
        jd.FileError, match=r"^/dev/full: expected a file that can be written; got No space left on device\."
    ):
        run("eval", "qrels.txt", "a.run", "-o", "/dev/full")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_an_interrupt_ends_a_command():
    os.mkfifo("pipe.run")
    code = "from judged.cli.main import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", code, "eval", "qrels.txt", "pipe.run"]
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        Path("pipe.run").open("wb"),  # waits until the command reads
    ):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_a_wrong_measure_gets_the_nearest_right_one():
    error = refused("eval", "qrels.txt", "a.run", "-m", "NDGC@10")
    assert str(error) == "no measure is called 'NDGC'.\n  hint: did you mean nDCG@10?  [metric]"
    assert error.exit_code == 2


@pytest.mark.parametrize("words", [["-m"], ["-m", "-q"], ["-q", "-m", "--strict"]])
def test_a_measure_must_follow_its_flag(words):
    outcome = CliRunner().invoke(cli, ["eval", "qrels.txt", "a.run", *words])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "-m needs the name of a measure" in outcome.stderr


# ── the forms of output ──────────────────────────────────────────────────────────────────────────

FORMS = {
    "trec": "runid                 \tall\ta.run\nnDCG@10               \tall\t0.6503\nAP                    \tall\t0.5417\n",
    "csv": """run,measure,query,value,low,high,if_irrelevant,if_top
a.run,nDCG@10,all,0.6503007850328437,0.6309297535714575,0.66967181649423,,
a.run,AP,all,0.5416666666666666,0.5,0.5833333333333333,,
""",
    "md": rf"""| measure | mean | 95% interval | queries |
| :-- | --: | --: | --: |
| nDCG@10 | 0.6503 | \[0.6309, 0.6697\] | 2 |
| AP | 0.5417 | \[0.5000, 0.5833\] | 2 |

- 2 queries · 100% of the top 10 judged (mean over queries)
- {POLICY}
""",
    "latex": rf"""% \usepackage{{booktabs}}
\begin{{tabular}}{{lrrr}}
\toprule
measure & mean & 95\% interval & queries \\
\midrule
nDCG@10 & 0.6503 & [0.6309, 0.6697] & 2 \\
AP & 0.5417 & [0.5000, 0.5833] & 2 \\
\bottomrule
\end{{tabular}}
% 2 queries · 100% of the top 10 judged (mean over queries)
% {POLICY}
""",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_output(form):
    assert run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP", "--format", form) == FORMS[form]


def test_json_holds_everything_but_the_queries():
    data = json.loads(run("eval", "qrels.txt", "a.run", "-m", "AP", "--format", "json"))
    assert data["summary"] == {"AP": ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2}
    assert data["intervals"] == {"AP": [1 / 2, (1 / 2 + 2 / 3) / 2]}
    assert data["policy"]["ties"] == "id-desc"
    assert (data["qrels"], data["run"], data["profile"]) == ("qrels.txt", "a.run", "trec_eval-10")
    assert "values" not in data


PER_QUERY = {
    "table": ["query     P@1      AP", "─────  ──────  ──────", "q1     0.0000  0.5833", "q2     0.0000  0.5000"],
    "trec": [f"{m:<22}\t{q}\t{v}" for q, pair in {"q1": ("0.0000", "0.5833"), "q2": ("0.0000", "0.5000")}.items() for m, v in zip(("P@1", "AP"), pair, strict=True)],
    "csv": ["run,measure,query,value,low,high,if_irrelevant,if_top", "a.run,P@1,q1,0.0,,,,", "a.run,P@1,q2,0.0,,,,", "a.run,AP,q1,0.5833333333333333,,,,", "a.run,AP,q2,0.5,,,,"],
    "md": ["| query | P@1 | AP |", "| :-- | --: | --: |", "| q1 | 0.0000 | 0.5833 |", "| q2 | 0.0000 | 0.5000 |"],
}  # fmt: skip


@pytest.mark.parametrize("form", PER_QUERY)
def test_values_of_queries_come_before_the_means_or_alone(form):
    words = ["eval", "qrels.txt", "a.run", "-m", "P@1", "AP", "--format", form]
    alone, both, means = run(*words, "-n"), run(*words, "-q"), run(*words)
    assert lines(alone) == PER_QUERY[form]
    assert lines(both)[: len(PER_QUERY[form])] == PER_QUERY[form]
    assert lines(means)[-1] == lines(both)[-1]
    assert len(both) > len(alone)


def test_values_of_queries_in_json_and_latex():
    words = ["eval", "qrels.txt", "a.run", "-m", "AP", "--format"]
    both, alone = json.loads(run(*words, "json", "-q")), json.loads(run(*words, "json", "-n"))
    assert both["queries"] == alone["queries"] == ["q1", "q2"]
    assert both["values"] == alone["values"] == {"AP": [(1 / 2 + 2 / 3) / 2, 1 / 2]}
    assert "summary" in both
    assert not {"summary", "intervals"} & set(alone)
    assert r"q1 & 0.5833 \\" in lines(run(*words, "latex", "-q"))
    assert run(*words, "latex", "-q").count(r"\begin{tabular}") == 2
    assert run(*words, "latex", "-n").count(r"\begin{tabular}") == 1


def test_several_runs_stand_in_one_table():
    wanted = f"""
run                  nDCG@10                     AP  judged@10
─────  ─────────────────────  ─────────────────────  ─────────
a.run  0.6503 [0.631, 0.670]  0.5417 [0.500, 0.583]       100%
b.run  1.0000 [1.000, 1.000]  1.0000 [1.000, 1.000]        83%

2 queries
in brackets: 95% bootstrap interval of the mean over queries
{POLICY}
"""
    assert run("eval", "qrels.txt", "a.run", "b.run", "-m", "nDCG@10", "AP") == wanted[1:]


def test_several_runs_keep_apart_in_every_form():
    words = ["eval", "qrels.txt", "a.run", "b.run", "-m", "AP", "-q", "--format"]
    rows = list(csv.DictReader(io.StringIO(run(*words, "csv"))))
    assert [(r["run"], r["query"], float(r["value"])) for r in rows if r["query"] != "all"] == [
        ("a.run", "q1", (1 / 2 + 2 / 3) / 2), ("a.run", "q2", 1 / 2), ("b.run", "q1", 1.0), ("b.run", "q2", 1.0),
    ]  # fmt: skip
    assert [data["run"] for data in json.loads(run(*words, "json"))] == ["a.run", "b.run"]
    assert "| query | a.run AP | b.run AP |" in run(*words, "md")
    assert r"q1 & 0.5833 & 1.0000 \\" in run(*words, "latex")
    assert [line.split("\t")[2] for line in lines(run(*words, "trec")) if line.startswith("runid")] == [
        "a.run",
        "b.run",
    ]


def test_runs_of_one_name_are_told_apart_by_their_folders():
    for folder in ("x", "y"):
        Path(folder).mkdir()
        Path(folder, "a.run").write_bytes(RUN)
    labels = [line.split()[0] for line in lines(run("eval", "qrels.txt", "x/a.run", "y/a.run", "-m", "AP"))[2:4]]
    assert labels == ["x/a.run", "y/a.run"]


def test_measures_end_at_the_next_option_or_file():
    wanted = run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP", "-p", "2")
    assert run("eval", "-m", "nDCG@10", "AP", "qrels.txt", "a.run", "-p", "2") == wanted
    assert run("eval", "-p", "2", "-m", "nDCG@10", "-m", "AP", "qrels.txt", "a.run") == wanted
    assert run("eval", "qrels.txt", "a.run", "-p", "2", "-m", "nDCG@10 AP") == wanted
    assert list(values("qrels.txt", "a.run", "-m", "P@{1,2}", "RR")) == ["P@1", "P@2", "RR"]


def test_a_hyphen_is_standard_input():
    wanted = values("qrels.txt", "a.run", "-m", "AP")
    assert values("qrels.txt", "-", "-m", "AP", stdin=RUN) == wanted
    assert values("-", "a.run", "-m", "AP", stdin=QRELS) == wanted
    assert run("eval", "qrels.txt", "-", stdin=RUN).startswith("<stdin> judged by qrels.txt\n")


@pytest.mark.parametrize("form", ["table", *FORMS, "json"])
def test_output_goes_to_a_file_instead(form):
    words = ["eval", "qrels.txt", "a.run", "-q", "--format", form]
    printed = run(*words)
    assert run(*words, "-o", "out.txt") == ""
    assert Path("out.txt").read_text("utf-8") == printed
    assert not list(Path().glob(".judged-*"))


def test_a_file_appears_whole_or_not_at_all(monkeypatch):
    target = Path("out.csv")
    target.write_text("the old one")
    assert refused("eval", "qrels.txt", "a.run", "-m", "nope", "-o", target).slug == "metric"

    def no_space(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", no_space)
        error = refused("eval", "qrels.txt", "a.run", "-o", target)
    assert (error.slug, error.exit_code, error.got) == ("io", 3, "No space left on device")
    assert target.read_text() == "the old one"
    assert sorted(path.name for path in Path().iterdir()) == ["a.run", "b.run", "out.csv", "qrels.txt"]
    run("eval", "qrels.txt", "a.run", "-m", "AP", "--format", "csv", "-o", target)
    assert target.read_text().startswith("run,measure,query")


# ── hostile ids ──────────────────────────────────────────────────────────────────────────────────

ESCAPE = "q\x1b[31m\x9b2J\u202e"
FORMULA = '=HYPERLINK("http://x.example","y")'
SCRIPT = "<script>alert(1)</script>"
SPECIAL = r"\input{x}$_%&#~^|`*[a](b)"
BRACKET = "[5pt]"
BYTES = "q\udcff"
HOSTILE = {
    "table": [r"q\x1b[31m\x9b2J\u202e", FORMULA, SCRIPT, SPECIAL, BRACKET, r"q\udcff"],
    "trec": [r"q\x1b[31m\x9b2J\u202e", FORMULA, SCRIPT, SPECIAL, BRACKET, r"q\udcff"],
    "csv": [r",q\x1b[31m\x9b2J\u202e,", "\"'=HYPERLINK(\"\"http://x.example\"\",\"\"y\"\")\"", SCRIPT, SPECIAL, BRACKET, r"q\udcff"],
    "json": [r'"q\u001b[31m\u009b2J\u202e"', json.dumps(FORMULA), SCRIPT, json.dumps(SPECIAL), BRACKET, r'"q\udcff"'],
    "md": [
        r"| q\\x1b\[31m\\x9b2J\\u202e |", f"| {FORMULA} |", r"| \<script\>alert(1)\</script\> |",
        r"| \\input{x}\$\_%\&\#\~^\|\`\*\[a\](b) |", r"| \[5pt\] |", r"| q\\udcff |",
    ],
    "latex": [
        r"q\textbackslash{}x1b[31m\textbackslash{}x9b2J\textbackslash{}u202e &", f"{FORMULA} &", "$<$script$>$alert(1)$<$/script$>$ &",
        r"\textbackslash{}input\{x\}\$\_\%\&\#\textasciitilde{}\textasciicircum{}\textbar{}`*[a](b) &", "{}[5pt] &", r"q\textbackslash{}udcff &",
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", HOSTILE)
def test_hostile_ids_are_escaped(form):
    ids = [ESCAPE, FORMULA, SCRIPT, SPECIAL, BRACKET, BYTES]
    Path("h.txt").write_bytes("".join(f"{q} 0 d 1\n" for q in ids).encode("utf-8", "surrogateescape"))
    Path("h.run").write_bytes("".join(f"{q} Q0 d 1 1.0 t\n" for q in ids).encode("utf-8", "surrogateescape"))
    text = run("eval", "h.txt", "h.run", "-m", "AP", "-q", "--format", form)
    assert text.replace("\n", "").replace("\t", "").isprintable()
    for wanted in HOSTILE[form]:
        assert wanted in text
    if form == "json":
        assert set(json.loads(text)["queries"]) == set(ids)
    run("eval", "h.txt", "h.run", "-m", "AP", "-q", "--format", form, "-o", "out.txt")
    assert Path("out.txt").read_text("utf-8") == text


def test_hostile_names_of_files_are_escaped():
    Path("=a\x1b[31m|b.run").write_bytes(RUN)
    words = ["eval", "qrels.txt", "=a\x1b[31m|b.run", "-m", "AP", "--format"]
    assert r"'=a\x1b[31m|b.run,AP,all" in run(*words, "csv")
    assert r"=a\x1b[31m|b.run judged by" in run(*words, "table")
    error = refused("eval", "qrels.txt", "no\x1b[31m.run")
    assert str(error).startswith(r"no\x1b[31m.run: expected a file that can be read")


def test_hostile_documents_are_escaped_in_an_explanation():
    Path("h.txt").write_bytes(b"q 0 \x1b]0;owned\x07 1\n")
    Path("h.run").write_bytes(b"q Q0 \x1b]0;owned\x07 1 1.0 t\n")
    for words in (["AP"], ["P", "--all-ranks"]):
        assert r"\x1b]0;owned\x07" in run("explain", words[0], "h.txt", "h.run", "--query", "q", *words[1:])


# ── what the options change ──────────────────────────────────────────────────────────────────────


def test_strict_turns_warnings_into_errors():
    Path("q2.txt").write_bytes(QRELS + b"q3 0 d 1\n")
    assert "warning: 1 judged query is absent from a.run, counted as 0: 'q3'" in run("eval", "q2.txt", "a.run")
    error = refused("eval", "q2.txt", "a.run", "--strict")
    assert (error.slug, error.exit_code) == ("query-missing", 2)
    assert values("qrels.txt", "a.run", "-m", "AP", "--strict") == values("qrels.txt", "a.run", "-m", "AP")


TIES = {"id-desc": 3, "id-asc": 1, "input": 2, "best": 1, "worst": 3}


def test_ties_decide_the_order_of_equal_scores():
    Path("t.txt").write_bytes(b"q 0 b 1\n")
    Path("t.run").write_bytes(b"q Q0 c 1 1.0 t\nq Q0 b 2 1.0 t\nq Q0 d 3 1.0 t\n")
    wanted = {**{ties: 1 / rank for ties, rank in TIES.items()}, "expected": pytest.approx((1 + 1 / 2 + 1 / 3) / 3)}
    assert {ties: values("t.txt", "t.run", "-m", "RR", "--ties", ties)["RR"] for ties in wanted} == wanted


def test_duplicates_are_refused_or_kept_once():
    Path("d.txt").write_bytes(b"q 0 a 1\n")
    Path("d.run").write_bytes(b"q Q0 a 1 0.1 t\nq Q0 x 2 0.5 t\nq Q0 a 3 0.9 t\n")
    error = refused("eval", "d.txt", "d.run", "-m", "RR")
    assert (error.slug, str(error.where), error.value) == ("duplicate-doc", "d.run:3", b"a")
    assert "also at d.run:1" in str(error)
    assert values("d.txt", "d.run", "-m", "RR", "--duplicates", "first") == {"RR": 1 / 2}
    assert values("d.txt", "d.run", "-m", "RR", "--duplicates", "best") == {"RR": 1.0}


def test_documents_judged_twice_are_refused_or_decided():
    Path("d.txt").write_bytes(b"q 0 a 3\nq 0 a 0\nq 0 b 1\n")
    Path("d.run").write_bytes(b"q Q0 a 1 1.0 t\n")
    assert refused("eval", "d.txt", "d.run").slug == "duplicate-judgment"
    for rejudged, grade in {"max": 3, "min": 0, "first": 3, "last": 0, "mean": 3 / 2}.items():
        assert values("d.txt", "d.run", "-m", "DCG", "--rejudged", rejudged) == {"DCG": grade}


def test_level_is_the_lowest_relevant_grade():
    assert values("qrels.txt", "b.run", "-m", "P@2") == {"P@2": (2 / 2 + 1 / 2) / 2}
    assert values("qrels.txt", "b.run", "-m", "P@2", "--level", "2") == {"P(level=2)@2": (1 / 2 + 0) / 2}
    assert values("qrels.txt", "b.run", "-m", "P(level=2)@2", "-l", "1") == {"P(level=2)@2": (1 / 2 + 0) / 2}


def test_depth_is_how_far_rankings_are_looked_at():
    assert values("qrels.txt", "a.run", "-m", "R", "NumRet") == {"R": 1.0, "NumRet": 5}
    assert values("qrels.txt", "a.run", "-m", "R", "NumRet", "--depth", "2") == {"R": (1 / 2 + 1) / 2, "NumRet": 4}
    assert refused("eval", "qrels.txt", "a.run", "--depth", "0").slug == "depth"


def test_judged_only_takes_unjudged_documents_out():
    Path("u.run").write_bytes(b"q1 Q0 x 1 3 t\nq1 Q0 y 2 2 t\nq1 Q0 d3 3 1 t\nq2 Q0 d4 1 1 t\n")
    assert values("qrels.txt", "u.run", "-m", "RR") == {"RR": (1 / 3 + 1) / 2}
    assert values("qrels.txt", "u.run", "-m", "RR", "--judged-only") == {"RR": 1.0}
    assert "unjudged: condensed" in run("eval", "qrels.txt", "u.run", "--judged-only")


def test_queries_says_which_ones_count():
    Path("one.run").write_bytes(b"q1 Q0 d3 1 1.0 t\n")
    assert values("qrels.txt", "one.run", "-m", "RR") == {"RR": 1 / 2}
    assert values("qrels.txt", "one.run", "-m", "RR", "--queries", "both") == {"RR": 1.0}
    assert refused("eval", "qrels.txt", "one.run", "--queries", "strict").slug == "query-missing"


def test_empty_is_the_value_of_a_query_without_a_relevant_document():
    Path("e.txt").write_bytes(b"q1 0 d1 0\nq2 0 d4 1\n")
    wanted = {"zero": 1 / 4, "skip": 1 / 2, "one": 3 / 4, "nan": 1 / 2}
    assert {how: values("e.txt", "a.run", "-m", "RR", "--empty", how)["RR"] for how in wanted} == wanted
    assert refused("eval", "e.txt", "a.run", "--empty", "error").slug == "no-relevant"


def test_order_may_follow_the_rank_column():
    Path("r.run").write_bytes(b"q1 Q0 d2 2 0.9 t\nq1 Q0 d3 1 0.1 t\nq2 Q0 d4 1 1.0 t\n")
    assert values("qrels.txt", "r.run", "-m", "RR") == {"RR": (1 / 2 + 1) / 2}
    assert values("qrels.txt", "r.run", "-m", "RR", "--order", "rank") == {"RR": 1.0}
    assert values("qrels.txt", "r.run", "-m", "RR", "--order", "input") == {"RR": (1 / 2 + 1) / 2}


def test_a_profile_sets_the_conventions_of_another_tool():
    assert "nDCG(gain='exp')" not in run("eval", "qrels.txt", "a.run", "-m", "nDCG@2")
    assert refused("eval", "qrels.txt", "a.run", "--profile", "trec").slug == "profile"
    names = {
        name: next(iter(values("qrels.txt", "a.run", "-m", "nDCG@2", "--profile", name)))
        for name in ("trec_eval-9", "lightgbm")
    }
    assert names == {"trec_eval-9": "nDCG@2", "lightgbm": "nDCG(gain='exp')@2"}


def test_places_are_the_decimals_shown():
    assert "AP       0.54  [0.50, 0.58]        2" in run("eval", "qrels.txt", "a.run", "-m", "AP", "--places", "2")


def test_bounds_show_what_unjudged_documents_could_change():
    Path("u.run").write_bytes(b"q1 Q0 d3 1 3 t\nq1 Q0 x 2 2 t\nq2 Q0 d4 1 1 t\n")
    text = run("eval", "qrels.txt", "u.run", "-m", "P@2", "--bounds")
    assert "unjudged: irrelevant – top grade" in text
    assert "0.5000 – 0.7500" in text


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # where another test has loaded JAX
def test_a_closed_standard_output_is_an_error():
    done = shell(
        "eval", "qrels.txt", "a.run", capture_output=False, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1)
    )
    assert done.returncode == 3
    assert done.stderr == "error: standard output is closed  [io]\n"
