"""Measures, readers and commands of other distributions, found by their entry points."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

MEASURE = '''
from judged.measures import measure

@measure("FirstTwo", aliases=("first_two",))
def first_two(j):
    """The share of the first two ranks that have a relevant document."""
    return j.total(j.is_relevant(1) & (j.rank <= 2)) / 2
'''
READER = """
import judged as jd
from judged.io.formats.registry import FORMATS, FileFormat

def detect(head, request):
    return head.data.startswith(b"%ranks")

def read(content, detected, context):
    run = {}
    for line in bytes(content.binary()).decode().splitlines()[1:]:
        query, doc, score = line.split(";")
        run.setdefault(query, {})[doc] = float(score)
    return jd.read_run(run)

FORMATS.add(FileFormat("ranks", detect, read))
"""
COMMAND = '''
import click

@click.command("hello")
@click.option("--name", default="you")
def command(name):
    """Say hello."""
    click.echo(f"hello {name}")
'''
QRELS = "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3 x\nq1 Q0 b 2 2 x\nq2 Q0 d 1 3 x\nq2 Q0 c 2 2 x\n"


@pytest.fixture
def site(tmp_path):
    """A folder of distributions on `sys.path`."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


def install(site: Path, name: str, entry_points: str, **modules: str) -> None:
    """Write a distribution as pip leaves it."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)
    for module, text in modules.items():
        (site / f"{module}.py").write_text(text)


def judged(site: Path, *words: str, code: str = "") -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), *filter(None, sys.path)])
    program = ["-c", code] if code else ["-m", "judged", *words]
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *program], cwd=site, env=environment, capture_output=True, text=True)


def test_a_measure_is_found_by_its_name_listed_and_described(site):
    install(site, "judged-two", "[judged.measures]\nmine = two\n", two=MEASURE)
    done = judged(site, "eval", "qrels.txt", "a.run", "-m", "first_two", "AP", "--format", "csv")
    assert "a,FirstTwo,all,0.75" in done.stdout, done
    assert done.stderr == ""
    assert "FirstTwo" in judged(site, "measures", "--format", "csv").stdout
    assert "first_two" in judged(site, "measures", "FirstTwo").stdout
    found = judged(site, code="from judged.measures import FirstTwo; print(FirstTwo)")
    assert found.stdout == "FirstTwo\n", found.stderr


def test_a_reader_is_tried_after_all_others(site):
    install(site, "judged-ranks", "[judged.formats]\nranks = ranks\n", ranks=READER)
    (site / "b.ranks").write_text("%ranks\nq1;a;3\nq1;b;2\nq2;d;3\nq2;c;2\n")
    a, b = (
        judged(site, "eval", "qrels.txt", f"run={run}", "-m", "AP", "--format", "csv").stdout
        for run in ("a.run", "b.ranks")
    )
    assert a == b
    assert "run,AP,all,0.75" in a


def test_a_command_is_run_and_listed(site):
    install(site, "judged-hello", "[judged.commands]\nhello = hello:command\n", hello=COMMAND)
    assert judged(site, "hello", "--name", "Ann").stdout == "hello Ann\n"
    assert "From judged-hello 1.0." in judged(site, "help", "all").stdout


def test_a_broken_plugin_stops_no_other_command(site):
    entry_points = (
        "[judged.measures]\nbad = nowhere\n[judged.formats]\nbad = nowhere\n[judged.commands]\nbad = nowhere:command\n"
    )
    install(site, "judged-bad", entry_points)
    done = judged(site, "eval", "qrels.txt", "a.run", "-m", "AP")
    assert (done.returncode, done.stderr) == (0, "")
    done = judged(site, "measures")
    assert done.returncode == 0
    assert "AP" in done.stdout
    warning = "plug-in 'bad' of judged-bad 1.0 cannot be loaded: ModuleNotFoundError: No module named 'nowhere'."
    assert done.stderr == f"warning: {warning} Update or uninstall it.  [plugin]\n"
    done = judged(site, "eval", "qrels.txt", "a.run", "-m", "Unheard")
    assert done.returncode == 2
    assert warning in done.stderr
    assert "unknown measure 'Unheard'" in done.stderr
    done = judged(site, "bad")
    assert done.returncode == 2
    assert warning in done.stderr


@pytest.mark.parametrize("names", ["'AP'", "'ap'", "'Mine', aliases=('map',)"])
def test_a_measure_whose_name_is_taken_names_both(site, names):
    install(
        site,
        "judged-ap",
        "[judged.measures]\nap = other_ap\n",
        other_ap=MEASURE.replace('"FirstTwo", aliases=("first_two",)', names),
    )
    done = judged(site, "measures", "nothing")
    assert "of judged-ap 1.0 cannot be loaded: the name" in done.stderr
    assert "is already used by AP of judged" in done.stderr
    code = """
import warnings; warnings.simplefilter("ignore")
import judged as jd
from judged.measures.registry import MEASURES
MEASURES.load_plugins()
print([jd.evaluate("qrels.txt", "a.run", name).mean() for name in ("AP", "map", "ap")])
"""
    assert judged(site, code=code).stdout == f"{[{'AP': 0.75}] * 3}\n"


def test_two_distributions_of_one_name_are_both_named(site):
    install(
        site,
        "judged-one",
        "[judged.measures]\none = one\n[judged.commands]\nhello = hello:command\n",
        one=MEASURE,
        hello=COMMAND,
    )
    install(site, "judged-two", "[judged.measures]\ntwo = two\n[judged.commands]\nhello = hello:command\n", two=MEASURE)
    done = judged(site, "eval", "qrels.txt", "a.run", "-m", "FirstTwo")
    assert done.returncode == 0
    assert "judged-one 1.0" in done.stderr
    assert "judged-two 1.0" in done.stderr
    done = judged(site, "hello")
    assert done.returncode == 2
    assert "'hello' is declared by judged-" in done.stderr


def test_a_command_whose_name_is_taken_is_not_used(site):
    install(site, "judged-eval", "[judged.commands]\neval = hello:command\n", hello=COMMAND)
    assert "hello" not in judged(site, "eval", "qrels.txt", "a.run").stdout
    assert "From judged-eval 1.0: not used" in judged(site, "help", "all").stdout


@pytest.mark.parametrize("words", [["measures", "first_2"], ["measures", "FirstGap"]])
def test_names_of_plugins_are_suggested(site, words):
    install(site, "judged-two", "[judged.measures]\nmine = two\n", two=MEASURE)
    assert "Did you mean FirstTwo?" in judged(site, *words).stderr


@pytest.mark.parametrize("name", ["P_5", "ndcg_cut_10", "map@10-l2", "recip_rank", "NDCG@10", "rbp.95"])
def test_known_names_load_no_plugin(site, name):
    install(site, "judged-bad", "[judged.measures]\nbad = nowhere\n")
    done = judged(site, "eval", "qrels.txt", "a.run", "-m", name)
    assert (done.returncode, done.stderr) == (0, "")
