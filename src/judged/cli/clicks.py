"""`judged clicks`: fit click models, interleave rankings, score them by clicks."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.files import emit, named_files, output_options, show_warnings

_MODELS = ("cascade", "pbm", "dbn")  # NumPy takes long to import
_seed = option("--seed", type=click.IntRange(0), default=0, show_default=True, group="Statistics", help="Random seed.")
_ROLES = {"session": "session", "query": "query id", "doc": "document id", "rank": "rank", "click": "click"}


def _log_columns(command: Any) -> Any:
    """Declare the names of the columns of a log."""
    for role, meaning in reversed(_ROLES.items()):
        text = f"Name of the {meaning} column of the log."
        command = option(f"--{role}-col", metavar="NAME", group="Input", help=text)(command)
    return command


def _read_log(log: str, options: dict[str, Any]) -> Any:
    from judged.clicks import read_clicks

    return read_clicks(log, **{f"{role}_col": options[f"{role}_col"] for role in _ROLES})


def _read_runs(words: tuple[str, ...]) -> list[Any]:
    """Read each `[NAME=]FILE`."""
    from judged.io.read import read_run

    files = named_files(words)
    named = files.items() if isinstance(files, dict) else [(None, file) for file in files]
    return [read_run(file, name=name) for name, file in named]


@click.group("clicks")
def command() -> None:
    """Learn from clicks: fit models, interleave rankings, score them.

    \b
    judged clicks fit log.csv --model dbn -o qrels.txt
    judged clicks interleave bm25.run dense.run -k 10 -o lists.csv
    judged clicks score log.csv --lists lists.csv

    A log has one row per document shown, clicked or not, with the columns session, query, doc, rank
    and click. It can be CSV, TSV, JSON Lines or Parquet, plain or compressed; - is standard input.
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
@_log_columns
@output_options()
def fit(log: str, model: Any, **options: Any) -> None:
    """Fit a click model to LOG, and print its parameters.

    Without --format, -o writes the grades as judgments (qrels). The file extension sets the format.

    \b
    judged clicks fit log.csv --model pbm
    judged clicks fit log.csv --model dbn -o qrels.txt
    judged clicks fit log.csv --model dbn --format csv -o parameters.csv
    """
    from judged.clicks import fit_clicks
    from judged.io.write import write_qrels

    fitted = fit_clicks(_read_log(log, options), model)
    source = click.get_current_context().get_parameter_source("format")
    if options["output"] is None or source is not click.core.ParameterSource.DEFAULT:
        emit(fitted, options, fitted.warnings)
        return
    qrels = fitted.qrels()
    write_qrels(qrels, options["output"])
    show_warnings(fitted.warnings)
    say(f"{len(qrels.query)} grades written to {options['output']}")


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
    help="Make N lists, one per session. [default: one per query]",
)
@_seed
@output_options(default="csv")
def interleave(run_a: str, run_b: str, **options: Any) -> None:
    """Interleave RUN_A and RUN_B into one list per query or session, with the team of every document.

    \b
    judged clicks interleave bm25.run dense.run --seed 7 -o lists.csv
    judged clicks interleave bm25.run dense.run -k 5 --format table
    """
    from judged.clicks import interleave as interleave_runs

    first, second = _read_runs((run_a, run_b))
    lists = interleave_runs(first, second, k=options["k"], seed=options["seed"], sessions=options["sessions"])
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
    "--resamples",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    metavar="N",
    group="Statistics",
    help="With --run: bootstrap fits of the propensities.",
)
@_log_columns
@output_options()
def score(log: str, lists: str | None, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Use the clicks in LOG to score two interleaved rankings (--lists), or rankings that were not shown (--run).

    \b
    judged clicks score log.csv --lists lists.csv
    judged clicks score log.csv --run dense.run -m DCG@10 P@5
    """
    from judged.clicks import evaluate_from_clicks, score_interleaving

    if (lists is None) == (not runs):
        raise click.UsageError("Use either --lists, for interleaved rankings, or --run, for rankings to evaluate.")
    clicks = _read_log(log, options)
    if lists is not None:
        outcome = score_interleaving(lists, clicks)
        emit(outcome, options, outcome.warnings)
    else:
        chosen, resamples = list(measures) or "DCG@10 P@10", options["resamples"]
        emit(evaluate_from_clicks(clicks, _read_runs(runs), chosen, resamples=resamples), options)
