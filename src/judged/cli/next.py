"""`judged next`: list the unjudged documents to judge next."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command
from judged.cli.options.derive import COLUMNS, options
from judged.cli.options.files import output_options, split_files
from judged.cli.pool import save_or_emit


@click.command("next", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@options("judged.judging.next_documents:next_documents", "n")
@options("compare", f"measures level {COLUMNS} profile ties queries")
@output_options()
def command(qrels: str, runs: tuple[str, ...], settings: dict[str, Any], **shown: Any) -> None:
    """List the unjudged documents of RUNs to judge next, and say whether any can change the verdict.

    Only the first measure counts; the default is nDCG@10. Write a .jsonl file for `judged label` and `judged judge`.

    \b
    judged next qrels.txt bm25.run dense.run -n 50
    judged next qrels.txt *.run -m nDCG@10 -o todo.jsonl
    """
    from judged.comparison.compare import compare

    chosen = {name: settings.pop(name) for name in ("n",) if name in settings}
    board = compare(*split_files(qrels, runs), **{"measures": "nDCG@10", **settings})
    save_or_emit(board.next_to_judge(**chosen), shown)
