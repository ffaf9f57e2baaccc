"""Options for rankings of chunks: which document each is of, how many tokens it has, what is left out."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["chunk_options", "field_options", "preparation"]

_NAMES = ("roll_up", "chunks", "tokens", "crossing", "overlap", "question", "retrieved", "relevant")


def chunk_options(command: Any) -> Any:
    """What is done to chunks before they are evaluated."""
    for option in reversed(
        (
            click.option(
                "--roll-up",
                type=click.Choice(["first", "max", "sum"]),
                help="Rank documents instead of their chunks: by the first chunk, the highest score, or the sum of scores.",
            ),
            click.option(
                "--chunks",
                "--documents",
                "chunks",
                metavar="FILE",
                help="A table of chunks: chunk_id and any of doc_id, start, end, tokens (CSV, JSON Lines, JSON, Parquet).",
            ),
            click.option(
                "--chunk-separator",
                metavar="TEXT",
                help="What stands between document and chunk in the ids, such as '#' in guide.md#3.",
            ),
            click.option(
                "--tokens",
                metavar="FILE",
                help="Token counts of chunks, for @2000tok; `words` counts those of texts that the file of questions holds.",
            ),
            click.option(
                "--crossing",
                type=click.Choice(["out", "in"]),
                help="The document that no longer fits into a budget of tokens.  [default: out]",
            ),
            click.option("--exclude-self", is_flag=True, help="Leave the document out that has the id of the query."),
            click.option(
                "--overlap",
                metavar="RULE",
                help="Which chunks hold a span: any, gold>=0.5, chunk>=0.5, iou>=0.5.  [default: any]",
            ),
        )
    ):
        command = option(command)
    return command


def field_options(command: Any) -> Any:
    """The fields of one file of questions."""
    for name, text in reversed(
        (
            ("question", "the question, or its id"),
            ("retrieved", "what was retrieved"),
            ("relevant", "what is relevant"),
        )
    ):
        command = click.option(f"--{name}", metavar="FIELD", help=f"In a file of questions: the field of {text}.")(
            command
        )
    return command


def preparation(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, as arguments of `evaluate`."""
    found = {name: options[name] for name in _NAMES if options.get(name) is not None}
    separator = options.get("chunk_separator")
    if separator is not None:
        if not separator or any(c.isalnum() for c in separator):
            raise click.UsageError("--chunk-separator is text without letters and digits, such as '#'.")
        found["documents"] = separator
        if not (options.get("roll_up") or options.get("exclude_self")):
            raise click.UsageError("--chunk-separator needs --roll-up first (or max, sum).")
    return {**found, "exclude_self": True} if options.get("exclude_self") else found
