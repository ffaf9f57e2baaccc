"""`judged`: the group of commands. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import importlib
import json
import os
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import click

from judged._version import __version__
from judged.cli.options.command import asks_json

# Every other file of this folder is a command, summarised by its first line. These come first in `--help`, the others follow by name.
_FIRST = ("demo", "eval", "compare", "gate", "report", "explain")
_FOLDER = Path(__file__).parent
_FILES = sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem not in ("__init__", "main"))
COMMANDS = (*_FIRST, *(name for name in _FILES if name not in _FIRST))

# Messages of libraries for which memory ran out while they were loaded, or while they started a thread.
_NO_ROOM = (
    "failed to map segment",
    "annot allocate memory",
    "start new thread",
    "Resource temporarily unavailable",
    "error return without exception",
)

_MEANT = {  # words that people try
    "plot": "curve", "html": "report", "page": "report", "curves": "curve", "roc": "curve", "kappa": "agree", "agreement": "agree", "rbo": "correlate",
    "tau": "correlate", "diff": "compare", "significance": "compare", "test": "compare", "evaluate": "eval", "click": "clicks",
}  # fmt: skip


class _Commands(click.Group):
    """One command per file of this folder, imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; a wrong word is answered with the nearest right one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            word = args[0].lower()
            near = [_MEANT[word]] if word in _MEANT else get_close_matches(word, COMMANDS, 1)
            if near and error.message.startswith("No such command"):
                raise click.UsageError(f"No such command {args[0]!r}. Did you mean {near[0]!r}?", ctx) from error
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in COMMANDS])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"judged.cli.{name}").command
        return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="judged")
def cli() -> None:
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


def main() -> NoReturn:
    """Run a command; every outcome has its exit code: 0 done, 2 bad input or call, 3 files and memory."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no command multiplies matrices; starting threads costs 50 ms
    if sys.stdout is None:
        click.echo("error: standard output is closed  [io]", err=True)
        sys.exit(3)
    try:
        code = cli.main(prog_name="judged", standalone_mode=False) or 0
        sys.stdout.flush()
    except click.ClickException as error:
        _show_usage(error)
        code = 2
    except click.exceptions.Abort:
        code = 130
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more is written at exit
        code = 141
    except SystemExit as stop:  # click itself exits with 1 on a closed pipe, and with 0 after shell completion
        code = 141 if stop.code == 1 else 0
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        click.echo("error: out of memory; nothing was written  [memory]", err=True)
        code = 3
    except OSError as error:
        click.echo(f"error: {error.strerror or error}  [io]", err=True)
        code = 3
    except (ImportError, RuntimeError, SystemError) as error:
        if not any(words in str(error) for words in _NO_ROOM):
            raise
        click.echo("error: out of memory; nothing was written  [memory]", err=True)
        code = 3
    sys.exit(code if isinstance(code, int) else 0)


def _summary(name: str) -> str:
    """Read the summary of a command from the first line of its file, without importing it."""
    with (_FOLDER / f"{name}.py").open(encoding="utf-8") as file:
        text = file.readline().strip('"\n').partition(": ")[2]
    return text[:1].upper() + text[1:]


def _show_usage(error: click.ClickException) -> None:
    if asks_json(getattr(error, "ctx", None)):
        click.echo(json.dumps({"error": {"code": "usage", "message": error.format_message()}}), err=True)
    else:
        error.show()
