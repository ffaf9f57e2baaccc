"""Options of commands that read the judgments of several judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from judged.cli.options.command import option
from judged.cli.options.inputs import check_stdin, chosen_columns, column_options, named_files
from judged.core.policy import Rejudged

F = TypeVar("F", bound=Callable[..., Any])


def judge_options(command: F) -> F:
    """Declare the judgments as arguments, and the options of one table with all judges."""
    command = option(
        "--rejudged",
        type=click.Choice(get_args(Rejudged)),
        default="error",
        show_default=True,
        group="Policies",
        help="Grade of a document that a judge judged twice with different grades.",
    )(command)
    command = option(
        "--judge-col", metavar="NAME", group="Input", help="Column with the judge of each row, for one table."
    )(command)
    command = option(
        "--judges",
        metavar="NAME,NAME",
        group="Input",
        help="Columns of grades in one table, one per judge; empty cells are missing judgments.",
    )(command)
    command = column_options("query", "doc", "grade")(command)
    return click.argument("sources", nargs=-1, required=True, metavar="QRELS_A QRELS_B [QRELS_C]...")(command)


def judge_sources(sources: tuple[str, ...], options: dict[str, Any], *others: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the judgments and the options that select judges; `others` are further input files."""
    names = [name.strip() for name in (options["judges"] or "").split(",") if name.strip()]
    selected = {"judges": names or None, "judge_col": options["judge_col"]}
    selected = {name: value for name, value in selected.items() if value is not None}
    if len(sources) < 2 and not selected:
        raise click.UsageError(
            "Name the judgments of two or more judges, or use --judges human,gpt4 (a column of grades per judge) or"
            " --judge-col annotator (a row per judgment) for one table with all judges."
        )
    files = named_files(sources)
    paths = list(files.values()) if isinstance(files, dict) else files
    check_stdin(*paths, *others)
    settings = {**selected, **chosen_columns(options), "rejudged": options["rejudged"]}
    return ([files] if isinstance(files, dict) else files), settings
