"""`Command`: options that take several words, options in groups, files that are not overwritten, errors in the requested format, and
the step that a command is at, on standard error, if that is a terminal and the command takes more than a second.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from inspect import cleandoc
from itertools import pairwise
from threading import Event, Lock, Thread
from typing import Any, TextIO, TypeVar

import click

from judged.cli.options.defaults import take_note
from judged.errors import IN_COMMAND, JudgedError, safe
from judged.registry import nearest_name
from judged.steps import LISTENER, Report

F = TypeVar("F", bound=Callable[..., Any])

GROUPS = ("Measures", "Input", "Model", "Policies", "Statistics", "Output")
# Options that `--help` shows of commands that have many; `--help-all` shows the others too.
_COMMON = frozenset({
    *("measures", "measure", "level", "query_col", "doc_col", "grade_col", "score_col", "baseline", "slices", "history"),
    *("profile", "ties", "queries", "test", "correction", "max_drop", "mode", "rules", "query", "per_query", "worst", "where"),
    *("doc_texts", "query_texts", "title", "tables", "log_to", "format", "output"),
})  # fmt: skip
_MANY = 14
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
    "log": "Click log.",
    "source": "File to read.",
    "target": "File to write.",
    "measure": "Measure, such as nDCG@10.",
    "name": "Measure to describe.",
    "collection": "Files for --copy: shop, rag, recommender, lightgbm or assessors.",
    "kind": "Kind of curve.",
    "words": "Arguments of trec_eval.",
    "cited": "Results (.json), or names of measures, tests and methods.",
    "topic": "Command, or `all` for a list of them.",
    "todo": "Documents to judge, such as a file of `judged pool`.",
}
_MEANT = {  # options that people try, and what to write instead
    "--metric": "--measures",
    "--metrics": "--measures",
    "--json": "--format json",
    "--csv": "--format csv",
    "--latex": "--format latex",
    "--markdown": "--format md",
    "--threshold": "--level",
    "--cutoff": "-m nDCG@10",
    "-k": "-m nDCG@10",
    "--html": "judged report",
    "--query-col": "judged convert",
    "--doc-col": "judged convert",
}


class Option(click.Option):
    """An option with the group that `--help` lists it in.

    Args:
        names: one or two flags, and the name of the parameter.
        group: one of `GROUPS`.
        derived: the option is a parameter of a public function: `Command` passes it on in `settings`, if it is given.
        settings: those of click.
    """

    def __init__(self, names: list[str], group: str = "", derived: bool = False, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.group, self.derived = group, derived


def option(*names: str, group: str, **settings: Any) -> Callable[[F], F]:
    """Declare an option of a group: Input, Measures, Model, Policies, Statistics or Output."""
    return click.option(*names, cls=Option, group=group, **settings)


class Command(click.Command):
    """A command whose options with a metavar that ends in `...` take several words (`-m nDCG@10 AP`), up to the next option or file.

    Arguments that are no choice, and options whose metavar has FILE or RUN, are files that it reads; the argument TARGET and those options of the group Output are files that it writes.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.inputs: list[click.Parameter] = []
        self.outputs: list[click.Parameter] = []
        for parameter in self.params:
            if isinstance(parameter, click.Argument) and not isinstance(parameter.type, click.Choice):
                (self.outputs if parameter.name == "target" else self.inputs).append(parameter)
            elif isinstance(parameter, Option) and re.search("FILE|RUN|QRELS", str(parameter.metavar)):
                (self.outputs if parameter.group == "Output" else self.inputs).append(parameter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["judged.words"] = args
        if "--help-all" in args:
            ctx.meta["judged.help_all"], args = True, ["--help"]
        several = [p for p in self.params if isinstance(p, Option) and p.multiple and str(p.metavar).endswith("...")]
        nouns = {flag: str(p.name).removesuffix("s") for p in several for flag in p.opts}
        try:
            rest = super().parse_args(ctx, args if ctx.resilient_parsing else _spread(ctx, args, nouns))
        except click.NoSuchOption as error:
            flags = self._flags()
            meant = _MEANT.get(error.option_name) or nearest_name(error.option_name, flags) or ""
            if meant.startswith("--") and meant.split()[0] not in flags:
                meant = ""
            hint = f" Did you mean {meant}?" if meant else ""
            raise click.UsageError(f"No such option {error.option_name}.{hint}", ctx) from error
        except click.BadParameter as error:
            kind, word = error.param and error.param.type, re.match("'(.*?)' is not one of", error.message)
            near = nearest_name(word[1], kind.choices) if word and isinstance(kind, click.Choice) else None
            if near is None:
                raise
            raise click.BadParameter(f"{error.message} Did you mean {near}?", ctx, error.param) from error
        derived = [p for p in self.params if isinstance(p, Option) and p.derived]
        if derived:
            given = {str(p.name): ctx.params.pop(str(p.name)) for p in derived}
            given = {name: list(v) if type(v) is tuple else v for name, v in given.items()}
            ctx.params["settings"] = {
                name: v for name, v in given.items() if v is not None and v is not False and v != []
            }
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
            show_error(self._with_reachable_hint(error), as_json=asks_json(ctx))
            ctx.exit(error.exit_code)
        finally:
            # A command that printed no result has not shown the note.
            if ctx.default_map and (note := take_note(ctx)) and not asks_json(ctx):
                say(note)
            IN_COMMAND.reset(token)

    def _with_reachable_hint(self, error: JudgedError) -> JudgedError:
        """Say where an option is that the hint names, if this command does not have it."""
        hint = error.hint.render(flags=True) if error.hint else ""
        flags = self._flags()
        if all(flag in flags for flag in re.findall(r"(?<!\S)--[a-z-]+", hint)):
            return error
        columns = re.search("-col |--grade-map|--split", hint)
        return error.changed(hint=f"use `judged convert`: {hint}" if columns else f"in Python, {error.hint.render()}")  # type: ignore[union-attr]

    def _flags(self) -> list[str]:
        return [flag for p in self.params for flag in p.opts if flag.startswith("-")]

    def _has_many(self) -> bool:
        return len(self.params) > _MANY

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leave out all but the first two examples, unless all help was asked for."""
        whole = self.help
        if whole and self._has_many() and not ctx.meta.get("judged.help_all"):
            before, block, examples = cleandoc(whole).partition("\b\n")
            self.help = "\n\n".join([before.partition("\n\n")[0], block + "\n".join(examples.split("\n")[:2])])
        super().format_help_text(ctx, formatter)
        self.help = whole

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        few = self._has_many() and not ctx.meta.get("judged.help_all")
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *GROUPS, "Options")}
        params = self.get_params(ctx)
        for parameter in params:
            if isinstance(parameter, click.Argument):
                groups["Arguments"].append((parameter.make_metavar(ctx), _ARGUMENTS[str(parameter.name)]))
            elif few and isinstance(parameter, Option) and parameter.name not in _COMMON:
                continue
            elif (record := parameter.get_help_record(ctx)) is not None:
                groups[getattr(parameter, "group", "") or "Options"].append(record)
        if self._has_many():
            number = sum(isinstance(parameter, click.Option) for parameter in params)
            groups["Options"].append(("--help-all", f"Show all {number} options, and more examples."))
        for name, records in groups.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records, col_max=24)


def check_files(ctx: click.Context, *others: object) -> None:
    """Raise if an output of a command is one of its inputs or another output, or if standard input is named twice; `others` are further inputs.

    It is called before a command does anything.
    """
    from judged.io.outputs import check_output

    command = ctx.command
    assert isinstance(command, Command)
    given = {**ctx.params, **ctx.params.get("settings", {})}
    words: list[str] = []
    outputs: list[str] = []
    for parameter in (*command.inputs, *command.outputs):
        value = given.get(str(parameter.name))
        files = value if isinstance(value, list | tuple) else (value,)
        if "" in files:  # an unset variable of a shell; Python reads "" as the current folder
            raise click.BadParameter("the name is empty.", ctx, parameter)
        found = words if parameter in command.inputs else outputs
        found += [file for file in files if isinstance(file, str)]
    named = [word.partition("=")[2] for word in words if "=" in word]
    if [*words, *named].count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other input.")
    inputs = [*words, *named, *others, *filter(None, [ctx.meta.get("judged.defaults")])]
    for output in (*outputs, sys.stdout):
        check_output(output, inputs)
    paths = [os.path.realpath(output) for output in outputs if output != "-"]
    if len(set(paths)) < len(paths):
        raise click.UsageError("Two outputs are the same file.")


def asks_json(ctx: click.Context | None) -> bool:
    """True if the command was called with `--format json`: then errors are JSON too."""
    return ctx is not None and (ctx.params.get("format") == "json" or words_ask_json(ctx.meta.get("judged.words", [])))


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
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def _spread(ctx: click.Context, args: list[str], nouns: dict[str, str]) -> list[str]:
    """Write `-m A B` as `-m A -m B`, for the options that take several words; `nouns` say what each one names."""
    spread: list[str] = []
    last = flag = ""
    bare = False
    for word in args:
        if word in nouns and not bare:
            last, flag, bare = word, word, True
            continue
        if flag and word.startswith("-") and word != "-":
            flag = ""
        elif flag and nouns[flag] != "run":  # a name, unless it looks like a path, or is one of a file
            if word == "-" or "/" in word or re.fullmatch(r".+\.[A-Za-z]{2,8}", word):
                flag = ""
            elif os.path.exists(word.rpartition("=")[2]):  # noqa: PTH110 - `Path` raises if it is too long
                from judged.measures.registry import find

                flag = flag if find(re.split(r"[@(]", word)[0]) else ""  # a file called AP does not hide the measure
        if bare and not flag:
            break
        spread += [flag, word] if flag else [word]
        bare = False
    if bare:
        raise click.BadOptionUsage(last, f"{last} needs the name of a {nouns[last]}.", ctx)
    return spread


# ── the step that a command is at ────────────────────────────────────────────────────────────────

_PATIENCE, _PERIOD = 1.0, 0.25  # seconds
_ERASE = "\r\x1b[K"


@contextmanager
def show_steps(stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Show the steps of the block on a terminal, and erase them; on anything else write nothing.

    Args:
        stream: where to write. [default: standard error]
        clock: returns the time in seconds.
    """
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    line, ended = _StepLine(stream, clock), Event()
    thread = Thread(target=_refresh, args=(line, ended), daemon=True)  # a step may take minutes without a word
    token = LISTENER.set(line.step)
    thread.start()
    try:
        yield
    finally:
        LISTENER.reset(token)
        ended.set()
        thread.join()


def _refresh(line: _StepLine, ended: Event) -> None:
    while not ended.wait(_PERIOD):
        line.draw()


class _StepLine:
    """The last line of a terminal, with the innermost step. It is empty during the first second, and between steps."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream, self._clock, self._begin, self._lock = stream, clock, clock(), Lock()
        self._steps: list[str] = []
        self._share = self._shown = ""

    @contextmanager
    def step(self, name: str) -> Iterator[Report]:
        """Show a step while it lasts; yields a callback that adds the share that is done."""
        begin = self._clock()
        self._change(lambda: self._steps.append(safe(name)))
        try:
            yield lambda done, total: self._report(done, total, begin)
        finally:
            self._change(self._steps.pop)

    def _change(self, change: Callable[[], object]) -> None:
        with self._lock:
            change()
            self._share = ""
        self.draw()

    def _report(self, done: int, total: int, begin: float) -> None:
        left = (self._clock() - begin) * (total - done) / done if done > 0 else 0.0
        ahead = f", {_duration(left)} left" if left >= 1 else ""
        self._share = f": {done / total:.0%}{ahead}" if total > 0 else ""
        self.draw()

    def draw(self) -> None:
        """Write the line if it changed."""
        with self._lock:
            text = f"{self._steps[-1]}{self._share} …" if self._steps else ""
            if not self._shown and (not text or self._clock() - self._begin < _PATIENCE):
                return
            import shutil

            text = text[: shutil.get_terminal_size().columns - 1]
            if text != self._shown:
                self._stream.write(f"{_ERASE}{text}")
                self._stream.flush()
                self._shown = text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
