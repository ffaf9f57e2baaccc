"""`judged explain`: the arithmetic of one query."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.output import chosen_policy, policy_options, show_table
from judged.cli.options.rag import chunk_options, field_options

__all__ = ["command"]


@click.command("explain", short_help="The arithmetic of one query.")
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@click.option("--query", required=True, metavar="ID", help="The query to explain.")
@click.option("--all-ranks", is_flag=True, help="The measure at every cutoff instead (several: 'P R F1').")
@click.option("--rows", type=click.IntRange(1), metavar="N", help="How many ranks to show.")
@click.option(
    "-l",
    "--level",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]",
)
@policy_options
@chunk_options
@field_options
def command(
    measure: str,
    qrels: str,
    run: str | None,
    query: str,
    all_ranks: bool,
    rows: int | None,
    level: float | None,
    **options: Any,
) -> None:
    """Show how MEASURE gets its value for one query: rank by rank, in the numbers the measure uses.

    \b
    judged explain AP qrels.txt bm25.run --query q01
    judged explain 'P R F1 nDCG' qrels.txt bm25.run --query q01 --all-ranks
    judged explain nDCG@10 rag.jsonl --query q01
    """
    from judged.evaluation.evaluate import with_level
    from judged.evaluation.explain.explain import at_every_rank, explain
    from judged.io.read import is_partitioned, read_qrels, read_run
    from judged.measures.grammar import parse_all

    policy, judgments = chosen_policy(options), read_qrels(qrels) if run else qrels
    source = judgments, run if run is None or is_partitioned(run) else read_run(run, labels=judgments)
    measures = [with_level(m, level) for m in parse_all(measure)]
    if all_ranks:
        show_table(at_every_rank(measures, *source, query, depth=rows, **policy))
        return
    for i, m in enumerate(measures):
        if i:
            click.echo()
        show_table(explain(m, *source, query, depth=rows, **policy).table())
