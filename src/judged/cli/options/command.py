"""`Command`: options that take several words, options in groups, and errors in the format that was requested."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from judged.cli.options.files import check_files
from judged.errors import JudgedError

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
        ctx.meta["judged.json"] = _asks_json(args)
        several = [p for p in self.params if isinstance(p, _Option) and str(p.metavar).endswith("...")]
        nouns = {flag: str(p.name).removesuffix("s") for p in several for flag in p.opts}
        return super().parse_args(ctx, args if ctx.resilient_parsing else _spread(ctx, args, nouns))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            check_files(ctx)
            return super().invoke(ctx)
        except JudgedError as error:
            show_error(error, as_json=asks_json(ctx))
            ctx.exit(error.exit_code)

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
    text = json.dumps({"error": error.fields()}) if as_json else f"error: {error.render(flags=True)}"
    click.echo(text, err=True)


def _asks_json(args: list[str]) -> bool:
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
        if flag and (word.startswith("-") or _is_file(word)):
            flag = ""
        if bare and not flag:
            break
        spread += [flag, word] if flag else [word]
        bare = False
    if bare:
        raise click.BadOptionUsage(last, f"{last} needs the name of a {nouns[last]}.", ctx)
    return spread


def _is_file(word: str) -> bool:
    """True if a word is a file rather than a name: it exists, or looks like a path."""
    if word == "-" or "/" in word or re.fullmatch(r".+\.[A-Za-z]{2,8}", word):
        return True
    if not Path(word.rpartition("=")[2]).exists():
        return False
    from judged.measures.registry import find

    return find(re.split(r"[@(]", word)[0]) is None  # a file called AP does not hide the measure
