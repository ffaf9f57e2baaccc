"""`judged convert`: judgments and runs from one form into another."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("convert", short_help="Judgments and runs into another form.")
@click.argument("source")
@click.argument("target")
@click.option("--qrels", "kind", flag_value="qrels", help="SOURCE holds judgments.")
@click.option("--run", "kind", flag_value="run", help="SOURCE holds a run.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["trec", "json", "jsonl", "csv", "tsv", "parquet"]),
    help="The form of TARGET, whatever its ending says.",
)
def command(source: str, target: str, kind: str | None, form: str | None) -> None:
    """Write the judgments or the run in SOURCE to TARGET, in the form its ending says.

    \b
    judged convert bm25.run bm25.json
    judged convert test.letor qrels.txt
    judged convert qrels.tsv.gz qrels.parquet --qrels
    """
    from judged.io.write import convert

    count = convert(source, target, kind=kind, format=form)
    click.echo(f"{count} rows written to {target}", err=True)
