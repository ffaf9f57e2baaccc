"""`judged eval`: evaluate runs."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.engine import engine_asked, engine_options
from judged.cli.options.output import Measures, chosen_policy, emit, output_options, policy_options, show_table
from judged.cli.options.progress import progress
from judged.cli.options.rag import chunk_options, field_options

__all__ = ["command"]


@click.command("eval", short_help="Evaluate runs.", cls=Measures)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@click.option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    help="Measures, such as nDCG@10 AP 'P@{1,5}'; `judged measures` lists them.",
)
@click.option("-q", "--per-query", is_flag=True, help="A value for each query too.")
@click.option("-n", "--no-summary", is_flag=True, help="No means, only values per query.")
@click.option(
    "-l",
    "--level",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]",
)
@output_options("table", "trec", "json", "csv", "md", "latex")
@click.option(
    "--bounds", is_flag=True, help="Also the values if all unjudged documents were irrelevant, or of the top grade."
)
@click.option("--strict", is_flag=True, help="Turn every warning into an error.")
@policy_options
@engine_options
@chunk_options
@field_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Evaluate one or more RUNS against the judgments in QRELS.

    Files may be TREC, JSON, JSON Lines, CSV, Parquet, compressed or not; - is standard input. QRELS may be an SVMlight or LETOR file, and
    RUNS files with a score for each of its lines. One file alone holds questions, what was retrieved and what is relevant, a record a line.
    A directory or a pattern in quotes is one run in parts, looked through in little memory.

    \b
    judged eval qrels.txt bm25.run
    judged eval test.letor scores.txt -m nDCG@10
    judged eval qrels.txt *.run -m nDCG@10 AP 'R@{100,1000}' --format md
    judged eval rag.jsonl -m R@5 nDCG@10 R@2000tok
    judged eval qrels.parquet 'run/*.parquet' -m nDCG@10
    judged eval --engine spark --master spark://host:7077 qrels.parquet s3://bucket/run/
    """
    from judged.evaluation.evaluate import DEFAULT, evaluate
    from judged.evaluation.result.tables import board, per_query
    from judged.io.read import read_qrels
    from judged.tables.formats import render

    if (qrels, *runs).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    judgments: Any = read_qrels(qrels) if runs else qrels
    results = []
    with engine_asked(options) as (engine, opened):
        for name, run in zip(runs or (qrels,), opened(runs) or (None,), strict=True):
            with progress(name) as tell:
                results.append(
                    evaluate(judgments, run, list(measures) or DEFAULT, level=options["level"], bounds=options["bounds"],
                             strict=options["strict"], progress=tell, **engine, **chosen_policy(options))
                )  # fmt: skip
    shown = options["per_query"] or options["no_summary"] or all(m.definition.text for m in results[0].measures)
    summary, places = not options["no_summary"], options["places"]
    if options["form"] in ("trec", "csv", "latex") or not summary:  # the others carry them
        for warning in dict.fromkeys(str(w) for result in results for w in result.warnings):
            click.echo(f"warning: {warning}", err=True)
    if options["form"] == "table" and options["output"] is None:
        if shown:
            show_table(per_query(results, places=places))
        if shown and summary:
            click.echo()
        if summary:
            show_table(board(results, places=places))
        return
    emit(render(results, options["form"], queries=shown, summary=summary, places=places), options["output"])
