"""Files that a command reads and writes, as its parameters declare them; no output may be an input."""

from __future__ import annotations

import os
from typing import Any

import click

_INPUTS = ("FILE", "RUN", "QRELS", "CANDIDATE")


def reads(parameter: click.Parameter) -> bool:
    """True for an argument, and for an option of the group Input whose value is a file."""
    if isinstance(parameter, click.Argument):
        return not writes(parameter)
    return getattr(parameter, "group", "") == "Input" and any(word in str(parameter.metavar) for word in _INPUTS)


def writes(parameter: click.Parameter) -> bool:
    """True for an option of the group Output whose value is a file, and for the argument TARGET."""
    if isinstance(parameter, click.Argument):
        return parameter.name == "target"
    return getattr(parameter, "group", "") == "Output" and parameter.metavar == "FILE"


def check_files(ctx: click.Context, *others: object) -> None:
    """Raise if an output of a command is one of its inputs, or another output; `others` are further inputs.

    It is called before a command does anything.
    """
    from judged.io.outputs import check_output, check_stdout

    parameters = ctx.command.get_params(ctx)
    outputs = [word for p in parameters if writes(p) for word in _words(ctx.params.get(str(p.name)))]
    words = [word for p in parameters if reads(p) for word in _words(ctx.params.get(str(p.name)))]
    inputs = [*words, *(word.partition("=")[2] for word in words if "=" in word), *others]
    for output in outputs:
        check_output(output, inputs)
    check_stdout(inputs)
    paths = [os.path.realpath(output) for output in outputs if output != "-"]
    if len(set(paths)) < len(paths):
        raise click.UsageError("Two outputs are the same file.")


def _words(value: Any) -> list[str]:
    """The values of a parameter, which may take several."""
    return [word for word in (value if isinstance(value, tuple) else (value,)) if isinstance(word, str) and word]
