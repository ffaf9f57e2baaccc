"""`judged curve`: draw precision-recall, ROC and cutoff curves."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click

from judged.cli.options.command import Command, say
from judged.cli.options.derive import EVALUATION, options
from judged.cli.options.files import emit, output_options, show_warnings, split_files


@click.command("curve", cls=Command)
@click.argument("kind", metavar="pr|ipr|roc|at-k")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@options("curve", f"{EVALUATION} query")
@output_options("drawing", default="drawing")
def command(kind: str, qrels: str, runs: tuple[str, ...], settings: dict[str, Any], **shown: Any) -> None:
    """Compute and draw curves of one or more RUNs, evaluated with the judgments in QRELS. Question files need no QRELS.

    \b
    pr     precision against recall, at every rank
    ipr    interpolated precision at the 11 standard recall levels; alias 11pt
    roc    true against false positive rate, with the area under it
    at-k   measures as a function of the cutoff: -m nDCG P R F Success CG

    Curves are drawn in the terminal. `-o` writes a plot (.svg, .png, .pdf) or the points (.csv, .json, .md, ...).

    \b
    judged curve pr qrels.txt bm25.run dense.run -o pr.svg
    judged curve roc qrels.txt BM25=a.run.gz ours=b.run.gz -o roc.pdf
    judged curve ipr qrels.txt bm25.run --query 101
    judged curve at-k qrels.txt *.run -m nDCG -o ndcg.pdf
    """
    from judged.curves.run_curves import curve
    from judged.tables.table import counted

    curves = curve(kind, *split_files(qrels, runs), **settings)
    output = shown["output"]
    if shown["format"] != "drawing":
        emit(curves, shown, curves.warnings)
    elif output is None and sys.stdout.isatty():
        click.echo(curves.to_drawing(columns=shutil.get_terminal_size().columns), nl=False)
    elif output is None:
        emit(curves, shown, curves.warnings)
    else:
        curves.save(output)
        show_warnings(curves.warnings)
        say(f"{counted(len(curves), 'curve')} written to {output}: {curves.notes[0]}")
