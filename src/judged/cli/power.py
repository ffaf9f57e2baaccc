"""`judged power`: estimate the smallest detectable difference."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import (
    chosen_policy,
    input_options,
    level_option,
    measures_option,
    named_files,
    policy_options,
    split_inputs,
)
from judged.cli.options.output import emit, output_options

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command("power", cls=Command)
@click.argument("qrels")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN", required=False)
@measures_option
@level_option
@option(
    "-d",
    "--difference",
    type=float,
    metavar="D",
    group="Statistics",
    help="Difference to detect. [default: a tenth of the mean of the first run]",
)
@option("--power", type=_SHARE, default=0.8, show_default=True, group="Statistics", help="Target power.")
@option("--alpha", type=_SHARE, default=0.05, show_default=True, group="Statistics", help="Significance level.")
@option(
    "--n-queries",
    type=click.IntRange(1),
    metavar="N",
    group="Statistics",
    help="Number of queries of the planned comparison. [default: as many as the runs have]",
)
@option(
    "--systems",
    type=click.IntRange(2),
    default=2,
    show_default=True,
    metavar="K",
    group="Statistics",
    help="Number of systems whose pairs will all be compared.",
)
@option(
    "--width", type=float, metavar="W", group="Statistics", help="Width of the interval of a difference to plan for."
)
@option(
    "--margin",
    type=float,
    metavar="D",
    group="Statistics",
    help="Largest difference that does not matter: plan to show that runs are equal.",
)
@option("--simulate", is_flag=True, group="Statistics", help="Also simulate the power of the permutation test.")
@option("--seed", type=int, default=0, show_default=True, group="Statistics", help="Random seed.")
@output_options()
@policy_options
@input_options
def command(qrels: str, first: str, second: str | None, measures: tuple[str, ...], **options: Any) -> None:
    """Estimate the power of a comparison of two RUNs: the smallest detectable difference, and the number of queries needed for a given one.

    Power depends on how much differences vary from query to query, not on their mean. NAME=FILE names a run; - is standard input.
    Two question files, which contain their judgments, need no QRELS.
    The default measure is nDCG@10.

    \b
    judged power qrels.txt bm25.run dense.run
    judged power qrels.txt bm25.run dense.run -m nDCG@10 AP --difference 0.01
    judged power qrels.txt bm25.run dense.run --n-queries 200 --power 0.9
    judged power qrels.txt bm25.run dense.run --systems 5 --width 0.05
    """
    from judged.comparison.power import power

    judgments, runs = split_inputs(qrels, (first, second) if second else (first,), options, least=2)
    if len(runs) > 2:
        raise click.UsageError(f"Got {len(runs)} question files; expected 2.")
    files = named_files(runs) if runs[0] != runs[1] else list(runs)
    a, b = ({name: file} for name, file in files.items()) if isinstance(files, dict) else files
    names = ("difference", "power", "alpha", "n_queries", "systems", "width", "margin", "simulate", "seed", "level")
    settings = {**{name: options[name] for name in names}, **chosen_policy(options)}
    result = power(judgments, a, b, list(measures) or "nDCG@10", **settings)
    emit(result, options, result.warnings)
