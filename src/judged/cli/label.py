"""`judged label`: write a page on which people judge documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option, say


@click.command("label", cls=Command)
@click.argument("todo")
@option(
    "--doc-texts",
    required=True,
    metavar="FILE",
    group="Input",
    help="Texts of documents: JSON Lines, TSV, CSV, Parquet or a BEIR folder.",
)
@option("--query-texts", metavar="FILE", group="Input", help="Texts of queries. [default: the ids are the texts]")
@option("--skip-missing", is_flag=True, group="Input", help="Leave out documents and queries without a text.")
@option(
    "--scale",
    default="graded",
    show_default=True,
    metavar="NAME|FILE",
    group="Input",
    help="Grades: graded (0 to 3), binary, or a JSON file of {number: name} or {number: [name, description]}.",
)
@option(
    "--judges",
    metavar="NAME,NAME|N",
    group="Policies",
    help="Names of the judges, or their number. [default: the page asks for a name]",
)
@option(
    "--overlap",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    group="Policies",
    help="Share of documents that every judge judges.",
)
@option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    group="Policies",
    help="Random seed of the assignment and the order.",
)
@option("--title", metavar="TEXT", group="Output", help="Title of the page. [default: the number of documents]")
@option(
    "--length",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    metavar="N",
    group="Output",
    help="Maximum number of characters of a document text.",
)
@option("-o", "--output", metavar="FILE", default="label.html", show_default=True, group="Output", help="Output file.")
def command(todo: str, **options: Any) -> None:
    """Write an HTML page on which people judge the documents of TODO.

    The file is self-contained: open it in a browser, or send it to the judges. Judgments are kept in the browser and exported as JSON Lines, which
    `judged agree`, `judged merge` and every command read as judgments.

    \b
    judged label todo.jsonl --doc-texts docs.jsonl --query-texts queries.jsonl
    judged label todo.jsonl --doc-texts docs.jsonl --judges ann,bob --overlap 0.25
    judged agree ann.jsonl bob.jsonl
    judged merge ann.jsonl bob.jsonl --ties lower -o qrels.txt
    """
    from judged.page.label_page import write_label_page

    words = options["judges"]
    judges = None if words is None else int(words) if words.isdecimal() else [name.strip() for name in words.split(",")]
    chosen = {
        name: options[name] for name in ("doc_texts", "query_texts", "scale", "overlap", "seed", "title", "length")
    }
    output = options["output"]
    missing = "skip" if options["skip_missing"] else "error"
    lines = write_label_page(todo, output, judges=judges, missing=missing, **chosen)
    size = Path(output).stat().st_size if Path(output).is_file() else 0
    for line in (*lines, f"{output} ({size / 1e6:.1f} MB)"):
        say(line)
