"""`judged curve`: precision against recall, ROC, and measures as a function of the cutoff."""

from __future__ import annotations

import re
from typing import Any

import click

from judged.cli.options.output import Measures, chosen_policy, emit, named_files, policy_options

__all__ = ["command"]


@click.command("curve", short_help="Draw curves of runs.", cls=Measures)
@click.argument("kind", type=click.Choice(["pr", "ipr", "roc", "at-k"]))
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("-m", "--measures", multiple=True, metavar="NAME...", help="For at-k: measures that take a cutoff, such as nDCG P R.  [default: nDCG]")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="A picture (.svg, .png, .pdf) or the points (.csv, .json), instead of the terminal.")  # fmt: skip
@click.option("--query", multiple=True, metavar="ID", help="The curve of this query (may be repeated), instead of the mean over all.")  # fmt: skip
@click.option("--average", type=click.Choice(["macro", "micro"]), default="macro", show_default=True, help="Mean over queries, or decisions of all queries pooled at each rank.")  # fmt: skip
@click.option("--points", metavar="LIST", help="Recall levels (ipr), false positive rates (roc) or ranks, such as 0,0.5,1 or 1,5,10; one whole number is the last rank.")  # fmt: skip
@click.option("--no-band", is_flag=True, help="No confidence band over queries.")
@click.option("--size", metavar="WxH", help="Of the picture, in inches, such as 3.3x2.5.")
@click.option("--dpi", type=click.IntRange(20, 2400), help="Dots an inch of a PNG.  [default: 200]")
@click.option("--title", default="", metavar="TEXT", help="A title for the picture.")
@click.option("-l", "--level", type=float, metavar="GRADE", help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["picture", "json", "csv"]), default="picture", show_default=True, help="Without -o: a drawing in the terminal, or the points.")  # fmt: skip
@policy_options
def command(kind: Any, qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Draw curves of one or more RUNS, judged by QRELS.

    \b
    pr     precision against recall, at every rank
    ipr    interpolated: the best precision at or beyond each recall (11 standard points)
    roc    true against false positive rate, with the area under it
    at-k   measures as a function of the cutoff: -m nDCG P R F Success CG

    \b
    judged curve pr qrels.txt bm25.run dense.run -o pr.svg
    judged curve roc qrels.txt BM25=bm25.run.gz ours=new.run.gz -o roc.pdf --size 3.3x2.5
    judged curve ipr qrels.txt bm25.run --query 101
    judged curve at-k qrels.txt *.run -m nDCG --points 100 -o ndcg.pdf
    """
    from dataclasses import replace

    from judged.curves.run_curves import curve
    from judged.curves.storage import curves_csv

    found = curve(kind, qrels, named_files(runs), list(options["measures"]) or None, average=options["average"],
                  query=_ids(options["query"]), points=_points(options["points"], kind), level=options["level"],
                  band=None if options["no_band"] else 0.95, **chosen_policy(options))  # fmt: skip
    found = replace(found, title=options["title"])
    if options["output"]:
        found.save(options["output"], size=_size(options["size"]), dpi=options["dpi"])
        for warning in found.warnings:
            click.echo(f"warning: {warning}", err=True)
        click.echo(
            f"{len(found)} {'curve' if len(found) == 1 else 'curves'} written to {options['output']}: {found.notes[0]}",
            err=True,
        )
    elif options["form"] == "json":
        emit(found.to_json() + "\n", None)
    elif options["form"] == "csv":
        emit(curves_csv(found), None)
    else:
        click.echo(str(found))


def _ids(queries: tuple[str, ...]) -> list[str] | None:
    return list(queries) or None


def _points(text: str | None, kind: str) -> Any:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: numbers with commas between them, such as 0,0.5,1.", param_hint="--points"
        ) from None
    if kind == "ipr" or (kind == "roc" and "." in text):
        return numbers
    return int(numbers[0]) if len(numbers) == 1 and numbers[0] == int(numbers[0]) else numbers


def _size(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    parts = re.fullmatch(r"([0-9.]+)x([0-9.]+)", text)
    try:
        width, height = (float(parts[i]) for i in (1, 2)) if parts else (0.0, 0.0)
    except ValueError:
        width = height = 0.0
    if not (0.5 <= width <= 100 and 0.5 <= height <= 100):
        raise click.BadParameter(f"{text!r}: width and height in inches, such as 3.3x2.5.", param_hint="--size")
    return width, height
