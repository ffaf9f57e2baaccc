"""`judged pool`: list the documents at the top of runs that should be judged."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import TableReader, check_stdin, column_options, named_files
from judged.cli.options.output import emit, output_options


def _strata(ctx: click.Context, parameter: click.Parameter, word: str | None) -> dict[int, float] | None:
    """Read `RANK=SHARE,RANK=SHARE`."""
    if word is None:
        return None
    try:
        return {int(rank): float(share) for rank, _, share in (pair.partition("=") for pair in word.split(","))}
    except ValueError:
        raise click.BadParameter(f"{word!r} is not a list such as 10=1,100=0.1.", ctx, parameter) from None


@click.command("pool", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...", required=True)
@option("--without", metavar="QRELS", group="Input", help="Judgments; documents that are already judged are left out.")
@column_options("query", "doc", "score", "grade", "rank")
@option(
    "--depth",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    group="Policies",
    help="Number of documents that each run contributes per query.",
)
@option("-n", "n", type=click.IntRange(1), metavar="N", group="Policies", help="Budget: maximum number of documents.")
@option(
    "--sample",
    metavar="RANK=SHARE,...",
    callback=_strata,
    group="Policies",
    help="Sample strata of ranks: 10=1,100=0.1 takes all documents at ranks up to 10, and a tenth of those at 11 to 100.",
)
@option(
    "--ties",
    type=click.Choice(["id-desc", "id-asc", "input"]),
    default="id-desc",
    show_default=True,
    group="Policies",
    help="Order of documents with equal scores.",
)
@option("--seed", type=click.IntRange(0), default=0, show_default=True, group="Statistics", help="Random seed.")
@output_options(places=False)
def command(runs: tuple[str, ...], **options: Any) -> None:
    """List the documents at the top of RUNs, with the runs that retrieved each, for `judged label` and `judged judge`.

    A file that ends in .jsonl keeps everything, the probabilities of a sample too. The same runs give the same pool in any order.

    \b
    judged pool bm25.run dense.run --depth 20 -o todo.jsonl
    judged pool *.run --depth 50 --without qrels.txt -n 500 -o todo.jsonl
    judged pool *.run --depth 100 --sample 10=1,100=0.1 -o todo.jsonl
    """
    from judged.judging.pool import pool

    files = named_files(runs)
    check_stdin(*(files.values() if isinstance(files, dict) else files))
    read = TableReader(options)
    sources = (
        {name: read.run(file) for name, file in files.items()}
        if isinstance(files, dict)
        else [read.run(file) for file in files]
    )
    judged = None if options["without"] is None else read.qrels(options["without"])
    read.check_used()
    rules = {name: options[name] for name in ("depth", "n", "sample", "seed", "ties")}
    todo = pool(sources, without=judged, **rules)
    save_or_emit(todo, options)


def save_or_emit(todo: Any, options: dict[str, Any]) -> None:
    """Write documents to judge to a file for the next step, or print them; a file ending in .jsonl or .csv decides its own format."""
    output = options["output"]
    if output is not None and options["format"] == "table" and output.endswith((".jsonl", ".csv", ".jsonl.gz")):
        todo.save(output)
        for line in (*todo.headline(), *todo.notes, f"Written to {output}."):
            say(line)
    else:
        emit(todo, options)
