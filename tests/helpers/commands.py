"""Commands of the program, called in this process or in one of their own; and the collection they are called on."""

import csv
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from judged.cli.main import cli, main
from judged.errors import JudgedError

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d4 1\n"
RUN = b"q1 Q0 d2 1 0.9 a\nq1 Q0 d3 2 0.7 a\nq1 Q0 d1 3 0.5 a\nq2 Q0 d1 1 0.8 a\nq2 Q0 d4 2 0.3 a\n"
OTHER = b"q1 Q0 d3 1 0.9 b\nq1 Q0 d1 2 0.7 b\nq1 Q0 x 3 0.5 b\nq2 Q0 d4 1 0.8 b\n"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
PROGRAM = [sys.executable, "-m", "judged"]


def run(*words: object, stdin: bytes | None = None) -> str:
    """Return what a command prints; its errors are raised."""
    with raised():
        return CliRunner().invoke(cli, list(map(str, words)), input=stdin, catch_exceptions=False).stdout


def refused(*words: object, stdin: bytes | None = None) -> JudgedError:
    """Return the error of a command that prints nothing else."""
    with raised():
        outcome = CliRunner().invoke(cli, list(map(str, words)), input=stdin)
    assert outcome.stdout == ""
    assert isinstance(outcome.exception, JudgedError)
    return outcome.exception


def raised() -> Any:
    """Raise the error of a command instead of printing it."""

    def show_error(error: JudgedError, *, as_json: bool) -> None:
        raise error

    return patch("judged.cli.options.command.show_error", show_error)


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def called(*words: str, terminal: bool = False) -> CompletedProcess[str]:
    """Call the program in this process: its exit code, output and errors, as a shell would show them."""
    stream = _Terminal if terminal else io.TextIOWrapper
    out, err = (stream(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        patch.object(sys, "argv", ["judged", *words]),
        patch.dict(os.environ),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as stopped,
    ):
        main()
    assert isinstance(stopped.value.code, int)
    texts = [stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in (out, err)]
    return CompletedProcess(words, stopped.value.code, *texts)


def shell(*words: str, **options: Any) -> CompletedProcess[str]:
    """Run the program in a process of its own, for what a process alone has: closed pipes, signals, a full disk."""
    options = {"capture_output": True, **options}
    return subprocess.run([*PROGRAM, *words], text=True, env=ENVIRONMENT, timeout=600, check=False, **options)


def values(*words: object, stdin: bytes | None = None) -> dict[str, float]:
    """Return {measure: mean} as `judged eval` prints them in CSV."""
    rows = csv.DictReader(io.StringIO(run("eval", *words, "--format", "csv", stdin=stdin)))
    return {row["measure"]: float(row["value"]) for row in rows}


def lines(text: str) -> Sequence[str]:
    """Return the lines of an output."""
    return text.strip("\n").split("\n")
