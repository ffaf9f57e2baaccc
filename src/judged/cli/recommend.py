"""`judged recommend`: measure coverage, novelty and diversity of recommendations."""

from __future__ import annotations

import json
from typing import Any

import click

from judged.cli.options.command import Command, option
from judged.cli.options.inputs import TableReader, check_stdin, column_options, level_option
from judged.cli.options.output import emit, output_options
from judged.tables.result import RecordTable


@click.command("recommend", cls=Command)
@click.argument("run", required=False)
@click.argument("history", required=False)
@option("--history", "past", metavar="FILE", group="Input", help="Past interactions; the same as HISTORY.")
@option(
    "--items", metavar="N|FILE", group="Input", help="Catalogue: the number of items, or a file with one id per line."
)
@option("--qrels", metavar="FILE", group="Input", help="Relevant items of each user, for Serendipity.")
@option(
    "--categories",
    metavar="FILE",
    group="Input",
    help="JSON file, {item: category or list of categories}, for Calibration.",
)
@option("--slices", metavar="FILE", group="Input", help="Table of users, for results per group; needs --by.")
@option("--by", metavar="COLUMN", group="Input", help="Column of --slices to group users by.")
@option("-m", "--measures", multiple=True, metavar="NAME...", group="Measures", help="Measures, such as Coverage 'Gini(over=recommended)@5'; see --list. [default: all that the input allows]")  # fmt: skip
@option(
    "-k",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    group="Measures",
    help="Number of recommendations per user.",
)
@level_option
@column_options("query", "doc", "score", "grade", "rank")
@output_options()
@option("--list", "listing", is_flag=True, group="Measures", help="List all measures with their inputs and papers.")
def command(run: str | None, history: str | None, measures: tuple[str, ...], **options: Any) -> None:
    """Evaluate the recommendations in RUN beyond accuracy: coverage, concentration, popularity, novelty, calibration.

    RUN has columns user, item and score; HISTORY, past interactions such as the training data, has columns user and item.
    Both may be CSV, JSON, Parquet or TREC files, compressed or not; - is standard input. Accuracy is measured by
    `judged eval QRELS RUN`, where users are queries. For measures that need vectors or similarities, use Python:
    jd.recommenders.beyond_accuracy.

    \b
    judged recommend als.csv train.csv
    judged recommend als.csv --items 9066 --history train.csv
    judged recommend als.csv -m Coverage@20 Gini --items movies.txt
    judged recommend als.csv train.csv --qrels test.csv --level 4
    judged recommend als.csv train.csv --slices users.csv --by group
    """
    from judged.recommenders.beyond_accuracy import beyond_accuracy

    if options["listing"]:
        emit(_measures(), options)
        return
    if run is None:
        raise click.UsageError("Missing argument 'RUN'.")
    if history is not None and options["past"] is not None:
        raise click.UsageError("HISTORY is given twice: as an argument and with --history.")
    if (options["slices"] is None) != (options["by"] is None):
        raise click.UsageError("--slices and --by must be used together: a table of users, and its column of groups.")
    past = history or options["past"]
    check_stdin(*(file for file in (run, past, options["qrels"]) if file is not None))
    level = 1 if options["level"] is None else options["level"]
    read = TableReader(options)
    ranking, seen, relevant = read.run(run), read.qrels(past), read.qrels(options["qrels"])
    read.check_used()
    result = beyond_accuracy(ranking, list(measures) or None, k=options["k"], items=_items(options["items"]), history=seen,
                             qrels=relevant, level=level, categories=_categories(options["categories"]))  # fmt: skip
    groups = None if options["slices"] is None else result.by((options["slices"], options["by"]))
    emit(result if groups is None else groups, options, result.warnings)


def _items(text: str | None) -> Any:
    """The number of items, or the ids of a file with one per line."""
    if text is None or text.isdigit():
        return None if text is None else int(text)
    from judged.io.files.source import read_text

    return [line.strip() for line in read_text(text).splitlines() if line.strip()]


def _categories(path: str | None) -> Any:
    if path is None:
        return None
    from judged.errors import DataError
    from judged.io.files.source import read_text

    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(
            "json", f"not JSON: {error}", where=path, hint="write {item: category or list of categories}"
        ) from error


def _measures() -> RecordTable:
    """All measures beyond accuracy, with their input and paper."""
    from judged.recommenders.registry import BEYOND

    words = ("measure", "of", "needs", "summary", "formula", "paper")
    rows = [(d.name, "each user" if d.of == "user" else "the run", ", ".join(d.needs) or "the run", d.summary, d.formula, d.paper)
            for d in sorted(BEYOND, key=lambda d: d.of)]  # fmt: skip
    return RecordTable(dict(zip(words, zip(*rows, strict=True), strict=True)), words)
