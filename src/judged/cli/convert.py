"""`judged convert`: convert judgments and runs to another format."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import chosen_columns, input_options
from judged.cli.options.rag import preparation

# Of the registries, which this command does not import; a test compares them.
FORMATS = (
    "trec",
    "json",
    "jsonl",
    "csv",
    "tsv",
    "parquet",
    "rank-eval",
    "judgment-ratings",
    "rre",
    "quepid",
    "beir",
    "mteb",
)


@click.command("convert", cls=Command)
@click.argument("source")
@click.argument("target")
@option(
    "--kind",
    type=click.Choice(["run", "qrels"]),
    group="Input",
    help="Content of SOURCE. [default: from TARGET or the content]",
)
@option("--qrels", "kind", flag_value="qrels", group="Input", help="SOURCE contains judgments.")
@option("--run", "kind", flag_value="run", group="Input", help="SOURCE contains a run.")
@option(
    "--to",
    "--format",
    "format",
    type=click.Choice(FORMATS),
    metavar="NAME",
    group="Output",
    help=f"Format of TARGET: {', '.join(FORMATS)}. [default: from its extension]",
)
@input_options
def command(source: str, target: str, kind: str | None, format: str | None, **options: Any) -> None:
    """Convert the judgments or the run in SOURCE to the format of TARGET, given by its extension.

    A question file contains both: --qrels or --run, or the name of TARGET, selects one.

    \b
    judged convert bm25.run bm25.json
    judged convert test.letor qrels.txt
    judged convert qrels.tsv.gz qrels.parquet --qrels
    judged convert rag.jsonl bm25.run
    judged convert responses.jsonl bm25.run
    judged convert qrels.txt ratings.json --to rre
    """
    from judged.io.write import convert

    columns = chosen_columns(options) | preparation(options)
    count = convert(source, target, kind=kind, format=format, **columns)
    say(f"{count} rows written to {target}")
