"""`judged report`: one HTML page that says how good, how sure, where and why."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from judged.cli.options.comparison import COMPARING, comparison_asked, comparison_options
from judged.cli.options.engine import open_engine, engine_options
from judged.cli.options.output import Measures, as_flags, chosen_policy, named_files, policy_options
from judged.cli.options.rag import chunk_options

__all__ = ["command"]


@click.command("report", short_help="One HTML page: how good, how sure, where and why.", cls=Measures)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", default="report.html", show_default=True, help="The file to write.")
@click.option(
    "--text", metavar="FILE", help="What documents say: JSON Lines, TSV, CSV, Parquet; shown beside their ids."
)
@click.option("--queries", "topics", metavar="FILE", help="What queries say: TSV, JSON Lines, CSV …")
@click.option("--title", metavar="TEXT", help="Of the page; made from the names of the runs unless given.")
@click.option(
    "--show",
    type=click.IntRange(1),
    metavar="N",
    help="Show rankings down to rank N.  [default: 100, less for very many queries]",
)
@comparison_options
@partial(policy_options, queries="--which")
@engine_options
@chunk_options
@click.pass_context
def command(ctx: click.Context, /, qrels: str, runs: tuple[str, ...], **options: Any) -> None:
    """Write one HTML page about one or several RUNS by the judgments in QRELS.

    The file holds all it needs: it opens from disk, without a network, and can be sent. Several runs are compared, as `judged compare` does.

    \b
    judged report qrels.txt bm25.run dense.run -o report.html
    judged report qrels.txt *.run -m nDCG@10 AP --baseline bm25.run
    judged report qrels.txt a.run b.run --text corpus.jsonl --queries queries.tsv
    judged report qrels.txt a.run b.run --slices queries.csv --by category
    """
    from judged.comparison.compare import compare
    from judged.evaluation.evaluate import DEFAULT, evaluate
    from judged.io.run_names import plain_names
    from judged.page.report import write_page

    if options["topics"] in ("judged", "both", "strict") and not Path(options["topics"]).exists():
        raise click.UsageError(
            f"--queries names a file here; which queries count is said by --which {options['topics']}."
        )
    files = named_files(runs)
    named = files if isinstance(files, dict) else dict(zip(plain_names(files), files, strict=True))
    if len(runs) == 1:
        _refuse_comparing(ctx)
    with open_engine(options) as (engine, opened):
        if len(runs) == 1:
            asked = {
                "measures": list(options["measures"]) or DEFAULT,
                "level": options["level"],
                **chosen_policy(options),
            }
            result: Any = {name: evaluate(qrels, run, **engine, **asked) for name, run in opened(named).items()}
        else:
            result = compare(qrels, opened(named), **engine, **comparison_asked(runs, options))
    warnings = write_page(
        result, options["output"], texts=options["text"], queries=options["topics"], title=options["title"], depth=options["show"]
    )  # fmt: skip
    for warning in warnings:
        click.echo(f"warning: {as_flags(warning.render(flags=True))}", err=True)
    size = Path(options["output"]).stat().st_size if Path(options["output"]).is_file() else 0
    click.echo(f"{options['output']} ({size / 1e6:.1f} MB)", err=True)


def _refuse_comparing(ctx: click.Context) -> None:
    """An error for options that would do nothing."""
    for name in COMPARING:
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} is about a comparison: give two or more runs.")
