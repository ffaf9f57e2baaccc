"""`judged merge`: merge the judgments of several judges."""

from __future__ import annotations

from typing import Any, get_args

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.judges import judge_options, judge_sources
from judged.stats.agreement.choices import How, MergeTies, Missing


@click.command("merge", cls=Command)
@judge_options
@option(
    "--how",
    type=click.Choice(get_args(How)),
    default="majority",
    show_default=True,
    group="Policies",
    help="How to merge the grades.",
)
@option(
    "--adjudicator",
    metavar="QRELS",
    group="Input",
    help="Judgments that decide where judges disagree, for --how adjudicate.",
)
@option(
    "--ties",
    type=click.Choice(get_args(MergeTies)),
    default="error",
    show_default=True,
    group="Policies",
    help="Grade if the majority is tied.",
)
@option(
    "--missing",
    type=click.Choice(get_args(Missing)),
    default="keep",
    show_default=True,
    group="Policies",
    help="What to do with documents that not all judges judged.",
)
@option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    group="Output",
    help="File of merged judgments; its extension determines the format.",
)
def command(sources: tuple[str, ...], **options: Any) -> None:
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
    from judged.tables.text import counted

    judges, settings = judge_sources(sources, options, options["adjudicator"] or "")
    rules = {name: options[name] for name in ("how", "adjudicator", "ties", "missing")}
    merged = merge_judgments(*judges, **rules, **settings)
    write_qrels(merged, options["output"])
    count = f"{counted(len(merged), 'judgment')} of {counted(len(merged.queries), 'query')}"
    say(f"{count} written to {options['output']}")
