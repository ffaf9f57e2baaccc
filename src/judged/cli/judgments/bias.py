"""`judged bias`: check whether a pool is fair to runs that did not contribute to it."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import TableReader, check_stdin, column_options, level_option, named_files
from judged.cli.options.output import emit, output_options


@click.command("bias", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN RUN...", required=True)
@option(
    "-m",
    "--measure",
    default="nDCG@10",
    show_default=True,
    metavar="NAME",
    group="Measures",
    help="Measure of the runs.",
)
@level_option
@option(
    "--depth",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    group="Policies",
    help="Depth of the pool: the number of documents that each run contributed per query.",
)
@column_options("query", "doc", "score", "grade", "rank")
@output_options()
def command(qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Check the pool of QRELS: the value and the rank of each RUN without the judgments that only it contributed.

    A run that loses much would have been treated unfairly as a newcomer, and so may the next one.

    \b
    judged bias qrels.txt *.run --depth 20
    judged bias qrels.txt bm25.run dense.run -m AP --format csv
    """
    from judged.judging.pool_bias import pool_bias

    files = named_files(runs)
    check_stdin(qrels, *(files.values() if isinstance(files, dict) else files))
    read = TableReader(options)
    sources = (
        {name: read.run(file) for name, file in files.items()}
        if isinstance(files, dict)
        else [read.run(file) for file in files]
    )
    judgments = read.qrels(qrels)
    read.check_used()
    found = pool_bias(judgments, sources, options["measure"], depth=options["depth"], level=options["level"])
    emit(found, options)
