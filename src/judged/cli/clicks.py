"""`judged clicks`: fit click models, simulate users, interleave rankings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from judged.cli.options.command import Command, option, say
from judged.cli.options.inputs import TableReader, check_stdin, chosen_columns, column_options, named_files
from judged.cli.options.output import emit, output_options, show_warnings

F = TypeVar("F", bound=Callable[..., Any])

_MODELS = ("cascade", "dcm", "sdbn", "dbn", "pbm", "ubm", "ctr", "rank-ctr")  # NumPy takes long to import
_share = click.FloatRange(0, 1)
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


def _method(group: str, help: str) -> Callable[[F], F]:
    return option(
        "--method",
        type=click.Choice(["team-draft", "balanced"]),
        default="team-draft",
        show_default=True,
        group=group,
        help=help,
    )


@click.group("clicks")
def command() -> None:
    """Learn from clicks: fit models, simulate users, interleave rankings, score them.

    \b
    judged clicks fit log.csv --model dbn -o qrels.txt
    judged clicks fit log.csv --model all --held-out 0.2
    judged clicks simulate qrels.txt bm25.run --sessions 100000 -o log.csv
    judged clicks interleave bm25.run dense.run -k 10 -o lists.csv
    judged clicks score log.csv --lists lists.csv

    A log has one row per document shown, clicked or not: session, query, doc, rank, click.
    It may be CSV, TSV, JSON Lines or Parquet, compressed or not; - is standard input.
    """


@command.command("fit", cls=Command, short_help="Fit a click model to a log.")
@click.argument("log")
@option(
    "--model",
    type=click.Choice([*_MODELS, "all"]),
    default="dbn",
    show_default=True,
    group="Measures",
    help="Click model; all compares them on held-out sessions.",
)
@option(
    "--multiple",
    type=click.Choice(["error", "first"]),
    group="Measures",
    help="cascade: what to do with sessions with several clicks. [default: error]",
)
@option(
    "--method",
    type=click.Choice(["em", "counts"]),
    group="Measures",
    help="dcm, sdbn: exact fit by EM, or the closed forms of the papers. [default: em]",
)
@option("--persistence", type=float, group="Measures", help="dbn: fixed persistence. [default: estimated]")
@option("--grades", is_flag=True, group="Measures", help="Print grades with their uncertainty instead of parameters.")
@option("--levels", type=click.IntRange(1, 50), default=4, show_default=True, group="Measures", help="Top grade.")
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
@option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="SHARE",
    group="Statistics",
    help="Share of sessions to hold out. [default: 0; 0.2 with --model all]",
)
@option(
    "--max-steps",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    group="Statistics",
    help="Maximum number of EM steps.",
)
@_interval
@_seed
@_log_columns
@output_options()
def fit(log: str, model: str, **options: Any) -> None:
    """Fit a click model to LOG: parameters with intervals, grades, held-out likelihood.

    Without --format, -o writes the grades as judgments (qrels), in the format given by the file extension.

    \b
    judged clicks fit log.csv --model pbm
    judged clicks fit log.csv --model dbn --levels 3 -o qrels.txt
    judged clicks fit log.csv --model dbn --grades --format csv -o grades.csv
    judged clicks fit log.csv --model all
    """
    from judged.clicks.api import compare_click_models, fit_clicks, read_clicks

    qrels = options["output"] if _by_ending(options) else None
    shared = {
        "prior": options["prior"],
        "seed": options["seed"],
        "level": options["interval"],
        "max_steps": options["max_steps"],
    }
    special = {name: options[name] for name in ("multiple", "method", "persistence") if options[name] is not None}
    held_out = options["held_out"]
    if model == "all":
        if qrels or options["grades"] or special:
            raise click.UsageError(
                "--model all compares models; name one model to write judgments (-o without --format), or to use --grades or its options."
            )
        clicks = read_clicks(log, **chosen_columns(options))
        board = compare_click_models(clicks, held_out=0.2 if held_out is None else held_out, **shared)
        emit(board, options)
        return
    fitted = fit_clicks(
        read_clicks(log, **chosen_columns(options)), model, held_out=held_out or 0.0, **shared, **special
    )
    if not (qrels or options["grades"]):
        emit(fitted, options, fitted.warnings)
        return
    grades = fitted.grades(options["levels"], minimum=options["minimum"])
    if qrels:
        grades.save_qrels(qrels)
        say(f"{len(grades)} grades written to {qrels}")
        options["output"] = None
    if options["grades"]:
        show_warnings(fitted.warnings)
    emit(grades if options["grades"] else fitted, options, () if options["grades"] else fitted.warnings)


@command.command("simulate", cls=Command, short_help="Simulate clicks from judgments.")
@click.argument("qrels")
@click.argument("run")
@option(
    "--model",
    type=click.Choice([m for m in _MODELS if m != "rank-ctr"]),
    default="dbn",
    show_default=True,
    group="Measures",
    help="Click model of the users.",
)
@option(
    "--sessions", type=click.IntRange(1), default=1000, show_default=True, group="Measures", help="Number of sessions."
)
@option(
    "-k", type=click.IntRange(1), default=10, show_default=True, group="Measures", help="Number of documents shown."
)
@option("--top", type=float, default=4.0, show_default=True, group="Measures", help="Top grade.")
@option(
    "--shuffled",
    type=_share,
    default=0.0,
    show_default=True,
    group="Measures",
    help="Share of sessions with documents in random order.",
)
@option(
    "--noise",
    type=_share,
    default=0.0,
    show_default=True,
    group="Measures",
    help="Attractiveness of documents that are not relevant.",
)
@option(
    "--persistence",
    type=_share,
    default=0.9,
    show_default=True,
    group="Measures",
    help="dbn: probability of continuing.",
)
@option(
    "--stopping",
    type=_share,
    default=0.5,
    show_default=True,
    group="Measures",
    help="dcm: probability of leaving after a click.",
)
@option(
    "--decay",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    group="Measures",
    help="pbm, ubm: rank r is examined with probability (1/r)^decay.",
)
@_seed
@column_options("query", "doc", "score", "grade", "rank")
@output_options(default="csv", places=False)
def simulate(qrels: str, run: str, **options: Any) -> None:
    """Simulate users who see the rankings of RUN and click according to the grades in QRELS.

    A document of grade g has the relevance (2^g - 1) / 2^top, as in ERR. Without --format, the extension of the output file determines it:
    .csv, .tsv, .jsonl or .parquet.

    \b
    judged clicks simulate qrels.txt bm25.run --model pbm --seed 1 -o log.csv
    """
    from judged.clicks.api import click_rows, simulate_clicks, write_clicks

    check_stdin(qrels, run)
    names = ("model", "sessions", "seed", "k", "top", "shuffled", "noise", "persistence", "stopping", "decay")
    read = TableReader(options)
    judgments, ranking = read.qrels(qrels), read.run(run)
    read.check_used()
    log = simulate_clicks(judgments, ranking, **{name: options[name] for name in names})
    if not _by_ending(options):
        emit(click_rows(log), options)
        return
    write_clicks(log, options["output"])
    say(f"{len(log.sessions)} sessions with {int(log.clicked.sum())} clicks written to {options['output']}")


@command.command("interleave", cls=Command, short_help="Interleave two runs.")
@click.argument("run_a")
@click.argument("run_b")
@_method("Measures", "Method of interleaving.")
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
@output_options("trec", places=False)
def interleave(run_a: str, run_b: str, **options: Any) -> None:
    """Interleave RUN_A and RUN_B into one list per query or session, with the team of every document.

    Without --format, the extension of the output file determines it: .csv, .tsv, .jsonl or .parquet; any other writes a TREC run whose tag
    is the team.

    \b
    judged clicks interleave bm25.run dense.run --seed 7 -o lists.csv
    judged clicks interleave bm25.run dense.run -k 5 -o lists.jsonl
    """
    from judged.clicks.interleaving.interleave import interleave as interleave_runs

    check_stdin(run_a, run_b)
    read = TableReader(options)
    first, second = read.run(run_a), read.run(run_b)
    read.check_used()
    lists = interleave_runs(first, second, **{name: options[name] for name in ("method", "k", "seed", "sessions")})
    if not _by_ending(options):
        emit(lists, options, lists.warnings)
        return
    lists.save(options["output"])
    show_warnings(lists.warnings)
    say(f"{len(lists.lists())} lists written to {options['output']}")


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
@_method("Measures", "With --lists: method of interleaving.")
@option(
    "-m",
    "--measures",
    multiple=True,
    metavar="NAME...",
    group="Measures",
    help="With --run: DCG@k, P@k or CTR@k. [default: DCG@10 P@10]",
)
@option(
    "--propensity",
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
@option(
    "--by",
    type=click.Choice(["session", "query"]),
    default="session",
    show_default=True,
    group="Statistics",
    help="With --run: units that are independent, for standard errors.",
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
    from judged.clicks.api import read_clicks
    from judged.clicks.interleaving.interleave import score_interleaving
    from judged.clicks.off_policy.evaluate import evaluate_from_clicks

    if (lists is None) == (not runs):
        raise click.UsageError("Use either --lists, for interleaved rankings, or --run, for rankings to evaluate.")
    clicks = read_clicks(
        log, **{name: column for name, column in chosen_columns(options).items() if name != "score_col"}
    )
    if lists is not None:
        outcome = score_interleaving(lists, clicks, method=options["method"], level=options["interval"])
        emit(outcome, options, outcome.warnings)
        return
    named_files(runs)  # no two of one name
    read = TableReader(options)
    estimates = evaluate_from_clicks(
        clicks,
        [read.run(run) for run in runs],
        list(measures) or "DCG@10 P@10",
        clip=options["clip"],
        propensity=_propensities(options["propensity"]),
        by=options["by"],
        level=options["interval"],
        resamples=options["resamples"],
    )
    emit(estimates, options)


def _by_ending(options: dict[str, Any]) -> bool:
    """True if -o is given without --format: then the file extension decides."""
    source = click.get_current_context().get_parameter_source("format")
    return options["output"] is not None and source is click.core.ParameterSource.DEFAULT


def _propensities(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: not numbers separated by commas, such as 1,0.5.", param_hint="--propensity"
        ) from None
