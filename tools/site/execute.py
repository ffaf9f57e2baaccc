"""Run what generated pages show: statements as a Python session, commands as a shell would."""

from __future__ import annotations

import ast
import atexit
import os
import shutil
import tempfile
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from judged.cli.main import cli
from judged.io.sample import sample_path

_WIDTH = {"COLUMNS": "100", "NO_COLOR": "1"}


@cache
def folder() -> Path:
    """A folder with the files of the sample collection, in which everything runs."""
    made = Path(tempfile.mkdtemp(prefix="judged-docs-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    sample = sample_path("qrels.txt").parent
    for path in (*sample.glob("*.*"), *sample.glob("runs/*")):
        shutil.copy(path, made / path.name)
    return made


def session(code: str, names: dict[str, Any] | None = None) -> str:
    """Run statements and return them as a session, with what each one prints."""
    names = {} if names is None else names
    lines: list[str] = []
    with chdir(folder()):
        for statement in ast.parse(code).body:
            source = ast.get_source_segment(code, statement) or ""
            lines += [f"{'>>>' if i == 0 else '...'} {line}" for i, line in enumerate(source.split("\n"))]
            lines += _printed(statement, names).splitlines()
    return "\n".join(lines)


def _printed(statement: ast.stmt, names: dict[str, Any]) -> str:
    out = StringIO()
    with redirect_stdout(out):
        if not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "<page>", "exec"), names)
        elif (value := eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)) is not None:  # noqa: S307
            out.write(repr(value))
    return out.getvalue()


def console(*words: str, shown: str = "") -> str:
    """Run `judged` with these words and return the command, as `shown` writes it, with its output."""
    with chdir(folder()):
        done = CliRunner(env={**os.environ, **_WIDTH}).invoke(cli, list(words), prog_name="judged")
    if done.exception is not None:
        raise RuntimeError(f"judged {' '.join(words)}: {done.output}") from done.exception
    return f"$ judged {shown or ' '.join(words)}\n{done.output.rstrip()}"
