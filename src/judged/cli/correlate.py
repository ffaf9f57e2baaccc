"""`judged correlate`: measure the similarity of rankings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import TableReader, check_stdin, column_options, named_files
from judged.cli.options.output import emit, output_options


@click.command("correlate", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@option("--systems", is_flag=True, group="Input", help="Read files with one score per system: lines, CSV or JSON.")
@option("--columns", metavar="NAME,NAME", group="Input", help="Columns of scores in one file, with --systems.")
@column_options("query", "doc", "score", "rank")
@option(
    "-c",
    "--coefficients",
    "-m",
    "coefficients",
    multiple=True,
    metavar="NAME...",
    group="Measures",
    help="Coefficients, such as tau_b 'rbo(p=0.98)' overlap@20; see --list. [default: tau_b tau_ap rbo overlap@10; no overlap with --systems]",
)
@option(
    "--depth",
    type=click.IntRange(1),
    metavar="N",
    group="Policies",
    help="Use the first N documents of each ranking, and all that are tied with the last.",
)
@option(
    "--documents",
    type=click.Choice(["both", "union"]),
    default="both",
    show_default=True,
    group="Policies",
    help="Documents that form pairs; with union, missing ones are tied last.",
)
@option("--seed", type=int, default=0, show_default=True, group="Statistics", help="Random seed.")
@option("-q", "--per-query", is_flag=True, group="Output", help="List all queries, lowest first coefficient first.")
@option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, value: _list(ctx) if value else None,
    group="Output",
    help="List all coefficients with their treatment of ties and papers.",
)
@output_options()
def command(runs: tuple[str, ...], coefficients: tuple[str, ...], **options: Any) -> None:
    """Compute the rank correlation of two RUNs per query, with means and confidence intervals; with more RUNs, of all pairs.

    Equal scores are ties. `tau_ap` uses the ranks of the first run and compares them with the second. NAME=FILE names a run,
    and - is standard input.

    \b
    judged correlate bm25.run dense.run
    judged correlate bm25.run dense.run -c tau_b 'rbo(p=0.98)' 'overlap@{5,10}' -q
    judged correlate old=a.run new=b.run --depth 100 --documents union
    judged correlate bm25.run dense.run tfidf.run
    judged correlate --systems map.txt ndcg.txt -c tau_b tau_ap
    judged correlate --systems scores.csv --columns map,ndcg
    """
    from judged.correlation.correlate import correlate, correlate_all

    sources = _sources(runs, options)
    settings = {name: options[name] for name in ("depth", "documents", "seed")}
    measures = list(coefficients) or None
    if len(sources) > 2:
        if options["per_query"]:
            raise click.UsageError("-q needs exactly two runs.")
        if len(dict(sources)) < len(sources):
            raise click.UsageError("A file is named twice.")
        several = _with_hint(lambda: correlate_all(dict(sources), measures, **settings), options)
        emit(several, options, several.warnings)
        return
    (a, first), (b, second) = sources
    files = tuple(getattr(source, "name", source) for source in (first, second))
    names = (a, b) if a != b and (options["systems"] or (a, b) != files) else None
    pair = _with_hint(lambda: correlate(first, second, measures, **settings, names=names), options)
    emit(replace(pair, all_queries=options["per_query"]), options, pair.warnings)


def _sources(runs: tuple[str, ...], options: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what is compared, each with its name; files of scores are read, runs are not."""
    from judged.io.run_names import short_names
    from judged.io.system_scores import read_scores

    if options["columns"] is not None:
        names = [name.strip() for name in options["columns"].split(",")]
        if not options["systems"] or len(runs) != 1 or len(set(names)) < 2 or len(set(names)) < len(names):
            raise click.UsageError("--columns needs two columns or more, each once, of one file with --systems.")
        return [(name, read_scores(runs[0], name)) for name in names]
    if len(runs) < 2:
        columns = ", or one file with --columns" if options["systems"] and runs else ""
        raise click.UsageError(f"Missing argument 'RUN': name two or more files{columns}.")
    files = named_files(runs)
    named = (
        list(files.items())
        if isinstance(files, Mapping)
        else list(zip(short_names(files) if len(set(files)) == len(files) > 2 else files, files, strict=True))
    )
    check_stdin(*(file for _, file in named))
    if options["systems"]:
        return [(name, read_scores(file)) for name, file in named]
    read = TableReader(options)
    sources = [(name, read.run(file)) for name, file in named]
    read.check_used()
    return sources


def _with_hint(call: Callable[[], Any], options: dict[str, Any]) -> Any:
    """Return the result; if a file has scores of systems instead of a run, the error names --systems."""
    from judged.errors import DataError, Hint, JudgedError
    from judged.io.system_scores import read_scores

    try:
        return call()
    except DataError as error:
        path = error.where.path if error.where else "-"
        if options["systems"] or not Path(path).is_file() or error.slug in ("swapped", "no-common-query"):
            raise
        try:
            read_scores(path)
        except JudgedError:
            raise error from None
        raise error.changed(hint=Hint("if the file has one score per system, use {systems}", systems=None)) from error


def _list(ctx: click.Context) -> None:
    """Print every coefficient, wrapped at the width of the terminal."""
    import shutil
    from textwrap import fill

    from judged.references import short_form
    from judged.stats.rank_correlation import RANK_COEFFICIENTS

    width = min(max(shutil.get_terminal_size().columns, 60), 100)
    for c in RANK_COEFFICIENTS:
        click.echo(c.usage)
        for part in filter(None, (c.text, f"ties: {c.ties}", short_form(c.paper))):
            click.echo(fill(part, width, initial_indent="    ", subsequent_indent="      "))
    ctx.exit()
