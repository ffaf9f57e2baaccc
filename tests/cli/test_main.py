"""The program: its help, its errors and its exit codes."""

import json
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from commands import ENVIRONMENT, PROGRAM, called, run, shell

import judged as jd
from judged.cli import main
from judged.cli.main import cli
from judged.core.native import NATIVE

pytestmark = pytest.mark.usefixtures("collection")

COMMANDS = cli.list_commands(None)
START = "from judged.__main__ import main; main()"
SIGNALS = """
import signal
for name in ("SIGTERM", "SIGHUP"): signal.signal(getattr(signal, name), signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
"""  # a shell starts commands in the background with some of them ignored


def test_help_lists_every_command():
    folder = Path(main.__file__).parent
    modules = [".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py")]
    found = {
        name for name in modules if hasattr(import_module(f"judged.cli.{name}"), "command") and "options" not in name
    }
    assert set(COMMANDS) == {name.rpartition(".")[2] for name in found}
    assert re.findall(r"^(\w+)  ", run("help", "all"), re.MULTILINE) == list(COMMANDS)
    assert len(run("--help").splitlines()) <= 24
    assert len(run("eval", "--help").splitlines()) <= 45


@pytest.mark.parametrize("words", [(), ("clicks",)])
def test_a_group_without_a_command_shows_its_help(words):
    outcome = subprocess.run([*PROGRAM, *words], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    wanted = run(*words, "--help").replace("Usage: cli", "Usage: judged")
    assert outcome.stderr.split() == wanted.split()  # lines depend on the width


def test_the_version_is_that_of_the_package():
    assert run("--version") == f"judged, version {jd.__version__}\n"
    found = json.loads(run("--version", "--json"))
    assert found == {"judged": jd.__version__, "python": platform.python_version(), "native": NATIVE}
    assert found == json.loads(run("--json", "--version"))


ERRORS = [
    (["--json"], 2, "--json needs --version"),
    (["--json", "demo"], 2, "--json needs --version"),
    (["doctor", "extra"], 2, "error: Got unexpected extra argument (extra)"),
    (["eval", "qrels.txt", "none.run"], 3, "[io]"),
    (["compare", "qrels.txt", "A=a.run", "B="], 2, "A run has a name and no file; write NAME=FILE.  [usage]"),
    (["explain", "AP", "qrels.txt", "a.run", "--query", "q9"], 2, "[not-asked]"),
    (["measures", "ndgc"], 2, "Did you mean nDCG?  [unknown-name]"),
    (["convert", "a.run", "a.xyz"], 2, "a.xyz"),
    (["trec_eval", "qrels.txt", "none.run"], 2, "trec_eval: Quit in file 'none.run'"),
    (["trec_eval", "qrels.txt", "."], 2, "cannot read a directory. Use `judged eval`"),
]


@pytest.mark.parametrize(("words", "code", "message"), ERRORS, ids=[" ".join(words) for words, _, _ in ERRORS])
def test_an_error_goes_to_standard_error_with_its_exit_code(words, code, message):
    outcome = called(*words)
    assert (outcome.returncode, outcome.stdout) == (code, "")
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_error_is_json_where_the_output_would_be():
    outcome = called("eval", "qrels.txt", "a.run", "-m", "ndgc@10", "--format", "json")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    error = json.loads(outcome.stderr)["error"]
    assert (error["code"], error["hint"]) == ("unknown-name", "did you mean nDCG@10?")


def test_a_closed_pipe_ends_a_command_quietly():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        outcome = shell("eval", "qrels.txt", "a.run", "-q", capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (outcome.returncode, outcome.stderr) == (141, "")


@pytest.mark.parametrize(("streams", "words", "code", "said"), [
    (">&-", ["eval", "qrels.txt", "a.run"], 3, "error: standard output is closed.  [io]\n"),
    (">&-", ["--help"], 3, "error: standard output is closed.  [io]\n"),
    ("<&- >&-", ["eval", "qrels.txt", "a.run", "-o", "out.txt"], 0, ""),
    ("<&-", ["eval", "qrels.txt", "-"], 3, "error: standard input is closed. Name a file.  [io]\n"),
    ("| true", ["eval", "qrels.txt", "a.run", "-o", "/dev/stdout"], 141, ""),
])  # fmt: skip
def test_a_closed_stream_is_an_error_only_if_it_is_used(streams, words, code, said):
    redirected = f'"$@" {streams}' if "|" not in streams else f'set -o pipefail; "$@" {streams}'
    command = ["bash", "-c", redirected, "bash", *PROGRAM, *words]
    done = subprocess.run(command, env=ENVIRONMENT, check=False, timeout=600, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.parametrize("words", [["eval", "", "a.run"], ["eval", "qrels.txt", ""], ["convert", "a.run", ""],
                                   ["eval", "qrels.txt", "a.run", "-o", ""], ["gate", "qrels.txt", "a.run", "-b", ""]])  # fmt: skip
def test_an_empty_name_is_a_wrong_call_and_not_the_current_folder(words):
    outcome = called(*words)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert "the name is empty" in outcome.stderr


@pytest.mark.parametrize("words", [
    ["eval", "deep.json", "a.run"], ["eval", "qrels.txt", "deep.json"], ["eval", "deep.json"], ["board", "deep.json", "deep.json"],
    ["gate", "qrels.txt", "a.run", "-b", "deep.json"], ["gate", "qrels.txt", "a.run", "-b", "b.run", "--config", "deep.toml"],
    ["correlate", "deep.json", "deep.json"], ["agree", "deep.json", "qrels.txt"],
], ids=" ".join)  # fmt: skip
def test_brackets_nested_beyond_the_stack_are_bad_input(words):
    deep = "[" * 100_000 + "]" * 100_000
    Path("deep.json").write_text(f'{{"q1": {deep}}}')
    Path("deep.toml").write_text(f"[gate]\nmeasures = {deep[95_000:105_000]}\n")
    outcome = called(*words)
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert re.search(r"  \[[a-z-]+\]\n$", outcome.stderr)


NO = ["gate", "qrels.txt", "a.run", "-b", "b.run", "-m", "AP", "--mode", "mean", "--min-queries", "1", "-o", "gate.txt"]


@pytest.mark.needs("linux")  # /dev/full
@pytest.mark.parametrize(("stderr", "words", "code"), [
    ("2>&-", NO, 1),
    ("2>&-", ["eval", "qrels.txt", "a.run", "--depht", "3"], 2),
    ("2>&-", ["trec_eval", "qrels.txt", "none.run"], 2),
    ("2>/dev/full", NO, 1),
    ("2>/dev/full", ["eval", "qrels.txt", "none.run"], 3),
    ("2>/dev/full", ["trec_eval", "qrels.txt", "none.run"], 2),
])  # fmt: skip
def test_the_exit_code_does_not_depend_on_standard_error(stderr, words, code):
    command = ["sh", "-c", f'exec "$@" {stderr}', "sh", *PROGRAM, *words]
    assert subprocess.run(command, env=ENVIRONMENT, check=False, timeout=600).returncode == code


@pytest.mark.needs("linux")  # /dev/full
def test_a_full_disk_is_an_error():
    with Path("/dev/full").open("w") as full:
        outcome = shell("eval", "qrels.txt", "a.run", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (outcome.returncode, outcome.stderr) == (3, "error: No space left on device.  [io]\n")
    with pytest.raises(jd.FileError, match=r"^/dev/full: ") as caught:
        run("eval", "qrels.txt", "a.run", "-o", "/dev/full")
    assert caught.value.slug == "io"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_no_temporary_file(name):
    number = getattr(signal, name)
    before = set(Path().iterdir())
    wait = (
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "os.fsync = lambda file: (sys.stderr.write('writing'), time.sleep(60))\n"
        "unlink = Path.unlink\n"
        f"Path.unlink = lambda path: (os.kill(os.getpid(), {number}), unlink(path))\n"  # it comes twice
    )
    with stopped_in(wait, "eval", "qrels.txt", "a.run", "-o", "out.txt", marker=b"writing") as process:
        assert len(set(Path().iterdir()) - before) == 1
        process.send_signal(number)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.strip()) == (128 + number, b"", b"")
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize("module", ["click", "judged.evaluation.evaluate"])
def test_an_interrupt_while_modules_load_ends_a_command_quietly(module):
    slow = (
        "import sys, time\n"
        "class Slow:\n"
        "    def find_spec(self, name, *more):\n"
        f"        if name == {module!r}: sys.stderr.write('loading'); time.sleep(60)\n"
        "sys.meta_path.insert(0, Slow())\n"
    )
    with stopped_in(slow, "eval", "qrels.txt", "a.run", marker=b"loading") as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")


def test_next_to_nothing_loads_before_signals_are_handled():
    code = "import sys; before = set(sys.modules); import judged.__main__, signal; print(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    ours = {name for name in done.stdout.split() if name.startswith("judged")}
    assert ours == {"judged", "judged.__main__"}
    assert not {"typing", "re", "lazy_loader", "click", "numpy"} & set(done.stdout.split())


def test_a_signal_that_the_caller_ignores_is_ignored():
    code = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    wait = "import os, signal; os.fsync = lambda file: os.kill(os.getpid(), signal.SIGHUP)\n" + START
    words = ["eval", "qrels.txt", "a.run", "-o", "out.txt"]
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-c", wait, *words], env=ENVIRONMENT, check=False
    )
    assert done.returncode == 0
    assert Path("out.txt").exists()


@contextmanager
def stopped_in(before: str, *words: str, marker: bytes) -> Iterator[subprocess.Popen[bytes]]:
    """Start the program after some code, and wait until that writes a word to standard error."""
    command = [sys.executable, "-c", SIGNALS + before + START, *words]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr.read(len(marker)) == marker
        yield process


@pytest.mark.needs("unix")  # named pipes
def test_an_interrupt_ends_a_command():
    os.mkfifo("pipe.run")
    command = [sys.executable, "-c", SIGNALS + START, "eval", "qrels.txt", "pipe.run"]
    with (
        subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
        Path("pipe.run").open("wb"),  # waits until the command reads
    ):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
