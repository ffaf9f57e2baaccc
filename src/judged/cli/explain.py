"""`judged explain`: show the arithmetic of one query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, is_file, option
from judged.cli.options.inputs import (
    chosen_policy,
    input_options,
    level_option,
    named_files,
    policy_options,
    split_inputs,
)
from judged.cli.options.output import emit, output_options
from judged.cli.options.rag import chunk_options


@click.command("explain", cls=Command)
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@option("--query", metavar="ID", group="Input", help="Query to explain. [default: one with a typical value]")
@option(
    "--all-ranks",
    is_flag=True,
    group="Output",
    help="Show the values of several measures, such as 'P R F1', at every cutoff.",
)
@option("--rows", type=click.IntRange(1), metavar="N", group="Output", help="Number of ranks to show.")
@level_option
@output_options()
@policy_options
@chunk_options
@input_options
def command(measure: str, qrels: str, run: str | None, query: str | None, **options: Any) -> None:
    """Show how the value of MEASURE for one query is computed, rank by rank.

    \b
    judged explain AP qrels.txt bm25.run --query q01
    judged explain nDCG@10 qrels.txt bm25.run
    judged explain 'P R F1 nDCG' qrels.txt bm25.run --query q01 --all-ranks
    judged explain nDCG@10 rag.jsonl --query q01
    """
    from judged.evaluation.explain import Explanations, explain, values_by_cutoff
    from judged.evaluation.inputs import open_named
    from judged.evaluation.options import with_level
    from judged.measures.grammar import parse_all

    if is_file(measure) or (run is None and Path(measure).is_file()):
        raise click.UsageError("Missing argument 'MEASURE': name it first, as in: judged explain nDCG@10 QRELS RUN")
    source, runs = split_inputs(qrels, (run,) if run else (), options, least=0)
    files = named_files(runs[-1:] or (qrels,))
    inputs = open_named(
        source if run else None,
        list(files.items()) if isinstance(files, dict) else [(None, files[0])],
        chosen_policy(options),
    )
    judgments, policy, [(_, ranking)] = inputs.qrels, inputs.options, inputs.runs
    measures = [with_level(m, options["level"]) for m in parse_all(measure)]
    if options["all_ranks"]:
        emit(values_by_cutoff(measures, judgments, ranking, query, rows=options["rows"], **policy), options)
        return
    explained = (explain(m, judgments, ranking, query, rows=options["rows"], **policy) for m in measures)
    emit(Explanations(tuple(explained)), options)
