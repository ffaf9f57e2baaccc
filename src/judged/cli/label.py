"""`judged label`: write a page on which people judge documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import options


@click.command("label", cls=Command)
@click.argument("todo")
@options("label", "doc_texts query_texts missing scale judges overlap")
@option("-o", "--output", metavar="FILE", default="label.html", show_default=True, group="Output", help="Output file.")
def command(todo: str, output: str, settings: dict[str, Any]) -> None:
    """Write an HTML page on which people judge the documents of TODO.

    The file is self-contained: open it in a browser, or send it to the judges. The browser keeps the judgments and exports them as JSON Lines,
    which `judged agree`, `judged merge` and every other command read.

    \b
    judged label todo.jsonl --doc-texts docs.jsonl --query-texts queries.jsonl
    judged label todo.jsonl --doc-texts docs.jsonl --judges ann,bob --overlap 0.25
    judged agree ann.jsonl bob.jsonl
    judged merge ann.jsonl bob.jsonl --ties lower -o qrels.txt
    """
    from judged.page.label_page import label

    lines = label(todo, output, **settings)
    size = Path(output).stat().st_size if Path(output).is_file() else 0
    for line in (*lines, f"{output} ({size / 1e6:.1f} MB)"):
        say(line)
