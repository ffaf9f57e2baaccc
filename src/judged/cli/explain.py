"""`judged explain`: show the arithmetic of one query."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import check_stdin, chosen_policy, level_option, policy_options
from judged.cli.options.output import emit, output_options
from judged.cli.options.rag import chunk_options, field_options

__all__ = ["command"]


@click.command("explain", cls=Command)
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@option("--query", metavar="ID", group="Input", help="Query to explain. [default: one with a typical value]")
@option("--all-ranks", is_flag=True, group="Output", help="Show the measures at every cutoff instead: 'P R F1'.")
@option("--rows", type=click.IntRange(1), metavar="N", group="Output", help="Number of ranks to show.")
@level_option
@output_options()
@policy_options
@chunk_options
@field_options
def command(measure: str, qrels: str, run: str | None, query: str | None, **options: Any) -> None:
    """Show how MEASURE gets its value for one query: rank by rank, with the numbers that the measure uses.

    \b
    judged explain AP qrels.txt bm25.run --query q01
    judged explain nDCG@10 qrels.txt bm25.run
    judged explain 'P R F1 nDCG' qrels.txt bm25.run --query q01 --all-ranks
    judged explain nDCG@10 rag.jsonl --query q01
    """
    from judged.evaluation.explain.explain import explain, values_by_cutoff
    from judged.evaluation.explain.result import Explanations
    from judged.evaluation.options import with_level
    from judged.io.read import is_partitioned, read_qrels, read_run
    from judged.measures.grammar import parse_all

    check_stdin(qrels, *([run] if run else []))
    policy, judgments = chosen_policy(options), read_qrels(qrels) if run else qrels
    ranking = run if run is None or is_partitioned(run) else read_run(run, labels=judgments)
    measures = [with_level(m, options["level"]) for m in parse_all(measure)]
    if options["all_ranks"]:
        emit(values_by_cutoff(measures, judgments, ranking, query, rows=options["rows"], **policy), options)
        return
    explained = (explain(m, judgments, ranking, query, rows=options["rows"], **policy) for m in measures)
    emit(Explanations(tuple(explained)), options)
