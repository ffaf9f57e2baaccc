"""`judged report`: write an HTML page with results, significance and every query."""

from __future__ import annotations

import os
from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import COMPARISON, EVALUATION, options
from judged.cli.options.files import evaluate_files, show_warnings

_PAGE = ("doc_texts", "query_texts")


@click.command("report", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@option("-o", "--output", metavar="FILE", default="report.html", show_default=True, group="Output", help="Output file.")
@options("report", " ".join(_PAGE))
@options("compare", f"{EVALUATION} {COMPARISON.replace('family ', '')}")
def command(qrels: str, runs: tuple[str, ...], output: str, settings: dict[str, Any]) -> None:
    """Write an HTML report on one or more RUNS, evaluated with the judgments in QRELS.

    The file is self-contained and needs no network access. Several runs are compared, as `judged compare` does.
    Use NAME=FILE to name a run. Question files contain their judgments and need no QRELS.

    \b
    judged report qrels.txt bm25.run dense.run -o report.html
    judged report qrels.txt *.run -m nDCG@10 AP --baseline bm25.run
    judged report qrels.txt a.run b.run --doc-texts corpus.jsonl
    judged report qrels.txt a.run b.run --slices queries.csv --by category
    """
    from judged.comparison.compare import compare
    from judged.io.run_names import short_names
    from judged.page.report import write_page

    page = {name: settings.pop(name, None) for name in _PAGE}
    tests = {name: settings.pop(name) for name in COMPARISON.split() if name in settings}
    results = evaluate_files(qrels, runs, settings, short=True)
    if len(results) > 1 or tests:
        result: Any = compare(results, **tests)
    else:
        result = dict(zip(short_names([results[0].names[1]]), results, strict=True))
    show_warnings(write_page(result, output, **page))
    size = os.path.getsize(output) if os.path.isfile(output) else 0  # noqa: PTH113, PTH202 - see `main`
    say(f"{output} ({size / 1e6:.1f} MB)")
