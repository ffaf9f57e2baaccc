"""`judged gate`: its help, exit codes, forms, what it saves and adds to, rules in a file, what it refuses."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from commands import called

from judged.cli.main import cli
from judged.tables.formats import FORMATS

N = 20
QRELS = "".join(f"q{i:02} 0 good 1\nq{i:02} 0 bad 0\n" for i in range(N))
BEST = "".join(f"q{i:02} Q0 good 1 2.0 t\n" for i in range(N))
HALF = "".join(f"q{i:02} Q0 bad 1 2.0 t\nq{i:02} Q0 good 2 1.0 t\n" for i in range(N))
FAILS = "FAIL  half against best: 1 of 1 rules failed\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("best.run", BEST), ("half.run", HALF)):
        Path(name).write_text(text)
    Path("queries.csv").write_text("query_id,kind\n" + "".join(f"q{i:02},{'ab'[i % 2]}\n" for i in range(N)))
    return tmp_path


class Refusal(NamedTuple):
    slug: str
    message: str
    exit_code: int


def outcome(*words, stdin=None):
    return CliRunner().invoke(cli, ["gate", *map(str, words)], input=stdin)


def passes(*words, **options):
    found = outcome(*words, **options)
    assert found.exit_code == 0, found.output
    return found.stdout


def fails(*words, **options):
    found = outcome(*words, **options)
    assert (found.exit_code, type(found.exception)) == (1, SystemExit), found.output
    return found.stdout


def refused(*words, **options):
    """The slug of the error, its message and the exit code."""
    found = outcome(*words, **options)
    assert found.stdout == ""
    assert found.exit_code in (2, 3), found.output
    return Refusal(re.search(r"\[([a-z-]+)\]\n$", found.stderr)[1], found.stderr, found.exit_code)


def wrong(*words):
    found = outcome(*words)
    assert (found.exit_code, found.stdout) == (2, "")
    return found.stderr


def shell(*words):
    return called("gate", *words)


def test_the_exit_code_says_what_the_gate_says():
    asked = ["-m", "RR", "--max-drop", "0.01"]
    good, bad = (
        shell("qrels.txt", candidate, "-b", base, *asked)
        for candidate, base in (("best.run", "half.run"), ("half.run", "best.run"))
    )
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("PASS  best against half: the rule holds\n")
    assert (bad.returncode, bad.stderr) == (1, "")
    assert bad.stdout.startswith(FAILS)
    assert shell("qrels.txt", "none.run", "-b", "best.run").returncode == 3
    assert shell("qrels.txt", "half.run").returncode == 2


def test_options_are_rules():
    asked = ["qrels.txt", "half.run", "-b", "best.run", "-m", "RR"]
    assert "P@1 fell" in fails(*asked, "P@1", "--max-drop", "default=0.5,P@1=0.9")
    assert "at least 0.6 is required" in fails("qrels.txt", "half.run", "--min", "RR=0.6")
    drops = (*asked, "--max-drop", 1, "--max-query-drop")
    assert "20 queries got worse by more than 0.4 on RR" in fails(*drops, "0.4:19")
    assert passes(*drops, "0.4:20")
    sliced = fails(*asked, "--slices", "queries.csv", "--by", "kind", "--by", "relevant")
    assert all(f"FAIL  {name}: RR fell" in sliced for name in ("kind=a", "kind=b", "relevant=1"))
    few = fails(*asked, "--slices", "queries.csv", "--by", "kind", "--min-queries", 11)
    assert "skip  kind=a: not tested (10 queries; at least 11" in few
    assert passes(*asked, "--mode", "sure", "--max-drop", "0.6")
    assert passes(*asked, "--judged-only", "--depth", "1", "--max-drop", "1")


def test_a_saved_baseline_gives_the_same_answer(folder):
    saved = outcome("qrels.txt", "best.run", "-m", "RR", "P@1", "--save", "base.json")
    assert (saved.exit_code, saved.stdout, saved.stderr) == (0, "", "saved base.json: RR, P@1 of 20 queries\n")
    first = Path("base.json").read_bytes()
    assert passes("qrels.txt", "best.run", "-b", "base.json").startswith("PASS  best against base: all 2 rules hold\n")
    assert fails("qrels.txt", "half.run", "-b", "base.json").startswith(
        "FAIL  half against base: 2 of 2 rules failed\n"
    )
    outcome("qrels.txt", "best.run", "-m", "RR", "P@1", "--save", "base.json")
    assert Path("base.json").read_bytes() == first
    assert sorted(p.name for p in folder.iterdir()) == ["base.json", "best.run", "half.run", "qrels.txt", "queries.csv"]


def test_every_form_goes_to_a_file_and_the_verdict_to_standard_error():
    asked = ["qrels.txt", "half.run", "-b", "best.run", "-m", "RR"]
    for form in (*FORMATS.names, "junit", "github"):
        printed = outcome(*asked, "--format", form)
        written = outcome(*asked, "--format", form, "-o", "out")
        assert (printed.exit_code, written.exit_code, written.stdout) == (1, 1, "")
        assert Path("out").read_text() == printed.stdout
        assert written.stderr.startswith(f"{FAILS}FAIL  RR fell by 0.5000")
        assert printed.stderr == ""
    assert json.loads(fails(*asked, "--format", "json"))["passed"] is False
    assert ElementTree.fromstring(fails(*asked, "--format", "junit").encode()).find(".//failure") is not None


def test_a_summary_is_added_to_what_is_there():
    Path("summary.md").write_text("# Build\n\n")
    asked = ["qrels.txt", "half.run", "-b", "best.run", "-m", "RR", "--summary", "summary.md"]
    assert fails(*asked).startswith(FAILS)
    once = Path("summary.md").read_text()
    assert once == "# Build\n\n" + fails(*asked[:-2], "--format", "github")
    fails(*asked)
    assert Path("summary.md").read_text() == once + once.removeprefix("# Build\n\n")
    assert refused(*asked[:-1], "nowhere/summary.md").slug == "io"


TOML = """
[gate]
qrels = "qrels.txt"
baseline = "best.run"
measures = ["RR", "P@1"]
max_drop = 0.6
slices = "queries.csv"
by = ["kind"]
min = { "Success@2" = 1.0 }
ties = "id-asc"
profile = "gdeval"
"""


def test_rules_are_found_in_the_folder_and_options_win(monkeypatch):
    monkeypatch.delenv("JUDGED_CONFIG")
    Path("judged.toml").write_text(TOML)
    text = fails("half.run")
    assert text.startswith("FAIL  half against best: 3 of 7 rules failed\n")
    assert "ties: id-asc" in text
    data = json.loads(fails("half.run", "--format", "json"))
    assert (data["rules"]["profile"], data["rules"]["max_drop"]) == ("gdeval", {"default": 0.6})
    assert passes("half.run", "--max-drop", "1").startswith("PASS")
    assert passes("qrels.txt", "best.run", "-b", "half.run", "-m", "RR").startswith("PASS  best against half")
    assert (
        json.loads(passes("best.run", "--profile", "trec_eval-10", "--format", "json"))["rules"]["profile"]
        == "trec_eval-10"
    )


def test_saving_takes_measures_and_policies_of_the_file_and_no_baseline(monkeypatch):
    monkeypatch.delenv("JUDGED_CONFIG")
    Path("judged.toml").write_text(TOML.replace("best.run", "not-there-yet.json"))
    assert "RR, P@1, Success@2 of 20 queries" in outcome("best.run", "--save", "not-there-yet.json").stderr
    assert "2 of 2" not in fails("half.run")
    assert "omit --baseline" in wrong("best.run", "--save", "x.json", "-b", "half.run")


def test_another_file_may_be_named(folder):
    (folder / "ci").mkdir()
    Path("ci/rules.toml").write_text('[gate]\nqrels = "../qrels.txt"\nbaseline = "../best.run"\nmeasures = "RR"\n')
    assert fails("half.run", "--config", "ci/rules.toml").startswith(FAILS)
    assert refused("half.run", "--config", "none.toml").exit_code == 3


def test_a_run_against_itself_keeps_its_name():
    assert passes("qrels.txt", "best.run", "-b", "best.run", "-m", "RR").startswith(
        "PASS  best (candidate) against best (baseline): the rule holds"
    )


def test_wrong_calls_say_what_is_right():
    assert "Got 3 files" in wrong("qrels.txt", "half.run", "best.run")
    assert "only once" in wrong("-", "-", "-b", "best.run")
    assert "only once" in wrong("qrels.txt", "-", "-b", "-")
    assert "'RR' is not a list such as nDCG@10=0.5" in wrong("qrels.txt", "half.run", "--min", "RR")
    assert "'=1' is not a list such as" in wrong("qrels.txt", "half.run", "--min", "=1")
    assert "0.01 or nDCG@10=0.01" in wrong("qrels.txt", "half.run", "--max-drop", "much")
    assert "is not a list such as" in wrong("qrels.txt", "half.run", "--min", "RR=0.1,RR=0.2")
    assert "'--mode'" in wrong("qrels.txt", "half.run", "--mode", "hard")
    assert refused("qrels.txt", "half.run").slug == "rule"
    assert "nDCG" in refused("qrels.txt", "half.run", "--min", "NDGC=1").message
    assert refused("qrels.txt", "half.run", "-b", "best.run", "--max-drop=-1").slug == "parameter"
    for words in (["--max-drop", "nan"], ["--max-drop", "RR=nan"], ["--max-drop", "inf"], ["--min", "RR=nan"]):
        assert "must be a number" in refused("qrels.txt", "half.run", "-b", "best.run", *words).message


def test_a_run_may_come_from_standard_input():
    assert fails("qrels.txt", "-", "-b", "best.run", "-m", "RR", stdin=HALF).startswith("FAIL  candidate against best")
    assert passes("qrels.txt", "best.run", "-b", "-", "-m", "RR", stdin=HALF).startswith("PASS  best against baseline")


def test_a_gate_loads_no_library_it_does_not_need():
    program = (
        "import sys\nfrom click.testing import CliRunner\nfrom judged.cli.main import cli\n"
        "done = CliRunner().invoke(cli, 'gate qrels.txt half.run -b best.run -m RR --by relevant'.split())\n"
        "assert done.exit_code == 1\nprint(' '.join(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert not {"scipy", "pandas", "polars", "pyarrow", "rich", "duckdb", "xml.etree", "tomllib"} & set(
        done.stdout.split()
    )


def test_a_history_is_written_and_read_and_its_anchor_compared():
    asked = ("qrels.txt", "half.run", "-b", "best.run", "-m", "RR", "--max-drop", "0.6", "--history", "builds.jsonl")
    assert "build 1 of the history" in passes(*asked)
    assert "build 2 of the history" in passes(*asked)
    later = ("qrels.txt", "half.run", "-b", "half.run", "-m", "RR", "--max-drop", "0.1", "--history", "builds.jsonl")
    assert "FAIL  RR fell by 0.5000 since best (1.0000 → 0.5000), more than the 0.1 allowed" in fails(*later)
    for flag in ("-o", "--summary"):
        assert "[output-is-input]" in wrong(*later, flag, "builds.jsonl")
    assert len(Path("builds.jsonl").read_text().splitlines()) == 4
