"""`judged curve`: draw precision-recall, ROC and cutoff curves."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import (
    chosen_policy,
    input_options,
    level_option,
    measures_option,
    named_files,
    policy_options,
    split_inputs,
)
from judged.cli.options.output import emit, output_options, show_warnings


@click.command("curve", cls=Command)
@click.argument("kind", metavar="pr|ipr|roc|at-k")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@measures_option
@level_option
@option(
    "--average",
    type=click.Choice(["macro", "micro"]),
    default="macro",
    show_default=True,
    group="Measures",
    help="Mean over queries, or decisions of all queries pooled at each rank.",
)
@option(
    "--query",
    multiple=True,
    metavar="ID",
    group="Measures",
    help="Curve of one query (repeatable) instead of the mean.",
)
@option(
    "--points",
    metavar="LIST",
    group="Measures",
    help="Recall levels (ipr), false positive rates (roc), ranks such as 1,5,10, or the last rank.",
)
@policy_options
@input_options
@option("--no-band", is_flag=True, group="Statistics", help="Omit the confidence band over queries.")
@option("--size", metavar="WxH", group="Output", help="Size of the plot in inches, such as 3.3x2.5.")
@option("--dpi", type=click.IntRange(20, 2400), group="Output", help="Resolution of a PNG. [default: 200]")
@option("--title", default="", metavar="TEXT", group="Output", help="Title of the plot.")
@output_options("drawing", default="drawing")
def command(kind: str, qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Compute and draw curves of one or more RUNs, evaluated with the judgments in QRELS; question files need no QRELS.

    \b
    pr     precision against recall, at every rank
    ipr    interpolated precision at the 11 standard recall levels; alias 11pt
    roc    true against false positive rate, with the area under it
    at-k   measures as a function of the cutoff: -m nDCG P R F Success CG

    Curves are drawn in the terminal; `-o` writes a plot (.svg, .png, .pdf) or the points (.csv, .json, .md, ...).

    \b
    judged curve pr qrels.txt bm25.run dense.run -o pr.svg
    judged curve roc qrels.txt BM25=a.run.gz ours=b.run.gz -o roc.pdf --size 3x2
    judged curve ipr qrels.txt bm25.run --query 101
    judged curve at-k qrels.txt *.run -m nDCG --points 100 -o ndcg.pdf
    """
    from judged.curves.kinds import CURVE_KINDS
    from judged.curves.run_curves import curve
    from judged.tables.text import counted

    if CURVE_KINDS.get(kind) is None and Path(kind).is_file():
        raise click.UsageError(
            "Missing argument 'pr|ipr|roc|at-k': name the kind first, as in: judged curve pr QRELS RUN"
        )
    judgments, runs = split_inputs(qrels, runs, options)
    name, files = CURVE_KINDS.find(kind).name, named_files(runs)
    curves = curve(
        name,
        judgments,
        files,
        list(options["measures"]) or None,
        average=options["average"],
        query=list(options["query"]) or None,
        points=_points(options["points"], name),
        level=options["level"],
        band=None if options["no_band"] else 0.95,
        **chosen_policy(options),
    )
    curves = replace(curves, title=options["title"])
    if options["output"] is None and options["format"] == "drawing" and sys.stdout.isatty():
        click.echo(curves.to_drawing(columns=shutil.get_terminal_size().columns), nl=False)
        return
    if options["output"] is None or options["format"] != "drawing":
        emit(curves, options, curves.warnings)
        return
    curves.save(options["output"], size=_size(options["size"]), dpi=options["dpi"])
    show_warnings(curves.warnings)
    say(f"{counted(len(curves), 'curve')} written to {options['output']}: {curves.notes[0]}")


def _points(text: str | None, kind: str) -> Any:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list of numbers such as 0,0.5,1.", param_hint="--points") from None
    if kind == "ipr" or (kind == "roc" and "." in text):
        return numbers
    return int(numbers[0]) if len(numbers) == 1 and numbers[0] == int(numbers[0]) else numbers


def _size(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    parts = re.fullmatch(r"(\d+\.?\d*|\.\d+)x(\d+\.?\d*|\.\d+)", text)
    width, height = (float(parts[1]), float(parts[2])) if parts else (0.0, 0.0)
    if not (0.5 <= width <= 100 and 0.5 <= height <= 100):
        raise click.BadParameter(f"{text!r} is not a width and height in inches such as 3.3x2.5.", param_hint="--size")
    return width, height
