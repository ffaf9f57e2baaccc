"""Options for rankings of chunks, and for question files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.command import option

F = TypeVar("F", bound=Callable[..., Any])

_NAMES = ("roll_up", "chunks", "tokens", "crossing", "overlap", "question", "retrieved", "relevant")
_CHUNK_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--roll-up",),
        {
            "type": click.Choice(["first", "max", "sum"]),
            "help": "Rank documents instead of chunks, by first chunk, highest score or sum of scores.",
        },
    ),
    (
        ("--chunks", "--documents", "chunks"),
        {"metavar": "FILE", "help": "Table of chunks: chunk_id and any of doc_id, start, end, tokens."},
    ),
    (
        ("--chunk-separator",),
        {"metavar": "TEXT", "help": "Text between document and chunk in ids, such as '#' in guide.md#3."},
    ),
    (
        ("--tokens",),
        {
            "metavar": "FILE",
            "help": "Token counts of chunks, for @2000tok; `words` counts the words of texts in a question file.",
        },
    ),
    (
        ("--crossing",),
        {
            "type": click.Choice(["out", "in"]),
            "help": "Exclude or include the document that exceeds the token budget. [default: out]",
        },
    ),
    (("--exclude-self",), {"is_flag": True, "help": "Exclude the document with the same id as the query."}),
    (
        ("--overlap",),
        {"metavar": "RULE", "help": "When a chunk covers a span: any, gold>=0.5, chunk>=0.5, iou>=0.5. [default: any]"},
    ),
)
_FIELDS = {
    "question": "the question or its id",
    "retrieved": "the retrieved documents",
    "relevant": "the relevant documents",
}


def chunk_options(command: F) -> F:
    """Declare the preparation of chunks before they are evaluated."""
    for names, settings in reversed(_CHUNK_OPTIONS):
        command = option(*names, group="Input", **settings)(command)
    return command


def field_options(command: F) -> F:
    """Declare the fields of a question file."""
    for name, text in reversed(_FIELDS.items()):
        command = option(f"--{name}", metavar="FIELD", group="Input", help=f"Field of {text} in a question file.")(
            command
        )
    return command


def preparation(options: dict[str, Any]) -> dict[str, Any]:
    """The chosen options, as arguments of `evaluate`."""
    chosen = {name: options[name] for name in _NAMES if options.get(name) is not None}
    separator = options.get("chunk_separator")
    if separator is not None:
        if not separator or any(c.isalnum() for c in separator):
            raise click.UsageError("--chunk-separator must be text without letters and digits, such as '#'.")
        chosen["documents"] = separator
        if not (options.get("roll_up") or options.get("exclude_self")):
            raise click.UsageError("--chunk-separator needs --roll-up first (or max, sum).")
    return {**chosen, "exclude_self": True} if options.get("exclude_self") else chosen
