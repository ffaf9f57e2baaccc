"""How runs are compared, as options: for every command that compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.output import chosen_policy

__all__ = ["COMPARING", "comparison_asked", "comparison_options"]

F = TypeVar("F", bound=Callable[..., Any])

# The options that say something about pairs of runs, and nothing about one.
COMPARING = (
    "baseline",
    "test",
    "correction",
    "interval",
    "alpha",
    "margin",
    "slices",
    "by",
    "min_queries",
    "clusters",
    "resamples",
    "seed",
)

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "-m",
        "--measures",
        multiple=True,
        metavar="NAME...",
        help="Measures, such as nDCG@10 AP; `judged measures` lists them.",
    ),
    click.option(
        "-b",
        "--baseline",
        metavar="RUN",
        help="Hold the others against this run only: its name, as the table shows it, or its file.",
    ),
    click.option(
        "--test",
        default="permutation",
        show_default=True,
        metavar="NAME",
        help="permutation, t, wilcoxon, sign or bootstrap.",
    ),
    click.option(
        "--correction",
        default="holm",
        show_default=True,
        metavar="NAME",
        help="Of p-values over the pairs of a measure: holm, max, bonferroni, bh, by, none …",
    ),
    click.option(
        "--interval",
        type=click.Choice(["percentile", "bca", "t"]),
        default="percentile",
        show_default=True,
        help="Of the difference of means.",
    ),
    click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="The chance of a false finding that is accepted."
    ),
    click.option(
        "--margin",
        type=float,
        default=0.0,
        show_default=True,
        help="Differences within it do not matter: such runs are equal.",
    ),
    click.option("--slices", metavar="FILE", help="A table of queries (CSV, JSON Lines, Parquet), for --by."),
    click.option(
        "--by",
        metavar="COLUMN",
        help="Compare each group of queries too: a column of --slices; or `relevant`, the number of relevant documents.",
    ),
    click.option(
        "--min-queries",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="Slices of fewer are shown, not tested.",
    ),
    click.option(
        "--clusters",
        metavar="COLUMN",
        help="A column of --slices: queries that belong together (users, topics) are drawn as wholes.",
    ),
    click.option("--resamples", type=click.IntRange(1), metavar="N", help="Of the permutation and bootstrap tests."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything that is drawn."),
    click.option(
        "-l",
        "--level",
        type=float,
        metavar="GRADE",
        help="The lowest grade that counts as relevant; measures of grades take their own: nDCG(level=2).  [default: 1]",
    ),
)


def comparison_options(command: F) -> F:
    """The arguments of `compare` as options, described once."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def comparison_asked(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, as arguments of `compare`."""
    from judged.evaluation.evaluate import DEFAULT
    from judged.io.query_attributes import read_attribute

    columns = [options[name] for name in ("by", "clusters") if options[name] not in (None, "relevant")]
    if columns and options["slices"] is None:
        raise click.UsageError(f"--by {columns[0]} needs the table of queries that has this column: --slices FILE.")
    if options["slices"] is not None and not columns:
        raise click.UsageError("--slices FILE needs a column of it: --by COLUMN or --clusters COLUMN.")
    named = ("test", "correction", "interval", "alpha", "margin", "min_queries", "resamples", "seed", "level")
    return {
        **{name: options[name] for name in named},
        **chosen_policy(options),
        "measures": list(options["measures"]) or DEFAULT,
        "baseline": runs.index(options["baseline"]) if options["baseline"] in runs else options["baseline"],
        "slices": (options["slices"], options["by"]) if options["by"] in columns else options["by"],
        "clusters": read_attribute(options["slices"], options["clusters"]) if options["clusters"] else None,
    }
