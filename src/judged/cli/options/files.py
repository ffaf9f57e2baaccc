"""Inputs and outputs of commands: runs with names, question files, tables of a Spark session; `--format` and `-o`, and the function that prints a result."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import click

from judged.cli.options.command import option, say
from judged.cli.options.defaults import take_note
from judged.errors import Warned, fold_warnings, safe
from judged.steps import step
from judged.tables.formats import FORMATS
from judged.tables.result import Result


def named_files(runs: tuple[str, ...]) -> Any:
    """Split `NAME=FILE`: a list of files, or {name: file} if any run is named."""
    pairs = [run.partition("=") if "=" in run and not os.path.exists(run) else ("", "", run) for run in runs]  # noqa: PTH110 - see `main`
    if not any(name for name, _, _ in pairs):
        return list(runs)
    from judged.io.run_names import short_names

    unnamed = [file for name, _, file in pairs if not name]
    short = dict(zip(unnamed, short_names(unnamed), strict=True))
    named = {name or short[file]: file for name, _, file in pairs}
    if "" in named.values():
        raise click.UsageError("A run has a name and no file; write NAME=FILE.")
    if len(named) < len(runs):
        raise click.UsageError("Two runs have the same name.")
    return named


def named_file(word: str) -> Any:
    """A file, or {name: file} for `NAME=FILE`."""
    files = named_files((word,))
    return files if isinstance(files, dict) else word


def unnamed(word: str) -> str:
    """The file of `FILE` or `NAME=FILE`."""
    files = named_files((word,))
    return next(iter(files.values())) if isinstance(files, dict) else word


def split_files(
    qrels: str, runs: tuple[str, ...], settings: dict[str, Any] | None = None, *, short: bool = False
) -> tuple[Any, Any]:
    """Judgments and runs, as functions take them; a first input with a name is a run too: a question file, which has its judgments.

    Args:
        qrels: the first input.
        runs: the other inputs.
        settings: options with the engine; for `spark`, or `spark:` and a cluster, a session is started, of which `table:NAME` is a table.
        short: name every run, without folders and extensions, in warnings too.
    """
    session, engine = None, str((settings or {}).get("engine"))
    if settings is not None and engine.partition(":")[0] == "spark":
        session, settings["engine"] = _start_session(engine.partition(":")[2]), "spark"
    if isinstance(named_files((qrels,)), dict):
        return named_files((qrels, *runs)), None
    files = named_files(runs)
    if short and isinstance(files, list):
        from judged.io.run_names import short_names

        files = dict(zip(short_names(files), files, strict=True))
    if session is not None:
        files = open_tables(files, session)
    return qrels, files or None


def evaluate_files(qrels: str, runs: tuple[str, ...], settings: dict[str, Any], *, short: bool = False) -> list[Any]:
    """Evaluate each run; the judgments are read once."""
    from judged.evaluation.evaluate import evaluate
    from judged.evaluation.inputs import open_inputs

    judgments, files = split_files(qrels, runs, settings, short=short)
    inputs = open_inputs(judgments, files, settings, settings.get("model"))
    options = inputs.options if inputs.model is None else {**inputs.options, "model": inputs.model}
    return [evaluate(inputs.qrels, run, **options) for _, run in inputs.runs]


# ── Spark ────────────────────────────────────────────────────────────────────────────────────────


def open_tables(runs: Any, session: Any) -> Any:
    """Open `table:NAME` among runs, which are a list or {name: run}."""
    from judged.distributed.spark_executor import talking

    def opened(run: str) -> Any:
        return session.table(run.removeprefix("table:")) if run.startswith("table:") else run

    with talking():
        return {n: opened(run) for n, run in runs.items()} if isinstance(runs, dict) else list(map(opened, runs))


@step("starting Spark")
def _start_session(master: str) -> Any:
    """Start a Spark session until the command ends, which evaluations find as the active one; executors on this machine run the same Python."""
    from judged.errors import EngineError, UsageError

    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError("needs", "the engine spark needs pyspark", hint="run pip install 'judged[spark]'") from error
    builder = (
        SparkSession.builder.appName("judged")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
    )
    if not master or master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    try:
        session = builder.getOrCreate()
    except SystemExit as error:  # PySpark exits if a module is missing
        raise UsageError(
            "needs", "Spark Connect needs further modules", hint="run pip install 'pyspark[connect]'"
        ) from error
    except Exception as error:  # no Java, no cluster, a wrong address: each has its own type
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise EngineError(
            "engine",
            f"cannot start a Spark session: {reason}",
            hint="check that Java 17 is installed and the cluster is running, see docs/guides/scale.md",
        ) from error
    click.get_current_context().call_on_close(session.stop)
    return session


# ── output ────────────────────────────────────────────────────────────────────────────────────────

F = TypeVar("F", bound=Callable[..., Any])

_STYLES: dict[str, dict[str, Any]] = {
    "headline": {"bold": True},
    "title": {"bold": True},
    "header": {"bold": True},
    "best": {"bold": True},
    "note": {"dim": True},
    "warning": {"fg": "yellow"},
}
_PLAIN = str.maketrans(
    {
        "├": "|",
        "┤": "|",
        "│": "|",
        "┼": "+",
        "─": "-",
        "●": "*",
        "○": "o",
        "→": "->",
        "−": "-",
        "–": "-",
        "…": "...",
        "▲": "^",
        "▼": "v",
        "≡": "=",
        "×": "x",
        "·": ";",
        "≤": "<=",
        "≥": ">=",
    }
)
_WITHOUT_NOTES = ("csv", "latex", "trec")  # formats that have no place for warnings
_NOTED = {"table": "", "md": "- "}  # formats with a note on defaults, as they begin a note


def output_options(*extra: str, default: str = "table") -> Callable[[F], F]:
    """Declare `--format` and `-o`; `extra` are formats that only this command has, `default` is the format without `--format`."""

    def declare(command: F) -> F:
        command = option(
            "-o",
            "--output",
            metavar="FILE",
            group="Output",
            help="Output file. Its extension sets the format, unless --format does. [default: standard output]",
        )(command)
        return option(
            "--format",
            type=click.Choice([*FORMATS.files, *extra]),
            default=default,
            show_default=True,
            group="Output",
            help="Output format.",
        )(command)

    return declare


def chosen_format(options: dict[str, Any]) -> str:
    """The format that was requested; without `--format`, that of the ending of the output file."""
    format, output = str(options["format"]), options["output"]
    source = click.get_current_context().get_parameter_source("format")
    if output is None or source is click.core.ParameterSource.COMMANDLINE:
        return format
    from pathlib import Path

    from judged.io.atomic import ENDINGS

    last = [ending for ending in Path(output.lower()).suffixes if ending not in (".txt", *ENDINGS)][-1:]
    return next((known.name for known in FORMATS if known.ending in last), format)


def emit(result: Result, options: dict[str, Any], warnings: Iterable[Warned] = ()) -> None:
    """Print a result in the requested format, or write it to the requested file.

    Warnings are part of the notes of a table; they go to standard error if the format has no place for them.
    The last note names the file of defaults.
    """
    output = options["output"]
    format = options["format"] if output is None else chosen_format(options)
    ctx = click.get_current_context()
    note = take_note(ctx) if ctx.default_map else ""
    if format in _WITHOUT_NOTES:
        show_warnings(warnings)
    if format == "table" and output is None and sys.stdout.isatty():
        _show(result)
        click.echo(f"{note}\n" * bool(note), nl=False)
    else:
        # CSV by `to_csv`, in which a result may keep ids that are read again.
        text = result.to_csv() if format == "csv" else result.render(format)
        write_text(text + (f"{_NOTED[format]}{note}\n" if note and format in _NOTED else ""), output)


def show_warnings(warnings: Iterable[Warned]) -> None:
    """Write each distinct warning to standard error; many of one kind as one."""
    for warning in fold_warnings(warnings):
        say(f"warning: {warning.render(flags=True)}")


def write_text(text: str, output: str | None) -> None:
    """Write text to standard output, or atomically to a file.

    Control characters are escaped on a terminal; a pipe receives the same bytes as a file, in every locale.
    """
    if output is None:
        terminal = sys.stdout.isatty()
        click.echo(safe(text, keep="\n\t") if terminal else text.encode("utf-8", "surrogateescape"), nl=False)
        return
    from judged.io.atomic import write_atomically

    with write_atomically(output) as file:
        file.write(text)


def _show(result: Result) -> None:
    """Print a result on a terminal, within its width, in bold and faint letters."""
    import shutil

    from judged.tables.formats.table import PLAIN, text

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    columns = shutil.get_terminal_size().columns
    style = PLAIN if plain else {kind: partial(click.style, **look) for kind, look in _STYLES.items()}
    click.echo(_encodable(text(result, 4, columns=columns, style=style), sys.stdout.encoding), nl=False)


def _encodable(text: str, encoding: str | None) -> str:
    """Return the text; with plain characters in place of lines, dots and signs if the encoding lacks some of them."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding or "utf-8", "replace").decode(encoding or "utf-8")
    return text
