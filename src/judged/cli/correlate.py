"""`judged correlate`: measure the similarity of rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.derive import options
from judged.cli.options.files import emit, named_files, output_options


@click.command("correlate", cls=Command)
@click.argument("runs", nargs=-1, metavar="RUN RUN...")
@option("--systems", is_flag=True, group="Input", help="Read files with one score per system: lines, CSV or JSON.")
@options("correlate", "measures depth")
@option("-q", "--per-query", is_flag=True, group="Output", help="List all queries, ordered by the first coefficient.")
@output_options()
def command(runs: tuple[str, ...], systems: bool, settings: dict[str, Any], **options: Any) -> None:
    """Compute the rank correlation of each pair of RUNs per query, with means and confidence intervals.

    Equal scores are ties. `tau_ap` uses the ranks of the first run and compares them with the second. Use NAME=FILE to name a
    run, and - for standard input.

    \b
    judged correlate bm25.run dense.run
    judged correlate bm25.run dense.run -m tau_b 'rbo(p=0.98)' 'overlap@{5,10}' -q
    judged correlate old=a.run new=b.run --depth 100
    judged correlate bm25.run dense.run tfidf.run
    judged correlate --systems map.txt ndcg.txt -m tau_b tau_ap
    """
    from judged.correlation.correlate import correlate, correlate_all
    from judged.correlation.system_scores import read_scores
    from judged.io.run_names import short_names

    if len(runs) < 2:
        raise click.UsageError("Missing argument 'RUN': name two or more files.")
    files = named_files(runs)
    named = files if isinstance(files, dict) else dict(zip(short_names(files), files, strict=True))
    rankings = {name: read_scores(file) if systems else file for name, file in named.items()}
    if len(rankings) > 2:
        if options["per_query"]:
            raise click.UsageError("-q needs exactly two runs.")
        several = correlate_all(rankings, **settings)
        emit(several, options, several.warnings)
        return
    pair = correlate(*rankings.values(), **settings, names=tuple(rankings))
    emit(replace(pair, all_queries=options["per_query"]), options, pair.warnings)
