"""`judged compare`: which run is better, by how much, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.comparison import comparison_asked, comparison_options
from judged.cli.options.engine import open_engine, engine_options
from judged.cli.options.output import Measures, emit, named_files, output_options, policy_options, show_table
from judged.cli.options.rag import chunk_options

__all__ = ["command"]


@click.command("compare", short_help="Which run is better, and how sure that is.", cls=Measures)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@comparison_options
@click.option("--overall", is_flag=True, help="Also Friedman's test and the two-way ANOVA of all runs.")
@click.option(
    "--jointly",
    type=click.Choice(["randomised-tukey", "tukey", "nemenyi"]),
    help="Also every pair by a test of all runs at once.",
)
@click.option(
    "--where",
    type=click.IntRange(1),
    metavar="N",
    help="Also the N queries that changed most, with the judged documents that moved.",
)
@output_options("table", "json", "csv", "md", "latex")
@policy_options
@engine_options
@chunk_options
def command(qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Compare two or more RUNS by the judgments in QRELS: every pair, or each against a baseline.

    For each measure: the difference of means with its interval, queries won and lost, p-value and corrected p-value,
    effect size, and a verdict: better, worse, equal, cannot tell.

    \b
    judged compare qrels.txt bm25.run dense.run
    judged compare qrels.txt *.run -m nDCG@10 AP --baseline bm25.run --margin 0.01
    judged compare qrels.txt a.run b.run --slices queries.csv --by category --where 5
    judged compare qrels.txt *.run --overall --jointly randomised-tukey
    """
    from judged.comparison.compare import compare
    from judged.comparison.formats import render_comparison
    from judged.comparison.tables import change_table, tables

    for name in ("where", "overall", "jointly"):
        if options[name] and (options["form"] != "table" or options["output"]):
            raise click.UsageError(f"--{name} shows a table in the terminal only; in Python a comparison has the same.")
    with open_engine(options) as (engine, opened):
        found = compare(qrels, opened(named_files(runs)), **engine, **comparison_asked(runs, options))
    places = options["places"]
    if options["form"] != "table" or options["output"]:
        if options["form"] in ("csv", "latex"):
            for warning in found.warnings:
                click.echo(f"warning: {warning}", err=True)
        emit(render_comparison(found, options["form"], places=places), options["output"])
        return
    for i, table in enumerate(tables(found, places=places)):
        if i:
            click.echo()
        show_table(table)
    for more in ([found.overall()] if options["overall"] else []) + (
        [found.jointly(options["jointly"])] if options["jointly"] else []
    ):
        click.echo()
        show_table(more)
    for row in found.rows if options["where"] else ():
        click.echo()
        changes = found.where(row.measure, row.a, row.b, n=options["where"])
        show_table(change_table(changes, row.a, row.b, measure=row.measure, places=places))
