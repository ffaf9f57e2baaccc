"""`Command`: options that take several words, options in groups, and errors in the requested format."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from typing import Any, TypeVar

import click

from judged.cli.options.files import check_files
from judged.cli.options.progress import show_steps
from judged.errors import IN_COMMAND, JudgedError, safe
from judged.registry import nearest_name

F = TypeVar("F", bound=Callable[..., Any])

GROUPS = ("Input", "Measures", "Model", "Policies", "Statistics", "Output")
_ARGUMENTS = {  # lines of `--help`
    "qrels": "Judgments.",
    "sources": "Judgments of each judge, or one table with all of them.",
    "run": "Run.",
    "runs": "Runs: FILE or NAME=FILE.",
    "first": "First run.",
    "second": "Second run.",
    "run_a": "First run.",
    "run_b": "Second run.",
    "results": "Results or runs, one per collection.",
    "files": "Judgments, and the run that may replace the baseline.",
    "inputs": "Judgments, and the runs of each system.",
    "history": "Interactions that the recommender was trained on.",
    "log": "Click log.",
    "source": "File to read.",
    "target": "File to write.",
    "measure": "Measure, such as nDCG@10.",
    "name": "Measure to describe.",
    "kind": "Kind of curve.",
    "words": "Arguments of trec_eval.",
    "cited": "Results (.json), or names of measures, tests and methods.",
    "todo": "Documents to judge, such as a file of `judged pool`.",
}
_MEANT = {  # options that people try, and what to write instead
    "--metric": "--measures",
    "--metrics": "--measures",
    "--measure": "--measures",
    "--json": "--format json",
    "--csv": "--format csv",
    "--latex": "--format latex",
    "--tex": "--format latex",
    "--markdown": "--format md",
    "--md": "--format md",
    "--qid": "--query",
    "--threshold": "--level",
    "--cutoff": "-m nDCG@10",
    "--k": "-m nDCG@10",
    "-k": "-m nDCG@10",
    "--html": "judged report",
}


class _Option(click.Option):
    """An option with the group that `--help` lists it in."""

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.group = group


def option(*names: str, group: str, **settings: Any) -> Callable[[F], F]:
    """Declare an option of a group: Input, Measures, Model, Policies, Statistics or Output."""
    return click.option(*names, cls=_Option, group=group, **settings)


class Command(click.Command):
    """A command whose options with a metavar that ends in `...` take several words (`-m nDCG@10 AP`), up to the next option or file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["judged.json"] = words_ask_json(args)
        several = [p for p in self.params if isinstance(p, _Option) and str(p.metavar).endswith("...")]
        nouns = {flag: str(p.name).removesuffix("s") for p in several for flag in p.opts}
        try:
            rest = super().parse_args(ctx, args if ctx.resilient_parsing else _spread(ctx, args, nouns))
        except click.NoSuchOption as error:
            raise click.UsageError(
                f"No such option {error.option_name}.{_suggest(error.option_name, ctx)}", ctx
            ) from error
        except click.BadParameter as error:
            kind = None if error.param is None else error.param.type
            word = re.match("'(.*?)' is not one of", error.message)
            near = nearest_name(word[1], map(str, kind.choices)) if word and isinstance(kind, click.Choice) else None
            if near is None:
                raise
            raise click.BadParameter(f"{error.message} Did you mean {near}?", ctx, error.param) from error
        except click.UsageError as error:
            extra = re.fullmatch(r"Got unexpected extra argument \((\S+)\)", error.message)
            if extra is not None and "--query" in _flags(self):
                raise click.UsageError(f"{error.message}. Did you mean --query {extra[1]}?", ctx) from error
            raise
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
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *GROUPS, "Options")}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Argument):
                groups["Arguments"].append((parameter.make_metavar(ctx), _ARGUMENTS[str(parameter.name)]))
            elif (record := parameter.get_help_record(ctx)) is not None:
                groups[getattr(parameter, "group", "") or "Options"].append(record)
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=24)


def _flags(command: click.Command) -> dict[str, click.Parameter]:
    return {flag: parameter for parameter in command.params for flag in parameter.opts if flag.startswith("-")}


def _suggest(option: str, ctx: click.Context) -> str:
    """Return what was meant by an unknown option: an option of this command, or of another one."""
    from difflib import get_close_matches

    own, meant = _flags(ctx.command), _MEANT.get(option.lower(), "")
    if not meant.startswith("judged") and (meant.split() or [""])[0] not in own:
        meant = next(iter(get_close_matches(option, own, 1, 0.75)), "")
    group = ctx.parent.command if ctx.parent is not None else None
    if not meant and ctx.parent is not None and isinstance(group, click.Group):
        for name in group.list_commands(ctx.parent):
            command = group.get_command(ctx.parent, name)
            if command is not None and option in _flags(command):
                meant = f"{ctx.parent.command_path} {name} {option}"
                break
    return f" Did you mean {meant}?" if meant else ""


def asks_json(ctx: click.Context | None) -> bool:
    """True if the command was called with `--format json`: then errors are JSON too."""
    return ctx is not None and bool(ctx.meta.get("judged.json"))


def show_error(error: JudgedError, *, as_json: bool) -> None:
    """Write an error to standard error."""
    import json

    say(json.dumps({"error": error.fields()}) if as_json else f"error: {error.render(flags=True)}")


def say(text: str) -> None:
    """Write lines to standard error, without control characters. If they cannot be written, the exit code still tells the outcome."""
    try:
        click.echo(safe(text, keep="\n\t"), err=True)
    except OSError:
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Drop what a stream cannot write, now and when the program ends."""
    with suppress(OSError), open(os.devnull, "wb") as null:  # noqa: PTH123 - a stream of a test has no number
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
