"""`judged convert`: convert judgments and runs to another format."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import COLUMNS, QUESTIONS, options


@click.command("convert", cls=Command)
@click.argument("source")
@click.argument("target")
@option(
    "--kind",
    type=click.Choice(["run", "qrels"]),
    group="Input",
    help="Content of SOURCE. [default: from the name of TARGET or SOURCE]",
)
@option(
    "--to",
    metavar="NAME",
    group="Output",
    help="Format of TARGET, such as trec, jsonl, parquet, beir or quepid. [default: from its extension]",
)
@options("judged.io.write:convert", f"{COLUMNS} {QUESTIONS} split tag")
def command(source: str, target: str, kind: str | None, to: str | None, settings: dict[str, Any]) -> None:
    """Convert the judgments or the run in SOURCE to the format of TARGET, given by its extension.

    A question file contains both. Choose one with --kind, or by the name of TARGET.

    \b
    judged convert bm25.run bm25.json
    judged convert test.letor qrels.txt
    judged convert qrels.tsv.gz qrels.parquet --kind qrels
    judged convert rag.jsonl bm25.run
    judged convert responses.jsonl bm25.run
    judged convert qrels.txt ratings.csv --to quepid
    """
    from judged.io.write import convert

    count = convert(source, target, kind=kind, format=to, **settings)
    say(f"{count} rows written to {target}")
