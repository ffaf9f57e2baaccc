"""`judged agree`: how far judges agree, and several judges made into one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

import click

from judged.cli._output import emit, show_table

__all__ = ["command"]


@click.command("agree")
@click.argument("judges", nargs=-1, required=True, metavar="QRELS_A QRELS_B [QRELS_C]...")
@click.option("-l", "--level", type=float, metavar="GRADE", help="Make grades binary first: relevant from this one up.")
@click.option(
    "-w",
    "--weights",
    type=click.Choice(["nominal", "linear", "quadratic", "ordinal", "ratio"]),
    default="nominal",
    show_default=True,
    help="All coefficients under these weights too.",
)
@click.option("-q", "--by-query", is_flag=True, help="Agreement on each query too.")
@click.option(
    "-d",
    "--disagreements",
    metavar="FILE",
    help="Write the documents that judges disagree on, to be adjudicated; - prints them, and nothing else.",
)
@click.option(
    "-r",
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="A ranking; of two or more, whether a change of judge changes their order.",
)
@click.option(
    "-m", "--measure", default="nDCG@10", show_default=True, metavar="NAME", help="By which systems are ordered."
)
@click.option(
    "--merge",
    "how",
    type=click.Choice(["majority", "mean", "median", "max", "min", "adjudicate"]),
    help="Merge the judges into one file of judgments, named by -o.",
)
@click.option("--adjudicator", metavar="QRELS", help="Who decides where judges disagree, for --merge adjudicate.")
@click.option(
    "--ties",
    type=click.Choice(["error", "lower", "higher", "first"]),
    default="error",
    show_default=True,
    help="A majority without a winner.",
)
@click.option(
    "--missing",
    type=click.Choice(["keep", "drop", "error"]),
    default="keep",
    show_default=True,
    help="Documents that not all judges judged, when merging.",
)
@click.option(
    "--interval",
    type=click.Choice(["queries", "units", "analytic"]),
    default="queries",
    show_default=True,
    help="Draw queries again, or documents; or closed forms of independent documents.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="SHARE", help="Of the intervals.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draws.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv", "md"]),
    default="table",
    show_default=True,
    help="The form of the output.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("-p", "--places", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
def command(judges: tuple[str, ...], **options: Any) -> None:
    """How far two or more judges agree: kappa and its relatives with intervals, and what stands behind them.

    Each QRELS holds the judgments of one judge. What both judged is compared, and how much that is, is said.

    \b
    judged agree qrels.a.txt qrels.b.txt
    judged agree nist.txt llm.txt --level 2 --by-query
    judged agree nist.txt llm.txt --run bm25.run --run dense.run -m AP
    judged agree a.txt b.txt --disagreements todo.csv
    judged agree a.txt b.txt --merge adjudicate --adjudicator todo.csv -o qrels.txt
    judged agree a.txt b.txt c.txt --merge majority --ties lower -o qrels.txt
    """
    if len(judges) < 2:
        raise click.UsageError("Name the judgments of two judges or more.")
    if (*judges, *options["runs"], options["adjudicator"]).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    if options["how"] is not None:
        _merge(judges, options)
        return
    if options["adjudicator"] is not None:
        raise click.UsageError("--adjudicator belongs to --merge adjudicate.")
    if len(options["runs"]) == 1:
        raise click.UsageError("An order needs two runs or more: give --run once for each.")
    from judged.engine.jury import agreement

    found = agreement(
        *judges, level=options["level"], weights=options["weights"], confidence=options["confidence"],
        interval=options["interval"], seed=options["seed"], runs=list(options["runs"]) or None, measure=options["measure"],
    )  # fmt: skip
    if options["disagreements"] is not None:
        _adjudicable(found, options["disagreements"])
        if options["disagreements"] == "-":
            return
    if options["form"] == "table" and options["output"] is None:
        for i, table in enumerate(_tables(found, options)):
            if i:
                click.echo()
            show_table(table)
        return
    emit(_text(found, options), options["output"])


def _merge(judges: tuple[str, ...], options: dict[str, Any]) -> None:
    from judged.engine.merging import merge_judgments
    from judged.sources import write_qrels

    if options["output"] is None:
        raise click.UsageError("--merge needs -o FILE, the file of judgments to be written.")
    merged = merge_judgments(*judges, how=options["how"], adjudicator=options["adjudicator"], ties=options["ties"],
                             missing=options["missing"])  # fmt: skip
    write_qrels(merged, options["output"])
    click.echo(f"{len(merged)} judgments of {len(merged.queries)} queries written to {options['output']}", err=True)


def _tables(found: Any, options: dict[str, Any]) -> list[Any]:
    shown = found.tables(places=options["places"])
    return [*shown, found.by_query.table(places=options["places"])] if options["by_query"] else shown


def _text(found: Any, options: dict[str, Any]) -> str:
    if options["form"] == "json":
        return f"{found.to_json()}\n"
    if options["form"] == "csv":
        for warning in found.warnings:
            click.echo(f"warning: {warning}", err=True)
        listing = found.by_query if options["by_query"] else found.listing()
        return _csv(listing.columns, listing)
    from judged.engine import plain
    from judged.report import markdown

    tables = _tables(found, options)
    if options["form"] == "table":
        return "\n\n".join(map(plain, tables)) + "\n"
    return "\n\n".join(f"**{table.title}**\n\n{markdown(table)}" for table in tables) + "\n"


def _adjudicable(found: Any, path: str) -> None:
    """All disagreements, with an empty column `relevance` to be filled: such a file is judgments that can be read."""
    listing = found.disagreements(None)
    headers = ["query_id", "doc_id", *list(listing.columns)[2:], "relevance"]
    if path.endswith(".jsonl"):
        rows = (json.dumps(dict(zip(headers, (*row, None), strict=True)), ensure_ascii=False) for row in listing)
        text = "".join(f"{row}\n" for row in rows)
    else:
        text = _csv(headers, ((*row, "") for row in listing))
    emit(text, None if path == "-" else path)
    click.echo(f"{len(listing)} documents to adjudicate; fill the column relevance, then --merge adjudicate", err=True)


def _csv(headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    from judged.engine import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(header) for header in headers])
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()
