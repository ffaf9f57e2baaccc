"""`judged pool`: list the top documents of runs, to be judged."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, say
from judged.cli.options.derive import options
from judged.cli.options.files import emit, named_files, output_options


@click.command("pool", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN...", required=True)
@options("pool", "without depth n")
@output_options()
def command(runs: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """List the top documents of RUNs, and the runs that retrieved them, for `judged label` and `judged judge`.

    A .jsonl file keeps everything. The order of the runs does not change the pool.

    \b
    judged pool bm25.run dense.run --depth 20 -o todo.jsonl
    judged pool *.run --depth 50 --without qrels.txt -n 500 -o todo.jsonl
    """
    from judged.judging.pool import pool

    save_or_emit(pool(named_files(runs), **settings), options)


def save_or_emit(todo: Any, options: dict[str, Any]) -> None:
    """Write documents to judge to a file for the next step, or print them; a file ending in .jsonl or .csv decides its own format."""
    output = options["output"]
    if output is not None and options["format"] == "table" and output.endswith((".jsonl", ".csv", ".jsonl.gz")):
        todo.save(output)
        for line in (*todo.headline(), *todo.notes, f"Written to {output}."):
            say(line)
    else:
        emit(todo, options)
