"""`judged conventions`: show one measure under the conventions of every tool."""

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
    single_policy_options,
    split_inputs,
)
from judged.cli.options.output import emit, output_options


@click.command("conventions", cls=Command)
@click.argument("measure")
@click.argument("qrels")
@click.argument("run", required=False)
@option(
    "--to",
    metavar="NUMBER",
    group="Measures",
    help="Published value: find the conventions that give it, at its decimals.",
)
@level_option
@output_options()
@single_policy_options
@input_options
def command(measure: str, qrels: str, run: str | None, to: str | None, **options: Any) -> None:
    """Show the value of MEASURE under the conventions of every tool, which convention causes each difference, and the queries that differ most.

    Policy options apply to every tool.

    \b
    judged conventions nDCG@10 qrels.txt bm25.run
    judged conventions AP@100 qrels.txt bm25.run --to 0.2431
    """
    from judged.evaluation.conventions import conventions
    from judged.evaluation.inputs import open_named

    if is_file(measure) or (run is None and Path(measure).is_file()):
        raise click.UsageError("Missing argument 'MEASURE': name it first, as in: judged conventions nDCG@10 QRELS RUN")
    source, runs = split_inputs(qrels, (run,) if run else (), options, least=0)
    files = named_files(runs[-1:] or (qrels,))
    inputs = open_named(
        source if run else None,
        list(files.items()) if isinstance(files, dict) else [(None, files[0])],
        chosen_policy(options),
    )
    [(_, ranking)] = inputs.runs
    result = conventions(measure, inputs.qrels, ranking, to, level=options["level"], **inputs.options)
    emit(result, options, result.warnings)
