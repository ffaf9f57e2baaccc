"""Output options `--format`, `-o` and `-p`, and the function that prints a result."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from judged.cli.options.command import option, say
from judged.errors import Warned, fold_warnings, safe
from judged.tables.formats import FORMATS
from judged.tables.result import Result

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


def output_options(*extra: str, default: str = "table") -> Callable[[F], F]:
    """Declare `--format` and `-o`; `extra` are formats that only this command has, `default` is the format without `--format`."""

    def declare(command: F) -> F:
        command = option(
            "-o", "--output", metavar="FILE", group="Output", help="Output file. [default: standard output]"
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


def emit(result: Result, options: dict[str, Any], warnings: Iterable[Warned] = ()) -> None:
    """Print a result in the requested format, or write it to the requested file.

    Warnings are part of the notes of a table; they go to standard error if the format has no place for them.
    """
    format, output = options["format"], options["output"]
    if format in _WITHOUT_NOTES:
        show_warnings(warnings)
    if format == "table" and output is None and sys.stdout.isatty():
        _show(result)
    else:
        # CSV by `to_csv`, in which a result may keep ids that are read again.
        write_text(result.to_csv() if format == "csv" else result.render(format), output)


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

    from judged.tables.formats.table import result_text

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    columns = shutil.get_terminal_size().columns
    style = (lambda text, kind: text) if plain else (lambda text, kind: click.style(text, **_STYLES[kind]))
    click.echo(_encodable(result_text(result, 4, columns=columns, style=style), sys.stdout.encoding))


def _encodable(text: str, encoding: str | None) -> str:
    """Return the text; with plain characters in place of lines, dots and signs if the encoding lacks some of them."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding or "utf-8", "replace").decode(encoding or "utf-8")
    return text
