"""Defaults of options from `judged.toml` and `pyproject.toml`."""

import os
from pathlib import Path

import pytest
from commands import OTHER, QRELS, RUN, called

import judged as jd
from judged.cli.main import COMMANDS, cli
from judged.cli.options.defaults import _OTHERWISE


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with two runs, where files with defaults are looked for."""
    monkeypatch.delenv("JUDGED_CONFIG")
    monkeypatch.chdir(tmp_path)
    for name, data in (("qrels.txt", QRELS), ("a.run", RUN), ("b.run", OTHER)):
        Path(name).write_bytes(data)
    return tmp_path


def evaluated(*words: str) -> str:
    done = called("eval", "qrels.txt", "a.run", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(text: str, *words: str, file: str = "judged.toml") -> str:
    Path(file).write_text(text)
    done = called(*(words or ("eval", "qrels.txt", "a.run")))
    assert done.returncode == 2
    assert done.stdout == ""
    return done.stderr.removeprefix("error: ").rstrip("\n")


def test_defaults_of_pyproject_are_those_of_options_and_a_note_names_the_file():
    Path("pyproject.toml").write_text('[tool.judged]\nmeasures = "P@1 AP"\nlevel = 2\nties = "expected"\n')
    given = evaluated("-m", "P@1", "AP", "--level", "2", "--ties", "expected")
    assert "defaults" not in given
    assert evaluated() == given + "defaults from pyproject.toml\n"
    assert evaluated("--format", "md").endswith("\n- defaults from pyproject.toml\n")
    for format in ("csv", "json", "latex", "trec"):
        done = called("eval", "qrels.txt", "a.run", "--format", format)
        assert "defaults" not in done.stdout + done.stderr


def test_options_on_the_command_line_win():
    Path("judged.toml").write_text('measures = ["P@1", "AP"]\nformat = "json"\n')
    assert evaluated("-m", "RR", "--format", "csv").count("RR") == 1
    assert "P@1" not in evaluated("-m", "RR")
    assert evaluated("-m", "RR", "-o", "x.csv") == ""
    assert Path("x.csv").read_text().startswith("run,measure")


def test_a_note_is_written_only_if_a_default_is_used():
    Path("judged.toml").write_text('alpha = 0.1\nmeasures = "AP"\n')
    assert "defaults" not in evaluated("-m", "AP")
    assert "defaults from judged.toml" in evaluated()


def test_the_table_of_a_command_wins_over_the_top():
    Path("judged.toml").write_text('measures = "AP"\n[eval]\nmeasures = "P@1"\nper-query = true\n')
    text = evaluated()
    assert "P@1" in text
    assert "AP" not in text
    assert "q2" in text
    assert "AP" in called("compare", "qrels.txt", "a.run", "b.run").stdout


def test_the_nearest_file_counts_and_judged_toml_first(folder):
    Path("judged.toml").write_text('measures = "AP"\n')
    Path("pyproject.toml").write_text('[tool.judged]\nmeasures = "RR"\n')
    inner = folder / "one" / "two"
    inner.mkdir(parents=True)
    (folder / "one" / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    os.chdir(inner)
    done = called("eval", "../../qrels.txt", "../../a.run")
    assert "\nAP " in done.stdout
    assert "defaults from ../../judged.toml" in done.stdout
    Path("pyproject.toml").write_text('[tool.judged]\nmeasures = "P@1"\n')
    assert "\nP@1 " in called("eval", "../../qrels.txt", "../../a.run").stdout


def test_a_variable_names_the_file_or_turns_it_off(monkeypatch):
    Path("judged.toml").write_text('measures = "AP"\n')
    Path("other.toml").write_text('measures = "P@1"\n')
    monkeypatch.setenv("JUDGED_CONFIG", "other.toml")
    assert "\nP@1 " in evaluated()
    assert "defaults      other.toml " in called("doctor").stdout
    monkeypatch.setenv("JUDGED_CONFIG", "")
    assert "nDCG@10" in evaluated()
    assert "defaults      no file " in called("doctor").stdout
    monkeypatch.setenv("JUDGED_CONFIG", "none.toml")
    assert called("eval", "qrels.txt", "a.run").returncode == 3


def test_paths_are_relative_to_the_file(folder):
    Path("weights.csv").write_text("query,weight\nq1,3\nq2,1\n")
    Path("judged.toml").write_text(
        '[eval]\nweights = "weights.csv"\n[compare]\nbaseline = "b.run"\n[report]\noutput = "page.html"\n'
    )
    given = evaluated("--weights", "weights.csv", "--format", "csv")
    (folder / "sub").mkdir()
    os.chdir("sub")
    assert called("eval", "../qrels.txt", "../a.run", "--format", "csv").stdout == given
    assert called("compare", "../qrels.txt", "../a.run", "../b.run").returncode == 0
    assert called("report", "../qrels.txt", "../a.run").returncode == 0
    assert (folder / "page.html").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mesures = 'AP'", "judged.toml: mesures: no option has this name. Did you mean measures?  [unknown-option]"),
        (
            "[eval]\nalpha = 0.1",
            "judged.toml: eval.alpha: no option has this name. See `judged help all`.  [unknown-option]",
        ),
        ("[evall]\nlevel = 1", "judged.toml: evall: no command has this name. Did you mean eval?  [unknown-option]"),
        ("level = '2'", "judged.toml: level: expected a value of type float, got '2'. Correct the file.  [option]"),
        ("level = true", "judged.toml: level: expected a value of type float, got True. Correct the file.  [option]"),
        ("strict = 1", "judged.toml: strict: expected a value of type boolean, got 1. Correct the file.  [option]"),
        ("measures = [3]", "judged.toml: measures: expected a value of type text, got 3. Correct the file.  [option]"),
        (
            "ties = ['best']",
            "judged.toml: ties: expected a value of type choice, got ['best']. Correct the file.  [option]",
        ),
        ("level = x", "judged.toml: not TOML: Invalid value (at line 1, column 9). Correct the file.  [option]"),
    ],
)
def test_a_mistake_is_an_error_with_file_and_key(text, message):
    assert refused(text) == message
    assert called("eval", "--help").returncode == 0


def test_a_mistake_in_a_value_that_the_command_reads_names_the_file_too():
    assert refused("[tool.judged]\nmeasures = 'nDGC'\n", file="pyproject.toml").endswith(
        "\ndefaults from pyproject.toml"
    )


def test_keys_of_other_commands_are_known_and_reserved_tables_are_left_alone():
    Path("judged.toml").write_text("power = 0.9\n[search.new]\nurl = 'x'\n[gate]\nmax_drop = 0.1\n")
    assert "defaults" not in evaluated()


def test_what_means_something_else_is_not_taken_from_the_top():
    Path("judged.toml").write_text("measures = 'AP'\nties = 'best'\n")
    done = called("correlate", "a.run", "b.run")
    assert done.returncode == 0
    assert "defaults" not in done.stdout + done.stderr
    for place in _OTHERWISE:
        name, _, flag = place.partition(".")
        assert flag in {p.opts[-1].lstrip("-") for p in cli.get_command(None, name).params}
        assert name in COMMANDS


def test_rules_of_the_gate_win_over_defaults_of_all_commands(folder):
    Path("judged.toml").write_text(
        'measures = "RR"\nties = "best"\n[gate]\nqrels = "qrels.txt"\nbaseline = "a.run"\nmeasures = ["P@1"]\n'
    )
    done = called("gate", "b.run")
    assert "P@1" in done.stdout
    assert "RR" not in done.stdout
    assert "ties: best" in done.stdout
    assert "defaults from judged.toml" in done.stdout
    assert "AP" in called("gate", "b.run", "-m", "AP").stdout
    (folder / "sub").mkdir()
    os.chdir("sub")
    assert "P@1" in called("gate", "../b.run").stdout


def test_functions_do_not_read_the_file():
    Path("judged.toml").write_text("level = 2\n")
    assert jd.evaluate("qrels.txt", "a.run", "AP").mean().keys() == {"AP"}


def test_errors_are_json_if_the_file_says_so():
    Path("judged.toml").write_text('format = "json"\n')
    done = called("eval", "qrels.txt", "none.run")
    assert done.stderr.startswith('{"error"')
    assert len(done.stderr.splitlines()) == 1


def test_commands_below_a_command_have_its_defaults():
    Path("log.csv").write_text("session,query,doc,rank,hit\n1,q1,a,1,1\n1,q1,b,2,0\n2,q1,a,1,0\n2,q1,b,2,1\n")
    Path("judged.toml").write_text('click-col = "hit"\n[clicks]\nmodel = "pbm"\n')
    done = called("clicks", "fit", "log.csv")
    assert done.returncode == 0, done.stderr
    assert "pbm" in done.stdout
    assert "defaults from judged.toml" in done.stdout
    assert called("eval", "qrels.txt", "a.run").returncode == 0


def test_the_file_is_never_overwritten_and_other_files_are_left_alone():
    message = refused('measures = "AP"', "eval", "qrels.txt", "a.run", "-o", "judged.toml")
    assert "the output is the input" in message
    assert Path("judged.toml").read_text() == 'measures = "AP"'
    Path("judged.toml").unlink()
    assert "'judged' is no table" in refused('[tool]\njudged = "on"', file="pyproject.toml")
    Path("pyproject.toml").write_bytes(b'[tool.x]\na = "\xe4"')  # of another program
    assert "nDCG@10" in evaluated()
    Path("pyproject.toml").unlink()
    Path("judged.toml").write_text('[tool.judged]\nmeasures = "AP"')  # as in pyproject.toml
    assert "nDCG@10" not in evaluated()
