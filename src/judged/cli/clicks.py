"""`judged clicks`: fit click models, interleave rankings, score them by clicks."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.derive import NumberList
from judged.cli.options.inputs import TableReader, check_stdin, chosen_columns, column_options, named_files
from judged.cli.options.output import emit, output_options, show_warnings

_MODELS = ("cascade", "pbm", "dbn")  # NumPy takes long to import
_seed = option("--seed", type=click.IntRange(0), default=0, show_default=True, group="Statistics", help="Random seed.")
_log_columns = column_options("session", "query", "doc", "rank", "click")
_interval = option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    group="Statistics",
    help="Confidence level of the intervals.",
)


@click.group("clicks")
def command() -> None:
    """Learn from clicks: fit models, interleave rankings, score them.

    \b
    judged clicks fit log.csv --model dbn -o qrels.txt
    judged clicks interleave bm25.run dense.run -k 10 -o lists.csv
    judged clicks score log.csv --lists lists.csv

    A log has one row per document shown, clicked or not: session, query, doc, rank, click.
    It may be CSV, TSV, JSON Lines or Parquet, compressed or not; - is standard input.
    """


@command.command("fit", cls=Command, short_help="Fit a click model to a log.")
@click.argument("log")
@option(
    "--model",
    type=click.Choice(_MODELS),
    default="dbn",
    show_default=True,
    group="Measures",
    help="Click model.",
)
@option("--persistence", type=float, group="Measures", help="dbn: fixed persistence. [default: estimated]")
@option(
    "--levels",
    type=click.IntRange(1, 50),
    default=4,
    show_default=True,
    group="Measures",
    help="Top grade of the judgments.",
)
@option(
    "--minimum",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    group="Measures",
    help="Minimum number of impressions of a graded document.",
)
@option(
    "--prior",
    nargs=2,
    type=click.FloatRange(0),
    default=(1.0, 1.0),
    show_default=True,
    metavar="A B",
    group="Statistics",
    help="Successes and failures added to every probability; 0 0 is maximum likelihood.",
)
@_log_columns
@output_options()
def fit(log: str, model: Any, **options: Any) -> None:
    """Fit a click model to LOG, and print its parameters.

    Without --format, -o writes grades as judgments (qrels), in the format given by the file extension.

    \b
    judged clicks fit log.csv --model pbm
    judged clicks fit log.csv --model dbn --levels 3 -o qrels.txt
    judged clicks fit log.csv --model dbn --format csv -o parameters.csv
    """
    from judged.clicks import fit_clicks, read_clicks
    from judged.io.write import write_qrels

    clicks = read_clicks(log, **chosen_columns(options))
    fitted = fit_clicks(clicks, model, prior=options["prior"], persistence=options["persistence"])
    source = click.get_current_context().get_parameter_source("format")
    if options["output"] is None or source is not click.core.ParameterSource.DEFAULT:
        emit(fitted, options, fitted.warnings)
        return
    qrels = fitted.qrels(options["levels"], minimum=options["minimum"])
    write_qrels(qrels, options["output"])
    show_warnings(fitted.warnings)
    say(f"{len(qrels)} grades written to {options['output']}")


@command.command("interleave", cls=Command, short_help="Interleave two runs.")
@click.argument("run_a")
@click.argument("run_b")
@option(
    "-k",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    group="Measures",
    help="Number of documents in each list.",
)
@option(
    "--sessions",
    type=click.IntRange(1),
    metavar="N",
    group="Measures",
    help="Make N lists, one per session, cycling through the queries. [default: one list per query]",
)
@_seed
@column_options("query", "doc", "score", "rank")
@output_options(default="csv")
def interleave(run_a: str, run_b: str, **options: Any) -> None:
    """Interleave RUN_A and RUN_B into one list per query or session, with the team of every document.

    \b
    judged clicks interleave bm25.run dense.run --seed 7 -o lists.csv
    judged clicks interleave bm25.run dense.run -k 5 --format table
    """
    from judged.clicks import interleave as interleave_runs

    check_stdin(run_a, run_b)
    read = TableReader(options)
    first, second = read.run(run_a), read.run(run_b)
    read.check_used()
    lists = interleave_runs(first, second, **{name: options[name] for name in ("k", "seed", "sessions")})
    emit(lists, options, lists.warnings)


@command.command("score", cls=Command, short_help="Score rankings by clicks.")
@click.argument("log")
@option("--lists", metavar="FILE", group="Input", help="Interleaved lists to score.")
@option(
    "--run",
    "runs",
    multiple=True,
    metavar="[NAME=]FILE",
    group="Input",
    help="Run to evaluate from the clicks (repeatable).",
)
@option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    group="Measures",
    help="With --run: DCG@k or P@k. [default: DCG@10 P@10]",
)
@option(
    "--propensity",
    type=NumberList("1,0.5"),
    metavar="LIST",
    group="Statistics",
    help="With --run: examination probabilities of ranks 1, 2 …, such as 1,0.5,0.33. [default: from a pbm fitted to LOG]",
)
@option(
    "--clip",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    show_default=True,
    group="Statistics",
    help="With --run: minimum propensity; smaller ones are raised to it.",
)
@option(
    "--resamples",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    metavar="N",
    group="Statistics",
    help="With --run: bootstrap fits of the propensities.",
)
@_interval
@_log_columns
@column_options("score")
@output_options()
def score(log: str, lists: str | None, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Use the clicks in LOG to score two interleaved rankings (--lists), or rankings that were not shown (--run).

    \b
    judged clicks score log.csv --lists lists.csv
    judged clicks score log.csv --run dense.run -m DCG@10 P@5 --clip 0.05
    """
    from judged.clicks import evaluate_from_clicks, read_clicks, score_interleaving

    if (lists is None) == (not runs):
        raise click.UsageError("Use either --lists, for interleaved rankings, or --run, for rankings to evaluate.")
    columns = chosen_columns(options)
    columns.pop("score_col", None)  # of the runs
    clicks = read_clicks(log, **columns)
    if lists is not None:
        outcome = score_interleaving(lists, clicks, level=options["interval"])
        emit(outcome, options, outcome.warnings)
        return
    named_files(runs)  # no two of one name
    read = TableReader(options)
    estimates = evaluate_from_clicks(
        clicks,
        [read.run(run) for run in runs],
        list(measures) or "DCG@10 P@10",
        clip=options["clip"],
        propensity=options["propensity"],
        level=options["interval"],
        resamples=options["resamples"],
    )
    emit(estimates, options)
