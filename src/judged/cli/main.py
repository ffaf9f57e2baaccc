"""`judged`: the group of commands. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import errno
import importlib
import io
import os
import re
import sys
from typing import NoReturn

import click

from judged._version import __version__
from judged.cli.options.command import asks_json, discard, say, show_error, words_ask_json
from judged.errors import EngineError, FileError, JudgedError, UsageError

# Every other file of this folder is a command, summarised by its first line. These come first in `--help`, the others follow by name.
_FIRST = ("demo", "eval", "compare", "gate", "report", "explain")
# Files are opened without pathlib here and where every command passes: importing it takes 3 ms.
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_FILES = {name.removesuffix(".py") for name in os.listdir(_FOLDER) if name.endswith(".py")}  # noqa: PTH208
COMMANDS = (*_FIRST, *sorted(_FILES - {*_FIRST, "__init__", "main"}))

# Messages of libraries for which memory ran out while they were loaded, or while they started a thread.
_NO_ROOM = (
    "failed to map segment",
    "annot allocate memory",
    "start new thread",
    "Resource temporarily unavailable",
    "error return without exception",
)


class _Commands(click.Group):
    """One command per file of this folder, imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in COMMANDS])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"judged.cli.{name}").command
        return command


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    no_args_is_help=True,
)
@click.option("--version", is_flag=True, help="Show the version and exit. --json adds Python and the native core.")
@click.option("--json", "as_json", is_flag=True, hidden=True)
@click.pass_context
def cli(ctx: click.Context, version: bool, as_json: bool) -> None:
    """Your rankings, judged: measure rankings, test whether one is better than another, and see why.

    \b
    judged demo                              try it on the sample collection
    judged eval QRELS RUN... -m nDCG@10 AP   evaluate runs
    judged compare QRELS RUN RUN...          test which run is better
    judged report QRELS RUN... -o page.html  write all results to one HTML page
    judged explain AP QRELS RUN --query Q    show the arithmetic of one query
    judged curve pr QRELS RUN... -o pr.svg   draw precision-recall curves
    judged agree QRELS_A QRELS_B             measure the agreement of judges
    """
    if version:
        _show_version(as_json)
        ctx.exit()
    if as_json:
        raise click.UsageError("--json needs --version here; commands take --format json.", ctx)
    if ctx.invoked_subcommand is None:
        raise click.UsageError("Missing command.", ctx)


def _show_version(as_json: bool) -> None:
    if not as_json:
        click.echo(f"judged, version {__version__}")
        return
    import json
    import platform

    from judged.core.native import NATIVE

    click.echo(json.dumps({"judged": __version__, "python": platform.python_version(), "native": NATIVE}))


def main() -> NoReturn:
    """Run a command; every outcome has its exit code, see docs/reference/errors.md."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no command multiplies matrices; starting threads costs 50 ms
    # Closed standard streams are opened on nothing, so that no file of ours gets their numbers.
    # Output that nobody can read is an error once it is written.
    while (null := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(null)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until the program ends
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a locale may lack letters
    try:
        code = cli.main(prog_name="judged", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        code = _show_usage(error)
    except JudgedError as error:  # of a command that shows errors in the way of another tool
        code = _fail(error)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except BrokenPipeError:
        discard(sys.stdout)
        code = 141
    except SystemExit as stop:  # click itself exits with 1 on a closed pipe, and with 0 after shell completion
        code = 141 if stop.code == 1 else 0
    except (KeyboardInterrupt, click.exceptions.Abort):
        code = 130
    except OSError as error:
        discard(sys.stdout)
        reason = "standard output is closed" if error.errno == errno.EBADF else error.strerror or str(error)
        code = _fail(FileError("io", reason, where=error.filename if isinstance(error.filename, str) else None))
    except Exception as error:
        if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_ROOM):
            code = _fail(EngineError("memory", "out of memory; nothing was written"))
        else:
            import traceback

            say(traceback.format_exc())
            problem, hint = f"judged failed: {type(error).__name__}", "report it, with the lines above"
            code = _fail(EngineError("bug", problem, hint=hint))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(error: JudgedError) -> int:
    show_error(error, as_json=words_ask_json(sys.argv))
    return error.exit_code


def _summary(name: str) -> str:
    """Read the summary of a command from the first line of its file, without importing it."""
    with open(f"{_FOLDER}/{name}.py", encoding="utf-8") as file:  # noqa: PTH123
        text = file.readline().strip('"\n').partition(": ")[2]
    return text[:1].upper() + text[1:]


def _show_usage(error: click.ClickException) -> int:
    ctx = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError" and ctx is not None:  # of click 8.2 and later
        say(ctx.get_help())
        return 2
    if ctx is not None and not asks_json(ctx):
        say(f"{ctx.get_usage()}\nTry '{ctx.command_path} --help' for help.\n")
    message = error.format_message()
    wrong = re.match("No such command '(.*)'", message)
    if wrong and ctx is not None and isinstance(ctx.command, _Commands):
        from difflib import get_close_matches

        near = get_close_matches(wrong[1].lower(), COMMANDS, 1)
        message = f"{message} Did you mean {near[0]!r}?" if near else message
    return _fail(UsageError("usage", message))
