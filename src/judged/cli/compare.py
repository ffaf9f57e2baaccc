"""`judged compare`: test which run is better."""

from __future__ import annotations

from typing import Any, get_args

import click

from judged.cli.options.command import Command, option
from judged.cli.options.derive import CHUNKS, COMPARISON, EVALUATION, QUESTIONS, options
from judged.cli.options.files import (
    chosen_format,
    emit,
    output_options,
    show_warnings,
    split_files,
)
from judged.comparison.tables import TableName

_MORE = "tag order duplicates rejudged weights clusters model engine"


@click.command("compare", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@options("compare", f"{EVALUATION} {COMPARISON} {QUESTIONS} {CHUNKS} {_MORE}")
@option("--where", type=click.IntRange(1), metavar="N", group="Output", help="Add the N queries that changed most.")
@option("--table", type=click.Choice(get_args(TableName)), group="Output", help="Show only this table. [default: all]")
@output_options()
def command(qrels: str, runs: tuple[str, ...], settings: dict[str, Any], **shown: Any) -> None:
    """Evaluate two or more RUNS with the judgments in QRELS, and compare all pairs, or each run with a baseline.

    For each measure, the output has the difference of means with its interval, the queries won and lost, the p-value before and after correction, the effect size, and a
    verdict: better, worse, equal or no clear difference. Use NAME=FILE to name a run. Question files contain their judgments and need no QRELS.

    \b
    judged compare qrels.txt bm25.run dense.run
    judged compare qrels.txt *.run -m nDCG@10 AP --baseline bm25.run --margin 0.01
    judged compare qrels.txt a.run b.run --slices queries.csv --by category
    judged compare bm25.jsonl embed.jsonl -m R@5
    judged compare qrels.txt *.run --format latex --table systems -o table.tex
    """
    from judged.comparison.compare import compare

    found = compare(*split_files(qrels, runs, settings), **settings)
    if shown["table"] and chosen_format(shown) == "json":  # the rows of the table, without place for warnings
        show_warnings(found.warnings)
    emit(found.report(table=shown["table"], where=shown["where"] or 0), shown, found.warnings)
