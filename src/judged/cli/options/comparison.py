"""Options of commands that compare runs: statistics and slices. Choices come from the registries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.command import option
from judged.cli.options.inputs import chosen_policy, cluster_options, level_option, measures_option

F = TypeVar("F", bound=Callable[..., Any])

_STATISTICS = ("test", "correction", "alpha", "margin", "resamples", "seed", "min_queries")


def statistics_options(*, gate: bool = False) -> Callable[[F], F]:
    """Declare the options of tests and corrections. Those of a gate are None if absent: a file of rules may set them."""
    from judged.stats.multiple.corrections import CORRECTIONS
    from judged.stats.paired.registry import TESTS

    corrections = ", ".join(c.name for c in CORRECTIONS if c.function or not gate)  # a gate cannot use `max`

    def add(command: Any, name: str, default: Any, help: str, **settings: Any) -> Any:
        shown = "" if default is None else f" [default: {default}]"
        value = None if gate else default
        return option(f"--{name}", default=value, group="Statistics", help=f"{help}{shown}", **settings)(command)

    def declare(command: F) -> F:
        command = option("--interval", group="Statistics", hidden=True, expose_value=False, callback=_no_interval)(
            command
        )
        command = add(command, "seed", 0, "Random seed.", type=click.IntRange(0))
        command = add(
            command,
            "resamples",
            None,
            "Number of resamples for permutation and bootstrap tests.",
            type=click.IntRange(1),
            metavar="N",
        )
        if not gate:
            command = add(command, "margin", 0.0, "Largest difference that does not matter.", type=float)
        command = add(command, "alpha", 0.05, "Significance level.", type=float)
        command = add(command, "correction", "bonferroni", f"Correction of p-values: {corrections}.", metavar="NAME")
        return add(
            command,
            "test",
            "t",
            f"Paired test, which also gives the intervals: {', '.join(sorted(TESTS.names))}.",
            metavar="NAME",
        )

    return declare


def _no_interval(ctx: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise click.UsageError(
            "No such option: --interval. The interval is that of the test: choose it with --test.", ctx
        )


def slice_options(*, defaults: bool = True) -> Callable[[F], F]:
    """Declare `--slices`, `--by` and `--min-queries`."""

    def declare(command: F) -> F:
        least = "Minimum number of queries of a tested slice" + ("." if defaults else ", and of mode significant.")
        command = option(
            "--min-queries",
            type=click.IntRange(1),
            default=10 if defaults else None,
            metavar="N",
            group="Statistics",
            help=f"{least} [default: 10]",
        )(command)
        command = option(
            "--by",
            multiple=True,
            metavar="COLUMN",
            group="Input",
            help="Column of --slices to group queries by; `relevant` is the number of relevant documents.",
        )(command)
        return option("--slices", metavar="FILE", group="Input", help="Table of queries: CSV, JSON Lines or Parquet.")(
            command
        )

    return declare


def comparison_options(command: F) -> F:
    """Declare the options of `compare`."""
    command = statistics_options()(command)
    command = cluster_options(command)
    command = slice_options()(command)
    command = option(
        "-b",
        "--baseline",
        metavar="RUN",
        group="Input",
        help="Run to compare the others with, by name or file. [default: all pairs]",
    )(command)
    return measures_option(level_option(command))


def comparison_settings(runs: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The options, as arguments of `compare`."""
    from judged.evaluation.evaluate import DEFAULT

    return {
        **{name: options[name] for name in (*_STATISTICS, "slices", "clusters", "cluster_col", "level")},
        **chosen_policy(options),
        "by": list(options["by"]),
        "measures": list(options["measures"]) or DEFAULT,
        "baseline": runs.index(options["baseline"]) if options["baseline"] in runs else options["baseline"],
    }
