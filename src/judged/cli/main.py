"""`judged`: the group of commands. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import errno
import importlib
import io
import os
import re
import sys
import warnings
from typing import Any, NoReturn

import click

from judged._version import __version__
from judged.cli.options.command import asks_json, discard, say, show_error, words_ask_json
from judged.cli.options.defaults import set_defaults
from judged.errors import EngineError, FileError, JudgedError, UsageError
from judged.io.settings import find_settings
from judged.registry import load_plugin, nearest_name, owner_of, plugins

# Every other file of this folder is a command, summarised by its first line. `--help` shows these, `judged help all` the others too.
MAIN = {
    "Evaluate and compare": ("eval", "compare", "explain", "report"),
    "Decide": ("gate",),
    "Get judgments": ("pool", "label", "judge", "agree"),
    "Look closer": ("curve", "measures"),
}
_FIRST = tuple(name for names in MAIN.values() for name in names)
# Files are opened without pathlib here and where every command passes: importing it takes 3 ms.
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_FILES = {name.removesuffix(".py") for name in os.listdir(_FOLDER) if name.endswith(".py")}  # noqa: PTH208
COMMANDS = (*_FIRST, *sorted(_FILES - {*_FIRST, "__init__", "main"}))
PLUGINS = "judged.commands"  # entry points of other distributions

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

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the main commands on one screen."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        formatter.write_paragraph()
        for purpose, names in MAIN.items():
            formatter.write_text(f"{purpose}:")
            with formatter.indentation():
                formatter.write_dl([(name, summary(name)) for name in names])
        formatter.write_paragraph()
        formatter.write_text("Try it: judged demo. All commands: judged help all. Options: judged eval -h")

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return _plugin_command(name)
        command: click.Command = importlib.import_module(f"judged.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command and, unless its help is asked for, the defaults of its options."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and command and not ctx.resilient_parsing and not {"-h", "--help", "--help-all"} & {*rest}:
            path, content = find_settings()
            if path:
                set_defaults(ctx, self, name, command, path, content)
        return name, command, rest


def _plugin_command(name: str) -> click.Command | None:
    """The command that another distribution declares under this name; None if there is none."""
    named = [plugin for plugin in plugins(PLUGINS) if plugin.name == name]
    if len(named) > 1:
        owners = " and ".join(map(owner_of, named))
        raise UsageError("plugin", f"the command {name!r} is declared by {owners}", hint="uninstall one of them")
    command = load_plugin(named[0]) if named else None
    if not isinstance(command, click.Command | None):
        problem = f"plug-in {name!r} of {owner_of(named[0])} is not a command of click"
        raise UsageError("plugin", problem, hint="update or uninstall it", value=name)
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
    """Your rankings, judged: how good they are, which one is better, and why."""
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
    warnings.showwarning = _show_warning
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


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    say(f"warning: {message}")


def _fail(error: JudgedError) -> int:
    show_error(error, as_json=words_ask_json(sys.argv))
    return error.exit_code


def summary(name: str) -> str:
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
        near = nearest_name(wrong[1], COMMANDS)
        message = f"{message} Did you mean {near!r}?" if near else message
    return _fail(UsageError("usage", message))
