"""`judged conventions`: show one measure under the conventions of every tool."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.derive import options
from judged.cli.options.files import emit, output_options, unnamed


@click.command("conventions", cls=Command)
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@options("conventions", "to level ties")
@output_options()
def command(measure: str, qrels: str, run: str | None, settings: dict[str, Any], **shown: Any) -> None:
    """Show the value of MEASURE under the conventions of every tool, and which convention causes each difference.

    Policy options apply to every tool.

    \b
    judged conventions nDCG@10 qrels.txt bm25.run
    judged conventions AP@100 qrels.txt bm25.run --to 0.2431
    """
    from judged.evaluation.conventions import conventions

    result = conventions(measure, unnamed(qrels), run and unnamed(run), **settings)
    emit(result, shown, result.warnings)
