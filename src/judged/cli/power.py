"""`judged power`: estimate the smallest detectable difference."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.derive import COLUMNS, options
from judged.cli.options.files import emit, output_options, split_files


@click.command("power", cls=Command)
@click.argument("qrels")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN", required=False)
@options("power", f"measures level {COLUMNS} profile ties queries difference power alpha")
@output_options()
def command(qrels: str, first: str, second: str | None, settings: dict[str, Any], **shown: Any) -> None:
    """Estimate the smallest difference that a comparison of two RUNs can detect, and the number of queries needed for a given one.

    Power depends on how much differences vary from query to query, not on their mean. Use NAME=FILE to name a run, and - for standard
    input. Two question files contain their judgments and need no QRELS.
    The default measure is nDCG@10.

    \b
    judged power qrels.txt bm25.run dense.run
    judged power qrels.txt bm25.run dense.run -m nDCG@10 AP --difference 0.01
    judged power qrels.txt bm25.run dense.run --power 0.9
    """
    from judged.comparison.power import power

    judgments, files = split_files(qrels, (first, second) if second else (first,))
    if files is None:  # question files with names
        judgments, files = None, judgments
    runs = [{name: file} for name, file in files.items()] if isinstance(files, dict) else files
    result = power(judgments, *runs, **settings)
    emit(result, shown, result.warnings)
