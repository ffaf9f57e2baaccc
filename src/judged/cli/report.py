"""`judged report`: write an HTML page with results, significance and every query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.comparison import comparison_options, comparison_settings
from judged.cli.options.engine import engine_options, open_engine
from judged.cli.options.inputs import chosen_policy, input_options, named_files, policy_options, split_inputs
from judged.cli.options.output import show_warnings
from judged.cli.options.rag import chunk_options

# Options that need two runs.
_PAIRS = (
    "baseline",
    "test",
    "correction",
    "alpha",
    "margin",
    "slices",
    "by",
    "min_queries",
    "resamples",
    "seed",
)


@click.command("report", cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1)
@option("-o", "--output", metavar="FILE", default="report.html", show_default=True, group="Output", help="Output file.")
@option(
    "--doc-texts",
    metavar="FILE",
    group="Input",
    help="Texts of documents: JSON Lines, TSV, CSV, Parquet or a BEIR folder.",
)
@option("--query-texts", metavar="FILE", group="Input", help="Texts of queries, in the same formats.")
@option(
    "--methods", metavar="FILE", group="Output", help="Also write the methods section as text, to paste into a paper."
)
@option("--title", metavar="TEXT", group="Output", help="Title of the page. [default: the names of the runs]")
@option(
    "--show",
    type=click.IntRange(1),
    metavar="N",
    group="Output",
    help="Number of ranks to show. [default: 100, fewer for very many queries]",
)
@comparison_options
@policy_options
@engine_options
@chunk_options
@input_options
@click.pass_context
def command(ctx: click.Context, /, qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Write an HTML report on one or more RUNS, evaluated with the judgments in QRELS.

    The file is self-contained and needs no network access. Several runs are compared, as by `judged compare`.
    NAME=FILE names a run. Question files, which contain their judgments, need no QRELS.

    \b
    judged report qrels.txt bm25.run dense.run -o report.html
    judged report qrels.txt *.run -m nDCG@10 AP --baseline bm25.run
    judged report qrels.txt a.run b.run --doc-texts corpus.jsonl
    judged report qrels.txt a.run b.run --slices queries.csv --by category
    judged report qrels.txt a.run b.run --methods methods.txt
    """
    from judged.comparison.compare import compare
    from judged.evaluation.evaluate import DEFAULT, evaluate
    from judged.io.run_names import short_names
    from judged.page.report import write_methods, write_page

    judgments, runs = split_inputs(qrels, runs, options)
    files = named_files(runs)
    named = files if isinstance(files, dict) else dict(zip(short_names(files), files, strict=True))
    if len(runs) == 1:
        _check_no_comparison(ctx)
    with open_engine(options) as (engine, opened):
        if len(runs) == 1:
            measures = list(options["measures"]) or DEFAULT
            own = {name: options[name] for name in ("level", "clusters", "cluster_col")}
            settings = {"measures": measures, **own, **chosen_policy(options)}
            result: Any = {name: evaluate(judgments, run, **engine, **settings) for name, run in opened(named).items()}
        else:
            result = compare(judgments, opened(named), **engine, **comparison_settings(runs, options))
    output = options["output"]
    texts = {name: options[name] for name in ("doc_texts", "query_texts")}
    show_warnings(write_page(result, output, **texts, title=options["title"], depth=options["show"]))
    size = Path(output).stat().st_size if Path(output).is_file() else 0
    say(f"{output} ({size / 1e6:.1f} MB)")
    if options["methods"] is not None:
        write_methods(result, options["methods"])
        say(options["methods"])


def _check_no_comparison(ctx: click.Context) -> None:
    """Raise for options that have no effect on one run."""
    for name in _PAIRS:
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} needs two or more runs.")
