"""`Command`: options that take several words, options in groups, and errors in the requested format."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from judged.cli.options.files import check_files
from judged.cli.options.progress import show_steps
from judged.errors import IN_COMMAND, JudgedError, safe

F = TypeVar("F", bound=Callable[..., Any])

GROUPS = ("Input", "Measures", "Policies", "Statistics", "Output")


class _Option(click.Option):
    """An option with the group that `--help` lists it in."""

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group


def option(*names: str, group: str, **settings: Any) -> Callable[[F], F]:
    """Declare an option of a group: Input, Measures, Policies, Statistics or Output."""
    return click.option(*names, cls=_Option, group=group, **settings)


class Command(click.Command):
    """A command whose options with a metavar that ends in `...` take several words (`-m nDCG@10 AP`), up to the next option or file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["judged.json"] = words_ask_json(args)
        several = [p for p in self.params if isinstance(p, _Option) and str(p.metavar).endswith("...")]
        nouns = {flag: str(p.name).removesuffix("s") for p in several for flag in p.opts}
        rest = super().parse_args(ctx, args if ctx.resilient_parsing else _spread(ctx, args, nouns))
        for parameter in self.params:  # an unset variable of a shell; Python reads "" as the current folder
            value = ctx.params.get(str(parameter.name))
            is_file = isinstance(parameter, click.Argument) or parameter.metavar == "FILE"
            if is_file and "" in (value if isinstance(value, tuple) else (value,)):
                raise click.BadParameter("the name is empty.", ctx, parameter)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        token = IN_COMMAND.set(True)
        try:
            check_files(ctx)
            with show_steps():
                return super().invoke(ctx)
        except JudgedError as error:
            if isinstance(error.__cause__, BrokenPipeError):  # -o /dev/stdout
                raise error.__cause__ from None
            show_error(error, as_json=asks_json(ctx))
            ctx.exit(error.exit_code)
        finally:
            IN_COMMAND.reset(token)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in (*GROUPS, "Options")}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                groups[getattr(parameter, "group", "") or "Options"].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=24)


def asks_json(ctx: click.Context | None) -> bool:
    """True if the command was called with `--format json`: then errors are JSON too."""
    return ctx is not None and bool(ctx.meta.get("judged.json"))


def show_error(error: JudgedError, *, as_json: bool) -> None:
    """Write an error to standard error."""
    say(json.dumps({"error": error.fields()}) if as_json else f"error: {error.render(flags=True)}")


def say(text: str) -> None:
    """Write lines to standard error, without control characters. If they cannot be written, the exit code still tells the outcome."""
    try:
        click.echo(safe(text, keep="\n\t"), err=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Drop what a stream cannot write, now and when the program ends."""
    with suppress(OSError), Path(os.devnull).open("wb") as null:  # a stream of a test has no number
        os.dup2(null.fileno(), stream.fileno())


def words_ask_json(args: list[str]) -> bool:
    """True if the words of a command line contain `--format json`."""
    words = args[: args.index("--")] if "--" in args else args
    return "--format=json" in words or any(a == "--format" and b == "json" for a, b in pairwise(words))


def _spread(ctx: click.Context, args: list[str], nouns: dict[str, str]) -> list[str]:
    """Write `-m A B` as `-m A -m B`, for the options that take several words; `nouns` say what each one names."""
    spread: list[str] = []
    last = flag = ""
    bare = False
    for word in args:
        if word in nouns and not bare:
            last, flag, bare = word, word, True
            continue
        if flag and (word.startswith("-") or is_file(word)):
            flag = ""
        if bare and not flag:
            break
        spread += [flag, word] if flag else [word]
        bare = False
    if bare:
        raise click.BadOptionUsage(last, f"{last} needs the name of a {nouns[last]}.", ctx)
    return spread


def path_exists(word: str) -> bool:
    """True if a word is a path; it may be too long for one."""
    return os.path.exists(word)  # noqa: PTH110 - `Path` raises then


def is_file(word: str) -> bool:
    """True if a word is a file rather than a name: it exists, or looks like a path."""
    if word == "-" or "/" in word or re.fullmatch(r".+\.[A-Za-z]{2,8}", word):
        return True
    if not path_exists(word.rpartition("=")[2]):
        return False
    from judged.measures.registry import find

    return find(re.split(r"[@(]", word)[0]) is None  # a file called AP does not hide the measure
