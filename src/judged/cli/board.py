"""`judged board`: rank runs over several collections."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.derive import options
from judged.cli.options.files import emit, output_options


@click.command("board", cls=Command)
@click.argument("results", nargs=-1, required=True)
@options("leaderboard", "measure by missing")
@output_options()
def command(results: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """Rank runs over several collections, from RESULTS written by `judged eval --format json -q` or `Values.save`.

    Each result names its run and its collection (the file of its judgments).

    \b
    judged eval cran.qrels bm25.run -m nDCG@10 -q --format json -o cran-bm25.json
    judged board *.json -m nDCG@10 --missing worst
    """
    from judged.comparison.leaderboard import leaderboard
    from judged.evaluation.values import load

    emit(leaderboard([load(path) for path in results], **settings), options)
