"""`judged agree`: measure the agreement of judges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import NumberList, options
from judged.cli.options.files import emit, named_files, output_options, write_text


@click.command("agree", cls=Command)
@click.argument("sources", nargs=-1, required=True, metavar="QRELS_A QRELS_B [QRELS_C]...")
@options("agree", "query_col doc_col grade_col grade_map judges judge_col rejudged measure weights")
@option(
    "-l",
    "--level",
    type=NumberList("2 or human=2,llm=1"),
    metavar="GRADE",
    group="Measures",
    help="Lowest relevant grade, to make grades binary; NAME=GRADE,... for each judge.",
)
@option(
    "-r",
    "--run",
    "runs",
    multiple=True,
    metavar="RUN...",
    group="Input",
    help="Runs to rank by the judgments of each judge. Name them after the judgments.",
)
@option("-q", "--per-query", is_flag=True, group="Output", help="List all queries, lowest agreement first.")
@option(
    "-d",
    "--disagreements",
    metavar="FILE",
    group="Output",
    help="Write the disagreements for an adjudicator as CSV, or print only these (-).",
)
@output_options()
def command(sources: tuple[str, ...], settings: dict[str, Any], **options: Any) -> None:
    """Measure the agreement of two or more judges by kappa and related coefficients, with confidence intervals.

    Each QRELS file has the judgments of one judge. Use NAME=FILE to name the judge. One table can also hold the judgments of all judges.

    \b
    judged agree qrels.a.txt qrels.b.txt
    judged agree human=nist.txt llm=llm.txt --level human=2,llm=1
    judged agree nist.txt llm.txt --level 2 --per-query
    judged agree nist.txt llm.txt --run bm25.run dense.run -m AP
    judged agree sheet.csv --judges human,gpt4
    judged agree rows.csv --judge-col annotator
    judged agree a.txt b.txt --disagreements todo.csv

    `judged merge` merges the judgments into one file.
    """
    from judged.judging.agreement import agree
    from judged.tables.formats.csv import csv_text
    from judged.tables.table import counted

    files, target = named_files(sources), options["disagreements"]
    if target is not None and Path(target).suffix.lower() not in ("", ".csv"):
        raise click.BadParameter(f"{target!r} does not end in .csv.", param_hint="--disagreements")
    judges = [files] if isinstance(files, dict) else files
    agreement = agree(*judges, runs=named_files(options["runs"]) or None, level=options["level"], **settings)
    if target is not None:
        table = agreement.adjudication_list()
        write_text(csv_text(table.records(), exact=("query_id", "doc_id")), None if target == "-" else target)
        say(
            f"{counted(len(table), 'document')} to adjudicate: fill in the column relevance, then use judged merge --how adjudicate"
        )
    if target != "-":
        emit(replace(agreement, all_queries=options["per_query"]), options, agreement.warnings)
