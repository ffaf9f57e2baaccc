"""`judged eval`: its output in every format, for one run and for several, and with hostile ids."""

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import QRELS, RUN, lines, run, values

from judged.cli.main import cli
from judged.comparison.compare import compare
from judged.stats.intervals import interval

pytestmark = pytest.mark.usefixtures("collection")

POLICY = "policy: all judged queries · no relevant document: zero · order by score · ties: id-desc · unjudged: irrelevant · relevant: grade ≥ 1"


def test_eval_prints_a_table():
    wanted = f"""
a.run, judgments: qrels.txt

measure    mean      95% interval  queries
───────  ──────  ────────────────  ───────
nDCG@10  0.6503  [0.4042, 0.8964]        2
AP       0.5417  [0.0122, 1.0000]        2

2 queries · 100% of the top 10 judged (mean over queries)
{POLICY}
"""
    assert run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP") == wanted[1:]


@pytest.mark.parametrize("words", [["-m"], ["-m", "-q"], ["-q", "-m", "--strict"]])
def test_a_measure_must_follow_its_flag(words):
    outcome = CliRunner().invoke(cli, ["eval", "qrels.txt", "a.run", *words])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "-m needs the name of a measure" in outcome.stderr


# Two values have the interval mean ± t(0.975, 1 degree of freedom) · half their difference, from 0 to 1.
NDCG, AP = (
    interval([x], limits=[(0.0, 1.0)])[0]
    for x in ((0.66967181649423, 0.6309297535714575), ((1 / 2 + 2 / 3) / 2, 1 / 2))
)

FORMS = {
    "trec": "runid                 \tall\ta\nnDCG@10               \tall\t0.6503\nAP                    \tall\t0.5417\n",
    "csv": f"""run,measure,query,value,low,high,if_irrelevant,if_top
a,nDCG@10,all,0.6503007850328437,{NDCG[0]},{NDCG[1]},,
a,AP,all,0.5416666666666666,{AP[0]},{AP[1]},,
""",
    "md": rf"""**a.run, judgments: qrels.txt**

| measure | mean | 95% interval | queries |
| :-- | --: | --: | --: |
| nDCG@10 | 0.6503 | \[0.4042, 0.8964\] | 2 |
| AP | 0.5417 | \[0.0122, 1.0000\] | 2 |

- 2 queries · 100% of the top 10 judged (mean over queries)
- {POLICY}
""",
    "latex": rf"""% \usepackage{{booktabs}}
\begin{{tabular}}{{lrrr}}
\toprule
measure & mean & 95\% interval & queries \\
\midrule
nDCG@10 & 0.6503 & [0.4042, 0.8964] & 2 \\
AP & 0.5417 & [0.0122, 1.0000] & 2 \\
\bottomrule
\end{{tabular}}
% 2 queries · 100% of the top 10 judged (mean over queries)
% {POLICY}
""",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_output(form):
    assert run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP", "--format", form) == FORMS[form]


PER_QUERY = {
    "table": ["query     P@1      AP", "─────  ──────  ──────", "q1     0.0000  0.5833", "q2     0.0000  0.5000"],
    "trec": [f"{m:<22}\t{q}\t{v}" for q, pair in {"q1": ("0.0000", "0.5833"), "q2": ("0.0000", "0.5000")}.items() for m, v in zip(("P@1", "AP"), pair, strict=True)],
    "csv": ["run,measure,query,value,low,high,if_irrelevant,if_top", "a,P@1,q1,0.0,,,,", "a,P@1,q2,0.0,,,,", "a,AP,q1,0.5833333333333333,,,,", "a,AP,q2,0.5,,,,"],
    "md": ["| query | P@1 | AP |", "| :-- | --: | --: |", "| q1 | 0.0000 | 0.5833 |", "| q2 | 0.0000 | 0.5000 |"],
}  # fmt: skip


@pytest.mark.parametrize("form", PER_QUERY)
def test_values_of_queries_come_before_the_means(form):
    words = ["eval", "qrels.txt", "a.run", "-m", "P@1", "AP", "--format", form]
    both, means = run(*words, "-q"), run(*words)
    assert lines(both)[: len(PER_QUERY[form])] == PER_QUERY[form]
    assert lines(means)[-1] == lines(both)[-1]


def test_several_runs_stand_in_one_table():
    wanted = f"""
run                    nDCG@10                         AP  judged@10
───  ─────────────────────────  ─────────────────────────  ─────────
a                       0.6503                     0.5417       100%
b    1.0000 [+0.104, +0.596] ▲  1.0000 [-0.071, +0.988]          83%

2 queries
in brackets: 95% interval of the difference to a
▲ better, ▼ worse than a (p ≤ 0.05); ≡ identical; no sign: no clear difference
t test, no correction, alpha 0.05
the primary measure is nDCG@10; the other one is secondary, each tested on its own
{POLICY}
"""
    assert run("eval", "qrels.txt", "a.run", "b.run", "-m", "nDCG@10", "AP") == wanted[1:]


def test_runs_by_one_measure_have_a_verdict_column_as_compare_has_it():
    found = compare("qrels.txt", ["a.run", "b.run"], "AP", baseline=0).rows[0]
    [first, second] = lines(run("eval", "qrels.txt", "a.run", "b.run", "-m", "AP"))[2:4]
    assert first.split() == ["a", "0.5417", "100%"]
    assert " ".join(second.split()) == f"b 1.0000 {' '.join(found.columns(4))} 83%"


def test_several_runs_keep_apart_in_every_form():
    words = ["eval", "qrels.txt", "a.run", "b.run", "-m", "AP", "-q", "--format"]
    rows = list(csv.DictReader(io.StringIO(run(*words, "csv"))))
    assert [(r["run"], r["query"], float(r["value"])) for r in rows if r["query"] != "all"] == [
        ("a", "q1", (1 / 2 + 2 / 3) / 2), ("a", "q2", 1 / 2), ("b", "q1", 1.0), ("b", "q2", 1.0),
    ]  # fmt: skip
    assert [data["run"] for data in json.loads(run(*words, "json"))] == ["a.run", "b.run"]
    assert "| query | a AP | b AP |" in run(*words, "md")
    assert r"q1 & 0.5833 & 1.0000 \\" in run(*words, "latex")
    assert [line.split("\t")[2] for line in lines(run(*words, "trec")) if line.startswith("runid")] == ["a", "b"]


def test_measures_end_at_the_next_option_or_file():
    wanted = run("eval", "qrels.txt", "a.run", "-m", "nDCG@10", "AP")
    assert run("eval", "-m", "nDCG@10", "AP", "qrels.txt", "a.run") == wanted
    assert run("eval", "-m", "nDCG@10", "-m", "AP", "qrels.txt", "a.run") == wanted
    assert run("eval", "qrels.txt", "a.run", "-m", "nDCG@10 AP") == wanted
    assert list(values("qrels.txt", "a.run", "-m", "P@{1,2}", "RR")) == ["P@1", "P@2", "RR"]


def test_a_hyphen_is_standard_input():
    wanted = values("qrels.txt", "a.run", "-m", "AP")
    assert values("qrels.txt", "-", "-m", "AP", stdin=RUN) == wanted
    assert values("-", "a.run", "-m", "AP", stdin=QRELS) == wanted
    assert run("eval", "qrels.txt", "-", stdin=RUN).startswith("<stdin>, judgments: qrels.txt\n")


@pytest.mark.parametrize("form", ["table", *FORMS, "json"])
def test_output_goes_to_a_file_instead(form):
    words = ["eval", "qrels.txt", "a.run", "-q", "--format", form]
    printed = run(*words)
    assert run(*words, "-o", "out.txt") == ""
    assert Path("out.txt").read_text("utf-8") == printed
    assert not list(Path().glob(".judged-*"))


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.csv", "csv"), ("x.JSON", "json"), ("x.html", "html"), ("x.md", "md"), ("x.tex", "latex"), ("x.out", "table")],
)
def test_the_ending_of_the_output_chooses_its_format(name, form):
    words = ["eval", "qrels.txt", "a.run", "b.run", "-q"]
    assert run(*words, "-o", name) == run(*words, "-o", name + ".gz") == ""
    assert Path(name).read_text("utf-8") == run(*words, "--format", form)
    assert gzip.decompress(Path(name + ".gz").read_bytes()) == Path(name).read_bytes()
    assert run(*words, "--format", "trec", "-o", name) == ""
    assert Path(name).read_text("utf-8") == run(*words, "--format", "trec")


ESCAPE = "q\x1b[31m\x9b2J\u202e"
FORMULA = '=HYPERLINK("http://x.example","y")'
SCRIPT = "<script>alert(1)</script>"
SPECIAL = r"\input{x}$_%&#~^|`*[a](b)"
BRACKET = "[5pt]"
BYTES = "q\udc81"  # no character of cp1252
HOSTILE = {
    "table": [r"q\x1b[31m\x9b2J\u202e", FORMULA, SCRIPT, SPECIAL, BRACKET, r"q\udc81"],
    "trec": [r"q\x1b[31m\x9b2J\u202e", FORMULA, SCRIPT, SPECIAL, BRACKET, r"q\udc81"],
    "csv": [r",q\x1b[31m\x9b2J\u202e,", "\"=HYPERLINK(\"\"http://x.example\"\",\"\"y\"\")\"", SCRIPT, SPECIAL, BRACKET, r"q\udc81"],
    "json": [r'"q\u001b[31m\u009b2J\u202e"', json.dumps(FORMULA), SCRIPT, json.dumps(SPECIAL), BRACKET, r'"q\udc81"'],
    "md": [
        r"| q\\x1b\[31m\\x9b2J\\u202e |", f"| {FORMULA} |", r"| \<script\>alert(1)\</script\> |",
        r"| \\input{x}\$\_%\&\#\~^\|\`\*\[a\](b) |", r"| \[5pt\] |", r"| q\\udc81 |",
    ],
    "latex": [
        r"q\textbackslash{}x1b[31m\textbackslash{}x9b2J\textbackslash{}u202e &", f"{FORMULA} &", "$<$script$>$alert(1)$<$/script$>$ &",
        r"\textbackslash{}input\{x\}\$\_\%\&\#\textasciitilde{}\textasciicircum{}\textbar{}`*[a](b) &", "{}[5pt] &", r"q\textbackslash{}udc81 &",
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


@pytest.fixture
def many(tmp_path):
    """Twelve queries of one judged document each, found at rank 1 in the last three, at rank 2 in Q-2, and nowhere else."""
    names = [f"Q-{i}" for i in range(1, 13)]
    (tmp_path / "q").write_text("".join(f"{name} 0 d 1\n" for name in names))
    found = {"Q-10": 1, "Q-11": 1, "Q-12": 1, "Q-2": 2}
    rows = [
        f"{n} Q0 {'d' if found.get(n) == rank else f'x{rank}'} {rank} {9 - rank} t\n" for n in names for rank in (1, 2)
    ]
    (tmp_path / "r").write_text("".join(rows))
    return str(tmp_path / "q"), str(tmp_path / "r")


def test_per_query_tables_order_numbers_in_ids_by_size_and_trec_output_does_not(many):
    text = run("eval", *many, "-m", "RR", "-q")
    assert re.findall(r"^Q-\d+", text, re.MULTILINE) == [f"Q-{i}" for i in range(1, 13)]
    lines = run("eval", *many, "-m", "RR", "-q", "--format", "trec").splitlines()
    assert [line.split()[1] for line in lines][:4] == ["Q-1", "Q-10", "Q-11", "Q-12"]


def test_the_worst_queries_come_first_and_their_ties_are_counted(many):
    text = run("eval", *many, "-m", "RR", "P@1", "--worst", "9")
    table = text[text.index("queries with the lowest RR") :]
    assert re.findall(r"^Q-\d+", table, re.MULTILINE) == ["Q-1", *(f"Q-{i}" for i in range(3, 10)), "Q-2"]
    assert "have the value" not in table
    text = run("eval", *many, "-m", "RR", "--worst", "3")
    assert text.endswith("8 of 12 queries have the value 0.0000; the first 3 are shown, in order of id\n")


def test_the_worst_values_are_the_highest_if_lower_is_better(many):
    text = run("eval", *many, "-m", "FallOut", "--worst", "2")
    assert "queries with the highest FallOut" in text


@pytest.mark.parametrize("form", ["trec", "csv", "json"])
def test_the_worst_queries_are_in_every_format(many, form):
    text = run("eval", *many, f"again={many[1]}", "-m", "RR", "--worst", "2", "--format", form)
    assert len(re.findall(r"Q-[13]\b", text)) == 4  # two of each run
    assert "Q-5" not in text
