"""The program: its help, its errors and its exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from commands import ENVIRONMENT, PROGRAM, called, lines, run, shell

import judged as jd
from judged.cli import main
from judged.cli.main import cli

pytestmark = pytest.mark.usefixtures("collection")

COMMANDS = cli.list_commands(None)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_how_a_command_is_called(command):
    text = run(command, "--help")
    assert f"judged {command}" in text or f"{command} [OPTIONS]" in text
    assert len(lines(text)) > 5


def test_help_lists_every_command():
    files = {path.stem for path in Path(main.__file__).parent.glob("*.py")}
    assert set(COMMANDS) == {name for name in files if hasattr(import_module(f"judged.cli.{name}"), "command")}
    assert re.findall(r"^  (\w+)  ", run("--help").split("Commands:")[1], re.MULTILINE) == COMMANDS


def test_the_version_is_that_of_the_package():
    assert run("--version") == f"judged, version {jd.__version__}\n"


ERRORS = [
    (["demo", "extra"], 2, "Error: Got unexpected extra argument (extra)"),
    (
        ["eval", "qrels.txt", "none.run"],
        3,
        "error: none.run: cannot read the file: No such file or directory. Check the path.  [io]",
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
    outcome = called(*words)
    assert (outcome.returncode, outcome.stdout) == (code, "")
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_exit_code_is_that_of_the_process():
    outcome = shell("eval", "qrels.txt", "none.run")
    assert (outcome.returncode, outcome.stdout) == (3, "")
    assert outcome.stderr == called("eval", "qrels.txt", "none.run").stderr


def test_a_wrong_flag_is_a_wrong_call():
    outcome = called("eval", "qrels.txt", "a.run", "--depht", "3")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "'--depht'" in outcome.stderr
    assert "--depth" in outcome.stderr


def test_an_error_is_json_where_the_output_would_be():
    outcome = called("eval", "qrels.txt", "a.run", "-m", "ndgc@10", "--format", "json")
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


@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # where another test has loaded JAX
def test_a_closed_standard_output_is_an_error():
    done = shell(
        "eval", "qrels.txt", "a.run", capture_output=False, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1)
    )
    assert done.returncode == 3
    assert done.stderr == "error: standard output is closed  [io]\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_an_error():
    with Path("/dev/full").open("w") as full:
        outcome = shell("eval", "qrels.txt", "a.run", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (outcome.returncode, outcome.stderr) == (3, "error: No space left on device  [io]\n")
    with pytest.raises(
        jd.FileError, match=r"^/dev/full: .*No space left on device"
    ):
        run("eval", "qrels.txt", "a.run", "-o", "/dev/full")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_an_interrupt_ends_a_command():
    os.mkfifo("pipe.run")
    command = [*PROGRAM, "eval", "qrels.txt", "pipe.run"]
    with (
        subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        Path("pipe.run").open("wb"),  # waits until the command reads
    ):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
