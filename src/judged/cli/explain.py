"""`judged explain`: show the arithmetic of one query."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.derive import COLUMNS, POLICIES, options
from judged.cli.options.files import emit, evaluate_files, output_options


@click.command("explain", cls=Command)
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@option("--query", metavar="ID", group="Input", help="Query to explain. [default: one with a typical value]")
@options("evaluate", f"level {COLUMNS} {POLICIES}")
@output_options()
def command(
    measure: str, qrels: str, run: str | None, query: str | None, settings: dict[str, Any], **shown: Any
) -> None:
    """Show how the value of MEASURE for one query is computed, rank by rank.

    \b
    judged explain AP qrels.txt bm25.run --query q01
    judged explain nDCG@10 qrels.txt bm25.run
    judged explain nDCG@10 rag.jsonl --query q01
    """
    from judged.evaluation.explain import Explanations

    *_, values = evaluate_files(qrels, (run,) if run else (), {"measures": measure, **settings})
    emit(Explanations(tuple(values.explain(m, query) for m in values.measures)), shown)
