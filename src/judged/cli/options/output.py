"""What commands share: where text goes, and the list of measures behind `-m`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from judged.cli.options.rag import preparation

__all__ = ["Measures", "as_flags", "as_json", "emit", "named_files", "output_options", "policy_options", "show_table"]

F = TypeVar("F", bound=Callable[..., Any])


def as_json() -> bool:
    """Whether the caller asked for JSON: then errors are JSON too."""
    words = sys.argv[1:]
    return "--format=json" in words or any(a == "--format" and b == "json" for a, b in pairwise(words))


def as_flags(text: str) -> str:
    """A sentence of the library, with `ties='best'` written as the flag `--ties best`; for messages that have no `Hint` yet."""
    text = re.sub(r"\bkind='(run|qrels)'", r"--\1", text).replace("attribute='…'", "--by COLUMN")
    return re.sub(r"\b(ties|order|queries|empty|duplicates|rejudged|format|profile)='([\w-]+)'", r"--\1 \2", text)


def emit(text: str, output: str | None) -> None:
    """Text to standard output, or to a file that appears whole."""
    if output is None:
        click.echo(text, nl=False)
        return
    from judged.io.files.atomic import write_atomically

    with write_atomically(output) as file:
        file.write(text)


def show_table(table: Any) -> None:
    """A table on a terminal in colour, elsewhere in plain text."""
    from dataclasses import replace

    from judged.tables.table import plain, safe

    table = replace(table, notes=tuple(map(as_flags, table.notes)))
    if sys.stdout is None or not sys.stdout.isatty():
        click.echo(plain(table))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(
        box=box.SIMPLE_HEAD,
        title=Text(safe(table.title)) if table.title else None,
        title_justify="left",
        title_style="bold",
    )
    for i, header in enumerate(table.headers):
        drawn.add_column(Text(safe(header)), justify="left" if i in table.words else "right", overflow="fold")
    for i, row in enumerate(table.rows):
        drawn.add_row(*(Text(safe(cell), style="bold" if (i, j) in table.strong else "") for j, cell in enumerate(row)))
    console = Console()
    console.print(drawn)
    for note in table.notes:
        console.print(Text(safe(note), style="yellow" if note.startswith("warning") else "dim"))


def _names_file(word: str) -> bool:
    """Whether a word behind `-m` is a file rather than a measure: it exists, or looks like a path."""
    if word == "-" or "/" in word or re.fullmatch(r".+\.[A-Za-z]{2,8}", word):
        return True
    if not Path(word).exists():
        return False
    from judged.measures.registry import find

    return find(re.split(r"[@(]", word)[0]) is None  # a file called AP does not hide the measure


class Measures(click.Command):
    """A command whose `-m` takes one measure or several: `-m nDCG@10 AP`, up to the next option or file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        inside = bare = False
        for word in args:
            if word in ("-m", "--measures"):
                inside = bare = True
                continue
            inside = inside and not word.startswith("-") and not _names_file(word)
            if bare and not inside:
                break
            spread += ["-m", word] if inside else [word]
            bare = False
        if bare:
            raise click.BadOptionUsage("-m", "-m needs the name of a measure, such as -m nDCG@10.", ctx)
        return super().parse_args(ctx, spread)


def output_options(*forms: str) -> Callable[[F], F]:
    """The form of the output, where it goes, and its decimals: options of every command that prints tables."""

    def add(command: F) -> F:
        command = click.option(
            "-p", "--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals."
        )(command)
        command = click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")(
            command
        )
        return click.option(
            "--format", "form", type=click.Choice(forms), default="table", show_default=True,
            help="The form of the output.",
        )(command)  # fmt: skip

    return add


def named_files(runs: tuple[str, ...]) -> Any:
    """Files, or `NAME=FILE` for those that are to be called otherwise: {name: file} if any has a name of its own."""
    pairs = [run.partition("=") if "=" in run and not Path(run).exists() else ("", "", run) for run in runs]
    if not any(name for name, _, _ in pairs):
        return list(runs)
    named = {name or Path(file).name: file for name, _, file in pairs}
    if len(named) < len(runs):
        raise click.UsageError("Two runs have one name.")
    return named


def policy_options(command: Any, *, queries: str = "--queries") -> Any:
    """The policies as options, described once; `queries` is the flag for which queries count, where `--queries` says something else."""
    choices = {
        "ties": (("id-desc", "id-asc", "input", "best", "worst", "expected"), "Order of documents with equal scores."),
        "duplicates": (("error", "first", "best"), "A document twice in one ranking."),
        "rejudged": (
            ("error", "max", "min", "first", "last", "mean"),
            "A document judged twice with different grades.",
        ),
        "empty": (("zero", "skip", "one", "nan", "error"), "The value of a query without a relevant document."),
        "order": (("score", "rank", "input"), "What rankings are ordered by."),
        "queries": (
            ("judged", "both", "strict"),
            "Which queries count: all judged, those in both files, or all must be there.",
        ),
    }
    for name, (values, text) in reversed(choices.items()):
        flag = queries if name == "queries" else f"--{name}"
        command = click.option(flag, name, type=click.Choice(values), help=f"{text}  [default: {values[0]}]")(command)
    command = click.option(
        "--depth", type=int, metavar="N", help="Look at the first N documents of each ranking only."
    )(command)
    command = click.option("--judged-only", is_flag=True, help="Take unjudged documents out of the rankings first.")(
        command
    )
    return click.option(
        "--profile",
        metavar="NAME",
        default="trec_eval-10",
        show_default=True,
        help="The conventions of another tool, such as trec_eval-9 or ranx.",
    )(command)


def chosen_policy(options: dict[str, Any]) -> dict[str, Any]:
    """The policies that were asked for, as arguments of `evaluate`."""
    names = ("ties", "duplicates", "rejudged", "empty", "order", "queries", "depth", "profile")
    policy = {name: options[name] for name in names if options.get(name) is not None}
    policy |= preparation(options)
    return {**policy, "unjudged": "condensed"} if options.get("judged_only") else policy
