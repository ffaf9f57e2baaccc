"""`judged board`: rank runs over several collections."""

from __future__ import annotations

from typing import Any, get_args

import click

from judged.cli.options.command import Command, option
from judged.cli.options.output import emit, output_options
from judged.stats.multiple.leaderboard import By, Missing
from judged.stats.multiple.rank_sets import Over


@click.command("board", cls=Command)
@click.argument("results", nargs=-1, required=True)
@option(
    "-m",
    "--measure",
    metavar="NAME",
    group="Measures",
    help="Measure to rank by, which all results must have. [default: the first]",
)
@option(
    "--by",
    type=click.Choice(get_args(By)),
    default="mean_rank",
    show_default=True,
    group="Statistics",
    help="Criterion to rank runs by.",
)
@option(
    "--missing",
    type=click.Choice(get_args(Missing)),
    default="complete",
    show_default=True,
    group="Statistics",
    help="If a collection lacks a run: use only collections with all runs, rank it last, or exclude it.",
)
@option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    group="Statistics",
    help="Confidence level of the sets of ranks.",
)
@option(
    "--over",
    type=click.Choice(get_args(Over)),
    default="queries",
    show_default=True,
    group="Statistics",
    help="What varies: queries of these collections, or collections, of which these are a sample.",
)
@output_options()
def command(results: tuple[str, ...], **options: Any) -> None:
    """Rank runs over several collections, from RESULTS written by `judged eval --format json -q` or `Values.save`.

    Each result names its run and its collection (the file of its judgments).

    \b
    judged eval cran.qrels bm25.run -m nDCG@10 -q --format json -o cran-bm25.json
    judged board *.json -m nDCG@10 --missing worst
    """
    from judged.comparison.leaderboard import leaderboard
    from judged.evaluation.values import load

    settings = {name: options[name] for name in ("measure", "by", "missing", "confidence", "over")}
    emit(leaderboard([load(path) for path in results], **settings), options)
