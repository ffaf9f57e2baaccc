"""`judged power`: what a comparison of two runs can show."""

from __future__ import annotations

import json
from typing import Any

import click

from judged.cli.options.output import Measures, chosen_policy, emit, policy_options, show_table

__all__ = ["command"]


def _policies(command: Any) -> Any:
    """The policies but for `--queries`, which is a number here."""
    command = policy_options(command)
    command.__click_params__ = [p for p in command.__click_params__ if p.name != "queries"]
    return command


@click.command("power", short_help="What so many queries can show.", cls=Measures)
@click.argument("qrels")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("-m", "--measures", multiple=True, metavar="NAME...", help="Measures, such as nDCG@10 AP.  [default: nDCG@10]")  # fmt: skip
@click.option("-d", "--difference", type=float, metavar="D", help="A difference that would matter.  [default: a tenth of the first run's mean]")  # fmt: skip
@click.option("--power", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True, help="The chance with which it is to be found.")  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True, help="Of the two-sided paired t test.")  # fmt: skip
@click.option("--queries", type=click.IntRange(1), metavar="N", help="How many queries there would be.  [default: as many as there are]")  # fmt: skip
@click.option("--simulate", is_flag=True, help="Also try the permutation test out, on queries drawn from these.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of these draws.")
@click.option("-l", "--level", type=float, metavar="GRADE", help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["table", "json", "csv", "md"]), default="table", show_default=True, help="The form of the output.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("-p", "--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@_policies
def command(qrels: str, first: str, second: str, measures: tuple[str, ...], **options: Any) -> None:
    """What a comparison of two RUNs can show: how small a difference, and how many queries another one takes.

    It rests on how much the differences vary from query to query, not on their mean. Files may be TREC, JSON, JSON Lines, CSV, Parquet,
    compressed or not; - is standard input.

    \b
    judged power qrels.txt bm25.run dense.run
    judged power qrels.txt bm25.run dense.run -m nDCG@10 AP --difference 0.01
    judged power qrels.txt bm25.run dense.run --queries 200 --power 0.9 --format json
    """
    from judged.comparison.power import power
    from judged.tables.formats.markdown import table_markdown
    from judged.tables.formats.text import table_text

    if (qrels, first, second).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    named = ("difference", "power", "alpha", "queries", "simulate", "seed", "level")
    policy = chosen_policy({k: v for k, v in options.items() if k != "queries"})
    given = {k: options[k] for k in named}
    result = power(qrels, first, second, list(measures) or "nDCG@10", **given, **policy)
    form, places = options["form"], options["places"]
    if form == "csv":
        for warning in result.warnings:
            click.echo(f"warning: {warning}", err=True)
    if form == "table" and options["output"] is None:
        show_table(result.table(places=places))
        return
    if form == "json":
        text = json.dumps(result.to_dict(), indent=2, allow_nan=False)
    elif form == "csv":
        text = _csv(result).rstrip("\n")
    else:
        text = (table_markdown if form == "md" else table_text)(result.table(places=places))
    emit(text + "\n", options["output"])


def _csv(result: Any) -> str:
    import csv
    import io

    from judged.tables.formats.csv import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = result.to_dict()["measures"]
    writer.writerow(rows[0])
    writer.writerows([cell(value) for value in row.values()] for row in rows)
    return out.getvalue()
