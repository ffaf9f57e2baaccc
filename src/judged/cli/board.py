"""`judged board`: rank runs over several collections."""

from __future__ import annotations

from typing import Any, get_args

import click

from judged.cli.options.command import Command, option
from judged.cli.options.output import emit, output_options
from judged.stats.multiple.leaderboard import By, Missing


@click.command("board", cls=Command)
@click.argument("results", nargs=-1, required=True)
@option("-m", "--measure", metavar="NAME", group="Measures", help="Measure that all results have. [default: the first]")
@option("--by", type=click.Choice(get_args(By)), default="mean_rank", show_default=True, group="Statistics", help="Rank runs by this.")  # fmt: skip
@option("--missing", type=click.Choice(get_args(Missing)), default="complete", show_default=True, group="Statistics",
        help="Run that a collection lacks: count only collections that have all runs, rank it last, or leave it out.")  # fmt: skip
@option("--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True, group="Statistics",
        help="Confidence level of the rank intervals.")  # fmt: skip
@option("--seed", type=click.IntRange(0), default=0, show_default=True, group="Statistics", help="Random seed.")
@option("--allow-edited", is_flag=True, group="Policies", help="Accept results that do not match their checksum.")
@output_options()
def command(results: tuple[str, ...], **options: Any) -> None:
    """Rank runs over several collections, from RESULTS that `judged eval --format json -q` or `Values.save` wrote.

    Each result names its run and its collection (the file of its judgments).

    \b
    judged eval cran.qrels bm25.run -m nDCG@10 -q --format json -o cran-bm25.json
    judged board *.json -m nDCG@10 --missing worst
    """
    from judged.comparison.leaderboard import leaderboard
    from judged.evaluation.result.load import load

    settings = {name: options[name] for name in ("measure", "by", "missing", "confidence", "seed")}
    emit(leaderboard([load(path, allow_edited=options["allow_edited"]) for path in results], **settings), options)
