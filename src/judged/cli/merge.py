"""`judged merge`: merge the judgments of several judges."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import options
from judged.cli.options.files import named_files


@click.command("merge", cls=Command)
@click.argument("sources", nargs=-1, required=True, metavar="QRELS_A QRELS_B [QRELS_C]...")
@options(
    "merge_judgments",
    "query_col doc_col grade_col grade_map judges judge_col rejudged how adjudicator ties missing",
)
@option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    group="Output",
    help="File to write. Its extension sets the format.",
)
def command(sources: tuple[str, ...], output: str, settings: dict[str, Any]) -> None:
    """Merge the judgments of two or more judges into one grade per document.

    \b
    judged merge a.txt b.txt c.txt --how majority --ties lower -o qrels.txt
    judged merge a.txt b.txt --how mean -o qrels.jsonl
    judged merge sheet.csv --judges human,gpt4 --how max -o qrels.txt

    To adjudicate, list the disagreements, fill in the column `relevance`, and merge:

    \b
    judged agree a.txt b.txt --disagreements todo.csv
    judged merge a.txt b.txt --how adjudicate --adjudicator todo.csv -o qrels.txt
    """
    from judged.io.write import write_qrels
    from judged.judging.merge import merge_judgments
    from judged.tables.table import counted

    files = named_files(sources)
    merged = merge_judgments(*([files] if isinstance(files, dict) else files), **settings)
    write_qrels(merged, output)
    say(f"{counted(len(merged.query), 'judgment')} of {counted(len(merged), 'query')} written to {output}")
