"""`judged compare`: which run is better, by how much, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from judged.cli._output import Measures, chosen_policy, emit, named_files, output_options, policy_options, show_table

__all__ = ["command"]


@click.command("compare", short_help="Which run is better, and how sure that is.", cls=Measures)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    help="Measures, such as nDCG@10 AP; `judged measures` lists them.",
)
@click.option(
    "-b",
    "--baseline",
    metavar="RUN",
    help="Hold the others against this run only: its name, as the table shows it, or its file.",
)
@click.option(
    "--test",
    default="permutation",
    show_default=True,
    metavar="NAME",
    help="permutation, t, wilcoxon, sign or bootstrap.",
)
@click.option(
    "--correction",
    default="holm",
    show_default=True,
    metavar="NAME",
    help="Of p-values over the pairs of a measure: holm, max, bonferroni, bh, by, none …",
)
@click.option(
    "--interval",
    type=click.Choice(["percentile", "bca", "t"]),
    default="percentile",
    show_default=True,
    help="Of the difference of means.",
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="The chance of a false finding that is accepted."
)
@click.option(
    "--margin",
    type=float,
    default=0.0,
    show_default=True,
    help="Differences within it do not matter: such runs are equal.",
)
@click.option("--slices", metavar="FILE", help="A table of queries (CSV, JSON Lines, Parquet), for --by.")
@click.option(
    "--by",
    metavar="COLUMN",
    help="Compare each group of queries too: a column of --slices; or `relevant`, the number of relevant documents.",
)
@click.option(
    "--min-queries",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Slices of fewer are shown, not tested.",
)
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="A column of --slices: queries that belong together (users, topics) are drawn as wholes.",
)
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
@click.option("--resamples", type=click.IntRange(1), metavar="N", help="Of the permutation and bootstrap tests.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything that is drawn.")
@click.option(
    "-l", "--level", type=float, metavar="GRADE", help="The lowest grade that counts as relevant.  [default: 1]"
)
@output_options("table", "json", "csv", "md", "latex")
@policy_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Compare two or more RUNS by the judgments in QRELS: every pair, or each against a baseline.

    For each measure: the difference of means with its interval, queries won and lost, p-value and corrected p-value,
    effect size, and a verdict: better, worse, equal, cannot tell.

    \b
    judged compare qrels.txt bm25.run dense.run
    judged compare qrels.txt *.run -m nDCG@10 AP --baseline bm25.run --margin 0.01
    judged compare qrels.txt a.run b.run --slices queries.csv --by category --where 5
    judged compare qrels.txt *.run --overall --jointly randomised-tukey
    """
    from judged.engine import DEFAULT, compare
    from judged.engine.comparison_table import change_table, tables
    from judged.render.comparison import render_comparison
    from judged.sources import read_attribute

    columns = [options[name] for name in ("by", "clusters") if options[name] not in (None, "relevant")]
    if (options["slices"] is None) == bool(columns):
        raise click.UsageError("--slices FILE goes together with --by COLUMN or --clusters COLUMN.")
    slices = (options["slices"], options["by"]) if options["by"] in columns else options["by"]
    for name in ("where", "overall", "jointly"):
        if options[name] and (options["form"] != "table" or options["output"]):
            raise click.UsageError(f"--{name} shows a table in the terminal only; in Python a comparison has the same.")
    baseline: Any = options["baseline"]
    if baseline in runs:
        baseline = runs.index(baseline)
    asked = {
        name: options[name]
        for name in ("test", "correction", "interval", "alpha", "margin", "min_queries", "resamples", "seed", "level")
    }
    if options["clusters"]:
        asked["clusters"] = read_attribute(options["slices"], options["clusters"])
    found = compare(
        qrels,
        named_files(runs),
        list(measures) or DEFAULT,
        baseline=baseline,
        slices=slices,
        **asked,
        **chosen_policy(options),
    )
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
