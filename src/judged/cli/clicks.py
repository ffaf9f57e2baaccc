"""`judged clicks`: click models, simulated users, interleaving, and values from clicks."""

from __future__ import annotations

from typing import Any

import click

from judged.cli.options.output import emit, show_table

__all__ = ["command"]

_MODELS = ("cascade", "dcm", "sdbn", "dbn", "pbm", "ubm", "ctr", "rank-ctr")
_FORM = click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True, help="The form of what is printed.")  # fmt: skip
_SEED = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything random.")
_LEVEL = click.option("--interval", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True, help="The share of intervals.")  # fmt: skip


@click.group("clicks", short_help="Learn from clicks.")
def command() -> None:
    """Learn from clicks: fit models, simulate users, interleave rankings, score them.

    \b
    judged clicks fit log.csv --model dbn -o qrels.txt
    judged clicks fit log.csv --model all --held-out 0.2
    judged clicks simulate qrels.txt bm25.run --sessions 100000 -o log.csv
    judged clicks interleave bm25.run dense.run -k 10 -o lists.csv
    judged clicks score log.csv --lists lists.csv

    A log has a row for every document that was shown, clicked or not: session, query, doc, rank, click.
    It may be CSV, TSV, JSON Lines or Parquet, compressed or not; - is standard input.
    """


@command.command("fit")
@click.argument("log")
@click.option("--model", type=click.Choice([*_MODELS, "all"]), default="dbn", show_default=True, help="The click model; all compares them on held-out sessions.")  # fmt: skip
@click.option("--prior", nargs=2, type=click.FloatRange(0), default=(1.0, 1.0), show_default=True, metavar="A B", help="Counts added to every probability's successes and failures; 0 0 is maximum likelihood.")  # fmt: skip
@click.option("--held-out", type=click.FloatRange(0, 1, max_open=True), metavar="SHARE", help="Share of sessions to test on.  [default: 0; 0.2 with --model all]")  # fmt: skip
@click.option("--multiple", type=click.Choice(["error", "first"]), help="cascade: sessions with several clicks.  [default: error]")  # fmt: skip
@click.option("--method", type=click.Choice(["em", "counts"]), help="dcm, sdbn: exact by EM, or the closed form of the papers.  [default: em]")  # fmt: skip
@click.option("--persistence", type=float, help="dbn: fix it instead of estimating it.")
@click.option("--max-steps", type=click.IntRange(1), default=2000, show_default=True, help="EM steps at most.")
@click.option("-o", "--output", metavar="FILE", help="Write grades as judgments (qrels), in the form its ending says.")
@click.option("--levels", type=click.IntRange(1, 50), default=4, show_default=True, help="The top grade.")
@click.option("--minimum", type=click.IntRange(0), default=1, show_default=True, help="Grades only for pairs shown so often.")  # fmt: skip
@click.option("--grades", is_flag=True, help="Print the grades with their uncertainty instead of the parameters.")
@_LEVEL
@_SEED
@_FORM
def fit(log: str, model: str, **options: Any) -> None:
    """Fit a click model to LOG: parameters with intervals, grades, held-out likelihood.

    \b
    judged clicks fit log.csv --model pbm
    judged clicks fit log.csv --model dbn --levels 3 -o qrels.txt
    judged clicks fit log.csv --model dbn --grades --format csv > grades.csv
    judged clicks fit log.csv --model all
    """
    from judged.clicks.api import compare_click_models, fit_clicks, read_clicks

    shared = {
        "prior": options["prior"],
        "seed": options["seed"],
        "level": options["interval"],
        "max_steps": options["max_steps"],
    }
    special = {name: options[name] for name in ("multiple", "method", "persistence") if options[name] is not None}
    held_out = options["held_out"]
    if model == "all":
        if options["output"] or options["grades"] or special:
            raise click.UsageError(
                "--model all compares models; grades (-o, --grades) and options of one model need one."
            )
        board = compare_click_models(read_clicks(log), held_out=0.2 if held_out is None else held_out, **shared)
        _show(board, board.listing(), options["form"])
        return
    found = fit_clicks(log, model, held_out=held_out or 0.0, **shared, **special)
    if options["output"] or options["grades"]:
        graded = found.grades(options["levels"], minimum=options["minimum"])
        if options["output"]:
            graded.save_qrels(options["output"])
            click.echo(f"{len(graded)} grades written to {options['output']}", err=True)
        if options["grades"]:
            _warn(found.warnings)
            _show(graded, graded.listing(), options["form"])
            return
    if options["form"] != "table":
        _warn(found.warnings)
    _show(found, found.parameters(), options["form"], table=found.table())


@command.command("simulate")
@click.argument("qrels")
@click.argument("run")
@click.option("--model", type=click.Choice([m for m in _MODELS if m != "rank-ctr"]), default="dbn", show_default=True, help="How users behave.")  # fmt: skip
@click.option("--sessions", type=click.IntRange(1), default=1000, show_default=True, help="How many.")
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Documents shown.")
@click.option("--top", type=float, default=4.0, show_default=True, help="The top of the grade scale.")
@click.option("--shuffled", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of sessions that see the documents in random order.")  # fmt: skip
@click.option("--noise", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Attractiveness of what is not relevant.")  # fmt: skip
@click.option("--persistence", type=click.FloatRange(0, 1), default=0.9, show_default=True, help="dbn: the chance to go on.")  # fmt: skip
@click.option("--stopping", type=click.FloatRange(0, 1), default=0.5, show_default=True, help="dcm: the chance to leave after a click.")  # fmt: skip
@click.option("--decay", type=click.FloatRange(0), default=1.0, show_default=True, help="pbm, ubm: rank r is examined with (1/r)^decay.")  # fmt: skip
@_SEED
@click.option("-o", "--output", metavar="FILE", help="Where to write the log: .csv, .tsv, .jsonl, .parquet.  [default: CSV to standard output]")  # fmt: skip
def simulate(qrels: str, run: str, **options: Any) -> None:
    """Sessions of users who see the rankings of RUN and click by the grades in QRELS.

    A document of grade g has the relevance (2^g - 1) / 2^top, as in ERR.

    \b
    judged clicks simulate qrels.txt bm25.run --model pbm --sessions 50000 --shuffled 0.1 --seed 1 -o log.csv
    """
    from judged.clicks.api import simulate_clicks, write_clicks

    target = options.pop("output")
    log = simulate_clicks(qrels, run, options.pop("model"), **options)
    if target is None:
        queries, docs = log.pairs.ids()
        rows = zip(
            log.session.tolist(), log.pair.tolist(), log.rank.tolist(), log.clicked.astype(int).tolist(), strict=True
        )
        emit(
            _csv(
                ("session", "query", "doc", "rank", "click"),
                ((log.sessions[s], queries[p], docs[p], r, c) for s, p, r, c in rows),
            ),
            None,
        )
        return
    write_clicks(log, target)
    click.echo(f"{len(log.sessions)} sessions with {int(log.clicked.sum())} clicks written to {target}", err=True)


@command.command("interleave")
@click.argument("run_a")
@click.argument("run_b")
@click.option("--method", type=click.Choice(["team-draft", "balanced"]), default="team-draft", show_default=True, help="How the lists are made.")  # fmt: skip
@click.option("-k", type=click.IntRange(1), default=10, show_default=True, help="Documents in each list.")
@_SEED
@_FORM
@click.option("-o", "--output", metavar="FILE", help="Write the lists: .csv, .tsv, .jsonl, .parquet; with another ending a TREC run whose tag is the team.")  # fmt: skip
def interleave(run_a: str, run_b: str, **options: Any) -> None:
    """One list for each query, made of RUN_A and RUN_B, with the team of every document.

    \b
    judged clicks interleave bm25.run dense.run --seed 7 -o lists.csv
    judged clicks interleave bm25.run dense.run --method balanced -k 5 -o lists.jsonl
    """
    from judged.clicks.interleaving.interleave import interleave as made

    if (run_a, run_b).count("-") > 1:
        raise click.UsageError("Standard input (-) can be read only once; name a file for the other.")
    lists = made(run_a, run_b, method=options["method"], k=options["k"], seed=options["seed"])
    if options["output"] is None:
        _show(lists, lists.listing(), options["form"])
        return
    lists.save(options["output"])
    _warn(lists.warnings)
    click.echo(f"{len(lists.lists())} lists written to {options['output']}", err=True)


@command.command("score")
@click.argument("log")
@click.option("--lists", metavar="FILE", help="Interleaved lists: who wins?")
@click.option("--method", type=click.Choice(["team-draft", "balanced"]), default="team-draft", show_default=True, help="With --lists: how they were made.")  # fmt: skip
@click.option("--run", "runs", multiple=True, metavar="FILE", help="A run to estimate from the log (may be repeated).")
@click.option("-m", "--measure", "measures", multiple=True, metavar="NAME", help="With --run: DCG@k, P@k, CTR@k (may be repeated).  [default: DCG@10 P@10]")  # fmt: skip
@click.option("--propensity", metavar="LIST", help="With --run: the chance that ranks 1, 2 … are examined, such as 1,0.5,0.33.  [default: a pbm fitted to LOG]")  # fmt: skip
@click.option("--clip", type=click.FloatRange(0, 1, max_open=True), default=0.0, show_default=True, help="With --run: raise smaller propensities to this.")  # fmt: skip
@click.option("--by", type=click.Choice(["session", "query"]), default="session", show_default=True, help="With --run: what is independent, for the errors.")  # fmt: skip
@_LEVEL
@_FORM
@click.option("-o", "--output", metavar="FILE", help="Write JSON or CSV to a file.")
def score(log: str, lists: str | None, runs: tuple[str, ...], **options: Any) -> None:
    """What the clicks in LOG say of two interleaved rankings (--lists), or of a ranking that was not shown (--run).

    \b
    judged clicks score log.csv --lists lists.csv
    judged clicks score log.csv --run dense.run -m DCG@10 -m P@5 --clip 0.05
    """
    from judged.clicks.interleaving.interleave import score_interleaving
    from judged.clicks.off_policy.evaluate import evaluate_from_clicks

    if (lists is None) == (not runs):
        raise click.UsageError(
            "Give --lists, for interleaved rankings, or --run, for rankings to estimate; one of them."
        )
    if options["output"] and options["form"] == "table":
        raise click.UsageError("-o writes --format json or --format csv.")
    found: Any
    if lists is not None:
        found = score_interleaving(lists, log, method=options["method"], level=options["interval"])
    else:
        found = evaluate_from_clicks(log, list(runs), list(options["measures"]) or "DCG@10 P@10", clip=options["clip"],
                                     propensity=_numbers(options["propensity"]), by=options["by"], level=options["interval"])  # fmt: skip
    _show(found, found.listing(), options["form"], table=found.table(), output=options["output"])


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{text!r}: numbers with commas between them, such as 1,0.5.", param_hint="--propensity"
        ) from None


def _warn(warnings: tuple[Any, ...]) -> None:
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def _show(result: Any, listing: Any, form: str, *, table: Any = None, output: str | None = None) -> None:
    """A result in the form that was asked for."""
    if form == "json":
        emit(result.to_json() + "\n", output)
    elif form == "csv":
        emit(_csv(tuple(listing.columns), listing), output)
    else:
        show_table(table or listing.table())


def _csv(headers: tuple[str, ...], rows: Any) -> str:
    import csv
    import io

    from judged.tables.formats.csv import cell

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()
