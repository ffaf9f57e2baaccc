"""`judged board`: many runs over several collections."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.output import emit, output_options, show_table

__all__ = ["command"]


@click.command("board", short_help="Rank runs over several collections.")
@click.argument("results", nargs=-1, required=True)
@click.option("-m", "--measure", metavar="NAME", help="One that all results have.  [default: the first]")
@click.option(
    "--by",
    type=click.Choice(["mean_rank", "mean", "borda", "wins"]),
    default="mean_rank",
    show_default=True,
    help="What runs are ranked by.",
)
@click.option("--missing", type=click.Choice(["complete", "worst", "skip"]), default="complete", show_default=True,
              help="A run that a collection lacks: count only collections that all runs have, rank it last, or leave it out.")  # fmt: skip
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Of the rank intervals.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws behind them.")
@output_options("table", "json", "csv", "md", "latex")
def command(results: tuple[str, ...], form: str, output: str | None, places: int, **options: Any) -> None:
    """Rank runs over several collections, from RESULTS that `judged eval --format json -q` or `Values.save` wrote.

    Each result names its run and its collection (the file of its judgments).

    \b
    judged eval cran.qrels bm25.run -m nDCG@10 -q --format json -o cran-bm25.json
    judged board *.json -m nDCG@10 --missing worst
    """
    from judged.comparison.leaderboard import leaderboard
    from judged.evaluation.result.storage import load
    from judged.tables.formats import TABLES

    found = leaderboard([load(path) for path in results], **options)
    if form == "table" and output is None:
        show_table(found.table(places=places))
    elif form == "json":
        emit(found.to_json() + "\n", output)
    else:
        emit(TABLES[form](found.table(places=places)) + "\n", output)
