"""`judged convert`: convert judgments and runs to another format."""

from __future__ import annotations

import click

from judged.cli.options.command import Command, option

__all__ = ["command"]


@click.command("convert", cls=Command)
@click.argument("source")
@click.argument("target")
@option("--qrels", "kind", flag_value="qrels", group="Input", help="SOURCE contains judgments.")
@option("--run", "kind", flag_value="run", group="Input", help="SOURCE contains a run.")
@option("--format", type=click.Choice(["trec", "json", "jsonl", "csv", "tsv", "parquet"]), group="Output",
        help="Format of TARGET. [default: by its extension]")  # fmt: skip
def command(source: str, target: str, kind: str | None, format: str | None) -> None:
    """Write the judgments or the run in SOURCE to TARGET; its extension decides the format.

    \b
    judged convert bm25.run bm25.json
    judged convert test.letor qrels.txt
    judged convert qrels.tsv.gz qrels.parquet --qrels
    """
    from judged.io.write import convert

    count = convert(source, target, kind=kind, format=format)
    click.echo(f"{count} rows written to {target}", err=True)
